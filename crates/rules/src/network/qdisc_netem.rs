//! # What it checks
//! No interface of either end carries the discipline `netem` with a delay or a loss.
//!
//! # Why it matters
//! netem is a test tool: it delays and drops on purpose, and stays until somebody removes it or the host
//! restarts.
//!
//! # Evidence
//! Queueing disciplines of every interface (`tc qdisc show`).
//!
//! # Remedy
//! `tc qdisc del dev DEV root`.
//!
//! # Source
//! tc-netem(8): `NetEm` is an enhancement of the Linux traffic control facilities that allow one to add
//! delay, packet loss, duplication and more other characteristics to packets outgoing from a selected
//! network interface.

use super::{each, ends};
use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::{Nic, Qdisc};

pub(super) const RULE: Rule = Rule {
    code: "qdisc-netem",
    title: "a network emulator is active on an interface",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("qdisc_netem.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    each::nic(
        run,
        |_, nic| !nic.qdiscs.is_empty(),
        |side, nic| match nic.qdiscs.iter().find(|qdisc| qdisc.kind == "netem") {
            Some(qdisc) => fires(run, side, nic, qdisc),
            None => Outcome::Passes,
        },
    )
}

fn fires(run: &Run, side: &ends::Side, nic: &Nic, qdisc: &Qdisc) -> Outcome {
    let mut does = Vec::new();
    if let Some(delay) = qdisc.delay_ns.filter(|ns| *ns > 0) {
        does.push(format!("delays each packet by {}", ends::time(delay as f64)));
    }
    if let Some(loss) = qdisc.loss.filter(|share| *share > 0.0) {
        does.push(format!("loses {:.2} % of them (packet loss by its setting)", loss * 100.0));
    }
    if let Some(rate) = qdisc.rate_bytes_per_s.filter(|rate| *rate > 0.0) {
        does.push(format!("holds them to {}", ends::rate(rate)));
    }
    let does = if does.is_empty() { "tampers with packets".to_owned() } else { does.join(" and ") };
    let finding = RULE
        .finding(
            side.name(&nic.name),
            format!("the network emulator (qdisc netem) on {} {does}", side.name(&nic.name)),
        )
        .evidence(
            format!("qdisc netem {}{}", qdisc.handle, parameters(qdisc)),
            side.source(&format!("tc qdisc show dev {}", nic.name)),
        )
        .advice(
            because("A test tool was left on: it makes a good network slow on purpose.")
                .now(format!("tc qdisc del dev {} root", nic.name))
                .persist("remove what sets it: grep -r netem /etc")
                .expecting("the round trip and the loss of the real network; repeat the measurement"),
        );
    // A delay alone makes a long path; what fills it badly is then the cause.
    let delay_only = qdisc.delay_ns.is_some_and(|ns| ns > 0)
        && qdisc.loss.is_none_or(|share| share <= 0.0)
        && qdisc.rate_bytes_per_s.is_none_or(|rate| rate <= 0.0);
    let cause = if delay_only { Cause::Symptom } else { Cause::Fault };
    each::limits_over(finding, run, side, &nic.name, cause).into()
}

/// As `tc` would write them.
fn parameters(qdisc: &Qdisc) -> String {
    let delay = qdisc.delay_ns.map(|ns| format!(" delay {}", ends::time(ns as f64)));
    let loss = qdisc.loss.map(|share| format!(" loss {:.2} %", share * 100.0));
    let rate = qdisc.rate_bytes_per_s.map(|rate| format!(" rate {}", ends::rate(rate)));
    [delay, loss, rate].into_iter().flatten().collect()
}
