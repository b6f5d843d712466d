//! Counters that wrapped, were reset or belong to another device: the one place that decides what grew.
//!
//! `/proc/diskstats` casts its times to 32 bits of milliseconds (`torvalds/linux` block/genhd.c, `diskstats_show`): they
//! wrap after 49.7 days of summed time. Any other decrease is a reset (a module reloaded, a device of the same name made
//! anew, a peer rebooted), and a rate over it means nothing: the subject is taken out of both ends, so that it is neither
//! 0 nor 18 quintillion but unread.

use super::{Counters, CpuTime, DiskCounters, NfsCounters, NicCounters, Pressure};
use crate::Window;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The times of `/proc/diskstats` are kept modulo this.
const WRAP: u64 = 1 << 32;

/// How much a counter of 64 bits grew; `None`: it was reset.
pub fn grown(from: u64, to: u64) -> Option<u64> {
    to.checked_sub(from)
}

/// How much a counter of 32 bits grew. It wrapped when it was in the upper half and is in the lower one; `None`: it was
/// reset.
pub fn grown_in_32_bits(from: u64, to: u64) -> Option<u64> {
    match to.checked_sub(from) {
        Some(grown) => Some(grown),
        None if from < WRAP && from > WRAP / 2 && to < WRAP / 2 => Some(to + WRAP - from),
        None => None,
    }
}

impl Window {
    /// The window with wraps undone and subjects that were reset left out; itself where there are none.
    pub fn continuous(&self) -> Cow<'_, Self> {
        if is_continuous(&self.from, &self.to) {
            return Cow::Borrowed(self);
        }
        let mut window = self.clone();
        join(&mut window.from, &mut window.to);
        Cow::Owned(window)
    }
}

/// Nothing went back.
fn is_continuous(from: &Counters, to: &Counters) -> bool {
    let maps = monotonic(&from.vmstat, &to.vmstat)
        && monotonic(&from.snmp, &to.snmp)
        && monotonic(&from.errors, &to.errors);
    let disks = both(&from.disks, &to.disks).all(|(from, to)| disk_went_on(from, to) == Some(true));
    let nics = both(&from.nics, &to.nics).all(|(from, to)| nic_went_on(from, to));
    let nfs = both(&from.nfs, &to.nfs).all(|(from, to)| nfs_went_on(from, to));
    let pressure =
        from.pressure.as_ref().zip(to.pressure.as_ref()).is_none_or(|(from, to)| pressure_went_on(from, to));
    maps && disks && nics && nfs && pressure && cpu_went_on(&from.cpu, &to.cpu)
}

/// Undoes wraps and takes out what was reset.
fn join(from: &mut Counters, to: &mut Counters) {
    drop_reset(&mut from.vmstat, &mut to.vmstat, |from, to| to >= from);
    drop_reset(&mut from.snmp, &mut to.snmp, |from, to| to >= from);
    drop_reset(&mut from.errors, &mut to.errors, |from, to| to >= from);
    for (name, later) in &mut to.disks {
        if let Some(earlier) = from.disks.get(name).filter(|earlier| disk_went_on(earlier, later).is_none()) {
            unwrap_times(earlier, later);
        }
    }
    drop_reset(&mut from.disks, &mut to.disks, |from, to| disk_went_on(from, to) == Some(true));
    drop_reset(&mut from.nics, &mut to.nics, nic_went_on);
    drop_reset(&mut from.nfs, &mut to.nfs, nfs_went_on);
    if from.pressure.as_ref().zip(to.pressure.as_ref()).is_some_and(|(from, to)| !pressure_went_on(from, to))
    {
        (from.pressure, to.pressure) = (None, None);
    }
    if !cpu_went_on(&from.cpu, &to.cpu) {
        (from.cpu, to.cpu) = (CpuTime::default(), CpuTime::default());
    }
}

fn both<'a, T>(
    from: &'a BTreeMap<String, T>,
    to: &'a BTreeMap<String, T>,
) -> impl Iterator<Item = (&'a T, &'a T)> {
    to.iter().filter_map(|(name, later)| Some((from.get(name)?, later)))
}

fn monotonic(from: &BTreeMap<String, u64>, to: &BTreeMap<String, u64>) -> bool {
    // Gauges among them (`nr_dirty`) may fall: they are judged by their value.
    to.iter().all(|(name, later)| is_gauge(name) || from.get(name).is_none_or(|earlier| later >= earlier))
}

/// Fields of `/proc/vmstat` that are levels, and `TcpCurrEstab`.
fn is_gauge(name: &str) -> bool {
    name.starts_with("nr_") || name == "TcpCurrEstab"
}

fn drop_reset<T>(
    from: &mut BTreeMap<String, T>,
    to: &mut BTreeMap<String, T>,
    went_on: impl Fn(&T, &T) -> bool,
) {
    to.retain(|name, later| {
        let goes_on = is_gauge(name) || from.get(name).is_none_or(|earlier| went_on(earlier, later));
        if !goes_on {
            from.remove(name);
        }
        goes_on
    });
}

/// `Some(true)`: every counter grew; `None`: only times of 32 bits wrapped; `Some(false)`: it was reset.
pub(crate) fn disk_went_on(from: &DiskCounters, to: &DiskCounters) -> Option<bool> {
    let counts = [
        (from.reads, to.reads),
        (from.writes, to.writes),
        (from.read_bytes, to.read_bytes),
        (from.write_bytes, to.write_bytes),
        (from.reads_merged, to.reads_merged),
        (from.writes_merged, to.writes_merged),
        (from.discards.unwrap_or(0), to.discards.unwrap_or(u64::MAX)),
        (from.flushes.unwrap_or(0), to.flushes.unwrap_or(u64::MAX)),
    ];
    if counts.iter().any(|(from, to)| to < from) {
        return Some(false);
    }
    let times = times(from, to);
    if times.iter().all(|(from, to)| to >= from) {
        return Some(true);
    }
    if times.iter().all(|(from, to)| grown_in_32_bits(*from, *to).is_some()) { None } else { Some(false) }
}

fn times(from: &DiskCounters, to: &DiskCounters) -> [(u64, u64); 5] {
    [
        (from.read_ms, to.read_ms),
        (from.write_ms, to.write_ms),
        (from.busy_ms, to.busy_ms),
        (from.weighted_ms, to.weighted_ms),
        (from.flush_ms.unwrap_or(0), to.flush_ms.unwrap_or(u64::MAX)),
    ]
}

/// Adds the turn that each wrapped time has lost.
fn unwrap_times(from: &DiskCounters, to: &mut DiskCounters) {
    let lift = |from: u64, to: &mut u64| {
        if let Some(grown) = grown_in_32_bits(from, *to) {
            *to = from + grown;
        }
    };
    lift(from.read_ms, &mut to.read_ms);
    lift(from.write_ms, &mut to.write_ms);
    lift(from.busy_ms, &mut to.busy_ms);
    lift(from.weighted_ms, &mut to.weighted_ms);
    if let (Some(from), Some(to)) = (from.flush_ms, to.flush_ms.as_mut()) {
        lift(from, to);
    }
}

pub(crate) fn nic_went_on(from: &NicCounters, to: &NicCounters) -> bool {
    let pairs = [
        (from.rx_bytes, to.rx_bytes),
        (from.tx_bytes, to.tx_bytes),
        (from.rx_packets, to.rx_packets),
        (from.tx_packets, to.tx_packets),
        (from.rx_errors, to.rx_errors),
        (from.tx_errors, to.tx_errors),
        (from.rx_dropped, to.rx_dropped),
        (from.tx_dropped, to.tx_dropped),
    ];
    pairs.iter().all(|(from, to)| to >= from)
}

pub(crate) fn nfs_went_on(from: &NfsCounters, to: &NfsCounters) -> bool {
    let bytes =
        to.server_read_bytes >= from.server_read_bytes && to.server_write_bytes >= from.server_write_bytes;
    let operations =
        both(&from.operations, &to.operations).all(|(from, to)| to.operations >= from.operations);
    bytes && operations
}

fn pressure_went_on(from: &Pressure, to: &Pressure) -> bool {
    to.cpu_some_us >= from.cpu_some_us
        && to.memory_some_us >= from.memory_some_us
        && to.io_some_us >= from.io_some_us
}

/// iowait and idle may fall by a little (`Documentation/filesystems/proc.rst`: iowait is not reliable); only all
/// together tell of a reset.
fn cpu_went_on(from: &CpuTime, to: &CpuTime) -> bool {
    to.total_ns() >= from.total_ns()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_wrap_and_counts_reset() {
        assert_eq!(grown(5, 7), Some(2));
        assert_eq!(grown(7, 5), None);
        // beats#30480: weighted time went from 4,294,617,635 to 1,024,485.
        assert_eq!(grown_in_32_bits(4_294_617_635, 1_024_485), Some(1_374_146));
        assert_eq!(grown_in_32_bits(900, 5), None, "a reset, for it was far from its end");
        assert_eq!(grown_in_32_bits(1 << 40, 5), None, "no counter of 32 bits");
    }

    fn window(from: DiskCounters, to: DiskCounters) -> Window {
        let counters = |disk| Counters { disks: [("sda".into(), disk)].into(), ..Counters::default() };
        Window { from: counters(from), to: counters(to), ..Window::default() }
    }

    #[test]
    fn a_wrapped_time_goes_on() {
        let from = DiskCounters { reads: 10, weighted_ms: 4_294_617_635, ..DiskCounters::default() };
        let to = DiskCounters { reads: 20, weighted_ms: 1_024_485, ..DiskCounters::default() };
        let window = window(from, to);
        let joined = window.continuous();
        let disk = |counters: &Counters| counters.disks["sda"].weighted_ms;
        assert_eq!(disk(&joined.to) - disk(&joined.from), 1_374_146);
    }

    #[test]
    fn a_device_made_anew_is_unread() {
        let from = DiskCounters { reads: 1_000, weighted_ms: 5, ..DiskCounters::default() };
        let to = DiskCounters { reads: 3, weighted_ms: 1, ..DiskCounters::default() };
        let window = window(from, to);
        let joined = window.continuous();
        assert!(joined.from.disks.is_empty() && joined.to.disks.is_empty());
    }

    #[test]
    fn what_went_on_is_not_copied() {
        let counters = Counters { vmstat: [("nr_dirty".into(), 9)].into(), ..Counters::default() };
        let fewer = Counters { vmstat: [("nr_dirty".into(), 4)].into(), ..Counters::default() };
        let window = Window { from: counters, to: fewer, ..Window::default() };
        assert!(matches!(window.continuous(), Cow::Borrowed(_)), "a gauge may fall");
    }
}
