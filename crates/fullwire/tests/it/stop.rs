//! Interrupted runs and servers that are told to end.

use crate::tool::{Desk, Running, serve};
use std::process::Stdio;
use std::time::Duration;

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

#[test]
fn a_responder_ends_when_told_to() {
    let desk = Desk::new();
    let (mut responder, _) = serve(&desk, &["--open"]);
    responder.signal("-TERM");
    let status = responder.ends_within(Duration::from_secs(3)).expect("still running after 3 s");
    assert_eq!(status.code(), Some(0));
}
