rule! {
    /// # What it checks
    /// Passes unless some task was stalled for memory for more than a tenth of a window or, where the counters were read once,
    /// of the five minutes before.
    /// # Why it matters
    /// The kernel reclaims pages while a program waits for one: commits and I/O wait for it.
    /// # Evidence
    /// `some` and `full` totals of `/proc/pressure/memory` over each window; `avg300` of a single reading.
    /// # Remedy
    /// Give some program less memory, or add RAM.
    /// # Source
    /// Linux Documentation/accounting/psi.rst (use the totals' differences; `avg300`: the share of the last 300 s).
    code: "memory-pressure",
    title: "tasks are stalled on memory",
    layer: Host, severity: Warning, on: [Memory], limits: [MemoryShort],

    /// Share of the time that tasks wait for memory (own choice).
    const STALLED: f64 = 0.10;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let watched =
        facts::windows(run).filter_map(stalled).reduce(f64::max).map(|share| (share, "of the time"));
    let Some((share, when)) = watched.or_else(|| before(run)) else {
        return vec![facts::unread("/proc/pressure/memory over a window")];
    };
    if share <= STALLED {
        return vec![Outcome::Passes];
    }
    vec![
        finding!(
            Kind::Memory.only(),
            "tasks waited for memory {} {when} (memory pressure): the host reclaims pages without pause",
            facts::percent(share),
        )
        .measured(share, STALLED, Unit::Ratio)
        .evidence(format!("memory some {share:.3} {when}"), "/proc/pressure/memory")
        .explains(explain::paths_of_windows(run, Mechanism::MemoryShort, |w| stalled(w) > Some(STALLED)))
        .because("A task that needs a page must first free one.")
        .look("ps -eo pid,rss,comm | sort -k2 -rn | head", "Shows the largest programs")
        .look("free -m", "Shows what is left")
        .persist(format!(
            "Lower {}, or limit other programs (systemd MemoryHigh=), or add memory",
            taken_by(run.host.databases.iter())
        ))
        .expecting("pressure near 0 under the same load")
        .into(),
    ]
}

/// The share of a window in which some task waited for memory.
fn stalled(window: &Window) -> Option<f64> {
    facts::rate(window, |counters| Some(counters.pressure.as_ref()?.memory_some_us)).map(|us| us / 1e6)
}

/// The share of the five minutes before the only reading.
fn before(run: &Run) -> Option<(f64, &'static str)> {
    let last = run.windows.last().filter(|_| facts::side::own(run).is_read_once())?;
    let share = last.to.pressure.as_ref()?.memory_some_300s_ratio?;
    Some((share, "of the five minutes before"))
}
