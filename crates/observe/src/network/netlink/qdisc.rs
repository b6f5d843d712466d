//! Queueing disciplines and the classes of htb and hfsc, with what they shape to and what they dropped.

use super::codec::{Message, attribute, text, u32_at, u64_at};
use super::options;
use fullwire_model::Gap;
use fullwire_model::counters::QdiscCounters;
use fullwire_model::host::Qdisc;
use serde::{Deserialize, Serialize};

const RTM_NEWQDISC: u16 = 36;
const RTM_GETQDISC: u16 = 38;
const RTM_NEWTCLASS: u16 = 40;
const RTM_GETTCLASS: u16 = 42;

const TCA_KIND: u16 = 1;
const TCA_OPTIONS: u16 = 2;
const TCA_STATS2: u16 = 7;
const TCA_STATS_BASIC: u16 = 1;
const TCA_STATS_QUEUE: u16 = 3;
const TCA_STATS_PKT64: u16 = 8;

const ROOT: u32 = 0xffff_ffff;
const INGRESS: u32 = 0xffff_fff1;

/// Classes of one interface that are kept.
const MAX_CLASSES: usize = 1024;

/// One discipline or class: settings and counters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::network) struct QdiscRecord {
    /// Its interface.
    pub index: u32,
    pub qdisc: Qdisc,
    pub counters: QdiscCounters,
}

/// All disciplines of all interfaces, and the classes of htb and hfsc, which is where their rates are.
pub(in crate::network) fn qdiscs() -> Result<Vec<QdiscRecord>, Gap> {
    let mut all = Vec::new();
    super::ask("netlink qdiscs", RTM_GETQDISC, true, &[0; 20], &[], |message| all.extend(decode(message)))?;
    let mut shaped: Vec<u32> = all
        .iter()
        .filter(|record: &&QdiscRecord| matches!(record.qdisc.kind.as_str(), "htb" | "hfsc"))
        .map(|record| record.index)
        .collect();
    shaped.dedup();
    for index in shaped {
        let mut body = [0_u8; 20];
        body[4..8].copy_from_slice(&index.to_ne_bytes());
        let mut classes = Vec::new();
        super::ask("netlink classes", RTM_GETTCLASS, true, &body, &[], |message| {
            if classes.len() < MAX_CLASSES {
                classes.extend(decode(message));
            }
        })?;
        all.append(&mut classes);
    }
    Ok(all)
}

/// `struct tcmsg` and its attributes.
fn decode(message: Message) -> Option<QdiscRecord> {
    let body = message.body;
    let class = message.kind == RTM_NEWTCLASS;
    if !class && message.kind != RTM_NEWQDISC {
        return None;
    }
    let (index, handle, parent) = (u32_at(body, 4)?, u32_at(body, 8)?, u32_at(body, 12)?);
    let rest = body.get(20..)?;
    let kind = attribute(rest, TCA_KIND).map(text)?;
    let parent = name(parent);
    let mut qdisc =
        Qdisc { kind: kind.clone(), parent: parent.clone(), handle: name(handle), ..Qdisc::default() };
    let parameters = attribute(rest, TCA_OPTIONS).unwrap_or_default();
    if class {
        options::class(parameters, &mut qdisc);
    } else {
        options::discipline(parameters, &mut qdisc);
    }
    // A class counts again what its discipline counts: another kind, so that no one adds both.
    let (kind, parent) = if class { (format!("{kind} class"), qdisc.handle.clone()) } else { (kind, parent) };
    let mut counters = QdiscCounters { kind, parent, ..QdiscCounters::default() };
    if let Some(statistics) = attribute(rest, TCA_STATS2) {
        count(statistics, &mut counters);
    }
    Some(QdiscRecord { index, qdisc, counters })
}

/// A handle as tc prints it.
fn name(handle: u32) -> String {
    match (handle, handle >> 16, handle & 0xffff) {
        (ROOT, ..) => "root".to_owned(),
        (INGRESS, ..) => "ingress".to_owned(),
        (_, major, 0) => format!("{major:x}:"),
        (_, major, minor) => format!("{major:x}:{minor:x}"),
    }
}

/// `gnet_stats_basic` and `gnet_stats_queue`.
fn count(statistics: &[u8], counters: &mut QdiscCounters) {
    if let Some(basic) = attribute(statistics, TCA_STATS_BASIC) {
        counters.bytes = u64_at(basic, 0).unwrap_or(0);
        counters.packets = u32_at(basic, 8).unwrap_or(0).into();
    }
    if let Some(packets) = attribute(statistics, TCA_STATS_PKT64).and_then(|value| u64_at(value, 0)) {
        counters.packets = packets;
    }
    if let Some(queue) = attribute(statistics, TCA_STATS_QUEUE) {
        counters.backlog_bytes = u32_at(queue, 4).unwrap_or(0).into();
        counters.drops = u32_at(queue, 8).unwrap_or(0).into();
        counters.overlimits = u32_at(queue, 16).unwrap_or(0).into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_handles_as_tc_does() {
        assert_eq!([name(ROOT), name(0x8001_0000), name(0x0001_0010)], ["root", "8001:", "1:10"]);
    }

    #[test]
    fn disciplines_are_read_without_rights() {
        assert!(qdiscs().is_ok());
    }

    proptest! {
        #[test]
        fn mangled_messages_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for kind in [RTM_NEWQDISC, RTM_NEWTCLASS] {
                let mut body = vec![0; 20];
                body.extend(&bytes);
                if let Some(record) = decode(Message { kind, body: &body }) {
                    prop_assert!(record.counters.kind.starts_with(&record.qdisc.kind));
                }
            }
        }
    }
}
