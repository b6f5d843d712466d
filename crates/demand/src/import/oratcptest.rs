//! What Oracle's `oratcptest.jar` prints, and fullwire's own face of it: one network result.

use super::{number, whole, words};
use crate::ReadError;
use crate::page::{nanoseconds, power};
use fullwire_model::latency::Latency;
use fullwire_model::net::{NetInterval, NetMode, NetResult};

/// "(1 Mbyte = 1024x1024 bytes)"
const MBYTE: f64 = 1_048_576.0;

/// True for the head that oratcptest prints.
pub(super) fn is_oratcptest(text: &str) -> bool {
    text.contains("[Requesting a test]") || text.contains("Statistics interval    =")
}

/// Reads the output of the client.
pub(super) fn read(text: &str, name: &str) -> Result<NetResult, ReadError> {
    let head = |label: &str| text.lines().find_map(|line| value_of(line, label));
    let mean = head("Avg. throughput").and_then(megabytes);
    let Some(throughput_bytes_per_s) = mean else {
        return Err(ReadError::at_end(
            name,
            text,
            "oratcptest's output without \"Avg. throughput\": the test did not finish",
        ));
    };
    let mode = match head("Transport mode") {
        Some("SYNC") => NetMode::Sync,
        _ => NetMode::Async,
    };
    let every_s = head("Statistics interval").and_then(seconds).unwrap_or(0.0);
    let intervals = intervals(text, every_s);
    let duration_s = head("Test duration").and_then(seconds).unwrap_or(every_s * intervals.len() as f64);
    let bytes = whole(throughput_bytes_per_s * duration_s);
    let payload_bytes = head("Message payload").and_then(size).unwrap_or(0);
    let mut result = NetResult {
        target: target(text).unwrap_or(name).into(),
        mode,
        messages: bytes.checked_div(payload_bytes).unwrap_or(0),
        streams: head("Number of connections").and_then(|text| text.parse().ok()).unwrap_or(1),
        payload_bytes,
        duration_s,
        bytes,
        throughput_bytes_per_s,
        intervals,
        ..NetResult::default()
    };
    // It prints the mean latency alone: no percentiles.
    if let Some(mean) = head("Avg. latency").and_then(milliseconds) {
        result.latency_ns = Some(Latency { mean, ..Latency::default() });
    }
    result.plan.write = head("Disk write").is_some_and(|word| word.eq_ignore_ascii_case("yes"));
    result.plan.target.clone_from(&result.target);
    Ok(result)
}

/// `\tMessage payload        = 1 Mbyte`
fn value_of<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let (name, value) = line.split_once('=')?;
    (name.trim() == label).then_some(value.trim())
}

/// A number and what it is of, in lower case.
fn quantity(text: &str) -> Option<(f64, String)> {
    let mut words = text.split_whitespace();
    Some((number(words.next()?)?, words.next()?.to_lowercase()))
}

/// `149.284 Mbytes/s`
fn megabytes(text: &str) -> Option<f64> {
    quantity(text).filter(|(_, unit)| unit.starts_with("mbyte")).map(|(rate, _)| rate * MBYTE)
}

/// `0.123 ms`
fn milliseconds(text: &str) -> Option<f64> {
    quantity(text).filter(|(_, unit)| unit.starts_with("ms")).map(|(time, _)| time * 1e6)
}

/// `2 seconds`, `10 minutes`
fn seconds(text: &str) -> Option<f64> {
    let (count, unit) = quantity(text)?;
    nanoseconds(unit.trim_end_matches(|c: char| !c.is_alphabetic())).map(|ns| count * ns / 1e9)
}

/// `1 Mbyte`, `8192 bytes`, `8 Kbytes`
fn size(text: &str) -> Option<u64> {
    let (count, unit) = quantity(text)?;
    power(unit.split_once("byte")?.0, 1024.0).map(|factor| whole(count * factor))
}

/// The host of `java -jar oratcptest.jar HOST -mode=async`, where the command is in the file.
fn target(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.contains("oratcptest") && !line.contains("[Requesting"))?;
    let after = line.split("oratcptest").nth(1)?;
    after.split_whitespace().find(|word| !word.starts_with('-') && !word.starts_with('.'))
}

/// `(18:08:22)        151.234 Mbytes/s`
fn intervals(text: &str, every_s: f64) -> Vec<NetInterval> {
    let rates = text.lines().filter_map(|line| {
        let words = words(line);
        let stamped = words.first()?.starts_with('(') && words.first()?.ends_with(')');
        let place = words.iter().position(|word| word.to_lowercase().starts_with("mbytes/s"))?;
        stamped.then(|| number(words.get(place.checked_sub(1)?)?)).flatten()
    });
    let interval = |(index, rate): (usize, f64)| NetInterval {
        t_s: (index + 1) as f64 * every_s,
        throughput_bytes_per_s: rate * MBYTE,
        ..NetInterval::default()
    };
    rates.enumerate().map(interval).collect()
}
