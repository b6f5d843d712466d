//! `fullwire script`: the steps of a kept run, which `fullwire apply` alone does.

use crate::tool::{Desk, serve, stderr, stdout};

/// More than a host allows: the finding `socket-buffer-clamped`.
fn clamped(desk: &Desk) {
    let (_responder, address) = serve(desk, &["--open"]);
    let output = desk.run(&["net", &address, "--duration", "1s", "--sockbuf", "1024M", "--store", "runs"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn a_kept_run_becomes_a_script_that_changes_nothing_by_itself() {
    let desk = Desk::new();
    clamped(&desk);
    let output = desk.run(&["script", "last", "--finding", "socket-buffer-clamped", "--store", "runs"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let script = stdout(&output);
    assert!(script.starts_with("#!/bin/sh\n") && script.contains("\n# socket-buffer-clamped: "), "{script}");
    let called = script.lines().last().unwrap();
    assert!(called.starts_with("exec fullwire apply ") && called.contains("--store runs"), "{called}");
    std::fs::write(desk.work.path().join("plan.sh"), &script).unwrap();

    let setting = || std::fs::read_to_string("/proc/sys/net/core/wmem_max").unwrap();
    let before = setting();
    std::os::unix::fs::symlink(crate::tool::PROGRAM, desk.work.path().join("fullwire")).unwrap();
    let path = format!("{}:{}", desk.work.path().display(), std::env::var("PATH").unwrap());
    let shown = desk.program("sh").args(["plan.sh", "--dry-run"]).env("PATH", path).output().unwrap();
    assert!(shown.status.success(), "{}", stderr(&shown));
    assert!(stdout(&shown).contains("now         sysctl -w net.core.wmem_max="), "{}", stdout(&shown));
    assert_eq!(setting(), before);

    let checked = desk.program("shellcheck").arg("plan.sh").output().unwrap();
    assert!(checked.status.success(), "{}", stdout(&checked));

    let playbook = desk.run(&[
        "script", "last", "--finding", "socket-buffer-clamped", "--format", "ansible", "--store", "runs",
    ]);
    assert!(stdout(&playbook).starts_with("---\n"), "{}", stdout(&playbook));
    assert!(stdout(&playbook).contains("sysctl -w net.core.wmem_max="));
}

#[test]
fn a_finding_that_the_run_has_not_is_refused_with_those_it_has() {
    let desk = Desk::new();
    clamped(&desk);
    let output = desk.run(&["script", "last", "--finding", "no-such", "--store", "runs"]);
    assert_eq!(output.status.code(), Some(3));
    let said = stderr(&output);
    assert!(said.contains("no finding no-such") && said.contains("socket-buffer-clamped"), "{said}");
}
