//! Scripts: what a shell, shellcheck and Ansible say of them, and what they do when they are run.

use fullwire_model::assessment::{Advice, Evidence, Finding, HERE, Layer, Phase, Risk, Severity, Step};
use fullwire_present::script::{self, Script};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn step(phase: Phase, on: &str, run: Option<String>, text: &str, risk: Risk) -> Step {
    Step { phase, on: on.into(), run, text: text.into(), risk, needs: vec!["it's safe; $(reboot)".into()] }
}

/// A finding whose steps write into a folder; every text tries to get out of its place.
fn finding(code: &str, folder: &Path, risk: Risk) -> Finding {
    let file = folder.join(code);
    let touch = format!("touch '{}'", file.display());
    let remove = format!("rm '{}'", file.display());
    let peer = format!("touch '{}/peer'", folder.display());
    let evil = "line one\nreboot; 'quote' \"double\" $(id) `id` {{ lookup('pipe','id') }}";
    Finding {
        code: code.into(),
        severity: Severity::Warning,
        layer: Layer::Network,
        subject: evil.into(),
        also: Vec::new(),
        message: evil.into(),
        measured: None,
        limit: None,
        unit: None,
        evidence: vec![Evidence::default()],
        advice: Advice {
            why: evil.into(),
            steps: vec![
                step(Phase::Now, HERE, Some(touch), evil, risk),
                step(Phase::Now, "db2:5555", Some(peer), evil, Risk::Online),
                step(Phase::Undo, HERE, Some(remove), evil, risk),
            ],
            expect: evil.into(),
        },
        path: None,
        db_time_share: None,
        explains: Vec::new(),
    }
}

fn written(findings: &[&Finding], write: fn(&Script<'_>) -> String) -> String {
    write(&Script { run_id: "0k-1", hostname: "db1\nreboot", findings })
}

fn sh(folder: &Path, text: &str, arguments: &[&str], answers: &str) -> (bool, String) {
    let file = folder.join("plan.sh");
    std::fs::write(&file, text).unwrap();
    std::fs::write(folder.join("answers"), answers).unwrap();
    let answers = std::fs::File::open(folder.join("answers")).unwrap();
    let output: Output = Command::new("sh").arg(&file).args(arguments).stdin(answers).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn a_script_shows_applies_and_takes_back() {
    let folder = TempDir::new().unwrap();
    let (one, two) =
        (finding("first-one", folder.path(), Risk::Online), finding("second", folder.path(), Risk::Downtime));
    let text = written(&[&one, &two], script::shell);
    let there = |name: &str| folder.path().join(name).exists();

    let (done, said) = sh(folder.path(), &text, &[], "");
    assert!(done && said.contains("would run  touch") && !there("first-one"), "{said}");
    assert!(said.contains("needs  it's safe; $(reboot)"), "{said}");

    let (done, said) = sh(folder.path(), &text, &["--apply"], "");
    assert!(done && there("first-one") && !there("second") && !there("peer"), "{said}");
    assert!(said.contains("needs --window (downtime)") && said.contains("not here (db2:5555)"), "{said}");

    let (done, said) = sh(folder.path(), &text, &["--apply", "--window", "--only", "second_2"], "");
    assert!(done && there("second"), "{said}");

    let (done, said) = sh(folder.path(), &text, &["--apply", "--window", "--undo"], "");
    assert!(done && !there("first-one") && !there("second"), "{said}");
    assert!(said.find("second") < said.find("first-one"), "the last one first: {said}");

    let (done, said) = sh(folder.path(), &text, &["--apply", "--host", "db2:5555"], "");
    assert!(done && there("peer") && !there("first-one"), "{said}");
    assert!(!sh(folder.path(), &text, &["--reboot"], "").0, "an unknown option");
}

#[test]
fn what_follows_a_step_by_hand_waits_for_the_answer() {
    let folder = TempDir::new().unwrap();
    let mut one = finding("first", folder.path(), Risk::Online);
    one.advice.steps.insert(0, step(Phase::Now, HERE, None, "Ask the owner", Risk::Online));
    let text = written(&[&one], script::shell);
    for (answer, there) in [("", false), ("n\n", false), ("y\n", true)] {
        let (done, said) = sh(folder.path(), &text, &["--apply"], answer);
        assert!(done && folder.path().join("first").exists() == there, "{answer:?}: {said}");
    }
}

#[test]
fn a_command_that_fails_ends_the_script() {
    let folder = TempDir::new().unwrap();
    let (mut one, two) =
        (finding("first", folder.path(), Risk::Online), finding("second", folder.path(), Risk::Online));
    one.advice.steps[0].run = Some("false".into());
    let (done, said) = sh(folder.path(), &written(&[&one, &two], script::shell), &["--apply"], "");
    assert!(!done && !folder.path().join("second").exists(), "{said}");
}

#[test]
fn shellcheck_has_nothing_to_say() {
    let folder = TempDir::new().unwrap();
    let mut one = finding("first", folder.path(), Risk::Interrupts);
    one.advice.steps.push(step(Phase::Now, HERE, None, "By hand", Risk::Online));
    let file = folder.path().join("plan.sh");
    for findings in [&[&one][..], &[]] {
        std::fs::write(&file, written(findings, script::shell)).unwrap();
        let output =
            Command::new("shellcheck").arg(&file).output().expect("shellcheck, which ./test installs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

/// The playbook as `PyYAML` reads it; `!unsafe` is Ansible's own.
const READ: &str = "import sys, json, yaml
yaml.SafeLoader.add_constructor('!unsafe', lambda loader, node: loader.construct_scalar(node))
print(json.dumps(yaml.safe_load(sys.stdin)))";

#[test]
fn a_playbook_is_a_play_for_each_host_and_does_nothing_by_default() {
    let folder = TempDir::new().unwrap();
    let (one, two) =
        (finding("first", folder.path(), Risk::Online), finding("second", folder.path(), Risk::Downtime));
    let text = written(&[&one, &two], script::ansible);
    // The distribution's own, for which ./test installs PyYAML.
    let mut python = Command::new("/usr/bin/python3")
        .args(["-c", READ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut python.stdin.take().unwrap(), text.as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    let plays: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let hosts: Vec<&str> =
        plays.as_array().unwrap().iter().map(|play| play["hosts"].as_str().unwrap()).collect();
    assert_eq!(hosts, ["here", "db2"]);
    for task in plays.as_array().unwrap().iter().flat_map(|play| play["tasks"].as_array().unwrap()) {
        assert_eq!(task["when"][0], "apply | default(false) | bool", "{task}");
        assert!(!task["name"].as_str().unwrap().contains("{{"), "{task}");
    }
    let here = plays[0]["tasks"].as_array().unwrap();
    assert_eq!(here[0]["ansible.builtin.shell"]["cmd"], one.advice.steps[0].run.as_deref().unwrap());
    assert_eq!(here[1]["when"][1], "window | default(false) | bool");
    assert_eq!(here[2]["tags"], serde_json::json!(["never", "undo", "second"]), "the last one first");
}
