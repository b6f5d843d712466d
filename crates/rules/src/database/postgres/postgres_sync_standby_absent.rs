use crate::database::keeper::{self, Keeper};

rule! {
    /// # What it checks
    /// Applies where `synchronous_standby_names` names standbys and the titles of the processes could be read;
    /// passes when a `walsender` runs, on a standby, and where commits wait for no standby.
    /// # Why it matters
    /// Each commit waits for a standby that is not there: until one connects, or the setting is taken back, clients hang.
    /// # Evidence
    /// `synchronous_standby_names`, `synchronous_commit`; the titles of the server's processes.
    /// # Remedy
    /// The standby's connection; until then an empty `synchronous_standby_names`, which gives up the second copy.
    /// # Source
    /// PostgreSQL documentation, Log-Shipping Standby Servers, "Planning for High Availability" (commits wait until the
    /// standby answers) and `synchronous_standby_names`.
    code: "postgres-sync-standby-absent",
    title: "PostgreSQL commits wait for a standby that is not connected",
    layer: Database, severity: Warning, on: [Database],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let servers = run.host.databases.iter().filter(|database| database.kind == "postgresql");
    servers.filter_map(|database| judge(run, database)).collect()
}

fn judge(run: &Facts, database: &Database) -> Option<Outcome> {
    let read = ["synchronous_standby_names", "synchronous_commit"];
    if read.into_iter().any(|name| database.may_have_unread(name)) {
        return Some(facts::unread_settings(database));
    }
    let names =
        database.settings.get("synchronous_standby_names").filter(|names| !names.trim().is_empty())?;
    let commit = database.settings.get("synchronous_commit").map_or("on", String::as_str);
    if ["off", "local", "false", "no", "0"].contains(&commit) {
        return Some(Outcome::Passes);
    }
    let Some(titles) = &database.background else {
        return Some(unknown!("the titles of the processes of {} could not be read", database.name));
    };
    // A standby has the setting of its primary, and waits for nobody.
    if titles.iter().any(|title| title == "startup" || title == "walreceiver") {
        return Some(Outcome::Passes);
    }
    if titles.iter().any(|title| title == "walsender") {
        return Some(Outcome::Passes);
    }
    let found = finding!(
        Kind::Database.named(&database.name),
        "synchronous_standby_names is {names}, and no standby is connected: each commit waits",
    )
        .evidence(format!("synchronous_standby_names = {names}"), source(database))
        .evidence("no walsender among the server's processes", "ps")
        .because("A commit returns when the named standby has its WAL.")
        .now("select application_name, state, sync_state from pg_stat_replication;  -- then the standby's own log: why does it not connect?")
        .and(without_standby(run))
        .expecting("sync_state sync or quorum in pg_stat_replication; no session waits in SyncRep");
    Some(found.into())
}

/// Commits that wait for nobody: what keeps the name of the standby must know of it, or a failover loses what clients
/// were told is safe.
fn without_standby(run: &Facts) -> Advice {
    const IF: &str = "If clients must go on without the second copy";
    let (now, undo) = match keeper::keeper(&run.host) {
        Keeper::Patroni => (
            "`patronictl edit-config`: synchronous_mode: false. Never by alter system: Patroni would still believe in a synchronous standby and fail over to one that lacks commits",
            "`patronictl edit-config`: synchronous_mode as it was",
        ),
        Keeper::CloudNativePg => (
            "in the Cluster resource: minSyncReplicas: 0, or spec.postgresql.synchronous with dataDurability: preferred",
            "The Cluster resource as it was",
        ),
        Keeper::AutoFailover => (
            "`pg_autoctl set formation number-sync-standbys 0`",
            "`pg_autoctl set formation number-sync-standbys` with the number that it had",
        ),
        // Its agent `pgsql` writes the names into a file of its own (ClusterLabs resource-agents, pgsql, rep_mode=sync); what
        // alter system sets wins over every file and stays after a failover.
        Keeper::Itself if facts::is_managed_by(&run.host, "pacemaker") => (
            "Pacemaker's agent `pgsql` with rep_mode=sync takes a lost standby out of the names itself: see why it did not (`crm_mon -A1`). With another agent, an empty synchronous_standby_names in postgresql.conf and a reload. Never by alter system: it would win over the agent, and a failover would lose commits",
            "synchronous_standby_names in postgresql.conf as it was, and a reload",
        ),
        Keeper::Repmgr | Keeper::Itself => (
            "alter system set synchronous_standby_names = ''; select pg_reload_conf();",
            "alter system reset synchronous_standby_names; select pg_reload_conf();",
        ),
    };
    because("").now(format!("{IF}: {now}")).undo(undo)
}

fn source(database: &Database) -> &str {
    database.setting_sources.get("synchronous_standby_names").map_or("configuration", String::as_str)
}
