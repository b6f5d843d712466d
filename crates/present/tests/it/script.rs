//! Scripts: what a shell, shellcheck and Ansible say of them, and what they call.

use fullwire_model::assessment::{
    Advice, Evidence, Finding, HERE, Layer, Phase, Severity, ShellCommand, Step, StepKind,
};
use fullwire_model::sh;
use fullwire_model::subject::Subject;
use fullwire_present::Printed;
use fullwire_present::script::{self, Script};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
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
        subject: evil.into(),
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
        ..Finding::new(code, Severity::Warning, Layer::Network, Subject::default(), evil)
    }
}

fn written(findings: &[&Finding], write: fn(&Script<'_>) -> Printed) -> String {
    let script = Script {
        run_id: "0k-1",
        hostname: "db1\nreboot",
        about: &[("system".to_owned(), "Linux\nreboot".to_owned())],
        store: Some("/r u/$(id)"),
        findings,
        refused: None,
    };
    write(&script).to_string()
}

/// `apply` refuses a run that was read from files: the script says what to do instead, and does not call it.
#[test]
fn a_script_of_a_captured_tree_says_where_its_steps_can_be_applied() {
    let folder = TempDir::new().unwrap();
    let one = finding("first-one", folder.path(), StepKind::Set);
    let instead = "run 0k-1 was read from a captured tree: on db7 run `fullwire check`";
    let script = Script {
        run_id: "0k-1",
        hostname: "db7",
        about: &[],
        store: None,
        findings: &[&one],
        refused: Some(instead),
    };
    let text = script::shell(&script).to_string();
    assert_eq!(text.lines().nth(2), Some(format!("# Nothing here is applied: {instead}.").as_str()));
    let file = folder.path().join("plan.sh");
    std::fs::write(&file, &text).unwrap();
    let output = Command::new("sh").arg(&file).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("{instead}\n"));
    let playbook = script::ansible(&script).to_string();
    assert!(playbook.contains(instead) && !playbook.contains("fullwire apply\"\n"), "{playbook}");
}

/// What the script calls `fullwire` with.
fn called(folder: &Path, text: &str, arguments: &[&str]) -> String {
    let (file, program) = (folder.join("plan.sh"), folder.join("fullwire"));
    std::fs::write(&file, text).unwrap();
    std::fs::write(&program, "#!/bin/sh\nprintf '<%s>' \"$@\"\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let output = Command::new("sh").arg(&file).args(arguments).env("PATH", path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_script_shows_every_step_and_calls_the_one_command_that_applies_them() {
    let folder = TempDir::new().unwrap();
    let (one, two) = (
        finding("first-one", folder.path(), StepKind::Set),
        finding("second", folder.path(), StepKind::Restart),
    );
    let text = written(&[&one, &two], script::shell);
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 2, "all others are comments: {lines:?}");
    for part in ["#   needs       it's safe; $(reboot)", "on db2:5555: line one reboot", "(needs downtime)"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let words = "<apply><0k-1><--store></r u/$(id)><--finding><first-one><--finding><second>";
    assert_eq!(called(folder.path(), &text, &[]), words);
    assert_eq!(called(folder.path(), &text, &["--yes", "--window"]), format!("{words}<--yes><--window>"));
    let nothing = called(folder.path(), &written(&[], script::shell), &["--yes"]);
    assert_eq!(nothing, "there is nothing to apply\n");
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
fn a_playbook_is_a_play_for_each_host_and_apply_alone_executes() {
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
    let commands: Vec<&serde_json::Value> = plays
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|play| play["tasks"].as_array().unwrap())
        .filter(|task| task.get("ansible.builtin.debug").is_none())
        .collect();
    assert_eq!(commands.len(), 1, "{commands:?}");
    let words = &commands[0]["vars"]["words"];
    assert_eq!((&words[1], &words[4], &words[6]), (&"apply".into(), &"/r u/$(id)".into(), &"first".into()));
    for task in plays.as_array().unwrap().iter().flat_map(|play| play["tasks"].as_array().unwrap()) {
        let name = task["name"].as_str().unwrap();
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || " .,-()".contains(c)), "{name}");
        let modules: Vec<&String> =
            task.as_object().unwrap().keys().filter(|key| key.starts_with("ansible.")).collect();
        assert!(matches!(modules[0].as_str(), "ansible.builtin.debug" | "ansible.builtin.command"), "{task}");
    }
    let said = plays[0]["tasks"][0]["ansible.builtin.debug"]["msg"].to_string();
    let run = one.advice.steps[0].run.as_deref().unwrap();
    assert!(said.contains(&format!("run: {run}")) && said.contains("needs: it's safe"), "{said}");
}
