//! A run that cannot be kept is shown all the same, runs that begin at once are all kept, and reading makes nothing.

use crate::tool::{Desk, json, stderr, stdout};
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Output, Stdio};

const CHECK: [&str; 5] = ["check", "--window", "0s", "--fail-on", "never"];

#[test]
fn a_run_that_cannot_be_kept_is_shown_and_the_exit_status_is_the_judgements() {
    let desk = Desk::new();
    std::fs::write(desk.work.path().join("file"), "no directory, and no store\n").unwrap();
    for store in ["file/runs.db", "file", "/proc/fullwire/runs.db", "/dev/full"] {
        for (fail_on, status) in [("never", 0), ("info", 1)] {
            let output =
                desk.run(&["check", "--window", "0s", "--json", "--store", store, "--fail-on", fail_on]);
            assert_eq!(json(&output)["schema"], "fullwire.check/1", "{store}");
            assert!(stderr(&output).contains("fullwire: not kept: "), "{store}: {}", stderr(&output));
            assert_eq!(output.status.code(), Some(status), "{store}: {}", stderr(&output));
        }
    }
    let mut homeless = desk.command();
    let output = homeless.args(CHECK).env("XDG_STATE_HOME", "/proc/none").output().unwrap();
    assert!(stdout(&output).contains("fullwire check") && stderr(&output).contains("not kept"));
    assert_eq!(output.status.code(), Some(0));
    assert!(!stderr(&desk.run(&[CHECK.as_slice(), &["--no-store"]].concat())).contains("kept"));
}

#[test]
fn twenty_runs_that_begin_at_once_are_all_kept() {
    let desk = Desk::new();
    let children: Vec<_> = (0..20)
        .map(|_| {
            let mut command = desk.command();
            command.args(CHECK).args(["--store", "runs"]);
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let ended: Vec<Output> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    for output in &ended {
        assert!(output.status.success() && stderr(output).contains("kept as"), "{}", stderr(output));
    }
    let history = desk.json(&["history", "--json", "--store", "runs", "--last", "100"]);
    assert_eq!(history["runs"].as_array().unwrap().len(), 20);
}

#[test]
fn reading_runs_makes_no_store_and_no_directory() {
    let desk = Desk::new();
    let asked: [&[&str]; 4] = [
        &["history", "--store", "absent/runs.db"],
        &["show", "last", "--store", "absent/runs.db"],
        &["report", "last", "-o", "page.html", "--store", "absent/runs.db"],
        &["history", "--store", "."],
    ];
    for arguments in asked {
        let output = desk.run(arguments);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {}", stderr(&output));
    }
    assert!(desk.files().is_empty(), "{:?}", desk.files());
    // Before the first run there is nothing to list, and that is no mistake.
    assert!(desk.json(&["history", "--json"])["runs"].as_array().unwrap().is_empty());
}

#[test]
fn an_argument_that_is_no_utf_8_is_answered_without_a_panic() {
    let desk = Desk::new();
    let odd = std::ffi::OsStr::from_bytes(b"caf\xe9");
    for words in [
        &["check", "--root"][..],
        &["disk", "--no-store"],
        &["awr"],
        &["net", "--no-store"],
        &["assess", "--path"],
    ] {
        let output = desk.command().args(words).arg(odd).output().unwrap();
        assert!(
            matches!(output.status.code(), Some(2 | 3)),
            "{words:?}: {:?} {}",
            output.status,
            stderr(&output)
        );
    }
    let link = desk.work.path().join("oratcptest");
    std::os::unix::fs::symlink(crate::tool::PROGRAM, &link).unwrap();
    assert_eq!(desk.program(&link).arg(odd).output().unwrap().status.code(), Some(2));
    // What is there under such a name is read.
    assert!(desk.run(&["capture", "-o", "host.tar.zst"]).status.success());
    std::fs::rename(desk.work.path().join("host.tar.zst"), desk.work.path().join(odd)).unwrap();
    let mut command = desk.command();
    command.args(["check", "--json", "--fail-on", "never", "--store", "runs", "--root"]).arg(odd);
    assert_eq!(json(&command.output().unwrap())["schema"], "fullwire.check/1");
    assert_eq!(desk.json(&["history", "--json", "--store", "runs"])["runs"].as_array().unwrap().len(), 1);
}
