//! Words for places, and findings from them.

use super::cover::Place;
use super::view::View;
use fullwire_model::assessment::{Evidence, Finding, Layer, Phase, Severity, Step};
use fullwire_model::quantity::Unit;
use fullwire_model::subject::Kind;

/// A list of names is cut after this many.
const NAMES: usize = 6;

/// A finding in the making.
pub(super) struct Draft {
    finding: Finding,
}

impl Draft {
    pub(super) fn new(
        code: &str,
        severity: Severity,
        subject: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let subject = Kind::MeshPlace.named(subject);
        let finding = Finding::new(code, severity, Layer::Network, subject, message);
        Self { finding }
    }

    pub(super) fn layer(mut self, layer: Layer) -> Self {
        self.finding.layer = layer;
        self
    }

    pub(super) fn measured(mut self, measured: f64, limit: f64, unit: Unit) -> Self {
        self.finding.measured = Some(measured);
        self.finding.limit = Some(limit);
        self.finding.unit = Some(unit);
        self
    }

    pub(super) fn evidence(mut self, text: impl Into<String>, source: impl Into<String>) -> Self {
        self.finding.evidence.push(Evidence { text: text.into(), source: source.into() });
        self
    }

    pub(super) fn why(mut self, why: &str) -> Self {
        why.clone_into(&mut self.finding.advice.why);
        self
    }

    /// Something that a person does.
    pub(super) fn step(mut self, text: impl Into<String>) -> Self {
        self.finding.advice.steps.push(Step::by_hand(Phase::Now, text));
        self
    }

    pub(super) fn expect(mut self, expect: &str) -> Self {
        expect.clone_into(&mut self.finding.advice.expect);
        self
    }

    pub(super) fn done(self) -> Finding {
        self.finding
    }
}

/// Names of hosts, in the order of the matrix.
pub(super) fn names(mesh: &View<'_>, hosts: &[usize]) -> String {
    let known = hosts.iter().filter_map(|&host| mesh.hosts.get(host));
    let mut list: Vec<&str> = known.map(|host| host.name.as_str()).take(NAMES).collect();
    let more = format!("{} more", hosts.len().saturating_sub(NAMES));
    if hosts.len() > NAMES {
        list.push(&more);
    }
    match list.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// What a finding about a place is about: a host, a link or a path.
pub(super) fn subject(mesh: &View<'_>, place: &Place) -> String {
    let name = |host: usize| names(mesh, &[host]);
    match place {
        Place::Host(host)
        | Place::Sender(host)
        | Place::Receiver(host)
        | Place::SenderInPart(host, _)
        | Place::ReceiverInPart(host, _)
        | Place::HostInPart(host, _) => name(*host),
        Place::Block(senders, receivers) => format!("{} -> {}", names(mesh, senders), names(mesh, receivers)),
        Place::Path(from, to) => format!("{} -> {}", name(*from), name(*to)),
        Place::BothWays(one, other) => format!("{} <-> {}", name(*one), name(*other)),
    }
}

/// `What db2 sends`, `the path from db1 to db4`: begins a sentence.
pub(super) fn words(mesh: &View<'_>, place: &Place) -> String {
    let name = |host: usize| names(mesh, &[host]);
    match place {
        Place::Host(host) => format!("Everything that {} sends and receives", name(*host)),
        Place::Sender(host) => format!("Everything that {} sends", name(*host)),
        Place::Receiver(host) => format!("Everything that {} receives", name(*host)),
        Place::SenderInPart(host, peers) => format!("What {} sends to {}", name(*host), names(mesh, peers)),
        Place::ReceiverInPart(host, peers) => {
            format!("What {} receives from {}", name(*host), names(mesh, peers))
        }
        Place::HostInPart(host, peers) => {
            format!("What {} exchanges with {}, in both directions,", name(*host), names(mesh, peers))
        }
        Place::Block(senders, receivers) => {
            format!("Everything from {} to {}", names(mesh, senders), names(mesh, receivers))
        }
        Place::Path(from, to) => format!("The path from {} to {}", name(*from), name(*to)),
        Place::BothWays(one, other) => {
            format!("The path between {} and {}, in both directions,", name(*one), name(*other))
        }
    }
}

/// ` on private`, where there is more than one network.
pub(super) fn on_network(mesh: &View<'_>, network: &str) -> String {
    if mesh.networks.len() > 1 { format!(" on {network}") } else { String::new() }
}

/// `1.18 GB/s`, `24.1 MB/s`.
pub(super) fn rate(bytes_per_s: f64) -> String {
    if bytes_per_s >= 1e9 {
        format!("{:.2} GB/s", bytes_per_s / 1e9)
    } else {
        format!("{:.1} MB/s", bytes_per_s / 1e6)
    }
}

/// `0.12 ms`.
pub(super) fn time(ns: f64) -> String {
    if ns >= 1e6 { format!("{:.2} ms", ns / 1e6) } else { format!("{:.0} µs", ns / 1e3) }
}
