//! Runs the executable in its own directory.

use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_fullwire");

/// A directory to work in, and one for the program's state.
pub(crate) struct Desk {
    pub(crate) work: TempDir,
    state: TempDir,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { work: TempDir::new().unwrap(), state: TempDir::new().unwrap() }
    }

    /// The executable here, with nothing of the caller's settings.
    pub(crate) fn command(&self) -> Command {
        self.program(PROGRAM)
    }

    /// Another program here: strace, ip, or a link to ours.
    pub(crate) fn program(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.work.path()).env("XDG_STATE_HOME", self.state.path());
        for name in ["FULLWIRE_STORE", "FULLWIRE_KEY", "FULLWIRE_COMPLETE", "NO_COLOR"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command().args(arguments).output().unwrap()
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        json(&self.run(arguments))
    }

    /// The directory of the program's state: it is in the environment of all that is started here.
    pub(crate) fn state(&self) -> &Path {
        self.state.path()
    }

    /// What is in the working directory.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.work.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// This machine's CPUs, for as long as the value is kept: relays and clusters keep their times only while no other one runs,
/// and other tests are other processes.
pub(crate) fn alone() -> std::fs::File {
    let lock = Path::new(env!("CARGO_TARGET_TMPDIR")).join("alone.lock");
    let lock = std::fs::File::create(lock).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    lock
}

/// A machine has one lock for whoever changes it, in /run/fullwire: what this thread starts from here on has one of its own.
pub(crate) fn changing() {
    let run = Path::new("/run/fullwire");
    if !rustix::process::geteuid().is_root() {
        return;
    }
    std::fs::create_dir_all(run).unwrap();
    own_mounts(nix::sched::CloneFlags::empty());
    nix::mount::mount(Some("none"), run, Some("tmpfs"), nix::mount::MsFlags::empty(), Some("mode=0700"))
        .unwrap();
}

/// From here on a network of this thread's own, and of what it starts, whose loopback carries 1 Gbit/s: a stream as fast as it can be
/// takes all CPUs from other tests, and where no figure is judged it says no more. Without root it is the machine's loopback.
pub(crate) fn calm() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    own_mounts(nix::sched::CloneFlags::CLONE_NEWNET);
    // The devices of this network.
    nix::mount::mount(Some("none"), "/sys", Some("sysfs"), nix::mount::MsFlags::empty(), None::<&str>)
        .unwrap();
    for words in ["ip link set lo up", "tc qdisc add dev lo root tbf rate 1gbit burst 256k latency 50ms"] {
        let done = Command::new("sh").args(["-c", words]).status().unwrap();
        assert!(done.success(), "{words}");
    }
}

/// Mounts that nobody else sees, and what else this thread shall have of its own.
fn own_mounts(more: nix::sched::CloneFlags) {
    use nix::mount::{MsFlags, mount};
    nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWNS | more).unwrap();
    mount(None::<&str>, "/", None::<&str>, MsFlags::MS_REC | MsFlags::MS_PRIVATE, None::<&str>).unwrap();
}

/// A proof that the load of other tests left undecided is made again, twice at most.
pub(crate) fn decided(mut prove: impl FnMut() -> Value) -> Value {
    let mut proof = prove();
    for _ in 0..2 {
        if proof["answer"] != "cannot-tell" || proof["disturbed_pairs"] == 0 {
            break;
        }
        proof = prove();
    }
    proof
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(output)))
}

/// The codes or other texts that a list of objects holds under a key.
pub(crate) fn texts<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().filter_map(|item| item[key].as_str()).collect()
}

/// A running program, killed when dropped.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    pub(crate) fn signal(&self, name: &str) {
        let done = Command::new("kill").args([name, &self.0.id().to_string()]).status().unwrap();
        assert!(done.success());
    }

    /// Its exit status, when it ends in time.
    pub(crate) fn ends_within(&mut self, limit: Duration) -> Option<std::process::ExitStatus> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Some(status) = self.0.try_wait().unwrap() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server and waits for the line that says where it listens.
pub(crate) fn listen(mut command: Command) -> Running {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let line = first_line(&mut child);
    assert!(line.contains("listening"), "{line}");
    Running(child)
}

fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    line
}

/// Starts a server that says where it listens: that, and its next lines.
pub(crate) fn listen_and_hear(mut command: Command, lines: usize) -> (Running, String, Vec<String>) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let line = said.next().unwrap();
    let address = line.strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}")).to_owned();
    (Running(child), address, said.take(lines).collect())
}

/// A responder on loopback, and its address.
pub(crate) fn serve(desk: &Desk, arguments: &[&str]) -> (Running, String) {
    let address = free_address();
    let mut command = desk.command();
    command.args(["serve", "--listen", &address]).args(arguments);
    (listen(command), address)
}

/// An address that no one listens at.
pub(crate) fn free_address() -> String {
    format!("127.0.0.1:{}", crate::ports::free_port())
}
