//! What the interfaces at both ends carry, and the slots that they sit in.

use super::bond;
use super::frame::{
    self, PCIE_PACKET_OVERHEAD_BYTES, PCIE_USUAL_PAYLOAD_BYTES, Stack, pcie_payload_bytes_per_s,
};
use crate::ceiling::made::Made;
use crate::facts::{interface, is_guest};
use fullwire_model::host::{Bond, Host, Nic, PcieLink};
use fullwire_model::net::NetResult;
use fullwire_model::{PathName, Run};

/// One end of a result.
struct End<'a> {
    host: &'a Host,
    nic: &'a Nic,
    /// The target of the peer that it is; `None`: this host.
    peer: Option<&'a PathName>,
    sends: bool,
}

impl End<'_> {
    fn named(&self, name: &str) -> String {
        self.peer.map_or(name.to_owned(), |peer| format!("{name} at {peer}"))
    }
}

/// Interface and slot of this host, and of the peer where it reported about itself.
pub(super) fn ceilings(run: &Run, result: &NetResult, stack: &Stack) -> Vec<Option<Made>> {
    let own = interface::nic_toward(run, result);
    let own = own.map(|nic| End { host: &run.host, nic, peer: None, sends: !result.reverse });
    let peer =
        run.peer(&result.target).and_then(|peer| peer.host.as_ref()).zip(interface::peer_nic(run, result));
    let peer = peer.map(|(host, nic)| End { host, nic, peer: Some(&result.target), sends: result.reverse });
    let ends = own.into_iter().chain(peer);
    ends.flat_map(|end| [goodput(&end, result, stack), slots(&end)]).collect()
}

/// The interface's speed as goodput: of a physical one, of a bond by its mode, of others softly.
fn goodput(end: &End<'_>, result: &NetResult, stack: &Stack) -> Option<Made> {
    let names = interface::stack(end.host, &end.nic.name);
    if let Some(bond) = names.iter().find_map(|name| end.host.bond(name)) {
        return bonded(end, bond, result, stack);
    }
    let with_speed = |name: &&str| end.host.nic(name).filter(|nic| nic.speed_mbit_per_s.is_some());
    let lowest = names.iter().rev().find_map(with_speed)?;
    let speed = lowest.speed_mbit_per_s.filter(|speed| *speed > 0)?;
    let file = end.named(&format!("/sys/class/net/{}/speed", lowest.name));
    Some(
        Made::network("nic-goodput", end.named(&lowest.name), stack.goodput_bytes_per_s(speed as f64 * 1e6))
            .formula("speed × payload ÷ wire bytes of a frame")
            .input("speed_bit_per_s", speed as f64 * 1e6, file)
            .stack(stack)
            .soft(!interface::believable(end.host, lowest)),
    )
}

/// The end that sends spreads its flows by its own policy; what arrives was spread by the switch and the other end.
fn bonded(end: &End<'_>, bond: &Bond, result: &NetResult, stack: &Stack) -> Option<Made> {
    let nics: Vec<&Nic> = bond.slaves.iter().filter_map(|slave| end.host.nic(&slave.name)).collect();
    let speed = bond.slaves.iter().filter_map(|slave| slave.speed_mbit_per_s).filter(|s| *s > 0).min()?;
    let flows = u64::from(result.streams.max(1));
    let carrying = interface::carrying(bond).max(1);
    let links =
        if end.sends { bond::sending(bond, carrying, flows) } else { bond::receiving(bond, carrying, flows) };
    let physical = !nics.is_empty() && nics.iter().all(|nic| nic.kind == "physical");
    let file = end.named(&format!("/proc/net/bonding/{}", bond.name));
    let direction = if end.sends { "sends" } else { "receives" };
    let one_link = stack.goodput_bytes_per_s(speed as f64 * 1e6);
    let made = Made::network("bond-goodput", end.named(&bond.name), one_link * links.count as f64)
        .formula("reachable links × slave speed × payload ÷ wire bytes of a frame")
        .input(
            "reachable_links",
            links.count as f64,
            format!("{direction}, mode {} {}, {file}", bond.mode, bond.xmit_hash_policy),
        )
        .input("slave_speed_bit_per_s", speed as f64 * 1e6, file)
        .stack(stack)
        .soft(!physical || !links.certain || is_guest(end.host));
    Some(if links.count > 1 && flows > 1 {
        let mean = bond::expected_links(carrying, flows);
        made.input("links_on_average", mean, "an even hash: k (1 − (1 − 1/k)^n)")
    } else {
        made
    })
}

/// The slots of the interfaces that carry, each card counted once: its ports share the slot. A slot bounds and promises
/// nothing; a guest's slots are made up.
fn slots(end: &End<'_>) -> Option<Made> {
    let mut cards: Vec<(&str, &Nic, &PcieLink)> = Vec::new();
    for nic in carriers(end) {
        let link = nic.pcie.as_ref().filter(|link| link.width > 0 && link.speed_gt_per_s > 0.0)?;
        let card = nic.pci_address.as_deref().map_or(nic.name.as_str(), frame::pci_card);
        if !cards.iter().any(|(other, ..)| *other == card) {
            cards.push((card, nic, link));
        }
    }
    let names: Vec<&str> = cards.iter().map(|(_, nic, _)| nic.name.as_str()).collect();
    let payload = |link: &PcieLink| link.max_payload_bytes.unwrap_or(PCIE_USUAL_PAYLOAD_BYTES);
    let value = |link: &PcieLink| pcie_payload_bytes_per_s(link.speed_gt_per_s, link.width, payload(link));
    let total = cards.iter().map(|(_, _, link)| value(link)).sum();
    let mut made = Made::network("pcie-link", end.named(&names.join(", ")), total)
        .formula("sum of lanes × transfers per second × line code ÷ 8 × packet payload ÷ (packet payload + overhead)")
        .bound_only()
        .soft(is_guest(end.host));
    for (_, nic, link) in &cards {
        let file = end.named(&format!("/sys/class/net/{}/device", nic.name));
        made = made
            .input("lanes", f64::from(link.width), format!("{file}/current_link_width"))
            .input("transfers_gt_per_s", link.speed_gt_per_s, format!("{file}/current_link_speed"))
            .input(
                "packet_payload_bytes",
                f64::from(payload(link)),
                match link.max_payload_bytes {
                    Some(_) => format!("{file}/config, Device Control"),
                    None => "usual; only root may read the configuration space".into(),
                },
            );
    }
    let overhead = f64::from(PCIE_PACKET_OVERHEAD_BYTES);
    (!cards.is_empty()).then(|| made.input("packet_overhead_bytes", overhead, "framing, header, checksum"))
}

/// The interfaces at the bottom that carry: of a bond the members in use.
fn carriers<'a>(end: &End<'a>) -> Vec<&'a Nic> {
    let names = interface::stack(end.host, &end.nic.name);
    if let Some(bond) = names.iter().find_map(|name| end.host.bond(name)) {
        let active = bond.active_slave.as_deref().filter(|_| bond.mode == "active-backup");
        let used = interface::carriers(bond).filter(|slave| active.is_none_or(|name| name == slave.name));
        return used.filter_map(|slave| end.host.nic(&slave.name)).collect();
    }
    let lowest = names.iter().rev().find_map(|name| end.host.nic(name).filter(|nic| nic.pcie.is_some()));
    lowest.into_iter().collect()
}
