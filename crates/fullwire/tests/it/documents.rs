//! Rules, schemas, readers, other tools' look, and what the kernel sees of a measurement.

use crate::skips::{given, installed};
use crate::tool::{Desk, Running, free_address, json, listen, stderr, stdout, texts};
use std::path::{Path, PathBuf};

#[test]
fn rules_explain_themselves() {
    let desk = Desk::new();
    let rules = desk.json(&["rules", "--json"]);
    let codes = texts(&rules["rules"], "code");
    assert!(codes.len() >= 10, "{codes:?}");
    for code in codes.iter().step_by(codes.len() / 10) {
        let output = desk.run(&["explain", code]);
        assert!(output.status.success() && stdout(&output).contains(code), "{code}: {}", stderr(&output));
    }
}

#[test]
fn every_schema_that_is_named_is_printed() {
    let desk = Desk::new();
    let names = stdout(&desk.run(&["schema"]));
    assert!(names.lines().any(|name| name == "fullwire.assess/1"), "{names}");
    for name in names.lines() {
        assert!(desk.json(&["schema", name])["properties"].is_object(), "{name}");
    }
}

#[test]
fn the_oracle_query_is_printed() {
    let output = Desk::new().run(&["redo", "--sql", "oracle"]);
    assert!(output.status.success() && stdout(&output).contains("v$archived_log"));
}

/// A report of our own making, three folders down.
fn specimen(desk: &Desk) -> PathBuf {
    let name = "awr-19c.html";
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demand/tests/specimens").join(name);
    let folder = desk.work.path().join("reports/march/orders");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(own, folder.join(name)).unwrap();
    folder.join(name)
}

#[test]
fn a_report_of_our_own_making_is_read() {
    let desk = Desk::new();
    let file = specimen(&desk);
    let report = desk.json(&["awr", file.to_str().unwrap(), "--json", "--fail-on", "never"]);
    assert_eq!((&report["db_name"], &report["kind"]), (&"SHOPDB".into(), &"awr".into()));
    assert_eq!(report["redo_size_total"], 18_746_821_904_u64);
}

/// The path is what a script opens again; a person needs it once.
#[test]
fn a_path_is_shown_once_and_documents_keep_it() {
    let desk = Desk::new();
    let file = specimen(&desk);
    let path = file.to_str().unwrap();
    let text = stdout(&desk.run(&["awr", path, "-v", "--fail-on", "never"]));
    // The head of the report's own table wraps nothing: one line has it.
    assert_eq!(text.matches(path).count(), 1, "{text}");
    assert!(text.contains("(awr-19c.html)"), "{text}");
    let report = desk.json(&["awr", path, "--json", "--fail-on", "never"]);
    let findings = report["findings"].as_array().unwrap();
    assert!(!findings.is_empty(), "a commit of 1.8 ms at 650 µs a write");
    let sources = findings.iter().flat_map(|finding| texts(&finding["evidence"], "source"));
    assert!(sources.clone().any(|source| source == path), "{:?}", sources.collect::<Vec<_>>());
}

/// What is drawn, in a locale that is not UTF-8 and with --ascii; documents and data stay what they are.
#[test]
fn where_utf_8_is_not_known_drawings_are_ascii() {
    let desk = Desk::new();
    let file = specimen(&desk);
    let commands: [&[&str]; 8] = [
        &["awr", file.to_str().unwrap(), "-v"],
        &["check", "--window", "0s", "-v"],
        &["assess", "--path", ".", "--quick", "-v"],
        &["rules"],
        &["explain", "receive-window", "mtu-not-jumbo", "not-driven", "one-cpu", "mesh-path-slow"],
        &["disk", "--profile", "list"],
        &["history", "--changes"],
        &["show", "last", "-v"],
    ];
    for words in commands {
        let plain = desk.command().args(words).env("LC_ALL", "POSIX").output().unwrap();
        for (what, text) in [("stdout", stdout(&plain)), ("stderr", stderr(&plain))] {
            let foreign: Vec<char> = text.chars().filter(|letter| !letter.is_ascii()).collect();
            assert!(foreign.is_empty(), "{words:?} {what}: {foreign:?}: {text}");
        }
        assert!(!plain.stdout.is_empty(), "{words:?}: {}", stderr(&plain));
    }
    let of = |locale: &str, more: &[&str]| {
        let mut command = desk.command();
        command
            .env_remove("LC_ALL")
            .env_remove("LC_CTYPE")
            .env("LANG", locale)
            .args(["show", "last"])
            .args(more);
        stdout(&command.output().unwrap())
    };
    let drawn = of("de_DE.UTF-8", &[]);
    assert!(drawn.contains('▸') && drawn.contains(" · "), "{drawn}");
    assert!(of("de_DE.UTF-8", &["--ascii"]).is_ascii());
    // Columns stay where they are.
    let width = |text: &str| text.lines().map(|line| line.chars().count()).max();
    assert_eq!(width(&of("C", &[])), width(&drawn));
    assert_eq!(of("C", &["--json"]), of("de_DE.UTF-8", &["--json"]), "a document is the same everywhere");
    let help = desk.command().args(["mesh", "--help"]).env("LC_ALL", "C").output().unwrap();
    assert!(stdout(&help).is_ascii() && help.status.success(), "{}", stdout(&help));
}

/// Every code, kind of ceiling and word that a headline, a table or a document can show is explained.
#[test]
fn every_word_of_the_output_is_explained() {
    let desk = Desk::new();
    let rules = desk.json(&["rules", "--json"]);
    let codes = texts(&rules["rules"], "code");
    let kinds = fullwire_rules::ceiling::KINDS.iter().map(|kind| kind.name);
    let of_meshes = fullwire_mesh::CODES.iter().map(|code| code.code);
    let verdicts = ["full-wire", "good", "poor", "not-driven", "unknown", "FULL WIRE", "NOT DRIVEN"];
    let answers = ["better", "worse", "same", "cannot-tell", "not-comparable"];
    let rest =
        ["unexplained", "critical", "warning", "info", "gap", "denied", "absent", "interrupted", "refuted"];
    let all: Vec<&str> = codes
        .iter()
        .copied()
        .chain(kinds)
        .chain(of_meshes)
        .chain(verdicts)
        .chain(answers)
        .chain(rest)
        .collect();
    let document = desk.json(&[&["explain", "--json"], &all[..]].concat());
    let count = |key: &str| document[key].as_array().unwrap().len();
    assert_eq!(count("rules") + count("ceilings") + count("words"), all.len());
    for key in ["rules", "ceilings", "words"] {
        for one in document[key].as_array().unwrap() {
            let text = one["explanation"].as_str().unwrap();
            assert!(text.len() > 40 && !one["title"].as_str().unwrap().is_empty(), "{one}");
        }
    }
    let shown = stdout(&desk.run(&["explain", "not-driven"]));
    assert!(shown.contains("--sweep depth") && shown.contains("--streams 4"), "{shown}");
}

#[test]
fn a_workload_report_is_read() {
    let file = given!(crate::skips::shared("samples/awr/awr-19c-single.html"));
    let report = Desk::new().json(&["awr", file.to_str().unwrap(), "--json", "--fail-on", "never"]);
    assert_eq!(report["db_name"], "DVK");
    assert_eq!(report["redo_size_total"], 10_271_184);
}

/// A server as the Oracle tool has it, and its port.
fn oracle_server(desk: &Desk) -> (Running, String) {
    let port = free_address().rsplit_once(':').unwrap().1.to_owned();
    let mut command = desk.command();
    command.args(["oratcptest", "-server", &format!("-port={port}")]);
    (listen(command), format!("-port={port}"))
}

#[test]
fn the_oracle_tool_prints_its_blocks_under_its_own_name() {
    let desk = Desk::new();
    let (_server, port) = oracle_server(&desk);
    let link: PathBuf = desk.work.path().join("oratcptest");
    std::os::unix::fs::symlink(crate::tool::PROGRAM, &link).unwrap();
    let mut linked = desk.program(&link);
    let mut named = desk.command();
    named.arg("oratcptest");
    for command in [&mut named, &mut linked] {
        let output = command.args(["127.0.0.1", &port, "-duration=1s", "-mode=sync"]).output().unwrap();
        let text = stdout(&output);
        for block in [
            "[Requesting a test]", "The server is ready.", "Test finished.", "Avg. throughput",
            "Avg. latency",
        ] {
            assert!(text.contains(block), "no {block}: {text}{}", stderr(&output));
        }
    }
}

/// The figures before `Mbytes/s` in what the Oracle tool printed, in order.
fn mbytes_per_s(text: &str) -> Vec<f64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let figures = words.windows(2).filter(|pair| pair[1] == "Mbytes/s");
    figures.map(|pair| pair[0].parse().unwrap()).collect()
}

#[test]
fn a_delay_of_the_oracle_tool_is_in_milliseconds_and_counts_in_the_average() {
    let desk = Desk::new();
    let (_server, port) = oracle_server(&desk);
    let arguments =
        ["oratcptest", "127.0.0.1", &port, "-length=1M", "-delay=50", "-duration=2s", "-interval=1s"];
    let output = desk.run(&arguments);
    let figures = mbytes_per_s(&stdout(&output));
    assert_eq!(figures.len(), 3, "two intervals and the average: {}{}", stdout(&output), stderr(&output));
    // At most 20 messages of 1 Mbyte in a second, and without the pauses a hundred times as many.
    for figure in &figures {
        assert!((1.0..=21.0).contains(figure), "{}", stdout(&output));
    }
    let mean = f64::midpoint(figures[0], figures[1]);
    assert!((figures[2] - mean).abs() <= 0.15 * mean, "the average is that of the intervals: {figures:?}");
}

#[test]
fn a_test_of_the_oracle_tool_without_a_duration_ends_by_an_interrupt() {
    let desk = Desk::new();
    let (_server, port) = oracle_server(&desk);
    until_interrupted(&desk, &port);
    // `fullwire serve` takes no test without an end.
    let (_server, address) = crate::tool::serve(&desk, &["--open"]);
    until_interrupted(&desk, &format!("-port={}", address.rsplit_once(':').unwrap().1));
}

fn until_interrupted(desk: &Desk, port: &str) {
    let mut command = desk.command();
    command.args(["oratcptest", "127.0.0.1", port, "-interval=200ms"]).stdout(std::process::Stdio::piped());
    let mut client = command.spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(client.stdout.take().unwrap()));
    let mut rows = 0;
    while rows < 3 {
        rows += usize::from(lines.next().unwrap().unwrap().contains("Mbytes/s"));
    }
    let process = rustix::process::Pid::from_child(&client);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(rest.iter().any(|line| line.contains("Avg. throughput")), "{rest:?}");
    assert_eq!(client.wait().unwrap().code(), Some(130));
}

/// How often the traced program called this, from the table of `strace -c`.
fn calls(table: &str, name: &str) -> u64 {
    let line =
        table.lines().find(|line| line.ends_with(&format!(" {name}"))).unwrap_or_else(|| panic!("{table}"));
    line.split_whitespace().nth(3).unwrap().parse().unwrap()
}

#[test]
fn a_plain_read_is_one_call_of_the_kernel() {
    if !installed("strace") {
        return;
    }
    let desk = Desk::new();
    let mut command = desk.program("strace");
    command.args(["-f", "-c", "-o", "calls", "-e", "trace=pread64", crate::tool::PROGRAM, "disk", "."]);
    command.args(["--engine", "plain", "--depth", "1", "--operation", "read", "--pattern", "random"]);
    command.args(["--size", "16M", "--duration", "2s", "--repeats", "1", "--json", "--no-store"]);
    let run = json(&command.output().unwrap());
    let ios: u64 = run["steps"].as_array().unwrap().iter().filter_map(|step| step["ios"].as_u64()).sum();
    let table = std::fs::read_to_string(desk.work.path().join("calls")).unwrap();
    let calls = calls(&table, "pread64");
    assert!(ios > 0 && calls >= ios && calls - ios <= ios / 5 + 300, "{calls} calls for {ios} reads");
}

/// The crates' own source, without tests and examples.
pub(crate) fn sources() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        walk(&entry.unwrap().path().join("src"), &mut found);
    }
    assert!(found.len() > 300, "{}", found.len());
    found
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// A picture of a value as Rust sees it (`Some(1400)`, `CharacterDevice`) is for no one but us.
#[test]
fn nothing_on_screen_is_a_debug_form() {
    let mut found = Vec::new();
    for path in sources().into_iter().filter(|path| !path.ends_with("tests.rs")) {
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        // What panics says so to the developer.
        let for_us = ["assert", "panic!", "unreachable!", "expect(", "//"];
        let shows = |line: &&str| {
            (line.contains(":?}") || line.contains(":#?}")) && !for_us.iter().any(|word| line.contains(word))
        };
        found.extend(code.lines().filter(shows).map(|line| format!("{}: {}", path.display(), line.trim())));
    }
    assert!(found.is_empty(), "{found:#?}");
}
