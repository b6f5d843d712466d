//! A peer with nothing but sshd, from end to end: a real sshd, the system's ssh, the whole executable.

use crate::skips::{given, installed, is_root};
use crate::tool::{Desk, PROGRAM, json, stderr};
use std::fs::{Permissions, create_dir, create_dir_all, read_dir, read_to_string, set_permissions, write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A real sshd on loopback with its own keys, ended when dropped.
struct Sshd {
    child: Child,
    port: u16,
}

impl Sshd {
    /// `None`, said aloud, where there is no sshd or no root.
    fn start(folder: &Path) -> Option<Self> {
        if !installed("sshd") || !installed("ssh") {
            return None;
        }
        if !is_root() {
            return None;
        }
        let path = |name: &str| folder.join(name).display().to_string();
        for key in ["host", "user"] {
            let made =
                Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f", &path(key)]).status();
            assert!(made.unwrap().success());
        }
        create_dir_all("/run/sshd").unwrap();
        let port = crate::ports::free_port();
        let config = format!(
            "ListenAddress 127.0.0.1\nPort {port}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\n\
             StrictModes no\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\n\
             SetEnv TMPDIR={}\n",
            path("host"),
            path("user.pub"),
            path("far")
        );
        write(path("sshd_config"), config).unwrap();
        let child = Command::new("/usr/sbin/sshd")
            .args(["-D", "-e", "-f", &path("sshd_config")])
            .stderr(Stdio::null())
            .spawn();
        let sshd = Self { child: child.unwrap(), port };
        let deadline = Instant::now() + Duration::from_secs(10);
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "sshd does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(sshd)
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The system's ssh with a configuration of the test's own: found before it on the path.
pub(crate) fn ssh_with_own_configuration(folder: &Path) -> PathBuf {
    let bin = folder.join("bin");
    create_dir(&bin).unwrap();
    let config = folder.join("ssh_config");
    let text = format!(
        "IdentityFile {}\nIdentitiesOnly yes\nUserKnownHostsFile {}\nStrictHostKeyChecking accept-new\n",
        folder.join("user").display(),
        folder.join("known").display()
    );
    write(&config, text).unwrap();
    let wrapper = bin.join("ssh");
    write(&wrapper, format!("#!/bin/sh\nexec /usr/bin/ssh -F {} \"$@\"\n", config.display())).unwrap();
    set_permissions(&wrapper, Permissions::from_mode(0o755)).unwrap();
    bin
}

/// Command lines of all processes whose program is below this folder, or which carry the word `--key`.
pub(crate) fn far_command_lines(folder: &Path) -> Vec<String> {
    let mark = folder.display().to_string();
    let processes = read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| read_to_string(entry.path().join("cmdline")).ok());
    lines.map(|line| line.replace('\0', " ")).filter(|line| line.starts_with(&mark)).collect()
}

#[test]
fn a_host_with_only_sshd_is_measured_and_left_as_it_was() {
    let desk = Desk::new();
    let folder = desk.work.path();
    let far = folder.join("far");
    create_dir(&far).unwrap();
    let sshd = given!(Sshd::start(folder));
    let bin = ssh_with_own_configuration(folder);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let target = format!("ssh://root@127.0.0.1:{}", sshd.port);

    // Meanwhile all command lines of the far end are looked at: the key must not be on one.
    let over = AtomicBool::new(false);
    let (output, seen) = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut seen = Vec::new();
            while !over.load(Ordering::Relaxed) {
                seen.extend(far_command_lines(&far));
                std::thread::sleep(Duration::from_millis(20));
            }
            seen
        });
        let words = ["net", &target, "--mode", "sync", "--duration", "500ms", "--json", "--no-store"];
        let output = desk.command().args(words).env("PATH", &path).output().unwrap();
        over.store(true, Ordering::Relaxed);
        (output, watch.join().unwrap())
    });
    let document = json(&output);
    assert_eq!(document["target"], target.as_str());
    assert!(document["messages"].as_u64() > Some(0), "{}", stderr(&output));
    assert_eq!(document["incomplete"], serde_json::Value::Null);
    let served: Vec<&String> = seen.iter().filter(|line| line.contains(" serve ")).collect();
    assert!(!served.is_empty(), "the far end ran below {}: {seen:?}", far.display());
    for line in served {
        assert!(line.contains("--key-file") && !line.contains("--key "), "{line}");
    }
    assert_eq!(read_dir(&far).unwrap().count(), 0, "nothing is left there");
    assert_eq!(far_command_lines(&far), Vec::<String>::new(), "nothing runs there any more");

    // A program that is killed cannot clean up; the far end does it when the session breaks.
    let mut killed = desk
        .program(PROGRAM)
        .args(["net", &target, "--duration", "60s", "--no-store", "--quiet"])
        .env("PATH", &path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the far end runs", || !far_command_lines(&far).is_empty());
    killed.kill().unwrap();
    killed.wait().unwrap();
    wait_until("the far end has cleaned up", || {
        read_dir(&far).unwrap().count() == 0 && far_command_lines(&far).is_empty()
    });
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}: not within 20 s");
        std::thread::sleep(Duration::from_millis(50));
    }
}
