//! fio's JSON, versions 2 and 3: each job and direction becomes a step of a storage result.

use super::{is_json, whole};
use crate::ReadError;
use fullwire_model::PathName;
use fullwire_model::disk::{Caveat, DiskResult, DiskStepResult, Engine, Operation, Pattern, Sync};
use fullwire_model::json;
use fullwire_model::latency::Latency;
use fullwire_model::quantity::parse_size_bytes;
use serde_json::{Map, Value};

/// The kind of caveat that says so.
const PAGE_CACHE: &str = "page-cache";
/// Engines that wait for each I/O: their depth is 1, whatever was asked for (fio(1)).
pub(super) const WAITING: [&str; 6] = ["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"];
/// What a result of all clients is called.
const ALL: &str = "All clients";

/// True for fio's JSON.
pub(super) fn is_fio(text: &str) -> bool {
    is_json(text) && text.contains("\"fio version\"")
}

/// Reads the output: one result for each client and target; of several clients their total as well. Lines before the
/// JSON (fio prints its warnings there) are left aside.
pub(super) fn read(text: &str, name: &str) -> Result<Vec<DiskResult>, ReadError> {
    let value = json_of(text).map_err(|(line, what)| ReadError::new(name, line, what))?;
    let empty = Map::new();
    let global = value["global options"].as_object().unwrap_or(&empty);
    let jobs = value["jobs"].as_array().or_else(|| value["client_stats"].as_array());
    let Some(jobs) = jobs else { return Err(ReadError::new(name, 1, "fio's JSON without \"jobs\"")) };
    let clients = value["jobs"].as_array().is_none();
    let mut results: Vec<DiskResult> = Vec::new();
    for job in jobs {
        let own = job["job options"].as_object().unwrap_or(&empty);
        let options = Options { own, global };
        let result = result_of(&mut results, &target(job, &options, name, clients));
        let begin = result.steps.len();
        for (key, operation) in [("read", Operation::Read), ("write", Operation::Write)] {
            result.steps.extend(step(job, key, operation, &options));
        }
        take_turns(&mut result.steps[begin..]);
        // unified_rw_reporting=1 has both under one name, =both has all three.
        if !moved(job, "read") && !moved(job, "write") {
            result.steps.extend(step(job, "mixed", Operation::Mixed, &options));
        }
        note(result, job, &options);
    }
    // The total of a single client is the client.
    let hosts = results.len();
    results
        .retain(|result| !result.steps.is_empty() && (hosts > 2 || !result.target.as_str().starts_with(ALL)));
    if results.is_empty() {
        return Err(ReadError::new(name, 1, "fio's JSON has no job that read or wrote anything"));
    }
    Ok(results)
}

/// One thread that reads and writes in turn is driven to the limit of neither: each figure is of half of its time, and is
/// called by what it does.
fn take_turns(steps: &mut [DiskStepResult]) {
    let [read, write] = steps else { return };
    if read.threads.max(1).saturating_mul(read.queue_depth.max(1)) > 1 {
        return;
    }
    read.profile.push_str(", reads of both");
    write.profile.push_str(", writes of both");
    (read.concurrent, write.concurrent) = (true, true);
}

/// Where a job read and wrote: its file or directory, with the client that ran it.
fn target(job: &Value, options: &Options<'_>, name: &str, clients: bool) -> PathName {
    if clients && job["jobname"].as_str() == Some(ALL) {
        return format!("{ALL} of {name}").into();
    }
    let place = options.text("filename").or_else(|| options.text("directory")).unwrap_or(name);
    match job["hostname"].as_str() {
        Some(host) => format!("{host}:{place}").into(),
        None => place.into(),
    }
}

fn result_of<'a>(results: &'a mut Vec<DiskResult>, target: &PathName) -> &'a mut DiskResult {
    let index = results.iter().position(|result| result.target == *target).unwrap_or_else(|| {
        let result =
            DiskResult { target: target.clone(), target_kind: "file".into(), ..DiskResult::default() };
        results.push(result);
        results.len() - 1
    });
    &mut results[index]
}

/// The first JSON value of a text, whatever is before it.
pub(super) fn json_of(text: &str) -> Result<Value, (usize, String)> {
    let start =
        if text.trim_start().starts_with('{') { text.find('{') } else { text.find("\n{").map(|at| at + 1) };
    let start = start.ok_or((1, "no JSON in the file".to_owned()))?;
    let skipped = text[..start].lines().count();
    json::first(&text[start..]).map_err(|error| (skipped + error.line(), format!("damaged JSON: {error}")))
}

/// A job's options before the global ones.
struct Options<'a> {
    own: &'a Map<String, Value>,
    global: &'a Map<String, Value>,
}

impl Options<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        self.own.get(key).or_else(|| self.global.get(key)).and_then(Value::as_str)
    }

    fn count(&self, key: &str) -> u32 {
        self.text(key).and_then(|text| text.parse().ok()).unwrap_or(1)
    }

    fn is_on(&self, key: &str) -> bool {
        self.text(key).is_some_and(|text| text != "0")
    }

    /// What one thread keeps in flight.
    fn depth(&self) -> u32 {
        match self.text("ioengine") {
            Some(engine) if WAITING.contains(&engine) => 1,
            _ => self.count("iodepth"),
        }
    }

    /// Threads behind one entry: all of a group that is reported together, else one.
    fn threads(&self) -> u32 {
        let together = self.own.get("group_reporting").or_else(|| self.global.get("group_reporting"));
        let together = together.is_some_and(|value| value.as_str() != Some("0"));
        if together { self.count("numjobs") } else { 1 }
    }

    /// `bs=4k`, `bs=8k,4k` (read, write).
    fn block_bytes(&self, operation: Operation) -> Option<u64> {
        let text = self.text("bs").or_else(|| self.text("blocksize"))?;
        let mut sizes = text.split(',');
        let read = sizes.next()?;
        let size = if operation == Operation::Write { sizes.next().unwrap_or(read) } else { read };
        parse_size_bytes(size).ok()
    }

    fn sync(&self) -> Sync {
        match () {
            () if self.is_on("fdatasync") => Sync::Fdatasync,
            () if self.is_on("fsync") => Sync::Fsync,
            () if self.text("sync") == Some("dsync") => Sync::Dsync,
            () if self.is_on("sync") && self.text("sync") != Some("none") => Sync::Osync,
            () => Sync::None,
        }
    }
}

/// A number that is a power of two but for so small a part, as that: old versions round the I/Os per second that a mean size
/// is made of.
pub(super) fn snapped(value: f64, part: f64) -> u64 {
    let power = value.max(1.0).log2().round().exp2();
    whole(if (value / power - 1.0).abs() <= part { power } else { value })
}

/// A side of a job did anything.
fn moved(job: &Value, key: &str) -> bool {
    job[key]["io_bytes"].as_u64().is_some_and(|bytes| bytes > 0)
}

fn step(job: &Value, key: &str, operation: Operation, options: &Options<'_>) -> Option<DiskStepResult> {
    let side = &job[key];
    // Version 2 counts KiB, version 3 bytes with io_kbytes as well.
    let v3 = side.get("io_kbytes").is_some();
    let bytes = side["io_bytes"].as_u64()? * if v3 { 1 } else { 1024 };
    let rate = side["iops"].as_f64()?;
    if bytes == 0 {
        return None;
    }
    let duration_s = side["runtime"].as_f64().unwrap_or(0.0) / 1e3;
    let ios = side["total_ios"].as_u64().unwrap_or_else(|| whole(rate * duration_s));
    let bw = side["bw_bytes"].as_f64().or_else(|| Some(side["bw"].as_f64()? * 1024.0))?;
    let rw = options.text("rw").or_else(|| options.text("readwrite")).unwrap_or("");
    let of_mean = || bytes.checked_div(ios).map(|mean| snapped(mean as f64, 0.01));
    let block_bytes = options.block_bytes(operation).or_else(of_mean).unwrap_or(0);
    let cpu = |key: &str| job[key].as_f64().unwrap_or(0.0) / 100.0 * duration_s * 1e9 / ios.max(1) as f64;
    let mut step = DiskStepResult {
        profile: format!("fio {}", job["jobname"].as_str().unwrap_or("")).trim().to_owned(),
        operation,
        // fio(1): rwmixread is 50 unless set.
        read_share: (operation == Operation::Mixed)
            .then(|| options.text("rwmixread").and_then(|text| text.parse().ok()).unwrap_or(50.0) / 100.0),
        pattern: if rw.contains("rand") { Pattern::Random } else { Pattern::Sequential },
        block_bytes,
        queue_depth: options.depth(),
        threads: options.threads(),
        engine: if options.text("ioengine") == Some("io_uring") { Engine::IoUring } else { Engine::Plain },
        direct: options.is_on("direct"),
        // Reads are never made durable.
        sync: if operation == Operation::Read { Sync::None } else { options.sync() },
        ios,
        bytes,
        duration_s,
        iops: rate,
        throughput_bytes_per_s: bw,
        latency_ns: latency(side, ios),
        cpu_user_ns_per_io: cpu("usr_cpu"),
        cpu_sys_ns_per_io: cpu("sys_cpu"),
        noise: scatter(side),
        ..DiskStepResult::default()
    };
    if flushes(&step) {
        let sync = &job["sync"];
        let flush =
            latency_of(&sync["lat_ns"], &sync["lat_ns"]["percentile"], sync["total_ios"].as_u64(), 1.0);
        add_flushes(&mut step, flush);
    }
    Some(step)
}

/// How far fio's own samples (half a second each unless set otherwise) lie apart: standard deviation over mean of the
/// I/Os per second, before 3.0 of the bandwidth. `None`: fewer than two samples.
fn scatter(side: &Value) -> Option<f64> {
    let of = |mean: &str, deviation: &str, samples: &str| {
        let (mean, deviation) = (side[mean].as_f64()?, side[deviation].as_f64()?);
        let several = side[samples].as_u64().map_or(deviation > 0.0, |count| count > 1);
        (several && mean > 0.0 && deviation >= 0.0).then(|| (deviation / mean).min(1.0))
    };
    of("iops_mean", "iops_stddev", "iops_samples").or_else(|| of("bw_mean", "bw_dev", "bw_samples"))
}

/// The step calls fsync or fdatasync between its writes, which fio times apart from them; `O_DSYNC` waits within the
/// write.
fn flushes(step: &DiskStepResult) -> bool {
    matches!(step.sync, Sync::Fdatasync | Sync::Fsync)
}

/// A durable write takes the write and its flush. The mean of both is the sum of the means; no percentile of the sum
/// follows from theirs, but it is at least that of the longer part. Where fio did not time the flushes (old versions) the
/// latency of a durable write is not known, and that of the write alone would pass for it.
pub(super) fn add_flushes(step: &mut DiskStepResult, flush: Latency) {
    if flush.count == 0 {
        step.latency_ns = Latency::default();
        return;
    }
    let write = std::mem::take(&mut step.latency_ns);
    // fsync=N flushes after N writes (fio(1)).
    let share = (flush.count as f64 / write.count.max(1) as f64).min(1.0);
    // The last flush of a job is not counted.
    let each = flush.count + 1 >= write.count;
    let longer = |write: u64, flush: u64| if each { write.max(flush) } else { write };
    step.latency_ns = Latency {
        count: write.count,
        min: write.min,
        mean: write.mean + flush.mean * if each { 1.0 } else { share },
        p50: longer(write.p50, flush.p50),
        p90: longer(write.p90, flush.p90),
        p99: longer(write.p99, flush.p99),
        p999: longer(write.p999, flush.p999),
        p9999: longer(write.p9999, flush.p9999),
        max: write.max.max(flush.max),
        buckets: Vec::new(),
    };
    step.flush_ns = Some(flush);
}

/// Percentiles are of the completion latency, unless fio was to take those of the whole; version 2 counts in µs.
fn latency(side: &Value, ios: u64) -> Latency {
    let pick =
        |names: [&str; 2]| names.iter().find_map(|name| Some((side.get(*name)?, name.ends_with("_ns"))));
    let Some((clat, in_ns)) = pick(["clat_ns", "clat"]) else { return Latency::default() };
    let total = pick(["lat_ns", "lat"]).map_or(clat, |(total, _)| total);
    let unit = if in_ns { 1.0 } else { 1e3 };
    // lat_percentiles=1 moves them.
    let percentiles = [clat, total].into_iter().map(|one| &one["percentile"]).find(|one| one.is_object());
    latency_of(total, percentiles.unwrap_or(&Value::Null), total["N"].as_u64().or(Some(ios)), unit)
}

/// `unit` ns to one of the file's.
fn latency_of(total: &Value, percentiles: &Value, samples: Option<u64>, unit: f64) -> Latency {
    let ns = |value: &Value| whole(value.as_f64().unwrap_or(0.0) * unit);
    let at = |percentile: &str| ns(&percentiles[percentile]);
    Latency {
        count: total["N"].as_u64().or(samples).unwrap_or(0),
        min: ns(&total["min"]),
        mean: total["mean"].as_f64().unwrap_or(0.0) * unit,
        p50: at("50.000000"),
        p90: at("90.000000"),
        p99: at("99.000000"),
        p999: at("99.900000"),
        p9999: at("99.990000"),
        max: ns(&total["max"]),
        buckets: Vec::new(),
    }
}

/// The page cache may have answered.
pub(super) fn page_cache(why: &str) -> Caveat {
    Caveat { kind: PAGE_CACHE.into(), text: format!("{why}: the page cache may have answered"), void: false }
}

fn note(result: &mut DiskResult, job: &Value, options: &Options<'_>) {
    note_flushes(result, job);
    if !options.is_on("direct") && result.caveats.iter().all(|caveat| caveat.kind != PAGE_CACHE) {
        result.caveats.push(page_cache("fio ran without direct=1"));
    }
    if job["trim"]["io_bytes"].as_u64().is_some_and(|bytes| bytes > 0) {
        let detail = format!("the trims of job {} are not read", job["jobname"].as_str().unwrap_or(""));
        result.gaps.push(fullwire_model::Gap::new("fio", fullwire_model::GapReason::Skipped, detail));
    }
    if let Some(error) = job["error"].as_i64().filter(|&error| error != 0) {
        let detail = format!("job {} ended with error {error}", job["jobname"].as_str().unwrap_or(""));
        result.gaps.push(fullwire_model::Gap::new("fio", fullwire_model::GapReason::Malformed, detail));
    }
}

/// What is said of steps that flush, once for each target.
fn note_flushes(result: &mut DiskResult, job: &Value) {
    const KIND: &str = "flush-timed-apart";
    if result.steps.iter().any(|step| step.flush_ns.is_some())
        && result.caveats.iter().all(|caveat| caveat.kind != KIND)
    {
        let text = "fio times a write and its flush apart: the mean of a durable write is of both, its percentiles \
                    are at least these";
        result.caveats.push(Caveat { kind: KIND.into(), text: text.into(), void: false });
    }
    let untimed = |step: &DiskStepResult| flushes(step) && step.flush_ns.is_none();
    let name = job["jobname"].as_str().unwrap_or("");
    if result.steps.iter().any(|step| untimed(step) && step.profile == format!("fio {name}").trim()) {
        let detail = format!(
            "fio did not time the flushes of job {name}: how long its durable writes took is not known"
        );
        result.gaps.push(fullwire_model::Gap::new("fio", fullwire_model::GapReason::Absent, detail));
    }
}
