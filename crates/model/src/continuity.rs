//! Wraps and resets of counters, in one place: two readings made fit for subtraction.
//!
//! The times of `/proc/diskstats` and the columns of `/proc/net/softnet_stat` are printed as 32-bit numbers and begin again
//! at 2^32 (Linux `block/genhd.c` `diskstats_show`, `net/core/net-procfs.c`). Any other decrease is a reset: the device was
//! made anew, the driver was loaded again, statistics were cleared. Then no rate is known for that subject.

use crate::counters::{Counters, DiskCounters, NfsCounters, NicCounters};
use crate::recording::EventKind;
use std::collections::BTreeMap;

const WRAP: u64 = 1 << 32;
const HALF: u64 = 1 << 31;

/// A subject whose counters cannot be subtracted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    /// It came, went, or began to count again.
    pub kind: EventKind,
    /// The device, interface or mount point.
    pub subject: String,
    /// What was seen.
    pub detail: String,
}

/// A 32-bit counter's later reading with its wraps added: unchanged where it grew or was reset.
fn unwrapped(from: u64, to: u64) -> u64 {
    if to < from && from > HALF && from < WRAP && to < HALF { to + WRAP } else { to }
}

/// The later reading of a disk with its 32-bit times unwrapped.
fn unwrap_disk(from: &DiskCounters, to: &DiskCounters) -> DiskCounters {
    DiskCounters {
        read_ms: unwrapped(from.read_ms, to.read_ms),
        write_ms: unwrapped(from.write_ms, to.write_ms),
        busy_ms: unwrapped(from.busy_ms, to.busy_ms),
        weighted_ms: unwrapped(from.weighted_ms, to.weighted_ms),
        flush_ms: from.flush_ms.zip(to.flush_ms).map(|(from, to)| unwrapped(from, to)).or(to.flush_ms),
        ..to.clone()
    }
}

/// Whether any counter of a disk fell: it counts from the beginning again.
fn disk_fell(from: &DiskCounters, to: &DiskCounters) -> bool {
    let pairs = [
        (from.reads, to.reads),
        (from.writes, to.writes),
        (from.read_bytes, to.read_bytes),
        (from.write_bytes, to.write_bytes),
        (from.read_ms, to.read_ms),
        (from.write_ms, to.write_ms),
        (from.weighted_ms, to.weighted_ms),
    ];
    pairs.iter().any(|(from, to)| to < from)
}

fn nic_fell(from: &NicCounters, to: &NicCounters) -> bool {
    let pairs = [
        (from.rx_bytes, to.rx_bytes),
        (from.tx_bytes, to.tx_bytes),
        (from.rx_packets, to.rx_packets),
        (from.tx_packets, to.tx_packets),
    ];
    pairs.iter().any(|(from, to)| to < from)
}

fn nfs_fell(from: &NfsCounters, to: &NfsCounters) -> bool {
    let fell = |name: &String, to: u64| from.operations.get(name).is_some_and(|from| to < from.operations);
    to.server_read_bytes < from.server_read_bytes
        || to.server_write_bytes < from.server_write_bytes
        || to.operations.iter().any(|(name, to)| fell(name, to.operations))
}

/// Two readings of one boot, made fit for subtraction: 32-bit counters that wrapped are raised by 2^32 in the later one,
/// subjects that were reset are taken out of the earlier one. What is missing at one end has no rate.
pub fn joined(from: &Counters, to: &Counters) -> (Counters, Counters) {
    let (mut from, mut to) = (from.clone(), to.clone());
    for (name, after) in &mut to.disks {
        if let Some(before) = from.disks.get(name) {
            *after = unwrap_disk(before, after);
        }
    }
    retain(&mut from.disks, &to.disks, disk_fell);
    retain(&mut from.nics, &to.nics, nic_fell);
    retain(&mut from.nfs, &to.nfs, nfs_fell);
    for (name, before) in &mut from.nics {
        if let Some(after) = to.nics.get(name) {
            before.driver.retain(|name, before| after.driver.get(name).is_none_or(|after| after >= before));
        }
    }
    for (cpu, after) in &mut to.softnet {
        if let Some(before) = from.softnet.get(cpu) {
            after.processed = unwrapped(before.processed, after.processed);
            after.dropped = unwrapped(before.dropped, after.dropped);
            after.time_squeeze = unwrapped(before.time_squeeze, after.time_squeeze);
        }
    }
    from.errors.retain(|name, before| to.errors.get(name).is_none_or(|after| *after >= *before));
    (from, to)
}

fn retain<V>(from: &mut BTreeMap<String, V>, to: &BTreeMap<String, V>, fell: fn(&V, &V) -> bool) {
    from.retain(|name, before| to.get(name).is_none_or(|after| !fell(before, after)));
}

/// Devices, interfaces and NFS mounts whose counters do not go on between two readings.
pub fn breaks(from: &Counters, to: &Counters) -> Vec<Break> {
    let mut breaks = Vec::new();
    let disk_fell = |from: &DiskCounters, to: &DiskCounters| disk_fell(from, &unwrap_disk(from, to));
    collect(&from.disks, &to.disks, disk_fell, "block device", &mut breaks);
    collect(&from.nics, &to.nics, nic_fell, "interface", &mut breaks);
    collect(&from.nfs, &to.nfs, nfs_fell, "NFS mount", &mut breaks);
    breaks
}

fn collect<V>(
    from: &BTreeMap<String, V>,
    to: &BTreeMap<String, V>,
    fell: impl Fn(&V, &V) -> bool,
    what: &str,
    breaks: &mut Vec<Break>,
) {
    let mut add = |kind, subject: &String, detail: String| {
        breaks.push(Break { kind, subject: subject.clone(), detail });
    };
    for (name, after) in to {
        match from.get(name) {
            None => add(EventKind::Appeared, name, format!("a new {what}")),
            Some(before) if fell(before, after) => {
                add(EventKind::Reset, name, format!("the {what} counts from the beginning again"));
            }
            Some(_) => {}
        }
    }
    for name in from.keys().filter(|name| !to.contains_key(*name)) {
        add(EventKind::Vanished, name, format!("the {what} is gone"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(disk: DiskCounters) -> Counters {
        Counters { disks: BTreeMap::from([("sda".to_owned(), disk)]), ..Counters::default() }
    }

    #[test]
    fn a_time_of_32_bits_that_wraps_goes_on() {
        // beats#30480 saw weighted_ms go from 4,294,617,635 to 1,024,485.
        let from = counters(DiskCounters { weighted_ms: 4_294_617_635, reads: 7, ..DiskCounters::default() });
        let to = counters(DiskCounters { weighted_ms: 1_024_485, reads: 9, ..DiskCounters::default() });
        assert_eq!(breaks(&from, &to), []);
        let (before, after) = joined(&from, &to);
        assert_eq!(after.disks["sda"].weighted_ms - before.disks["sda"].weighted_ms, 1_374_146);
    }

    #[test]
    fn a_reset_has_no_earlier_reading() {
        let from = counters(DiskCounters { reads: 100, read_ms: 900, ..DiskCounters::default() });
        let to = counters(DiskCounters { reads: 3, read_ms: 2, ..DiskCounters::default() });
        assert_eq!(breaks(&from, &to)[0].kind, EventKind::Reset);
        let (before, after) = joined(&from, &to);
        assert!(before.disks.is_empty() && after.disks.contains_key("sda"));
    }

    #[test]
    fn a_driver_counter_that_falls_is_left_out_alone() {
        let nic = |bytes, drops| {
            let driver = BTreeMap::from([("rx_drops".to_owned(), drops), ("rx_crc".to_owned(), 4)]);
            let nic = NicCounters { rx_bytes: bytes, driver, ..NicCounters::default() };
            Counters { nics: BTreeMap::from([("eth0".to_owned(), nic)]), ..Counters::default() }
        };
        let (before, _) = joined(&nic(1, 9), &nic(2, 1));
        assert_eq!(before.nics["eth0"].driver.keys().collect::<Vec<_>>(), ["rx_crc"]);
    }
}
