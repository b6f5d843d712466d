rule! {
    /// # What it checks
    /// Passes unless, in any window, allocations had to wait for direct reclaim more than a few times per second.
    /// # Why it matters
    /// The program that asks for a page frees others first: milliseconds in the middle of an I/O or a commit.
    /// # Evidence
    /// Growth of `allocstall_*` in `/proc/vmstat`.
    /// # Remedy
    /// More free memory in reserve (`vm.watermark_scale_factor`, before Linux 4.6 `vm.min_free_kbytes`), less page cache traffic
    /// (direct I/O).
    /// # Source
    /// Linux mm/vmscan.c (allocstall counts entries into direct reclaim);
    /// Documentation/admin-guide/sysctl/vm.rst, `min_free_kbytes` and `watermark_scale_factor`.
    code: "direct-reclaim",
    title: "programs reclaim memory themselves, and wait for it",
    layer: Host, severity: Info, on: [Memory],

    /// Pages per second that tasks reclaim themselves (own choice).
    const TOLERATED: f64 = 10.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let stalls = |window: &Window| {
        facts::rate(window, |counters| {
            let stalls: Vec<u64> = counters
                .vmstat
                .iter()
                .filter(|(name, _)| name.starts_with("allocstall"))
                .map(|(_, count)| *count)
                .collect();
            (!stalls.is_empty()).then(|| stalls.iter().fold(0, |sum: u64, one| sum.saturating_add(*one)))
        })
    };
    let Some(worst) = facts::windows(run).filter_map(stalls).reduce(f64::max) else {
        return vec![facts::unread("allocstall of a window")];
    };
    if worst <= TOLERATED {
        return vec![Outcome::Passes];
    }
    vec![
        finding!(
            Kind::Memory.only(),
            "programs had to reclaim memory themselves {worst:.0} times per second"
        )
        .measured(worst, TOLERATED, Unit::PerS)
        .evidence(format!("allocstall_* {worst:.1}/s"), "/proc/vmstat")
        .advice(advice(&run.host))
        .into(),
    ]
}

/// Before Linux 4.6 there is no such setting, and the reserve alone starts the reclaimer earlier.
fn advice(host: &Host) -> Advice {
    const NAME: &str = "vm.watermark_scale_factor";
    const WHY: &str = "The background reclaimer starts too late for bursts.";
    const EXPECT: &str = "allocstall no longer grows under load";
    if host.sysctl(NAME).is_none() && !facts::kernel_is_at_least(host, (4, 6)) {
        return because(WHY)
            .now("This kernel has no vm.watermark_scale_factor: raise vm.min_free_kbytes to a hundredth of memory, at a quiet time")
            .persist("Keep it in a file of /etc/sysctl.d")
            .undo("vm.min_free_kbytes as it was")
            .expecting(EXPECT);
    }
    set_sysctl(host, NAME, "100", WHY, EXPECT)
}
