//! What a person gets after a mistake, and what a pipe gets.

use crate::skips::{installed, skipped};
use crate::tool::{Desk, PROGRAM, free_address, serve, stderr, stdout};

#[test]
fn a_mistake_is_answered_with_what_to_do() {
    let desk = Desk::new();
    // Who is called must not be: that would be seen here.
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    nobody.set_nonblocking(true).unwrap();
    let peer = nobody.local_addr().unwrap().to_string();
    let bridge = format!("iperf3://{peer}");
    std::fs::write(desk.work.path().join("notes.txt"), "nothing of a host\n").unwrap();
    std::fs::create_dir(desk.work.path().join("empty")).unwrap();
    let mistakes: [(&[&str], i32, &str); 26] = [
        (&["check", "--root", "empty"], 3, "contains no host data"),
        (&["check", "--sga", "24"], 2, "such as 24G"),
        (&["redo", "notes.txt", "--gap", "500G"], 2, "--peer"),
        (&["explain", "mount-discrd"], 2, "did you mean mount-discard?"),
        (&["disk", ".", "--block", "8q"], 2, "expected a size such as"),
        (&["disk", ".", "--duration", "3parsec"], 2, "expected a time such as"),
        (&["disk", ".", "--profile", "nope"], 2, "--profile list"),
        (&["disk", ".", "--sweep", "foo"], 2, "working-set"),
        (&["disk", ".", "--size", "100T"], 2, "does not fit"),
        (&["disk", ".", "--size", "1"], 2, "too small to measure"),
        (&["disk", ".", "--block", "3", "--operation", "read"], 2, "a multiple of 512"),
        (&["net", &bridge, "--mode", "sync"], 2, "cannot do this"),
        (&["history", "prune"], 2, "--older"),
        (&["history", "delete", "nope", "--store", "absent"], 3, "no run store"),
        (&["oratcptest", "host", "-nope=1"], 2, "unknown option -nope"),
        (&["disk", ".", "--profile", "bonnie", "--duration", "1s"], 2, "use --size"),
        (&["disk"], 2, "no target"),
        (&["disk", ".", "--depth", "4096", "--block", "4M"], 2, "memory for the I/Os"),
        (&["net", "127.0.0.1:99999"], 2, "HOST:PORT"),
        (&["net", &peer, "--open-loop", "10"], 2, "open"),
        (&["net", &peer, "--payload", "absent"], 3, "absent"),
        (&["net", &peer, "--congestion", "nope"], 3, "tcp_available_congestion_control"),
        (&["serve", "--listen", "127.0.0.1:22x"], 2, "expected ADDR:PORT"),
        (&["serve", "--listen", "5555"], 2, "expected ADDR:PORT"),
        (&["explain", "no-such-rule"], 2, "fullwire rules"),
        (&["net", &free_address()], 3, "fullwire serve"),
    ];
    for (arguments, status, advice) in mistakes {
        let output = desk.run(arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(advice), "{arguments:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    assert!(nobody.accept().is_err(), "a peer was called before the mistake was seen");
    let mut files = desk.files();
    files.sort();
    assert_eq!(files, ["empty", "notes.txt"]);
}

#[cfg(feature = "estate")]
#[test]
fn where_no_estate_is_kept_it_is_said_what_sets_one_up() {
    let desk = Desk::new();
    std::fs::create_dir(desk.work.path().join("empty")).unwrap();
    for (words, dir) in [(&["estate", "status"][..], "absent"), (&["estate", "remove", "db9"], "empty")] {
        let output = desk.run(&[words, &["--dir", dir]].concat());
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(3), "{told}");
        assert!(
            told.contains(&format!("no estate is kept in {dir}")) && told.contains("`fullwire estate up`"),
            "{told}"
        );
    }
}

#[test]
fn json_is_json_everywhere_and_a_dash_is_stdout() {
    let desk = Desk::new();
    let captured = desk.json(&["capture", "-o", "host.tar.zst", "--json"]);
    assert_eq!(captured["path"], "host.tar.zst");
    assert!(captured["files"].as_u64() > Some(10), "{captured}");
    assert_eq!(desk.json(&["clean", "--json"])["removed"], serde_json::json!([]));
    let rule = desk.json(&["explain", "mount-discard", "--json"]);
    assert!(rule["rules"][0]["explanation"].as_str().unwrap().contains("# Remedy"), "{rule}");
    let kept = ["check", "--window", "0s", "--fail-on", "never", "--store", "runs", "--json-file", "-"];
    let both = stdout(&desk.run(&kept));
    assert!(both.starts_with('{') && both.contains("fullwire check"), "{both}");
    let page = stdout(&desk.run(&["report", "last", "--store", "runs", "-o", "-"]));
    assert!(page.starts_with("<!DOCTYPE html>"), "{}", &page[..100.min(page.len())]);
    assert!(!desk.files().contains(&"-".to_owned()), "{:?}", desk.files());
}

#[test]
fn every_profile_obeys_the_size() {
    let desk = Desk::new();
    let run = ["disk", ".", "--no-store", "--json", "--size", "16M", "--fail-on", "never"];
    let bonnie = desk.json(&[&run[..], &["--profile", "bonnie", "--files", "500"]].concat());
    assert_eq!(bonnie["bonnie"]["size_bytes"], 16 << 20, "{bonnie}");
    let short = ["--profile", "pg-index", "--duration", "100ms", "--repeats", "1"];
    let index = desk.json(&[&run[..], &short].concat());
    assert_eq!(index["working_set_bytes"], 16 << 20);
}

#[test]
fn a_file_without_options_is_only_read() {
    let desk = Desk::new();
    let file = desk.work.path().join("data");
    std::fs::write(&file, vec![7; 32 << 20]).unwrap();
    let quick = ["disk", "data", "--no-store", "--json", "--duration", "100ms", "--repeats", "1"];
    let output = desk.run(&[&quick[..], &["--fail-on", "never"]].concat());
    let document = crate::tool::json(&output);
    let operations = crate::tool::texts(&document["steps"], "operation");
    assert!(
        !operations.is_empty() && operations.iter().all(|&operation| operation == "read"),
        "{operations:?}"
    );
    assert!(!stderr(&output).contains("writes"), "{}", stderr(&output));
    assert_eq!(std::fs::read(&file).unwrap(), vec![7; 32 << 20]);
}

#[test]
fn verbose_lists_what_passed_what_is_unknown_and_how_ceilings_were_reckoned() {
    let desk = Desk::new();
    let (_responder, address) = serve(&desk, &["--open"]);
    let net =
        ["net", &address, "--duration", "500ms", "--expect", "1Gbit", "--no-store", "--fail-on", "never"];
    let brief = stdout(&desk.run(&net));
    let verbose = stdout(&desk.run(&[&net[..], &["-v"]].concat()));
    for part in ["\nPassed  ", "\nCould not be decided  ", "\nHow each ceiling was derived\n"] {
        assert!(verbose.contains(part) && !brief.contains(part), "{part}: {verbose}");
    }
    assert!(verbose.contains("\n  network  ") && verbose.contains("\n  host     "), "by layer: {verbose}");
    assert!(verbose.contains("one-cpu of ") && verbose.contains("throughput_bytes_per_s"), "{verbose}");
}

#[test]
fn a_wrong_key_is_refused_and_the_key_is_named_as_the_cause() {
    let desk = Desk::new();
    let (_responder, address) = serve(&desk, &["--key", "right-right-right-right"]);
    let wrong = ["net", &address, "--key", "wrong-wrong-wrong-wrong", "--duration", "1s", "--no-store"];
    let output = desk.run(&wrong);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("key"), "{}", stderr(&output));
}

#[test]
fn a_pipe_gets_no_escapes() {
    let desk = Desk::new();
    for no_color in [false, true] {
        let mut command = desk.command();
        command.args(["check", "--window", "0s"]);
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let output = command.output().unwrap();
        assert!(!output.stdout.is_empty());
        assert!(!output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b), "{}", stdout(&output));
    }
}

#[test]
fn a_key_that_everybody_has_is_no_key() {
    let desk = Desk::new();
    let listen = ["serve", "--listen", "127.0.0.1:0", "--once"];
    for key in ["", "  "] {
        let by_option = desk.run(&[&listen[..], &["--key", key]].concat());
        let by_variable = desk.command().args(listen).env("FULLWIRE_KEY", key).output().unwrap();
        let client = desk.run(&["net", "127.0.0.1:1", "--no-store", "--key", key]);
        for output in [by_option, by_variable, client] {
            assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
            assert!(stderr(&output).contains("is empty"), "{}", stderr(&output));
            assert!(output.stdout.is_empty(), "it listened: {}", stdout(&output));
        }
    }
}

/// What a responder warns of when it starts; the variable is set, too.
fn warnings_of(desk: &Desk, arguments: &[&str]) -> String {
    let mut command = desk.command();
    command.args(["serve", "--quiet", "--listen", &free_address()]).args(arguments);
    command.env("FULLWIRE_KEY", "variable-variable").stderr(std::process::Stdio::piped());
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut said = std::io::BufReader::new(child.stdout.as_mut().unwrap());
    std::io::BufRead::read_line(&mut said, &mut line).unwrap();
    assert!(line.contains("listening"), "{arguments:?}: {line}");
    let running = crate::tool::Running(child);
    running.signal("-TERM");
    let mut running = running;
    assert!(running.ends_within(std::time::Duration::from_secs(5)).is_some());
    std::io::read_to_string(running.0.stderr.take().unwrap()).unwrap()
}

#[test]
fn a_short_key_and_a_key_file_for_everybody_are_warned_of_and_the_variable_forbids_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    let file = desk.work.path().join("key");
    std::fs::write(&file, "long-long-long-long\n").unwrap();
    let mode = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o644);
    assert!(warnings_of(&desk, &["--key-file", "key"]).contains("every user of this host"));
    mode(0o640);
    assert_eq!(warnings_of(&desk, &["--key-file", "key"]), "");
    assert!(warnings_of(&desk, &["--key", "a"]).contains("can be guessed"));
    assert_eq!(warnings_of(&desk, &["--open"]), "");
    assert_eq!(warnings_of(&desk, &[]), "");
}

#[test]
fn much_is_written_only_after_a_yes_where_there_is_somebody_to_ask() {
    let desk = Desk::new();
    let space = rustix::fs::statvfs(desk.work.path()).unwrap();
    if !installed("script") {
        return;
    }
    if space.f_bavail * space.f_frsize < 12_000_000_000 {
        return skipped("needs 12 GB free");
    }
    let ask = format!("{PROGRAM} disk . --size 9G --no-store --operation read --duration 100ms");
    let mut command = desk.program("script");
    command.args(["-qec", &ask, "/dev/null"]).stdin(std::process::Stdio::piped());
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"n\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = stdout(&output);
    assert!(text.contains("9.7 GB will be written to .; continue? [y/N]"), "{text}");
    assert!(text.contains("not confirmed, nothing was written"), "{text}");
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(desk.files().is_empty(), "{:?}", desk.files());
}

/// What a person at a terminal sees.
fn at_a_terminal(desk: &Desk, words: &str) -> String {
    let mut command = desk.program("script");
    stdout(
        &command
            .args(["-qec", &format!("stty cols 100 rows 30; {PROGRAM} {words}"), "/dev/null"])
            .output()
            .unwrap(),
    )
}

#[test]
fn a_person_sees_a_line_each_interval_time_that_runs_down_and_both_ways() {
    if !installed("script") {
        return;
    }
    let desk = Desk::new();
    let (_responder, address) = serve(&desk, &["--open"]);
    let net = format!("net {address} --duration 3s --interval 500ms --bidir --rate 500Mbit --no-store");
    let text = at_a_terminal(&desk, &net);
    for interval in [" 0.5 s  ", " 1.0 s  ", " 1.5 s  ", " 2.0 s  "] {
        assert!(text.contains(interval), "{interval}: {text}");
    }
    for left in ["(about 3 s left)", "(about 1 s left)"] {
        assert!(text.contains(left), "{left}: {text}");
    }
    assert!(text.contains(" out and ") && text.contains(" back at the same time."), "{text}");
    assert!(text.contains("\x1b[36m"), "{text}");
    let plain = at_a_terminal(&desk, &format!("{net} --color never"));
    assert!(!plain.contains("\x1b[36m") && !plain.contains("\x1b[2m"), "{plain}");
}

#[test]
fn what_is_asked_for_is_written_and_no_more() {
    let desk = Desk::new();
    let write = ["disk", ".", "--operation", "write", "--duration", "200ms", "--repeats", "1", "--json"];
    let capped = [&write[..], &["--max-bytes", "16M", "--no-store", "--fail-on", "never"]].concat();
    let document = desk.json(&capped);
    let steps = document["steps"].as_array().unwrap();
    let written: u64 = steps.iter().filter_map(|step| step["bytes"].as_u64()).sum();
    assert!(written > 0 && written + document["layout_bytes"].as_u64().unwrap() <= 16 << 20, "{document}");
    let caveats = document["caveats"].to_string();
    assert!(caveats.contains("--max-bytes allows no more") && !caveats.contains("little space"), "{caveats}");
    let small = ["disk", ".", "--profile", "fs-small", "--size", "4M", "--files", "500"];
    let output = desk.run(&[&small[..], &["--no-store", "--fail-on", "never"]].concat());
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    // Files that are made within half a second have no rate.
    let told = text.lines().nth(1).unwrap().contains(" files created per second with ");
    assert!(told || text.contains("++++ finished too quickly to be timed"), "{text}");
    assert!(!text.contains("could not be measured"), "{text}");
}

#[test]
fn more_than_8_gb_are_written_in_a_script_only_when_it_says_so() {
    let desk = Desk::new();
    let space = rustix::fs::statvfs(desk.work.path()).unwrap();
    if space.f_bavail * space.f_frsize < 12_000_000_000 {
        return skipped("needs 12 GB free");
    }
    let output = desk.run(&["disk", ".", "--size", "9G", "--no-store", "--operation", "read"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("9.7 GB would be written") && stderr(&output).contains("--yes"));
    assert!(desk.files().is_empty());
}

#[test]
fn a_host_that_does_not_answer_has_no_path_mtu() {
    // TEST-NET-2 of RFC 5737 belongs to no one.
    let mtu = ["mtu", "198.51.100.77", "--timeout", "200ms", "--no-hops", "--no-store"];
    let desk = Desk::new();
    let output = desk.run(&[&mtu[..], &["--json"]].concat());
    let document = crate::tool::json(&output);
    assert_eq!(output.status.code(), Some(3), "{document}");
    assert!(document["path_mtu_bytes"].is_null() && document["jumbo"].is_null(), "{document}");
    assert!(document["gaps"].to_string().contains("nothing answered"), "{document}");
    let text = stdout(&desk.run(&mtu));
    assert!(text.lines().nth(1).unwrap().contains("nothing answered"), "{text}");
    assert!(!text.contains("does not answer"), "said once: {text}");
}

/// What was met on a first day that no other test here asks.
#[test]
fn small_mistakes_are_told_in_one_answer_and_leave_nothing() {
    let desk = Desk::new();
    let output = desk.run(&["net", "ssh://-oProxyCommand=x", "--no-store"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "fullwire: ssh://-oProxyCommand=x: an ssh target must be ssh://[USER@]HOST[:PORT]\n"
    );
    // No log has a duration: there is no rate, and nothing that looks like an answer.
    let logs =
        "THREAD#,SEQUENCE#,FIRST_TIME,NEXT_TIME,BYTES\n1,1,2026-03-01 00:00:00,2026-03-01 00:00:00,1000\n";
    std::fs::write(desk.work.path().join("logs.csv"), logs).unwrap();
    let output = desk.run(&["redo", "logs.csv", "--no-store"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("No log has a duration") && !text.contains("headroom"), "{text}");
    let text = stdout(&desk.run(&["redo", "logs.csv", "--no-store", "--json"]));
    assert!(text.contains("\"text\": \"No log has a duration"), "{text}");
    // A folder for the manual that is not there is made.
    assert!(desk.run(&["man", "-o", "manual/man1"]).status.success());
    assert!(desk.work.path().join("manual/man1/fullwire-net.1").is_file());
}

#[test]
fn this_host_is_no_duplicate_of_itself() {
    let desk = Desk::new();
    let (_responder, address) = serve(&desk, &["--open"]);
    let mtu = desk.json(&["mtu", &address, "--no-store", "--json"]);
    let codes = crate::tool::texts(&mtu["findings"], "code");
    for wrong in ["address-duplicate", "mtu-path-smaller"] {
        assert!(!codes.contains(&wrong), "{codes:?}");
    }
    assert!(mtu["jumbo"].is_null(), "loopback has no frames: {mtu}");
}

#[test]
fn a_kept_audit_is_shown_as_an_audit() {
    let desk = Desk::new();
    desk.run(&["check", "--window", "0s"]);
    let shown = stdout(&desk.run(&["show", "last", "-v"]));
    assert!(shown.contains("passed") && !shown.contains("No path was measured"), "{shown}");
    // Nothing was watched; that it could not be read would be wrong.
    assert!(shown.contains("the window was 0 s") && !shown.contains("oom_kill"), "{shown}");
    let page = stdout(&desk.run(&["report", "last", "-o", "-"]));
    assert!(page.contains(" checks passed") && !page.contains("No path was measured"));
    let verbose = stdout(&desk.run(&["show", "last", "-v"]));
    assert!(verbose.contains("\nPassed  "), "{verbose}");
    let nothing = stdout(&desk.run(&["check", "--only", "database", "--window", "0s", "--no-store"]));
    assert!(
        nothing.contains("this host has nothing of that kind") || nothing.contains("passed"),
        "{nothing}"
    );
}

#[test]
fn the_demand_may_come_by_stdin() {
    let desk = Desk::new();
    let mut command = desk.command();
    command.args(["redo", "-", "--no-store", "--json"]).stdin(std::process::Stdio::piped());
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), crate::contract::LISTING.as_bytes()).unwrap();
    let document = crate::tool::json(&child.wait_with_output().unwrap());
    assert_eq!(document["peak_bytes_per_s"], 50e6, "30 GB in ten minutes");
    // By time: of 30 hours ten minutes are fast.
    assert!(document["p95_bytes_per_s"].as_f64().unwrap() < 1e6, "{document}");
}

#[test]
fn a_responder_says_what_it_offers_and_tells_each_test_and_each_refusal() {
    let desk = Desk::new();
    let address = free_address();
    let mut command = desk.command();
    command.args(["serve", "--listen", &address, "--key", "right-right-right-right", "--write-dir", "."]);
    let log = std::fs::File::create(desk.state().join("log")).unwrap();
    command.stdout(std::process::Stdio::piped()).stderr(log);
    let mut responder = crate::tool::Running(command.spawn().unwrap());
    let mut line = String::new();
    let mut said = std::io::BufReader::new(responder.0.stdout.as_mut().unwrap());
    std::io::BufRead::read_line(&mut said, &mut line).unwrap();
    assert_eq!(line, format!("listening on {address}\n"));
    let net = ["net", &address, "--duration", "300ms", "--no-store"];
    desk.run(&[&net[..], &["--key", "right-right-right-right", "--streams", "2"]].concat());
    desk.run(&[&net[..], &["--key", "wrong-wrong-wrong-wrong"]].concat());
    desk.run(&net);
    responder.signal("-TERM");
    assert!(responder.ends_within(std::time::Duration::from_secs(5)).is_some());
    let log = std::fs::read_to_string(desk.state().join("log")).unwrap();
    for told in [
        format!("on the other host: fullwire net {address}"),
        "anyone with the key may measure the network to this host".into(),
        "write private files in .".into(),
        "test async, 2 streams, received ".into(),
        " refused: wrong key".into(),
        " refused: it gave no key".into(),
    ] {
        assert!(log.contains(&told), "{told}: {log}");
    }
}

#[test]
fn a_server_of_another_kind_is_named_within_the_timeout() {
    let desk = Desk::new();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("iperf3://{}", silent.local_addr().unwrap());
    let begun = std::time::Instant::now();
    let output = desk.run(&["net", &target, "--timeout", "1s", "--no-store"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(begun.elapsed() < std::time::Duration::from_secs(6), "{:?}", begun.elapsed());
    let talks = std::thread::spawn(move || {
        // The first has left meanwhile.
        let clients = [silent.accept().unwrap().0, silent.accept().unwrap().0];
        let _ = std::io::Write::write_all(&mut &clients[1], b"HTTP/1.1 400 Bad Request\r\n\r\n");
        (clients, silent)
    });
    let output = desk.run(&["net", &target, "--timeout", "2s", "--no-store"]);
    assert!(stderr(&output).contains("is not an iperf3 server"), "{}", stderr(&output));
    drop(talks.join().unwrap());
}

#[test]
fn the_jars_help_is_given_however_it_is_asked_for() {
    let desk = Desk::new();
    for help in ["-h", "-help", "--help", "-?"] {
        let output = desk.run(&["oratcptest", help]);
        assert!(output.status.success() && stdout(&output).contains("-port"), "{help}: {}", stderr(&output));
    }
}

#[test]
fn rules_of_one_layer_stand_together() {
    let desk = Desk::new();
    let text = stdout(&desk.run(&["rules"]));
    let heads: Vec<&str> = text.lines().filter(|line| line.ends_with(" layer")).collect();
    assert_eq!(heads, ["database layer", "host layer", "network layer", "storage layer"]);
    let some = stdout(&desk.run(&["rules", "--only", "network", "mtu"]));
    assert!(some.contains("mtu-black-hole") && !some.contains("storage layer"), "{some}");
    let two = stdout(&desk.run(&["explain", "mtu-black-hole", "one-cpu"]));
    assert!(two.contains("mtu-black-hole") && two.contains("one-cpu"), "{two}");
}

/// Libraries read these to their end: a pipe has none.
#[test]
fn a_variable_that_names_no_file_is_told_and_not_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let desk = Desk::new();
    let pipe = desk.work.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).unwrap();
    let pipe = pipe.display();
    for (name, value) in
        [("TZ", format!("{pipe}")), ("TZ", format!(":{pipe}")), ("SSL_CERT_FILE", format!("{pipe}"))]
    {
        let output = desk.command().env(name, value).args(["history"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(&format!("{name} names {pipe}")), "{}", stderr(&output));
    }
    let zone = desk.command().env("TZ", ":/usr/share/zoneinfo/UTC").args(["rules"]).output().unwrap();
    assert!(zone.status.success(), "{}", stderr(&zone));
}
