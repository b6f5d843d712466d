//! # What it checks
//! Fewer than 500 major faults a second in every window.
//!
//! # Why it matters
//! Each is a read that a program did not ask for: code or mapped data that was dropped for lack of memory.
//!
//! # Evidence
//! Growth of `pgmajfault` in `/proc/vmstat`.
//!
//! # Remedy
//! As for swapping; huge pages and mlock keep the database's own memory.
//!
//! # Source
//! node-mixin `NodeMemoryMajorPagesFaults` (500 a second).

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "major-faults",
    title: "programs wait for pages from disk",
    layer: Layer::Host,
    severity: Severity::Warning,
    text: include_str!("major_faults.rs"),
    check,
};

const MOST: f64 = 500.0;

fn check(run: &Run) -> Vec<Outcome> {
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
            "memory",
            format!("programs wait for {worst:.0} pages a second from disk (major faults): memory is short"),
        )
        .measured(worst, MOST, Unit::PerS)
        .evidence(format!("pgmajfault {worst:.1}/s"), "/proc/vmstat")
        .limits(Cause::Starvation)
        .advice(
            because("Code and mapped files that were dropped are read again, one page at a time.")
                .now("pidstat -r 1 5    # majflt/s by process")
                .persist("less memory for the page cache's rivals, or more RAM")
                .expecting("fewer than 500 a second"),
        )
        .into(),
    ]
}
