//! The main job, on this host alone and with a peer that does not answer.

use crate::tool::{Desk, free_address, json, texts};
use std::time::{Duration, Instant};

const KEYS: [&str; 12] = [
    "verdict", "bottleneck", "paths", "ceilings", "findings", "check", "net", "mtu", "disk", "demand",
    "gaps", "run_id",
];

#[test]
fn this_host_alone_is_judged_without_the_claim_of_a_wire() {
    let desk = Desk::new();
    let begun = Instant::now();
    let run = desk.json(&["assess", "--quick", "--json", "--no-store", "--fail-on", "never"]);
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
    assert_eq!(run["schema"], "fullwire.assess/1");
    for key in KEYS {
        assert!(run.get(key).is_some(), "no {key}");
    }
    assert_eq!(run["net"][0]["target"], "loopback");
    assert!(texts(&run["paths"], "subject").contains(&"loopback"));
    let kinds = texts(&run["ceilings"], "kind");
    assert!(!kinds.iter().any(|kind| kind.contains("wire")), "{kinds:?}");
    assert!(desk.files().is_empty(), "left behind: {:?}", desk.files());
}

#[test]
fn an_unreachable_peer_is_a_gap_and_the_rest_is_answered() {
    let desk = Desk::new();
    let peer = free_address();
    let begun = Instant::now();
    let output = desk.run(&["assess", "--peer", &peer, "--path", ".", "--quick", "--json", "--no-store"]);
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{:?}", output.status);
    let run = json(&output);
    assert!(texts(&run["gaps"], "subject").contains(&peer.as_str()), "{}", run["gaps"]);
    assert!(texts(&run["paths"], "kind").contains(&"storage"), "{}", run["paths"]);
}
