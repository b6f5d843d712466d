//! # What it checks
//! What was measured to a peer carries the redo at its peak with headroom (rate / 0.7).
//!
//! # Why it matters
//! ASYNC transport falls behind and loses more in a disaster; SYNC transport makes every commit wait.
//!
//! # Evidence
//! Throughput of the bulk transfer; redo rate from the listing, AWR report or live database.
//!
//! # Remedy
//! Mend what limits the path (the bottleneck below), or more capacity, or redo compression.
//!
//! # Source
//! Oracle MAA: required bandwidth = redo rate / 0.7; worked figures, redo demand.

use super::{each, ends};
use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "redo-exceeds-path",
    title: "the path carries less than the redo needs",
    layer: Layer::Network,
    severity: Severity::Critical,
    text: include_str!("redo_exceeds_path.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let Some(demand) = &run.demand else { return Vec::new() };
    let Some(required) = demand.redo_required_bytes_per_s.filter(|rate| *rate > 0.0) else {
        return vec![Outcome::Unknown(format!("{} tells no redo rate", demand.source))];
    };
    each::result(run, NetMode::Async, |result| judge(result, required, &demand.source))
}

fn judge(result: &NetResult, required: f64, source: &str) -> Outcome {
    let paced = result.plan.rate_bytes_per_s > 0.0 || result.reverse;
    if paced || result.throughput_bytes_per_s >= required {
        return Outcome::Passes;
    }
    RULE.finding(
        &result.target,
        format!(
            "the path to {} carries {}, the redo needs {} with headroom",
            result.target,
            ends::rate(result.throughput_bytes_per_s),
            ends::rate(required)
        ),
    )
    .measured(result.throughput_bytes_per_s, required, Unit::BytesPerS)
    .evidence(format!("required {required:.0} bytes/s"), source)
    .evidence(format!("measured {:.0} bytes/s", result.throughput_bytes_per_s), "probe")
    .about(result)
    .advice(
        because("Redo that comes faster than the path carries it piles up: the standby falls behind.")
            .now("mend the bottleneck of this path first")
            .persist("a faster line, or redo compression (COMPRESSION=ENABLE of the archive destination)")
            .expecting("measured above required"),
    )
    .into()
}
