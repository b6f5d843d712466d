//! # What it checks
//! The round trip while a bulk transfer runs against the round trip without load (buffer delay of RFC
//! 6349).
//!
//! # Why it matters
//! Bulk traffic fills a queue on the path and keeps it full: throughput is all there, but every commit,
//! every block of the interconnect waits behind it.
//!
//! # Evidence
//! Round trip of a separate connection idle and under load, or of the stream itself.
//!
//! # Remedy
//! Smaller queues or queue management (`fq_codel`, CAKE) where the line begins; or pace the bulk transfer a
//! little below the line, so that the queue stays with the sender.
//!
//! # Source
//! RFC 6349 section 4.3 (buffer delay); RFC 7567 (active queue management); RFC 8290 (FQ-CoDel).

use super::{each, ends, load};
use crate::advice::{AdviceExt, because};
use crate::ceiling::network::rfc6349;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "bufferbloat",
    title: "the round trip grows many times under load",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("bufferbloat.rs"),
    check,
};

/// Added by load: from here on a commit feels it, whatever the path; below it is worth knowing only.
const WAITS_NS: f64 = 50e6;
/// A long path holds a few of its own round trips in a queue while TCP looks for the rate; tenfold is a queue that
/// nobody manages.
const BLOATS: f64 = 10.0;
/// Added by load that is worth a word, and the factor over the idle round trip that makes it a queue.
const NOTICED_NS: f64 = 5e6;
const GROWS: f64 = 3.0;
/// Variation of the rate below which a line, not a CPU, sets it.
const EVEN: f64 = 0.05;

fn check(run: &Run) -> Vec<Outcome> {
    each::result(run, NetMode::Async, |result| judge(run, result))
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let Some((idle, loaded)) = load::round_trips(run, result) else {
        return Outcome::Unknown(format!("the round trip to {} was not measured", result.target));
    };
    let loaded = longest_smoothed(result).map_or(loaded, |longest| loaded.min(longest));
    let added = loaded - idle;
    // A CPU that is used up delays answers as well; but then the rate is not as even as a full line's.
    let uneven = load::variation(result).is_none_or(|variation| variation > EVEN);
    if added < NOTICED_NS || loaded < GROWS * idle || (uneven && load::cpu_bound(run, result)) {
        return Outcome::Passes;
    }
    let waits = added >= WAITS_NS && loaded >= BLOATS * idle;
    let finding = RULE
        .finding(
            format!("round trip to {}", result.target),
            format!(
                "the round trip to {} grows from {} to {} under load ({:.0} times): a queue on the path stays full, and \
                 every commit waits behind it",
                result.target,
                ends::time(idle),
                ends::time(loaded),
                loaded / idle
            ),
        )
        .severity(if waits { Severity::Warning } else { Severity::Info })
        .measured(loaded, idle + WAITS_NS, Unit::Ns)
        .evidence(
            format!("buffer delay {:.0} % (RFC 6349): idle {}, loaded {}", rfc6349::buffer_delay_percent(loaded, idle), ends::time(idle), ends::time(loaded)),
            "round trips of the probe: idle median, loaded 90th percentile or the stream's own longest",
        )
        .about(result)
        .advice(
            because("The queue before the slowest link holds more than a round trip needs; TCP fills it.")
                .now(format!("fullwire net {} --rate {:.0}Mbit    # 95 %: does the round trip stay low?", result.target, result.throughput_bytes_per_s * 8e-6 * 0.95))
                .now("on the router before the slow link: tc qdisc replace dev DEV root cake bandwidth RATE (or fq_codel)")
                .persist("pace bulk transfers (backup, gap resolution) below the line: SO_MAX_PACING_RATE, tc fq maxrate")
                .expecting("the idle round trip under load, for 5 % of the throughput"),
        );
    if waits { finding.limits(Cause::Saturation).into() } else { finding.into() }
}

/// The longest that the stream itself waited, by its kernel's clock: what a process waits beyond that, it waits for a CPU.
fn longest_smoothed(result: &NetResult) -> Option<f64> {
    let longest = result.intervals.iter().filter_map(|slice| slice.rtt_ns).max();
    // Only the sender's kernel times a stream.
    longest.filter(|_| !result.reverse).map(|ns| ns as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shaper with a queue of 30 ms, on a machine that stood still now and then: a tenth of the probe's answers came after
    /// 82 ms, the stream's own round trip was never above 37 ms.
    #[test]
    fn what_a_process_waits_for_its_cpu_is_no_queue() {
        let text = include_str!("../../fixtures/bufferbloat/fires-mildly-stalled-host.json");
        let run: Run = serde_json::from_str(text).expect("a run");
        let outcomes = check(&run);
        let [Outcome::Fires(finding)] = outcomes.as_slice() else { panic!("one finding") };
        assert!(finding.severity == Severity::Info && !finding.limits, "{finding:?}");
        assert_eq!(finding.measured, Some(36_599_000.0));
    }
}
