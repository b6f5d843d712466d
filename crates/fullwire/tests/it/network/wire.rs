//! Two network namespaces of our own with a line between them: a cable, or a relay that delays and drops.

use crate::network::relay::{Line, Relay};
use crate::network::tun;
use crate::skips::{installed, skipped};
use crate::tool::{Desk, Running, json, listen};
use serde_json::Value;
use std::process::Command;

/// Two namespaces, removed when dropped.
pub(crate) struct Wire {
    names: [String; 2],
    /// Ends first: its devices live in the namespaces.
    relay: Option<Relay>,
}

impl Wire {
    /// A cable. `None`, said aloud, where namespaces cannot be made.
    pub(crate) fn cable(tag: &str) -> Option<Self> {
        let wire = Self::new(tag)?;
        let [a, b] = &wire.names;
        assert!(ip(&["-n", a, "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", b]));
        wire.configure();
        Some(wire)
    }

    /// A line with set properties.
    pub(crate) fn relay(tag: &str, line: Line) -> Option<Self> {
        let mut wire = Self::new(tag)?;
        let device = |end: usize| {
            let name = format!("fw{tag}{end}x{}", std::process::id() % 100_000);
            let file = tun::open(&name).expect("a TUN device");
            assert!(ip(&["link", "set", &name, "netns", &wire.names[end], "name", "eth0"]));
            file
        };
        let devices = [device(0), device(1)];
        wire.configure();
        wire.relay = Some(Relay::start(devices, line));
        Some(wire)
    }

    fn new(tag: &str) -> Option<Self> {
        if !installed("ip") || !installed("tc") {
            return None;
        }
        let names = ["a", "b"].map(|end| format!("fwe2e{tag}{end}{}", std::process::id()));
        let wire = Self { names, relay: None };
        if !wire.names.iter().all(|name| ip(&["netns", "add", name])) {
            skipped("needs root for network namespaces");
            return None;
        }
        Some(wire)
    }

    fn configure(&self) {
        for (name, address) in self.names.iter().zip(["10.98.0.1/24", "10.98.0.2/24"]) {
            assert!(ip(&["-n", name, "addr", "add", address, "dev", "eth0"]));
            assert!(ip(&["-n", name, "link", "set", "eth0", "up"]));
            assert!(ip(&["-n", name, "link", "set", "lo", "up"]));
        }
    }

    /// A second cable between the two, with addresses of its own: 10.99.0.1 and 10.99.0.2.
    pub(crate) fn second_cable(&self) {
        let [a, b] = &self.names;
        assert!(ip(&["-n", a, "link", "add", "eth1", "type", "veth", "peer", "name", "eth1", "netns", b]));
        for (name, address) in [(a, "10.99.0.1/24"), (b, "10.99.0.2/24")] {
            assert!(ip(&["-n", name, "addr", "add", address, "dev", "eth1"]));
            assert!(ip(&["-n", name, "link", "set", "eth1", "up"]));
        }
    }

    /// Both ends send 1 Gbit/s at most: what two CPUs carry scatters from one try to the next, and takes both.
    pub(crate) fn gigabit(&self) {
        for end in 0..2 {
            let line = ["rate", "1gbit", "burst", "256kb", "latency", "20ms"];
            self.run(end, &[&["tc", "qdisc", "add", "dev", "eth0", "root", "tbf"], &line[..]].concat());
        }
    }

    /// Runs a program at one end.
    pub(crate) fn run(&self, end: usize, words: &[&str]) {
        let exec = ["netns", "exec", &self.names[end]];
        assert!(ip(&[exec.as_slice(), words].concat()), "{words:?}");
    }

    /// Our executable at one end.
    pub(crate) fn command(&self, desk: &Desk, end: usize) -> Command {
        let mut command = desk.program("ip");
        command.args(["netns", "exec", &self.names[end], crate::tool::PROGRAM]);
        command
    }

    /// A line of shell at one end, in file systems of its own; its arguments follow.
    pub(crate) fn shell(&self, desk: &Desk, end: usize, script: &str) -> Command {
        let mut command = desk.program("ip");
        command.args(["netns", "exec", &self.names[end], "sh", "-c", script]);
        command
    }

    /// A responder at the second end.
    pub(crate) fn serve(&self, desk: &Desk) -> Running {
        let mut command = self.command(desk, 1);
        command.args(["serve", "--open"]);
        listen(command)
    }

    /// What our executable prints as JSON at the first end.
    pub(crate) fn json(&self, desk: &Desk, arguments: &[&str]) -> Value {
        json(&self.command(desk, 0).args(arguments).arg("--json").output().unwrap())
    }

    /// Measures toward the second end: the document, and what the kept run is judged to be limited by. Whoever
    /// else keeps the CPUs of this machine busy is left out of the judgement.
    pub(crate) fn net(&self, desk: &Desk, options: &[&str]) -> (Value, Value) {
        let store = desk.work.path().join("runs.db").display().to_string();
        let words = [&["net", "10.98.0.2", "--store", &store, "--ignore", "cpu-saturated"], options].concat();
        let document = self.json(desk, &words);
        let run = document["run_id"].as_str().unwrap_or_else(|| panic!("{document}"));
        let kept = self.json(desk, &["show", run, "--store", &store]);
        (document, kept["paths"][0]["bottleneck"].clone())
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        drop(self.relay.take());
        for name in &self.names {
            ip(&["netns", "del", name]);
        }
    }
}

fn ip(words: &[&str]) -> bool {
    Command::new("ip").args(words).status().is_ok_and(|status| status.success())
}
