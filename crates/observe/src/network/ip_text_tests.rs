//! Listings of real tools: samples from other projects and captures from the lab.

use super::*;
use proptest::prelude::*;

/// A file next to the repository, or nothing.
fn shared(name: &str) -> Option<String> {
    Some(std::fs::read_to_string(crate::skips::shared(name)?).expect("a readable sample"))
}

#[test]
fn reads_a_bond_and_its_slaves() {
    let Some(text) = shared("lab/bond/ip-link-bond-802.3ad-healthy.txt") else { return };
    let mut gaps = Vec::new();
    let listing = links("x", &text, &mut gaps);
    assert_eq!(gaps, []);
    let names: Vec<&str> = listing.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["lo", "eth0", "eth1", "bond0"]);
    assert_eq!(listing.masters, [(8, "bond0".to_owned()), (9, "bond0".to_owned())]);
    let eth0 = &listing.links[1];
    assert_eq!((eth0.kind.as_str(), eth0.mac.as_str()), ("veth", "a2:56:4c:1c:45:78"));
    assert_eq!((eth0.operstate.as_str(), eth0.carrier, eth0.gso_max_bytes), ("up", Some(true), Some(65_536)));
    let counted = eth0.counters.as_ref().expect("counted");
    assert_eq!((counted.rx_bytes, counted.rx_packets, counted.tx_packets), (1260, 12, 12));
    assert_eq!(listing.links[3].kind, "bond");
}

#[test]
fn reads_samples_without_a_gap() {
    for name in ["ip-d-s-link-bond-1.txt", "ip-s-link-all-2.txt", "ip-s-link.txt"] {
        let Some(text) = shared(&format!("samples/ip-link/{name}")) else { return };
        let mut gaps = Vec::new();
        let listing = links(name, &text, &mut gaps);
        assert_eq!(gaps, [], "{name}");
        assert!(
            listing.links.iter().all(|link| link.mtu_bytes.is_some() && link.counters.is_some()),
            "{name}"
        );
    }
}

#[test]
fn a_tunnel_stands_on_the_interface_that_carries_it() {
    let text = "3: flannel.1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UNKNOWN group default \n    \
        link/ether 5a:00:00:00:00:03 brd ff:ff:ff:ff:ff:ff promiscuity 0 \n    vxlan id 1 local 10.0.0.5 dev eth0 srcport 0 0 dstport 8472\n";
    let listing = links("x", text, &mut Vec::new());
    assert_eq!(listing.lowers, [(3, "eth0".to_owned())]);
    assert_eq!(listing.links[0].kind, "vxlan");
}

#[test]
fn reads_a_lossy_netem() {
    let Some(text) = shared("lab/netem/tc-qdisc-netem.txt") else { return };
    let all = qdiscs(&text);
    let (_, record) = &all[0];
    assert_eq!(
        (record.qdisc.kind.as_str(), record.qdisc.handle.as_str(), record.qdisc.parent.as_str()),
        ("netem", "8001:", "root")
    );
    assert_eq!(
        (record.qdisc.delay_ns, record.qdisc.loss, record.qdisc.tampers),
        (Some(1_000_000), Some(0.005), Some(false))
    );
    assert_eq!((record.counters.bytes, record.counters.packets), (524_518_931, 346_961));
    assert_eq!(
        (record.counters.drops, record.counters.overlimits, record.counters.backlog_bytes),
        (53, 0, 0)
    );
}

/// As tc of iproute2 6.1 printed them in the lab.
#[test]
fn reads_losses_in_bursts() {
    let text = "qdisc netem 8001: root refcnt 2 limit 1000 delay 10ms loss gemodel p 0.2% r 20% 1-h 100% 1-k 0%\n\
                qdisc netem 8002: root refcnt 2 limit 1000 loss state p13 1% p31 25% p32 5% p23 30% p14 0.1%\n";
    let lost: Vec<f64> = qdiscs(text).iter().filter_map(|(_, record)| record.qdisc.loss).collect();
    // 0.2 / 20.2; and (0.04 + 0.001) / (1 + 0.04 + 0.04 x 5/30 + 0.001).
    assert!((lost[0] - 0.009_901).abs() < 1e-6 && (lost[1] - 0.039_134).abs() < 1e-6, "{lost:?}");
}

#[test]
fn reads_a_token_bucket() {
    let text = "qdisc tbf 8003: dev eth0 root refcnt 2 rate 200Mbit burst 32Kb lat 400ms \n Sent 10 bytes 1 pkt (dropped 2, overlimits 3 requeues 0)\n backlog 1500b 1p requeues 0\n";
    let all = qdiscs(text);
    assert_eq!(all[0].0, "eth0");
    assert_eq!((all[0].1.qdisc.rate_bytes_per_s, all[0].1.qdisc.burst_bytes), (Some(25e6), Some(32_768)));
    assert_eq!((all[0].1.counters.overlimits, all[0].1.counters.backlog_bytes), (3, 1500));
}

#[test]
fn keeps_the_main_table() {
    let text = "default via 10.0.0.2 dev br-ens3 proto static metric 100 mtu 1400\n\
                10.9.0.0/16 proto static \n\tnexthop via 10.0.0.3 dev eth1 weight 1\n\tnexthop via 10.0.0.4 dev eth2 weight 1\n\
                broadcast 10.0.0.0 dev br-ens3 table local proto kernel scope link src 10.0.0.128\n\
                10.7.0.0/24 dev eth3 table 100\nfe80::/64 dev eth0 proto kernel metric 256 pref medium\ngarbage here\n";
    let mut gaps = Vec::new();
    let routes = routes("/r", text, &mut gaps);
    let found: Vec<String> = routes
        .iter()
        .map(|route| {
            format!("{} {} {}", route.destination, route.gateway.as_deref().unwrap_or("-"), route.interface)
        })
        .collect();
    assert_eq!(
        found,
        [
            "default 10.0.0.2 br-ens3", "10.9.0.0/16 10.0.0.3 eth1", "10.9.0.0/16 10.0.0.4 eth2",
            "fe80::/64 - eth0"
        ]
    );
    assert_eq!((routes[0].metric, routes[0].mtu_bytes), (Some(100), Some(1400)));
    assert_eq!(gaps[0].detail, "/r:8: not a route");
}

#[test]
fn a_vlan_has_a_number_and_a_link_below() {
    let text = "5: eth0.100@eth0: <BROADCAST,UP,LOWER_UP> mtu 9000 qdisc noqueue state UP qlen 1000\n    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 0\n    vlan protocol 802.1Q id 100 <REORDER_HDR> numtxqueues 1 gso_max_size 65536\n    inet 10.0.0.1/24 brd 10.0.0.255 scope global eth0.100\n";
    let listing = links("x", text, &mut Vec::new());
    assert_eq!(
        (listing.links[0].vlan_id, listing.lowers.as_slice()),
        (Some(100), &[(5, "eth0".to_owned())][..])
    );
    assert_eq!(listing.addresses, [(5, "10.0.0.1/24".to_owned())]);
}

proptest! {
    #[test]
    fn mangled_listings_never_panic(text in "((1: |eth0@|: <UP> mtu |RX:|qdisc |Sent |nexthop |via |dev |default )?[a-z0-9:.<>@%é ]{0,20}\n?){0,20}") {
        let mut gaps = Vec::new();
        links("/l", &text, &mut gaps);
        routes("/r", &text, &mut gaps);
        qdiscs(&text);
        prop_assert!(gaps.iter().all(|gap| gap.detail.starts_with("/l:") || gap.detail.starts_with("/r:")));
    }
}
