//! Which of a host's many devices a page shows: those that moved most.

use crate::counters::Counters;
use std::collections::BTreeMap;

/// Bytes that moved, by subject.
#[derive(Debug, Clone, Default)]
pub struct Busiest {
    last: Option<Counters>,
    disks: BTreeMap<String, u64>,
    nics: BTreeMap<String, u64>,
    mounts: BTreeMap<String, u64>,
}

impl Busiest {
    /// Takes the counters of the next moment; those that went back begin again.
    pub fn take(&mut self, counters: &Counters) {
        if let Some(last) = &self.last {
            let add = |sums: &mut BTreeMap<String, u64>, name: &str, now: u64, then: u64| {
                *sums.entry(name.to_owned()).or_default() += now.saturating_sub(then);
            };
            for (name, now) in &counters.disks {
                let moved =
                    |one: &crate::counters::DiskCounters| one.read_bytes.saturating_add(one.write_bytes);
                add(&mut self.disks, name, moved(now), last.disks.get(name).map_or(0, moved));
            }
            for (name, now) in &counters.nics {
                let moved = |one: &crate::counters::NicCounters| one.rx_bytes.saturating_add(one.tx_bytes);
                add(&mut self.nics, name, moved(now), last.nics.get(name).map_or(0, moved));
            }
            for (name, now) in &counters.nfs {
                let moved = |one: &crate::counters::NfsCounters| {
                    one.server_read_bytes.saturating_add(one.server_write_bytes)
                };
                add(&mut self.mounts, name, moved(now), last.nfs.get(name).map_or(0, moved));
            }
        }
        self.last = Some(Counters {
            disks: counters.disks.clone(),
            nics: counters.nics.clone(),
            nfs: counters.nfs.clone(),
            ..Counters::default()
        });
    }

    /// The disks that moved most, at most so many; those that moved nothing are none.
    pub fn disks(&self, most: usize) -> Vec<&str> {
        largest(&self.disks, most)
    }

    /// The interfaces that moved most.
    pub fn nics(&self, most: usize) -> Vec<&str> {
        largest(&self.nics, most)
    }

    /// The NFS mounts that moved most.
    pub fn mounts(&self, most: usize) -> Vec<&str> {
        largest(&self.mounts, most)
    }
}

fn largest(sums: &BTreeMap<String, u64>, most: usize) -> Vec<&str> {
    let mut sorted: Vec<(&String, u64)> =
        sums.iter().filter(|(_, sum)| **sum > 0).map(|(name, sum)| (name, *sum)).collect();
    sorted.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
    sorted.into_iter().take(most).map(|(name, _)| name.as_str()).collect()
}
