//! # What it checks
//! Passes when no CPU dropped packets because its input queue (`netdev_max_backlog`) was full.
//!
//! # Why it matters
//! What the interface delivered is lost within the kernel: the CPU that handles it does not keep up with a
//! burst.
//!
//! # Evidence
//! Growth of the second column of `/proc/net/softnet_stat` while each probe ran.
//!
//! # Remedy
//! A larger `net.core.netdev_max_backlog`; interrupts spread over more CPUs.
//!
//! # Source
//! Linux Documentation/admin-guide/sysctl/net.rst, `netdev_max_backlog`; xsos (softnet column 2); netdata
//! health.d softnet (10 a minute).

use crate::advice::{AdviceExt, set_sysctl};
use crate::explain;
use crate::facts::side::{self, Side};
use crate::facts::{self, stream};
use crate::{Facts, FindingExt, Outcome, Rule};
use fullwire_model::assessment::{Layer, Mechanism, Severity};
use fullwire_model::counters::{Counters, Softnet};
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;
use fullwire_model::{Run, Window};

pub(super) const RULE: Rule = Rule {
    code: "softnet-drops",
    title: "the receive backlog of a CPU overflowed",
    layer: Layer::Network,
    severity: Severity::Warning,
    check,
};

const NAME: &str = "net.core.netdev_max_backlog";
/// Fewer are a stray burst (own choice).
const FEW: u64 = 10;
/// Share of the packets from which it is felt; fewer are a note.
const SHARE: f64 = 1e-4;

fn check(run: &Facts) -> Vec<Outcome> {
    let judged = side::sides(run).into_iter().filter_map(|side| {
        let counted: Vec<_> = side.windows.iter().filter_map(|window| Backlog::of(window)).collect();
        if counted.is_empty() {
            let unread = || Outcome::Unknown("softnet_stat was not read over a window".into());
            return side.peer.is_none().then(unread);
        }
        Some(judge(run, &side, &counted))
    });
    judged.collect()
}

/// What the input queues of the CPUs dropped and processed while one probe ran.
struct Backlog {
    probe: u64,
    dropped: u64,
    processed: u64,
    seconds: f64,
}

impl Backlog {
    fn of(window: &Window) -> Option<Self> {
        let grown = |read: fn(&Softnet) -> u64| {
            let sum = |counters: &Counters| {
                (!counters.softnet.is_empty())
                    .then(|| counters.softnet.values().map(read).fold(0, u64::saturating_add))
            };
            facts::grown(window, sum)
        };
        let (dropped, processed) = (grown(|cpu| cpu.dropped)?, grown(|cpu| cpu.processed)?);
        Some(Self { probe: window.probe, dropped, processed, seconds: window.seconds() })
    }

    fn share(&self) -> f64 {
        self.dropped as f64 / self.processed.max(1) as f64
    }

    fn is_felt(&self) -> bool {
        self.dropped >= FEW && self.share() >= SHARE
    }
}

fn judge(run: &Run, side: &Side, counted: &[Backlog]) -> Outcome {
    let overflowed = counted.iter().filter(|backlog| backlog.dropped >= FEW);
    let Some(worst) = overflowed.max_by(|one, other| one.share().total_cmp(&other.share())) else {
        return Outcome::Passes;
    };
    let backlog = side.host.sysctl_number(NAME).unwrap_or(1000);
    let finding = RULE
        .finding(
            side.name(NAME),
            format!(
                "the backlog of the CPUs ({NAME} {backlog}) overflowed: {} of {} packets dropped",
                worst.dropped, worst.processed
            ),
        )
        .severity(if worst.is_felt() { Severity::Warning } else { Severity::Info })
        .measured(worst.dropped as f64, 0.0, Unit::Count)
        .evidence(
            format!("dropped +{}, processed +{} in {:.0} s", worst.dropped, worst.processed, worst.seconds),
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
    // Streams toward this side, each with what was dropped while it ran.
    let toward =
        |one: &&NetResult| !explain::leaves_by(side, one) && side.peer.is_none_or(|peer| peer == one.target);
    let explained = stream::results(run, NetMode::Async).filter(toward).filter_map(|one| {
        let own = counted.iter().find(|backlog| backlog.probe == one.probe)?;
        own.is_felt().then(|| explain::lossy(run, one, Mechanism::OwnQueueDrops, own.share()))
    });
    finding.explains(explained).into()
}
