//! Hosts that lack what others have: no /sys, a filter that forbids `io_uring`, an ordinary user. The audit must say what it
//! could not read, and never fail over it.

use crate::tool::{Desk, PROGRAM, installed, json, stderr};
use serde_json::Value;
use std::process::Output;

const CHECK: [&str; 6] = ["check", "--window", "0s", "--fail-on", "never", "--no-store"];

/// The document of an audit that went well.
fn audited(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    assert!(!stderr(output).contains("panicked"), "{}", stderr(output));
    let document = json(output);
    assert_eq!(document["schema"], "fullwire.check/1");
    document
}

#[test]
fn a_host_without_sys_is_audited_and_the_gap_is_said() {
    if !installed("unshare") || !is_root() {
        return;
    }
    let desk = Desk::new();
    let script = format!("mount -t tmpfs none /sys && exec {PROGRAM} {} --json", CHECK.join(" "));
    let mut command = desk.program("unshare");
    let output = command.args(["--mount", "--propagation", "private", "sh", "-c", &script]).output().unwrap();
    let document = audited(&output);
    assert!(document["disks"].as_array().unwrap().is_empty(), "there is nothing to read them from");
    let gaps = document["gaps"].as_array().unwrap();
    assert!(gaps.iter().any(|gap| gap["subject"].as_str().unwrap().starts_with("/sys")), "{gaps:?}");
}

/// Forbids `io_uring_setup` (system call 425 on every architecture) with EPERM, as container engines do, then becomes the
/// program.
const WITHOUT_IO_URING: &str = "
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
# Load the call's number; is it 425: EPERM; else allow.
program = b''.join(struct.pack('HBBI', *line) for line in [
    (0x20, 0, 0, 0), (0x15, 0, 1, 425), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)])
buffer = ctypes.create_string_buffer(program)
class Filter(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('program', ctypes.c_void_p)]
filter = Filter(4, ctypes.cast(buffer, ctypes.c_void_p))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(filter), 0, 0) == 0, os.strerror(ctypes.get_errno())
os.execv(sys.argv[1], sys.argv[1:])
";

#[test]
fn where_io_uring_is_forbidden_storage_is_measured_by_plain_calls() {
    if !installed("python3") {
        return;
    }
    let desk = Desk::new();
    let mut command = desk.program("/usr/bin/python3");
    command.args(["-c", WITHOUT_IO_URING, PROGRAM, "disk", ".", "--duration", "300ms", "--size", "16M"]);
    command.args([
        "--depth",
        "4",
        "--block",
        "8k",
        "--pattern",
        "random",
        "--no-store",
        "--json",
        "--fail-on",
        "never",
    ]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document = json(&output);
    let step = &document["steps"][0];
    assert_eq!(step["engine"], "plain", "{step}");
    assert!(step["ios"].as_u64() > Some(0), "{step}");
}

#[test]
fn an_ordinary_user_gets_an_audit_with_what_root_would_add_as_gaps() {
    if !installed("setpriv") || !is_root() {
        return;
    }
    let desk = Desk::new();
    // The user must be able to reach the program.
    let copy = std::env::temp_dir().join(format!("fullwire-of-nobody-{}", std::process::id()));
    std::fs::copy(PROGRAM, &copy).unwrap();
    let mut command = desk.program("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&copy).args(CHECK).arg("--json");
    let output = command.current_dir("/").output().unwrap();
    std::fs::remove_file(&copy).unwrap();
    let document = audited(&output);
    let denied = document["gaps"].as_array().unwrap().iter().filter(|gap| gap["reason"] == "denied").count();
    assert!(denied > 0, "{}", document["gaps"]);
}

fn is_root() -> bool {
    let root =
        std::process::Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    assert!(root || std::env::var_os("CI").is_none(), "needs root");
    root
}
