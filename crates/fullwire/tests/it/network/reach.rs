//! Peers that can be reached in one way and not in another: by some source ports, or over one address family.

use crate::network::wire::Wire;
use crate::skips::{given, installed};
use crate::tool::{Desk, PROGRAM, json, listen};
use serde_json::Value;
use std::process::Command;

const NAME: &str = "db2.example";

fn message(document: &Value, code: &str) -> Option<String> {
    let found = document["findings"].as_array()?.iter().find(|finding| finding["code"] == code)?;
    Some(found["message"].as_str()?.to_owned())
}

/// A rule of the packet filter at the second end.
fn filter(wire: &Wire, rule: &str) {
    wire.run(1, &["nft", "add table inet fw"]);
    wire.run(1, &["nft", "add chain inet fw in { type filter hook input priority 0; }"]);
    wire.run(1, &["nft", &format!("add rule inet fw in {rule}")]);
}

/// Both ends with an address of each family.
fn both_families(tag: &str) -> Option<Wire> {
    let wire = Wire::cable(tag)?;
    for end in 0..2 {
        let address = format!("2001:db8:98::{}/64", end + 1);
        wire.run(end, &["ip", "address", "add", &address, "dev", "eth0", "nodad"]);
    }
    wire.gigabit();
    Some(wire)
}

fn serve_both(wire: &Wire, desk: &Desk) -> crate::tool::Running {
    let mut command = wire.command(desk, 1);
    command.args(["serve", "--open", "--listen", "[::]:5555"]);
    listen(command)
}

/// Our executable at the first end, where the second has a name with two addresses.
fn by_name(wire: &Wire, desk: &Desk, words: &[&str]) -> Value {
    let hosts = desk.work.path().join("hosts");
    std::fs::write(&hosts, format!("127.0.0.1 localhost\n2001:db8:98::2 {NAME}\n10.98.0.2 {NAME}\n"))
        .unwrap();
    let script = r#"mount --bind "$0" /etc/hosts && exec "$@" --json"#;
    let mut command: Command = wire.shell(desk, 0, script);
    json(&command.arg(&hosts).arg(PROGRAM).args(words).output().unwrap())
}

#[test]
fn a_dead_link_behind_a_hash_is_found_and_the_peer_is_measured_over_the_others() {
    if !installed("nft") {
        return;
    }
    let wire = given!(Wire::cable("ports"));
    wire.gigabit();
    let desk = Desk::new();
    let _responder = wire.serve(&desk);
    let words = ["net", "10.98.0.2", "--duration", "500ms", "--streams", "2", "--no-store"];
    let healthy = wire.json(&desk, &words);
    assert_eq!(message(&healthy, "source-ports-unanswered"), None, "{healthy}");
    // Half of the ports, as with one dead member of two.
    filter(&wire, "tcp dport 5555 tcp sport & 4 == 4 drop");
    let document = wire.json(&desk, &words);
    assert!(document["throughput_bytes_per_s"].as_f64().unwrap() > 0.0, "{document}");
    let said = message(&document, "source-ports-unanswered").unwrap_or_else(|| panic!("{document}"));
    assert!(said.contains("of 16 connections to 10.98.0.2 got no answer"), "{said}");
    // The loss of the connections that no port was found for is not what the stream saw.
    assert_eq!(message(&document, "peer-unreachable"), None, "{document}");
}

#[test]
fn the_slower_of_two_address_families_is_named_when_it_is_used_first() {
    if !installed("nft") {
        return;
    }
    let wire = given!(both_families("slow6"));
    let desk = Desk::new();
    let _responder = serve_both(&wire, &desk);
    let words = ["assess", "--peer", NAME, "--quick", "--no-store", "--fail-on", "never"];
    let healthy = by_name(&wire, &desk, &words);
    assert_eq!(message(&healthy, "address-family-slower"), None, "{}", healthy["peers"]);
    filter(&wire, "meta nfproto ipv6 tcp dport 5555 limit rate over 5 mbytes/second burst 256 kbytes drop");
    let document = by_name(&wire, &desk, &words);
    let said = message(&document, "address-family-slower").unwrap_or_else(|| panic!("{}", document["peers"]));
    assert!(said.starts_with(&format!("IPv6 to {NAME} carries ")), "{said}");
}

#[test]
fn a_family_that_does_not_answer_is_named_and_the_other_is_measured() {
    if !installed("nft") {
        return;
    }
    let wire = given!(both_families("mute6"));
    let desk = Desk::new();
    let _responder = serve_both(&wire, &desk);
    filter(&wire, "meta nfproto ipv6 tcp dport 5555 drop");
    let document = by_name(&wire, &desk, &["net", NAME, "--duration", "500ms", "--no-store"]);
    assert!(document["throughput_bytes_per_s"].as_f64().unwrap() > 0.0, "{document}");
    let said = message(&document, "address-family-slower").unwrap_or_else(|| panic!("{document}"));
    assert!(said.contains("does not answer over IPv6, which is tried first"), "{said}");
}
