//! Reports of the bonding driver: the lab's in six states, others' samples, mangled ones.

use super::*;
use crate::tests::rooted;
use proptest::prelude::*;

fn shared(name: &str) -> Option<String> {
    Some(std::fs::read_to_string(crate::skips::shared(name)?).expect("a readable sample"))
}

/// A capture from the lab, which must be read without a gap.
fn lab(name: &str) -> Option<Bond> {
    let text = shared(&format!("lab/bond/bonding-{name}.txt"))?;
    let mut gaps = Vec::new();
    let bond = parse(name, &text, &mut gaps);
    assert_eq!(gaps, [], "{name}");
    Some(bond)
}

#[test]
fn lacp_with_a_port_outside_the_group() {
    let Some(bond) = lab("802.3ad-port-not-in-lag") else { return };
    assert_eq!((bond.mode.as_str(), bond.xmit_hash_policy.as_str()), ("802.3ad", "layer2"));
    assert_eq!((bond.miimon_ms, bond.lacp_rate.as_deref()), (Some(100), Some("fast")));
    assert_eq!((bond.aggregator_id, bond.ad_num_ports), (Some(1), Some(1)));
    assert_eq!(bond.partner_mac.as_deref(), Some("36:b5:e1:d1:99:5b"));
    let [first, second] = bond.slaves.as_slice() else { panic!("two slaves: {:?}", bond.slaves) };
    assert_eq!((first.aggregator_id, second.aggregator_id), (Some(1), Some(2)));
    assert_eq!(first.partner_mac.as_deref(), Some("36:b5:e1:d1:99:5b"));
    assert_eq!(second.partner_mac.as_deref(), Some("00:00:00:00:00:00"));
    assert_eq!((first.speed_mbit_per_s, first.duplex.as_deref()), (Some(10_000), Some("full")));
    assert_eq!(first.actor_churn.as_deref(), Some("monitoring"));
    assert_eq!(second.permanent_mac, "92:09:8b:47:0f:04");
}

#[test]
fn active_backup_after_a_failure() {
    let Some(bond) = lab("active-backup-slave-down") else { return };
    assert_eq!(bond.mode, "active-backup");
    assert_eq!(bond.active_slave.as_deref(), Some("eth0"));
    let states: Vec<(&str, Option<u64>)> =
        bond.slaves.iter().map(|slave| (slave.mii_status.as_str(), slave.link_failures)).collect();
    assert_eq!(states, [("up", Some(0)), ("down", Some(1))]);
}

#[test]
fn the_other_captures_have_their_modes() {
    for (name, mode) in [
        ("balance-rr-healthy", "balance-rr"),
        ("balance-rr-slave-down", "balance-rr"),
        ("active-backup-healthy", "active-backup"),
        ("802.3ad-healthy", "802.3ad"),
    ] {
        let Some(bond) = lab(name) else { return };
        assert_eq!((bond.mode.as_str(), bond.slaves.len()), (mode, 2), "{name}");
    }
}

#[test]
fn an_old_driver_with_blank_addresses() {
    let Some(text) = shared("samples/bonding/bond-active-backup-slave-down.txt") else { return };
    let mut gaps = Vec::new();
    let bond = parse("x", &text, &mut gaps);
    assert_eq!(gaps, []);
    assert_eq!((bond.primary.as_deref(), bond.active_slave.as_deref()), (Some("eth2"), Some("eth2")));
    let slaves: Vec<_> = bond
        .slaves
        .iter()
        .map(|slave| {
            (slave.name.as_str(), slave.mii_status.as_str(), slave.speed_mbit_per_s, slave.link_failures)
        })
        .collect();
    assert_eq!(slaves, [("eth3", "down", Some(1000), Some(2)), ("eth2", "up", Some(100), Some(0))]);
    assert_eq!(bond.slaves[0].permanent_mac, "");
}

/// A sample from another project.
fn sample(name: &str) -> Option<(Bond, Vec<Gap>)> {
    let text = shared(&format!("samples/bonding/{name}.txt"))?;
    let mut gaps = Vec::new();
    Some((parse("/b", &text, &mut gaps), gaps))
}

#[test]
fn samples_in_three_modes() {
    let Some((lacp, gaps)) = sample("bond-8023ad-a") else { return };
    assert_eq!(
        (lacp.mode.as_str(), lacp.miimon_ms, lacp.lacp_rate.as_deref()),
        ("802.3ad", Some(500), Some("slow"))
    );
    assert_eq!((lacp.aggregator_id, lacp.ad_num_ports), (Some(3), Some(1)));
    assert_eq!(lacp.partner_mac.as_deref(), Some("00:00:00:00:00:00"));
    assert_eq!((lacp.slaves[0].aggregator_id, lacp.slaves[1].aggregator_id), (Some(3), Some(2)));
    assert_eq!(lacp.slaves[1].speed_mbit_per_s, Some(1000));
    assert_eq!(gaps.len(), 1, "the file has a cut line that reads \"Speed\": {gaps:?}");

    let Some((rr, gaps)) = sample("bond-insights-1") else { return };
    assert_eq!((rr.mode.as_str(), rr.slaves[1].name.as_str(), gaps), ("balance-rr", "eno2", Vec::new()));
    let Some((backup, gaps)) = sample("bond-active-backup-ok") else { return };
    assert_eq!(
        (backup.mode.as_str(), backup.active_slave.as_deref(), gaps),
        ("active-backup", Some("eth1"), Vec::new())
    );
    assert_eq!(backup.slaves.iter().map(|slave| slave.link_failures).collect::<Vec<_>>(), [Some(1), Some(1)]);
}

#[test]
fn a_corrupt_report_is_a_gap_and_not_the_end() {
    let Some(text) = shared("samples/bonding/bond-corrupt.txt") else { return };
    let mut gaps = Vec::new();
    let bond = parse("/proc/net/bonding/bond0", &text, &mut gaps);
    assert_eq!(bond.slaves, []);
    assert!(gaps.is_empty() || gaps.iter().all(|gap| gap.detail.starts_with("/proc/net/bonding/bond0:")));
}

const REPORT: &str = "Ethernet Channel Bonding Driver: v6.1\n\nBonding Mode: IEEE 802.3ad Dynamic link aggregation\n\
    MII Polling Interval (ms): 100\nActive Aggregator Info:\n\tAggregator ID: 1\n\nSlave Interface: eth0\nSpeed: Unknown\n\
    Link Failure Count: 3\nAggregator ID: 1\ndetails partner lacp pdu:\n    system mac address: aa:bb\n";

#[test]
fn a_number_that_is_none_is_a_gap_with_its_line() {
    let mut gaps = Vec::new();
    let bond = parse("/b", &REPORT.replace(": 3", ": three"), &mut gaps);
    assert_eq!(gaps[0].detail, "/b:10: \"Link Failure Count\" has no readable value");
    assert_eq!(
        (bond.slaves[0].speed_mbit_per_s, bond.slaves[0].partner_mac.as_deref()),
        (None, Some("aa:bb"))
    );
}

proptest! {
    #[test]
    fn mangled_reports_never_panic(cut in 0..REPORT.len(), noise in "(?s).{0,80}") {
        let mangled: String = REPORT.chars().take(cut).chain(noise.chars()).collect();
        let mut gaps = Vec::new();
        parse("/b", &mangled, &mut gaps);
        prop_assert!(gaps.iter().all(|gap| gap.detail.starts_with("/b:")));
    }
}

#[test]
fn how_a_balancing_bond_spreads_its_flows_is_in_sysfs() {
    let (_tree, root) = rooted(&[
        ("sys/class/net/bond0/bonding/mode", "balance-tlb 5\n"),
        ("sys/class/net/bond0/bonding/tlb_dynamic_lb", "0\n"),
    ]);
    let read = |mode: &str| {
        let mut bond = Bond { name: "bond0".into(), mode: mode.into(), ..Bond::default() };
        complete(&root, &mut bond);
        (bond.mode, bond.tlb_dynamic_lb)
    };
    assert_eq!(read(""), ("balance-tlb".into(), Some(false)));
    // The file is there in every mode and means nothing in the others.
    assert_eq!(read("802.3ad"), ("802.3ad".into(), None));
}

#[test]
fn when_the_primary_takes_over_again() {
    let mut gaps = Vec::new();
    let text =
        "Bonding Mode: fault-tolerance (active-backup)\nPrimary Slave: eth0 (primary_reselect failure)\n";
    let bond = parse("bond0", text, &mut gaps);
    assert_eq!((bond.primary.as_deref(), bond.primary_reselect.as_deref()), (Some("eth0"), Some("failure")));
    assert_eq!(parse("bond0", "Primary Slave: None\n", &mut gaps).primary_reselect, None);
    assert_eq!(gaps, []);
}

#[test]
fn a_bond_whose_members_nobody_answers_has_no_partner() {
    let text = "Bonding Mode: IEEE 802.3ad Dynamic link aggregation\n802.3ad info\nbond bond7 has no active aggregator\n";
    let mut gaps = Vec::new();
    let bond = parse("/proc/net/bonding/bond7", text, &mut gaps);
    assert_eq!((bond.partner_mac.as_deref(), gaps.len()), (Some("00:00:00:00:00:00"), 0));
}
