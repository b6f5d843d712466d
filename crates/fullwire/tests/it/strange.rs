//! Hosts that lack what others have: no /sys, a filter that forbids `io_uring`, the system calls of an old kernel, an
//! ordinary user. The audit must say what it could not read, and never fail over it.

use crate::skips::{installed, is_root};
use crate::tool::{Desk, PROGRAM, Running, free_address, json, stderr, stdout};
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Output, Stdio};

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

#[test]
fn what_a_recorder_loses_on_a_full_disk_is_counted() {
    if !installed("unshare") || !is_root() {
        return;
    }
    let desk = Desk::new();
    let script = format!(
        "mount -t tmpfs -o size=64m,mode=755 none /mnt && head -c 66300000 /dev/zero >/mnt/fill && exec {PROGRAM} record --for 1s \
         --interval 200ms -o /mnt/a.fwr"
    );
    let mut command = desk.program("unshare");
    let output = command.args(["--mount", "--propagation", "private", "sh", "-c", &script]).output().unwrap();
    let said = stdout(&output);
    assert!(
        said.starts_with("0 samples") && said.contains("lost: the disk was too slow or nearly full"),
        "{said}"
    );
}

/// Answers some system calls with an error, then becomes the program: with `=`, those of this number; with `>`, those of
/// this number and above it.
const FILTERED: &str = "
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
jump, number, error = {'=': 0x15, '>': 0x35}[sys.argv[1]], int(sys.argv[2]), int(sys.argv[3])
# Load the call's number; is it one of them: the error; else allow.
program = b''.join(struct.pack('HBBI', *line) for line in [
    (0x20, 0, 0, 0), (jump, 0, 1, number), (0x06, 0, 0, 0x00050000 | error), (0x06, 0, 0, 0x7fff0000)])
buffer = ctypes.create_string_buffer(program)
class Filter(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('program', ctypes.c_void_p)]
filter = Filter(4, ctypes.cast(buffer, ctypes.c_void_p))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(filter), 0, 0) == 0, os.strerror(ctypes.get_errno())
os.execv(sys.argv[4], sys.argv[4:])
";

/// The program where these system calls fail.
fn filtered(desk: &Desk, filter: [&str; 3]) -> Command {
    let mut command = desk.program("/usr/bin/python3");
    command.args(["-c", FILTERED]).args(filter).arg(PROGRAM);
    command
}

const DISK: [&str; 17] = [
    "disk", ".", "--duration", "300ms", "--size", "16M", "--depth", "4", "--block", "8k", "--pattern",
    "random", "--no-store", "--json", "--fail-on", "never", "--quiet",
];

/// Storage is measured, by plain calls.
fn measures_by_plain_calls(mut command: Command) {
    let output = command.args(DISK).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document = json(&output);
    let step = &document["steps"][0];
    assert_eq!(step["engine"], "plain", "{step}");
    assert!(step["ios"].as_u64() > Some(0), "{step}");
}

/// `io_uring_setup` is 425 on every architecture; container engines answer EPERM.
#[test]
fn where_io_uring_is_forbidden_storage_is_measured_by_plain_calls() {
    if installed("python3") {
        let desk = Desk::new();
        measures_by_plain_calls(filtered(&desk, ["=", "425", "1"]));
    }
}

/// `fallocate` is 285 on `x86_64`; the filters of old container engines answer EPERM to what they do not know.
#[cfg(target_arch = "x86_64")]
#[test]
fn where_space_cannot_be_reserved_it_is_written() {
    if installed("python3") {
        let desk = Desk::new();
        let output = filtered(&desk, ["=", "285", "1"]).args(DISK).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(json(&output)["steps"][0]["ios"].as_u64() > Some(0));
    }
}

/// The first number that each kernel does not have on `x86_64` (`arch/x86/entry/syscalls/syscall_64.tbl` of its release), which
/// it answers with ENOSYS. The distributions' kernels of these versions have some later calls; none is counted on.
#[cfg(target_arch = "x86_64")]
const KERNELS: [(&str, &str); 3] = [("3.10", "314"), ("4.18", "335"), ("5.14", "448")];

/// No such kernel runs here: its system calls are what of it can be had.
#[cfg(target_arch = "x86_64")]
#[test]
fn the_system_calls_of_old_kernels_are_enough() {
    if !installed("python3") {
        return;
    }
    for (kernel, first) in KERNELS {
        let desk = Desk::new();
        let old = || filtered(&desk, [">", first, "38"]);
        let version = old().arg("--version").output().unwrap();
        assert_eq!(version.status.code(), Some(0), "{kernel}: {}", stderr(&version));
        let document = audited(&old().args(CHECK).arg("--json").output().unwrap());
        assert!(document["host"]["os"]["kernel_release"].is_string(), "{kernel}");
        let mut storage = old();
        if kernel == "5.14" {
            let output = storage.args(DISK).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{kernel}: {}", stderr(&output));
        } else {
            measures_by_plain_calls(storage);
        }
        let address = free_address();
        let mut served = old();
        served
            .args(["serve", "--quiet", "--listen", &address])
            .env("FULLWIRE_KEY", "a-key-of-the-test-alone");
        let mut served = Running(served.stdout(Stdio::piped()).spawn().unwrap());
        let mut line = String::new();
        BufReader::new(served.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("listening on "), "{kernel}: {line}");
        let words = ["net", &address, "--duration", "300ms", "--no-store", "--json", "--fail-on", "never"];
        let output = old().args(words).env("FULLWIRE_KEY", "a-key-of-the-test-alone").output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{kernel}: {}", stderr(&output));
        assert!(json(&output)["bytes"].as_u64() > Some(0), "{kernel}");
    }
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
