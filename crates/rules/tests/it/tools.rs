//! Commands of remedies, done by ip, tc and sysctl in a network namespace of the test, and taken back.

use crate::remedies::{advice, runs};
use fullwire_model::assessment::Phase;
use serde_json::{Value, json};
use std::process::Command;

/// Every command is printed by the shell, so that a failure shows where it stopped.
fn in_namespace(lines: &[String]) -> String {
    let root = Command::new("id").arg("-u").output().expect("id").stdout == b"0\n";
    let namespace = if root { "-n" } else { "-rn" };
    let script = lines.join("\n");
    let output =
        Command::new("unshare").args([namespace, "sh", "-eu", "-c", &script]).output().expect("unshare");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{script}\n{said}\n{}", String::from_utf8_lossy(&output.stderr));
    said
}

/// Sets up, does what is advised, looks, takes it back, looks again; what was seen at both looks.
fn done_and_undone(setup: &[&str], code: &str, changes: &[(&str, Value)], look: &str) -> [String; 2] {
    let advice = advice(code, changes);
    let folder = std::env::temp_dir().join(format!("fullwire-tools-{}-{code}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // What lasts is none of a namespace's; what is written down goes to a folder of the test.
    let own = |run: &&str| !run.contains("/etc/") && !run.contains("default_qdisc");
    let local = |run: &str| run.replace("/root/", &format!("{}/", folder.display()));
    let mut lines: Vec<String> = setup.iter().map(|line| (*line).to_owned()).collect();
    lines.extend(runs(&advice, Phase::Now).into_iter().filter(own).map(local));
    lines.extend([format!("{look} || true"), "echo ----".to_owned()]);
    // Twice, as after a kill: what is back already is left alone.
    for undo in advice.phase(Phase::Undo).chain(advice.phase(Phase::Undo)) {
        let Some(run) = undo.run.as_deref().filter(own) else { continue };
        let is_back = undo.read_back.as_deref().map_or_else(|| "false".to_owned(), local);
        lines.push(format!("( {is_back} ) > /dev/null 2>&1 || {}", local(run)));
    }
    lines.push(format!("{look} || true"));
    let said = in_namespace(&lines);
    std::fs::remove_dir_all(&folder).unwrap();
    let (done, undone) = said.split_once("----").unwrap();
    [done.to_owned(), undone.to_owned()]
}

/// eth0 with four queues and an address.
const CABLE: [&str; 3] = [
    "ip link add eth0 numtxqueues 4 type veth peer name far numtxqueues 4",
    "ip link set eth0 up && ip link set far up",
    "ip addr add 10.0.1.1/24 dev eth0",
];

#[test]
fn a_smaller_mtu_for_one_host() {
    let routes =
        json!([{ "destination": "10.0.0.2", "gateway": "10.0.1.2", "interface": "eth0", "looked_up": true }]);
    let setup = [&CABLE[..], &["ip route add default via 10.0.1.2"]].concat();
    let look = "ip route get 10.0.0.2";
    let [done, undone] = done_and_undone(&setup, "mtu-black-hole", &[("/host/routes", routes)], look);
    assert!(done.contains("via 10.0.1.2 dev eth0") && done.contains("mtu lock 1500"), "{done}");
    assert!(undone.contains("via 10.0.1.2 dev eth0") && !undone.contains("mtu"), "{undone}");
}

#[test]
fn a_shaper_that_is_removed_and_set_up_again() {
    let known = json!([{ "kind": "tbf", "parent": "root", "handle": "8001:", "rate_bytes_per_s": 25e6,
                         "burst_bytes": 262_144, "limit": 500_000 }]);
    let setup =
        [&CABLE[..], &["tc qdisc add dev eth0 root tbf rate 200mbit burst 256kb latency 20ms"]].concat();
    let [done, undone] =
        done_and_undone(&setup, "qdisc-shaper", &[("/host/nics/0/qdiscs", known)], "tc qdisc show dev eth0");
    assert!(
        !done.contains("tbf") && undone.contains("tbf") && undone.contains("rate 200Mbit"),
        "{done} {undone}"
    );
}

#[test]
fn an_emulator_below_another_discipline_goes_alone() {
    let known = json!([{ "kind": "netem", "parent": "1:1", "handle": "10:", "delay_ns": 5_000_000 }]);
    let setup = [
        &CABLE[..],
        &["tc qdisc add dev eth0 root handle 1: tbf rate 200mbit burst 256kb latency 20ms"],
        // Not every kernel has netem; the command is the same for any discipline there.
        &["tc qdisc add dev eth0 parent 1:1 handle 10: pfifo limit 100"],
    ]
    .concat();
    let [done, _] =
        done_and_undone(&setup, "qdisc-netem", &[("/host/nics/0/qdiscs", known)], "tc qdisc show dev eth0");
    assert!(done.contains("tbf") && !done.contains("pfifo 10:"), "{done}");
}

#[test]
fn the_queues_of_a_card_stay_several() {
    let qdiscs = json!([{ "kind": "mq", "parent": "root", "handle": "1:" }]);
    let setup = [&CABLE[..], &["tc qdisc replace dev eth0 root handle 1: mq"]].concat();
    let [done, _] =
        done_and_undone(&setup, "qdisc-drops", &[("/host/nics/0/qdiscs", qdiscs)], "tc qdisc show dev eth0");
    assert!(done.contains("mq 2: root") && done.matches("parent 2:").count() == 4, "{done}");
}

#[test]
fn an_interface_with_a_dot_in_its_name() {
    let changes = [
        ("/host/nics/0/name", json!("bond0.100")),
        (
            "/host/sysctls",
            json!({ "net.ipv4.conf.all.rp_filter": "0", "net.ipv4.conf.bond0/100.rp_filter": "1",
                    "net.ipv4.conf.eth2.rp_filter": "0" }),
        ),
    ];
    let setup = ["ip link add bond0.100 type veth peer name far"];
    let look = "cat /proc/sys/net/ipv4/conf/bond0.100/rp_filter";
    let seen = done_and_undone(&setup, "rp-filter-strict", &changes, look);
    assert_eq!(
        seen.map(|text| text.lines().rfind(|line| !line.contains('=')).unwrap().trim().to_owned()),
        ["2", "1"]
    );
}

#[test]
fn a_window_that_a_route_locks() {
    let of_the_table =
        json!({ "destination": "10.0.0.0/24", "gateway": "10.0.1.2", "interface": "eth0", "cwnd_locked": 8 });
    let looked_up = json!({ "destination": "10.0.0.2", "gateway": "10.0.1.2", "interface": "eth0",
                            "looked_up": true, "cwnd_locked": 8 });
    let setup = [&CABLE[..], &["ip route add 10.0.0.0/24 via 10.0.1.2 dev eth0 cwnd lock 8"]].concat();
    let [done, undone] = done_and_undone(
        &setup,
        "route-cwnd",
        &[("/host/routes", json!([looked_up, of_the_table]))],
        "ip route show 10.0.0.0/24",
    );
    assert!(done.contains("via 10.0.1.2") && !done.contains("cwnd lock"), "{done}");
    assert!(undone.contains("cwnd lock 8"), "{undone}");
}

#[test]
fn settings_of_tcp() {
    for (code, look, [done, undone]) in [
        ("tcp-window-scaling", "sysctl -n net.ipv4.tcp_window_scaling", ["1", "0"]),
        ("slow-start-after-idle", "sysctl -n net.ipv4.tcp_slow_start_after_idle", ["0", "1"]),
        ("mtu-probing", "sysctl -n net.ipv4.tcp_mtu_probing", ["1", "0"]),
    ] {
        let seen = done_and_undone(&[], code, &[], look);
        assert_eq!(seen.map(|text| text.lines().last().unwrap().to_owned()), [done, undone], "{code}");
    }
}
