//! A capture read back is the host that was captured.

use crate::tree::Tree;
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

/// Four samples as OSWatcher writes them; the last one is still being written.
#[test]
fn an_oswatcher_archive_tells_what_grew_while_it_watched() {
    let samples: String = [("10:59:30", 100, 5), ("11:00:00", 150, 6), ("11:00:30", 400, 45), ("11:01:00", 1, 0)]
        .iter()
        .map(|(time, fragments, failed)| {
            format!(
                "zzz ***Wed Feb 29 {time} EST 2012\nIp:\n    {fragments} reassemblies required\n    {failed} packet reassembles failed\n"
            )
        })
        .collect();
    let tree = Tree::new();
    tree.file("/oswnetstat/db01_netstat_12.02.29.1000.dat", "zzz ***an older hour\n");
    tree.file("/oswnetstat/db01_netstat_12.02.29.1100.dat", &samples);
    let window = tree.root().window().expect("a window");
    assert_eq!(window.to.monotonic_ns - window.from.monotonic_ns, 60_000_000_000);
    let grown = |name: &str| window.to.snmp[name] - window.from.snmp[name];
    assert_eq!((grown("IpReasmReqds"), grown("IpReasmFails")), (300, 40));
}
