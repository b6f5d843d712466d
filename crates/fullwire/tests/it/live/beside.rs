//! Another tool's file beside a recording: real iostat and our recorder watch the same load.

use crate::contract::keeps_its_schema;
use crate::skips::{given, skipped};
use crate::tool::{Desk, Running, json, stderr, stdout};
use serde_json::Value;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Reports of iostat, each over so many seconds.
const REPORTS: u64 = 14;
const INTERVAL_S: u64 = 2;

/// Seconds of writing and of rest by turns, never the same for long.
const BURSTS_S: [u64; 9] = [3, 4, 2, 5, 4, 3, 2, 4, 6];

/// A disk that no other test writes to: a loop device over memory.
struct Disk {
    device: PathBuf,
    _image: tempfile::TempDir,
}

impl Disk {
    /// `None` where none can be made.
    fn new() -> Option<Self> {
        let image = tempfile::tempdir_in("/dev/shm").ok()?;
        let path = image.path().join("image");
        File::create(&path).ok()?.set_len(256 << 20).ok()?;
        let made = Command::new("losetup").args(["--show", "-f"]).arg(&path).output();
        let Some(made) = made.ok().filter(|made| made.status.success()) else {
            skipped("needs root and losetup");
            return None;
        };
        Some(Self { device: stdout(&made).trim().into(), _image: image })
    }

    fn name(&self) -> &str {
        self.device.file_name().unwrap().to_str().unwrap()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.device).status();
    }
}

/// Writes through to the disk by turns until the time is over.
fn load(path: &Path, until: Instant) {
    let block = vec![7_u8; 256 << 10];
    for (turn, seconds) in BURSTS_S.iter().cycle().enumerate() {
        let end = (Instant::now() + Duration::from_secs(*seconds)).min(until);
        if turn % 2 == 0 {
            let mut file = File::create(path).unwrap();
            while Instant::now() < end {
                file.write_all(&block).unwrap();
                file.sync_data().unwrap();
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        std::thread::sleep(end.saturating_duration_since(Instant::now()));
        if Instant::now() >= until {
            return;
        }
    }
}

/// A recording, and what iostat printed in the same time.
fn both(disk: &Disk) -> Option<Desk> {
    let desk = Desk::new();
    let seconds = REPORTS * INTERVAL_S + 3;
    let iostat = Command::new("iostat")
        .args(["-xty", &INTERVAL_S.to_string(), &REPORTS.to_string()])
        .env("LC_ALL", "C")
        .env("S_TIME_FORMAT", "ISO")
        .current_dir(desk.work.path())
        .stdout(File::create(desk.work.path().join("iostat.txt")).unwrap())
        .spawn();
    let Ok(iostat) = iostat else {
        skipped("needs iostat");
        return None;
    };
    let mut iostat = Running(iostat);
    let mut recorder = desk.command();
    recorder
        .args(["record", "--for", &format!("{seconds}s"), "-o", "a.fwr", "--quiet"])
        .stdout(Stdio::null());
    let mut recorder = Running(recorder.spawn().unwrap());
    load(&disk.device, Instant::now() + Duration::from_secs(seconds - 1));
    assert!(iostat.0.wait().unwrap().success());
    assert!(recorder.0.wait().unwrap().success());
    Some(desk)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The disk that the load wrote to has the same figures in both: they read the same counters of the kernel.
fn iostat_agrees(desk: &Desk, disk: &Disk) -> Result<(), String> {
    let output = desk.run(&["replay", "a.fwr", "--with", "iostat.txt", "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    keeps_its_schema(desk, &json(&output));
    let beside = &json(&output)["beside"];
    assert_eq!(beside["tool"], "iostat");
    assert_eq!(beside["clock"]["answer"], "same", "{}", beside["clock"]);
    let figures = beside["figures"].as_array().unwrap();
    let written = figures
        .iter()
        .find(|figure| figure["metric"] == "write_bytes_per_s" && figure["subject"] == disk.name())
        .unwrap_or_else(|| panic!("{figures:?}"));
    let (theirs, ours) = (number(&written["theirs_mean"]), number(&written["ours_mean"]));
    let alike = theirs > 1e6 && (ours / theirs - 1.0).abs() < 0.15 && number(&written["concordance"]) > 0.7;
    if alike { Ok(()) } else { Err(written.to_string()) }
}

#[test]
fn iostat_tells_the_same_and_an_hour_off_is_said() {
    let disk = given!(Disk::new());
    // A burst on the boundary of two intervals blurs one try, and not three.
    let mut blurred = Vec::new();
    let desk = loop {
        let desk = given!(both(&disk));
        match iostat_agrees(&desk, &disk) {
            Ok(()) => break desk,
            Err(figure) => blurred.push(figure),
        }
        assert!(blurred.len() < 3, "{blurred:?}");
    };

    let shifted = desk.run(&["replay", "a.fwr", "--with", "iostat.txt", "--shift", "1h", "--json"]);
    let clock = &json(&shifted)["beside"]["clock"];
    assert_eq!(clock["answer"], "off", "{clock}");
    assert!((number(&clock["add_s"]) + 3600.0).abs() <= 3.0, "{clock}");
    let text = stdout(&desk.run(&["replay", "a.fwr", "--with", "iostat.txt", "--shift", "1h"]));
    assert!(text.contains("its clock is 1 h ahead") || text.contains("its clock is 60 min"), "{text}");

    let page = desk.run(&["report", "a.fwr", "--with", "iostat.txt", "-o", "a.html"]);
    assert!(page.status.success(), "{}", stderr(&page));
    let page = std::fs::read_to_string(desk.work.path().join("a.html")).unwrap();
    assert!(page.contains(" by iostat") && page.contains("its clock is the recording"), "the file is drawn");
}

#[test]
fn a_file_that_cannot_lie_beside_a_recording_is_refused() {
    let desk = Desk::new();
    assert!(desk.run(&["record", "--for", "1s", "--interval", "200ms", "-o", "a.fwr"]).status.success());
    let vmstat = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
                  r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n \
                  1  0      0 100000  10000 100000    0    0     1     2    3    4  5  6 88  1  0\n \
                  2  0      0 100000  10000 100000    0    0     1     2    3    4  5  6 88  1  0\n";
    std::fs::write(desk.work.path().join("vmstat.txt"), vmstat).unwrap();
    let refused = desk.run(&["replay", "a.fwr", "--with", "vmstat.txt"]);
    assert_eq!(refused.status.code(), Some(3));
    assert!(stderr(&refused).contains("has no times"), "{}", stderr(&refused));
    let misplaced = desk.run(&["report", "last", "--from", "14:00", "-o", "a.html"]);
    assert_eq!(misplaced.status.code(), Some(2), "{}", stderr(&misplaced));
}

/// A report of the time of the recording, by the clock of the host.
fn report_of(desk: &Desk) -> String {
    let summary = desk.json(&["replay", "a.fwr", "--json"]);
    let shown = |key: &str| {
        let at: jiff::Timestamp = summary[key].as_str().unwrap().parse().unwrap();
        at.to_zoned(jiff::tz::TimeZone::system()).strftime("%d-%b-%y %H:%M:%S").to_string()
    };
    let specimen = concat!(env!("CARGO_MANIFEST_DIR"), "/../demand/tests/specimens/awr-10g.txt");
    let text = std::fs::read_to_string(specimen).unwrap();
    text.replace("16-Feb-10 09:30:25", &shown("from")).replace("16-Feb-10 10:00:27", &shown("to"))
}

#[test]
fn a_report_of_the_database_lies_beside_its_devices() {
    let desk = Desk::new();
    assert!(desk.run(&["record", "--for", "3s", "--interval", "500ms", "-o", "a.fwr"]).status.success());
    std::fs::write(desk.work.path().join("awr.txt"), report_of(&desk)).unwrap();
    let document = desk.json(&["replay", "a.fwr", "--awr", "awr.txt", "--json"]);
    keeps_its_schema(&desk, &document);
    let database = &document["database"];
    assert_eq!(
        (&database["db_name"], &database["source"]),
        (&"TENG".into(), &"awr.txt".into()),
        "{document}"
    );
    assert!(document["samples"].as_u64().unwrap() >= 3, "{document}");
    let text = stdout(&desk.run(&["replay", "a.fwr", "--awr", "awr.txt"]));
    assert!(text.contains("awr.txt of TENG compared with "), "{text}");
    // The report of another day has nothing to be laid beside.
    let specimen = concat!(env!("CARGO_MANIFEST_DIR"), "/../demand/tests/specimens/awr-10g.txt");
    let refused = desk.run(&["replay", "a.fwr", "--awr", specimen]);
    assert_eq!(refused.status.code(), Some(3));
    assert!(stderr(&refused).contains("do not overlap"), "{}", stderr(&refused));
}
