use crate::advice::set_sysctl;
use crate::prelude::*;

rule! {
    /// # What it checks
    /// Passes unless, in any window, allocations had to wait for direct reclaim more than a few times per second.
    ///
    /// # Why it matters
    /// The program that asks for a page frees others first: milliseconds in the middle of an I/O or a commit.
    ///
    /// # Evidence
    /// Growth of `allocstall_*` in `/proc/vmstat`.
    ///
    /// # Remedy
    /// More free memory in reserve (`vm.min_free_kbytes`, `vm.watermark_scale_factor`), less page cache traffic
    /// (direct I/O).
    ///
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
        RULE.finding(
            Kind::Memory.only(),
            format!("programs had to reclaim memory themselves {worst:.0} times per second"),
        )
        .measured(worst, TOLERATED, Unit::PerS)
        .evidence(format!("allocstall_* {worst:.1}/s"), "/proc/vmstat")
        .advice(set_sysctl(
            &run.host,
            "vm.watermark_scale_factor",
            "100",
            "The background reclaimer starts too late for bursts.",
            "allocstall no longer grows under load",
        ))
        .into(),
    ]
}
