//! The end of a recording as a run, for who wants to know how the host is now and not how it was.

use anyhow::{Context, Result};
use fullwire_model::recording::{Sample, window};
use fullwire_model::{Command, Gap, GapReason, RUN_SCHEMA, Run, Window};
use fullwire_rules::spans::Usual;
use fullwire_store::recording::Recording;
use jiff::{SignedDuration, Timestamp};
use std::path::Path;
use std::time::Duration;

/// The command of such a run.
pub(crate) const RECORDED: &str = "record";

/// Samples farther apart have a hole between them, s: the recorder was off.
const HOLE_S: f64 = 150.0;

/// What is usual for a device is learned from so much before the end.
const LEARNED: SignedDuration = SignedDuration::from_hours(6);

/// The later sample goes on where the earlier one ended: the same boot, no suspension, the recorder was on.
pub(crate) fn follows(from: &Sample, to: &Sample) -> bool {
    let boot_ns = to.boottime_ns.saturating_sub(from.boottime_ns);
    let awake_ns = to.counters.monotonic_ns.saturating_sub(from.counters.monotonic_ns);
    to.boottime_ns > from.boottime_ns
        && to.counters.monotonic_ns > from.counters.monotonic_ns
        && to.seconds_since(from) < HOLE_S
        && boot_ns.saturating_sub(awake_ns) < 1_000_000_000
}

/// The host as it was recorded last, with the counters of the last `length` before the end, or of as much of it as lies
/// behind the last reboot, suspension or pause of the recorder.
pub(crate) fn end_of(path: &Path, length: Duration) -> Result<Run> {
    let recording = Recording::open(path)?;
    let whole = recording.span();
    let from = before(whole.to, SignedDuration::try_from(length)?).max(whole.from);
    let mut damage = recording.damage().to_vec();
    let (mut first, mut last) = (None, None);
    for one in recording.samples(from, whole.to) {
        match one {
            Ok(one) => {
                let goes_on = last.as_ref().is_some_and(|last: &(Sample, _)| follows(&last.0, &one.sample));
                if !goes_on {
                    first = Some(one.sample.clone());
                }
                last = Some((one.sample, one.host));
            }
            Err(error) => damage.push(error),
        }
    }
    let ends = first.zip(last);
    let (first, (last, row)) =
        ends.with_context(|| format!("{}: no sample at its end can be read", path.display()))?;
    let host = recording.host(row).map_err(anyhow::Error::msg)?;
    let window = Window { usual: usual(&recording, whole.to).disks(), ..window(&first, &last) };
    let gaps = damage.into_iter().map(|detail| Gap::new("recording", GapReason::Malformed, detail)).collect();
    Ok(Run {
        schema: RUN_SCHEMA.into(),
        run_id: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        tool_version: recording.meta("tool_version").unwrap_or_default(),
        started: first.wall,
        finished: last.wall,
        command: Command { name: RECORDED.into(), ..Command::default() },
        host,
        windows: vec![window],
        gaps,
        ..Run::default()
    })
}

/// What each device takes for a request when nothing is wrong, from one sample of each minute.
fn usual(recording: &Recording, end: Timestamp) -> Usual {
    let mut usual = Usual::default();
    let mut last: Option<Sample> = None;
    for one in recording.keys(before(end, LEARNED), end).flatten() {
        if let Some(last) = last.as_ref().filter(|last| follows(last, &one.sample)) {
            usual.learn(&window(last, &one.sample).continuous());
        }
        last = Some(one.sample);
    }
    usual
}

fn before(at: Timestamp, length: SignedDuration) -> Timestamp {
    at.checked_sub(length).unwrap_or(Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::counters::{Counters, DiskCounters};
    use fullwire_model::host::{Disk, Host};
    use fullwire_store::recording::{Begin, RecordingWriter};

    /// A disk that is read from, and hangs with a request from second 150 on. The host boots before second 40.
    fn sample(second: u64) -> Sample {
        let disk = DiskCounters {
            reads: second.min(150) * 100,
            read_bytes: second.min(150) * 819_200,
            read_ms: second.min(150) * 50,
            in_flight: u64::from(second >= 150),
            ..DiskCounters::default()
        };
        let clock_ns = 1_000_000_000 * if second < 40 { 9_000 + second } else { second };
        Sample {
            boottime_ns: clock_ns,
            wall: Timestamp::from_second(1_795_000_000 + i64::try_from(second).unwrap()).unwrap(),
            counters: Counters {
                monotonic_ns: clock_ns,
                disks: [("sda".to_owned(), disk)].into(),
                ..Counters::default()
            },
            ..Sample::default()
        }
    }

    fn recorded(path: &Path, seconds: u64) {
        let begin = Begin {
            interval_ns: 1_000_000_000,
            tool_version: "1.2.3".into(),
            zone: "UTC".into(),
            boot_id: "boot-1".into(),
        };
        let mut writer = RecordingWriter::create(path, &begin).unwrap();
        let disk = Disk { name: "sda".into(), kind: "disk".into(), ..Disk::default() };
        let host = Host { hostname: "db1".into(), disks: vec![disk], ..Host::default() };
        writer.host(&sample(0), &host).unwrap();
        for second in 0..seconds {
            writer.sample(&sample(second), &[]).unwrap();
        }
    }

    fn codes(run: &Run) -> Vec<String> {
        fullwire_rules::assess(run).findings.into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn the_end_is_judged_and_what_was_before_is_not() {
        let place = tempfile::tempdir().unwrap();
        let (path, healthy) = (place.path().join("a.fwr"), place.path().join("b.fwr"));
        recorded(&path, 200);
        recorded(&healthy, 150);
        let run = end_of(&path, Duration::from_secs(30)).unwrap();
        assert_eq!((run.host.hostname.as_str(), run.tool_version.as_str()), ("db1", "1.2.3"));
        assert_eq!(run.finished.duration_since(run.started).as_secs(), 30);
        assert!((run.windows[0].seconds() - 30.0).abs() < 1e-9);
        assert!(codes(&run).contains(&"device-stalled".to_owned()), "{:?}", codes(&run));
        let run = end_of(&healthy, Duration::from_secs(30)).unwrap();
        assert!(!codes(&run).contains(&"device-stalled".to_owned()), "{:?}", codes(&run));
    }

    #[test]
    fn nothing_before_a_reboot_counts() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.fwr");
        recorded(&path, 60);
        let run = end_of(&path, Duration::from_secs(3600)).unwrap();
        assert!((run.windows[0].seconds() - 19.0).abs() < 1e-9, "{}", run.windows[0].seconds());
        assert!(end_of(place.path().join("none.fwr").as_path(), Duration::from_secs(1)).is_err());
    }
}
