//! The door of a node: a real one, driven by hand, and ordinary clients that want in.

use crate::tool::{Desk, Running, json, stderr};
use jiff::Timestamp;
use serde_json::{Value, json as value};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{ChildStdin, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

const KEY: &str = "a-key-of-the-test-alone";

struct Node {
    desk: Desk,
    _process: Running,
    orders: ChildStdin,
    lines: Receiver<String>,
    address: String,
    ticket: u64,
}

impl Node {
    /// A node whose host allows this.
    fn begin(limits: &Value) -> Self {
        let desk = Desk::new();
        let mut command = desk.command();
        command.args(["node", "--listen", "127.0.0.1:0"]).env("FULLWIRE_KEY", KEY);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let orders = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (say, lines) = mpsc::channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| say.send(line)));
        let first = lines.recv_timeout(Duration::from_secs(30)).unwrap();
        let address = first.strip_prefix("listening on ").unwrap().to_owned();
        let mut node = Self { desk, _process: Running(child), orders, lines, address, ticket: 0 };
        node.order(&value!({"begin": {"limits": limits, "peers": [], "storage": []}}));
        node.said("hello");
        node
    }

    fn order(&mut self, order: &Value) {
        writeln!(self.orders, "{order}").unwrap();
    }

    /// The next report of this kind.
    fn said(&self, kind: &str) -> Value {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let line = self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())).unwrap();
            let report: Value = serde_json::from_str(&line).unwrap();
            if !report[kind].is_null() {
                return report[kind].clone();
            }
        }
    }

    /// Lets one test in.
    fn prepare(&mut self) {
        self.ticket += 1;
        self.order(&value!({"prepare": {"ticket": self.ticket, "lease_ns": 60_000_000_000_u64}}));
    }

    /// An ordinary client.
    fn net(&self, words: &[&str]) -> Output {
        let own = ["net", &self.address, "--key", KEY, "--json", "--no-store", "--quiet"];
        self.desk.command().args(own).args(words).output().unwrap()
    }
}

#[test]
fn a_responder_lets_in_nothing_that_was_not_announced_and_nothing_faster_than_its_host_allows() {
    let mut node = Node::begin(&value!({"rate_bytes_per_s": 2e6}));
    let stranger = node.net(&["--duration", "1s"]);
    assert!(stderr(&stranger).contains("no test is due here"), "{}", stderr(&stranger));
    node.prepare();
    assert_eq!(node.said("prepared")["rate_bytes_per_s"], 2e6);
    for words in [&["--duration", "1s"][..], &["--duration", "1s", "--rate", "40Mbit"]] {
        let faster = node.net(words);
        assert!(!faster.status.success(), "{words:?}");
        assert!(
            stderr(&faster).contains("this host allows 2000000 bytes/s, and the plan is for more"),
            "{}",
            stderr(&faster)
        );
    }
    // What keeps to it comes in, and round trips have no rate.
    let slow = json(&node.net(&["--duration", "2s", "--rate", "16Mbit"]));
    let rate = slow["throughput_bytes_per_s"].as_f64().unwrap();
    assert!((1.0e6..2.4e6).contains(&rate), "{rate}");
    let trips = node.net(&["--duration", "500ms", "--mode", "rtt"]);
    assert!(trips.status.success(), "{}", stderr(&trips));
    // Closed again, it is closed for everyone; an old ticket does not open it.
    node.order(&value!({"release": {"ticket": 1}}));
    let served = node.said("released");
    assert_eq!(served["served"].as_array().unwrap().len(), 2, "{served}");
    assert!(stderr(&node.net(&["--duration", "1s"])).contains("no test is due here"));
    node.ticket = 0;
    node.prepare();
    assert!(node.said("refused")["why"].as_str().unwrap().contains("out of date"));
}

#[test]
fn a_responder_keeps_to_its_hosts_budget_and_part_of_the_day() {
    let mut node = Node::begin(&value!({"budget_bytes": 3_000_000}));
    node.prepare();
    node.said("prepared");
    let cut = node.net(&["--duration", "20s"]);
    let said = format!("{}{}", stderr(&cut), String::from_utf8_lossy(&cut.stdout));
    assert!(said.contains("budget are used up"), "{said}");
    node.prepare();
    assert!(node.said("refused")["why"].as_str().unwrap().contains("the budget of 3000000 bytes is used up"));

    let now = jiff::Zoned::now();
    let minute = |hours: i16| u32::try_from((i16::from(now.hour()) + hours).rem_euclid(24) * 60).unwrap();
    let mut node = Node::begin(&value!({"between": {"from_min": minute(3), "to_min": minute(5)}}));
    node.prepare();
    assert!(node.said("refused")["why"].as_str().unwrap().contains("by this host's clock it is outside"));
    assert!(stderr(&node.net(&["--duration", "1s"])).contains("it is outside"));
}

/// A listener that takes what a node sends: a real responder with a key, in front of which the bytes are kept.
struct Tap {
    address: String,
    seen: std::sync::Arc<std::sync::Mutex<Vec<u8>>>,
}

impl Tap {
    fn before(responder: &str) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let (kept, responder) = (std::sync::Arc::clone(&seen), responder.to_owned());
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let server = std::net::TcpStream::connect(&responder).unwrap();
                let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || std::io::copy(&mut from, &mut to));
                let (mut client, mut server, kept) = (client, server, std::sync::Arc::clone(&kept));
                std::thread::spawn(move || {
                    let mut buffer = vec![0; 1 << 16];
                    while let Ok(length @ 1..) = std::io::Read::read(&mut client, &mut buffer) {
                        let mut kept = kept.lock().unwrap();
                        if kept.len() < 64 << 20 {
                            kept.extend_from_slice(&buffer[..length]);
                        }
                        drop(kept);
                        if server.write_all(&buffer[..length]).is_err() {
                            return;
                        }
                    }
                    let _ = server.shutdown(std::net::Shutdown::Write);
                });
            }
        });
        Self { address, seen }
    }
}

/// A responder of an attacker: `serve` with a key.
fn attackers_responder(desk: &Desk) -> (Running, String) {
    let mut command = desk.command();
    command.args(["serve", "--listen", "127.0.0.1:0"]).env("FULLWIRE_KEY", KEY);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let address = first.split_whitespace().find(|word| word.contains(':')).unwrap();
    let address = address.trim_end_matches([',', ';']).to_owned();
    (Running(child), address)
}

impl Node {
    /// Orders a test and hears how it ended.
    fn measure(&mut self, probe: &Value) -> Value {
        self.ticket += 1;
        self.order(&value!({"measure": {
            "ticket": self.ticket, "within_ns": 60_000_000_000_u64, "probe": probe,
        }}));
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let report: Value = serde_json::from_str(&self.lines.recv_timeout(left).unwrap()).unwrap();
            if ["done", "failed", "refused"].iter().any(|kind| report[kind]["ticket"] == self.ticket) {
                return report;
            }
        }
    }

    /// Nothing more is said: it has ended.
    fn ends(&self) -> Vec<String> {
        let deadline = Instant::now() + Duration::from_secs(30);
        let mut said = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            said.push(line);
        }
        said
    }
}

fn stream(address: &str, duration_ns: u64) -> Value {
    value!({"stream": {
        "peer": {"name": "evil", "address": address, "key": KEY, "network": ""},
        "stream": {"streams": 1, "duration_ns": duration_ns, "rate_bytes_per_s": 0.0},
        "expect_bytes_per_s": null,
    }})
}

/// The second review, N1: whoever holds a coordinator's key orders a stream of a file that only root reads.
#[test]
fn no_order_makes_a_node_send_a_file() {
    let desk = Desk::new();
    let (_serve, responder) = attackers_responder(&desk);
    let tap = Tap::before(&responder);
    let secret = desk.work.path().join("secret");
    std::fs::write(&secret, "root:$6$ROOTONLYSECRETMARKER:19000\n").unwrap();
    let mut node = Node::begin(&value!({}));
    // An order as it is meant arrives: the way is open.
    let report = node.measure(&stream(&tap.address, 200_000_000));
    assert!(report["done"]["run"]["net"][0]["bytes"].as_u64().unwrap() > 1_000_000, "{report}");
    // As the attacker wrote it, as the plan of an older version had it, and with one more word in today's form.
    for payload in [value!({"file": secret}), value!("file")] {
        let mut plan = stream(&tap.address, 200_000_000);
        let old = value!({"peer": plan["stream"]["peer"], "plan": {
            "payload": payload, "mode": "async", "duration_ns": 200_000_000}, "expect_bytes_per_s": null});
        plan["stream"]["stream"]["payload"] = payload;
        for probe in [plan, value!({"stream": old})] {
            let mut node = Node::begin(&value!({}));
            node.order(&value!({"measure": {"ticket": 9, "within_ns": 60_000_000_000_u64, "probe": probe}}));
            let said = node.ends();
            assert!(!said.iter().any(|line| line.contains("\"done\"")), "{said:?}");
        }
    }
    let seen = tap.seen.lock().unwrap();
    assert!(seen.len() > 1_000_000, "the tap saw the honest stream: {} bytes", seen.len());
    assert!(!seen.windows(20).any(|part| part == b"ROOTONLYSECRETMARKER"), "the file was sent");
}

/// N5 a: the budget bounds what a node sends, whatever the far end says that it received.
#[test]
fn a_budget_bounds_a_stream_that_the_node_drives() {
    let desk = Desk::new();
    let (_serve, responder) = attackers_responder(&desk);
    let tap = Tap::before(&responder);
    let mut node = Node::begin(&value!({"budget_bytes": 3_000_000}));
    let report = node.measure(&stream(&tap.address, 2_000_000_000));
    assert_eq!(report["failed"]["refused"], true, "{report}");
    assert!(report["failed"]["why"].as_str().unwrap().contains("budget"), "{report}");
    let again = node.measure(&stream(&tap.address, 2_000_000_000));
    assert!(
        again["refused"]["why"].as_str().unwrap().contains("budget of 3000000 bytes is used up"),
        "{again}"
    );
    // What the control connection says comes on top of it.
    let seen = tap.seen.lock().unwrap().len();
    assert!((2_900_000..3_200_000).contains(&seen), "{seen} bytes on the wire");
    drop(tap);
    // Its last word tells what was moved, for the budget of the day.
    node.order(&value!("alive"));
    let Node { orders, lines, .. } = node;
    drop(orders);
    let account = lines.iter().find_map(|line| {
        serde_json::from_str::<Value>(&line).ok().and_then(|report| report["account"]["moved_bytes"].as_u64())
    });
    assert!((2_900_000..3_200_000).contains(&account.unwrap()), "{account:?}");
}

/// N5 b and c, and what else an order may hold.
#[test]
fn an_order_has_an_end_and_writes_to_no_device() {
    let mut node = Node::begin(&value!({}));
    let report = node.measure(&value!({"disk": {"disk": {"target": "/dev/null", "size_bytes": 1_000_000}}}));
    let why = report["failed"]["why"].as_str().unwrap();
    assert!(!why.contains("identity") && !why.contains("--destroy"), "{why}");
    for probe in [
        value!({"disk": {"disk": {"target": "/dev/null", "size_bytes": 1_000_000, "destroy": "x"}}}),
        stream("192.0.2.1:1", u64::MAX),
    ] {
        let mut node = Node::begin(&value!({}));
        node.order(&value!({"measure": {"ticket": 9, "within_ns": u64::MAX, "probe": probe}}));
        assert!(!node.ends().iter().any(|line| line.contains("\"done\"")), "{probe}");
    }
    // A second first word would forget what has been spent.
    node.order(&value!({"begin": {"limits": {}, "peers": [], "storage": []}}));
    assert!(!node.ends().iter().any(|line| line.contains("\"hello\"")));
}

/// A loop device, detached when dropped.
struct Loop(String);

impl Loop {
    /// `None`: this machine has none to give.
    fn of(file: &std::path::Path) -> Option<Self> {
        let made =
            std::process::Command::new("losetup").args(["--find", "--show"]).arg(file).output().ok()?;
        made.status.success().then(|| Self(crate::tool::stdout(&made).trim().to_owned()))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = std::process::Command::new("losetup").args(["--detach", &self.0]).status();
    }
}

/// N5 c on a device: it has no partition, no user and nothing but zeros, so that only the order keeps it from being written.
#[test]
fn no_order_writes_to_a_device_that_a_person_could_have_written() {
    let desk = Desk::new();
    let file = desk.work.path().join("disk");
    std::fs::File::create(&file).unwrap().set_len(256 << 20).unwrap();
    let Some(device) = Loop::of(&file) else { return crate::skips::skipped("needs root and a loop device") };
    // What a person is told, and would type.
    let told = desk.run(&["disk", &device.0, "--destroy", "x", "--no-store"]);
    let told = stderr(&told);
    let identity = told.split('"').find(|part| part.contains("-268435456")).map(str::to_owned);
    let identity = identity.or_else(|| {
        told.split_whitespace()
            .find(|word| word.contains("-268435456"))
            .map(|word| word.trim_matches(['"', ',', '.', ')']).to_owned())
    });
    let identity = identity.unwrap_or_else(|| panic!("no identity in: {told}"));
    let written = || {
        let stat =
            std::fs::read_to_string(format!("/sys/block/{}/stat", &device.0["/dev/".len()..])).unwrap();
        // Sectors written (the kernel's Documentation/block/stat.rst).
        stat.split_whitespace().nth(6).unwrap().parse::<u64>().unwrap()
    };
    let before = written();
    let plain = value!({"target": device.0, "size_bytes": 1_000_000});
    let mut orders = Vec::new();
    for (field, more) in
        [("destroy", value!(identity)), ("plan", value!({"destroy": identity})), ("write", value!(true))]
    {
        let mut disk = plain.clone();
        disk[field] = more;
        orders.push(value!({"disk": {"disk": disk}}));
    }
    for probe in orders {
        let mut node = Node::begin(&value!({}));
        node.order(&value!({"measure": {"ticket": 9, "within_ns": 60_000_000_000_u64, "probe": probe}}));
        let said = node.ends();
        assert!(!said.iter().any(|line| line.contains(&identity)), "{said:?}");
        assert_eq!(written(), before, "{probe}");
    }
}

/// The line "took" is the time that a user waits, and most of a small mesh is ssh.
#[test]
fn a_mesh_took_as_long_as_ssh_does() {
    let desk = Desk::new();
    let bin = desk.work.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join("ssh"), "#!/bin/sh\nsleep 1\nexit 255\n").unwrap();
    std::fs::set_permissions(bin.join("ssh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mesh = ["mesh", "h1", "h2", "--json", "--no-store"];
    let output = desk.command().args(mesh).env("PATH", path).output().unwrap();
    let document = json(&output);
    let time = |name: &str| document[name].as_str().unwrap().parse::<Timestamp>().unwrap();
    let took = time("finished").duration_since(time("started"));
    assert!(took.as_secs_f64() >= 1.0, "{took}: {document}");
}
