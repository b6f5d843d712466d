//! A responder brought over ssh: a real sshd on loopback with keys and configuration of its own.

use super::ms;
use crate::skips::{given, skipped};
use fullwire_model::net::{NetMode, NetPlan};
use fullwire_probe::net::ssh::{SshOptions, SshResponder};
use fullwire_probe::net::{Access, ConnectOptions, NetError, Responder, ServeConfig, measure};
use std::fs::{Permissions, read_dir, read_to_string, set_permissions, write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

struct Sshd {
    folder: tempfile::TempDir,
    child: Child,
    port: u16,
}

impl Sshd {
    /// `None` where there is no sshd or no root.
    fn start() -> Option<Self> {
        let program = Path::new("/usr/sbin/sshd");
        if !program.exists() || !rustix::process::geteuid().is_root() {
            skipped("needs sshd and root");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        for key in ["host", "user"] {
            let made =
                Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f", &path(key)]).status();
            assert!(made.unwrap().success());
        }
        write(path("authorized"), read_to_string(path("user.pub")).unwrap()).unwrap();
        std::fs::create_dir_all("/run/sshd").unwrap();
        let port = crate::ports::free_port();
        let config = format!(
            "ListenAddress 127.0.0.1\nPort {port}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\n\
             StrictModes no\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\n",
            path("host"),
            path("authorized")
        );
        write(path("config"), config).unwrap();
        let child =
            Command::new(program).args(["-D", "-e", "-f", &path("config")]).stderr(Stdio::null()).spawn();
        let deadline = Instant::now() + Duration::from_secs(10);
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "sshd does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(Self { child: child.unwrap(), port, folder })
    }

    fn target(&self) -> String {
        format!("ssh://root@127.0.0.1:{}", self.port)
    }

    /// ssh with nothing of the tester's own configuration; the far side's temporary files go to `far`.
    fn options(&self) -> SshOptions {
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        let known = format!("UserKnownHostsFile={}", path("known"));
        let words =
            ["-F", "none", "-i", &path("user"), "-o", &known, "-o", "StrictHostKeyChecking=accept-new"];
        let arguments = words.iter().map(ToString::to_string).collect();
        SshOptions { arguments, within: Duration::from_secs(20), ..SshOptions::default() }
    }

    /// Stands for the binary: this test program as a responder, behind a script that looks like the command line.
    fn binary(&self) -> PathBuf {
        let path = self.folder.path().join("binary");
        let me = std::env::current_exe().unwrap();
        let script = format!(
            "#!/bin/sh\n[ \"$1\" != --version ] || exit 0\nFULLWIRE_TEST_DIR=$(dirname \"$0\")\n\
             export FULLWIRE_TEST_DIR FULLWIRE_TEST_LISTEN=\"$3\" FULLWIRE_TEST_KEY_FILE=\"$5\"\n\
             exec {} --exact net::ssh::the_far_end --nocapture\n",
            me.display()
        );
        write(&path, script).unwrap();
        set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        path
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Not its own test: the responder that the tests below start over ssh.
#[test]
fn the_far_end() {
    let Ok(listen) = std::env::var("FULLWIRE_TEST_LISTEN") else { return };
    let key = read_to_string(std::env::var("FULLWIRE_TEST_KEY_FILE").unwrap()).unwrap();
    let config = ServeConfig { listen, access: Access::Key(key), ..ServeConfig::default() };
    let responder = Responder::bind(config).unwrap();
    println!("\nlistening on {}", responder.address());
    responder.run(&std::sync::atomic::AtomicBool::new(false));
}

/// Directories that the script makes.
fn left_over() -> usize {
    let names = read_dir(std::env::temp_dir()).unwrap().flatten();
    names.filter(|entry| entry.file_name().to_string_lossy().starts_with("fullwire.")).count()
}

#[test]
fn a_host_with_nothing_but_ssh_is_measured_and_left_as_it_was() {
    let sshd = given!(Sshd::start());
    let before = left_over();
    let responder = SshResponder::start(&sshd.target(), &sshd.binary(), &sshd.options()).unwrap();
    assert!(left_over() > before, "the binary is there while it runs");
    let key = Some(responder.key().to_owned());
    let options = ConnectOptions { key, facts: false, ..ConnectOptions::default() };
    let target = responder.target().into();
    let plan = NetPlan { target, mode: NetMode::Rtt, duration_ns: ms(200), ..NetPlan::default() };
    let result = measure(&plan, &options, &mut |_| {}).unwrap().result;
    assert!(result.messages > 0 && result.incomplete.is_none());
    drop(responder);
    assert_eq!(left_over(), before, "nothing is left");

    let wrong_key = SshOptions {
        arguments: vec![
            "-F".into(),
            "none".into(),
            "-o".into(),
            "BatchMode=yes".into(),
            "-i".into(),
            "/dev/null".into(),
        ],
        ..sshd.options()
    };
    let refused = SshResponder::start(&sshd.target(), &sshd.binary(), &wrong_key).err().expect("refused");
    assert!(matches!(&refused, NetError::Lost { reason, .. } if !reason.is_empty()), "{refused}");

    let not_a_program = sshd.folder.path().join("config");
    let refused =
        SshResponder::start(&sshd.target(), &not_a_program, &sshd.options()).err().expect("does not run");
    assert!(refused.to_string().contains("cannot run it"), "{refused}");
    assert_eq!(left_over(), before, "nothing is left of what did not run");
}
