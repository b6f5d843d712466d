//! Real files from other hosts. What is expected was read from each file by eye.

use crate::skips::given;
use crate::skips::shared;
use fullwire_model::Gap;
use fullwire_model::host::MultipathMap;
use fullwire_observe::parse::{
    parse_diskstats, parse_lsblk_pairs, parse_mountinfo, parse_mountstats, parse_multipath,
    parse_multipathd_json,
};
use fullwire_observe::{Ask, Root, host};

fn text(path: &str) -> Option<String> {
    Some(std::fs::read_to_string(shared(path)?).expect("a readable sample"))
}

/// `NAME DEVICE PRODUCT FEATURES HANDLER | STATE PRIORITY: device state/state/state …`, group by group.
fn told(map: &MultipathMap) -> String {
    let groups: Vec<String> = map
        .groups
        .iter()
        .map(|group| {
            let paths: Vec<String> = group
                .paths
                .iter()
                .map(|path| {
                    format!("{} {}/{}/{}", path.device, path.dm_state, path.checker_state, path.device_state)
                })
                .collect();
            let priority = group.priority.map_or("?".to_owned(), |priority| priority.to_string());
            format!("{} {priority}: {}", group.state, paths.join(", "))
        })
        .collect();
    let head = format!(
        "{} {} {} [{}] {}",
        map.name,
        map.device,
        map.product,
        map.features.join(","),
        map.hardware_handler
    );
    std::iter::once(head).chain(groups).collect::<Vec<_>>().join(" | ")
}

/// File, number of maps, one of them, and how that one reads.
const MULTIPATH: &[(&str, usize, usize, &str)] = &[
    (
        "samples/multipath/multipath-l-3par.txt",
        1,
        0,
        "mpath6 dm-3 3PARdata,VV [] 0 | active -1: sde active/undef/running, sdf active/undef/running",
    ),
    (
        "samples/multipath/multipath-l-ibm2145.txt",
        1,
        0,
        "36005076da00638089c000000000004d5 dm-2 IBM,2145 [queue_if_no_path] 0 \
         | active -1: sde active/undef/running, sdg active/undef/running \
         | enabled -1: sdf active/undef/running, sdh active/undef/running",
    ),
    (
        "samples/multipath/multipath-ll-lio-one-path-down.txt",
        2,
        1,
        "mpathb dm-3 LIO-ORG,data-chunk2 [queue_if_no_path] 1 alua \
         | enabled 0: sdb failed/faulty/running | active 50: sdc active/ready/running",
    ),
    (
        "samples/multipath/multipath-ll-netapp-alua.txt",
        4,
        3,
        "3600a098038303558735d493762504b4b dm-22 NETAPP  ,LUN C-Mode \
         [queue_if_no_path,pg_init_retries 50,retain_attached_hw_handle] 1 alua \
         | active 50: sdbi active/ready/running, sdcc active/ready/running \
         | enabled 10: sdu active/ready/running, sdao active/ready/running",
    ),
    (
        "samples/multipath/multipath-v4-ll-rdac-rhel6.txt",
        8,
        1,
        "mpathe dm-4 DELL,MD36xxi [queue_if_no_path,pg_init_retries 55] 2 rdac \
         | active 1: sdc active/ready/running, sdi active/ready/running, sdo active/ready/running, sdv active/ready/running \
         | enabled 1: sdf active/ready/running, sdl active/ready/running, sdr active/ready/running, sdx active/ready/running",
    ),
    ("samples/multipath/multipath-v4-ll-rdac-rhel6.txt", 8, 7, "mpathc dm-1 uninitialized [] 0"),
    (
        "samples/multipath/multipathd-topology-degraded.txt",
        1,
        0,
        "3600a098038303973743f486833396d44 dm-1 NETAPP  ,LUN C-Mode \
         [queue_if_no_path,pg_init_retries 50,retain_attached_hw_handle] 1 alua \
         | active 50: sdr active/ready/running, sdg active/ready/running, sdab failed/faulty/running, sdam failed/faulty/running",
    ),
    (
        "lab/multipath/multipath-ll-path-offline.txt",
        1,
        0,
        "mpatha dm-0 Linux,scsi_debug [] 1 alua | active 50: sda active/ready/running, sdb failed/faulty/offline",
    ),
];

#[test]
fn multipath_text_of_every_kind() {
    for (path, count, index, expected) in MULTIPATH {
        let Some(text) = text(path) else { continue };
        let mut gaps: Vec<Gap> = Vec::new();
        let maps = parse_multipath(&text, path, &mut gaps);
        assert_eq!((maps.len(), gaps.as_slice()), (*count, [].as_slice()), "{path}");
        assert_eq!(told(&maps[*index]), *expected, "{path}");
    }
    if let Some(text) = text("samples/multipath/sos-multipath_-v4_-ll-ubuntu-empty.txt") {
        assert_eq!(parse_multipath(&text, "empty", &mut Vec::new()), []);
    }
}

#[test]
fn multipathds_json() {
    let expected = [
        ("healthy", "active 30: sda active/ready/running, sdb active/ready/running"),
        ("path-offline", "active 50: sda active/ready/running, sdb failed/faulty/offline"),
    ];
    for (state, paths) in expected {
        let path = format!("lab/multipath/multipathd-maps-{state}.json");
        let Some(text) = text(&path) else { continue };
        let maps = parse_multipathd_json(&text, &path, &mut Vec::new());
        assert_eq!(told(&maps[0]), format!("mpatha dm-0 Linux,scsi_debug [] 1 alua | {paths}"), "{path}");
        assert_eq!(maps[0].no_path_retry.as_deref(), Some("fail"), "{path}: queueing is off");
    }
}

/// File, mounts; of one: target, age, transports, then READ's operations, transmissions, execute ms, errors.
type NfsExpected = (&'static str, usize, usize, &'static str, u64, usize, [u64; 3], Option<u64>);
const MOUNTSTATS: &[NfsExpected] = &[
    ("samples/mountstats/mountstats-el8-v1.0.txt", 4, 0, "/mnt/nfsv4.2", 57, 1, [0, 0, 0], None),
    (
        "samples/mountstats/mountstats-node-exporter.txt",
        3,
        0,
        "/mnt/nfs/test",
        13968,
        1,
        [1298, 1298, 79407],
        None,
    ),
    ("samples/mountstats/mountstats-pcp-a.txt", 4, 2, "/ifsfoo", 12_517_593, 1, [451, 451, 2673], None),
    ("samples/mountstats/mountstats-telegraf.txt", 4, 0, "/A", 1_136_770, 1, [600, 601, 607], None),
    ("lab/nfs/mountstats-nfs.txt", 2, 1, "/mnt/v3", 17, 4, [3216, 3216, 1541], Some(0)),
];

#[test]
fn mountstats_of_every_version() {
    for (path, count, index, target, age_s, transports, read, errors) in MOUNTSTATS {
        let Some(text) = text(path) else { continue };
        let mut gaps = Vec::new();
        let mounts = parse_mountstats(&text, path, &mut gaps);
        assert_eq!((mounts.len(), gaps.as_slice()), (*count, [].as_slice()), "{path}");
        let mount = &mounts[*index];
        assert_eq!((mount.target.as_str(), mount.age_s), (*target, Some(*age_s)), "{path}");
        assert_eq!(mount.counters.transports.len(), *transports, "{path}");
        let own = &mount.counters.operations["READ"];
        assert_eq!([own.operations, own.transmissions, own.execute_ms], *read, "{path}");
        assert_eq!(own.errors, *errors, "{path}");
    }
}

#[test]
fn transports_of_nconnect_and_of_udp() {
    if let Some(text) = text("lab/nfs/mountstats-nfs.txt") {
        let mounts = parse_mountstats(&text, "nfs", &mut Vec::new());
        let of_v3 = &mounts[1].counters.transports;
        let sends: Vec<u64> = of_v3.iter().map(|transport| transport.sends).collect();
        assert_eq!(sends, [2161, 2159, 2159, 2151]);
        assert_eq!((of_v3[2].port, of_v3[2].connects, of_v3[2].max_slots), (844, 2, Some(4)));
        assert_eq!(mounts[0].counters.operations["OPEN"].errors, Some(7));
        assert_eq!(mounts[0].counters.direct_write_bytes, 217_907_200);
    }
    if let Some(text) = text("samples/mountstats/mountstats-node-exporter.txt") {
        let mounts = parse_mountstats(&text, "udp", &mut Vec::new());
        let udp = &mounts[2].counters.transports[0];
        assert_eq!(
            (udp.protocol.as_str(), udp.sends, udp.inflight, udp.max_slots),
            ("udp", 6428, 12154, Some(24))
        );
    }
}

#[test]
fn mountinfo_of_nfs() {
    let path = "lab/nfs/mountinfo-nfs.txt";
    let text = given!(text(path));
    let mounts = parse_mountinfo(&text, path, &mut Vec::new());
    assert_eq!(mounts[1].option("nconnect"), Some("4"));
    assert_eq!((mounts[0].fs_type.as_str(), mounts[0].option("vers")), ("nfs4", Some("4.2")));
}

#[test]
fn diskstats_of_every_generation() {
    if let Some(text) = text("samples/diskstats/diskstats-node-exporter.txt") {
        let mut gaps = Vec::new();
        let disks = parse_diskstats(&text, "node", &mut gaps);
        assert_eq!(gaps, []);
        assert_eq!((disks["sda"].reads, disks["sda"].weighted_ms), (25_354_637, 82_621_804));
        assert_eq!(disks["nvme0n1p2"].write_bytes, 39_451_632 * 512);
    }
    if let Some(text) = text("samples/diskstats/diskstats-pt-small.txt") {
        let first: String = text
            .lines()
            .skip(1)
            .take_while(|line| !line.starts_with("TS"))
            .fold(String::new(), |text, line| text + line + "\n");
        let mut gaps = Vec::new();
        let disks = parse_diskstats(&first, "pt", &mut gaps);
        assert_eq!(gaps, []);
        assert_eq!((disks["sda2"].reads, disks["sda2"].writes), (23_671_288, 918_679_759));
        assert_eq!(disks["dm-1"].busy_ms, 349_314_969);
    }
    if let Some(text) = text("lab/slow-disk/diskstats-delay.txt") {
        let disks = parse_diskstats(&text, "delay", &mut Vec::new());
        assert_eq!((disks["dm-0"].reads, disks["dm-0"].read_ms, disks["dm-0"].flushes), (182, 5460, Some(0)));
        assert_eq!(disks["ubda"].flushes, Some(1));
    }
}

#[test]
fn lsblk_in_pairs() {
    let text = given!(text("samples/lsblk/lsblk-P-insights.txt"));
    let rows = parse_lsblk_pairs(&text);
    let found: Vec<(&str, &str)> =
        rows.iter().map(|row| (row["kname"].as_str(), row["type"].as_str())).collect();
    assert_eq!(
        found,
        [
            ("sr0", "rom"),
            ("sda", "disk"),
            ("sda1", "part"),
            ("sda2", "part"),
            ("dm-0", "lvm"),
            ("dm-1", "lvm"),
            ("dm-2", "lvm")
        ]
    );
}

#[test]
fn a_sosreport_unpacked_and_packed_is_the_same_host() {
    let path = given!(shared("samples/sosreport/ubuntu-openstack-compute"));
    let unpacked = host(&Root::tree(&path).expect("a tree"), &Ask::default());
    assert!(unpacked.captured);
    let disk = |name: &str| unpacked.disk(name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(
        (disk("vda").size_bytes, disk("vda").partitions.as_slice()),
        (322_122_547_200, ["vda1".to_owned(), "vda2".to_owned()].as_slice())
    );
    assert_eq!(disk("vda2").partition.as_ref().map(|own| own.start_bytes), Some(4096 * 512));
    assert_eq!(
        (disk("dm-0").kind.as_str(), disk("dm-1").kind.as_str(), disk("loop0").kind.as_str()),
        ("crypt", "lvm", "loop")
    );
    assert_eq!(disk("bcache1").holders, ["dm-0"]);
    assert!(disk("dm-0").dm.as_ref().expect("a map").targets[0].parameters.contains(":64:logon:cryptsetup:"));
    let stack: Vec<&str> = unpacked.stack("dm-1").iter().map(|disk| disk.name.as_str()).collect();
    assert!(stack.starts_with(&["dm-1", "dm-0", "bcache1"]) && stack.contains(&"vdc"), "{stack:?}");
    let volume = &unpacked.logical_volumes[0];
    assert_eq!(
        (volume.layout.as_str(), volume.physical_volumes.as_slice()),
        ("linear", ["dm-0".to_owned()].as_slice())
    );
    let root = unpacked.mount_of("/").expect("mounted");
    assert_eq!(root.space.as_ref().map(|space| space.available_bytes), Some(267_326_276 * 1024));
    assert_eq!(unpacked.swaps[0].used_bytes, 67_584 * 1024);
    let config = unpacked.multipath_config.as_ref().expect("configured");
    assert_eq!(
        (config.settings["path_selector"].as_str(), config.source.as_str()),
        ("service-time 0", "multipathd show config")
    );
    assert_eq!(unpacked.multipath, []);

    let directory = tempfile::tempdir().expect("a temporary directory");
    for compress in [false, true] {
        let archive = directory.path().join(format!("sosreport-{compress}.tar"));
        let file = std::fs::File::create(&archive).expect("created");
        if compress {
            pack(liblzma::write::XzEncoder::new(file, 0), &path).finish().expect("compressed");
        } else {
            pack(file, &path);
        }
        let packed = host(&Root::tree(&archive).expect("an archive"), &Ask::default());
        assert_eq!(packed.disks, unpacked.disks);
        assert_eq!(packed.mounts, unpacked.mounts);
        assert_eq!(packed.gaps, unpacked.gaps);
        assert_eq!(packed, unpacked);
    }
}

/// As `sos report` does: one directory around all.
fn pack<W: std::io::Write>(out: W, path: &std::path::Path) -> W {
    let mut archive = tar::Builder::new(out);
    archive.append_dir_all("sosreport-compute-2022", path).expect("packed");
    archive.into_inner().expect("finished")
}

#[test]
fn an_oswatcher_archive_names_its_host() {
    let sample = given!(shared("samples/oswatcher/oswiostat_dm02cel01_12.02.29.1100.dat"));
    let directory = tempfile::tempdir().expect("a temporary directory");
    let below = directory.path().join("oswiostat");
    std::fs::create_dir(&below).expect("made");
    std::fs::copy(&sample, below.join("dm02cel01.aim.com_iostat_12.02.29.1100.dat")).expect("copied");
    let host = host(&Root::tree(directory.path()).expect("a tree"), &Ask::default());
    assert_eq!(
        (host.hostname.as_str(), host.os.kernel_release.as_str()),
        ("dm02cel01.aim.com", "2.6.18-194.3.1.0.4.el5")
    );
    assert!(host.gap_about("/proc/meminfo").is_some(), "what the archive lacks is a gap");
}

/// The same of our own making (SYNTHETIC): OSWatcher names the files after the host and puts iostat's own head in front.
#[test]
fn an_oswatcher_archive_of_our_own_making_names_its_host() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let below = directory.path().join("oswiostat");
    std::fs::create_dir(&below).expect("made");
    let text = "zzz ***Wed Apr 1 08:00:05 UTC 2026 Sample interval: 5 secconds\n\
                Linux 4.18.0-477.10.1.el8_8.x86_64 (orders1.example.com) \t04/01/26 \t_x86_64_\t(32 CPU)\n\n\
                avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n\
                \x20          1.00    0.00    1.00    0.00    0.00   98.00\n\n\
                Device            r/s     w/s     rkB/s     wkB/s  r_await w_await  %util\n\
                sda              1.00    2.00      8.00     16.00     0.50    0.60   0.10\n";
    std::fs::write(below.join("orders1.example.com_iostat_26.04.01.0800.dat"), text).expect("written");
    let host = host(&Root::tree(directory.path()).expect("a tree"), &Ask::default());
    assert_eq!(
        (host.hostname.as_str(), host.os.kernel_release.as_str()),
        ("orders1.example.com", "4.18.0-477.10.1.el8_8.x86_64")
    );
    assert!(host.gap_about("/proc/meminfo").is_some(), "what the archive lacks is a gap");
}
