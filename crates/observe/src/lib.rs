//! What a Linux host says of itself, as read and never judged: one reader for each kernel source, over a
//! [`Root`] (the live host or a captured tree).
//!
//! [`host`] reads settings and topology, [`counters`] what changes all the time. Neither fails: what cannot
//! be read is a gap in the record. Nothing is written, no setting is changed, no load is made.

mod capture;
mod commands;
mod ioctl;
mod kept;
mod network;
pub mod parse;
mod pci;
mod root;
mod sampler;
mod secrets;
mod states;
mod storage;
mod system;
#[cfg(test)]
mod tests;
mod text;

pub use capture::{CaptureError, CaptureOptions, CaptureReport, capture};
pub use commands::{COMMANDS, ReadOnlyCommand};
pub use root::{ArchiveError, MAX_READ_BYTES, Root, RootError, Unpacking, ZipFiles, open_regular, unpacked};
pub use sampler::{Sampler, SamplerAsk};
pub use system::{CpuTimes, this_machine};

use fullwire_model::counters::Counters;
use fullwire_model::host::Host;
use fullwire_model::host::trouble::Known;
use fullwire_model::{Gap, GapReason};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// A text without what looks like a secret.
pub fn without_secrets(text: &str) -> String {
    secrets::text(text)
}

/// More gaps than this tell nothing more.
const MAX_GAPS: usize = 512;

/// What [`host`] should look up beyond what every host is read for.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// Peers to ask the kernel's route for.
    pub peers: Vec<IpAddr>,
    /// Which lines of the kernel's log are kept beside those with words of trouble.
    pub known: Known,
}

/// What [`counters`] should read beyond the usual.
#[derive(Debug, Clone, Default)]
pub struct CountersAsk {
    /// This many of the busiest threads, with state and wait channel; 0: none.
    pub threads: usize,
    /// Processes count as busy by what they used since then. Without it a look of 50 ms tells who runs now.
    pub busy_since: Option<CpuTimes>,
    /// Control groups to read besides our own: those of the databases ([`fullwire_model::host::Database`]).
    pub cgroups: Vec<String>,
    /// Neighbours of which to say who answers for them.
    pub neighbours: Vec<IpAddr>,
}

/// Reads settings and topology.
pub fn host(root: &Root, ask: &Ask) -> Host {
    let mut host = Host { captured: !root.is_live(), ..Host::default() };
    system::read_host(root, &mut host);
    network::read_host(root, ask, &mut host);
    storage::read_host(root, ask.known, &mut host);
    network::read_storage_routes(root, ask, &mut host);
    host.gaps.extend(root.left_out().map(|what| Gap::new("archive", GapReason::Skipped, what)));
    limit_gaps(&mut host.gaps);
    host
}

/// Reads all counters, once.
pub fn counters(root: &Root, ask: &CountersAsk) -> Counters {
    let mut counters = Counters { monotonic_ns: monotonic_ns(root), ..Counters::default() };
    storage::read_counters(root, &mut counters);
    network::read_counters(root, ask, &mut counters);
    system::read_counters(root, ask, &mut counters);
    limit_gaps(&mut counters.gaps);
    counters
}

/// The tightest CPU quota of the control groups that this process is in, CPUs; `None`: no limit.
pub fn cpu_quota(root: &Root) -> Option<f64> {
    system::cpu_quota(root)
}

/// The tightest control group that this process is in, and the memory that it may still take there, bytes; `None`: no limit.
pub fn memory_room(root: &Root) -> Option<(String, u64)> {
    system::memory_room(root)
}

/// Who answers for each of these neighbours at the moment; nothing where that cannot be read.
pub fn neighbour_macs(root: &Root, asked: &[IpAddr]) -> BTreeMap<IpAddr, String> {
    network::neighbours(root, asked, &mut Vec::new())
}

/// The kernel's monotonic clock; in a captured tree the uptime at which it was captured.
fn monotonic_ns(root: &Root) -> u64 {
    let clock = root.answer("monotonic clock", || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
        Ok(seconds * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0))
    });
    clock.ok().or_else(|| system::uptime_ns(root)).unwrap_or(0)
}

fn limit_gaps(gaps: &mut Vec<Gap>) {
    if gaps.len() > MAX_GAPS {
        let more = gaps.len() - MAX_GAPS;
        gaps.truncate(MAX_GAPS);
        gaps.push(Gap::new(
            "gaps",
            GapReason::Skipped,
            format!("{more} more gaps of this kind are not listed"),
        ));
    }
}

#[cfg(test)]
#[path = "../../../tests/skips.rs"]
mod skips;
