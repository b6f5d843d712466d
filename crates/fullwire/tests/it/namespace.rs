//! A path with a set rate, between two network namespaces of our own.

use crate::tool::{Desk, Running, installed, json, listen};
use std::process::Command;

/// Two namespaces with a cable between them, removed when dropped.
struct Wire([String; 2]);

impl Wire {
    /// `None`, said aloud, where namespaces cannot be made.
    fn new() -> Option<Self> {
        if !installed("ip") || !installed("tc") {
            return None;
        }
        let wire = Self(["a", "b"].map(|end| format!("fwe2e{end}{}", std::process::id())));
        if !wire.0.iter().all(|name| ip(&["netns", "add", name])) {
            assert!(std::env::var_os("CI").is_none(), "needs root for network namespaces");
            eprintln!("skipped: needs root for network namespaces");
            return None;
        }
        wire.connect();
        Some(wire)
    }

    fn connect(&self) {
        let [a, b] = &self.0;
        assert!(ip(&["-n", a, "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", b]));
        for (name, address) in [(a, "10.98.0.1/24"), (b, "10.98.0.2/24")] {
            assert!(ip(&["-n", name, "addr", "add", address, "dev", "eth0"]));
            assert!(ip(&["-n", name, "link", "set", "eth0", "up"]));
            assert!(ip(&["-n", name, "link", "set", "lo", "up"]));
        }
    }

    /// Sends no faster than this from the first end.
    fn shape(&self, rate: &str) {
        let words = ["tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", rate, "burst", "64k"];
        let exec = ["netns", "exec", &self.0[0]];
        assert!(ip(&[exec.as_slice(), &words, &["latency", "50ms"]].concat()));
    }

    fn command(&self, desk: &Desk, end: usize) -> Command {
        let mut command = desk.program("ip");
        command.args(["netns", "exec", &self.0[end], crate::tool::PROGRAM]);
        command
    }

    fn serve(&self, desk: &Desk) -> Running {
        let mut command = self.command(desk, 1);
        command.args(["serve", "--open"]);
        listen(command)
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        for name in &self.0 {
            ip(&["netns", "del", name]);
        }
    }
}

fn ip(words: &[&str]) -> bool {
    Command::new("ip").args(words).status().is_ok_and(|status| status.success())
}

#[test]
fn a_shaped_path_is_measured_at_its_rate_and_the_network_is_named() {
    let Some(wire) = Wire::new() else { return };
    wire.shape("200mbit");
    let desk = Desk::new();
    let _responder = wire.serve(&desk);
    let mut command = wire.command(&desk, 0);
    command.args([
        "assess",
        "--peer",
        "10.98.0.2:5555",
        "--quick",
        "--json",
        "--no-store",
        "--fail-on",
        "never",
    ]);
    let run = json(&command.output().unwrap());
    let path = run["paths"].as_array().unwrap().iter().find(|path| path["kind"] == "network").unwrap();
    assert_ne!(path["verdict"], "full-wire", "{path}");
    let stream = run["net"].as_array().unwrap().iter().find(|net| net["mode"] == "async").unwrap();
    let rate = stream["throughput_bytes_per_s"].as_f64().unwrap() * 8.0 / 1e6;
    assert!((180.0..203.0).contains(&rate), "{rate} Mbit/s");
    assert_eq!(path["bottleneck"]["code"], "qdisc-shaper", "{path}");
}
