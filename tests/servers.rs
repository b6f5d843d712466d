//! Real servers for tests, started in their own directories: PostgreSQL on a unix socket, nats-server on loopback.
#![allow(dead_code, reason = "each crate's tests use a part of it")]

use crate::skips::skipped;
use rustix::fs::FlockOperation;
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A server that does not answer by then never will.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a command as an ordinary user when the test is root: PostgreSQL refuses to run as root.
fn unprivileged(program: &Path) -> Command {
    if !rustix::process::geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
    command
}

/// In `PATH`, or where distributions keep what `PATH` does not have.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file());
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    found
        .or_else(|| versions.map(|version| version.path().join("bin").join(name)).find(|file| file.is_file()))
}

/// Whether all of these are there.
fn needs(names: &[(&str, Option<PathBuf>)]) -> bool {
    let missing: Vec<&str> =
        names.iter().filter(|(_, found)| found.is_none()).map(|(name, _)| *name).collect();
    for name in &missing {
        skipped(&format!("needs {name}"));
    }
    missing.is_empty()
}

/// Waits until this is true. Whoever asks often starts a client each time, which costs the CPU more than what is waited for: the
/// longer it takes, the longer the pauses.
pub(crate) fn wait_for(what: &str, limit: Duration, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < limit, "not within {limit:?}: {what}");
        std::thread::sleep(
            (start.elapsed() / 8).clamp(Duration::from_millis(50), Duration::from_millis(500)),
        );
    }
}

/// A process of the test's own.
fn end(child: &mut Option<Child>) {
    if let Some(mut child) = child.take() {
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// The files of an empty database, made once on this machine for this version and user: that takes six times as much CPU as a
/// copy of them.
fn empty_database(initdb: &Path) -> PathBuf {
    let version = Command::new(initdb).arg("--version").output().unwrap().stdout;
    let version: String = version.into_iter().filter(u8::is_ascii_alphanumeric).map(char::from).collect();
    let user = rustix::process::geteuid().as_raw();
    let place = std::env::temp_dir().join(format!("fullwire-test-{version}-{user}"));
    std::fs::create_dir_all(&place).unwrap();
    std::fs::set_permissions(&place, Permissions::from_mode(0o777)).unwrap();
    let lock = File::create(place.join("lock")).unwrap();
    rustix::fs::flock(&lock, FlockOperation::LockExclusive).unwrap();
    let (begun, data) = (place.join("begun"), place.join("data"));
    if !data.exists() {
        let _ = std::fs::remove_dir_all(&begun);
        let mut make = unprivileged(initdb);
        make.arg("-D").arg(&begun).args(["-U", "fw", "-A", "trust", "-N", "-E", "UTF8", "--locale=C"]);
        let made = make.output().unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        std::fs::rename(&begun, &data).unwrap();
    }
    data
}

/// A PostgreSQL that the test started.
pub(crate) struct Postgres {
    child: Option<Child>,
    dir: TempDir,
    port: u16,
}

impl Postgres {
    /// Starts one; `None` where it is not installed. `fsync`: what is committed survives even a crash of the host, and
    /// a test that kills the server wants no less.
    pub(crate) fn start(fsync: bool) -> Option<Self> {
        let (initdb, server) = (program("initdb"), program("postgres"));
        if !needs(&[("initdb", initdb.clone()), ("postgres", server)]) {
            return None;
        }
        let dir = tempfile::Builder::new().prefix("fwpg").tempdir_in("/tmp").unwrap();
        assert!(Command::new("chmod").arg("777").arg(dir.path()).status().unwrap().success());
        let empty = empty_database(&initdb.unwrap());
        let mut copy = unprivileged(Path::new("cp"));
        assert!(copy.arg("-a").arg(empty).arg(dir.path().join("data")).status().unwrap().success());
        let conf = dir.path().join("data/postgresql.auto.conf");
        let settings = format!("fsync = {}\nlisten_addresses = ''\n", if fsync { "on" } else { "off" });
        std::fs::write(&conf, settings).unwrap();
        let mut running = Self { child: None, dir, port: 5432 };
        running.run();
        Some(running)
    }

    /// Starts it, or starts it again.
    pub(crate) fn run(&mut self) {
        end(&mut self.child);
        // A server that was killed leaves it; the next one would take it for another's.
        let _ = std::fs::remove_file(self.dir.path().join("data/postmaster.pid"));
        let data = self.dir.path().join("data");
        let mut command = unprivileged(&program("postgres").unwrap());
        command.arg("-D").arg(&data).arg("-k").arg(self.dir.path()).args(["-p", &self.port.to_string()]);
        self.child = Some(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        wait_for("postgres answers", PATIENCE, || self.ask("select 1") == "1");
    }

    /// As the power goes: every process of it at once.
    pub(crate) fn kill(&mut self) {
        let pid = self.child.as_ref().map(Child::id);
        let children = pid.map(|pid| {
            let list =
                std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
            list.split_whitespace().map(str::to_owned).collect::<Vec<String>>()
        });
        end(&mut self.child);
        for child in children.into_iter().flatten() {
            let _ = Command::new("kill").args(["-9", &child]).stderr(Stdio::null()).status();
        }
    }

    /// Its answer, by its own client; empty: none.
    pub(crate) fn ask(&self, sql: &str) -> String {
        let mut command = Command::new(program("psql").expect("psql is there where postgres is"));
        command.arg("-h").arg(self.dir.path()).args(["-p", &self.port.to_string()]);
        let output = command.args(["-U", "fw", "-d", "postgres", "-Atqc", sql]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// How it is named as a store, for a user.
    pub(crate) fn url_for(&self, user: &str) -> String {
        let directory = self.dir.path().display().to_string().replace('/', "%2F");
        format!("postgres://{user}@{directory}:{}/postgres", self.port)
    }

    /// How it is named as a store.
    pub(crate) fn url(&self) -> String {
        self.url_for("fw")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Where `./test` puts nats-server: next to the test's own files, below the target folder.
#[allow(dead_code, reason = "not every crate that starts PostgreSQL starts NATS")]
pub(crate) fn nats_server() -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../tools/nats-server");
    let found = Some(own).filter(|file| file.is_file()).or_else(|| program("nats-server"));
    needs(&[("nats-server", found.clone())]).then_some(found).flatten()
}

/// A nats-server that is too old for an estate: the distribution's own.
#[allow(dead_code, reason = "not every crate that starts PostgreSQL starts NATS")]
pub(crate) fn old_nats_server() -> Option<PathBuf> {
    let is_old = |file: &PathBuf| {
        let output = Command::new(file).arg("--version").output();
        output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("v2.9."))
    };
    let found = program("nats-server").filter(is_old);
    needs(&[("nats-server 2.9", found.clone())]).then_some(found).flatten()
}

/// A nats-server that the test started.
#[allow(dead_code, reason = "not every crate that starts PostgreSQL starts NATS")]
pub(crate) struct Nats {
    program: PathBuf,
    child: Option<Child>,
    config: PathBuf,
    port: u16,
}

#[allow(dead_code, reason = "not every crate that starts PostgreSQL starts NATS")]
impl Nats {
    /// Starts one with this configuration, which names the port.
    pub(crate) fn start(config: &Path, port: u16) -> Self {
        Self::start_program(nats_server().unwrap(), config, port)
    }

    /// The same of another version.
    pub(crate) fn start_program(program: PathBuf, config: &Path, port: u16) -> Self {
        let mut running = Self { program, child: None, config: config.to_path_buf(), port };
        running.run();
        running
    }

    /// Starts it, or starts it again.
    pub(crate) fn run(&mut self) {
        end(&mut self.child);
        let log = std::fs::File::create(self.config.with_extension("log")).unwrap();
        let mut command = Command::new(&self.program);
        command.arg("-c").arg(&self.config).stdout(Stdio::null()).stderr(log);
        self.child = Some(command.spawn().unwrap());
        let log = self.config.with_extension("log");
        let said = || std::fs::read_to_string(&log).unwrap_or_default();
        let address = format!("127.0.0.1:{}", self.port);
        let start = Instant::now();
        while std::net::TcpStream::connect(&address).is_err() {
            assert!(start.elapsed() < PATIENCE, "nats-server does not answer: {}", said());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// As the power goes.
    pub(crate) fn kill(&mut self) {
        end(&mut self.child);
    }

    /// Has it read its configuration again.
    pub(crate) fn reload(&self) {
        let pid = self.child.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args(["-HUP", &pid]).status().unwrap().success());
    }

    /// What it logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.config.with_extension("log")).unwrap_or_default()
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}
