//! The same reads of the same file, by fullwire and by fio.

use super::process::{installed, json, json_and_user_ns, number};
use super::samples;
use super::table::Table;
use super::{BenchPlan, Built, Measure, Metric, Peer, build, compare};
use crate::target_dir;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const METRICS: [Metric; 5] = [
    Metric { name: "IOPS", unit: "1/s" },
    Metric { name: "user CPU per I/O, whole process", unit: "ns" },
    Metric { name: "user CPU per I/O, load alone by ticks", unit: "ns" },
    Metric { name: "p50", unit: "us" },
    Metric { name: "p99", unit: "us" },
];
/// Measured in its own runs: samples cost time.
const SAMPLED: [Metric; 1] = [Metric { name: "user CPU per I/O, load alone by samples", unit: "ns" }];
const AIMS: [&str; 5] = [">= 0.98", "<= 0.3", "<= 0.3", "in the spread", "in the spread"];
const FILE_BYTES: u64 = 1 << 30;
const MIB: usize = 1 << 20;

/// A way of calling the kernel, as each program names it.
struct Engine {
    ours: &'static str,
    fio: &'static str,
}

const ENGINES: [Engine; 2] =
    [Engine { ours: "io_uring", fio: "io_uring" }, Engine { ours: "plain", fio: "psync" }];

/// What is read.
struct Load {
    pattern: &'static str,
    block: &'static str,
    block_bytes: u32,
    depth: u32,
}

const LOADS: [Load; 4] = [
    Load { pattern: "random", block: "8k", block_bytes: 8 << 10, depth: 1 },
    Load { pattern: "random", block: "8k", block_bytes: 8 << 10, depth: 8 },
    Load { pattern: "random", block: "8k", block_bytes: 8 << 10, depth: 32 },
    Load { pattern: "sequential", block: "1M", block_bytes: 1 << 20, depth: 1 },
];

pub(super) fn run(plan: &BenchPlan, table: &mut Table) -> Result<()> {
    let built = build()?;
    if !installed("fio") {
        table.note("fio is not installed: nothing to compare with");
        return Ok(());
    }
    let file = Subject::make(&target_dir())?;
    let sampled = installed("perf");
    for engine in &ENGINES {
        for load in &LOADS {
            let side = Side { built: &built, file: &file.0, engine, load, plan };
            side.compare(table)?;
            if sampled {
                side.compare_samples(table)?;
            }
        }
    }
    table.note(
        "user CPU: of the whole process as the kernel books it at its end (what `time` prints), start and report included; \
         of the load alone as each program prints it: the threads' own, some ticks each",
    );
    table.note(if sampled {
        "by samples: one each 50 us, in runs of their own, which makes all sides dearer"
    } else {
        "perf is not installed: no user CPU by samples"
    });
    table.note(
        "bare preads: the system call and nothing else; the kernel books the end of each call as the program's time, so no \
         program with one call for each I/O comes below",
    );
    null_target(&built.fullwire, &file.0, plan, table)
}

/// The file that both read; its blocks are written, so that none is answered from a hole. Removed when dropped.
struct Subject(PathBuf);

impl Subject {
    fn make(directory: &Path) -> Result<Self> {
        let path = directory.join(format!("bench-{}.dat", std::process::id()));
        let mut file = File::create_new(&path).with_context(|| format!("create {}", path.display()))?;
        let subject = Self(path);
        let mut block = vec![0u8; MIB];
        for number in 0..FILE_BYTES / MIB as u64 {
            scramble(&mut block, number);
            file.write_all(&block).context("write the file to read")?;
        }
        file.sync_all().context("write the file to read")?;
        Ok(subject)
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Numbers that neither compress nor repeat from block to block (xorshift64, Marsaglia 2003).
fn scramble(block: &mut [u8], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for word in block.chunks_exact_mut(8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        word.copy_from_slice(&state.to_le_bytes());
    }
}

/// One load by one engine, as each program is asked for it.
struct Side<'a> {
    built: &'a Built,
    file: &'a Path,
    engine: &'a Engine,
    load: &'a Load,
    plan: &'a BenchPlan,
}

impl Side<'_> {
    fn compare(&self, table: &mut Table) -> Result<()> {
        let mut peers = vec![Peer { name: "fio", aims: &AIMS, measure: Box::new(|| self.fio()) }];
        if self.has_floor() {
            peers.push(Peer { name: "bare preads", aims: &[], measure: Box::new(|| self.bare()) });
        }
        compare(table, (&self.name(), self.plan.pairs), &METRICS, Box::new(|| self.ours()), &mut peers)
    }

    fn compare_samples(&self, table: &mut Table) -> Result<()> {
        let scratch = self.file.with_extension("perf");
        let sampled = |command: Command, ios: &'static str| -> Measure<'_> {
            let scratch = &scratch;
            Box::new(move || {
                let (seen, user_ns) = samples::user_ns(&command, scratch)?;
                Ok(vec![user_ns / number(&seen, ios)?])
            })
        };
        let ours = sampled(self.ours_command(), "/steps/0/ios");
        let theirs = sampled(self.fio_command(), "/jobs/0/read/total_ios");
        let mut peers = vec![Peer { name: "fio", aims: &["<= 0.3"], measure: theirs }];
        if self.has_floor() {
            let measure = sampled(self.bare_command(), "/ios");
            peers.push(Peer { name: "bare preads", aims: &[], measure });
        }
        let result = compare(table, (&self.name(), self.plan.pairs), &SAMPLED, ours, &mut peers);
        let _ = std::fs::remove_file(&scratch);
        result
    }

    fn name(&self) -> String {
        let Load { pattern, block, depth, .. } = self.load;
        format!("{}, {block} {pattern}, depth {depth}", self.engine.fio)
    }

    fn has_floor(&self) -> bool {
        self.engine.fio == "psync"
    }

    fn ours_command(&self) -> Command {
        let mut command = Command::new(&self.built.fullwire);
        command.arg("disk").arg(self.file).args(["--operation", "read", "--pattern", self.load.pattern]);
        command.args(["--block", self.load.block, "--depth", &self.load.depth.to_string()]);
        command.args(["--engine", self.engine.ours, "--duration", &format!("{}s", self.plan.seconds)]);
        command.args(["--repeats", "1", "--json", "--no-store", "--quiet"]);
        command
    }

    fn ours(&self) -> Result<Vec<f64>> {
        let (seen, process_ns) = json_and_user_ns(&mut self.ours_command())?;
        let step = seen.pointer("/steps/0").context("no step in the result")?;
        Ok(vec![
            number(step, "/iops")?,
            process_ns / number(step, "/ios")?,
            number(step, "/cpu_user_ns_per_io")?,
            number(step, "/latency_ns/p50")? / 1e3,
            number(step, "/latency_ns/p99")? / 1e3,
        ])
    }

    /// The same system calls and nothing else: below its CPU time no program that makes one call for each I/O can come.
    fn bare_command(&self) -> Command {
        let mut command = Command::new(&self.built.floor);
        let Load { pattern, block_bytes, depth, .. } = self.load;
        command.arg("read").arg(self.file).arg(pattern);
        command
            .args([u64::from(*block_bytes), u64::from(*depth), self.plan.seconds].map(|it| it.to_string()));
        command
    }

    /// It looks at no clock, so it has no percentiles.
    fn bare(&self) -> Result<Vec<f64>> {
        let (seen, process_ns) = json_and_user_ns(&mut self.bare_command())?;
        let ios = number(&seen, "/ios")?;
        let load_ns = number(&seen, "/user_s")? * 1e9;
        Ok(vec![ios / number(&seen, "/seconds")?, process_ns / ios, load_ns / ios, f64::NAN, f64::NAN])
    }

    /// Without its map of blocks already read, which fullwire has none of either; percentiles of the whole latency.
    fn fio_command(&self) -> Command {
        let pattern = if self.load.pattern == "random" { "randread" } else { "read" };
        // A system call that waits has a depth of one: as many threads instead.
        let depth = self.load.depth;
        let (depth, jobs) = if self.engine.fio == "psync" { (1, depth) } else { (depth, 1) };
        let mut command = fio_command(pattern, self.load.block, depth, self.plan);
        command.arg(format!("--filename={}", self.file.display())).arg("--readonly");
        command.args([format!("--ioengine={}", self.engine.fio), format!("--numjobs={jobs}")]);
        command.args(["--direct=1", "--lat_percentiles=1", "--clat_percentiles=0"]);
        command
    }

    fn fio(&self) -> Result<Vec<f64>> {
        let (seen, process_ns) = json_and_user_ns(&mut self.fio_command())?;
        let job = seen.pointer("/jobs/0").context("no job in fio's result")?;
        let ios = number(job, "/read/total_ios")?;
        let load_ns = number(job, "/usr_cpu")? / 100.0 * number(job, "/job_runtime")? * 1e6;
        Ok(vec![
            number(job, "/read/iops")?,
            process_ns / ios,
            load_ns / ios,
            number(job, "/read/lat_ns/percentile/50.000000")? / 1e3,
            number(job, "/read/lat_ns/percentile/99.000000")? / 1e3,
        ])
    }
}

fn fio_command(pattern: &str, block: &str, depth: u32, plan: &BenchPlan) -> Command {
    let mut command = Command::new("fio");
    command.args(["--name=bench", "--thread", "--group_reporting", "--time_based", "--output-format=json"]);
    command.args(["--norandommap", "--randrepeat=0", &format!("--size={FILE_BYTES}")]);
    command.args([format!("--rw={pattern}"), format!("--bs={block}"), format!("--iodepth={depth}")]);
    command.arg(format!("--runtime={}", plan.seconds));
    command
}

/// What each program's own loop can do, on one core, when the target costs nothing.
fn null_target(fullwire: &Path, file: &Path, plan: &BenchPlan, table: &mut Table) -> Result<()> {
    let ours: Measure<'_> = Box::new(|| {
        let mut command = Command::new(fullwire);
        command.arg("disk").arg(file).args(["--operation", "read", "--block", "8k", "--pattern", "random"]);
        command.args(["--duration", "1s", "--repeats", "1", "--json", "--no-store", "--quiet"]);
        Ok(vec![number(&json(&mut command)?, "/generator_io_per_s")? / 1e6])
    });
    let theirs: Measure<'_> = Box::new(|| {
        let mut command = fio_command("randread", "8k", 32, plan);
        let seen = json(command.arg("--ioengine=null"))?;
        Ok(vec![number(&seen, "/jobs/0/read/iops")? / 1e6])
    });
    let metrics = [Metric { name: "I/Os", unit: "M/s" }];
    let mut peers = [Peer { name: "fio", aims: &["5 M/s"], measure: theirs }];
    compare(table, ("null target, one core", plan.pairs), &metrics, ours, &mut peers)
}
