//! # What it checks
//! Passes when no window shows pages going out to swap, or coming back, at more than a few a second.
//!
//! # Why it matters
//! Each page that a process needs back is a random read in the middle of its work: the database's memory is
//! then as slow as a disk. The disk gets the blame.
//!
//! # Evidence
//! Growth of `pswpin` and `pswpout` in `/proc/vmstat` over each window.
//!
//! # Remedy
//! Shrink SGA, PGA or `shared_buffers`, stop the other memory user, add RAM; huge pages cannot be swapped out.
//!
//! # Source
//! PCP pmieconf `memory.swap_low` (5 pages per second); atop(1) (swap-out above 10 a second is critical); Linux
//! Documentation/admin-guide/mm/concepts.rst.

use crate::advice::{AdviceExt, because};
use crate::explain;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Mechanism, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "swapping",
    title: "the host is swapping",
    layer: Layer::Host,
    severity: Severity::Critical,
    check,
};

/// Pages per second in either direction: from here on a nuisance, from there on a fault.
const NUISANCE: f64 = 5.0;
/// Pages per second written to swap: memory is too small (own choice).
const FAULT: f64 = 10.0;

fn check(run: &Facts) -> Vec<Outcome> {
    let rates: Vec<(f64, f64)> = facts::windows(run)
        .filter_map(|window| {
            Some((facts::vmstat_rate(window, "pswpin")?, facts::vmstat_rate(window, "pswpout")?))
        })
        .collect();
    let Some((pages_in, pages_out)) = rates.into_iter().max_by(|a, b| (a.0 + a.1).total_cmp(&(b.0 + b.1)))
    else {
        return vec![facts::unread("pswpin and pswpout of a window")];
    };
    // What was swapped out long ago may come back once: only a steady flow, or one both ways, is a shortage.
    let severity = match (pages_in, pages_out) {
        (_, out) if out > FAULT => Severity::Critical,
        (back, out) if out > NUISANCE || back > 10.0 * FAULT => Severity::Warning,
        _ => return vec![Outcome::Passes],
    };
    vec![fires(run, pages_in, pages_out, severity)]
}

fn fires(run: &Run, pages_in: f64, pages_out: f64, severity: Severity) -> Outcome {
    let page = run.host.os.page_bytes.max(1024) as f64;
    let message = format!(
        "the host swaps: {pages_out:.0} pages per second go out and {pages_in:.0} come in ({:.1} MB/s): it is short of memory, and the disk is not the cause",
        (pages_in + pages_out) * page / 1e6
    );
    RULE.finding("memory", message)
        .severity(severity)
        .measured(pages_out, NUISANCE, Unit::PerS)
        .evidence(format!("pswpin {pages_in:.1}/s, pswpout {pages_out:.1}/s"), "/proc/vmstat")
        .explains(explain::paths_of_windows(run, Mechanism::MemoryShort, |window| {
            facts::vmstat_rate(window, "pswpout") > Some(NUISANCE)
                || facts::vmstat_rate(window, "pswpin") > Some(10.0 * FAULT)
        }))
        .advice(
            because("A process whose page must be read back waits for the disk, and swap traffic competes with other I/O.")
                .run("grep -H '^VmSwap' /proc/[0-9]*/status | sort -k2 -n | tail", "Shows which processes are swapped out")
                .now("Stop or shrink what takes the memory: SGA_TARGET, PGA_AGGREGATE_LIMIT, shared_buffers, other programs")
                .persist("size SGA + PGA + connections below RAM; put the SGA in huge pages, which are never swapped")
                .undo("restore the sizes")
                .expecting("pswpout stops growing and the latency spikes disappear"),
        )
        .into()
}
