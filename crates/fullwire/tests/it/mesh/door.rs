//! The door of a node: a real one, driven by hand, and ordinary clients that want in.

use crate::tool::{Desk, Running, json, stderr};
use serde_json::{Value, json as value};
use std::io::{BufRead as _, BufReader, Write as _};
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
            stderr(&faster).contains("this host allows 2000000 bytes/s in one test"),
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
    assert!(stderr(&node.net(&["--duration", "1s"])).contains("no test is due here"));
}
