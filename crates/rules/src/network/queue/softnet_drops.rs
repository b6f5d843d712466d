//! # What it checks
//! Passes when no CPU dropped packets because its input queue (`netdev_max_backlog`) was full.
//!
//! # Why it matters
//! What the interface delivered is lost within the kernel: the CPU that handles it does not keep up with a
//! burst.
//!
//! # Evidence
//! Growth of the second column of `/proc/net/softnet_stat` over the windows.
//!
//! # Remedy
//! A larger `net.core.netdev_max_backlog`; interrupts spread over more CPUs.
//!
//! # Source
//! Linux Documentation/admin-guide/sysctl/net.rst, `netdev_max_backlog`; xsos (softnet column 2); netdata
//! health.d softnet (10 a minute).

use crate::advice::{AdviceExt, set_sysctl};
use crate::explain;
use crate::facts::{side, stream};
use crate::{Facts, FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Mechanism, Severity};
use fullwire_model::net::NetMode;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "softnet-drops",
    title: "the receive backlog of a CPU overflowed",
    layer: Layer::Network,
    severity: Severity::Warning,
    check,
};

const NAME: &str = "net.core.netdev_max_backlog";
/// Share of the packets from which it is felt; fewer are a note.
const SHARE: f64 = 1e-4;

fn check(run: &Facts) -> Vec<Outcome> {
    let sides = side::sides(run);
    let judged = sides.iter().filter_map(|side| {
        let dropped = side.growth(|counters| sum(counters, |cpu| cpu.dropped));
        let processed = side.growth(|counters| sum(counters, |cpu| cpu.processed));
        match (dropped, processed) {
            (Some(dropped), Some(processed)) => Some(judge(run, side, dropped, processed.count)),
            _ if side.peer.is_none() => {
                Some(Outcome::Unknown("softnet_stat was not read over a window".into()))
            }
            _ => None,
        }
    });
    judged.collect()
}

fn sum(
    counters: &fullwire_model::counters::Counters,
    read: fn(&fullwire_model::counters::Softnet) -> u64,
) -> Option<u64> {
    (!counters.softnet.is_empty()).then(|| counters.softnet.values().map(read).sum())
}

fn judge(run: &Run, side: &side::Side, dropped: side::Growth, processed: u64) -> Outcome {
    if dropped.count < 10 {
        return Outcome::Passes;
    }
    let share = dropped.count as f64 / processed.max(1) as f64;
    let backlog = side.host.sysctl_number(NAME).unwrap_or(1000);
    let finding = RULE
        .finding(
            side.name(NAME),
            format!(
                "the backlog of the CPUs ({NAME} {backlog}) overflowed: {} of {processed} packets dropped",
                dropped.count
            ),
        )
        .severity(if share >= SHARE { Severity::Warning } else { Severity::Info })
        .measured(dropped.count as f64, 0.0, Unit::Count)
        .evidence(
            format!("dropped +{}, processed +{processed} in {:.0} s", dropped.count, dropped.seconds),
            side.source("/proc/net/softnet_stat"),
        )
        .advice(
            set_sysctl(
                side.host,
                NAME,
                &(backlog * 10).clamp(10_000, 300_000).to_string(),
                "A burst finds the input queue of the CPU full and is lost within the host.",
                "the second column of softnet_stat no longer grows under load",
            )
            .on(side.peer),
        );
    let own = stream::results(run, NetMode::Async)
        .filter(|one| !explain::leaves_by(side, one) && side.peer.is_none_or(|peer| peer == one.target));
    let explained = own.map(|one| explain::lossy(run, one, Mechanism::OwnQueueDrops, share));
    finding.explains(explained.filter(|_| share >= SHARE)).into()
}
