//! Interrupted runs and servers that are told to end.

use crate::tool::{Desk, Running, calm, changing, serve, stderr};
use serde_json::Value;
use std::io::Read as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Reading from a private file, for longer than a test lasts.
fn reading(desk: &Desk) -> Running {
    let mut command = desk.command();
    command.args(["disk", ".", "--engine", "plain", "--operation", "read", "--pattern", "random"]);
    command.args(["--size", "16M", "--duration", "60s", "--no-store"]);
    let mut running = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    assert!(running.ends_within(Duration::from_secs(2)).is_none(), "ended before it could be stopped");
    running
}

#[test]
fn an_interrupt_removes_the_private_file() {
    let desk = Desk::new();
    let mut running = reading(&desk);
    running.signal("-INT");
    assert!(running.ends_within(Duration::from_secs(15)).is_some(), "still running");
    assert!(desk.files().is_empty(), "{:?}", desk.files());
}

#[test]
fn what_a_kill_leaves_is_cleaned() {
    let desk = Desk::new();
    let mut running = reading(&desk);
    running.signal("-KILL");
    running.0.wait().unwrap();
    assert!(desk.run(&["clean"]).status.success());
    assert!(desk.files().is_empty(), "{:?}", desk.files());
}

/// The change, a file here, is in the journal before it is made: a kill leaves it to `clean`, which asks first.
#[test]
fn what_a_killed_experiment_changed_is_shown_and_taken_back_when_asked() {
    changing();
    let desk = Desk::new();
    let change = desk.work.path().join("change");
    let mut command = desk.command();
    command.args(["prove", "--a", "rm -f change", "--b", "touch change", "--yes", "--settle", "0s"]);
    command.args(["--", "disk", ".", "--size", "16M", "--duration", "3s", "--no-store"]);
    let mut running = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let begun = Instant::now();
    while !change.exists() && begun.elapsed() < Duration::from_secs(120) {
        assert!(running.0.try_wait().unwrap().is_none(), "ended before the change was made");
        std::thread::sleep(Duration::from_millis(20));
    }
    running.signal("-KILL");
    running.0.wait().unwrap();

    let shown = desk.run(&["clean"]);
    let said = stderr(&shown);
    assert_eq!(shown.status.code(), Some(3), "{said}");
    assert!(said.contains("rm -f change") && said.contains("clean --undo") && change.exists(), "{said}");
    let refused = desk.run(&["prove", "--a", "true", "--b", "true", "--yes", "--", "disk", "."]);
    assert!(stderr(&refused).contains("may still be in effect"), "{}", stderr(&refused));

    let undone = desk.json(&["clean", "--undo", "--json"]);
    assert_eq!(undone["changed"][0]["undone"], true, "{undone}");
    assert!(!change.exists());
    assert!(desk.run(&["clean"]).status.success());
}

/// Someone else's directory in the place of the state: nothing of it is touched (N2).
#[test]
fn a_link_in_place_of_the_notes_is_not_followed() {
    let desk = Desk::new();
    let victim = desk.work.path().join("victim");
    std::fs::create_dir(&victim).unwrap();
    for name in ["passwd", "shadow", "fullwire-0123456789abcdef.json", "fullwire-0123456789abcdef.draft"] {
        std::fs::write(victim.join(name), "x").unwrap();
    }
    std::fs::create_dir(desk.state().join("fullwire")).unwrap();
    for folder in ["manifests", "journal"] {
        std::os::unix::fs::symlink(&victim, desk.state().join("fullwire").join(folder)).unwrap();
    }
    let output = desk.run(&["clean", "--undo"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(&victim).unwrap().count(), 4);
}

/// Root's page in a directory of another user overwrites nothing that a link names (L2).
#[test]
fn a_link_in_place_of_a_page_is_replaced() {
    use std::os::unix::fs::MetadataExt as _;
    let desk = Desk::new();
    let target = desk.work.path().join("target");
    std::fs::write(&target, "precious").unwrap();
    for (option, name) in [("--html", "out.html"), ("--json-file", "out.json")] {
        let link = desk.work.path().join(name);
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let output = desk.run(&["check", "--no-store", "--window", "0s", option, name, "--fail-on", "never"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let written = std::fs::symlink_metadata(&link).unwrap();
        assert!(written.is_file() && written.mode() & 0o777 == 0o600, "{name}: {:o}", written.mode());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "precious");
    }
}

#[test]
fn a_responder_ends_when_told_to() {
    let desk = Desk::new();
    let (mut responder, _) = serve(&desk, &["--open"]);
    responder.signal("-TERM");
    let status = responder.ends_within(Duration::from_secs(3)).expect("still running after 3 s");
    assert_eq!(status.code(), Some(0));
}

/// Lets a command run for a while, interrupts it, and says how it ended and what it printed.
fn interrupted(desk: &Desk, words: &[&str], after: Duration, signal: &str) -> (Option<i32>, String, String) {
    let mut command = desk.command();
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    assert!(running.ends_within(after).is_none(), "{words:?} ended before it could be stopped");
    running.signal(signal);
    let begun = Instant::now();
    // Reads next to the wait: a full pipe would hold the command up.
    let mut out = running.0.stdout.take().unwrap();
    let printed = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        text
    });
    let status = running.ends_within(Duration::from_secs(20)).unwrap_or_else(|| panic!("{words:?} goes on"));
    assert!(begun.elapsed() < Duration::from_secs(15), "{words:?}: {:?}", begun.elapsed());
    let told = std::io::read_to_string(running.0.stderr.take().unwrap()).unwrap();
    (status.code(), printed.join().unwrap(), told)
}

/// Says that it is a part, in the word that a script looks for and among what is missing.
fn says_so(text: &str) {
    let document: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(document["interrupted"], true, "{text}");
    let gaps = document["gaps"].to_string();
    assert!(gaps.contains("interrupted: what was measured until then is shown"), "{gaps}");
}

#[test]
fn every_command_that_is_interrupted_shows_what_it_has_and_says_so() {
    calm();
    let desk = Desk::new();
    let (_responder, address) = serve(&desk, &["--open"]);
    let storage = ["disk", ".", "--operation", "read", "--size", "16M", "--duration", "60s", "--no-store"];
    let net = ["net", &address, "--duration", "60s", "--no-store"];
    let check = ["check", "--window", "60s", "--no-store"];
    for words in [&storage[..], &net, &check] {
        for signal in ["-INT", "-TERM"] {
            let after = Duration::from_secs(3);
            let (status, text, told) = interrupted(&desk, &[words, &["--json"]].concat(), after, signal);
            assert_eq!(status, Some(130), "{words:?}: {told}");
            says_so(&text);
        }
        let (status, text, told) = interrupted(&desk, words, Duration::from_secs(3), "-INT");
        assert_eq!(status, Some(130), "{words:?}: {told}");
        let first = text.lines().nth(1).unwrap_or_default();
        assert!(first.starts_with("Interrupted"), "{words:?}: before any figure: {text}");
        assert!(text.contains(&format!("fullwire {}", words[0])), "{words:?}: {text}");
    }
    assert!(desk.files().is_empty(), "{:?}", desk.files());
}

#[test]
fn an_interrupted_assessment_is_shown_kept_and_drawn_as_one() {
    calm();
    let desk = Desk::new();
    let words =
        ["assess", "--path", ".", "--duration", "20s", "--json", "--html", "page.html", "--store", "runs"];
    let (status, text, told) = interrupted(&desk, &words, Duration::from_secs(9), "-INT");
    assert_eq!(status, Some(130), "{told}");
    says_so(&text);
    let page = std::fs::read_to_string(desk.work.path().join("page.html")).unwrap();
    assert!(page.contains("interrupted: what was measured"));
    let kept = desk.json(&["show", "last", "--json", "--store", "runs"]);
    assert!(kept["gaps"].to_string().contains("interrupted: what was measured"));
}

#[test]
fn where_nothing_could_be_measured_the_status_is_3() {
    let desk = Desk::new();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let (peer, database) = (address.to_string(), format!("postgres://fw@{address}/x"));
    for words in [&["net", &peer, "--no-store", "--timeout", "4s"][..], &["redo", &database, "--no-store"]] {
        let (status, text, told) = interrupted(&desk, words, Duration::from_secs(1), "-INT");
        assert_eq!(status, Some(130), "{words:?}: {told}");
        assert!(text.is_empty() && told.contains("interrupted"), "{words:?}: {text}{told}");
    }
    // Without a signal the same is a failure.
    let output = desk.run(&["net", &peer, "--no-store", "--timeout", "1s"]);
    assert_eq!(output.status.code(), Some(3));
    // What is not there is not measured either; the host was read all the same.
    let output =
        desk.run(&["assess", "--path", "/nonexistent", "--quick", "--no-store", "--fail-on", "never"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(!output.stdout.is_empty());
}

/// What was carried until then counts; it is no throughput of 0 and no peer that cannot be reached.
#[test]
fn a_responder_that_is_killed_in_the_middle_leaves_what_was_measured() {
    calm();
    let desk = Desk::new();
    let (responder, address) = serve(&desk, &["--open"]);
    let net = ["net", &address, "--duration", "60s", "--no-store", "--fail-on", "never", "--json"];
    let mut command = desk.command();
    command.args(net).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    assert!(running.ends_within(Duration::from_secs(5)).is_none(), "ended before the server did");
    drop(responder);
    let mut text = String::new();
    running.0.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let status = running.ends_within(Duration::from_secs(20)).expect("it ends soon after");
    let document: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    // What was measured is shown, and the test was not what was asked for.
    assert_eq!(status.code(), Some(3), "{document}");
    assert!(document["throughput_bytes_per_s"].as_f64() > Some(1e6), "{document}");
    assert!(document["duration_s"].as_f64().is_some_and(|seconds| seconds < 30.0), "{document}");
    assert!(document["gaps"].to_string().contains("peer's results"), "{}", document["gaps"]);
    assert!(!document["findings"].to_string().contains("peer-unreachable"), "{}", document["findings"]);
}

#[test]
fn an_interrupted_capture_leaves_no_half_archive() {
    let desk = Desk::new();
    let words = ["capture", "-o", "host.tar.zst"];
    let (status, _, told) = interrupted(&desk, &words, Duration::from_millis(700), "-INT");
    assert_eq!(status, Some(130), "{told}");
    assert!(desk.files().is_empty(), "{:?}", desk.files());
}
