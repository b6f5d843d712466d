rule! {
    /// # What it checks
    /// Applies where a standby is synchronous. Passes when it flushes within 5 ms.
    /// # Why it matters
    /// Each commit waits until the standby has flushed its WAL: the delay bounds the commits of each session.
    /// # Evidence
    /// `flush_lag` of `pg_stat_replication`, the highest of the window.
    /// # Remedy
    /// A nearer standby, faster disks there, `remote_write`, or `local` for sessions that may lose their last commits.
    /// # Source
    /// PostgreSQL documentation, `pg_stat_replication` (`flush_lag`), `synchronous_commit`; the limit is the one of
    /// dataguard-sync-far.
    code: "postgres-sync-standby-slow",
    title: "commits wait for a synchronous standby",
    layer: Database, severity: Info, on: [Report],
    check: |run| live::watched(run, "postgresql").and_then(judge).into_iter().collect(),

    /// From here on a commit feels it, as with Data Guard.
    const FAR_MS: f64 = 5.0;
}

fn judge(history: &RedoHistory) -> Option<Outcome> {
    let total = |name: &str| history.totals.get(name).copied();
    let standbys = total("sync_standbys")?;
    if standbys < 1.0 {
        return None;
    }
    // Without the role pg_read_all_stats, or without WAL for a while, there is none.
    let Some(lag_ms) = total("sync_flush_lag_ms") else {
        return Some(unknown!(
            "{} does not show how late its standbys flush: no WAL was sent lately, or the role pg_read_all_stats is missing",
            history.source
        ));
    };
    if lag_ms < FAR_MS {
        return Some(Outcome::Passes);
    }
    let lag = facts::words::time(lag_ms * 1e6);
    let found = finding!(
        Kind::Report.named(&history.source),
        "a commit waits up to {lag} for the synchronous standby",
    )
        .measured(lag_ms * 1e6, FAR_MS * 1e6, Unit::Ns)
        .evidence(format!("flush_lag {lag_ms:.1} ms, {standbys:.0} synchronous standbys"), &history.source)
        .because("A commit returns when the standby has flushed it.")
        .now("select application_name, sync_state, write_lag, flush_lag from pg_stat_replication; a write_lag near the flush_lag is the network, the rest is the standby's disk")
        .now("`fullwire net STANDBY --mode sync --write --length 8k` measures both parts")
        .persist("A standby nearby, faster disks for its WAL; where losing the last commits is accepted: alter role NAME set synchronous_commit = local")
        .undo("alter role NAME reset synchronous_commit")
        .expecting("flush_lag below 5 ms");
    Some(found.into())
}
