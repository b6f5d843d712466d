//! A responder that is attacked, and what it costs meanwhile.

use crate::tool::{Desk, Running, free_address};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::{Duration, Instant};

pub(super) const KEY: &str = "a-key-of-the-test-that-nobody-guesses";

/// The most that a responder may hold, whoever comes. Its own limits come to less: 1,024 lanes of half a MiB, and what
/// 16 and more sessions read of the host.
const MOST_BYTES: u64 = 1 << 30;
/// The lobby's 4,096 places, and as many for tests.
const MOST_DESCRIPTORS: usize = 8192;
/// After the last attacker has gone, all that it took is given back within this time: the longest test, and patience.
const SETTLES_WITHIN: Duration = Duration::from_secs(30);

/// What a process has.
#[derive(Debug, Clone, Copy)]
struct Has {
    resident_bytes: u64,
    descriptors: usize,
    threads: usize,
}

pub(super) struct Server {
    running: Running,
    /// Its working directory; files for remote writes lie in it.
    pub(super) desk: Desk,
    pub(super) control: SocketAddr,
    pub(super) iperf3: SocketAddr,
    pub(super) iperf2: SocketAddr,
    pub(super) scrapes: SocketAddr,
    before: Has,
}

impl Server {
    /// With a key for its clients, or for anybody.
    pub(super) fn start(keyed: bool) -> Self {
        let desk = Desk::new();
        let [control, iperf3, iperf2, scrapes] = [(); 4].map(|()| free_address());
        let port = |address: &str| address.rsplit_once(':').unwrap().1.to_owned();
        let mut command = desk.command();
        command.args(["serve", "--listen", &control, "--iperf-listen", "127.0.0.1", "--write-dir", "."]);
        command.args(["--iperf3-port", &port(&iperf3), "--iperf2-port", &port(&iperf2)]);
        command.args(["--max-duration", "2s", "--metrics-listen", &scrapes]);
        if keyed {
            command.args(["--key", KEY]);
        } else {
            command.arg("--open");
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        assert!(line.contains("listening on"), "{line}");
        // A line for each test and each refusal: somebody has to read them.
        std::thread::spawn(move || said.lines().map_while(Result::ok).for_each(drop));
        let [control, iperf3, iperf2, scrapes] =
            [control, iperf3, iperf2, scrapes].map(|address| address.parse().unwrap());
        let none = Has { resident_bytes: 0, descriptors: 0, threads: 0 };
        let mut server =
            Self { running: Running(child), desk, control, iperf3, iperf2, scrapes, before: none };
        // Until its threads are all there: ten looks in a row see the same number.
        let mut same = 0;
        while same < 10 {
            std::thread::sleep(Duration::from_millis(20));
            let has = server.has();
            same = if has.threads == server.before.threads { same + 1 } else { 0 };
            server.before = has;
        }
        server
    }

    fn proc(&self, name: &str) -> std::path::PathBuf {
        format!("/proc/{}/{name}", self.running.0.id()).into()
    }

    fn has(&self) -> Has {
        let status = std::fs::read_to_string(self.proc("status")).expect("the server is there");
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("every process has it");
            line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
        };
        Has {
            resident_bytes: field("VmRSS:") * 1024,
            descriptors: std::fs::read_dir(self.proc("fd")).unwrap().count(),
            threads: usize::try_from(field("Threads:")).unwrap(),
        }
    }

    /// CPU time since it began, in ticks of 10 ms (proc(5), fields 14 and 15).
    fn ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(self.proc("stat")).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }

    /// While it is attacked: it is there, and within its limits. What it holds, bytes.
    pub(super) fn is_within_limits(&self) -> u64 {
        let has = self.has();
        assert!(has.resident_bytes < MOST_BYTES, "{has:?}");
        assert!(has.descriptors < MOST_DESCRIPTORS, "{has:?}");
        has.resident_bytes
    }

    /// A client from another address that knows the key, or needs none, is served.
    pub(super) fn serves(&self, keyed: bool, while_what: &str) {
        let client = Desk::new();
        let (begun, address) = (Instant::now(), self.control.to_string());
        let mut command = client.command();
        command.args(["net", &address, "--mode", "rtt", "--duration", "100ms", "--no-store", "--json"]);
        command.args(["--fail-on", "never", "--timeout", "20s", "--source", "127.0.0.2"]);
        if keyed {
            command.env("FULLWIRE_KEY", KEY);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{while_what}, after {:?}: {said}", begun.elapsed());
        assert!(String::from_utf8_lossy(&output.stdout).contains("\"latency_ns\""), "{while_what}: {said}");
    }

    /// After the attack: what was taken is given back, it is idle, nothing lies about, and it ends when it is told to.
    pub(super) fn recovers(mut self) {
        let begun = Instant::now();
        let settled = |has: Has| {
            has.descriptors <= self.before.descriptors + 8 && has.threads <= self.before.threads + 8
        };
        while !settled(self.has()) {
            let has = self.has();
            assert!(begun.elapsed() < SETTLES_WITHIN, "{has:?}, before {:?}", self.before);
            std::thread::sleep(Duration::from_millis(100));
        }
        let before = self.ticks();
        std::thread::sleep(Duration::from_secs(2));
        let used = self.ticks() - before;
        assert!(used < 60, "{used} ticks of 10 ms in 2 s without a client");
        assert_eq!(self.desk.files(), [] as [String; 0], "left in its directory");
        self.running.signal("-TERM");
        let status = self.running.ends_within(Duration::from_secs(15)).expect("it ends");
        assert_eq!(status.code(), Some(0));
    }
}
