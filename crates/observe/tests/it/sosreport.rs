//! A sosreport of a compute node (not part of this repository), with values read from its files by eye.

use crate::skips::given;
use crate::skips::shared;
use fullwire_observe::{Ask, CountersAsk, Root, counters, host};

fn sample() -> Option<Root> {
    let path = shared("samples/sosreport/ubuntu-openstack-compute")?;
    Some(Root::tree(&path).expect("a directory is a tree"))
}

#[test]
fn the_system_is_known() {
    let root = given!(sample());
    let host = host(&root, &Ask::default());
    assert!(host.captured);
    assert_eq!((host.hostname.as_str(), host.os.kernel_release.as_str()), ("compute4", "5.4.0-97-generic"));
    assert_eq!((host.os.distribution.as_str(), host.os.version.as_str()), ("ubuntu", "20.04"));
    assert_eq!((host.os.virtualization.as_deref(), host.os.page_bytes), (Some("kvm"), 4096));
    assert_eq!((host.cpu.online, host.cpu.sockets), (2, Some(2)));
    assert_eq!(
        (host.memory.total_bytes, host.memory.available_bytes),
        (Some(16_393_164 * 1024), Some(8_638_440 * 1024))
    );
    assert_eq!(host.clock.daemon.as_deref(), Some("systemd-timesyncd"));
    assert!(host.processes.iter().any(|process| process.name == "multipathd"));
}

#[test]
fn the_network_is_known() {
    let root = given!(sample());
    let host = host(&root, &Ask::default());
    assert_eq!(host.nics.len(), 24);
    let ens3 = host.nic("ens3").expect("listed");
    assert_eq!(
        (ens3.kind.as_str(), ens3.driver.as_str(), ens3.master.as_deref()),
        ("virtual", "virtio_net", Some("br-ens3"))
    );
    assert_eq!((ens3.speed_mbit_per_s, ens3.mtu_bytes, ens3.carrier), (None, Some(1500), Some(true)));
    assert_eq!(ens3.rings.as_ref().map(|rings| (rings.rx, rings.rx_max)), Some((256, 256)));
    assert_eq!(ens3.pci_address.as_deref(), Some("0000:00:03.0"));
    let bridge = host.nic("br-ens3").expect("listed");
    assert_eq!((bridge.kind.as_str(), bridge.addresses[0].as_str()), ("bridge", "10.0.0.128/24"));
    let default = &host.routes[0];
    assert_eq!(
        (default.destination.as_str(), default.gateway.as_deref(), default.interface.as_str()),
        ("default", Some("10.0.0.2"), "br-ens3")
    );
}

#[test]
fn the_counters_are_known() {
    let root = given!(sample());
    let counters = counters(&root, &CountersAsk::default());
    assert_eq!(
        (counters.nics["ens3"].rx_bytes, counters.nics["ens3"].rx_packets),
        (23_781_208_158, 25_929_812)
    );
    assert_eq!(counters.nics["ens3"].driver["rx_queue_0_drops"], 0);
    assert_eq!(counters.snmp["IpInReceives"], 2_168_061);
    // sos_commands/host/uptime: "16:19:19 up 17:41,  2 users,  load average: 3.58, 3.27, 2.58".
    assert_eq!(counters.load, Some([3.58, 3.27, 2.58]));
    assert_eq!(counters.monotonic_ns, (17 * 60 + 41) * 60 * 1_000_000_000);
    assert!(!counters.gaps.iter().any(|gap| gap.subject.contains("loadavg")), "{:?}", counters.gaps);
}

#[test]
fn gaps_are_what_the_tree_lacks() {
    let root = given!(sample());
    let host = host(&root, &Ask::default());
    assert!(host.gap_about("/proc/sys").is_some(), "it has no sysctl -a");
    assert!(
        !host.gaps.iter().any(|gap| gap.reason == fullwire_model::GapReason::Malformed),
        "{:?}",
        host.gaps
    );
    assert!(host.gap_about("ethtool").is_none(), "all hardware is covered: {:?}", host.gap_about("ethtool"));
}
