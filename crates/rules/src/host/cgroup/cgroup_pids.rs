use super::owner;

rule! {
    /// # What it checks
    /// Passes when `pids.max` of the own control group and its parents, or of a database's, has room for the sessions of
    /// the databases in it: 16,384 tasks for Oracle; `max_connections` and 200 more for the servers' own tasks (own choice)
    /// for PostgreSQL and MySQL. Fewer tasks than `max_connections` in a server's own group are a warning.
    /// # Why it matters
    /// fork and `pthread_create` fail in the group: sessions are refused while the host is idle.
    /// # Evidence
    /// `pids.max`.
    /// # Remedy
    /// `TasksMax=infinity` in the unit.
    /// # Source
    /// Linux Documentation/admin-guide/cgroup-v2.rst, PID; systemd.resource-control(5), `TasksMax`; SUSE saptune
    /// note 1984787; Oracle Database Installation Guide for Linux (nproc 16384); PostgreSQL documentation and MySQL
    /// Reference Manual, `max_connections` (100 and 151 by default; a process or a thread each).
    code: "cgroup-pids",
    title: "a control group allows few tasks",
    layer: Host, severity: Warning, on: [Cgroup],
    when: |run| facts::is_database_host(run),

    /// As many as Oracle requires in limits.conf.
    const LEAST: u64 = 16_384;
    /// Tasks of the server itself: writers, workers, background threads (own choice).
    const OWN_TASKS: u64 = 200;
}

fn check(run: &Facts) -> Vec<Outcome> {
    if run.host.cgroups.is_empty() {
        return vec![facts::unread("the own control group")];
    }
    run.host.cgroups.iter().map(|cgroup| judge(run, cgroup)).collect()
}

/// Sessions that a server lets in.
fn sessions(database: &Database) -> Option<u64> {
    let by_default = match database.kind.as_str() {
        "postgresql" => 100,
        "mysql" | "mariadb" => 151,
        _ => return None,
    };
    match database.settings.get("max_connections") {
        Some(value) => Some(value.parse().unwrap_or(by_default)),
        None => database.leaves_default("max_connections").then_some(by_default),
    }
}

/// How many tasks the databases need in this group, and why; how many are too few for the sessions alone.
fn needed(run: &Run, cgroup: &Cgroup) -> Option<(u64, String, u64)> {
    let all = &run.host.databases;
    let mut own: Vec<&Database> = all.iter().filter(|database| facts::holds(cgroup, database)).collect();
    let known = !own.is_empty();
    if !known {
        own = all.iter().collect();
    }
    if own.iter().any(|database| database.kind.starts_with("oracle")) || run.command.sga_bytes.is_some() {
        return Some((LEAST, "Oracle asks for".to_owned(), 0));
    }
    let sessions = own.iter().filter_map(|database| sessions(database)).reduce(u64::saturating_add)?;
    let why = format!("{sessions} sessions (max_connections) and the server's own tasks need about");
    Some((sessions.saturating_add(OWN_TASKS), why, if known { sessions } else { 0 }))
}

fn judge(run: &Run, cgroup: &Cgroup) -> Outcome {
    let Some((least, why, too_few)) = needed(run, cgroup) else { return Outcome::Passes };
    match cgroup.pids_max {
        Some(most) if most < least => finding!(
            Kind::Cgroup.named(&cgroup.path).aspect("pids.max"),
            "control group {} may have {most} tasks, {why} {least}",
            cgroup.path,
        )
        .severity(if most < too_few { RULE.severity } else { Severity::Info })
        .measured(most as f64, least as f64, Unit::Count)
        .evidence(format!("pids.max {most}"), format!("/sys/fs/cgroup{}/pids.max", cgroup.path))
        .advice(advice(cgroup, most))
        .into(),
        _ => Outcome::Passes,
    }
}

fn advice(cgroup: &Cgroup, most: u64) -> Advice {
    let why = because("Each session is a process or a thread.")
        .expecting("no fork failures at the peak of sessions");
    if let Some(elsewhere) = owner::instead(cgroup) {
        return why.and(elsewhere);
    }
    let file = format!("/sys/fs/cgroup{}/pids.max", cgroup.path);
    why.run(sh!("echo max > {}", file), format!("Removes the limit {}", owner::UNTIL))
        .needs(owner::AGREES)
        .persist("`systemctl edit` the unit: [Service] TasksMax=infinity")
        .undo_run(sh!("echo {} > {}", most, file), "Sets the limit again")
}
