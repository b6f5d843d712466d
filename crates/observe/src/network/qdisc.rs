//! Queueing disciplines on interfaces: their parameters and their counters.

use super::ip_text;
use super::netlink::{self, QdiscRecord};
use crate::Root;
use fullwire_model::Gap;
use fullwire_model::counters::QdiscCounters;
use fullwire_model::host::Nic;
use std::collections::BTreeMap;

/// sosreport's listing.
const CAPTURED: &str = "/sos_commands/networking/tc_-s_qdisc_show";

/// Puts each interface's disciplines into its record, root first.
pub(super) fn read(root: &Root, nics: &mut [Nic], gaps: &mut Vec<Gap>) {
    match root.answer("netlink qdiscs", netlink::qdiscs) {
        Ok(records) => {
            for record in records {
                if let Some(nic) = nics.iter_mut().find(|nic| nic.index == record.index) {
                    nic.qdiscs.push(record.qdisc);
                }
            }
        }
        Err(gap) => match root.try_read(CAPTURED, 1 << 22) {
            Ok((text, _)) => {
                for (name, record) in ip_text::qdiscs(&text) {
                    if let Some(nic) = nics.iter_mut().find(|nic| nic.name == name) {
                        nic.qdiscs.push(record.qdisc);
                    }
                }
            }
            Err(_) => gaps.push(gap),
        },
    }
    for nic in nics {
        nic.qdiscs.sort_by_key(|qdisc| qdisc.parent != "root");
    }
}

/// Counters by interface. The names are those of the links of the same moment.
pub(super) fn counters(
    root: &Root,
    names: &BTreeMap<u32, String>,
    gaps: &mut Vec<Gap>,
) -> BTreeMap<String, Vec<QdiscCounters>> {
    let mut all: BTreeMap<String, Vec<QdiscCounters>> = BTreeMap::new();
    let mut add = |name: String, record: QdiscRecord| {
        // noqueue passes everything and counts nothing.
        if record.counters.kind != "noqueue" {
            all.entry(name).or_default().push(record.counters);
        }
    };
    match root.answer("netlink qdisc counters", netlink::qdiscs) {
        Ok(records) => {
            for record in records {
                if let Some(name) = names.get(&record.index) {
                    add(name.clone(), record);
                }
            }
        }
        Err(gap) => match root.try_read(CAPTURED, 1 << 22) {
            Ok((text, _)) => ip_text::qdiscs(&text).into_iter().for_each(|(name, record)| add(name, record)),
            Err(_) => gaps.push(gap),
        },
    }
    all
}
