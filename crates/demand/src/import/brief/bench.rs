//! Tests of storage that print a few lines: `pg_test_fsync`, `sysbench fileio`, `hdparm -t`, Orion, and Oracle's
//! `CALIBRATE_IO`.

use crate::ReadError;
use crate::import::fio::page_cache;
use crate::import::{number, whole};
use fullwire_model::disk::{Caveat, DiskResult, DiskStepResult, Operation, Pattern, Sync};
use fullwire_model::latency::Latency;
use fullwire_model::quantity::parse_size_bytes;

/// A tool, by words that only its output has.
struct Tool {
    name: &'static str,
    signs: &'static [&'static str],
    read: fn(&str) -> DiskResult,
}

const TOOLS: [Tool; 8] = [
    Tool { name: "pg_test_fsync", signs: &["ops/sec", "usecs/op"], read: pg_test_fsync },
    Tool { name: "sysbench", signs: &["sysbench", "File operations:"], read: sysbench },
    Tool { name: "sysbench", signs: &["fsyncs/s:", "Latency (ms):"], read: sysbench },
    Tool { name: "hdparm", signs: &["Timing ", " disk reads:", "MB/sec"], read: hdparm },
    Tool { name: "sysbench", signs: &["s ] reads: ", " fsyncs: ", "latency (ms,"], read: sysbench_meanwhile },
    Tool { name: "rados bench", signs: &["Maintaining ", " concurrent ", "Cur ops"], read: rados },
    Tool { name: "spew", signs: &["Transfer time:", "IOPS:", "iB/s"], read: spew },
    Tool { name: "Orion", signs: &["Maximum "], read: oracle },
];

/// What Oracle's tests print before a figure, and what it is.
const ORACLE: [&str; 6] = [
    "Maximum Small IOPS=", "max_iops =", "Maximum Large MBPS=", "max_mbps =", "Minimum Small Latency=",
    "latency =",
];

fn tool(text: &str) -> Option<&'static Tool> {
    let (oracle, others) = TOOLS.split_last()?;
    if ORACLE.iter().take(4).any(|sign| after(text, sign).is_some()) {
        return Some(oracle);
    }
    others.iter().find(|tool| tool.signs.iter().all(|sign| text.contains(sign)))
}

/// The tool whose output this is.
pub(in crate::import) fn is_bench(text: &str) -> bool {
    tool(text).is_some()
}

/// Reads the figures; also the tool's name.
pub(in crate::import) fn read(text: &str, name: &str) -> Result<(DiskResult, &'static str), ReadError> {
    let missing = || ReadError::at_end(name, text, "the output of a storage test without its figures");
    let tool = tool(text).ok_or_else(missing)?;
    let mut result = (tool.read)(text);
    result.steps.retain(|step| step.iops > 0.0);
    if result.steps.is_empty() {
        return Err(missing());
    }
    if result.target.is_none() {
        result.target = name.into();
    }
    "file".clone_into(&mut result.target_kind);
    Ok((result, tool.name))
}

/// The number behind these words, spaces as they come.
fn after(text: &str, sign: &str) -> Option<f64> {
    let (name, mark) = sign.split_at(sign.len() - 1);
    text.lines().find_map(|line| {
        let (_, rest) = line.split_once(name.trim_end())?;
        let rest = rest.trim_start().strip_prefix(mark)?.trim_start();
        number(rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()?)
    })
}

fn step(
    profile: &str,
    operation: Operation,
    pattern: Pattern,
    block_bytes: u64,
    iops: f64,
) -> DiskStepResult {
    DiskStepResult {
        profile: profile.to_owned(),
        operation,
        pattern,
        block_bytes,
        queue_depth: 1,
        threads: 1,
        iops,
        throughput_bytes_per_s: iops * block_bytes as f64,
        ..DiskStepResult::default()
    }
}

fn mean(ns: f64) -> Latency {
    Latency { mean: ns, ..Latency::default() }
}

/// One 8 kB write by each method (PostgreSQL documentation, `pg_test_fsync`).
fn pg_test_fsync(text: &str) -> DiskResult {
    const METHODS: [(&str, Sync, bool); 4] = [
        ("open_datasync", Sync::Dsync, true),
        ("fdatasync", Sync::Fdatasync, false),
        ("fsync", Sync::Fsync, false),
        ("open_sync", Sync::Osync, true),
    ];
    let own = text.find("one 8kB write").map_or(text, |at| &text[at..]);
    let own = own.find("two 8kB writes").map_or(own, |at| &own[..at]);
    let mut result = DiskResult::default();
    for line in own.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [method, rate, "ops/sec", each, "usecs/op", ..] = words.as_slice() else { continue };
        let known = METHODS.iter().find(|(name, ..)| name == method);
        if let (Some((_, sync, direct)), Some(rate), Some(each)) = (known, number(rate), number(each)) {
            let one =
                step(&format!("pg_test_fsync {method}"), Operation::Write, Pattern::Sequential, 8192, rate);
            let latency_ns = mean(each * 1e3);
            result.steps.push(DiskStepResult { sync: *sync, direct: *direct, latency_ns, ..one });
        }
    }
    result
}

/// `sysbench fileio` of 0.5 and 1.0; 1.1 prints `write: IOPS=212.31 3.32 MiB/s`.
fn sysbench(text: &str) -> DiskResult {
    let line = |sign: &str| text.lines().find_map(|line| line.trim().strip_prefix(sign)).map(str::trim);
    let block = line("Block size ").and_then(|size| parse_size_bytes(size).ok()).unwrap_or(16 << 10);
    let threads = line("Number of threads:").and_then(number).unwrap_or(1.0).max(1.0);
    let pattern = if text.contains("sequential") { Pattern::Sequential } else { Pattern::Random };
    let direct = line("Extra file open flags:").is_some_and(|flags| flags.contains("direct"));
    let sync = if text.contains("after each write operation") { Sync::Fsync } else { Sync::None };
    let rate = |old: &str, new: &str| {
        let new = || line(new)?.trim_start_matches("IOPS=").split(' ').next().and_then(number);
        line(old).and_then(number).or_else(new).unwrap_or(0.0)
    };
    let (reads, writes) = (rate("reads/s:", "read:"), rate("writes/s:", "write:"));
    let ms = |sign: &str| line(sign).and_then(number).unwrap_or(0.0);
    let of = |operation, iops| {
        let one = step("sysbench fileio", operation, pattern, block, iops);
        // Its times are of all events, flushes too: they are a write's or a read's where there is nothing else.
        let latency_ns = Latency {
            min: whole(ms("min:") * 1e6),
            max: whole(ms("max:") * 1e6),
            ..mean((ms("avg:") * 1e6).round())
        };
        let alone = (reads == 0.0) != (writes == 0.0);
        let latency_ns = if alone { latency_ns } else { Latency::default() };
        let queue_depth = 1;
        #[expect(clippy::cast_possible_truncation, reason = "a number of threads")]
        DiskStepResult { threads: whole(threads) as u32, queue_depth, direct, sync, latency_ns, ..one }
    };
    let mut result = DiskResult {
        steps: vec![of(Operation::Read, reads), of(Operation::Write, writes)],
        ..DiskResult::default()
    };
    if !direct && sync == Sync::None {
        result.caveats.push(page_cache("sysbench ran without --file-extra-flags=direct"));
    }
    let (flushes, each_ms) = (line("fsyncs/s:").and_then(number).unwrap_or(0.0), ms("avg:"));
    if flushes > 0.0 && reads + writes > 0.0 && each_ms >= SLOW_MS {
        let at_worst =
            line("95th percentile:").map_or(String::new(), |ms| format!(", 1 of 20 longer than {ms} ms"));
        let text = format!(
            "sysbench's events (a read, a write or a flush) take {each_ms:.1} ms on average{at_worst}: reads and writes mostly meet the page cache, so that the {flushes:.0} flushes a second (fsync) are what waits, and the rate of {:.0} reads and writes is theirs",
            reads + writes
        );
        result.caveats.push(Caveat { kind: "flushes".into(), text, void: false });
    }
    result
}

/// Reads and writes that the page cache takes, and flushes of flash, do not come to such a mean, ms (own choice).
const SLOW_MS: f64 = 2.0;

/// What `sysbench fileio --report-interval` prints meanwhile, where its end was cut off: `[ 4s ] reads: 0.00 MiB/s writes: 1.09
/// MiB/s fsyncs: 8977.64/s latency (ms,95%): 0.110`.
fn sysbench_meanwhile(text: &str) -> DiskResult {
    let mean_of = |sign: &str| {
        let rows = text.lines().filter(|line| line.trim_start().starts_with('['));
        let rates: Vec<f64> = rows.filter_map(|line| after(line, sign)).collect();
        rates.iter().sum::<f64>() / (rates.len() as f64).max(1.0)
    };
    let mut result = sysbench(text);
    for (step, sign) in result.steps.iter_mut().zip(["reads:", "writes:"]) {
        step.throughput_bytes_per_s = mean_of(sign) * 1_048_576.0;
        step.iops = step.throughput_bytes_per_s / step.block_bytes as f64;
    }
    let (flushes, writes) = (mean_of("fsyncs:"), result.steps[1].iops);
    if writes > 0.0 && flushes > writes {
        let each = flushes / writes;
        let text = format!(
            "sysbench flushed {flushes:.0} times a second, {each:.0} times after each write (all of its files): the rate of the writes is that of their flushes"
        );
        result.caveats.push(Caveat { kind: "flushes".into(), text, void: false });
    }
    result
}

/// `rados bench`: so many writes or reads of one size in flight; of its rows the last has the means, behind them its summary
/// (Ceph documentation, rados(8)).
fn rados(text: &str) -> DiskResult {
    let head = text.lines().find_map(|line| line.split_once("Maintaining ")).map_or("", |(_, rest)| rest);
    let words: Vec<&str> = head.split_whitespace().collect();
    let many = words.first().and_then(|word| word.parse().ok()).unwrap_or(1);
    let behind = |word: &str| words.iter().position(|own| *own == word).and_then(|at| words.get(at + 1));
    let bytes = behind("of").and_then(|size| size.parse().ok()).unwrap_or(4 << 20);
    let operation = if head.contains("write") { Operation::Write } else { Operation::Read };
    let mut rows = text.lines().filter_map(|line| {
        let cells: Vec<f64> = line.split_whitespace().map_while(number).collect();
        (cells.len() == 8).then_some(cells)
    });
    let last = rows.next_back().unwrap_or_default();
    let at = |index: usize| last.get(index).copied().unwrap_or(0.0);
    let iops = after(text, "Average IOPS:").unwrap_or(at(3) / at(0).max(1.0));
    let each_s = after(text, "Average Latency(s):").unwrap_or(at(7));
    let one = step("rados bench", operation, Pattern::Random, bytes, iops);
    let step = DiskStepResult { queue_depth: many, latency_ns: mean(each_s * 1e9), ..one };
    DiskResult { steps: vec![step], ..DiskResult::default() }
}

/// `WTR:      178.09 KiB/s   Transfer time: 00:00:05    IOPS:       44.52`: one request at a time (spew(1)).
fn spew(text: &str) -> DiskResult {
    let mut steps: Vec<DiskStepResult> = Vec::new();
    for (sign, operation) in [("WTR:", Operation::Write), ("RTR:", Operation::Read)] {
        let rows: Vec<(f64, f64)> = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix(sign))
            .filter_map(|row| {
                let mut words = row.split_whitespace();
                let (rate, unit) = (number(words.next()?)?, words.next()?);
                Some((
                    rate * parse_size_bytes(&format!("1{}", unit.strip_suffix("/s")?)).ok()? as f64,
                    after(row, "IOPS:")?,
                ))
            })
            .collect();
        let count = rows.len().max(1) as f64;
        let (rate, iops) =
            rows.iter().fold((0.0, 0.0), |sum, row| (sum.0 + row.0 / count, sum.1 + row.1 / count));
        let one = step("spew", operation, Pattern::Random, whole(rate / iops.max(1.0)), iops);
        steps.push(DiskStepResult { latency_ns: mean(1e9 / iops.max(1e-3)), ..one });
    }
    DiskResult { steps, ..DiskResult::default() }
}

/// Sequential reads of 2 MiB each (hdparm.c, `TIMING_BUF_MB`); its MB are 2^20 bytes.
fn hdparm(text: &str) -> DiskResult {
    const BUFFER_BYTES: u64 = 2 << 20;
    let mut result = DiskResult::default();
    for line in text.lines() {
        if let Some(device) = line.trim().split(':').next().filter(|name| name.starts_with("/dev/")) {
            result.target = device.into();
        }
        let rate = line.split_once(" disk reads:").and_then(|(_, rest)| rest.split_once(" = "));
        if let Some(rate) = rate.and_then(|(_, rest)| number(rest.split_whitespace().next()?)) {
            let direct = line.contains("O_DIRECT");
            let iops = rate * 1_048_576.0 / BUFFER_BYTES as f64;
            let one = step("hdparm -t", Operation::Read, Pattern::Sequential, BUFFER_BYTES, iops);
            result.steps.push(DiskStepResult { direct, ..one });
        }
    }
    result
}

/// Random reads of one block by many at once, and of 1 MiB (Orion's README; `DBMS_RESOURCE_MANAGER.CALIBRATE_IO`).
fn oracle(text: &str) -> DiskResult {
    const LARGE_BYTES: u64 = 1 << 20;
    let of = |signs: &[&str]| signs.iter().find_map(|sign| after(text, sign));
    let mut result = DiskResult::default();
    let read = |profile: &str, block, iops| DiskStepResult {
        direct: true,
        ..step(profile, Operation::Read, Pattern::Random, block, iops)
    };
    // `Maximum Small IOPS=4831 @ Small=40 and Large=0`: so many were in flight.
    let in_flight = |sign: &str, of: &str| {
        let line = text.lines().find(|line| line.contains(sign));
        let many = line.and_then(|line| after(line, of)).filter(|many| *many >= 1.0).map_or(1, whole);
        u32::try_from(many).unwrap_or(1)
    };
    if let Some(iops) = of(&ORACLE[..2]) {
        let queue_depth = in_flight(ORACLE[0], "@ Small=");
        result.steps.push(DiskStepResult { queue_depth, ..read("small reads, many at once", 8192, iops) });
    }
    if let Some(rate) = of(&ORACLE[2..4]) {
        let queue_depth = in_flight(ORACLE[2], "and Large=");
        let iops = rate * 1e6 / LARGE_BYTES as f64;
        result.steps.push(DiskStepResult { queue_depth, ..read("large reads", LARGE_BYTES, iops) });
    }
    if let Some(latency) = of(&ORACLE[4..]).filter(|latency| *latency > 0.0) {
        let micros = text.lines().any(|line| line.contains("Latency") && line.contains("usec"));
        let ns = latency * if micros { 1e3 } else { 1e6 };
        // Orion says with how many it was; CALIBRATE_IO gives the latency under the load of many (Little's law).
        let loaded = of(&ORACLE[1..2]).map_or(1.0, |iops| iops * ns / 1e9).round().max(1.0);
        let queue_depth = in_flight(ORACLE[4], "@ Small=").max(u32::try_from(whole(loaded)).unwrap_or(1));
        let profile =
            if queue_depth == 1 { "small reads, one at a time" } else { "small reads, many at once" };
        let iops = f64::from(queue_depth) * 1e9 / ns;
        let one = DiskStepResult { queue_depth, latency_ns: mean(ns), ..read(profile, 8192, iops) };
        // The same load is one result.
        match result.steps.iter_mut().find(|step| step.profile == profile) {
            Some(same) => (same.queue_depth, same.latency_ns) = (queue_depth, mean(ns)),
            None => result.steps.push(one),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<DiskStepResult> {
        read(text, "x").unwrap().0.steps
    }

    #[test]
    fn orion_says_how_many_were_in_flight() {
        let text = "Maximum Large MBPS=213.45 @ Small=0 and Large=16\nMaximum Small IOPS=4831 @ Small=40 and Large=0\n\
                    Minimum Small Latency=8.30 @ Small=1 and Large=0\n";
        let depths: Vec<(u64, u32)> =
            steps(text).iter().map(|step| (step.block_bytes, step.queue_depth)).collect();
        assert_eq!(depths, [(8192, 40), (1 << 20, 16), (8192, 1)]);
        let calibrated = steps("max_iops = 9822\nlatency = 11\nmax_mbps = 500\n");
        let small = &calibrated[0];
        assert_eq!((small.queue_depth, small.iops, small.latency_ns.mean), (108, 9822.0, 11e6));
        assert_eq!(calibrated.len(), 2, "one load of small reads: {calibrated:?}");
    }

    #[test]
    fn each_tool_is_known_and_its_figures_are_read() {
        let text = "Compare file sync methods using one 8kB write:\n        open_datasync                        84.211 ops/sec   11875 usecs/op\n        \
                    fsync_writethrough                              n/a\n        fdatasync                            83.102 ops/sec   12033 usecs/op\n\n\
                    Compare file sync methods using two 8kB writes:\n        fdatasync                            40.1 ops/sec   24000 usecs/op\n";
        let found = steps(text);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[1].sync, found[1].iops, found[1].latency_ns.mean),
            (Sync::Fdatasync, 83.102, 12_033_000.0)
        );

        let text = "sysbench 1.0.20\nNumber of threads: 16\nBlock size 16KiB\nDoing random write test\nFile operations:\n    reads/s:                      0.00\n    \
                    writes/s:                     212.31\n    fsyncs/s:                     271.55\nLatency (ms):\n         min:  0.01\n         avg:   32.91\n         max:  1182.22\n";
        let found = steps(text);
        assert_eq!(
            (found.len(), found[0].block_bytes, found[0].threads, found[0].iops),
            (1, 16_384, 16, 212.31)
        );
        assert_eq!((found[0].latency_ns.mean, found[0].latency_ns.max), (32_910_000.0, 1_182_220_000));

        let text = "/dev/sda:\n Timing cached reads:   15210 MB in  2.00 seconds = 7613.21 MB/sec\n Timing buffered disk reads:  24 MB in  3.11 seconds =   7.72 MB/sec\n";
        let (result, tool) = read(text, "x").unwrap();
        assert_eq!((tool, result.target.as_str(), result.steps.len()), ("hdparm", "/dev/sda", 1));
        assert!((result.steps[0].throughput_bytes_per_s - 7.72 * 1_048_576.0).abs() < 1.0);

        let text = "Maximum Large MBPS=102.31 @ Small=0 and Large=8\nMaximum Small IOPS=412 @ Small=20 and Large=0\nMinimum Small Latency=9.81 @ Small=1 and Large=0\n";
        let found = steps(text);
        assert_eq!((found[0].iops, found[2].latency_ns.mean), (412.0, 9_810_000.0));
        assert!((found[1].throughput_bytes_per_s - 102.31e6).abs() < 1.0);
        let spew = steps(
            "WTR:      180.00 KiB/s   Transfer time: 00:00:05    IOPS:       45.00\nWTR:      172.00 KiB/s   Transfer time: 00:00:05    IOPS:       43.00\n",
        );
        assert_eq!((spew[0].operation, spew[0].iops, spew[0].block_bytes), (Operation::Write, 44.0, 4096));
        let calibrated = steps("max_iops = 133\nlatency  = 15\nmax_mbps = 79\n");
        assert_eq!((calibrated[0].queue_depth, calibrated[0].latency_ns.mean), (2, 15e6));
        assert!(!is_bench("latency = 15 ms of nothing known"));
    }
}
