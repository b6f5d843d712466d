//! `check` and `capture`.

use crate::tool::{Desk, texts};

const CHECK: [&str; 6] = ["check", "--json", "--window", "0s", "--fail-on", "never"];

#[test]
fn a_captured_tree_is_the_same_host() {
    let desk = Desk::new();
    let live = desk.json(&CHECK);
    assert!(desk.run(&["capture", "-o", "host.tar.zst"]).status.success());
    let captured = desk.json(&[CHECK.as_slice(), &["--root", "host.tar.zst"]].concat());
    assert_eq!(live["schema"], "fullwire.check/1");
    assert_eq!(live["host"]["hostname"], captured["host"]["hostname"]);
    assert_eq!(texts(&live["nics"], "mac"), texts(&captured["nics"], "mac"));
    assert_eq!(captured["host"]["captured"], true);
}
