//! The real `iperf` and `iperf3` as servers.

use crate::ports::free_port;
use fullwire_model::net::NetPlan;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A real server, ended when dropped.
pub(crate) struct RealServer {
    pub(crate) child: Child,
    port: u16,
    scheme: &'static str,
}

impl RealServer {
    pub(crate) fn iperf3() -> Self {
        Self::start("iperf3", "iperf3", &[], Stdio::null())
    }

    /// One for each measurement: 2.1.8 corrupts its own heap now and then when one test follows another (`malloc(): unsorted
    /// double linked list corrupted`).
    pub(crate) fn iperf2() -> Self {
        Self::iperf2_with(&[], Stdio::null())
    }

    pub(crate) fn iperf2_with(options: &[&str], stdout: Stdio) -> Self {
        Self::start("iperf", "iperf2", options, stdout)
    }

    fn start(program: &str, scheme: &'static str, options: &[&str], stdout: Stdio) -> Self {
        let port = free_port();
        let child = Command::new(program)
            .args(["-s", "-p", &port.to_string()])
            .args(options)
            .stdout(stdout)
            .spawn()
            .unwrap_or_else(|_| panic!("{program} is not installed (Debian: apt-get install {program})"));
        let deadline = Instant::now() + Duration::from_secs(5);
        while !options.contains(&"-u") && !listens(port) {
            assert!(Instant::now() < deadline, "{program} -s does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { child, port, scheme }
    }

    /// A second toward it.
    pub(crate) fn plan(&self) -> NetPlan {
        NetPlan {
            target: format!("{}://127.0.0.1:{}", self.scheme, self.port).into(),
            streams: 1,
            duration_ns: 1_000_000_000,
            interval_ns: 250_000_000,
            ..NetPlan::default()
        }
    }
}

/// Looked up, not tried: iperf takes a connection for a client.
fn listens(port: u16) -> bool {
    let listening = format!(":{port:04X} ");
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().any(|table| {
        let text = std::fs::read_to_string(table).unwrap_or_default();
        text.lines().any(|line| line.contains(&listening) && line.contains(" 0A "))
    })
}

impl Drop for RealServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
