//! What must be said before a number is believed.

use crate::disk::result::layers;
use crate::disk::target::{DiskTarget, Kind};
use fullwire_model::disk::{Caveat, DiskStepResult, Operation, Pattern, Sync};
use fullwire_model::host::Host;
use rustix::fs::SeekFrom;
use std::fs;
use std::os::fd::AsFd;

/// Other processes' share of a device from which a result is theirs as much as ours.
const FOREIGN_SHARE: f64 = 0.1;
/// Less is the host's own housekeeping, bytes a second, unless it is half of what we got (the bounds of the rule foreign-load).
const HOUSEKEEPING_BYTES_PER_S: f64 = 1e6;
const RIVALLING_SHARE: f64 = 0.5;
/// Below this share of the program's bytes on the device, something above it answered.
const CONSERVED: f64 = 0.98;
/// A read through the block layer takes longer, on any medium; Optane needed 3.4 µs polled and without a file system.
const FASTEST_MEDIUM_NS: u64 = 5_000;
/// Holes are counted in this many pieces of a file at most.
const MOST_PIECES: usize = 100_000;

fn caveat(kind: &str, void: bool, text: String) -> Caveat {
    Caveat { kind: kind.into(), text, void }
}

/// What the file system and device say by themselves, before anything is measured.
pub(crate) fn of_target(target: &DiskTarget) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    let mount = &target.mount;
    let place = mount.target.display();
    let has = |name: &str| mount.options.iter().any(|option| option.split('=').next() == Some(name));
    match mount.fs_type.as_str() {
        "tmpfs" | "ramfs" | "hugetlbfs" => caveats.push(caveat(
            "memory-file-system",
            true,
            format!("{place} is {}: it is in memory, so its figures say nothing about a disk", mount.fs_type),
        )),
        "overlay" => caveats.push(caveat(
            "overlay",
            false,
            format!("{place} is an overlay: databases normally use another file system"),
        )),
        "btrfs" | "zfs" | "bcachefs" if !has("nodatacow") => caveats.push(caveat(
            "copy-on-write",
            false,
            format!(
                "{place} is {}: it writes every block to a new place, so writes cost more than on the device",
                mount.fs_type
            ),
        )),
        _ => {}
    }
    if has("compress") || has("compress-force") || mount.fs_type == "zfs" {
        caveats.push(caveat(
            "compressed",
            false,
            format!("{place} may compress: the test data cannot be compressed, a database's blocks may be"),
        ));
    }
    caveats.extend(buffered_loop(&target.device));
    caveats
}

/// A loop device without direct I/O reads through the page cache of the file system below it.
fn buffered_loop(device: &str) -> Option<Caveat> {
    let whole = device.trim_start_matches("loop").split('p').next().unwrap_or_default();
    if !device.starts_with("loop") || whole.is_empty() {
        return None;
    }
    let dio = fs::read_to_string(format!("/sys/block/loop{whole}/loop/dio")).ok()?;
    (dio.trim() == "0").then(|| {
        caveat(
            "loop-buffered",
            true,
            format!("loop{whole} has no direct I/O: this host's memory answers instead of the disk; use losetup --direct-io=on"),
        )
    })
}

/// The share of a file that was never written: a read there is answered without the disk.
pub(crate) fn unwritten(fd: impl AsFd, size_bytes: u64) -> Option<Caveat> {
    let fd = fd.as_fd();
    let (mut at, mut holes) = (0u64, 0u64);
    for _ in 0..MOST_PIECES {
        if at >= size_bytes {
            break;
        }
        // Reserved but unwritten space counts as a hole here, as long as nothing of it is in the page cache.
        let data = rustix::fs::seek(fd, SeekFrom::Data(at)).unwrap_or(size_bytes).min(size_bytes);
        holes += data - at;
        if data >= size_bytes {
            break;
        }
        at = rustix::fs::seek(fd, SeekFrom::Hole(data)).ok()?.max(data + 1);
    }
    let share = holes as f64 / size_bytes.max(1) as f64;
    (share > 0.01).then(|| {
        caveat(
            "unwritten",
            true,
            format!(
                "{:.0} % of the file was never written: reads there do not reach the disk",
                share * 100.0
            ),
        )
    })
}

/// A device that returns zeros everywhere: never written, or deallocated, and answered without the medium.
pub(crate) fn zeros(fd: impl AsFd, size_bytes: u64) -> Option<Caveat> {
    const SAMPLES: u64 = 64;
    let fd = fd.as_fd();
    let mut block = vec![0; 4096];
    let empty = (0..SAMPLES)
        .filter(|sample| {
            let at = size_bytes / SAMPLES * sample / 4096 * 4096;
            block.fill(1);
            matches!(rustix::io::pread(fd, &mut block, at), Ok(read) if block[..read].iter().all(|byte| *byte == 0))
        })
        .count();
    (empty as u64 > SAMPLES / 2).then(|| {
        caveat(
            "unwritten",
            true,
            format!("{empty} of {SAMPLES} samples of the device are zeros: reads of space that was never written may not reach the medium"),
        )
    })
}

/// What a step's own counters say against it.
pub(crate) fn of_step(target: &DiskTarget, step: &DiskStepResult) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    let named = step.label();
    let seen = step.device_bytes_over_program_bytes.filter(|_| step.operation == Operation::Read);
    if let Some(ratio) = seen.filter(|ratio| *ratio < CONSERVED) {
        let answered = if step.direct { "a cache above the device" } else { "the page cache" };
        let share = ratio * 100.0;
        let text = format!(
            "{named}: the device transferred {share:.0} % of the bytes; the rest came from {answered}"
        );
        caveats.push(caveat("page-cache", true, text));
    }
    let wrote = step.operation == Operation::Write && !step.direct && step.sync == Sync::None;
    let reached = step.device_bytes_over_program_bytes.filter(|ratio| wrote && *ratio < CONSERVED);
    if let Some(ratio) = reached {
        let text = format!(
            "{named}: {:.0} % of the bytes had reached the device at the end ({:.1} MB/s): the rest was still in the page \
             cache, and its burst comes later; --sync fsync waits for the device",
            ratio * 100.0,
            ratio * step.throughput_bytes_per_s / 1e6
        );
        caveats.push(caveat("page-cache", true, text));
    }
    // No medium behind a block layer answers a random read in less; only memory does.
    let random_read = step.operation == Operation::Read && step.pattern == Pattern::Random;
    let p50_ns = step.latency_ns.p50;
    if random_read && p50_ns > 0 && p50_ns < FASTEST_MEDIUM_NS && !target.device.is_empty() {
        let text = format!(
            "{named}: half of the reads took less than {:.1} us, so they came from memory",
            p50_ns as f64 / 1e3
        );
        caveats.push(caveat("array-cache", true, text));
    }
    let foreign = step.foreign_bytes_per_s.unwrap_or(0.0);
    let own = step.throughput_bytes_per_s;
    let disturbs = foreign > HOUSEKEEPING_BYTES_PER_S.max(FOREIGN_SHARE * own);
    if own > 0.0 && (disturbs || foreign > RIVALLING_SHARE * own) {
        caveats.push(caveat(
            "foreign-load",
            true,
            format!(
                "other processes moved {:.1} MB/s on {} before the measurement, and left it the rest ({named}): measure again when the device is idle",
                foreign / 1e6,
                target.device
            ),
        ));
    }
    caveats
}

/// Devices whose counters do not grow: nothing can be set next to what the program did.
pub(crate) fn statistics_off(target: &DiskTarget, host: Option<&Host>) -> Option<Caveat> {
    let disk = host?.stack(&target.device).into_iter().find(|disk| layers::statistics_off(disk))?;
    let name = &disk.name;
    let text =
        format!("{name} keeps no statistics; to enable them: echo 1 > /sys/block/{name}/queue/iostats");
    Some(caveat("statistics-off", false, text))
}

/// The same kind once, the gravest first.
pub(crate) fn once(caveats: Vec<Caveat>) -> Vec<Caveat> {
    let mut kept: Vec<Caveat> = Vec::new();
    for caveat in caveats {
        match kept.iter_mut().find(|other| other.kind == caveat.kind) {
            None => kept.push(caveat),
            Some(other) if caveat.void && !other.void => *other = caveat,
            Some(_) => {}
        }
    }
    kept.sort_by_key(|caveat| !caveat.void);
    kept
}

/// The private file is smaller than was requested.
pub(crate) fn small(target: &DiskTarget, wanted_bytes: u64, bytes: u64, why: &str) -> Caveat {
    let name = &target.name;
    caveat(
        "small-working-set",
        false,
        format!(
            "{name}: measured on {} MiB instead of {} MiB, {why}: a cache of that size would go unnoticed",
            bytes >> 20,
            wanted_bytes >> 20
        ),
    )
}

/// What is on the device beyond what was overwritten is not known.
pub(crate) fn sampled(target: &DiskTarget, bytes: u64) -> Caveat {
    let (name, mib) = (&target.name, bytes >> 20);
    caveat(
        "sampled",
        false,
        format!(
            "{name}: the overwritten part was read completely before and was empty; of the other {mib} MiB only samples were read"
        ),
    )
}

/// Our content is still on the device.
pub(crate) fn not_zeroed(target: &DiskTarget, region: &std::ops::Range<u64>, why: &str) -> Caveat {
    let (name, start, end) = (&target.name, region.start, region.end);
    caveat(
        "not-zeroed",
        false,
        format!(
            "{name}: bytes {start} to {end} still contain test data, because zeroing failed: {why}; see `fullwire clean`"
        ),
    )
}

/// Direct I/O was requested and is not to be had.
pub(crate) fn not_direct(target: &DiskTarget) -> Caveat {
    let what = match target.kind {
        Kind::Device => "the device".to_owned(),
        _ => format!("{} on {}", target.mount.fs_type, target.mount.target.display()),
    };
    caveat(
        "not-direct",
        true,
        format!("{what} refuses O_DIRECT: reads and writes went through the page cache"),
    )
}

/// `io_uring` was wanted and is not to be had.
pub(crate) fn no_uring(reason: &std::io::Error) -> Caveat {
    caveat(
        "io-uring-missing",
        false,
        format!(
            "io_uring cannot be used here ({reason}): one thread per I/O in flight is used instead, which costs more CPU"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::host::{Disk, Queue};
    use fullwire_model::latency::Latency;

    fn target() -> DiskTarget {
        let mut target = crate::disk::target::resolve("/").expect("the root directory");
        target.device = "sda".into();
        target
    }

    fn read() -> DiskStepResult {
        DiskStepResult {
            pattern: Pattern::Random,
            direct: true,
            throughput_bytes_per_s: 100e6,
            latency_ns: Latency { p50: 100_000, ..Latency::default() },
            device_bytes_over_program_bytes: Some(1.0),
            foreign_bytes_per_s: Some(1e6),
            ..DiskStepResult::default()
        }
    }

    fn kinds(step: &DiskStepResult) -> Vec<String> {
        of_step(&target(), step).into_iter().map(|caveat| caveat.kind).collect()
    }

    #[test]
    fn an_honest_step_has_no_caveat() {
        assert!(kinds(&read()).is_empty());
    }

    #[test]
    fn what_speaks_against_a_step_is_named() {
        let cached = DiskStepResult { device_bytes_over_program_bytes: Some(0.5), ..read() };
        assert_eq!(kinds(&cached), ["page-cache"]);
        let disturbed = DiskStepResult { foreign_bytes_per_s: Some(11e6), ..read() };
        assert_eq!(kinds(&disturbed), ["foreign-load"]);
        let beside = |own: f64| {
            let step =
                DiskStepResult { throughput_bytes_per_s: own, foreign_bytes_per_s: Some(0.6e6), ..read() };
            kinds(&step)
        };
        assert!(beside(4e6).is_empty(), "a host's own housekeeping beside single reads");
        assert_eq!(beside(1e6), ["foreign-load"], "as much again");
        let too_fast = DiskStepResult { latency_ns: Latency { p50: 4_000, ..Latency::default() }, ..read() };
        assert_eq!(kinds(&too_fast), ["array-cache"]);
    }

    #[test]
    fn statistics_that_are_off_are_noticed() {
        let queue = Queue { iostats: Some(false), ..Queue::default() };
        let disk = Disk { name: "sda".into(), queue: Some(queue), ..Disk::default() };
        let host = Host { disks: vec![disk], ..Host::default() };
        assert_eq!(statistics_off(&target(), Some(&host)).expect("off").kind, "statistics-off");
        assert_eq!(statistics_off(&target(), Some(&Host::default())), None);
    }

    #[test]
    fn each_kind_is_said_once_and_the_gravest_first() {
        let of = |kind: &str, void| caveat(kind, void, String::new());
        let kept = once(vec![of("overlay", false), of("page-cache", false), of("page-cache", true)]);
        let kept: Vec<(&str, bool)> = kept.iter().map(|caveat| (caveat.kind.as_str(), caveat.void)).collect();
        assert_eq!(kept, [("page-cache", true), ("overlay", false)]);
    }
}
