//! Scripts: what a shell, shellcheck and Ansible say of them, and what they do when they are run.

use fullwire_model::assessment::{
    Advice, Check, Evidence, Finding, HERE, Layer, Phase, Severity, ShellCommand, Step, StepKind,
};
use fullwire_model::sh;
use fullwire_model::subject::Subject;
use fullwire_present::script::{self, Script};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn step(phase: Phase, on: &str, run: Option<ShellCommand>, text: &str, kind: StepKind) -> Step {
    Step {
        on: on.into(),
        run,
        kind,
        needs: vec!["it's safe; $(reboot)".into()],
        ..Step::by_hand(phase, text)
    }
}

/// A finding whose steps write into a folder; every text tries to get out of its place.
fn finding(code: &str, folder: &Path, kind: StepKind) -> Finding {
    let file = folder.join(code);
    let touch = sh!("touch {}", file.to_string_lossy());
    let remove = sh!("rm {}", file.to_string_lossy());
    let peer = sh!("touch {}/peer", folder.to_string_lossy());
    let evil = "line one\nreboot; 'quote' \"double\" $(id) `id` {{ lookup('pipe','id') }}";
    Finding {
        code: code.into(),
        severity: Severity::Warning,
        layer: Layer::Network,
        subject: evil.into(),
        subject_ref: Subject::default(),
        also: Vec::new(),
        message: evil.into(),
        measured: None,
        limit: None,
        unit: None,
        evidence: vec![Evidence::default()],
        advice: Advice {
            why: evil.into(),
            steps: vec![
                step(Phase::Now, HERE, Some(touch), evil, kind),
                step(Phase::Now, "db2:5555", Some(peer), evil, StepKind::Set),
                step(Phase::Undo, HERE, Some(remove), evil, kind),
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

/// The script with its journal in the folder; what it is asked is answered line by line.
fn run_script(folder: &Path, text: &str, arguments: &[&str], answers: &str) -> (bool, String) {
    let file = folder.join("plan.sh");
    std::fs::write(&file, text).unwrap();
    std::fs::write(folder.join("answers"), answers).unwrap();
    let answers = std::fs::File::open(folder.join("answers")).unwrap();
    let state = folder.join("state");
    let output: Output = Command::new("sh")
        .arg(&file)
        .arg("--state")
        .arg(&state)
        .args(arguments)
        .stdin(answers)
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

const YES: &str = "y\ny\ny\ny\ny\ny\ny\ny\n";

#[test]
fn a_script_shows_applies_and_takes_back() {
    let folder = TempDir::new().unwrap();
    let (one, two) = (
        finding("first-one", folder.path(), StepKind::Set),
        finding("second", folder.path(), StepKind::Restart),
    );
    let text = written(&[&one, &two], script::shell);
    let there = |name: &str| folder.path().join(name).exists();
    let run = |arguments: &[&str], answers: &str| run_script(folder.path(), &text, arguments, answers);

    let (done, said) = run(&[], "");
    assert!(done && said.contains("would run  touch") && !there("first-one"), "{said}");
    assert!(said.contains("needs  it's safe; $(reboot)"), "{said}");

    let (done, said) = run(&["--apply"], "");
    assert!(done && !there("first-one"), "no answer is no: {said}");

    let (done, said) = run(&["--apply"], YES);
    assert!(done && there("first-one") && !there("second") && !there("peer"), "{said}");
    assert!(said.contains("needs --window (downtime)") && said.contains("not here (db2:5555)"), "{said}");
    assert!(said.contains("done:    first_one_1") && said.contains("skipped: second_2"), "{said}");

    let (_, said) = run(&["--apply", "--only", "first_one_1"], YES);
    assert!(said.contains("applied already"), "{said}");

    let (done, said) = run(&["--apply", "--window", "--only", "second_2"], YES);
    assert!(done && there("second"), "{said}");

    let (done, said) = run(&["--apply", "--window", "--undo"], YES);
    assert!(done && !there("first-one") && !there("second"), "{said}");
    assert!(said.find("second") < said.find("first-one"), "the last one first: {said}");

    let (done, said) = run(&["--apply", "--host", "db2:5555"], YES);
    assert!(done && there("peer") && !there("first-one"), "{said}");
    assert!(!run(&["--reboot"], "").0, "an unknown option");
}

/// What was there before the script is none of its business.
#[test]
fn undo_takes_back_only_what_was_done() {
    let folder = TempDir::new().unwrap();
    let mut one = finding("first", folder.path(), StepKind::Set);
    one.advice.steps[0].run = Some("false".into());
    let two = finding("second", folder.path(), StepKind::Set);
    let file = folder.path().join("second");
    let text = written(&[&one, &two], script::shell);
    std::fs::write(&file, "precious").unwrap();
    let (done, said) = run_script(folder.path(), &text, &["--apply", "--undo"], YES);
    assert!(done && file.exists() && said.contains("nothing to take back"), "{said}");
    std::fs::remove_file(&file).unwrap();
    // The first fails, the second goes on.
    let (done, said) = run_script(folder.path(), &text, &["--apply"], YES);
    assert!(!done && file.exists(), "{said}");
    assert!(said.contains("failed:  first_1") && said.contains("done:    second_2"), "{said}");
    let journal = std::fs::read_to_string(folder.path().join("state/script/0k-1.journal")).unwrap();
    let begun = journal.lines().position(|line| line.starts_with("begun second_2 now"));
    assert!(begun < journal.lines().position(|line| line.starts_with("done second_2")), "{journal}");
    // What failed may have been done in part, and its undo is tried; it fails too, for there is nothing.
    let (done, said) = run_script(folder.path(), &text, &["--apply", "--undo"], YES);
    assert!(!done && !file.exists(), "{said}");
}

#[test]
fn what_lasts_is_not_done_where_what_is_live_was_skipped() {
    let folder = TempDir::new().unwrap();
    let mut one = finding("first", folder.path(), StepKind::LinkReset);
    let lasting = sh!("touch {}/lasting", folder.path().to_string_lossy());
    one.advice.steps.insert(1, step(Phase::Persist, HERE, Some(lasting), "Keeps it", StepKind::Set));
    let text = written(&[&one], script::shell);
    let (done, said) = run_script(folder.path(), &text, &["--apply"], YES);
    assert!(done && !folder.path().join("lasting").exists(), "{said}");
    // Alone it would be live at the next boot: it costs then what the other costs now.
    one.advice.steps.swap(0, 1);
    let (_, said) = run_script(folder.path(), &written(&[&one], script::shell), &["--apply"], YES);
    assert!(
        said.contains("needs --window (interrupts)") && !folder.path().join("lasting").exists(),
        "{said}"
    );
}

#[test]
fn what_follows_a_step_by_hand_waits_for_the_answer() {
    let folder = TempDir::new().unwrap();
    let mut one = finding("first", folder.path(), StepKind::Set);
    one.advice.steps.insert(0, step(Phase::Now, HERE, None, "Ask the owner", StepKind::Set));
    let text = written(&[&one], script::shell);
    for (answer, there) in [("", false), ("y\nn\n", false), ("y\ny\nn\n", false), (YES, true)] {
        let folder = TempDir::new().unwrap();
        let text = text.replace(one_folder(&text), &folder.path().to_string_lossy());
        let (done, said) = run_script(folder.path(), &text, &["--apply"], answer);
        assert!(done && folder.path().join("first").exists() == there, "{answer:?}: {said}");
    }
}

/// The folder that the commands of a script write to.
fn one_folder(text: &str) -> &str {
    text.split("touch ").nth(1).and_then(|rest| rest.split("/first").next()).unwrap()
}

#[test]
fn a_check_that_fails_and_a_change_without_effect_end_the_finding() {
    let folder = TempDir::new().unwrap();
    let mut one = finding("first", folder.path(), StepKind::Set);
    one.advice.steps[0].needs.clear();
    one.advice.steps[0].checks.push(Check { run: "test -d /nowhere".into(), text: "it is there".into() });
    let (done, said) = run_script(folder.path(), &written(&[&one], script::shell), &["--apply"], YES);
    assert!(done && said.contains("skipped: first_1") && !folder.path().join("first").exists(), "{said}");
    one.advice.steps[0].checks.clear();
    one.advice.steps[0].read_back = Some("test -d /nowhere".into());
    let (done, said) = run_script(folder.path(), &written(&[&one], script::shell), &["--apply"], YES);
    assert!(!done && said.contains("did not take effect") && said.contains("failed:  first_1"), "{said}");
}

/// Whoever may write to the journal's directory could have root undo what it did not do.
#[test]
fn a_journal_that_is_not_roots_alone_runs_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let one = finding("first", folder.path(), StepKind::Set);
    let text = written(&[&one], script::shell);
    let state = folder.path().join("state");
    std::fs::create_dir(&state).unwrap();
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o777)).unwrap();
    let (done, said) = run_script(folder.path(), &text, &["--apply"], YES);
    assert!(!done && said.contains("nothing is run") && !folder.path().join("first").exists(), "{said}");
    std::fs::remove_dir(&state).unwrap();
    std::os::unix::fs::symlink("/tmp", &state).unwrap();
    assert!(!run_script(folder.path(), &text, &["--apply"], YES).0);
}

#[test]
fn shellcheck_has_nothing_to_say() {
    let folder = TempDir::new().unwrap();
    let mut one = finding("first", folder.path(), StepKind::LinkReset);
    one.advice.steps.push(step(Phase::Now, HERE, None, "By hand", StepKind::Set));
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
fn a_playbook_is_a_play_for_each_host_and_only_shows() {
    let folder = TempDir::new().unwrap();
    let (one, two) =
        (finding("first", folder.path(), StepKind::Set), finding("second", folder.path(), StepKind::Restart));
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
        let name = task["name"].as_str().unwrap();
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || " .,-()".contains(c)), "{name}");
        let modules: Vec<&String> =
            task.as_object().unwrap().keys().filter(|key| key.starts_with("ansible.")).collect();
        assert!(matches!(modules[0].as_str(), "ansible.builtin.debug" | "ansible.builtin.assert"), "{task}");
    }
    let said = plays[0]["tasks"][1]["ansible.builtin.debug"]["msg"].to_string();
    let run = one.advice.steps[0].run.as_deref().unwrap();
    assert!(said.contains(&format!("run: {run}")) && said.contains("needs: it's safe"), "{said}");
}
