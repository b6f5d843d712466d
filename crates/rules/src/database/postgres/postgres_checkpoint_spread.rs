rule! {
    /// # What it checks
    /// Passes when `checkpoint_completion_target` is not set, or to 0.7 at least.
    /// # Why it matters
    /// The checkpoint's writes are squeezed into that share of the time between checkpoints: a small one makes waves of
    /// I/O.
    /// # Evidence
    /// The setting. Old configurations keep 0.5, which was the default until 13.
    /// # Remedy
    /// 0.9, the default since 14.
    /// # Source
    /// PostgreSQL documentation, `checkpoint_completion_target` (0.9 by default since 14; reducing it is not recommended).
    code: "postgres-checkpoint-spread",
    title: "PostgreSQL writes its checkpoints in a short time",
    layer: Database, severity: Info, on: [Database],
    check: |run| configured::each(run, &RULE, &["postgresql"], flaw),

    /// The old default of 0.5 is below, the new one of 0.9 above (own choice).
    const LEAST: f64 = 0.7;
}

fn flaw(database: &Database) -> Option<Flaw> {
    const NAME: &str = "checkpoint_completion_target";
    let target: f64 = database.settings.get(NAME)?.trim().parse().ok()?;
    (target < LEAST).then(|| Flaw {
        also: Vec::new(),
        name: NAME,
        severity: Severity::Info,
        says: "the writes of a checkpoint come in waves".into(),
        why: "Writes that are spread over the whole interval disturb queries least.",
        now: "alter system set checkpoint_completion_target = 0.9; select pg_reload_conf();".into(),
        undo: format!("alter system set checkpoint_completion_target = {target}; select pg_reload_conf();"),
        expect: "an even write rate between checkpoints",
    })
}
