//! A network name space of our own with a shaped pair of interfaces: what the kernel says of it, read inside
//! without its own sysfs, as a tool does that merely joined the name space.

use crate::skips::{given, skipped};
use fullwire_observe::{Ask, CountersAsk, Root, counters, host};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::os::fd::AsFd;
use std::process::Command;

const NAME: &str = "fullwire-observe-test";

/// Runs a setup command; false when it failed.
fn run(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    Command::new(words[0]).args(&words[1..]).output().is_ok_and(|output| output.status.success())
}

/// The name space, deleted with this value.
struct NameSpace;

impl NameSpace {
    fn make() -> Option<Self> {
        run(&format!("ip netns del {NAME}"));
        if !run(&format!("ip netns add {NAME}")) {
            skipped("needs root and iproute2 for a network name space");
            return None;
        }
        let made = Self;
        for line in [
            "link add left type veth peer name right",
            "link set left mtu 9000",
            "link set left up",
            "link set right up",
            "link set lo up",
            "address add 10.55.0.1/24 dev left",
            "address add fd55::1/64 dev left nodad",
            "route add 10.66.0.0/16 via 10.55.0.9 mtu 1300 advmss 900 cwnd lock 8 initcwnd 20 window 65536 metric 5",
        ] {
            assert!(run(&format!("ip -n {NAME} {line}")), "ip {line}");
        }
        assert!(run(&format!(
            "tc -n {NAME} qdisc add dev left root tbf rate 200mbit burst 32kb latency 400ms"
        )));
        Some(made)
    }
}

impl Drop for NameSpace {
    fn drop(&mut self) {
        run(&format!("ip netns del {NAME}"));
    }
}

#[test]
fn links_routes_and_a_token_bucket_are_read_inside() {
    let _name_space = given!(NameSpace::make());
    let inside = std::thread::spawn(|| {
        let file = std::fs::File::open(format!("/run/netns/{NAME}")).expect("the name space is there");
        move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network)).expect("joined");
        let root = Root::live().expect("opened");
        let peers = ["10.66.1.1", "10.55.0.7", "fd55::9"].map(|peer| peer.parse().expect("an address"));
        let host = host(&root, &Ask { peers: peers.to_vec(), ..Ask::default() });
        (host, counters(&root, &CountersAsk::default()))
    });
    let (host, counters) = inside.join().expect("read");

    let left = host.nic("left").expect("read by netlink, not from the other name space's sysfs");
    assert_eq!((left.kind.as_str(), left.mtu_bytes, left.carrier), ("veth", Some(9000), Some(true)));
    assert!(
        left.addresses.contains(&"10.55.0.1/24".to_owned())
            && left.addresses.contains(&"fd55::1/64".to_owned())
    );
    assert_eq!(left.features.get("tcp-segmentation-offload"), Some(&true));
    assert!(host.nic("eth0").is_none(), "that one is outside");

    let shaper = &left.qdiscs[0];
    assert_eq!(
        (shaper.kind.as_str(), shaper.parent.as_str(), shaper.rate_bytes_per_s),
        ("tbf", "root", Some(25e6))
    );
    let burst = shaper.burst_bytes.expect("told");
    assert!((32_600..=32_900).contains(&burst), "32 KiB to a tick of 64 ns: {burst}");
    assert_eq!(counters.qdiscs["left"][0].kind, "tbf");
    assert!(counters.nics.contains_key("left"));

    let route = |peer: &str| {
        host.routes.iter().find(|route| route.looked_up && route.destination == peer).expect("looked up")
    };
    let far = route("10.66.1.1");
    assert_eq!(
        (far.gateway.as_deref(), far.interface.as_str(), far.source.as_deref()),
        (Some("10.55.0.9"), "left", Some("10.55.0.1"))
    );
    assert_eq!((far.mtu_bytes, far.initcwnd, far.window_bytes), (Some(1300), Some(20), Some(65_536)));
    assert_eq!((far.advmss_bytes, far.cwnd_locked), (Some(900), Some(8)));
    assert_eq!(
        (route("10.55.0.7").gateway.as_deref(), route("fd55::9").source.as_deref()),
        (None, Some("fd55::1"))
    );
    let listed = host.routes.iter().find(|route| route.destination == "10.66.0.0/16").expect("in the table");
    assert_eq!((listed.metric, listed.mtu_bytes), (Some(5), Some(1300)));
}
