use crate::database::keeper;

rule! {
    /// # What it checks
    /// Passes when since the statistics were reset, no more checkpoints were requested than came by the clock; fewer
    /// than ten requests say nothing.
    /// # Why it matters
    /// A checkpoint is requested when the WAL since the last one nears `max_wal_size`. Each writes all dirty buffers
    /// within a shorter time, and the first change of each page thereafter writes the whole page into the WAL: more
    /// WAL, sooner the next.
    /// # Evidence
    /// Both counters, and their growth while the server is watched. A `CHECKPOINT` by hand and a base backup are
    /// requests as well, which is why a few do not count.
    /// # Remedy
    /// `max_wal_size` as large as the WAL of one `checkpoint_timeout`.
    /// # Source
    /// PostgreSQL documentation, WAL Configuration (checkpoints that come too close together, `checkpoint_warning`),
    /// `pg_stat_checkpointer` (since 17) and `pg_stat_bgwriter` (before).
    code: "postgres-checkpoints-requested",
    title: "PostgreSQL checkpoints early because max_wal_size is reached",
    layer: Database, severity: Warning, on: [Report],
    check: |run| live::watched(run, "postgresql").map(|history| judge(run, history)).into_iter().collect(),

    /// Fewer are backups and checkpoints by hand.
    const FEW: f64 = 10.0;
}

fn judge(run: &Facts, history: &RedoHistory) -> Outcome {
    let total = |name: &str| history.totals.get(name).copied();
    let (Some(requested), Some(timed)) = (total("checkpoints_requested"), total("checkpoints_timed")) else {
        return unknown!("{} does not report how many checkpoints there were", history.source);
    };
    if requested < FEW || requested <= timed {
        return Outcome::Passes;
    }
    let now = history.rates_per_s.get("checkpoints_requested").copied().unwrap_or(0.0) * 3600.0;
    finding!(
        Kind::Report.named(&history.source),
        "{requested:.0} checkpoints were requested, {timed:.0} were timed",
    )
        .measured(requested, timed, Unit::Count)
        .evidence(
            format!(
                "checkpoints since the statistics were reset: {requested:.0} requested, {timed:.0} timed; during the observation {} requested per hour",
                live::rounded(now)
            ),
            &history.source,
        )
        .advice(keeper::adapted(
            &run.host,
            because("After each checkpoint the first change of every page writes the whole page into the WAL.")
                .now("show max_wal_size; show checkpoint_timeout;")
                .persist("alter system set max_wal_size = 'N GB'; select pg_reload_conf(); where N is a little more than the WAL written in one checkpoint_timeout, and the disk has room for it")
                .undo("alter system reset max_wal_size; select pg_reload_conf();")
                .expecting("timed checkpoints, less WAL for the same work"),
        ))
        .into()
}
