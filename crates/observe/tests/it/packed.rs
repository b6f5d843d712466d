//! A tree says the same packed, unpacked and captured.

use crate::tree::Tree;
use fullwire_model::host::Host;
use fullwire_observe::{Ask, CaptureOptions, CountersAsk, Root, capture, counters, host};

/// The tree's files and links as an archive with one directory around them, as sosreport makes it.
fn packed(tree: &Tree) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    archive.follow_symlinks(false);
    archive.append_dir_all("sosreport-db1", tree.path()).expect("packed");
    archive.into_inner().expect("finished")
}

/// A host with something at every place where a reader looks among much else.
fn scene() -> Tree {
    let tree = Tree::new();
    tree.process(10, 1, "ora_pmon_A", "ora_pmon_A")
        .link("/proc/10/exe", "/home/oracle/19/bin/oracle")
        .file("/home/oracle/19/network/admin/sqlnet.ora", "DEFAULT_SDU_SIZE=65535\n")
        .file("/home/oracle/19/rdbms/lib/odm/libnfsodm19.so", &"x".repeat(1 << 20))
        .file("/home/oracle/19/lib/libclntsh.so", "")
        .file("/home/oracle/19/dbs/oranfstab", "server: f\nlocal: 10.0.0.1\npath: 10.0.0.2\n")
        .process(20, 1, "postgres", "/usr/pgsql-15/bin/postgres|-D|/var/lib/pgsql/15/data")
        .file("/var/lib/pgsql/15/data/postgresql.conf", "shared_buffers = 1GB\ninclude_dir = 'conf.d'\n")
        .file("/var/lib/pgsql/15/data/conf.d/x.conf", "fsync = off\n")
        .file("/var/lib/pgsql/15/data/postgresql.auto.conf", "max_wal_size = 2GB\n")
        .link("/var/lib/pgsql/15/data/pg_wal", "/wal")
        .link("/var/lib/pgsql/15/data/pg_tblspc/1", "/ts")
        .process(30, 1, "postgres", "postgres|-c|config_file=/root/pg/options")
        .file("/root/pg/options", "port = 5433\ndata_directory = '/srv/pg'\n")
        .file("/srv/pg/postgresql.auto.conf", "wal_level = minimal\n")
        .process(40, 1, "mysqld", "mysqld|--defaults-file=/opt/mysql/my.cnf")
        .file("/opt/mysql/my.cnf", "[mysqld]\nport=3307\n!includedir /usr/etc/my.cnf.d\n")
        .file("/usr/etc/my.cnf.d/io.cnf", "[mysqld]\ninnodb_flush_method=O_DIRECT\n")
        .process(50, 1, "sqlservr", "sqlservr")
        .file("/var/opt/mssql/mssql.conf", "[memory]\nmemorylimitmb = 1\n")
        .file("/usr/lib/os-release", "ID=ol\nVERSION_ID=8.9\n")
        .link("/etc/os-release", "../usr/lib/os-release")
        .file("/usr/lib/systemd/logind.conf.d/x.conf", "[Login]\nRemoveIPC=yes\n")
        .file("/var/log/messages", "Feb 29 11:01:52 h kernel: Out of memory: Killed process 1 (x)\n")
        // A Fibre Channel port hangs off a PCI device two levels above its class's link.
        .file("/sys/devices/pci/0000:3b:00.0/current_link_speed", "8.0 GT/s PCIe\n")
        .file("/sys/devices/pci/0000:3b:00.0/current_link_width", "8\n")
        .file("/sys/devices/pci/0000:3b:00.0/max_link_speed", "16.0 GT/s PCIe\n")
        .file("/sys/devices/pci/0000:3b:00.0/max_link_width", "8\n")
        .file("/sys/devices/pci/0000:3b:00.0/host5/x", "")
        .file("/sys/class/fc_host/host5/port_state", "Online\n")
        .file("/sys/class/fc_host/host5/speed", "32 Gbit\n")
        .file("/sys/class/fc_host/host5/port_name", "0x5001438001234567\n")
        .link("/sys/class/fc_host/host5/device", "../../../devices/pci/0000:3b:00.0/host5")
        .file("/sys/class/net/eth0/type", "1\n")
        .file("/sys/devices/pci/0000:04:00.0/msi_irqs/33", "")
        .file("/sys/devices/pci/0000:04:00.0/virtio1/x", "")
        .link("/sys/class/net/eth0/device", "../../../devices/pci/0000:04:00.0/virtio1");
    tree
}

fn fields(host: &Host) -> Vec<(String, serde_json::Value)> {
    let serde_json::Value::Object(fields) = serde_json::to_value(host).expect("a record") else {
        panic!("an object")
    };
    fields.into_iter().collect()
}

fn assert_same(one: &Host, other: &Host, how: &str) {
    for (one, other) in fields(one).into_iter().zip(fields(other)) {
        assert_eq!(one, other, "{how}");
    }
}

#[test]
fn an_archive_says_what_its_directory_says() {
    let tree = scene();
    let (root, archive) = (tree.root(), Root::archive(&packed(&tree)).expect("a tree"));
    let read = host(&root, &Ask::default());
    assert_same(&host(&archive, &Ask::default()), &read, "packed");
    let ask = CountersAsk::default();
    assert_eq!(counters(&archive, &ask), counters(&root, &ask));

    let setting =
        |database: usize, name: &str| read.databases[database].settings.get(name).map(String::as_str);
    assert_eq!(read.databases.len(), 5, "{:?}", read.databases);
    assert_eq!(setting(0, "direct_nfs"), Some("enabled"));
    assert_eq!(setting(0, "DEFAULT_SDU_SIZE"), Some("65535"));
    assert_eq!((setting(1, "fsync"), setting(1, "max_wal_size")), (Some("off"), Some("2GB")));
    assert_eq!((setting(2, "port"), setting(2, "wal_level")), (Some("5433"), Some("minimal")));
    assert_eq!((setting(3, "port"), setting(3, "innodb_flush_method")), (Some("3307"), Some("O_DIRECT")));
    assert_eq!((read.os.distribution.as_str(), read.ipc.remove_ipc), ("ol", Some(true)));
    assert_eq!(read.kernel_log.len(), 1);
}

#[test]
fn a_host_with_a_fibre_channel_adapter_can_be_captured() {
    let tree = scene();
    let root = tree.root();
    let read = host(&root, &Ask::default());
    assert_eq!(read.fc_hosts[0].pcie.as_ref().map(|pcie| pcie.width), Some(8), "{:?}", read.fc_hosts);
    let mut archive = Vec::new();
    let report = capture(&root, &CaptureOptions::default(), &mut archive).expect("captured");
    assert_same(&report.host, &read, "as it was captured");
    assert_same(&host(&Root::archive(&archive).expect("a tree"), &Ask::default()), &read, "the archive");

    let unpacked = tempfile::tempdir().expect("a temporary directory");
    let plain = zstd::decode_all(archive.as_slice()).expect("zstd");
    tar::Archive::new(plain.as_slice()).unpack(unpacked.path()).expect("unpacked");
    let back = Root::tree(unpacked.path()).expect("a tree");
    assert_same(&host(&back, &Ask::default()), &read, "unpacked");

    let mut again = Vec::new();
    capture(&back, &CaptureOptions::default(), &mut again).expect("captured again");
    assert_same(
        &host(&Root::archive(&again).expect("a tree"), &Ask::default()),
        &read,
        "a capture of a capture",
    );
}

/// A directory that holds nothing but a link to `/` would be this very host.
#[test]
fn a_tree_that_is_a_link_out_is_not_followed() {
    for (link, target) in [("x", "/"), ("x", "/etc"), ("oswmeminfo", "/proc/self"), ("proc", "/proc")] {
        let tree = Tree::new();
        tree.link(link, target);
        let root = tree.root();
        let read = host(&root, &Ask::default());
        assert!(read.hostname.is_empty() && read.os.kernel_release.is_empty(), "{link}: {:?}", read.os);
        assert!(root.try_read("/etc/passwd", 9).is_err() && root.try_read("/passwd", 9).is_err());
        assert_eq!(read.memory.total_bytes, None);
    }
}

#[test]
fn a_tree_without_a_kernel_log_says_so() {
    let tree = Tree::new();
    tree.file("/proc/uptime", "1 1\n");
    assert!(host(&tree.root(), &Ask::default()).gap_about("kernel log").is_some());
    tree.file("/sos_commands/kernel/dmesg", "");
    assert!(
        host(&tree.root(), &Ask::default()).gap_about("kernel log").is_some(),
        "an empty one tells nothing"
    );
    tree.file("/var/log/messages", "Feb 29 11:01:52 h kernel: all is well\n");
    assert!(host(&tree.root(), &Ask::default()).gap_about("kernel log").is_none());
}
