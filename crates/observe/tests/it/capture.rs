//! A capture read back is the host that was captured.

use fullwire_observe::{Ask, CaptureOptions, CountersAsk, Root, capture, counters, host};

fn captured(
    root: &Root,
    options: &CaptureOptions,
) -> (fullwire_observe::CaptureReport, Root, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("host.tar.zst");
    let mut file = std::fs::File::create(&path).expect("created");
    let report = capture(root, options, &mut file).expect("captured");
    let back = Root::tree(&path).expect("a capture is a tree");
    (report, back, dir)
}

/// Compares records field by field, so that a difference can be read.
fn assert_same<T: serde::Serialize>(back: &T, there: &T) {
    let fields = |record: &T| match serde_json::to_value(record) {
        Ok(serde_json::Value::Object(fields)) => fields,
        other => panic!("a record is an object: {other:?}"),
    };
    let there = fields(there);
    for (name, value) in fields(back) {
        assert_eq!(Some(&value), there.get(&name), "{name}");
    }
}

#[test]
fn the_live_host_survives_the_journey() {
    let root = Root::live().expect("the live root");
    let (mut report, back, _dir) = captured(&root, &CaptureOptions::default());
    assert!(report.files > 10 && report.skipped == 0, "{} files", report.files);
    report.host.captured = true;
    assert_same(&host(&back, &Ask::default()), &report.host);
    assert_same(&counters(&back, &CountersAsk::default()), &report.counters);
    assert!(!report.counters.disks.is_empty() && report.counters.monotonic_ns > 0);
}

#[test]
fn a_capture_of_a_capture_is_the_same() {
    let root = Root::live().expect("the live root");
    let (report, back, _dir) = captured(&root, &CaptureOptions::default());
    let (again, _, _dir2) = captured(&back, &CaptureOptions::default());
    assert_eq!(again.counters, report.counters);
    assert_eq!(again.host.mounts, report.host.mounts);
}

#[test]
fn a_window_holds_the_counters_twice() {
    let root = Root::live().expect("the live root");
    let window = std::time::Duration::from_millis(20);
    let (report, back, _dir) = captured(&root, &CaptureOptions { window, ..CaptureOptions::default() });
    let window = back.window().expect("kept");
    assert_eq!(window.from, report.counters);
    assert!(window.seconds() >= 0.02, "{} s", window.seconds());
}
