//! Ports of arrays, pools, PowerPath, chrony and the health of drives: read from a tree, and again from a capture of it.

use crate::tree::Tree;
use fullwire_observe::{Ask, CaptureOptions, Root, capture, host};

fn tree() -> Tree {
    let tree = Tree::new();
    tree.file("/proc/uptime", "8640000.00 100.00\n")
        .file("/proc/spl/kstat/zfs/tank/state", "DEGRADED\n")
        .file("/proc/spl/kstat/zfs/arcstats", "13 1 0x01\nname type data\nc_max 4 8589934592\nsize 4 4294967296\n")
        .file("/sys/class/fc_remote_ports/rport-7:0-1/port_state", "Blocked\n")
        .file("/sys/class/fc_remote_ports/rport-7:0-1/roles", "FCP Target\n")
        .file("/sys/class/fc_remote_ports/rport-7:0-1/dev_loss_tmo", "600\n")
        .file("/sys/class/fc_remote_ports/rport-7:0-1/fast_io_fail_tmo", "off\n")
        .file("/sos_commands/networking/ip_rule_list", "0:\tfrom all lookup local\n32765:\tfrom 10.0.1.5 lookup 101\n")
        .file(
            "/sos_commands/powerpath/powermt_display_dev_all",
            "Pseudo name=emcpowera\n 0 qla2xxx sdi FA 9dB active alive 0 0\n 1 qla2xxx sds FA 8dB active dead 0 1\n",
        )
        .file(
            "/sos_commands/chrony/chronyc_-n_tracking",
            "System time     : 1.250000000 seconds slow of NTP time\nLeap status     : Not synchronised\n",
        )
        .file("/etc/chrony.conf", "server 10.0.0.1 iburst\n")
        .process(700, 1, "chronyd", "chronyd");
    tree
}

#[test]
fn they_are_read_from_a_tree_and_from_its_capture() {
    let tree = tree();
    let mut packed = Vec::new();
    capture(&tree.root(), &CaptureOptions::default(), &mut packed).expect("captured");
    for root in [tree.root(), Root::archive(&packed).expect("an archive")] {
        let host = host(&root, &Ask::default());
        assert_eq!(host.zfs_pools[0].state, "DEGRADED");
        assert_eq!(host.zfs_cache.as_ref().map(|cache| cache.max_bytes), Some(8 << 30));
        let port = &host.fc_remote_ports[0];
        assert_eq!((port.host.as_str(), port.port_state.as_str()), ("host7", "Blocked"));
        assert_eq!((port.dev_loss_tmo_s, port.fast_io_fail_off), (Some(600), true));
        assert_eq!(host.source_rules.as_deref(), Some(&["10.0.1.5/32".to_owned()][..]));
        let paths = &host.multipath[0].groups[0].paths;
        assert_eq!(
            paths.iter().map(fullwire_model::host::MapPath::has_failed).collect::<Vec<_>>(),
            [false, true]
        );
        assert_eq!(host.clock.offset_ns, Some(-1_250_000_000));
        assert_eq!((host.clock.daemon_synchronised, host.clock.configured_sources), (Some(false), Some(1)));
    }
}
