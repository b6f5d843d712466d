//! What every layer under the target saw while a load ran: differences of the kernel's counters, and what they say
//! next to what the program itself did. Pure arithmetic on records that the caller read.
//!
//! Formulas are those of iostat(1) (sysstat): await = time / requests, areq-sz = bytes / requests, aqu-sz = weighted
//! time / span, %util = busy time / span. Fields: Documentation/admin-guide/iostats.rst of the kernel.

use fullwire_model::counters::{Counters, DiskCounters, NfsCounters};
use fullwire_model::disk::{DiskStepResult, LayerStats, Operation};
use fullwire_model::host::{Disk, Host};

/// Counters at both ends of a span. A step that was repeated has several.
#[derive(Debug, Clone, Copy)]
pub struct Span<'a> {
    /// At the start.
    pub from: &'a Counters,
    /// At the end.
    pub to: &'a Counters,
}

impl Span<'_> {
    fn seconds(&self) -> f64 {
        self.to.monotonic_ns.saturating_sub(self.from.monotonic_ns) as f64 / 1e9
    }
}

/// Total length of several spans, s.
pub fn seconds(spans: &[Span<'_>]) -> f64 {
    spans.iter().map(Span::seconds).sum()
}

/// What a device counted over all spans; `None`: it was not there at some end.
pub fn disk_delta(spans: &[Span<'_>], name: &str) -> Option<DiskCounters> {
    let mut sum: Option<DiskCounters> = None;
    for span in spans {
        let delta = difference(span.from.disks.get(name)?, span.to.disks.get(name)?);
        sum = Some(match sum {
            None => delta,
            Some(sum) => added(&sum, &delta),
        });
    }
    sum
}

/// A counter that went backwards (32-bit wrap, device replaced) counts as nothing.
fn difference(from: &DiskCounters, to: &DiskCounters) -> DiskCounters {
    combine(to, from, u64::saturating_sub)
}

fn added(one: &DiskCounters, other: &DiskCounters) -> DiskCounters {
    combine(one, other, u64::saturating_add)
}

fn combine(one: &DiskCounters, other: &DiskCounters, with: fn(u64, u64) -> u64) -> DiskCounters {
    let both = |one: Option<u64>, other: Option<u64>| Some(with(one?, other?));
    DiskCounters {
        reads: with(one.reads, other.reads),
        reads_merged: with(one.reads_merged, other.reads_merged),
        read_bytes: with(one.read_bytes, other.read_bytes),
        read_ms: with(one.read_ms, other.read_ms),
        writes: with(one.writes, other.writes),
        writes_merged: with(one.writes_merged, other.writes_merged),
        write_bytes: with(one.write_bytes, other.write_bytes),
        write_ms: with(one.write_ms, other.write_ms),
        in_flight: one.in_flight,
        busy_ms: with(one.busy_ms, other.busy_ms),
        weighted_ms: with(one.weighted_ms, other.weighted_ms),
        discards: both(one.discards, other.discards),
        discard_bytes: both(one.discard_bytes, other.discard_bytes),
        flushes: both(one.flushes, other.flushes),
        flush_ms: both(one.flush_ms, other.flush_ms),
        io_errors: both(one.io_errors, other.io_errors),
        io_timeouts: both(one.io_timeouts, other.io_timeouts),
    }
}

/// The sum of two counters, which together may exceed 64 bits.
fn sum(one: u64, other: u64) -> f64 {
    one as f64 + other as f64
}

/// `a / b`, 0 where nothing happened.
fn per(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// Mean time of one of `count`, ns; `None` where there was none.
fn mean_ns(ms: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| ms as f64 * 1e6 / count as f64)
}

/// A positive figure to the nearest whole; `None` where it makes no sense.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be within range")]
pub(crate) fn rounded(figure: f64) -> Option<u64> {
    (figure >= 0.0 && figure < 2f64.powi(63)).then(|| figure.round() as u64)
}

/// A block device's figures from what it counted within `seconds`.
pub fn disk_stats(name: &str, kind: &str, delta: &DiskCounters, seconds: f64) -> LayerStats {
    let requests = sum(delta.reads, delta.writes);
    let bytes = sum(delta.read_bytes, delta.write_bytes);
    LayerStats {
        name: name.to_owned(),
        kind: kind.to_owned(),
        iops: per(requests, seconds),
        bytes_per_s: per(bytes, seconds),
        mean_request_bytes: per(bytes, requests),
        merges_per_s: per(sum(delta.reads_merged, delta.writes_merged), seconds),
        await_ns: per(sum(delta.read_ms, delta.write_ms) * 1e6, requests),
        read_iops: Some(per(delta.reads as f64, seconds)),
        read_await_ns: mean_ns(delta.read_ms, delta.reads),
        write_await_ns: mean_ns(delta.write_ms, delta.writes),
        queue_mean: per(delta.weighted_ms as f64 / 1e3, seconds),
        utilisation: per(delta.busy_ms as f64 / 1e3, seconds),
        flushes_per_s: delta.flushes.map(|flushes| per(flushes as f64, seconds)),
        flush_await_ns: delta
            .flush_ms
            .zip(delta.flushes)
            .map(|(ms, flushes)| per(ms as f64 * 1e6, flushes as f64)),
        rtt_ns: None,
    }
}

/// What an NFS mount sent and waited for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct NfsDelta {
    requests: u64,
    bytes: u64,
    execute_ms: u64,
    rtt_ms: u64,
    commits: u64,
    commit_ms: u64,
}

fn nfs_delta(spans: &[Span<'_>], mount: &str, operation: Option<Operation>) -> Option<NfsDelta> {
    let mut sum = NfsDelta::default();
    for span in spans {
        let (from, to) = (span.from.nfs.get(mount)?, span.to.nfs.get(mount)?);
        let count = |name: &str, field: fn(&fullwire_model::counters::NfsOperation) -> u64| {
            let of = |counters: &NfsCounters| counters.operations.get(name).map_or(0, field);
            of(to).saturating_sub(of(from))
        };
        if operation != Some(Operation::Write) {
            sum.requests = sum.requests.saturating_add(count("READ", |op| op.operations));
            sum.execute_ms = sum.execute_ms.saturating_add(count("READ", |op| op.execute_ms));
            sum.rtt_ms = sum.rtt_ms.saturating_add(count("READ", |op| op.rtt_ms));
            sum.bytes = sum.bytes.saturating_add(to.server_read_bytes.saturating_sub(from.server_read_bytes));
        }
        if operation != Some(Operation::Read) {
            sum.requests = sum.requests.saturating_add(count("WRITE", |op| op.operations));
            sum.execute_ms = sum.execute_ms.saturating_add(count("WRITE", |op| op.execute_ms));
            sum.rtt_ms = sum.rtt_ms.saturating_add(count("WRITE", |op| op.rtt_ms));
            sum.bytes =
                sum.bytes.saturating_add(to.server_write_bytes.saturating_sub(from.server_write_bytes));
        }
        sum.commits = sum.commits.saturating_add(count("COMMIT", |op| op.operations));
        sum.commit_ms = sum.commit_ms.saturating_add(count("COMMIT", |op| op.execute_ms));
    }
    Some(sum)
}

/// An NFS mount's figures: requests are READ and WRITE operations, their time is from request to completion.
pub fn nfs_stats(mount: &str, spans: &[Span<'_>]) -> Option<LayerStats> {
    let delta = nfs_delta(spans, mount, None)?;
    let seconds = seconds(spans);
    Some(LayerStats {
        name: mount.to_owned(),
        kind: "nfs".into(),
        iops: per(delta.requests as f64, seconds),
        bytes_per_s: per(delta.bytes as f64, seconds),
        mean_request_bytes: per(delta.bytes as f64, delta.requests as f64),
        await_ns: per(delta.execute_ms as f64 * 1e6, delta.requests as f64),
        queue_mean: per(delta.execute_ms as f64 / 1e3, seconds),
        flushes_per_s: Some(per(delta.commits as f64, seconds)),
        flush_await_ns: Some(per(delta.commit_ms as f64 * 1e6, delta.commits as f64)),
        rtt_ns: (delta.requests > 0).then(|| delta.rtt_ms as f64 * 1e6 / delta.requests as f64),
        ..LayerStats::default()
    })
}

/// What the program itself saw, as the topmost layer. The queue follows from Little's law.
pub fn program_stats(mount: &str, step: &DiskStepResult) -> LayerStats {
    LayerStats {
        name: mount.to_owned(),
        kind: "file-system".into(),
        iops: step.iops,
        bytes_per_s: step.throughput_bytes_per_s,
        mean_request_bytes: per(step.bytes as f64, step.ios as f64),
        await_ns: step.latency_ns.mean,
        queue_mean: step.iops * step.latency_ns.mean / 1e9,
        utilisation: (step.iops * step.latency_ns.mean / 1e9).min(1.0),
        ..LayerStats::default()
    }
}

/// The word for a device's place in the stack.
fn kind_of(disk: &Disk, host: &Host) -> &'static str {
    let above_is_multipath =
        || disk.holders.iter().any(|holder| host.disk(holder).is_some_and(|above| above.kind == "multipath"));
    match disk.kind.as_str() {
        "partition" => "partition",
        "lvm" => "lvm",
        "multipath" => "multipath",
        "crypt" => "crypt",
        "md" => "md",
        "loop" => "loop",
        "disk" if above_is_multipath() => "path",
        "disk" => "disk",
        _ => "other",
    }
}

/// What a device counted, without flushes that it counted as reads: a multipath map counts a flush as one, and the path that it is
/// passed on to counts a read without data (Linux `include/linux/blk_types.h`, `op_stat_group`: what is neither a discard nor a
/// write; in the lab, Linux 7.2). Reads with data are as large on a path as in the map.
fn data_delta(stack: &[&Disk], disk: &Disk, spans: &[Span<'_>]) -> Option<DiskCounters> {
    let mut delta = disk_delta(spans, &disk.name)?;
    let map = stack.iter().find(|map| map.kind == "multipath" && map.slaves.contains(&disk.name));
    let Some(map) = map.and_then(|map| disk_delta(spans, &map.name)) else { return Some(delta) };
    let flushes = map.flushes.unwrap_or(0);
    let times = |value: u64, times: u64, by: u64| {
        u64::try_from(u128::from(value) * u128::from(times) / u128::from(by.max(1))).unwrap_or(u64::MAX)
    };
    let with_data = times(delta.read_bytes, map.reads, map.read_bytes);
    let empty = delta.reads.saturating_sub(with_data).min(flushes);
    let their_ms = times(map.flush_ms.unwrap_or(0), empty, flushes);
    (delta.reads, delta.read_ms) = (delta.reads - empty, delta.read_ms.saturating_sub(their_ms));
    Some(delta)
}

/// All layers under a device, top first, and the device of a journal that is elsewhere. A layer without counters is left out.
pub fn device_layers(host: &Host, device: &str, spans: &[Span<'_>]) -> Vec<LayerStats> {
    let seconds = seconds(spans);
    let stack = host.stack(device);
    let own = stack.iter().map(|disk| (*disk, kind_of(disk, host)));
    let journals = host.journals(device).into_iter().map(|disk| (disk, "journal"));
    own.chain(journals)
        .filter_map(|(disk, kind)| {
            Some(disk_stats(&disk.name, kind, &data_delta(&stack, disk, spans)?, seconds))
        })
        .collect()
}

/// What the storage did for what the program asked.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Conservation {
    /// Requests at the bottom of the stack (all legs and paths together) or NFS operations, for one I/O.
    pub requests_per_io: Option<f64>,
    /// Bytes at the top of the stack, or over the wire, for one byte of the program.
    pub bytes_ratio: Option<f64>,
}

/// What is under the program.
#[derive(Debug, Clone, Copy)]
pub struct Under<'a> {
    /// The host's records.
    pub host: &'a Host,
    /// The topmost block device; empty when there is none.
    pub device: &'a str,
    /// The mount point, when it is NFS.
    pub nfs_mount: Option<&'a str>,
    /// What other programs did before.
    pub others: Others,
}

impl Under<'_> {
    /// Compares a step with the counters around it, in the direction of the step only: the journal's writes do not
    /// count as answers to reads.
    pub fn conservation(
        &self,
        spans: &[Span<'_>],
        operation: Operation,
        ios: u64,
        bytes: u64,
    ) -> Conservation {
        if ios == 0 || bytes == 0 || spans.is_empty() {
            return Conservation::default();
        }
        if let Some(delta) = self.nfs_mount.and_then(|mount| nfs_delta(spans, mount, Some(operation))) {
            return Conservation {
                requests_per_io: Some(delta.requests as f64 / ios as f64),
                bytes_ratio: Some(delta.bytes as f64 / bytes as f64),
            };
        }
        let stack = self.host.stack(self.device);
        if stack.is_empty() || stack.iter().any(|disk| statistics_off(disk)) {
            return Conservation::default();
        }
        let leaves = stack.iter().filter(|disk| disk.slaves.is_empty() && disk.parent().is_none());
        let bottom: Option<(u64, u64)> = leaves
            .map(|disk| data_delta(&stack, disk, spans).map(|delta| directed(operation, &delta)))
            .try_fold((0, 0), |(requests, bytes): (u64, u64), one| {
                let (more, carried) = one?;
                Some((requests.saturating_add(more), bytes.saturating_add(carried)))
            });
        let top = disk_delta(spans, self.device).map(|delta| directed(operation, &delta).1);
        // Bytes beyond what was asked for are others', in each copy that the disks below keep.
        let others = |carried: u64| -> Option<f64> {
            let top = top.filter(|top| *top > 0)?;
            let copies = carried as f64 / top as f64;
            Some(top.saturating_sub(bytes) as f64 * copies / self.others.of(operation)?)
        };
        let requests = bottom.map(|(requests, carried)| {
            let all = requests as f64;
            others(carried).map_or(all, |others| (all - others).max(ios as f64))
        });
        Conservation {
            requests_per_io: requests.map(|requests| requests / ios as f64),
            bytes_ratio: top.map(|device_bytes| device_bytes as f64 / bytes as f64),
        }
    }

    /// The requests at the disks in a span without load from fullwire.
    pub fn others(&self, span: Span<'_>) -> Others {
        let stack = self.host.stack(self.device);
        let leaves = stack.iter().filter(|disk| disk.slaves.is_empty() && disk.parent().is_none());
        let deltas: Vec<DiskCounters> = leaves.filter_map(|disk| data_delta(&stack, disk, &[span])).collect();
        let mean = |operation| {
            let each = deltas.iter().map(|delta| directed(operation, delta));
            let (requests, bytes) = each.fold((0.0, 0.0), |(requests, bytes), (more, carried)| {
                (requests + more as f64, bytes + carried as f64)
            });
            (requests >= FEWEST_PER_S * span.seconds() && bytes > 0.0).then(|| bytes / requests)
        };
        Others { read_bytes: mean(Operation::Read), write_bytes: mean(Operation::Write) }
    }
}

/// Bytes of a request of other programs; `None`: there were too few to tell.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Others {
    /// Of a read.
    pub read_bytes: Option<f64>,
    /// Of a write.
    pub write_bytes: Option<f64>,
}

impl Others {
    fn of(&self, operation: Operation) -> Option<f64> {
        match operation {
            Operation::Read => self.read_bytes,
            Operation::Write => self.write_bytes,
            Operation::Mixed | Operation::Copy => None,
        }
    }
}

/// `queue/iostats` is 0: the device's counters do not grow. Device-mapper counts for its maps itself, whatever their
/// queues say (Linux before 6.11).
pub(crate) fn statistics_off(disk: &Disk) -> bool {
    disk.dm.is_none() && disk.queue.as_ref().and_then(|queue| queue.iostats) == Some(false)
}

/// Requests and bytes of an operation's direction.
fn directed(operation: Operation, delta: &DiskCounters) -> (u64, u64) {
    let [read, write] = [(delta.reads, delta.read_bytes), (delta.writes, delta.write_bytes)];
    match operation {
        Operation::Read => read,
        Operation::Write => write,
        Operation::Mixed | Operation::Copy => {
            (read.0.saturating_add(write.0), read.1.saturating_add(write.1))
        }
    }
}

/// Fewer requests a second than this leave a device idle nearly all the time, whatever it is: writeback, a journal (own choice).
const FEWEST_PER_S: f64 = 20.0;

/// Bytes per second of everything on a device or NFS mount in a span without load from fullwire; 0 where it is a few requests.
pub fn foreign_bytes_per_s(device: &str, nfs_mount: Option<&str>, span: Span<'_>) -> Option<f64> {
    let spans = [span];
    let (bytes, requests) = if let Some(mount) = nfs_mount {
        let delta = nfs_delta(&spans, mount, None)?;
        (delta.bytes, delta.requests)
    } else {
        let delta = disk_delta(&spans, device)?;
        let requests = delta.reads.saturating_add(delta.writes);
        (delta.read_bytes.saturating_add(delta.write_bytes), requests)
    };
    let seconds = span.seconds();
    let busy = requests as f64 >= FEWEST_PER_S * seconds;
    (seconds > 0.0).then(|| if busy { bytes as f64 / seconds } else { 0.0 })
}
