//! # What it checks
//! The queueing disciplines of an interface that set no rate drop less than 1 % of what they pass.
//!
//! # Why it matters
//! A queue that overflows before the interface loses what the program had sent; TCP sends it again and
//! slows down.
//!
//! # Evidence
//! Growth of drops against packets of each discipline over the windows (`tc -s qdisc`).
//!
//! # Remedy
//! A longer queue (`ip link set X txqueuelen`), fq or `fq_codel` instead of pfifo; or a slower sender.
//!
//! # Source
//! tc(8), tc-fq_codel(8), tc-pfifo_fast(8); `node_exporter` qdisc collector (`node_qdisc_drops_total`).

use super::{each, ends};
use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::Nic;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "qdisc-drops",
    title: "an own queue drops packets",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("qdisc_drops.rs"),
    check,
};

/// Drops are how a managed queue (`fq_codel`, CAKE) speaks; beyond this share it is more than speech.
const SHARE: f64 = 0.01;
const FEW: u64 = 100;

fn check(run: &Run) -> Vec<Outcome> {
    each::nic(run, |_, nic| nic.up != Some(false) && nic.kind != "loopback", judge)
}

fn judge(side: &ends::Side, nic: &Nic) -> Outcome {
    // A shaper drops at its rate on purpose: that is the rule of the shaper.
    if nic.qdiscs.iter().any(|qdisc| qdisc.rate_bytes_per_s.is_some() || qdisc.kind == "netem") {
        return Outcome::Passes;
    }
    let sum = |read: fn(&fullwire_model::counters::QdiscCounters) -> u64| {
        side.growth(|counters| {
            counters.qdiscs.get(&nic.name).map(|qdiscs| qdiscs.iter().map(read).max().unwrap_or(0))
        })
    };
    let (Some(drops), Some(packets)) = (sum(|qdisc| qdisc.drops), sum(|qdisc| qdisc.packets)) else {
        return Outcome::Unknown(format!(
            "the queues of {} were not counted over a window",
            side.name(&nic.name)
        ));
    };
    let share = drops.count as f64 / packets.count.max(1) as f64;
    if drops.count < FEW || share < SHARE {
        return Outcome::Passes;
    }
    let at = side.name(&nic.name);
    RULE.finding(
        &at,
        format!(
            "the queue of {at} drops {:.1} % of what it sends ({} of {})",
            share * 100.0,
            drops.count,
            packets.count
        ),
    )
    .measured(share, SHARE, Unit::Ratio)
    .evidence(
        format!("drops +{}, packets +{}, txqueuelen {:?}", drops.count, packets.count, nic.tx_queue_packets),
        side.source(&format!("tc -s qdisc show dev {}", nic.name)),
    )
    .advice(
        because("What overflows before the interface was paid for in CPU and must be sent again.")
            .now(format!("tc qdisc replace dev {} root fq", nic.name))
            .persist("sysctl net.core.default_qdisc=fq in /etc/sysctl.d/97-fullwire-qdisc.conf")
            .undo(format!("tc qdisc del dev {} root", nic.name))
            .expecting("drops below 1 % under the same load"),
    )
    .into()
}
