//! Before and after on a real path: a change of known size is called what it is, and none is called none.

use crate::network::wire::Wire;
use crate::skips::{given, with_own_cpus};
use crate::tool::{Desk, Running, changing, decided, stderr, stdout};
use serde_json::Value;
use std::os::unix::fs::MetadataExt as _;
use std::process::{Output, Stdio};
use std::time::Duration;

/// Enough runs on a side for the rank test.
const RUNS: usize = 4;

const SHAPED: [&str; 9] = ["tc", "qdisc", "add", "dev", "eth0", "root", "handle", "1:", "tbf"];
const RESHAPED: [&str; 9] = ["tc", "qdisc", "change", "dev", "eth0", "root", "handle", "1:", "tbf"];

fn shape(wire: &Wire, verb: [&str; 9], rate: &str) {
    wire.run(0, &[&verb[..], &["rate", rate, "burst", "64k", "latency", "50ms"]].concat());
}

/// Measures this often under a label.
fn measured(wire: &Wire, desk: &Desk, tag: &str) {
    for _ in 0..RUNS {
        let words =
            ["net", "10.98.0.2", "--duration", "1s", "--warmup", "500ms", "--store", "runs", "--tag", tag];
        wire.json(desk, &words);
    }
}

fn diff(wire: &Wire, desk: &Desk, words: &[&str]) -> Output {
    wire.command(desk, 0).args(["diff", "--store", "runs"]).args(words).output().unwrap()
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(output)))
}

fn primary(document: &Value) -> &Value {
    let all = document["comparisons"].as_array().unwrap();
    all.iter().find(|compared| compared["primary"] == true).unwrap_or_else(|| panic!("{document}"))
}

#[test]
fn a_shaper_that_is_a_tenth_slower_is_found_and_named_and_the_same_shaper_is_not() {
    with_own_cpus(|| {
        let wire = given!(Wire::cable("cmp"));
        shape(&wire, SHAPED, "200mbit");
        let desk = Desk::new();
        let _responder = wire.serve(&desk);
        measured(&wire, &desk, "first");
        measured(&wire, &desk, "again");
        shape(&wire, RESHAPED, "180mbit");
        measured(&wire, &desk, "slower");

        let same = document(&diff(&wire, &desk, &["first", "again", "--json"]));
        assert_ne!(same["answer"], "worse", "{}", primary(&same));
        assert_ne!(same["answer"], "better", "{}", primary(&same));
        assert_eq!(same["cause"], Value::Null);

        let (target, link) = (desk.work.path().join("target"), desk.work.path().join("diff.html"));
        std::fs::write(&target, "precious").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let worse =
            diff(&wire, &desk, &["again", "slower", "--json", "--fail-on", "worse", "--html", "diff.html"]);
        assert_eq!(worse.status.code(), Some(1), "{}", stderr(&worse));
        let worse = document(&worse);
        let figure = primary(&worse);
        assert_eq!(
            (&figure["answer"], &figure["label"]),
            (&"worse".into(), &"async throughput".into()),
            "{figure}"
        );
        let (low, high) = (figure["low"].as_f64().unwrap(), figure["high"].as_f64().unwrap());
        assert!(
            (low..=high).contains(&-0.1) || (figure["change"].as_f64().unwrap() + 0.1).abs() < 0.02,
            "{figure}"
        );
        let changed: Vec<&Value> =
            worse["settings"].as_array().unwrap().iter().filter(|one| one["relevant"] == true).collect();
        assert!(
            changed.iter().any(|one| one["field"].as_str().unwrap().ends_with("rate_bytes_per_s")),
            "{changed:?}"
        );
        assert!(
            worse["cause"]["text"].as_str().unwrap().contains("rate (200 Mbit/s to 180 Mbit/s)"),
            "{}",
            worse["cause"]
        );
        let schema = desk.json(&["schema", "fullwire.diff/1"]);
        let valid = jsonschema::validator_for(&schema).unwrap();
        assert!(valid.iter_errors(&worse).next().is_none(), "{:?}", valid.iter_errors(&worse).next());
        let page = std::fs::read_to_string(&link).unwrap();
        let mode = std::fs::symlink_metadata(&link).unwrap().mode();
        assert_eq!(mode, 0o100_600, "a file in place of the link, its owner's alone: {mode:o}");
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "precious");
        assert!(page.contains("Run by run") && page.contains("</body>") && !page.contains("src=\"http"));

        // What the path carried before is next to what it carries now; a cable of veth has no speed that can be believed.
        let last = wire.json(&desk, &["show", "last", "--store", "runs"]);
        let best =
            last["paths"][0]["earlier"]["value"].as_f64().unwrap_or_else(|| panic!("{}", last["paths"]));
        assert!((best / (200e6 / 8.0) - 0.955).abs() < 0.03, "{best}");

        // As cron has it.
        let baseline = |words: &[&str]| {
            wire.command(&desk, 0).args(["baseline", "--store", "runs"]).args(words).output().unwrap()
        };
        assert!(baseline(&["set", "first", "again"]).status.success());
        assert!(stdout(&baseline(&["show"])).contains("golden"));
        let cron = diff(&wire, &desk, &["baseline", "last", "--fail-on", "worse"]);
        assert_eq!(cron.status.code(), Some(1), "{}{}", stdout(&cron), stderr(&cron));
        assert!(stdout(&cron).contains("WORSE"), "{}", stdout(&cron));
        // Every single one of them was unchanged: none may be called worse next to the others, and nothing is printed then.
        let quiet = diff(&wire, &desk, &["baseline", "first", "--fail-on", "worse"]);
        assert_ne!(quiet.status.code(), Some(1), "{}", stdout(&quiet));
        assert!(quiet.stdout.is_empty(), "{}", stdout(&quiet));
        let text = stdout(&diff(&wire, &desk, &["again", "slower"]));
        assert!(text.starts_with("fullwire diff") && text.contains("Configuration"), "{text}");

        // An audit in between is not the last run that is meant.
        assert!(
            wire.command(&desk, 0)
                .args(["check", "--window", "0s", "--store", "runs"])
                .output()
                .unwrap()
                .status
                .code()
                .is_some()
        );
        let after_audit = diff(&wire, &desk, &["baseline", "last", "--fail-on", "worse"]);
        assert_eq!(after_audit.status.code(), Some(1), "{}{}", stdout(&after_audit), stderr(&after_audit));

        let history = wire.json(&desk, &["history", "--changes", "--store", "runs"]);
        let series = &history["series"][0];
        assert_eq!(series["points"].as_array().unwrap().len(), 3 * RUNS, "{series}");
    });
}

/// The first document's comparison: the public network of a cluster against its private one.
#[test]
fn two_networks_to_one_host_are_compared_and_named() {
    with_own_cpus(|| {
        let wire = given!(Wire::cable("two"));
        wire.second_cable();
        shape(&wire, SHAPED, "100mbit");
        let private = ["tc", "qdisc", "add", "dev", "eth1", "root", "handle", "1:", "tbf", "rate", "142mbit"];
        wire.run(0, &[&private[..], &["burst", "64k", "latency", "50ms"]].concat());
        let desk = Desk::new();
        let _responder = wire.serve(&desk);
        for (target, tag) in [("10.98.0.2", "public"), ("10.99.0.2", "private")] {
            for _ in 0..RUNS {
                let words =
                    ["net", target, "--duration", "1s", "--warmup", "500ms", "--store", "runs", "--tag", tag];
                wire.json(&desk, &words);
            }
        }
        let compared = document(&diff(&wire, &desk, &["public", "private", "--json"]));
        assert_eq!(compared["refused"], Value::Null);
        let figure = primary(&compared);
        assert_eq!(
            (&figure["answer"], &figure["path_b"]),
            (&"better".into(), &"10.99.0.2".into()),
            "{figure}"
        );
        assert!((figure["change"].as_f64().unwrap() - 0.42).abs() < 0.05, "{figure}");
        let differences = compared["targets"][0]["differences"].as_array().unwrap();
        assert!(
            differences.iter().any(|one| one["name"] == "interface" && one["b"] == "eth1"),
            "{differences:?}"
        );
        let text = stdout(&diff(&wire, &desk, &["public", "private"]))
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(
            text.contains("Two targets: 10.98.0.2 and 10.99.0.2. They differ in interface (eth0 and eth1)"),
            "{text}"
        );
    });
}

#[test]
fn what_is_worse_than_the_baseline_is_measured_again_before_it_is_called_so() {
    with_own_cpus(|| {
        let wire = given!(Wire::cable("bas"));
        shape(&wire, SHAPED, "200mbit");
        let desk = Desk::new();
        let _responder = wire.serve(&desk);
        let assess = |words: &[&str]| {
            let mut command = wire.command(&desk, 0);
            command.args(["assess", "--peer", "10.98.0.2", "--quick", "--store", "runs"]).args(words);
            command.output().unwrap()
        };
        // Three runs are enough to judge one that carries half.
        for _ in 0..3 {
            assess(&["--tag", "before"]);
        }
        shape(&wire, RESHAPED, "100mbit");
        let halved = assess(&["--baseline", "before"]);
        let said = stderr(&halved);
        assert_eq!(halved.status.code(), Some(1), "{said}");
        assert!(said.contains("measuring a second time"), "{said}");
        assert!(!said.contains("does not confirm"), "{said}");
        let headline = stdout(&halved).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(headline.contains("An earlier run, ") && headline.contains(" of that."), "{headline}");
    });
}

#[test]
fn an_experiment_finds_the_change_and_leaves_the_host_as_it_was() {
    with_own_cpus(|| {
        changing();
        let wire = given!(Wire::cable("prv"));
        // So slow that the socket buffers carry the path over a moment in which neither end gets a CPU.
        shape(&wire, SHAPED, "20mbit");
        let desk = Desk::new();
        let _responder = wire.serve(&desk);
        let command = |rate: &str| format!("{} rate {rate} burst 64k latency 50ms", RESHAPED.join(" "));
        let (a, b) = (command("20mbit"), command("30mbit"));
        // A half more is far outside what these runs differ by: four pairs tell.
        let words =
            ["prove", "--a", &a, "--b", &b, "--yes", "--settle", "0s", "--pairs", "4", "--store", "runs"];
        let measure = ["--", "net", "10.98.0.2", "--duration", "2s", "--warmup", "500ms"];
        let dry = wire.command(&desk, 0).args(words).arg("--dry-run").args(measure).output().unwrap();
        assert!(
            stdout(&dry).contains("ABBAABBA")
                && stdout(&dry).contains("4 pairs show only a change far outside"),
            "{}",
            stdout(&dry)
        );

        let prove = || wire.command(&desk, 0).args(words).args(["--json"]).args(measure).output().unwrap();
        let proof = decided(|| document(&prove()));
        assert_eq!((&proof["answer"], &proof["restored"]), (&"better".into(), &true.into()), "{proof}");
        assert_eq!(proof["cause"]["kind"], "caused-by", "{}", proof["cause"]);
        let figure = primary(&proof);
        assert!((figure["change"].as_f64().unwrap() - 0.5).abs() < 0.05, "{figure}");
        assert!(proof["ticket"].as_str().unwrap().contains("was restored"), "{}", proof["ticket"]);
        let mut check = wire.command(&desk, 0);
        check.args(["check", "--json", "--no-store", "--window", "0s", "--fail-on", "never"]);
        assert!(shaped_at(&mut check, 2.5e6), "the shaper is not at 20 Mbit/s again");

        // What the experiment set is no change of the path, and not how the host is.
        let history = desk.run(&["history", "--changes", "--json", "--store", "runs"]);
        assert!(document(&history)["series"].is_null(), "{}", stdout(&history));
        assert!(stderr(&history).contains("left out of the series"), "{}", stderr(&history));
        let nagios = desk.run(&["export", "--nagios", "--store", "runs"]);
        assert!(stdout(&nagios).contains("no run of this host is kept"), "{}", stdout(&nagios));
    });
}

/// The token bucket of eth0 has this rate, in bytes per second.
fn shaped_at(command: &mut std::process::Command, rate: f64) -> bool {
    let document = document(&command.output().unwrap());
    let nics = document["nics"].as_array().unwrap().iter().filter(|nic| nic["name"] == "eth0");
    let mut rates =
        nics.flat_map(|nic| nic["qdiscs"].as_array().unwrap()).map(|qdisc| &qdisc["rate_bytes_per_s"]);
    rates.any(|found| found.as_f64() == Some(rate))
}

#[test]
fn an_interrupted_experiment_restores_the_state() {
    with_own_cpus(|| {
        changing();
        let wire = given!(Wire::cable("int"));
        shape(&wire, SHAPED, "20mbit");
        let desk = Desk::new();
        let _responder = wire.serve(&desk);
        let setting = "net.ipv4.tcp_slow_start_after_idle";
        let (a, b) = (format!("sysctl -q -w {setting}=1"), format!("sysctl -q -w {setting}=0"));
        let read = || {
            let output = wire
                .command(&desk, 0)
                .args(["check", "--json", "--no-store", "--window", "0s"])
                .output()
                .unwrap();
            document(&output)["sysctls"][setting].as_str().map(str::to_owned)
        };
        assert_eq!(read().as_deref(), Some("1"));
        let mut command = wire.command(&desk, 0);
        command.args(["prove", "--a", &a, "--b", &b, "--yes", "--settle", "0s", "--store", "runs"]);
        command.args(["--", "net", "10.98.0.2", "--duration", "4s"]);
        let mut running = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let begun = std::time::Instant::now();
        while read().as_deref() == Some("1") && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(200));
        }
        assert_eq!(read().as_deref(), Some("0"), "the change was never made");
        running.signal("-INT");
        let status = running.ends_within(Duration::from_secs(30)).expect("still running");
        assert_eq!(read().as_deref(), Some("1"), "not restored");
        assert_eq!(status.code(), Some(130));
    });
}

#[test]
fn an_experiment_that_cannot_be_is_refused_before_anything_is_changed() {
    let desk = Desk::new();
    let cases: [(&[&str], i32, &str); 4] = [
        (&["prove", "--a", "true", "--b", "true"], 2, "say what to measure"),
        (&["prove", "--a", "true", "--b", "true", "--", "check"], 2, "`net …` or `disk …`"),
        (&["prove", "--a", "true", "--b", "true", "--", "net", "127.0.0.1:9"], 2, "--yes skips it"),
        (&["diff", "none", "last"], 3, "run store"),
    ];
    for (words, status, said) in cases {
        let output = desk.run(words);
        assert_eq!(output.status.code(), Some(status), "{words:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{words:?}: {}", stderr(&output));
    }
}

#[test]
fn two_captures_are_compared_by_their_settings() {
    let desk = Desk::new();
    for name in ["one.tar.zst", "two.tar.zst"] {
        assert!(desk.run(&["capture", "-o", name]).status.success());
    }
    let same = desk.json(&["diff", "one.tar.zst", "two.tar.zst", "--json"]);
    // Other tests make and remove interfaces meanwhile, also while one is looked at; no one changes a setting.
    let was_read = |side: &Value| side.as_str().is_some_and(|text| !text.is_empty());
    let changed = |one: &&Value| one["relevant"] == true && was_read(&one["a"]) && was_read(&one["b"]);
    let changed: Vec<&Value> = same["settings"].as_array().unwrap().iter().filter(changed).collect();
    assert!(changed.is_empty(), "two looks at one host differ: {changed:?}");
    assert_eq!(same["comparisons"].as_array().unwrap().len(), 0);
}

#[test]
fn stretches_of_a_recording_are_compared_as_far_as_they_go() {
    let desk = Desk::new();
    let recorded = desk.run(&["record", "-o", "host.fwr", "--interval", "500ms", "--for", "3s"]);
    assert!(recorded.status.success(), "{}", stderr(&recorded));
    let same = desk.json(&["diff", "host.fwr@..", "host.fwr@-2s..", "--json"]);
    // Three seconds tell nothing of a disk, and the host is the same.
    assert_eq!((&same["answer"], &same["comparisons"]), (&"cannot-tell".into(), &serde_json::json!([])));
    assert!(
        same["settings"].as_array().unwrap().iter().all(|one| one["relevant"] == false),
        "{}",
        same["settings"]
    );
    let one_sided = desk.run(&["diff", "host.fwr@..", "last"]);
    assert_eq!(one_sided.status.code(), Some(2));
    assert!(stderr(&one_sided).contains("FILE@FROM..TO on both sides"), "{}", stderr(&one_sided));
}
