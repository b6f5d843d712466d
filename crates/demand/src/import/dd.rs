//! `dd` with its command: how long it took, and whether the page cache could have taken it.

use super::fio::page_cache;
use super::{number, whole};
use crate::ReadError;
use fullwire_model::disk::{DiskResult, DiskStepResult, Operation, Sync};
use fullwire_model::latency::Latency;

/// True for dd's own last lines.
pub(super) fn is_dd(text: &str) -> bool {
    text.contains(" records out") && text.contains(" copied,")
}

/// Reads every run of dd in the text; the command above a run says how it wrote.
pub(super) fn read(text: &str, name: &str) -> Result<DiskResult, ReadError> {
    let mut result =
        DiskResult { target: name.to_owned(), target_kind: "file".into(), ..DiskResult::default() };
    let (mut command, mut records) = ("", 0.0);
    for line in text.lines() {
        if let Some((_, rest)) =
            line.split_once("dd ").filter(|(_, rest)| rest.contains("of=") || rest.contains("if="))
        {
            command = rest;
        } else if let Some((count, _)) = line.split_once(" records out") {
            // `10000+0`: whole ones, and cut ones.
            records = count.trim().split('+').filter_map(number).sum();
        } else if let Some((bytes, seconds)) = copied(line) {
            result.steps.push(step(command, records, bytes, seconds));
        }
    }
    if result.steps.is_empty() {
        return Err(ReadError::new(name, text.lines().count().max(1), "dd's output without \"copied\""));
    }
    if let Some(target) = text.split_once(" of=").and_then(|(_, rest)| rest.split_whitespace().next())
        && target != "/dev/null"
    {
        target.clone_into(&mut result.target);
    }
    if result.steps.iter().any(|step| !step.direct && step.sync == Sync::None) {
        result.caveats.push(page_cache("dd ran without oflag=direct and oflag=dsync"));
    }
    Ok(result)
}

/// `81920000 bytes (82 MB, 78 MiB) copied, 0.0741 s, 1.1 GB/s`
fn copied(line: &str) -> Option<(f64, f64)> {
    let (bytes, rest) = line.split_once(" bytes")?;
    let (_, time) = rest.split_once(" copied, ")?;
    let mut words = time.split_whitespace();
    let seconds = number(words.next()?)?;
    let is_seconds = words.next()?.starts_with('s');
    (is_seconds && seconds > 0.0).then_some((number(bytes.trim())?, seconds))
}

fn step(command: &str, records: f64, bytes: f64, seconds: f64) -> DiskStepResult {
    let has = |flag: &str| {
        command.split(|c: char| c.is_whitespace() || c == '=' || c == ',').any(|word| word == flag)
    };
    let reads = command.contains("of=/dev/null");
    let sync = match () {
        () if has("dsync") => Sync::Dsync,
        () if has("sync") && command.contains("oflag=") => Sync::Osync,
        () => Sync::None,
    };
    let count = if records > 0.0 { records } else { 1.0 };
    let mean_ns = seconds / count * 1e9;
    DiskStepResult {
        profile: format!("dd {command}").trim().to_owned(),
        operation: if reads { Operation::Read } else { Operation::Write },
        block_bytes: whole(bytes / count),
        queue_depth: 1,
        threads: 1,
        direct: has("direct"),
        sync,
        ios: whole(count),
        bytes: whole(bytes),
        duration_s: seconds,
        iops: count / seconds,
        throughput_bytes_per_s: bytes / seconds,
        latency_ns: Latency { count: whole(count), mean: mean_ns, ..Latency::default() },
        ..DiskStepResult::default()
    }
}
