rule! {
    /// # What it checks
    /// Passes when every window has fewer than 500 major faults per second, or the kernel took no page back in it: then they
    /// are first reads of programs and mapped files, and memory is not short.
    /// # Why it matters
    /// Each is a read that a program did not request: code or mapped data that was dropped for lack of memory.
    /// # Evidence
    /// Growth of `pgmajfault`, `pgsteal_kswapd` and `pgsteal_direct` in `/proc/vmstat`.
    /// # Remedy
    /// As for swapping; huge pages and mlock keep the database's own memory.
    /// # Source
    /// node-mixin `NodeMemoryMajorPagesFaults` (500 a second).
    code: "major-faults",
    title: "programs wait for pages to be read from disk",
    layer: Host, severity: Warning, on: [Memory], limits: [MemoryShort],

    /// Faults per second that read from disk (own choice).
    const MOST: f64 = 500.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let faults = |window: &Window| facts::vmstat_rate(window, "pgmajfault");
    if facts::windows(run).all(|window| faults(window).is_none()) {
        return vec![facts::unread("pgmajfault of a window")];
    }
    let short = facts::windows(run).filter(|window| takes_back(window));
    let worst = short.filter_map(faults).fold(0.0, f64::max);
    if worst <= MOST {
        return vec![Outcome::Passes];
    }
    vec![
        finding!(
            Kind::Memory.only(),
            "programs wait for {worst:.0} pages per second from disk (major faults): memory is short",
        )
        .measured(worst, MOST, Unit::PerS)
        .evidence(format!("pgmajfault {worst:.1}/s"), "/proc/vmstat")
        .explains(explain::paths_of_windows(run, Mechanism::MemoryShort, |window| {
            takes_back(window) && facts::vmstat_rate(window, "pgmajfault") > Some(MOST)
        }))
        .because("Code and mapped files that were dropped are read again, one page at a time.")
        .look(
            "sed -E 's/^([0-9]+) \\((.*)\\) (.*)/\\3 \\1 \\2/' /proc/[0-9]*/stat 2>/dev/null | sort -k10,10nr | awk '{ print $10, $(NF-1), $NF }' | head",
            "Shows the programs with the most major faults since their start: number, pid, name",
        )
        .persist("smaller programs, or more RAM")
        .expecting("fewer than 500 a second")
        .into(),
    ]
}

/// The host's pages were taken back in the window; also where that is not known. A control group at its limit takes back its own
/// (`cgroup-memory` tells it), and kernels differ in whether `pgsteal_direct` counts that; kswapd works for the host alone.
fn takes_back(window: &Window) -> bool {
    let [by_kswapd, direct] =
        ["pgsteal_kswapd", "pgsteal_direct"].map(|name| facts::vmstat_rate(window, name));
    let hit = |counters: &Counters| {
        let events =
            counters.cgroups.iter().flat_map(|group| [group.memory_high_events, group.memory_max_events]);
        events.flatten().fold(0, u64::saturating_add)
    };
    let of_a_group = hit(&window.to) > hit(&window.from) && by_kswapd == Some(0.0);
    match (by_kswapd, direct) {
        (None, None) => true,
        _ => !of_a_group && (by_kswapd > Some(0.0) || direct > Some(0.0)),
    }
}
