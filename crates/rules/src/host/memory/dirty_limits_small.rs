rule! {
    /// # What it checks
    /// Passes when `vm.dirty_bytes`, where set, is at least 16 MiB, and `vm.dirty_ratio` at least 2 %; the background
    /// limit is below the hard one.
    /// # Why it matters
    /// Above the limit every buffered writer waits for the disk at each write: the page cache no longer absorbs a
    /// burst, archiving and backups crawl.
    /// # Evidence
    /// `vm.dirty_bytes`, `vm.dirty_ratio`, `vm.dirty_background_bytes`, `vm.dirty_background_ratio`.
    /// # Remedy
    /// `vm.dirty_bytes=536870912` with `vm.dirty_background_bytes=67108864` (tuned's postgresql profile).
    /// # Source
    /// Linux Documentation/admin-guide/sysctl/vm.rst, `dirty_bytes` ("the amount of dirty memory at which a
    /// process generating disk writes will itself start writeback"); tuned profile postgresql (64 MiB, 512 MiB).
    code: "dirty-limits-small",
    title: "buffered writers are throttled early",
    layer: Host, severity: Warning, on: [Setting],

    /// Less makes every writer wait for the disk (own choice).
    const LEAST_BYTES: u64 = 16 << 20;
    /// The same as a share of memory (own choice).
    const LEAST_PERCENT: u64 = 2;
    /// About a second of what a fast array writes.
    const A_SECOND_BYTES: u64 = 1 << 30;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let number = |name: &str| run.host.sysctl_number(name);
    let (Some(bytes), Some(percent)) = (number("vm.dirty_bytes"), number("vm.dirty_ratio")) else {
        return vec![facts::unread("vm.dirty_bytes")];
    };
    let memory = run.host.memory.total_bytes.unwrap_or(0);
    // One of the two is 0: the other counts.
    let (name, value, limit) = if bytes > 0 {
        ("vm.dirty_bytes", bytes, bytes)
    } else {
        ("vm.dirty_ratio", percent, memory / 100 * percent)
    };
    let small = if bytes > 0 { bytes < LEAST_BYTES } else { percent < LEAST_PERCENT };
    if !small {
        return vec![Outcome::Passes];
    }
    vec![
        finding!(
            Kind::Setting.named(name),
            "{name} is {value}: buffered writers wait for the disk once {} are unwritten",
            facts::size(limit),
        )
        .severity(facts::hygiene(run))
        .measured(limit as f64, LEAST_BYTES as f64, Unit::Bytes)
        .evidence(format!("dirty_bytes {bytes}, dirty_ratio {percent}"), "/proc/sys/vm")
        .advice(set_sysctls(
            &run.host,
            &[
                ("vm.dirty_bytes", A_SECOND_BYTES.to_string()),
                ("vm.dirty_background_bytes", (A_SECOND_BYTES / 4).to_string()),
            ],
            "A burst that fits in the page cache need not wait for the disk.",
            "buffered writes no longer stop and go; `fullwire disk --buffered` proves it",
        ))
        .into(),
    ]
}
