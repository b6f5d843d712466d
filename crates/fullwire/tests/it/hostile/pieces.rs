//! `fullwire FILE` of pieces in which somebody chose the names: each form of a text has one that is a command, a template and an
//! element, and one that steers a terminal. It must arrive in every output, and do nothing there.

use crate::tool::{Desk, stderr, stdout};
use fullwire_model::assessment::is_harmful;
use std::fmt::Write as _;

/// By this a name is found.
const MARK: &str = "zqmark";
const CODE: &str = "zqmark';id>M;`id>M`$(id>M)<zqmark>{{x";
const CONTROLS: &str = "zqmark\x1b[2J\u{202e}\u{200b}\u{7f}";

/// `@`: the name.
const PIECES: [(&str, &str); 14] = [
    ("df", "Filesystem      Size  Used Avail Use% Mounted on\n/dev/mapper/@ 100G 100G     0 100% /u01@\n"),
    (
        "kernel log",
        "[  100.5] blk_update_request: I/O error, dev sd@, sector 12 op 0x0:(READ) flags 0x0 phys_seg 1\n",
    ),
    (
        "multipath",
        "mpath@ (3600508b400105e210000900000490000) dm-3 PURE,FlashArray\n\
         size=1.0T features='0' hwhandler='0' wp=rw\n`-+- policy='service-time 0' prio=50 status=active\n\
         \x20 |- 3:0:0:1 sdb 8:16 active ready running\n  `- 4:0:0:1 sd@ 8:32 failed faulty running\n",
    ),
    (
        "iostat",
        "Device            r/s     w/s     rkB/s     wkB/s   await  %util\n\
         sd@              100.00    200.00  80000.00  16000.00   41.00  99.90\n",
    ),
    (
        "sar",
        "Linux 5.14.0 (db1@) \t11/20/2026 \t_x86_64_\t(8 CPU)\n\n\
         12:00:01 AM  IFACE  rxpck/s  txpck/s  rxkB/s  txkB/s  rxcmp/s  txcmp/s  rxmcst/s  %ifutil\n\
         12:10:01 AM  eth@  100.00  100.00  122000.00  100.00  0.00  0.00  0.00  99.90\n",
    ),
    (
        "PostgreSQL",
        "2026-11-20 10:00:00.123 UTC [1234] PANIC:  could not fsync file \"base/@/1\": Input/output error\n",
    ),
    (
        "ip",
        "2: eth@: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc mq state DOWN mode DEFAULT qlen 1000\n\
         \x20   link/ether 52:54:00:12:34:56 brd ff:ff:ff:ff:ff:ff\n\
         \x20   RX:  bytes packets errors dropped  missed   mcast\n    123456789 1234567 50000 0 0 0\n\
         \x20   TX:  bytes packets errors dropped carrier collsns\n    123456789 1234567 0 0 0 0\n",
    ),
    (
        "mount",
        "filer@:/vol on /u01/@ type nfs (rw,relatime,vers=3,rsize=8192,wsize=8192,soft,proto=tcp,timeo=600)\n",
    ),
    (
        "mdstat",
        "Personalities : [raid1]\nmd@ : active raid1 sda1[0](F) sdb1[1]\n\
         \x20     1046528 blocks super 1.2 [2/1] [_U]\n\nunused devices: <none>\n",
    ),
    (
        "bond",
        "Ethernet Channel Bonding Driver: v5.14.0\n\nBonding Mode: fault-tolerance (active-backup)\n\
         Currently Active Slave: eth0\nMII Status: up\nMII Polling Interval (ms): 100\n\nSlave Interface: eth0\n\
         MII Status: up\nSpeed: 10000 Mbps\nLink Failure Count: 0\n\nSlave Interface: eth@\nMII Status: down\n\
         Speed: Unknown\nLink Failure Count: 3\n",
    ),
    (
        "fio",
        r#"{"fio version": "fio-3.35", "jobs": [{"jobname": "@", "job options": {"rw": "read", "bs": "1M", "filename": "/u01/@"},
            "read": {"io_bytes": 819200000, "bw_bytes": 20480000, "iops": 20.0, "runtime": 40000, "total_ios": 800,
            "clat_ns": {"mean": 5e7, "percentile": {"50.000000": 50000000, "99.000000": 90000000}}},
            "write": {"io_bytes": 0, "bw_bytes": 0, "iops": 0, "runtime": 0, "total_ios": 0}}]}"#,
    ),
    ("AWR", include_str!("../../../../demand/tests/specimens/awr-19c.html")),
    (
        "ASM",
        "fullwire: v$asm_diskgroup\n\nGROUP_NUMBER,NAME,STATE,TYPE,TOTAL_MB,FREE_MB,REQUIRED_MIRROR_FREE_MB,USABLE_FILE_MB,\
         OFFLINE_DISKS,ALLOCATION_UNIT_SIZE,VOTING_FILES\n\
         1,DATA@,MOUNTED,NORMAL,4194304,1887436,1048576,-419430,1,4194304,N\n",
    ),
    (
        "a host's file",
        "$ cat /proc/mounts\nfiler:/@ /u01/@ nfs rw,relatime,vers=3,rsize=8192,wsize=8192,soft,proto=tcp,timeo=600 0 0\n\
         $ uptime\n up 3 days\n",
    ),
];

/// The text with the name in it, by the rules of its form.
fn named(form: &str, text: &str, name: &str) -> String {
    match form {
        "fio" => text.replace('@', serde_json::to_string(name).unwrap().trim_matches('"')),
        "AWR" => text.replace("SHOPDB", &name.replace('<', "&lt;")),
        _ => text.replace('@', name),
    }
}

#[test]
fn no_name_of_a_piece_does_anything_and_each_arrives() {
    let desk = Desk::new();
    let (mut wrong, mut missing) = (String::new(), String::new());
    for (form, text) in PIECES {
        for name in [CODE, CONTROLS] {
            std::fs::write(desk.work.path().join("piece"), named(form, text, name)).unwrap();
            let words = ["piece", "-v", "--no-store", "--fail-on", "never"];
            let output =
                desk.run(&[&words[..], &["--html", "page.html", "--json-file", "document"]].concat());
            assert!(output.status.success(), "{form}: {}", stderr(&output));
            let read = |file: &str| std::fs::read_to_string(desk.work.path().join(file)).unwrap();
            for (kind, text) in
                [("terminal", stdout(&output)), ("page", read("page.html")), ("document", read("document"))]
            {
                if text.contains(|c: char| c != '\n' && is_harmful(c)) {
                    let _ = writeln!(wrong, "{form}, {kind}: a character that does something");
                }
                if kind == "page" && text.contains("<zqmark") {
                    let _ = writeln!(wrong, "{form}: an element of the name");
                }
                if !text.contains(MARK) {
                    let _ = writeln!(missing, "{form}, {kind}: {name:?}");
                }
            }
        }
    }
    assert_eq!(wrong, "");
    assert_eq!(missing, "", "a name that never arrives proves nothing");
    assert!(!desk.work.path().join("M").exists(), "the name was run");
}
