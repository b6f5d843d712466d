use crate::prelude::*;

rule! {
    /// # What it checks
    /// Passes when every window has fewer than 500 major faults per second.
    ///
    /// # Why it matters
    /// Each is a read that a program did not request: code or mapped data that was dropped for lack of memory.
    ///
    /// # Evidence
    /// Growth of `pgmajfault` in `/proc/vmstat`.
    ///
    /// # Remedy
    /// As for swapping; huge pages and mlock keep the database's own memory.
    ///
    /// # Source
    /// node-mixin `NodeMemoryMajorPagesFaults` (500 a second).
    code: "major-faults",
    title: "programs wait for pages to be read from disk",
    layer: Host, severity: Warning, on: [Memory], limits: [MemoryShort],

    /// Faults per second that read from disk (own choice).
    const MOST: f64 = 500.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(worst) =
        facts::windows(run).filter_map(|window| facts::vmstat_rate(window, "pgmajfault")).reduce(f64::max)
    else {
        return vec![facts::unread("pgmajfault of a window")];
    };
    if worst <= MOST {
        return vec![Outcome::Passes];
    }
    vec![
        RULE.finding(
            Kind::Memory.only(),
            format!(
                "programs wait for {worst:.0} pages per second from disk (major faults): memory is short"
            ),
        )
        .measured(worst, MOST, Unit::PerS)
        .evidence(format!("pgmajfault {worst:.1}/s"), "/proc/vmstat")
        .explains(explain::paths_of_windows(run, Mechanism::MemoryShort, |window| {
            facts::vmstat_rate(window, "pgmajfault") > Some(MOST)
        }))
        .advice(
            because("Code and mapped files that were dropped are read again, one page at a time.")
                .look(
                    "ps -eo pid,maj_flt,rss,comm --sort=-maj_flt | head",
                    "Shows the programs with the most major faults since their start",
                )
                .persist("smaller programs, or more RAM")
                .expecting("fewer than 500 a second"),
        )
        .into(),
    ]
}
