//! The loops that rules share: over interfaces, bonds, settings, counters and results of both ends.

use crate::facts::side::{self, Side};
use crate::facts::{self, Span, interface, route, stream};
use crate::{FindingExt, Outcome};
use fullwire_model::Run;
use fullwire_model::assessment::Severity;
use fullwire_model::host::{Bond, BondSlave, Nic};
use fullwire_model::net::{NetMode, NetResult};
use std::net::IpAddr;

/// Interfaces of both ends that a rule is about. This host's list may be unreadable; then that is said.
pub(super) fn nic(
    run: &Run,
    wanted: impl Fn(&Side, &Nic) -> bool,
    judge: impl Fn(&Side, &Nic) -> Outcome,
) -> Vec<Outcome> {
    if run.host.nics.is_empty() {
        return vec![unknown!("no interface could be read")];
    }
    let mut outcomes = Vec::new();
    for side in side::sides(run) {
        let nics = side.host.nics.iter().filter(|nic| wanted(&side, nic));
        outcomes.extend(nics.map(|nic| judge(&side, nic)));
    }
    outcomes
}

/// A physical interface that is in use: up, and addressed, enslaved or below another one. Not the port of a server's
/// management controller: a network over USB (iDRAC, XCC), whose driver shows a made-up speed and half duplex.
pub(super) fn in_use(side: &Side, nic: &Nic) -> bool {
    nic.kind == "physical" && !interface::is_over_usb(nic) && nic.up != Some(false) && has_a_part(side, nic)
}

/// An adapter that is in use, of hardware or of a hypervisor: both have drivers that count what they lose.
pub(super) fn is_adapter(side: &Side, nic: &Nic) -> bool {
    matches!(nic.kind.as_str(), "physical" | "virtual") && nic.up != Some(false) && has_a_part(side, nic)
}

/// It has an address, or is below what has one.
pub(super) fn has_a_part(side: &Side, nic: &Nic) -> bool {
    let below = || side.host.nics.iter().any(|upper| upper.lower.contains(&nic.name));
    nic.master.is_some() || !nic.addresses.is_empty() || below()
}

/// Bonds of both ends.
pub(super) fn bond(run: &Run, judge: impl Fn(&Side, &Bond) -> Outcome) -> Vec<Outcome> {
    bonds(run, |side, bond| vec![judge(side, bond)])
}

/// Members of bonds of both ends.
pub(super) fn member(run: &Run, judge: impl Fn(&Side, &Bond, &BondSlave) -> Outcome) -> Vec<Outcome> {
    bonds(run, |side, bond| bond.slaves.iter().map(|slave| judge(side, bond, slave)).collect())
}

/// Bonds of both ends, with several answers each. What is wrong with one that serves nothing is a note.
pub(super) fn bonds(run: &Run, judge: impl Fn(&Side, &Bond) -> Vec<Outcome>) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for side in side::sides(run) {
        for bond in &side.host.bonds {
            let unused = side.host.nic(&bond.name).is_some_and(|nic| serves_nothing(&side, nic));
            let judged = judge(&side, bond).into_iter();
            outcomes.extend(judged.map(|outcome| if unused { noted(&side, bond, outcome) } else { outcome }));
        }
    }
    outcomes
}

/// No address but one of the link itself, nothing above it, next to nothing sent: as an installer leaves it.
pub(super) fn serves_nothing(side: &Side, nic: &Nic) -> bool {
    let of_link = |own: &String| matches!(route::network(own), Some((IpAddr::V6(address), _)) if address.is_unicast_link_local());
    let above = side.host.nics.iter().any(|upper| upper.lower.contains(&nic.name));
    // Where no address could be read, none is missing. An interface of a guest or container may be on it, unseen from here.
    let addresses_read = side.host.nics.iter().any(|nic| !nic.addresses.is_empty());
    let busy = side
        .counted_nic(&nic.name, |nic| nic.tx_packets)
        .is_some_and(|sent| sent.count as f64 > sent.seconds);
    addresses_read && nic.addresses.iter().all(of_link) && nic.master.is_none() && !above && !busy
}

fn noted(side: &Side, bond: &Bond, outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Fires(finding) => finding
            .severity(Severity::Info)
            .evidence(
                format!("{} serves nothing: no address, no interface on it", bond.name),
                side.source("ip address"),
            )
            .into(),
        other => other,
    }
}

/// A setting of both ends. Missing here is unknown; missing at a peer is passed over, for few tell all.
pub(super) fn setting(run: &Run, name: &str, judge: impl Fn(&Side, &[u64]) -> Outcome) -> Vec<Outcome> {
    let sides = side::sides(run);
    let read = sides.iter().filter_map(|side| match side.host.sysctl_numbers(name) {
        Some(numbers) if !numbers.is_empty() => Some(judge(side, &numbers)),
        _ if side.peer.is_none() => Some(unknown!("{name} could not be read")),
        _ => None,
    });
    read.collect()
}

/// What is counted where nothing is wrong, too.
const COMPARED_WITH: [&str; 2] = ["IpReasmReqds", "TcpOutSegs"];

/// Counters of `/proc/net/{snmp,netstat}` of both ends, as grown over all windows or, read once, since boot. Where
/// only what they are compared with was read nothing is known.
pub(super) fn counters(
    run: &Run,
    names: &[&'static str],
    judge: impl Fn(&Side, &Grown) -> Outcome,
) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for side in side::sides(run) {
        let read: Vec<(&'static str, side::Growth)> = names
            .iter()
            .filter_map(|name| Some((*name, side.counted(|counters| counters.snmp.get(*name).copied())?)))
            .collect();
        match read.first() {
            Some((_, first)) if read.iter().any(|(name, _)| !COMPARED_WITH.contains(name)) => {
                let span = first.span();
                let counts = read.iter().map(|(name, growth)| (*name, growth.count)).collect();
                outcomes.push(judge(&side, &Grown { counts, span }));
            }
            _ if side.since_boot().is_some() => outcomes.push(facts::unread(&names.join(", "))),
            _ if side.peer.is_none() => {
                outcomes.push(unknown!("{} not read over a window", names.join(", ")));
            }
            _ => {}
        }
    }
    outcomes
}

/// How much named counters grew, and over what.
pub(super) struct Grown {
    counts: Vec<(&'static str, u64)>,
    pub(super) span: Span,
}

impl Grown {
    pub(super) fn of(&self, name: &str) -> u64 {
        self.counts.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count)
    }

    pub(super) fn sum(&self) -> u64 {
        self.counts.iter().map(|(_, count)| *count).fold(0, u64::saturating_add)
    }

    /// Those that grew: `TcpExtTCPTimeouts +12, TcpExtTCPLostRetransmit +3 in 4.0 s`.
    pub(super) fn text(&self) -> String {
        let grown: Vec<String> =
            self.counts.iter().filter(|(_, n)| *n > 0).map(|(name, n)| self.span.count(name, *n)).collect();
        format!("{} {}", grown.join(", "), self.span.text())
    }
}

/// Results of datagrams that left this host.
pub(super) fn datagrams(run: &Run, judge: impl Fn(&NetResult) -> Outcome) -> Vec<Outcome> {
    stream::datagrams(run).map(judge).collect()
}

/// Results of a mode that left this host.
pub(super) fn result(run: &Run, mode: NetMode, judge: impl Fn(&NetResult) -> Outcome) -> Vec<Outcome> {
    stream::results(run, mode).map(judge).collect()
}
