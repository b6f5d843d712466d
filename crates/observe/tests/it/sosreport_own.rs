//! A sosreport of our own making (`tests/sosreport`, SYNTHETIC, in the layout of sos 4 on RHEL 8): a database host with one
//! 10 Gbit port, a second without a link, and a multipath map that lost a path.

use crate::tree::Tree;
use fullwire_observe::{Ask, CountersAsk, Root, counters, host};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sosreport")
}

fn tree() -> Root {
    Root::tree(&folder()).expect("a directory is a tree")
}

#[test]
fn its_system_is_known() {
    let host = host(&tree(), &Ask::default());
    assert!(host.captured);
    assert_eq!(
        (host.hostname.as_str(), host.os.kernel_release.as_str()),
        ("orders1", "4.18.0-477.10.1.el8_8.x86_64")
    );
    assert_eq!((host.os.distribution.as_str(), host.os.version.as_str()), ("rhel", "8.8"));
    assert_eq!((host.cpu.online, host.cpu.sockets), (32, Some(2)));
    assert_eq!(
        (host.memory.total_bytes, host.memory.available_bytes),
        (Some(131_690_532 * 1024), Some(66_551_808 * 1024))
    );
    assert_eq!(host.swaps[0].used_bytes, 10_240 * 1024);
    assert_eq!(host.clock.daemon.as_deref(), Some("chronyd"));
    assert!(host.processes.iter().any(|process| process.name == "multipathd"), "{:?}", host.processes);
    assert_eq!(host.sysctls["vm.swappiness"], "10");
    assert_eq!(host.sysctls["net.ipv4.tcp_rmem"].split_whitespace().last(), Some("6291456"));
}

#[test]
fn its_network_is_known() {
    let host = host(&tree(), &Ask::default());
    let names: Vec<&str> = host.nics.iter().map(|nic| nic.name.as_str()).collect();
    assert_eq!(names, ["lo", "eno1", "eno2"]);
    let port = host.nic("eno1").expect("listed");
    assert_eq!(
        (port.driver.as_str(), port.speed_mbit_per_s, port.mtu_bytes, port.carrier),
        ("ixgbe", Some(10_000), Some(9000), Some(true))
    );
    assert_eq!(port.rings.as_ref().map(|rings| (rings.rx, rings.rx_max)), Some((512, 4096)));
    assert_eq!(port.pci_address.as_deref(), Some("0000:3d:00.0"));
    assert_eq!(port.addresses, ["192.0.2.21/24"]);
    let dark = host.nic("eno2").expect("listed");
    assert_eq!((dark.speed_mbit_per_s, dark.carrier), (None, Some(false)));
    let default = &host.routes[0];
    assert_eq!(
        (default.destination.as_str(), default.gateway.as_deref(), default.interface.as_str()),
        ("default", Some("192.0.2.1"), "eno1")
    );
}

#[test]
fn its_counters_are_known() {
    let counters = counters(&tree(), &CountersAsk::default());
    let port = &counters.nics["eno1"];
    assert_eq!((port.rx_bytes, port.rx_packets), (913_000_400_123, 310_004_512));
    assert_eq!((port.tx_bytes, port.tx_packets), (441_200_333_999, 190_113_377));
    assert_eq!((port.rx_errors, port.rx_dropped), (3, 17));
    assert_eq!(port.driver["rx_missed_errors"], 17);
    assert_eq!(counters.snmp["TcpRetransSegs"], 40_021);
    assert_eq!(counters.snmp["TcpExtTCPTimeouts"], 812);
    assert_eq!(counters.load, Some([1.25, 0.90, 0.75]));
    assert_eq!(counters.monotonic_ns, (3 * 24 * 60 + 2 * 60 + 5) * 60 * 1_000_000_000);
}

#[test]
fn its_storage_is_known_from_the_mount_to_the_failed_path() {
    let host = host(&tree(), &Ask::default());
    let data = host.mount_of("/u01").expect("mounted");
    assert_eq!((data.fs_type.as_str(), data.option("noatime")), ("xfs", Some("")));
    assert_eq!(data.space.as_ref().map(|space| space.available_bytes), Some(171_714_642 * 1024));
    let disk = |name: &str| host.disk(name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(disk("sda").size_bytes, 240_057_409_536, "exactly, as blockdev has it");
    assert_eq!(disk("sda2").partition.as_ref().map(|own| own.start_bytes), Some(2_099_200 * 512));
    assert_eq!((disk("dm-2").kind.as_str(), disk("dm-3").kind.as_str()), ("multipath", "lvm"));
    let stack: Vec<&str> = host.stack("dm-3").iter().map(|disk| disk.name.as_str()).collect();
    assert!(stack.starts_with(&["dm-3", "dm-2"]), "{stack:?}");
    assert!(stack.contains(&"sdb") && stack.contains(&"sdc"), "{stack:?}");
    let map = &host.multipath[0];
    assert_eq!((map.name.as_str(), map.device.as_str()), ("mpatha", "dm-2"));
    let states: Vec<(&str, &str)> =
        map.groups[0].paths.iter().map(|path| (path.device.as_str(), path.checker_state.as_str())).collect();
    assert_eq!(states, [("sdb", "ready"), ("sdc", "faulty")]);
    let config = host.multipath_config.as_ref().expect("configured");
    assert_eq!(config.settings["path_selector"], "service-time 0");
}

#[test]
fn what_it_lacks_is_a_gap_and_nothing_in_it_is_malformed() {
    let host = host(&tree(), &Ask::default());
    let wrong: Vec<_> =
        host.gaps.iter().filter(|gap| gap.reason == fullwire_model::GapReason::Malformed).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(!host.gaps.is_empty(), "it has no sysfs");
}

#[test]
fn packed_it_is_the_same_host() {
    let unpacked = host(&tree(), &Ask::default());
    let directory = tempfile::tempdir().expect("a temporary directory");
    let archive = directory.path().join("sosreport.tar.xz");
    let file = std::fs::File::create(&archive).expect("created");
    let mut tar = tar::Builder::new(liblzma::write::XzEncoder::new(file, 0));
    tar.append_dir_all("sosreport-orders1-2026-04-01", folder()).expect("packed");
    tar.into_inner().and_then(liblzma::write::XzEncoder::finish).expect("compressed");
    assert_eq!(host(&Root::tree(&archive).expect("an archive"), &Ask::default()), unpacked);
}

/// A copy of sysfs without its links has no addresses: the tools' output tells which adapter a path goes by.
#[test]
fn a_path_without_links_is_behind_the_port_that_the_tools_name() {
    let tree = Tree::new();
    let topology = "data (3600) dm-2 HITACHI,OPEN-V\nsize=1G features='0' hwhandler='0' wp=rw\n\
                    `-+- policy='service-time 0' prio=1 status=active\n  `- 4:0:1:0 sdb 8:16 failed faulty running\n";
    tree.file("sys/block/sdb/dev", "8:16\n")
        .file("sys/block/sdb/size", "2097152\n")
        .file("sys/block/sdb/device/queue_depth", "32\n")
        .file("sys/block/dm-2/dev", "253:2\n")
        .file("sys/block/dm-2/size", "2097152\n")
        .file("sys/block/dm-2/dm/uuid", "mpath-3600\n")
        .file("sys/block/dm-2/dm/name", "data\n")
        .file("sys/block/dm-2/slaves/sdb/dev", "8:16\n")
        .file("sys/class/scsi_host/host4/proc_name", "qla2xxx\n")
        .file("sos_commands/multipath/multipath_-ll", topology);
    let host = host(&tree.root(), &Ask::default());
    let scsi = host.disk("sdb").and_then(|disk| disk.scsi.clone()).expect("a SCSI disk");
    assert_eq!((scsi.host.as_str(), scsi.host_driver.as_str()), ("host4", "qla2xxx"));
    assert_eq!((scsi.address.as_str(), scsi.queue_depth), ("4:0:1:0", Some(32)));
    assert_eq!(host.multipath[0].groups[0].paths[0].address, "4:0:1:0");
}
