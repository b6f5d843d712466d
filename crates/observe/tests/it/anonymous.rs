//! An anonymised capture: what went in does not come out, and what comes out still fits together.

use crate::tree::Tree;
use fullwire_model::host::Host;
use fullwire_observe::{Ask, CaptureOptions, Root, capture, host};

fn anonymised(root: &Root) -> (Host, String) {
    let mut packed = Vec::new();
    let window = std::time::Duration::from_millis(1);
    let options = CaptureOptions { anonymise: true, window, ..CaptureOptions::default() };
    let report = capture(root, &options, &mut packed).expect("captured");
    let back = host(&Root::archive(&packed).expect("a tree"), &Ask::default());
    assert_eq!(back, report.host, "the report is what a reader of the capture sees");
    let plain = zstd::decode_all(packed.as_slice()).expect("zstd");
    (back, String::from_utf8_lossy(&plain).into_owned())
}

/// In what is asked, alone or in the middle of other words.
const TELLING: [&str; 26] = [
    "dbprod17",
    "dbprod17.corp.example.com",
    "filer9",
    "filer9-data",
    "corp.example",
    "198.51.100.17",
    "10.77.3.4",
    "10.77.3.250",
    "10.77.9.9",
    "2001:db8:77::4",
    "52:54:00:aa:bb:01",
    "aa:bb:02",
    "5254:ff:feaa:bb01",
    "S4EVNX0M1234",
    "600601601234567890abcdef12345678",
    "5006016041e0a1b2",
    "5001438001234567",
    "2001-04.com.example",
    "0fc63daf-8483-4772-8e79-3d69d8477de4",
    "alice",
    "bobby",
    "carol",
    "CZJ1234567",
    "svc_backup",
    "10.77.3.0",
    "chef-of-dbas",
];

fn scene() -> Tree {
    let tree = Tree::new();
    tree.file("/proc/sys/kernel/hostname", "dbprod17\n")
        .file("/etc/hostname", "dbprod17.corp.example.com\n")
        .file("/etc/hosts", "127.0.0.1 localhost\n10.77.3.250 filer9.corp.example.com filer9 filer9-data\n10.77.3.4 dbprod17.corp.example.com dbprod17\n")
        .file("/etc/passwd", "root:x:0:0::/root:/bin/bash\nalice:x:1001:1001::/home/alice:/bin/bash\noracle:x:54321:1::/home/oracle:/bin/sh\nchef-of-dbas:x:1002:1::/x:/bin/sh\n")
        .file(
            "/proc/self/mountinfo",
            "22 1 8:1 / / rw - xfs /dev/sda1 rw\n\
             23 22 0:31 / /u02 rw - nfs4 filer9:/vol/dbprod17_data rw,vers=4.1,hard,proto=tcp,clientaddr=10.77.3.4,addr=10.77.3.250\n\
             24 22 0:32 / /home/bobby/mnt rw - cifs //filer9.corp.example.com/x rw,username=svc_backup,addr=10.77.3.250\n\
             25 22 8:1 / /data/chef-of-dbas rw - xfs /dev/sda1 rw\n",
        )
        .file(
            "/proc/self/mountstats",
            "device filer9:/vol/dbprod17_data mounted on /u02 with fstype nfs4 statvers=1.1\n\tage:\t10\n",
        )
        .file("/etc/fstab", "UUID=0fc63daf-8483-4772-8e79-3d69d8477de4 / xfs defaults 0 0\nfiler9:/vol /u02 nfs4 hard 0 0\n//f/x /x cifs username=svc_backup,noauto 0 0\n")
        .file("/proc/cmdline", "root=UUID=0fc63daf-8483-4772-8e79-3d69d8477de4 ip=10.77.3.4::10.77.9.9:255.255.255.0:dbprod17:eth0:none\n")
        .file("/sys/class/dmi/id/sys_vendor", "HPE\n")
        .file("/sys/class/dmi/id/chassis_asset_tag", "CZJ1234567\n")
        .file("/sys/block/sda/dev", "8:0\n")
        .file("/sys/block/sda/size", "8\n")
        .file("/sys/block/sda/device/wwid", "naa.600601601234567890abcdef12345678\n")
        .file("/sys/block/sda/serial", "S4EVNX0M1234\n")
        .file("/sys/block/dm-0/dev", "253:0\n")
        .file("/sys/block/dm-0/size", "8\n")
        .file("/sys/block/dm-0/dm/name", "mpatha\n")
        .file("/sys/block/dm-0/dm/uuid", "mpath-3600601601234567890abcdef12345678\n")
        .file("/sys/block/dm-0/slaves/sda", "")
        .link("/dev/disk/by-id/ata-SAMSUNG_S4EVNX0M1234", "../../sda")
        .link("/dev/disk/by-id/wwn-0x600601601234567890abcdef12345678", "../../sda")
        .link("/dev/disk/by-path/ip-10.77.3.250:3260-iscsi-iqn.2001-04.com.example:disk7-lun-1", "../../sda")
        .file("/sys/class/fc_host/host5/port_name", "0x5001438001234567\n")
        .file("/sys/class/fc_host/host5/port_state", "Online\n")
        .file("/sys/class/net/eth0/address", "52:54:00:aa:bb:01\n")
        .file("/sys/class/net/eth0/type", "1\n")
        .file("/sys/class/net/eth0/operstate", "up\n")
        .file(
            "/proc/net/bonding/bond0",
            "Bonding Mode: IEEE 802.3ad Dynamic link aggregation\nMII Status: up\n\nSlave Interface: eth0\nMII Status: up\nPermanent HW addr: 52:54:00:aa:bb:01\ndetails partner lacp pdu:\n    system mac address: 52:54:00:aa:bb:02\n",
        )
        .file(
            "/sos_commands/networking/ip_-d_address",
            "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000\n    link/ether 52:54:00:aa:bb:01 brd ff:ff:ff:ff:ff:ff\n    inet 10.77.3.4/24 brd 10.77.3.255 scope global eth0\n    inet 198.51.100.17/24 scope global eth0\n    inet6 2001:db8:77::4/64 scope global\n    inet6 fe80::5054:ff:feaa:bb01/64 scope link\n",
        )
        .file("/sos_commands/networking/ip_route_show_table_all", "default via 10.77.9.9 dev eth0\n10.77.3.0/24 dev eth0 proto kernel scope link src 10.77.3.4\n")
        .file("/sos_commands/kernel/dmesg", "[ 1.0] nfs: server filer9 not responding, still trying\n[ 2.0] nfs: server db18.corp.example.com not responding\n[ 3.0] sd 0:0:0:0: rport-5:0-1 0x5006016041e0a1b2: blocked FC remote port time out\n")
        .process(100, 1, "ora_pmon_PROD", "ora_pmon_PROD")
        .link("/proc/100/exe", "/home/carol/19/bin/oracle")
        .file("/home/carol/19/dbs/oranfstab", "server: filer9\nlocal: 10.77.3.4\npath: 10.77.3.250\nexport: /vol mount: /u02\n");
    tree
}

#[test]
fn nothing_that_went_in_comes_out() {
    let tree = scene();
    let root = tree.root();
    let read = format!("{:?}", host(&root, &Ask::default()));
    for telling in ["dbprod17", "S4EVNX0M1234", "198.51.100.17", "52:54:00:aa:bb:01", "carol", "filer9"] {
        assert!(read.contains(telling), "{telling} went in: {read}");
    }
    let (_, told) = anonymised(&root);
    for telling in TELLING {
        if let Some(at) = told.find(telling) {
            panic!("{telling}: {:?}", told[..at + telling.len()].lines().next_back());
        }
    }
}

#[test]
fn what_comes_out_still_fits_together() {
    let tree = scene();
    let read = host(&tree.root(), &Ask::default());
    let (back, _) = anonymised(&tree.root());
    assert!(back.hostname.starts_with("host-"), "{}", back.hostname);
    let nic = back.nic("eth0").expect("interfaces keep their names");
    assert_eq!(nic.addresses.len(), read.nic("eth0").expect("there").addresses.len());
    let nfs = back.mounts[1].nfs.as_ref().expect("an NFS mount");
    let source = back.mounts[1].option("clientaddr").expect("kept").to_owned();
    assert!(
        nic.addresses.iter().any(|own| own.starts_with(&format!("{source}/"))),
        "{source} {:?}",
        nic.addresses
    );
    let subnet = |address: &str| address.rsplit_once('.').expect("an address").0.to_owned();
    assert_eq!(subnet(&source), subnet(&nfs.address), "one subnet stays one");
    assert!(
        back.routes.iter().any(|route| route.destination == format!("{}.0/24", subnet(&source))),
        "{:?}",
        back.routes
    );
    let table = &back.databases[0].settings["oranfstab"];
    assert!(table.contains(&format!("local: {source}\npath: {}", nfs.address)), "{table}");
    assert!(
        table.contains(&format!("server: {}\n", nfs.server)) && !nfs.server.is_empty(),
        "{table} {nfs:?}"
    );
    assert_eq!(back.bonds[0].slaves[0].permanent_mac, nic.mac);
    let serial = &back.disk("sda").expect("kept").serial;
    assert!(serial.starts_with("serial-"), "{serial}");
    assert!(
        back.disk("sda").expect("kept").links.iter().any(|link| link.ends_with(serial.as_str())),
        "{:?}",
        back.disk("sda")
    );
    let map = &back.disk("dm-0").expect("kept").wwid;
    assert_eq!(back.disk("sda").map(|disk| disk.wwid.replace("naa.", "3")), Some(map.clone()));
    let lines: Vec<&str> = back.kernel_log.iter().map(|line| line.text.as_str()).collect();
    assert!(lines[0].contains(&nfs.server), "{lines:?}");
    assert_eq!(
        (read.mounts.len(), read.disks.len(), read.fstab.map(|lines| lines.len())),
        (back.mounts.len(), back.disks.len(), back.fstab.map(|lines| lines.len()))
    );
}

#[test]
fn nothing_of_this_host_comes_out() {
    let root = Root::live().expect("the live root");
    let read = host(&root, &Ask::default());
    let (_, told) = anonymised(&root);
    let macs = read.nics.iter().map(|nic| nic.mac.clone());
    let addresses = read
        .nics
        .iter()
        .flat_map(|nic| &nic.addresses)
        .filter_map(|own| Some(own.split_once('/')?.0.to_owned()));
    let own = macs.chain(addresses).chain(read.disks.iter().map(|disk| disk.serial.clone()));
    let telling = |text: &String| text.len() > 6 && !text.starts_with("00:00") && !text.starts_with("127.");
    for name in own.filter(telling) {
        assert!(!told.contains(&name), "{name}");
    }
}
