//! Devices, interfaces and mounts that came, went, or count from the beginning again.

use super::EventKind;
use crate::counters::Counters;
use crate::counters::continuity::{disk_went_on, nfs_went_on, nic_went_on};
use std::collections::BTreeMap;

/// A subject whose counters cannot be subtracted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Break {
    /// It came, went, or began to count again.
    pub(super) kind: EventKind,
    /// The device, interface or mount point.
    pub(super) subject: String,
    /// What was seen.
    pub(super) detail: String,
}

/// Those between two readings. Times of 32 bits that wrapped go on.
pub(super) fn breaks(from: &Counters, to: &Counters) -> Vec<Break> {
    let mut breaks = Vec::new();
    collect(
        &from.disks,
        &to.disks,
        |from, to| disk_went_on(from, to) != Some(false),
        "block device",
        &mut breaks,
    );
    collect(&from.nics, &to.nics, nic_went_on, "interface", &mut breaks);
    collect(&from.nfs, &to.nfs, nfs_went_on, "NFS mount", &mut breaks);
    breaks
}

fn collect<V>(
    from: &BTreeMap<String, V>,
    to: &BTreeMap<String, V>,
    went_on: impl Fn(&V, &V) -> bool,
    what: &str,
    breaks: &mut Vec<Break>,
) {
    let mut add = |kind, subject: &String, detail: String| {
        breaks.push(Break { kind, subject: subject.clone(), detail });
    };
    for (name, after) in to {
        match from.get(name) {
            None => add(EventKind::Appeared, name, format!("a new {what}")),
            Some(before) if !went_on(before, after) => {
                add(EventKind::Reset, name, format!("the {what} restarted from zero"));
            }
            Some(_) => {}
        }
    }
    for name in from.keys().filter(|name| !to.contains_key(*name)) {
        add(EventKind::Vanished, name, format!("the {what} is gone"));
    }
}
