//! Reading: AWR reports of 2 MB, and a long `sadf -j` file as it streams by. No peer reads these: figures alone.

use super::table::Table;
use super::{BenchPlan, build};
use crate::{root, target_dir};
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

const REPORT_BYTES: usize = 2_000_000;
/// How often a running reader's memory is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(2);
const SECONDS_BETWEEN: u64 = 10;
const CPUS: usize = 16;
const DISKS: usize = 12;
const INTERFACES: usize = 4;

pub(super) fn run(plan: &BenchPlan, table: &mut Table) -> Result<()> {
    let fullwire = build()?.fullwire;
    let directory = Scratch::make()?;
    table.note("times are of the whole process: start, read, judge, print JSON");
    reports(&fullwire, &directory.0, plan, table)?;
    sysstat(&fullwire, &directory.0, plan, table)
}

/// A directory of this run, removed with all in it.
struct Scratch(PathBuf);

impl Scratch {
    fn make() -> Result<Self> {
        let path = target_dir().join(format!("bench-{}", std::process::id()));
        std::fs::create_dir(&path).with_context(|| format!("create {}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn reports(fullwire: &Path, directory: &Path, plan: &BenchPlan, table: &mut Table) -> Result<()> {
    let samples = root().join("../shared/samples/awr");
    let Ok(entries) = std::fs::read_dir(&samples) else {
        table.note("../shared/samples/awr: absent: AWR skipped");
        return Ok(());
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "html"));
    paths.sort();
    for sample in paths {
        let name = sample.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let padded = directory.join("report.html");
        let text = std::fs::read(&sample).with_context(|| format!("read {}", sample.display()))?;
        let bytes = pad(&text);
        std::fs::write(&padded, &bytes).context("write a padded report")?;
        let mut times_ms = Vec::new();
        for _ in 0..plan.pairs {
            let seen = read(Command::new(fullwire).arg("awr").arg(&padded))?;
            times_ms.push(seen.seconds * 1e3);
        }
        let label = format!("awr {name}, {:.1} MB", bytes.len() as f64 / 1e6);
        table.alone(&label, "ms", &times_ms, "< 60");
    }
    Ok(())
}

/// The report with its body repeated to 2 MB: more tables of the kinds that it has.
fn pad(report: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(report);
    let lower = text.to_ascii_lowercase();
    let begin = lower.find("<table").unwrap_or(0);
    let end = lower.rfind("</table>").map_or(text.len(), |at| at + "</table>".len());
    let mut padded = text[..end].to_owned();
    while padded.len() + text.len() - end < REPORT_BYTES {
        let mut most = (REPORT_BYTES - padded.len()).min(end - begin);
        while !text.is_char_boundary(begin + most) {
            most -= 1;
        }
        // Cut behind a table, so that the report stays whole.
        let Some(cut) = lower[begin..begin + most].rfind("</table>") else { break };
        padded.push_str(&text[begin..begin + cut + "</table>".len()]);
    }
    padded.push_str(&text[end..]);
    padded.into_bytes()
}

fn sysstat(fullwire: &Path, directory: &Path, plan: &BenchPlan, table: &mut Table) -> Result<()> {
    let path = directory.join("sadf.json");
    let bytes = write_sysstat(&path, plan.mb * 1_000_000)?;
    let (mut rates, mut peaks) = (Vec::new(), Vec::new());
    for turn in 0..plan.pairs {
        eprintln!("sadf -j: {} of {}", turn + 1, plan.pairs);
        let seen = read(Command::new(fullwire).arg("import").arg(&path))?;
        rates.push(bytes as f64 / 1e6 / seen.seconds);
        peaks.push(seen.peak_kib as f64 / 1024.0);
    }
    let label = format!("sadf -j, {:.0} MB", bytes as f64 / 1e6);
    table.alone(&format!("{label}: rate"), "MB/s", &rates, "> 150");
    table.alone(&format!("{label}: peak memory"), "MiB", &peaks, "< 256");
    Ok(())
}

/// What one reading took.
struct Seen {
    seconds: f64,
    peak_kib: u64,
}

fn read(command: &mut Command) -> Result<Seen> {
    command.args(["--json", "--no-store", "--quiet"]);
    let begin = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn().context("start fullwire")?;
    let process = child.id();
    let (running, ended) = channel::<()>();
    let watch = std::thread::spawn(move || watch_memory(process, &ended));
    let finished = finish(&mut child);
    let seconds = begin.elapsed().as_secs_f64();
    drop(running);
    let peak_kib = watch.join().unwrap_or_default();
    finished.map(|()| Seen { seconds, peak_kib })
}

/// The high-water mark only grows: the last look before the end is the peak, except for what came after it.
fn watch_memory(process: u32, ended: &Receiver<()>) -> u64 {
    let mut peak_kib = 0;
    while ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
        peak_kib = high_water_kib(process).unwrap_or(0).max(peak_kib);
    }
    peak_kib
}

fn finish(child: &mut Child) -> Result<()> {
    let status = child.wait().context("wait for fullwire")?;
    if !status.success() {
        bail!("fullwire: {status}");
    }
    Ok(())
}

/// `VmHWM` of proc(5).
fn high_water_kib(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A file such as `sadf -j -- -A` writes for a middling server.
fn write_sysstat(path: &Path, at_least: u64) -> Result<u64> {
    let file = File::create_new(path).with_context(|| format!("create {}", path.display()))?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let head = r#"{"sysstat": {"hosts": [{"nodename": "db1", "sysname": "Linux", "release": "5.14.0", "machine": "x86_64", "number-of-cpus": 16, "file-date": "2026-01-01", "file-utc-time": "00:00:00", "statistics": ["#;
    out.write_all(head.as_bytes())?;
    let body = statistics()?;
    let mut bytes = head.len() as u64;
    let mut number = 0;
    while bytes < at_least {
        let comma = if number == 0 { "" } else { "," };
        let element = format!("{comma}\n{{{},{body}}}", timestamp(number * SECONDS_BETWEEN));
        out.write_all(element.as_bytes())?;
        bytes += element.len() as u64;
        number += 1;
    }
    let tail = "\n]}]}}\n";
    out.write_all(tail.as_bytes())?;
    out.flush().context("write the sadf file")?;
    Ok(bytes + tail.len() as u64)
}

fn timestamp(second: u64) -> String {
    let (day, hour, minute) = (1 + second / 86400, second / 3600 % 24, second / 60 % 60);
    format!(
        r#""timestamp": {{"date": "2026-01-{day:02}", "time": "{hour:02}:{minute:02}:{:02}", "utc": 1, "interval": {SECONDS_BETWEEN}}}"#,
        second % 60
    )
}

/// One interval's figures, laid out with tabs as sadf does.
fn statistics() -> Result<String> {
    let mut text = String::from("\n\t\t\t\"cpu-load\": [");
    list(&mut text, CPUS, |cpu| {
        format!(
            r#"{{"cpu": "{cpu}", "usr": 12.{cpu:02}, "nice": 0.00, "sys": 3.11, "iowait": 4.25, "steal": 0.00, "irq": 0.00, "soft": 0.30, "guest": 0.00, "gnice": 0.00, "idle": 80.00}}"#
        )
    })?;
    text.push_str(r#""process-and-context-switch": {"proc": 3.56, "cswch": 68409.30}, "interrupts": ["#);
    list(&mut text, CPUS, |line| {
        let each: Vec<String> = (0..CPUS).map(|cpu| format!(r#""CPU{cpu}": {line}.00"#)).collect();
        format!(r#"{{"intr": "{line}", "all": 5120.55, {}}}"#, each.join(", "))
    })?;
    text.push_str(r#""disk": ["#);
    list(&mut text, DISKS, |disk| {
        format!(
            r#"{{"disk-device": "dm-{disk}", "tps": 1530.{disk:02}, "rkB": 12240.10, "wkB": 8160.20, "dkB": 0.00, "areq-sz": 13.33, "aqu-sz": 1.21, "await": 0.79, "rd_sec": 24480.20, "wr_sec": 16320.40, "avgrq-sz": 26.66, "avgqu-sz": 1.21, "svctm": 0.00, "util": 41.00}}"#
        )
    })?;
    text.push_str(r#""network": {"net-dev": ["#);
    list(&mut text, INTERFACES, |port| {
        format!(
            r#"{{"iface": "eth{port}", "rxpck": 9100.{port:02}, "txpck": 8800.10, "rxkB": 9216.00, "txkB": 8704.00, "rxcmp": 0.00, "txcmp": 0.00, "rxmcst": 0.10, "ifutil-percent": 7.50}}"#
        )
    })?;
    text.truncate(text.trim_end_matches([',', ' ', '\n', '\t']).len());
    text.push_str("},\n\t\t\t");
    text.push_str(
        r#""memory": {"memfree": 1048576, "avail": 33554432, "memused": 32505856, "memused-percent": 48.51, "buffers": 204800, "cached": 20971520, "commit": 41943040, "commit-percent": 62.10, "active": 8388608, "inactive": 16777216, "dirty": 4096, "swpfree": 8388608, "swpused": 0, "swpused-percent": 0.00}"#,
    );
    Ok(text)
}

/// Closes the list that the text is in.
fn list(text: &mut String, count: usize, mut item: impl FnMut(usize) -> String) -> Result<()> {
    for index in 0..count {
        let comma = if index + 1 == count { "" } else { "," };
        write!(text, "\n\t\t\t\t{}{comma}", item(index))?;
    }
    text.push_str("\n\t\t\t],\n\t\t\t");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generated_statistics_are_json() {
        let text = format!("{{{},{}}}", timestamp(86_399), statistics().expect("text"));
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["timestamp"]["time"], "23:59:59");
        assert_eq!(value["cpu-load"].as_array().map(Vec::len), Some(CPUS));
        assert_eq!(value["network"]["net-dev"].as_array().map(Vec::len), Some(INTERFACES));
    }

    #[test]
    fn a_padded_report_has_2_mb_and_ends_as_it_did() {
        let report = format!("<html><body>{}</body></html>", "<table><tr><td>1</table>".repeat(50));
        let padded = pad(report.as_bytes());
        assert!((REPORT_BYTES - 2000..=REPORT_BYTES).contains(&padded.len()), "{}", padded.len());
        assert!(padded.ends_with(b"</table></body></html>"));
    }
}
