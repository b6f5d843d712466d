//! Hosts of the lab, captured with `fullwire capture`, each with what an audit must say of it: written by hand
//! into `hosts/expected.txt`, from what was done to the host and what its own tools said.

use crate::tool::{Desk, stdout};
use std::collections::BTreeSet;
use std::path::Path;

/// What a host of the lab lacks by being user-mode Linux, and is no fault of the scenario.
const OF_THE_LAB: [&str; 3] = ["clock-source", "clock-unsynchronised", "cpu-saturated"];

/// A line of the table: capture, then the codes of warnings and worse; `-` for none.
fn expectations(folder: &Path) -> Vec<(String, BTreeSet<String>)> {
    let text = std::fs::read_to_string(folder.join("expected.txt")).expect("the table is there");
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .map(|line| {
            let (capture, codes) = line.split_once(':').expect("CAPTURE: CODE...");
            let codes = codes.split_whitespace().filter(|code| *code != "-").map(str::to_owned).collect();
            (capture.trim().to_owned(), codes)
        })
        .collect()
}

#[test]
fn captured_hosts_of_the_lab_are_judged_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts");
    let desk = Desk::new();
    for (capture, expected) in expectations(&folder) {
        let path = folder.join(format!("{capture}.tar.zst"));
        let document = desk.json(&[
            "check",
            "--json",
            "--no-store",
            "--fail-on",
            "never",
            "--root",
            path.to_str().expect("UTF-8"),
        ]);
        let findings = document["findings"].as_array().expect("a list");
        let found: BTreeSet<String> = findings
            .iter()
            .filter(|finding| finding["severity"] != "info")
            .map(|finding| finding["code"].as_str().expect("a code").to_owned())
            .filter(|code| !OF_THE_LAB.contains(&code.as_str()))
            .collect();
        assert_eq!(found, expected, "{capture}");
        let gaps = document["gaps"].as_array().expect("a list");
        let unread = gaps.iter().filter(|gap| gap["reason"] == "malformed").collect::<Vec<_>>();
        assert!(unread.is_empty(), "{capture}: {unread:?}");
    }
}

/// A terminal has 24 lines of 80 columns, and a host that is in order needs no more; what it lacks is named there all the same.
#[test]
fn a_host_that_is_in_order_fits_on_a_screen() {
    const SCREEN_LINES: usize = 24;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts");
    let desk = Desk::new();
    let check =
        |words: &[&str]| stdout(&desk.run(&[&["check", "--no-store", "--fail-on", "never"], words].concat()));
    let mut long = Vec::new();
    let mut in_order = 0;
    for (capture, _) in expectations(&folder).into_iter().filter(|(_, codes)| codes.is_empty()) {
        let path = folder.join(format!("{capture}.tar.zst"));
        let text = check(&["--root", path.to_str().expect("UTF-8")]);
        if text.lines().take(3).any(|line| line.starts_with("In order")) {
            in_order += 1;
            if text.lines().count() > SCREEN_LINES {
                long.push(format!("{capture}: {} lines\n{text}", text.lines().count()));
            }
        }
    }
    let live = check(&[]);
    if live.contains("\nIn order") && live.lines().count() > SCREEN_LINES {
        long.push(live);
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
    assert!(in_order > 15, "{in_order}");
}

/// A user who may not read the kernel's log, and a report that lacks it, know nothing of what it says.
#[test]
fn without_a_kernel_log_its_rules_say_unknown() {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.work.path().join("tree/proc")).expect("a folder");
    std::fs::write(desk.work.path().join("tree/proc/uptime"), "4711.00 9000.00\n").expect("written");
    std::fs::write(desk.work.path().join("tree/proc/meminfo"), "MemTotal: 16384000 kB\n").expect("written");
    let document = desk.json(&["check", "--json", "--no-store", "--fail-on", "never", "--root", "tree"]);
    for code in
        ["kernel-log-trouble", "rt-throttled", "device-timeouts", "nic-link-lost", "file-system-errors"]
    {
        let passed = document["passed"].as_array().expect("a list").iter().any(|passed| passed == code);
        let unknown =
            document["unknowns"].as_array().expect("a list").iter().any(|unknown| unknown["code"] == code);
        assert!(!passed && unknown, "{code}: {document:#}");
    }
}
