//! CPU time by samples of a high-resolution timer. The kernel books user time by its tick, 250 of them a second: of a
//! thread that waits for a disk most of the time a few ticks in seconds, too few to compare two programs by.

use super::process::{json, output};
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Between two samples of a busy CPU.
const PERIOD_NS: u32 = 50_000;

/// What a program prints as JSON, and the time in user mode of its threads but the first, ns: that one prepares and
/// reports, the others are the load. `scratch` is a file that may be overwritten.
pub(super) fn user_ns(command: &Command, scratch: &Path) -> Result<(Value, f64)> {
    let mut recorded = Command::new("perf");
    recorded.args([
        "record",
        "--quiet",
        "--event",
        "cpu-clock:u",
        "--count",
        &PERIOD_NS.to_string(),
        "--output",
    ]);
    recorded.arg(scratch).arg("--").arg(command.get_program()).args(command.get_args());
    let seen = json(&mut recorded)?;
    let mut script = Command::new("perf");
    let samples = output(script.args(["script", "--fields", "pid,tid", "--input"]).arg(scratch))?;
    let of_load = samples.lines().filter(|line| is_of_load(line)).count();
    anyhow::ensure!(of_load > 0, "perf saw no thread of {} but its first", command.get_program().display());
    let samples = u32::try_from(of_load).context("more samples than can be")?;
    Ok((seen, f64::from(samples) * f64::from(PERIOD_NS)))
}

/// `PID/TID`: the first thread has the number of the process.
fn is_of_load(line: &str) -> bool {
    line.trim().split_once('/').is_some_and(|(process, thread)| process != thread)
}

#[cfg(test)]
mod tests {
    use super::is_of_load;

    #[test]
    fn the_first_thread_is_not_of_the_load() {
        assert!(is_of_load(" 4711/4712 "));
        assert!(!is_of_load(" 4711/4711 "));
        assert!(!is_of_load(""));
    }
}
