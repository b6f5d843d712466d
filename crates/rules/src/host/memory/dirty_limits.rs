rule! {
    /// # What it checks
    /// Passes when writeback starts before 16 GiB are unwritten (`vm.dirty_background_ratio` of memory); with more than
    /// 1 GiB at stake the ratios are at most 10 % and 40 %. Limits in bytes pass.
    /// # Why it matters
    /// On a host of 1 TiB, 10 % are 102 GiB: when they are flushed, every fsync waits behind them.
    /// # Evidence
    /// `vm.dirty_*`.
    /// # Remedy
    /// `dirty_background_bytes` of what the storage writes in a second, as measured, or of 1 GiB. The profiles of tuned set
    /// for PostgreSQL `dirty_background_bytes` 64 MiB, `dirty_bytes` 512 MiB; for Oracle the ratios 3 and 40.
    /// # Source
    /// tuned profiles oracle (3, 40) and postgresql (64M, 512M); Linux Documentation/admin-guide/sysctl/vm.rst.
    code: "dirty-limits",
    title: "the page cache may hold a lot of unwritten data",
    layer: Host, severity: Info, on: [Setting],

    /// Regardless of the share: at 1 GB/s it takes a quarter of a minute to write this much.
    const MUCH_BYTES: u64 = 16 << 30;
    /// Written within a second: no fsync notices.
    const LITTLE_BYTES: u64 = 1 << 30;
    /// The kernel's default of `dirty_background_ratio`.
    const BACKGROUND_PERCENT: u64 = 10;
    /// Share of memory beyond which one flush stalls all (own choice; the default is 20).
    const MOST_PERCENT: u64 = 40;
    /// Of a fast array, where the storage was not measured: less makes writeback permanent, more makes an fsync wait.
    const A_SECOND_BYTES: u64 = 1 << 30;
}

/// What the storage writes in a second: the slowest of the measured targets at its best sequential write.
fn measured_second_bytes(run: &Run) -> Option<u64> {
    let best = |target: &facts::Target| {
        let writes = target.result.steps.iter().filter(|step| {
            step.operation == Operation::Write && step.pattern == Pattern::Sequential && step.direct
        });
        writes.map(|step| step.throughput_bytes_per_s).reduce(f64::max)
    };
    let targets = facts::targets(run);
    let slowest = targets.iter().filter(|target| !target.is_void()).filter_map(best).reduce(f64::min)?;
    whole(slowest)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
fn whole(bytes: f64) -> Option<u64> {
    (1.0..1e15).contains(&bytes).then_some(bytes as u64)
}

/// A second of writing, in MiB; never more than half of the share of memory that is in force now.
fn background_bytes(run: &Run, memory: u64, percent: u64) -> u64 {
    let now = memory / 100 * percent;
    let second = measured_second_bytes(run).unwrap_or(A_SECOND_BYTES);
    let most = if now == 0 { second } else { second.min(now / 2) };
    (most >> 20 << 20).max(64 << 20)
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    if host.sysctl_number("vm.dirty_background_bytes").is_some_and(|bytes| bytes > 0) {
        return vec![Outcome::Passes];
    }
    let (Some(background), Some(most)) =
        (host.sysctl_number("vm.dirty_background_ratio"), host.sysctl_number("vm.dirty_ratio"))
    else {
        return vec![facts::unread("vm.dirty_ratio")];
    };
    let Some(total) = host.memory.total_bytes else { return vec![facts::unread("MemTotal")] };
    // The shares are of what the page cache may take: free memory and its own, without huge pages and what processes use
    // (mm/page-writeback.c, global_dirtyable_memory).
    let (memory, of) = match host.memory.available_bytes {
        Some(available) => (available.min(total), "of the memory that is available"),
        None => (total, "of memory"),
    };
    let unwritten = memory / 100 * background;
    let large_shares = background > BACKGROUND_PERCENT || most > MOST_PERCENT;
    if unwritten < MUCH_BYTES && !(large_shares && unwritten > LITTLE_BYTES) {
        return vec![Outcome::Passes];
    }
    vec![
        finding!(
            Kind::Setting.named("vm.dirty_background_ratio"),
            "writeback starts when {} are unwritten ({background} % {of}); writers are throttled at {}",
            facts::size(unwritten),
            facts::size(memory / 100 * most),
        )
        .measured(unwritten as f64, MUCH_BYTES.min(memory / 100 * BACKGROUND_PERCENT) as f64, Unit::Bytes)
        .evidence(format!("dirty_background_ratio {background}, dirty_ratio {most}"), "/proc/sys/vm")
        .advice(set_sysctl(
            host,
            "vm.dirty_background_bytes",
            &background_bytes(run, memory, background).to_string(),
            "An fsync waits behind what is being flushed.",
            "shorter checkpoints and log syncs",
        ))
        .into(),
    ]
}
