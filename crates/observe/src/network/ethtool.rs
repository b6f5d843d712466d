//! What a driver says of its interface: rings, queues, coalescing, flow control, features, link modes.

use super::link_modes;
use crate::Root;
use crate::ioctl::{Ethtool, Question};
use fullwire_model::host::{Channels, Coalesce, Nic, Pause, Rings};
use fullwire_model::{Gap, GapReason};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// String sets (`linux/ethtool.h`).
const STATISTICS: u32 = 1;
const FEATURES: u32 = 4;

/// All that `ethtool` reports about one interface. What the driver does not have is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Facts {
    pub driver: String,
    pub driver_version: String,
    pub firmware: String,
    pub bus: String,
    pub rings: Option<Rings>,
    pub channels: Option<Channels>,
    pub coalesce: Option<Coalesce>,
    pub pause: Option<Pause>,
    pub features: BTreeMap<String, bool>,
    pub supported_modes: Vec<String>,
    pub partner_modes: Vec<String>,
    pub autonegotiation: Option<bool>,
    pub speed_mbit_per_s: Option<u64>,
    pub duplex: Option<String>,
}

impl Facts {
    /// Puts them into the interface's record; what sysfs told already stays.
    pub(super) fn complete(self, nic: &mut Nic) {
        for (slot, value) in [
            (&mut nic.driver, self.driver),
            (&mut nic.driver_version, self.driver_version),
            (&mut nic.firmware, self.firmware),
        ] {
            if slot.is_empty() {
                *slot = value;
            }
        }
        let pci = self.bus.split([':', '.']).count() == 4;
        nic.pci_address = nic.pci_address.take().or_else(|| pci.then_some(self.bus));
        nic.speed_mbit_per_s = nic.speed_mbit_per_s.or(self.speed_mbit_per_s);
        nic.duplex = nic.duplex.take().or(self.duplex);
        nic.rings = self.rings;
        nic.channels = self.channels;
        nic.coalesce = self.coalesce;
        nic.pause = self.pause;
        nic.features = self.features;
        nic.supported_modes = self.supported_modes;
        nic.partner_modes = self.partner_modes;
        nic.autonegotiation = self.autonegotiation;
    }
}

/// Asks the driver of an interface.
pub(super) fn ask(root: &Root, interface: &str) -> Result<Facts, Gap> {
    let subject = format!("ethtool {interface}");
    root.answer(&subject, || {
        let socket = Ethtool::open().map_err(|error| crate::root::gap_of(&subject, &error))?;
        Ok(live(&socket, interface))
    })
}

fn live(socket: &Ethtool, interface: &str) -> Facts {
    let ask = |question| socket.ask(interface, question).ok();
    let mut facts = Facts::default();
    if let Some(reply) = ask(Question::Driver) {
        facts.driver = text(&reply, 4, 32);
        facts.driver_version = text(&reply, 36, 32);
        facts.firmware = text(&reply, 68, 32);
        facts.bus = text(&reply, 100, 32);
    }
    facts.rings = ask(Question::Rings).map(|reply| {
        let word = |index| word(&reply, index);
        Rings { rx_max: word(1), tx_max: word(4), rx: word(5), tx: word(8) }
    });
    facts.channels = ask(Question::Channels).map(|reply| {
        let word = |index| word(&reply, index);
        Channels { rx_max: word(1), combined_max: word(4), rx: word(5), combined: word(8) }
    });
    facts.coalesce = ask(Question::Coalesce).map(|reply| {
        let word = |index| word(&reply, index);
        Coalesce { rx_usecs: word(1), tx_usecs: word(5), adaptive_rx: word(10) != 0 }
    });
    facts.pause = ask(Question::Pause).map(|reply| {
        let on = |index| word(&reply, index) != 0;
        Pause { autoneg: on(1), rx: on(2), tx: on(3) }
    });
    link_settings(socket, interface, &mut facts);
    facts.features = features(socket, interface).unwrap_or_default();
    facts
}

/// The masks of link modes have as many words as the kernel says when it is asked with none.
fn link_settings(socket: &Ethtool, interface: &str, facts: &mut Facts) {
    let Ok(first) = socket.ask(interface, Question::LinkSettings(0)) else { return };
    let words = first[15].cast_signed().unsigned_abs();
    let Ok(reply) = socket.ask(interface, Question::LinkSettings(words)) else { return };
    let mask = |number: usize| {
        let start = 12 + number * usize::from(words);
        link_modes::of_mask((start..start + usize::from(words)).map(|index| word(&reply, index)))
    };
    facts.supported_modes = mask(0);
    facts.partner_modes = mask(2);
    facts.autonegotiation = Some(reply[11] == 1);
    facts.speed_mbit_per_s =
        Some(word(&reply, 1)).filter(|&speed| speed != 0 && speed != u32::MAX).map(u64::from);
    facts.duplex = match reply[8] {
        0 => Some("half".to_owned()),
        1 => Some("full".to_owned()),
        _ => None,
    };
}

/// How many strings a set has; 0: the driver lacks it.
fn count(socket: &Ethtool, interface: &str, set: u32) -> u32 {
    let reply = socket.ask(interface, Question::StringCount(set)).unwrap_or_default();
    let present = reply.get(8..16).is_some_and(|mask| mask.iter().any(|&byte| byte != 0));
    if present { word(&reply, 4) } else { 0 }
}

fn strings(socket: &Ethtool, interface: &str, set: u32, count: u32) -> Option<Vec<String>> {
    let reply = socket.ask(interface, Question::Strings(set, count)).ok()?;
    Some((0..count.min(word(&reply, 2)) as usize).map(|index| text(&reply, 12 + 32 * index, 32)).collect())
}

/// Features that are on, or could be: one that the device lacks is left out.
fn features(socket: &Ethtool, interface: &str) -> Option<BTreeMap<String, bool>> {
    let count = count(socket, interface, FEATURES);
    let names = strings(socket, interface, FEATURES, count)?;
    let reply = socket.ask(interface, Question::Features(count.div_ceil(32))).ok()?;
    let bit =
        |field: usize, index: usize| word(&reply, 2 + 4 * (index / 32) + field) >> (index % 32) & 1 == 1;
    // A block is: available, requested, active, never changed.
    let known = names
        .into_iter()
        .enumerate()
        .filter(|(index, name)| !name.is_empty() && (bit(2, *index) || (bit(0, *index) && !bit(3, *index))));
    let mut features: BTreeMap<String, bool> = known.map(|(index, name)| (name, bit(2, index))).collect();
    summarise(&mut features);
    Some(features)
}

/// The names by which people and `ethtool -K` call groups of features: on when one of the group is.
const GROUPS: [(&str, &[&str]); 11] = [
    ("rx-checksumming", &["rx-checksum"]),
    (
        "tx-checksumming",
        &[
            "tx-checksum-ipv4", "tx-checksum-ip-generic", "tx-checksum-ipv6", "tx-checksum-fcoe-crc",
            "tx-checksum-sctp",
        ],
    ),
    ("scatter-gather", &["tx-scatter-gather", "tx-scatter-gather-fraglist"]),
    (
        "tcp-segmentation-offload",
        &[
            "tx-tcp-segmentation",
            "tx-tcp-ecn-segmentation",
            "tx-tcp-mangleid-segmentation",
            "tx-tcp6-segmentation",
        ],
    ),
    ("generic-segmentation-offload", &["tx-generic-segmentation"]),
    ("generic-receive-offload", &["rx-gro"]),
    ("large-receive-offload", &["rx-lro"]),
    ("rx-vlan-offload", &["rx-vlan-hw-parse"]),
    ("tx-vlan-offload", &["tx-vlan-hw-insert"]),
    ("ntuple-filters", &["rx-ntuple-filter"]),
    ("receive-hashing", &["rx-hashing"]),
];

/// Adds the groups' names.
pub(super) fn summarise(features: &mut BTreeMap<String, bool>) {
    for (group, members) in GROUPS {
        let mut states = members.iter().filter_map(|member| features.get(*member)).peekable();
        if states.peek().is_some() {
            let on = states.any(|&state| state);
            features.insert(group.to_owned(), on);
        }
    }
}

/// The driver's counters that tell of errors, and the packets of each queue.
pub(super) fn statistics(root: &Root, interface: &str) -> Result<BTreeMap<String, u64>, Gap> {
    let subject = format!("ethtool statistics {interface}");
    root.answer(&subject, || {
        let socket = Ethtool::open().map_err(|error| crate::root::gap_of(&subject, &error))?;
        let count = count(&socket, interface, STATISTICS);
        if count == 0 {
            return Err(Gap::new(&subject, GapReason::Unsupported, "the driver has no counters"));
        }
        let names = strings(&socket, interface, STATISTICS, count).unwrap_or_default();
        let reply = socket
            .ask(interface, Question::Statistics(count))
            .map_err(|error| crate::root::gap_of(&subject, &error))?;
        let value = |index: usize| {
            let bytes = reply.get(8 + 8 * index..16 + 8 * index)?;
            Some(u64::from_ne_bytes(bytes.try_into().ok()?))
        };
        let all = names.into_iter().enumerate().filter(|(_, name)| is_telling(name));
        Ok(all.take(MAX_COUNTERS).filter_map(|(index, name)| Some((name, value(index)?))).collect())
    })
}

/// Counters of one interface that are kept: some drivers have thousands, one set for each queue.
pub(super) const MAX_COUNTERS: usize = 2048;

/// Parts of names that tell of trouble, and of such that only look like it: the lists of xsos
/// (ryran/xsos, `XSOS_ETHTOOL_ERR_REGEX`), Intel's names of pause frames (`rx_flow_control_xoff`, `port.link_xoff_rx`), and
/// the allowances of an AWS instance (`bw_in_allowance_exceeded`).
const BAD: [&str; 20] = [
    "drop", "disc", "err", "fifo", "buf", "fail", "miss", "OOB", "fcs", "full", "frags", "hdr", "tso",
    "pause", "xoff", "allowance", "lost", "csum", "timeout", "crc",
];
const HARMLESS: [&str; 11] = [
    "cache_full", "csum_complete", "csum_none", "csum_partial", "csum_unchecked", "csum_unnecessary",
    "fdir_", "steer_missed", "tso_bytes", "tso_packets", "veb.",
];

/// A counter of errors, or of one queue's packets.
pub(super) fn is_telling(name: &str) -> bool {
    let bad = BAD.iter().any(|part| name.contains(part)) && !HARMLESS.iter().any(|part| name.contains(part));
    bad || is_queue_packets(name)
}

/// `rx_queue_0_packets`, `tx-3.packets`, `rx0_packets`: how the flows spread over the queues.
fn is_queue_packets(name: &str) -> bool {
    (name.starts_with("rx") || name.starts_with("tx"))
        && name.ends_with("packets")
        && name.contains(|c: char| c.is_ascii_digit())
        && !name.contains("xdp")
}

/// The `index`-th 32-bit word of a reply; 0 beyond its end.
fn word(reply: &[u8], index: usize) -> u32 {
    let bytes = reply.get(4 * index..4 * index + 4).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u32::from_ne_bytes)
}

fn text(reply: &[u8], start: usize, length: usize) -> String {
    let bytes = reply.get(start..start + length).unwrap_or_default();
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_offloads_segmentation() {
        let facts = live(&Ethtool::open().expect("a socket"), "lo");
        assert_eq!(facts.features.get("tcp-segmentation-offload"), Some(&true), "{:?}", facts.features);
        assert_eq!(facts.rings, None);
    }

    /// Names of igb, i40e, ice, ENA and mlx5, which rules ask for.
    #[test]
    fn pause_frames_and_allowances_are_kept() {
        for name in [
            "rx_flow_control_xoff",
            "port.link_xoff_rx",
            "link_xoff_rx.nic",
            "bw_in_allowance_exceeded",
            "conntrack_allowance_exceeded",
            "rx_out_of_buffer",
        ] {
            assert!(is_telling(name), "{name}");
        }
        assert!(!is_telling("rx_bytes_phy"));
    }

    #[test]
    fn a_group_is_on_when_one_of_it_is() {
        let mut features = BTreeMap::from([
            ("tx-tcp-segmentation".to_owned(), false),
            ("tx-tcp6-segmentation".to_owned(), true),
            ("rx-gro".to_owned(), false),
        ]);
        summarise(&mut features);
        assert!(features["tcp-segmentation-offload"]);
        assert!(!features["generic-receive-offload"]);
        assert!(!features.contains_key("large-receive-offload"), "the device has none");
    }

    #[test]
    fn errors_and_queues_are_told_from_the_rest() {
        for name in [
            "rx_crc_errors_phy", "rx_queue_0_drops", "tx_pause_ctrl_phy", "rx_out_of_buffer", "OOB_frames",
            "rx_missed_errors", "tx-3.packets", "rx_queue_12_packets",
        ] {
            assert!(is_telling(name), "{name}");
        }
        for name in [
            "rx_bytes", "rx_packets", "rx_csum_complete", "tx_tso_packets", "fdir_miss", "veb.tx_errors",
            "rx_queue_0_xdp_packets",
        ] {
            assert!(!is_telling(name), "{name}");
        }
    }
}
