//! The plain engine makes one system call for each I/O and no other, counted by strace.

use super::{entries, example};
use crate::skips::installed;
use std::collections::BTreeMap;
use std::process::Command;

const IOS: usize = 2000;

/// Calls of the thread that made most of one kind, by name.
fn calls_of_worker(operation: &str, sync: &str, call: &str) -> BTreeMap<String, usize> {
    let directory = tempfile::tempdir().expect("temporary directory");
    let traces = tempfile::tempdir().expect("temporary directory");
    let bytes = (IOS * 8192).to_string();
    let status = Command::new("strace")
        .args(["-ff", "-o"])
        .arg(traces.path().join("trace"))
        .arg(example())
        .arg(directory.path())
        .args([operation, "random", "8192", "1", "1", "60", "plain", sync, &bytes])
        .env("FULLWIRE_TEST_SIZE", "8388608")
        .stdout(std::process::Stdio::null())
        .status()
        .expect("strace runs");
    assert!(status.success());
    let counted = entries(traces.path()).into_iter().map(|path| {
        let mut calls = BTreeMap::new();
        for line in std::fs::read_to_string(path).expect("trace").lines() {
            *calls.entry(line.split('(').next().unwrap_or_default().to_owned()).or_insert(0) += 1;
        }
        calls
    });
    counted.max_by_key(|calls: &BTreeMap<String, usize>| calls.get(call).copied()).expect("traces")
}

#[test]
fn one_call_for_each_io() {
    if !installed("strace") {
        return;
    }
    for (operation, sync, call, each) in [
        ("read", "none", "pread64", 1),
        ("write", "none", "pwrite64", 1),
        ("write", "dsync", "pwrite64", 1),
        ("write", "fdatasync", "pwrite64", 2),
    ] {
        let calls = calls_of_worker(operation, sync, call);
        assert_eq!(calls.get(call), Some(&IOS), "{operation} {sync}: {calls:?}");
        let all: usize = calls.values().sum();
        // Opening, memory, the gate, and the end of the thread.
        let constant = all - each * IOS;
        assert!(constant < 40, "{operation} {sync}: {constant} calls beyond the I/Os: {calls:?}");
    }
}

/// A filter that lets rings be made and not be used, as some container runtimes have it.
#[test]
fn a_forbidden_io_uring_enter_is_worked_around() {
    if !installed("strace") {
        return;
    }
    let directory = tempfile::tempdir().expect("temporary directory");
    let traced = std::process::Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=io_uring_enter", "-e", "inject=io_uring_enter:error=EPERM"])
        .arg("-o")
        .arg(directory.path().join("trace"))
        .arg(super::example())
        .arg(directory.path())
        .args(["read", "random", "8192", "4", "1", "0.1", "auto"])
        .env("FULLWIRE_TEST_SIZE", "8388608")
        .env("XDG_STATE_HOME", directory.path())
        .output()
        .expect("strace runs");
    let text = String::from_utf8_lossy(&traced.stdout);
    assert!(traced.status.success(), "{text} {}", String::from_utf8_lossy(&traced.stderr));
    assert!(text.contains("io-uring-missing") && text.contains("Operation not permitted"), "{text}");
}
