//! fio's output for people, versions 2 and 3, and its terse lines: each job and direction becomes a step.

use super::fio::{WAITING, add_flushes, page_cache, snapped};
use super::{number, whole};
use crate::ReadError;
use crate::page::power;
use fullwire_model::disk::{Caveat, DiskResult, DiskStepResult, Engine, Operation, Pattern, Sync};
use fullwire_model::latency::Latency;

/// True for a job's result, for what it did in one direction, or for a terse line.
pub(super) fn is_fio(text: &str) -> bool {
    text.lines().take(5_000).any(|line| {
        begin(line).is_some()
            || is_terse(line)
            || side(line, "", 1, &[]).is_some()
            || all(text, line).is_some()
    })
}

/// What all jobs of a group did together: `READ: bw=384MiB/s (403MB/s), ..., io=32.0GiB (34.4GB), run=85224-85313msec`; in
/// version 2 `READ: io=10240MB, aggrb=40MB/s, minb=..., mint=260001msec, maxt=260001msec`. The requests are those of the disk
/// that it names first: `sda: ios=8373091/53, merge=0/0, ...`.
fn all(text: &str, line: &str) -> Option<DiskStepResult> {
    let line = line.trim();
    let (operation, rest) = line.split_once(": ")?;
    let operation = match operation {
        "READ" => Operation::Read,
        "WRITE" => Operation::Write,
        _ => return None,
    };
    let value = |key: &str| {
        let (_, rest) = rest.split_once(key)?;
        rest.split([',', ' ']).next()
    };
    let rate = value("aggrb=").or_else(|| value("bw="))?;
    let last = value("maxt=").or_else(|| value("run=")?.rsplit('-').next())?;
    let ms = number(last.strip_suffix("msec")?)?;
    let (_, disk) = text.split_once(": ios=")?;
    let mut ios = disk.split([',', '\n']).next()?.split('/');
    let ios: u64 = if operation == Operation::Read { ios.next() } else { ios.nth(1) }?.trim().parse().ok()?;
    let moved = value("io=").and_then(bytes)?;
    #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
    let count = ios.max(1) as f64;
    Some(DiskStepResult {
        profile: "fio, all jobs".into(),
        operation,
        pattern: Pattern::Sequential,
        queue_depth: 1,
        threads: 1,
        engine: Engine::Plain,
        sync: Sync::None,
        block_bytes: snapped(moved / count, 0.02),
        ios,
        iops: count / (ms / 1e3),
        bytes: whole(moved),
        duration_s: ms / 1e3,
        throughput_bytes_per_s: bytes(rate.strip_suffix("/s")?)?,
        ..DiskStepResult::default()
    })
}

/// `3;fio-3.7;job;0;0;...`, `2;job;0;0;...` with some 130 fields.
fn is_terse(line: &str) -> bool {
    let mut fields = line.split(';');
    let version = fields.next().is_some_and(|field| matches!(field, "3" | "4" | "5"));
    version && fields.next().is_some_and(|field| field.starts_with("fio-")) && fields.count() > 80
}

/// What the head of a job says: `job: (g=0): rw=randwrite, bs=(R) 16.0KiB-16.0KiB, ..., ioengine=psync, iodepth=1`.
#[derive(Debug, Clone, Default)]
struct Head {
    name: String,
    rw: String,
    block_bytes: u64,
    engine: String,
    depth: u32,
}

/// Reads the results.
pub(super) fn read(text: &str, name: &str) -> Result<DiskResult, ReadError> {
    let mut result = DiskResult { target: name.into(), target_kind: "file".into(), ..DiskResult::default() };
    let mut heads: Vec<Head> = text.lines().filter_map(head).collect();
    let is_told = !heads.is_empty();
    heads.extend(asked(text).filter(|_| !is_told));
    // Of a piece the line of the result may be cut off.
    let is_cut = !text.lines().any(|line| begin(line).is_some());
    let mut job: Option<(String, u32)> = is_cut.then(|| (String::new(), 1));
    let mut flush: Option<Latency> = None;
    for line in text.lines() {
        if is_terse(line) {
            result.steps.extend(terse(line));
        } else if let Some(begun) = begin(line) {
            flushed(&mut result, flush.take());
            job = Some(begun);
        } else if line.starts_with("Run status") {
            job = None;
        } else if let Some((name, threads)) = &job {
            if let Some(step) = side(line, name, *threads, &heads) {
                result.steps.push(step);
            } else if let Some(step) = result.steps.last_mut() {
                if line.trim_start().starts_with("fsync/fdatasync") {
                    flush = Some(Latency::default());
                }
                let ios = step.ios;
                detail(line, ios, flush.as_mut().unwrap_or(&mut step.latency_ns));
            }
        }
    }
    flushed(&mut result, flush);
    if result.steps.is_empty() {
        result.steps.extend(text.lines().filter_map(|line| all(text, line)));
    }
    if result.steps.is_empty() {
        return Err(ReadError::at_end(
            name,
            text,
            "fio's output without the result of a job: the run did not finish",
        ));
    }
    if heads.is_empty() {
        let depth = most_in_flight(text);
        for step in &mut result.steps {
            in_flight(step);
            // Of a job of several sides the row is of both.
            step.queue_depth = depth.filter(|_| step.latency_ns.mean == 0.0).unwrap_or(step.queue_depth);
        }
        result.caveats.push(Caveat { kind: "job-unknown".into(), text: NO_HEAD.to_owned(), void: false });
    }
    result.caveats.push(page_cache("fio's text does not say whether it ran with direct=1"));
    Ok(result)
}

const NO_HEAD: &str = "neither the line of the job nor its command is in the file (rw=, bs=, iodepth=): the order of the requests is known \
                       only if the job's name says it, their size is the mean, and how many were in flight follows from rate and latency";

/// What the command above the output or a job file says: `fio --rw=randwrite --bs=4k --iodepth=128`.
fn asked(text: &str) -> Option<Head> {
    let value = |keys: &[&str]| {
        let mut pairs =
            text.split_whitespace().filter_map(|word| word.trim_start_matches('-').split_once('='));
        pairs.find(|(key, _)| keys.contains(key)).map(|(_, value)| value.to_owned())
    };
    Some(Head {
        rw: value(&["rw", "readwrite"])?,
        block_bytes: value(&["bs", "blocksize"]).and_then(|size| bytes(&size)).map_or(0, whole),
        engine: value(&["ioengine"]).unwrap_or_default(),
        depth: value(&["iodepth"]).and_then(|depth| depth.parse().ok()).unwrap_or(1),
        ..Head::default()
    })
}

/// `latency   : target=0, window=0, percentile=100.00%, depth=64`: the depth that the job had; else the one at which nearly all
/// requests were sent (`IO depths    : 1=0.1%, 2=0.1%, ..., 32=99.8%, >=64=0.0%`).
fn most_in_flight(text: &str) -> Option<u32> {
    const NEARLY_ALL: f64 = 90.0;
    let told = text.lines().find_map(|line| line.trim().strip_prefix("latency   :")?.split_once(", depth="));
    if let Some((_, depth)) = told {
        return depth.trim().parse().ok();
    }
    let row = text.lines().find_map(|line| line.trim().strip_prefix("IO depths"))?;
    let shares = row.trim_start_matches([' ', ':']).split(", ").filter_map(|part| part.rsplit_once('='));
    let mut shares = shares.filter_map(|(depth, share)| {
        Some((depth.trim_start_matches(">=").parse().ok()?, number(share.trim_end_matches('%'))?))
    });
    shares.find(|(_, share)| *share >= NEARLY_ALL).map(|(depth, _)| depth)
}

/// As many in flight as rate times latency (Little's law), to the power of two that is nearest: people ask for these.
fn in_flight(step: &mut DiskStepResult) {
    let held = step.iops * step.latency_ns.mean / 1e9 / f64::from(step.threads);
    let depth = snapped(held, 0.15);
    step.queue_depth = u32::try_from(depth).unwrap_or(1).max(1);
}

fn head(line: &str) -> Option<Head> {
    let (name, rest) = line.split_once(": (g=")?;
    let value = |key: &str| {
        let (_, rest) = rest.split_once(key)?;
        Some(rest.split([',', ' ']).next().unwrap_or("").to_owned())
    };
    // Version 2 prints `bs=4K-4K/4K-4K/4K-4K`, version 3 `bs=(R) 4096B-4096B`.
    let block = rest.split_once("bs=")?.1.trim_start_matches("(R) ");
    // Of a range the mean follows from the result.
    let (from, to) = block.split([',', ' ', '/']).next()?.split_once('-').unwrap_or((block, block));
    let block =
        bytes(from).filter(|size| bytes(to).is_none_or(|most| (most - *size).abs() < 1.0)).unwrap_or(0.0);
    Some(Head {
        name: name.trim().to_owned(),
        rw: value("rw=")?,
        block_bytes: whole(block),
        engine: value("ioengine=").unwrap_or_default(),
        depth: value("iodepth=").and_then(|depth| depth.parse().ok()).unwrap_or(1),
    })
}

/// `job: (groupid=0, jobs=10): err= 0: pid=26669: Mon Sep 21 17:39:30 2020`
fn begin(line: &str) -> Option<(String, u32)> {
    let (name, rest) = line.split_once(": (groupid=")?;
    let jobs = rest.split_once("jobs=")?.1.split(')').next()?.parse().ok()?;
    Some((name.trim().to_owned(), jobs))
}

/// `  write: IOPS=163, BW=2619KiB/s (2682kB/s)(154MiB/60059msec)`, `  read : io=1024.0MB, bw=87148KB/s, iops=21786, runt= 12032msec`.
fn side(line: &str, name: &str, threads: u32, heads: &[Head]) -> Option<DiskStepResult> {
    let (operation, rest) = line.trim_start().split_once(':')?;
    let operation = match operation.trim() {
        "read" => Operation::Read,
        "write" => Operation::Write,
        _ => return None,
    };
    let lower = rest.to_lowercase();
    let value = |key: &str| {
        lower
            .split_once(key)
            .map(|(_, rest)| rest.trim_start().split([',', ' ', '(', ')']).next().unwrap_or(""))
    };
    let iops = value("iops=").and_then(count)?;
    let rate = value("bw=").and_then(|text| bytes(text.trim_end_matches("/s")))?;
    let (moved, ms) = match lower.rsplit_once('(').filter(|(_, inner)| inner.contains("msec")) {
        Some((_, inner)) => {
            let (moved, time) = inner.split_once('/')?;
            (bytes(moved)?, number(time.split("msec").next()?.trim())?)
        }
        None => (
            value("io=").and_then(bytes)?,
            value("runt=").and_then(|text| number(text.trim_end_matches("msec")))?,
        ),
    };
    let head = heads.iter().find(|head| head.name == name).or(heads.first()).cloned().unwrap_or_default();
    let ios = iops * ms / 1e3;
    let pattern = match head.rw.as_str() {
        "" => by_name(name),
        rw if rw.contains("rand") => Pattern::Random,
        _ => Pattern::Sequential,
    };
    // The printed rate has no fractions.
    let mean = || snapped(moved / ios.max(1.0), 0.01 + 1.0 / iops.max(1.0));
    Some(DiskStepResult {
        profile: format!("fio {name}").trim().to_owned(),
        operation,
        pattern,
        block_bytes: if head.block_bytes > 0 { head.block_bytes } else { mean() },
        queue_depth: if WAITING.contains(&head.engine.as_str()) { 1 } else { head.depth.max(1) },
        threads: threads.max(1),
        engine: if head.engine == "io_uring" { Engine::IoUring } else { Engine::Plain },
        sync: Sync::None,
        ios: whole(ios),
        bytes: whole(moved),
        duration_s: ms / 1e3,
        iops,
        throughput_bytes_per_s: rate,
        concurrent: ["rw", "readwrite", "randrw"].contains(&head.rw.as_str()),
        ..DiskStepResult::default()
    })
}

/// The writes of the last step waited for these flushes; the text does not tell fsync from fdatasync.
fn flushed(result: &mut DiskResult, flush: Option<Latency>) {
    let writes = result.steps.last_mut().filter(|step| step.operation == Operation::Write);
    if let (Some(flush), Some(step)) = (flush.filter(|flush| flush.count > 0), writes) {
        step.sync = Sync::Fsync;
        add_flushes(step, flush);
    }
}

/// Lines below a side, or below the heading of its flushes: the latency of so many I/Os, then its percentiles.
fn detail(line: &str, ios: u64, latency: &mut Latency) {
    let line = line.trim();
    let unit = |text: &str| match text {
        text if text.contains("nsec") => Some(1.0),
        text if text.contains("usec") => Some(1e3),
        text if text.contains("msec") => Some(1e6),
        _ => None,
    };
    let means = ["lat (", "clat (", "sync ("];
    let percentiles = ["clat percentiles (", "lat percentiles (", "sync percentiles ("];
    let below = |starts: [&str; 3]| starts.iter().find_map(|start| line.strip_prefix(start));
    if let Some(rest) = below(means) {
        let Some((heading, values)) =
            rest.split_once("):").and_then(|(unit_text, rest)| Some((unit(unit_text)?, rest)))
        else {
            return;
        };
        let value = |key: &str| {
            let text = values.split_once(key)?.1.trim_start().split(',').next()?.trim();
            count(text).map(|value| value * heading)
        };
        let (Some(min), Some(max), Some(mean)) = (value("min="), value("max="), value("avg=")) else {
            return;
        };
        (latency.count, latency.min, latency.max, latency.mean) = (ios, whole(min), whole(max), mean);
    } else if let Some(rest) = below(percentiles) {
        latency.p50 = 0;
        latency.p9999 = unit(rest).map_or(0, whole);
    } else if let Some(rest) = line.strip_prefix('|') {
        // The unit of the heading waits in the last field until that is read.
        let factor = latency.p9999 as f64;
        for part in rest.split("],") {
            let Some((percentile, value)) = part.split_once("th=[") else { continue };
            let value =
                value.trim_matches([' ', ']', ',']).parse::<f64>().map_or(0, |value| whole(value * factor));
            match percentile.trim() {
                "50.00" => latency.p50 = value,
                "90.00" => latency.p90 = value,
                "99.00" => latency.p99 = value,
                "99.90" => latency.p999 = value,
                "99.99" => latency.p9999 = value,
                _ => {}
            }
        }
    }
}

/// The order of the requests as far as the name of the job says it.
fn by_name(name: &str) -> Pattern {
    let name = name.to_lowercase();
    match () {
        () if name.contains("rand") => Pattern::Random,
        () if name.contains("seq") => Pattern::Sequential,
        () => Pattern::Unknown,
    }
}

/// Fields of version 3 and later (fio HOWTO, terse output): KiB, KiB/s, I/Os per second, ms; then latencies in µs. Version 5 tells
/// six more of each direction, how its rates spread.
fn terse(line: &str) -> Vec<DiskStepResult> {
    let fields: Vec<&str> = line.split(';').collect();
    let at = |index: usize| fields.get(index).and_then(|field| number(field)).unwrap_or(0.0);
    // It prints the job's name, and not what it asked for.
    let name = fields.get(2).copied().unwrap_or("");
    let side = |first: usize, operation: Operation| {
        let (kib, ms) = (at(first), at(first + 3));
        let ios = at(first + 2) * ms / 1e3;
        let us = |index: usize| whole(at(first + index) * 1e3);
        let percentile = |name: &str| {
            let found = fields
                .get(first + 12..first + 32)?
                .iter()
                .find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
            found.and_then(number).map(|us| whole(us * 1e3))
        };
        (kib > 0.0 && ms > 0.0).then(|| DiskStepResult {
            profile: format!("fio {name}"),
            operation,
            pattern: by_name(name),
            block_bytes: whole(in_sectors(kib * 1024.0 / ios.max(1.0))),
            queue_depth: 1,
            threads: 1,
            ios: whole(ios),
            bytes: whole(kib * 1024.0),
            duration_s: ms / 1e3,
            iops: at(first + 2),
            throughput_bytes_per_s: at(first + 1) * 1024.0,
            latency_ns: Latency {
                count: whole(ios),
                min: us(32),
                max: us(33),
                mean: at(first + 34) * 1e3,
                p50: percentile("50.000000%").unwrap_or(0),
                p90: percentile("90.000000%").unwrap_or(0),
                p99: percentile("99.000000%").unwrap_or(0),
                p999: percentile("99.900000%").unwrap_or(0),
                ..Latency::default()
            },
            ..DiskStepResult::default()
        })
    };
    let width = if line.trim_start().starts_with("5;") { 47 } else { 41 };
    [side(5, Operation::Read), side(5 + width, Operation::Write)].into_iter().flatten().collect()
}

/// A mean size that is hardly off whole sectors is one of whole sectors: the rate that it was computed from is rounded.
fn in_sectors(bytes: f64) -> f64 {
    const SECTOR: f64 = 512.0;
    const ROUNDED: f64 = 0.005;
    let whole = (bytes / SECTOR).round() * SECTOR;
    if (whole - bytes).abs() <= ROUNDED * bytes { whole } else { bytes }
}

/// `16.0KiB`, `154MiB`, `2619KiB`, `87148KB`, `4K`, `4096B`: fio's K is 1024 unless it says kB.
fn bytes(text: &str) -> Option<f64> {
    scaled(text, 1024.0)
}

/// `163`, `21.8k`, `1.2M`: counts are of 1000.
fn count(text: &str) -> Option<f64> {
    scaled(text, 1e3)
}

fn scaled(text: &str, base: f64) -> Option<f64> {
    let text = text.trim();
    let (value, unit) =
        text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len()));
    Some(value.parse::<f64>().ok()? * unit.get(..1).and_then(|letter| power(letter, base)).unwrap_or(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_of_the_terse_line_has_its_latencies() {
        let side = |more: usize, kib: u32| {
            let percentiles: String = (0..19).map(|_| "0%=0;").collect();
            format!(
                "{kib};812;203;20000;1;2;1.5;0.1;2;900;77.5;9.1;50.000000%=71;{percentiles}3;902;79.0;9.2;700;900;100.0%;812.0;7.1{}",
                ";1".repeat(more)
            )
        };
        for (version, more) in [(3, 0), (5, 6)] {
            let line = format!("{version};fio-3.33;j;0;0;{};{};0;1\n", side(more, 0), side(more, 16240));
            let found = read(&line, "x").expect("a result").steps.remove(0);
            let latency = &found.latency_ns;
            assert_eq!((found.operation, found.iops), (Operation::Write, 203.0));
            assert_eq!((latency.min, latency.max, latency.mean, latency.p50), (3_000, 902_000, 79e3, 71_000));
        }
    }

    #[test]
    fn a_direction_alone_is_read() {
        let text = "  write: IOPS=203, BW=812KiB/s (831kB/s)(47.6MiB/60012msec)\n    slat (usec): min=12, max=812, avg=31.20, stdev=12.10\n\
                    \x20    lat (msec): min=1, max=812, avg=157.50, stdev=91.10\n";
        assert!(is_fio(text) && !is_fio("  write: 12 of 40\n"));
        let found = read(text, "x").expect("a result").steps.remove(0);
        assert_eq!((found.profile.as_str(), found.iops, found.latency_ns.mean), ("fio", 203.0, 157.5e6));
    }

    #[test]
    fn a_result_without_the_line_of_its_job_is_not_made_up() {
        let text = |name: &str| {
            format!(
                "{name}: (groupid=0, jobs=1): err= 0: pid=811: Thu Nov 20 10:14:05 2025\n  write: io=1024.0MB, bw=24036KB/s, iops=6008, runt= 43626msec\n    \
                 clat (usec): min=409, max=13575, avg=21286.02, stdev=33.06\n"
            )
        };
        let step = |text: &str| read(text, "x").expect("a result").steps.remove(0);
        let found = step(&text("Rand_Write"));
        assert_eq!((found.block_bytes, found.queue_depth, found.pattern), (4096, 128, Pattern::Random));
        let asked = step(&format!("# fio -rw=randwrite -bs=8k -iodepth=32 -name=x\n{}", text("x")));
        assert_eq!((asked.block_bytes, asked.queue_depth, asked.pattern), (8192, 32, Pattern::Random));
        assert_eq!(step(&text("read_iops")).pattern, Pattern::Unknown);
        assert_eq!(step(&text("SEQ_Write")).pattern, Pattern::Sequential);
        let range = "x: (g=0): rw=rw, bs=(R) 512B-1024KiB, (W) 512B-1024KiB, ioengine=psync, iodepth=1\n";
        assert_eq!(step(&format!("{range}{}", text("x"))).block_bytes, 4096);
    }

    /// A durable write takes its flush as well, which fio prints below the write.
    #[test]
    fn the_flushes_of_a_write_are_part_of_it() {
        let text = "t: (g=0): rw=randwrite, bs=(R) 8192B-8192B, (W) 8192B-8192B, (T) 8192B-8192B, ioengine=psync, iodepth=1\n\
                    t: (groupid=0, jobs=1): err= 0: pid=811: Thu Nov 20 10:14:05 2025\n  \
                      write: IOPS=41, BW=331KiB/s (339kB/s)(20.0MiB/61812msec); 0 zone resets\n    \
                        clat (usec): min=11, max=812, avg=31.22, stdev=12.10\n     \
                         lat (usec): min=11, max=813, avg=31.40, stdev=12.11\n  \
                      fsync/fdatasync/sync_file_range:\n    \
                        sync (msec): min=12, max=212, avg=24.10, stdev=11.12\n    \
                        sync percentiles (msec):\n     \
                         | 50.00th=[   22], 90.00th=[   31], 99.00th=[  90],\n";
        let result = read(text, "x").expect("a result");
        let step = &result.steps[0];
        assert_eq!(step.sync, Sync::Fsync);
        assert!((step.latency_ns.mean - 24_131_400.0).abs() < 1.0, "{}", step.latency_ns.mean);
        assert_eq!((step.latency_ns.p50, step.latency_ns.max), (22_000_000, 212_000_000));
        assert!(step.flush_ns.as_ref().is_some_and(|flush| flush.p99 == 90_000_000));
    }
}
