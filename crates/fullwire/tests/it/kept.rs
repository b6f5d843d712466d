//! Runs that are kept, and what is made of them.

use crate::tool::{Desk, Running, calm, serve, stderr, texts};
use std::process::Stdio;
use std::time::Duration;

/// A short measurement, kept in `runs` of the working directory.
fn measured(desk: &Desk) {
    let (_responder, address) = serve(desk, &["--open"]);
    let output = desk.run(&["net", &address, "--duration", "1s", "--store", "runs"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn a_measurement_is_kept_listed_shown_and_reported() {
    calm();
    let desk = Desk::new();
    measured(&desk);
    let history = desk.json(&["history", "--json", "--store", "runs"]);
    assert_eq!(history["runs"].as_array().unwrap().len(), 1, "{history}");
    let with_itself = desk.run(&["diff", "last", "last", "--store", "runs"]);
    assert!(stderr(&with_itself).contains("last and last are one run"), "{}", stderr(&with_itself));
    let shown = desk.json(&["show", "last", "--json", "--store", "runs"]);
    assert!(shown.is_object());
    assert!(desk.run(&["report", "last", "-o", "run.html", "--store", "runs"]).status.success());
    let page = std::fs::read_to_string(desk.work.path().join("run.html")).unwrap();
    assert!(page.contains("uPlot") && page.contains("</body>"));
    for fetched in ["src=\"http", "<link", "@import", "url(http"] {
        assert!(!page.contains(fetched), "the page fetches: {fetched}");
    }
}

/// A captured tree and a report that are read in between are no runs of this host, which alone can be changed.
#[test]
fn what_is_applied_is_of_the_last_run_of_this_host_itself() {
    let desk = Desk::new();
    let kept = |words: &[&str]| desk.json(&[words, &["--json", "--store", "runs"]].concat());
    let own = kept(&["check", "--window", "0s", "--fail-on", "never"]);
    assert!(desk.run(&["capture", "-o", "host.tar.zst"]).status.success());
    let captured = kept(&["check", "--root", "host.tar.zst", "--fail-on", "never"]);
    assert_ne!(own["run_id"], captured["run_id"]);
    let applied = kept(&["apply", "last", "--dry-run"]);
    assert_eq!(applied["run_id"], own["run_id"], "{applied}");
    // Nor is a later run meant that did not look for what is named.
    let found = own["findings"][0]["code"].as_str().expect("no host is without a note").to_owned();
    let area = if own["findings"][0]["layer"] == "network" { "storage" } else { "network" };
    let narrow = kept(&["check", "--window", "0s", "--only", area, "--fail-on", "never"]);
    assert!(texts(&narrow["findings"], "code").iter().all(|code| *code != found), "{narrow}");
    let applied = kept(&["apply", "last", "--dry-run", "--finding", &found]);
    assert_eq!(applied["run_id"], own["run_id"], "{applied}");
    let named = desk.run(&["apply", captured["run_id"].as_str().unwrap(), "--dry-run", "--store", "runs"]);
    assert!(stderr(&named).contains("read from a captured tree"), "{}", stderr(&named));
}

#[test]
fn a_killed_assessment_leaves_a_store_that_reads() {
    calm();
    let desk = Desk::new();
    measured(&desk);
    let mut command = desk.command();
    command
        .args(["assess", "--quick", "--json", "--store", "runs"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut running = Running(command.spawn().unwrap());
    assert!(running.ends_within(Duration::from_secs(2)).is_none(), "ended before it could be killed");
    running.signal("-KILL");
    running.0.wait().unwrap();
    let history = desk.json(&["history", "--json", "--store", "runs"]);
    assert!(
        !texts(&history["runs"], "id").is_empty() || !texts(&history["runs"], "run_id").is_empty(),
        "{history}"
    );
}
