//! `fullwire export`: what it writes is read by the programs that it is for.
//!
//! Runs of the lab and one of this host are exported. Prometheus' promtool, the textfile collector of `node_exporter`, the strict
//! OpenMetrics parser of Prometheus' Python client and `zabbix_sender` are the real ones; behind `zabbix_sender` stands
//! our own server that keeps what it sent. Perfdata is compared with the grammar of monitoring-plugins' guidelines,
//! JUnit and SARIF with schemas.

mod ci;
mod nightly;
mod one_answer;

use crate::skips::{installed, skipped};
use crate::tool::{Desk, Running, free_address, stderr, stdout};
use fullwire_model::Run;
use fullwire_store::Store;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const LAB: [&str; 3] = ["full-wire", "receive-window", "io-limit"];

/// A run of the lab, as it was kept.
fn lab(name: &str) -> Run {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/runs/{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// A store with the lab's runs, each under its name as label, and one of this host that is the last.
fn desk_with_runs() -> Desk {
    let desk = Desk::new();
    let mut store = Store::open(desk.work.path().join("runs")).unwrap();
    for name in LAB {
        store.keep(&Run { tag: Some(name.into()), ..lab(name) }).unwrap();
    }
    drop(store);
    let check = ["check", "--window", "0s", "--fail-on", "never", "--store", "runs", "--tag", "here"];
    assert!(desk.run(&check).status.success());
    desk
}

fn export(desk: &Desk, arguments: &[&str]) -> Output {
    desk.run(&[&["export", "--store", "runs"], arguments].concat())
}

fn exported(desk: &Desk, arguments: &[&str]) -> String {
    let output = export(desk, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

/// Gives a program a text and waits for its end.
fn fed(desk: &Desk, program: &str, arguments: &[&str], text: &str) -> Output {
    let mut command = desk.program(program);
    let mut child = command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn promtool_finds_nothing_wrong_with_any_run() {
    if !installed("promtool") {
        return;
    }
    let desk = desk_with_runs();
    for run in LAB.iter().copied().chain(["here"]) {
        for scope in [&[][..], &["--all"]] {
            let text = exported(&desk, &[&["--openmetrics", "--run", run], scope].concat());
            assert!(text.contains("fullwire_run_info{") && text.ends_with("# EOF\n"), "{run}");
            let checked = fed(&desk, "promtool", &["check", "metrics"], &text);
            // It also has opinions on style, with status 3: we have none of those it names.
            assert!(checked.status.success(), "{run} {scope:?}: {}{}", stderr(&checked), stdout(&checked));
        }
    }
}

/// Prints each family and sample as the parser saw it; fails where it fails.
const PARSE: &str = "
import sys
text = sys.stdin.read()
if sys.argv[1] == 'openmetrics':
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
else:
    from prometheus_client.parser import text_string_to_metric_families as parse
for family in parse(text):
    for sample in family.samples:
        print(sample.name, sorted(sample.labels.items()), repr(float(sample.value)), family.type)
";

#[test]
fn the_strict_openmetrics_parser_and_the_older_one_read_the_same_values() {
    if !python_has("prometheus_client", "python3-prometheus-client") {
        return;
    }
    let desk = desk_with_runs();
    for run in LAB.iter().copied().chain(["here"]) {
        let text = exported(&desk, &["--openmetrics", "--all", "--run", run]);
        let read = |format: &str| {
            let output = fed(&desk, "/usr/bin/python3", &["-c", PARSE, format], &text);
            assert!(output.status.success(), "{run}, {format}: {}", stderr(&output));
            let text = stdout(&output);
            // The types differ where one format has a type that the other has not.
            text.lines().map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect::<BTreeSet<_>>()
        };
        let strict = read("openmetrics");
        let samples = text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(strict.len(), samples, "{run}: a sample is lost or there twice");
        let older = read("text");
        let differ: Vec<&String> = strict.symmetric_difference(&older).take(5).collect();
        assert!(differ.is_empty(), "{run}: {differ:?}");
    }
}

#[test]
fn node_exporter_serves_the_file_beside_its_own_metrics() {
    if !installed("prometheus-node-exporter") {
        return;
    }
    let desk = desk_with_runs();
    let address = free_address();
    exported(&desk, &["--openmetrics", "--run", "io-limit", "-o", "fullwire.prom"]);
    let file = desk.work.path().join("fullwire.prom");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o644, "another user collects it");
    let mut command = desk.program("prometheus-node-exporter");
    command.args(["--collector.disable-defaults", "--collector.textfile", "--web.listen-address", &address]);
    command.arg(format!("--collector.textfile.directory={}", desk.work.path().display()));
    let _exporter = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let page = get(&address, "/metrics", "");
    assert!(page.contains("node_textfile_scrape_error 0"), "{page}");
    let ours: Vec<&str> = page.lines().filter(|line| line.starts_with("fullwire_")).collect();
    let written = std::fs::read_to_string(&file).unwrap();
    assert_eq!(ours.len(), written.lines().filter(|line| line.starts_with("fullwire_")).count());
    assert!(ours.iter().any(|line| line.starts_with("fullwire_finding{") && line.contains("cgroup-io-max")));
}

/// The body of a page, once the server is there.
fn get(address: &str, path: &str, headers: &str) -> String {
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut stream = loop {
        match TcpStream::connect(address) {
            Ok(stream) => break stream,
            Err(error) => assert!(Instant::now() < deadline, "{address}: {error}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {address}\r\n{headers}\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_host_costs_its_monitoring_at_most_two_thousand_series_of_four_labels() {
    let desk = desk_with_runs();
    for run in LAB.iter().copied().chain(["here"]) {
        let text = exported(&desk, &["--openmetrics", "--run", run]);
        let samples: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert!((50..=2_010).contains(&samples.len()), "{run}: {} series", samples.len());
        for sample in samples {
            assert!(sample.matches("=\"").count() <= 4, "{sample}");
            for taken in ["instance=", "job=", "type=", "region=", "env="] {
                assert!(
                    !sample.contains(&format!("{{{taken}")) && !sample.contains(&format!(",{taken}")),
                    "{sample}"
                );
            }
            assert!(!sample.contains("NaN") && !has_exponent(sample), "{sample}");
        }
        assert!(text.contains("fullwire_export_series_left_out"));
    }
}

/// The value is written with an exponent.
fn has_exponent(sample: &str) -> bool {
    sample.rsplit(' ').next().is_some_and(|value| value.contains(['e', 'E']))
}

/// A plugin's first line and its perfdata, by the guidelines' grammar:
/// `'label'=value[UOM];[warn];[crit];[min];[max]`.
#[test]
fn a_plugins_output_keeps_to_the_guidelines() {
    let desk = desk_with_runs();
    for (run, status, word) in
        [("full-wire", 0, "OK"), ("receive-window", 1, "WARNING"), ("io-limit", 2, "CRITICAL")]
    {
        let output = export(&desk, &["--nagios", "--max-age", "10000d", "--run", run]);
        let text = stdout(&output);
        assert!(text.starts_with(&format!("FULLWIRE {word} - ")), "{run}: {text}");
        assert_eq!(output.status.code(), Some(status), "{run}: {text}");
        assert!(text.len() <= 8192);
        let (shown, perfdata) = text.lines().next().unwrap().split_once('|').unwrap();
        assert!(shown.chars().count() <= 80, "{shown}");
        let figures = perfdata_of(perfdata);
        assert!(figures.len() >= 4, "{perfdata}");
        let starts: BTreeSet<String> = figures.keys().map(|label| label.chars().take(19).collect()).collect();
        assert_eq!(starts.len(), figures.len(), "{perfdata}");
        assert!(!text.lines().skip(1).any(|line| line.contains('|')), "more perfdata than one line");
    }
    let text =
        exported_with_status(&desk, &["--nagios", "--max-age", "10000d", "--run", "receive-window"], 1);
    assert!(text.contains("limited by receive-window"), "{text}");
    // 6.65 MB/s: no unit that the guidelines do not know, no exponent.
    let figures = perfdata_of(text.lines().next().unwrap().split_once('|').unwrap().1);
    let (_, value) = figures.iter().find(|(label, _)| label.contains("async_bytes_per_s")).unwrap();
    assert!((6.4e6..6.9e6).contains(value), "{value}");
}

fn exported_with_status(desk: &Desk, arguments: &[&str], status: i32) -> String {
    let output = export(desk, arguments);
    assert_eq!(output.status.code(), Some(status), "{}{}", stdout(&output), stderr(&output));
    stdout(&output)
}

/// Each label with its value; panics where the grammar is broken.
fn perfdata_of(text: &str) -> BTreeMap<String, f64> {
    let mut figures = BTreeMap::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let inner = rest.strip_prefix('\'').unwrap_or_else(|| panic!("no label: {rest}"));
        let (label, after) = inner.split_once('\'').unwrap();
        assert!(!label.contains('=') && label.is_ascii(), "{label}");
        let after = after.strip_prefix('=').unwrap();
        let (one, next) = after.split_once(' ').unwrap_or((after, ""));
        let fields: Vec<&str> = one.split(';').collect();
        assert!(fields.len() <= 5, "{one}");
        let digits = fields[0].trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
        let unit = &fields[0][digits.len()..];
        assert!(["", "s", "ms", "us", "%", "B", "KB", "MB", "TB", "c"].contains(&unit), "{one}");
        let number = |text: &str| {
            assert!(text.chars().all(|c| c.is_ascii_digit() || "-.".contains(c)), "{text} in {one}");
            text.parse::<f64>().unwrap()
        };
        for bound in fields[3..].iter().filter(|bound| !bound.is_empty()) {
            number(bound);
        }
        assert!(figures.insert(label.to_owned(), number(digits)).is_none(), "{label} twice");
        rest = next;
    }
    figures
}

#[test]
fn a_plugin_that_cannot_know_says_unknown_and_never_critical() {
    let desk = desk_with_runs();
    let old = export(&desk, &["--nagios", "--run", "full-wire", "--max-age", "1s"]);
    assert!(
        stdout(&old).starts_with("FULLWIRE UNKNOWN - ") && stdout(&old).contains("old"),
        "{}",
        stdout(&old)
    );
    assert_eq!(old.status.code(), Some(3));
    let absent = desk.run(&["export", "--nagios", "--store", "none.db"]);
    assert!(stdout(&absent).starts_with("FULLWIRE UNKNOWN - "), "{}", stdout(&absent));
    assert_eq!(absent.status.code(), Some(3));
    for mistake in
        [&["--nagios", "--csv"][..], &["--nagios", "--max-age", "soon"], &["--nagios", "--nonsense"]]
    {
        let output = export(&desk, mistake);
        assert_eq!(output.status.code(), Some(3), "{mistake:?}");
        assert!(stdout(&output).starts_with("FULLWIRE UNKNOWN - "), "{mistake:?}: {}", stdout(&output));
    }
    assert_eq!(export(&desk, &["--nagios", "--help"]).status.code(), Some(3));
    assert_eq!(export(&desk, &[]).status.code(), Some(2), "elsewhere a mistake is a mistake");
    let checkmk = desk.run(&["export", "--checkmk", "--store", "none.db"]);
    assert!(stdout(&checkmk).starts_with("3 \"fullwire host\" - "), "{}", stdout(&checkmk));
}

#[test]
fn checkmk_gets_a_line_of_four_parts_for_each_service() {
    let desk = desk_with_runs();
    for run in LAB {
        let text = exported(&desk, &["--checkmk", "--max-age", "10000d", "--run", run]);
        let mut names = BTreeSet::new();
        for line in text.lines() {
            let (state, rest) = line.split_once(" \"").unwrap();
            assert!(["0", "1", "2", "3"].contains(&state), "{line}");
            let (name, rest) = rest.split_once("\" ").unwrap();
            assert!(names.insert(name.to_owned()), "{name} twice");
            let (metrics, said) = rest.split_once(' ').unwrap();
            assert!(!said.is_empty() && !said.starts_with(' '), "{line}");
            for metric in metrics.split('|').filter(|metrics| *metrics != "-") {
                let (name, value) = metric.split_once('=').unwrap_or_else(|| panic!("{metric}"));
                assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
                let parts: Vec<&str> = value.split(';').collect();
                assert!(parts.len() == 5 && parts[0].parse::<f64>().is_ok(), "{metric}");
            }
        }
        assert!(names.contains("fullwire host") && names.len() >= 2, "{names:?}");
    }
}

/// What `zabbix_sender` sent: the real one reads our lines; the server that answers it is ours.
#[test]
fn zabbix_sender_reads_every_line() {
    if !installed("zabbix_sender") {
        return;
    }
    let desk = desk_with_runs();
    let text = exported(&desk, &["--zabbix", "--zabbix-host", "db 1", "--run", "receive-window"]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let server = std::thread::spawn(move || zabbix_server(&listener));
    let sent = fed(&desk, "zabbix_sender", &["-T", "-z", "127.0.0.1", "-p", &port, "-i", "-"], &text);
    assert!(sent.status.success(), "{}{}", stdout(&sent), stderr(&sent));
    let items = server.join().unwrap();
    assert_eq!(items.len(), text.lines().count());
    let of = |key: &str| items.iter().find(|item| item["key"] == key).unwrap_or_else(|| panic!("no {key}"));
    assert_eq!(of("fullwire.verdict")["value"], "poor");
    let discovered: Value =
        serde_json::from_str(of("fullwire.path.discovery")["value"].as_str().unwrap()).unwrap();
    assert_eq!(discovered[0]["{#TARGET}"], "10.0.2.1:5555");
    let rate = of("fullwire.net_throughput_bytes_per_second[\"10.0.2.1:5555\",\"async\"]");
    assert!(rate["value"].as_str().unwrap().starts_with("66475"), "{rate}");
    assert!(items.iter().all(|item| item["host"] == "db 1" && item["clock"].as_u64() > Some(1_700_000_000)));
}

/// Answers as a Zabbix server does (`ZBXD`, one byte of flags, the length in 8 bytes, JSON), until everything that was
/// announced has come: `zabbix_sender` sends 250 values at a time.
fn zabbix_server(listener: &TcpListener) -> Vec<Value> {
    let mut items = Vec::new();
    listener.set_nonblocking(true).unwrap();
    let mut quiet_since = Instant::now();
    while quiet_since.elapsed() < Duration::from_secs(2) {
        let Ok((mut stream, _)) = listener.accept() else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        stream.set_nonblocking(false).unwrap();
        let mut head = [0; 13];
        stream.read_exact(&mut head).unwrap();
        assert_eq!(&head[..4], b"ZBXD");
        let length = u32::from_le_bytes(head[5..9].try_into().unwrap());
        let mut body = vec![0; length as usize];
        stream.read_exact(&mut body).unwrap();
        let request: Value = serde_json::from_slice(&body).unwrap();
        let data = request["data"].as_array().unwrap();
        let info = format!("processed: {}; failed: 0; total: {0}; seconds spent: 0.001", data.len());
        items.extend(data.iter().cloned());
        let answer = serde_json::json!({ "response": "success", "info": info }).to_string();
        let mut frame = b"ZBXD\x01".to_vec();
        frame.extend(u64::try_from(answer.len()).unwrap().to_le_bytes());
        frame.extend(answer.as_bytes());
        stream.write_all(&frame).unwrap();
        quiet_since = Instant::now();
    }
    items
}

/// By the JSON mapping of the specification: keys in lowerCamelCase, 64-bit integers as strings, enumerations as
/// integers, and nothing else.
#[test]
fn otlp_has_the_keys_of_the_protocol_and_no_other() {
    let desk = desk_with_runs();
    let document: Value =
        serde_json::from_str(&exported(&desk, &["--otlp-json", "--run", "io-limit"])).unwrap();
    let known: BTreeSet<&str> = [
        "resourceMetrics", "resource", "attributes", "key", "value", "stringValue", "scopeMetrics", "scope",
        "name", "version", "metrics", "description", "unit", "gauge", "sum", "dataPoints", "timeUnixNano",
        "startTimeUnixNano", "asDouble", "aggregationTemporality", "isMonotonic",
    ]
    .into();
    let mut keys = BTreeSet::new();
    keys_of(&document, &mut keys);
    assert!(keys.iter().all(|key| known.contains(key.as_str())), "{keys:?}");
    let metrics = document["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
    for metric in metrics {
        let data = if metric["sum"].is_object() { &metric["sum"] } else { &metric["gauge"] };
        for point in data["dataPoints"].as_array().unwrap() {
            assert!(
                point["timeUnixNano"].as_str().unwrap().parse::<u64>().is_ok()
                    && point["asDouble"].is_number()
            );
        }
        if metric["sum"].is_object() {
            assert_eq!(data["aggregationTemporality"], 2);
        }
    }
}

fn keys_of(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, inner) in fields {
                keys.insert(key.clone());
                keys_of(inner, keys);
            }
        }
        Value::Array(list) => list.iter().for_each(|inner| keys_of(inner, keys)),
        _ => {}
    }
}

#[test]
fn the_last_run_is_one_of_this_host_and_not_of_a_captured_tree_or_a_report() {
    let desk = desk_with_runs();
    assert!(desk.run(&["capture", "-o", "host.tar.zst"]).status.success());
    let captured =
        ["check", "--root", "host.tar.zst", "--store", "runs", "--tag", "captured", "--fail-on", "never"];
    assert!(desk.run(&captured).status.success());
    assert!(exported(&desk, &["--openmetrics"]).contains("tag=\"here\""));
    assert!(exported(&desk, &["--openmetrics", "--run", "captured"]).contains("tag=\"captured\""));
}

#[test]
fn the_end_of_a_recording_is_exported_as_a_run_is() {
    let desk = Desk::new();
    let recorded = desk.run(&["record", "--for", "1500ms", "--interval", "200ms", "-o", "a.fwr"]);
    assert!(recorded.status.success(), "{}", stderr(&recorded));
    let of_end = |arguments: &[&str]| desk.run(&[&["export", "--recording", "a.fwr"], arguments].concat());
    for format in ["--openmetrics", "--checkmk", "--zabbix", "--junit", "--sarif", "--otlp-json", "--csv"] {
        let output = of_end(&[format]);
        assert!(output.status.success() && output.stdout.len() > 200, "{format}: {}", stderr(&output));
    }
    let length = |window: &str| -> f64 {
        let text = stdout(&of_end(&["--openmetrics", "--window", window]));
        assert!(
            text.contains("command=\"record\"") && text.contains("\nfullwire_host_cpu_online "),
            "{text}"
        );
        let value = text.lines().find_map(|line| line.strip_prefix("fullwire_run_duration_seconds "));
        value.unwrap().parse().unwrap()
    };
    let (whole, end) = (length("1m"), length("500ms"));
    assert!((1.0..2.5).contains(&whole) && (0.1..0.6).contains(&end), "{whole} {end}");
    if installed("promtool") {
        let text = stdout(&of_end(&["--openmetrics", "--all"]));
        let checked = fed(&desk, "promtool", &["check", "metrics"], &text);
        assert!(checked.status.success(), "{}{}", stderr(&checked), stdout(&checked));
    }
    let old = of_end(&["--nagios", "--max-age", "1ms"]);
    assert_eq!(old.status.code(), Some(3));
    assert!(stdout(&old).contains("the end of the recording is"), "{}", stdout(&old));
    assert_ne!(of_end(&["--nagios"]).status.code(), Some(3));
    assert_eq!(of_end(&["--csv", "--run", "x"]).status.code(), Some(2));
    let absent = desk.run(&["export", "--nagios", "--recording", "none.fwr"]);
    assert!(stdout(&absent).starts_with("FULLWIRE UNKNOWN - "), "{}", stdout(&absent));
}

#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    let desk = desk_with_runs();
    std::fs::write(desk.work.path().join("kept.prom"), "old\n").unwrap();
    let failed = export(&desk, &["--openmetrics", "--run", "no-such-run", "-o", "kept.prom"]);
    assert_eq!(failed.status.code(), Some(3));
    assert_eq!(std::fs::read_to_string(desk.work.path().join("kept.prom")).unwrap(), "old\n");
    exported(&desk, &["--openmetrics", "-o", "kept.prom"]);
    assert!(std::fs::read_to_string(desk.work.path().join("kept.prom")).unwrap().ends_with("# EOF\n"));
    assert!(!desk.files().iter().any(|name| name.starts_with("kept.prom.")), "{:?}", desk.files());
}

fn packaging(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/monitoring").join(name)
}

/// The rules that we ship, and what they say of series that we name here: promtool runs both.
#[test]
fn the_alert_rules_are_valid_and_fire_on_what_they_say() {
    if !installed("promtool") {
        return;
    }
    let desk = Desk::new();
    let promtool = |words: &[&str], file: &Path| {
        let output = desk.program("promtool").args(words).arg(file).output().unwrap();
        assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    };
    promtool(&["check", "rules"], &packaging("prometheus-alerts.yml"));
    promtool(&["test", "rules"], &packaging("prometheus-alerts.test.yml"));
}

/// Prometheus parses each of the dashboard's expressions, as the rule of a file.
#[test]
fn prometheus_parses_every_expression_of_the_dashboard() {
    if !installed("promtool") {
        return;
    }
    let desk = Desk::new();
    let dashboard: Value =
        serde_json::from_str(&std::fs::read_to_string(packaging("grafana-dashboard.json")).unwrap()).unwrap();
    let mut rules = String::from("groups:\n- name: dashboard\n  rules:\n");
    let mut count = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let expression = target["expr"].as_str().unwrap().replace("$instance", ".+");
            let _ = writeln!(rules, "  - record: dashboard:{count}\n    expr: '{expression}'");
            count += 1;
        }
    }
    assert!(count > 14);
    std::fs::write(desk.work.path().join("rules.yml"), rules).unwrap();
    let output = desk.program("promtool").args(["check", "rules", "rules.yml"]).output().unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
}

/// Whether Debian's Python has this library.
fn python_has(module: &str, package: &str) -> bool {
    let import = format!("import {module}");
    let found =
        Command::new("/usr/bin/python3").args(["-c", &import]).output().is_ok_and(|it| it.status.success());
    if !found {
        skipped(&format!("needs {package}"));
    }
    found
}
