//! The clients of live databases against real servers, which the tests start.

mod hostile;
mod live;
mod mariadb;
mod silent;

use super::Sampling;
use crate::skips::skipped;
use fullwire_model::Run;
use fullwire_model::demand::RedoHistory;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Runs a command as an ordinary user when the test is root: servers refuse to run as root.
fn unprivileged(program: &str) -> Command {
    if !rustix::process::geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", program]);
    command
}

/// A directory in which that user may make files, with a name that is short enough for a socket.
fn open_dir(prefix: &str) -> TempDir {
    let dir = tempfile::Builder::new().prefix(prefix).tempdir_in("/tmp").unwrap();
    assert!(Command::new("chmod").arg("777").arg(dir.path()).status().unwrap().success());
    dir
}

/// A server, ended when dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A PostgreSQL that the test started.
struct Postgres {
    // Ended before its directory goes.
    _server: Process,
    dir: TempDir,
    address: SocketAddr,
}

impl Postgres {
    /// Starts one with these lines of `pg_hba.conf` and these settings; `None` where it is not installed.
    fn start(access: &str, settings: &[&str]) -> Option<Self> {
        let dir = open_dir("fwpg");
        let data = dir.path().join("data");
        let made =
            unprivileged("initdb").arg("-D").arg(&data).args(["-U", "fw", "-A", "trust", "-N"]).output();
        let Ok(made) = made else {
            skipped("needs initdb (postgresql)");
            return None;
        };
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        std::fs::write(data.join("pg_hba.conf"), access).unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], super::ports::free_port()));
        let mut server = unprivileged("postgres");
        server.arg("-D").arg(&data).arg("-k").arg(dir.path());
        let port = format!("port={}", address.port());
        for setting in ["listen_addresses=127.0.0.1", "fsync=off", &port].iter().chain(settings) {
            server.args(["-c", setting]);
        }
        let server = Process(server.stderr(Stdio::null()).spawn().expect("postgres runs"));
        let running = Self { _server: server, dir, address };
        let start = Instant::now();
        while running.ask("select 1") != "1" {
            assert!(start.elapsed() < Duration::from_secs(20), "postgres does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(running)
    }

    /// Its answer, by its own client.
    fn ask(&self, sql: &str) -> String {
        let mut command = unprivileged("psql");
        command.arg("-p").arg(self.address.port().to_string()).arg("-h").arg(self.dir.path());
        let output = command.args(["-U", "fw", "-d", "postgres", "-Atc", sql]).output().expect("psql runs");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// How its socket is named as a source.
    fn source(&self) -> String {
        let directory = self.dir.path().display().to_string().replace('/', "%2F");
        format!("postgres://fw@{directory}:{}/postgres", self.address.port())
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    /// Starts a standby of it under this name, made by its own tool.
    fn standby(&self, name: &str) -> Process {
        let data = self.dir.path().join(name);
        let port = self.address.port().to_string();
        let made = unprivileged("pg_basebackup")
            .arg("-D")
            .arg(&data)
            .arg("-h")
            .arg(self.dir.path())
            .args(["-p", &port, "-U", "fw", "-c", "fast"])
            .output()
            .expect("pg_basebackup runs");
        assert!(made.status.success(), "pg_basebackup: {}", String::from_utf8_lossy(&made.stderr));
        assert!(unprivileged("touch").arg(data.join("standby.signal")).status().unwrap().success());
        let from = format!(
            "primary_conninfo=host={} port={port} user=fw application_name={name}",
            self.dir.path().display()
        );
        let own = super::ports::free_port();
        let mut server = unprivileged("postgres");
        server.arg("-D").arg(&data).arg("-k").arg(self.dir.path());
        for setting in ["listen_addresses=", "fsync=off", &format!("port={own}"), &from] {
            server.args(["-c", setting]);
        }
        Process(server.stderr(Stdio::null()).spawn().expect("postgres runs"))
    }
}

/// A window with readings every 200 ms.
fn sampling(window: Duration) -> Sampling {
    Sampling {
        window,
        interval: Duration::from_millis(200),
        headroom: 0.3,
        answer_within: crate::database::ANSWER_WITHIN,
    }
}

/// What the server said from before this work until after it.
fn watched(source: &str, work: impl FnOnce() + Send) -> RedoHistory {
    let (started, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let stop = || {
        started.store(true, Ordering::SeqCst);
        done.load(Ordering::SeqCst)
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !started.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            work();
            done.store(true, Ordering::SeqCst);
        });
        super::sample(source, sampling(Duration::from_secs(60)), &stop).unwrap().0
    })
}

/// What is found in what the server said.
fn codes(history: RedoHistory) -> Vec<String> {
    let run = Run { redo: Some(history), ..Run::default() };
    fullwire_rules::assess(&run).findings.into_iter().map(|finding| finding.code).collect()
}

/// A certificate of a root of its own for this name and 127.0.0.1, as a DBA makes one; false where openssl is absent.
fn certificate(folder: &Path, name: &str) -> bool {
    let run = |words: &str| {
        let done = Command::new("sh").arg("-c").arg(words).current_dir(folder).stderr(Stdio::null()).status();
        done.is_ok_and(|status| status.success())
    };
    let made = run(
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.crt -days 2 -subj /CN=root \
         -addext basicConstraints=critical,CA:TRUE",
    ) && run(&format!(
        "openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN={name}"
    )) && run(&format!(
        "printf 'subjectAltName=DNS:{name},IP:127.0.0.1' > names && openssl x509 -req -in server.csr -CA root.crt \
             -CAkey root.key -CAcreateserial -days 2 -extfile names -out server.crt"
    )) && run(
        "chmod 644 root.crt server.crt && chmod 600 server.key && { chown 65534:65534 server.key || true; }",
    );
    if !made {
        skipped("needs openssl");
    }
    made
}
