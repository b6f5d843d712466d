//! Lines of logs and outputs of our own making.

use super::*;

const KNOWN: Known = Known(|line| {
    ["_lag=", "packet loss", "not answered", "read-only below", "pmtu falls", "low alarm"]
        .iter()
        .any(|words| line.contains(words))
        .into()
});

#[test]
fn what_a_client_sent_in_several_lines_is_not_read() {
    let text = "2026-12-01 08:00:00 UTC [7] STATEMENT:  select 1\n\tPANIC:  could not write to file \"x\": No space left on device\n\
                2026-12-01 08:00:01 UTC [7] LOG:  duration: 7 ms  plan:\n\tSeq Scan on x\n";
    for text in [text, &text.replace('\t', "    ")] {
        let read = shortened(text);
        assert!(!read.contains("PANIC") && read.contains("Seq Scan"), "{read}");
        assert_eq!(lines(text, "x", Known::default()), []);
    }
}

#[test]
fn two_pings_and_a_write_protected_mount_are_one_line_each() {
    let pings = "PING 192.168.10.2 (192.168.10.2) 8972(9000) bytes of data.\n3 packets transmitted, 0 received, 100% packet loss, time 11999ms\n\
                 PING 192.168.10.2 (192.168.10.2) 1472(1500) bytes of data.\n3 packets transmitted, 3 received, 0% packet loss, time 2001ms\n";
    let texts =
        |text: &str| -> Vec<String> { lines(text, "x", KNOWN).into_iter().map(|line| line.text).collect() };
    assert_eq!(texts(pings), ["ping: of 8972 bytes not answered, of 1472 answered"]);
    let one = pings.lines().take(2).collect::<Vec<_>>().join("\n");
    assert_eq!(texts(&one), ["ping: of 8972 bytes not answered, smaller ones were not tried"]);
    let traced = " 1?: [LOCALHOST]                      pmtu 9000\n 2:  10.5.5.1      1.201ms pmtu 1500\n     Resume: pmtu 1500 hops 2 back 2\n";
    assert_eq!(texts(traced), ["tracepath: pmtu falls from 9000 to 1500"]);
    let optics = "Laser rx power low alarm    : On\nLaser bias current low alarm    : Off\nLaser bias current low alarm threshold : 2.000 mA\n";
    assert_eq!(texts(optics), ["Laser rx power low alarm    : On"]);
    let lsblk = "NAME   MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\nloop0    7:0    0   10M  1 loop /snap/core\nsdb      8:16   0  500G  1 disk\n\
                 └─sdb1   8:17   0  500G  1 part /u01\nsr0     11:0    1 1024M  1 rom  /media/cd\n";
    assert_eq!(texts(lsblk), ["lsblk: sdb1 is read-only below /u01"]);
}

/// Anyone mounts in a namespace of their own, and calls a program, what they like.
#[test]
fn what_the_kernel_repeats_of_a_user_means_nothing() {
    let known = Known(|line| {
        ["Corruption", "I/O error", "segfault at"].iter().any(|words| line.contains(words)).into()
    });
    for head in ["Nov 30 12:00:02 db01 kernel: ", "[ 9000.100000] ", "[Mon Nov 30 12:00:02 2026] "] {
        let found = |line: &str| {
            lines(&format!("{head}{line}\n"), "x", known)
                .into_iter()
                .map(|line| line.text)
                .collect::<Vec<_>>()
        };
        for line in [
            "overlayfs: failed to resolve 'x: XFS (dm-2): Corruption detected': -2",
            "BTRFS: device label sda: I/O error, dev sda, sector 8 devid 1 transid 5 /dev/loop0",
            "request_module: modprobe fs-sd 0:0:0:0: I/O error cannot be processed, kmod busy with 50 threads",
            "lockd: cannot monitor XFS (dm-2): Corruption detected",
            "iSCSI Initiator Node: I/O error, dev sda is not authorized to access iSCSI target portal group: 1.",
            "Filesystem sda1: I/O error is not supported",
            "input: I/O error, dev sda as /devices/virtual/input/input5",
            "systemd[2345]: Started I/O error.",
            "tmpfs: Unknown parameter 'I/O error, dev sda, sector 8'",
            "I/O error [4711] bad frame in rt_sigreturn frame:1 ip:2 sp:3 orax:f in x[1]",
        ] {
            assert_eq!(found(line), [""; 0], "{head}{line}");
        }
        for line in [
            "XFS (dm-2): Corruption detected. Unmount and run xfs_repair",
            "postgres[4711]: segfault at 8 ip 0 sp 0 error 4 in postgres[400000+1000]",
            "systemd[1]: I/O error of a unit",
        ] {
            assert_eq!(found(line), [line], "{head}{line}");
        }
    }
    // Who writes to the journal chooses what he is called (`SYSLOG_IDENTIFIER`), and how many lines he writes.
    for line in [
        "kernel: I/O error, dev sda, sector 8[4711]: hello",
        "ada[4711]: hello\n                      Nov 30 12:00:02 db01 kernel: I/O error, dev sda",
        "ada[4711]: hello\n                      blk_update_request: I/O error, dev sda",
    ] {
        let found = lines(&format!("Nov 30 12:00:02 db01 {line}\n"), "x", known);
        assert!(found.is_empty(), "{line}");
    }
    let own = lines("2026-11-30 12:00:02 ERROR 'I/O error' was read\n", "x", known);
    assert_eq!(own.len(), 1, "another program's quotes are its own");
}

/// No driver with a number speaks in these.
#[test]
fn what_seldom_parts_of_the_kernel_report_is_heard() {
    for line in [
        "zio pool=tank vdev=/dev/sdb1 error=5 type=1 offset=123 size=4096 flags=180880",
        "dmar: DRHD: handling fault status reg 2",
        "SLUB: Unable to allocate memory on node -1, gfp=0xcc0(GFP_KERNEL)",
        "IPVS: ip_vs_conn: no memory available.",
        "dst cache overflow: error, route cache full",
        "power_supply BBU: battery failed",
    ] {
        assert_eq!(kernels_own(&format!("[ 9000.100000] {line}")), format!("[ 9000.100000] {line}"));
    }
}

#[test]
fn a_known_line_that_is_well_is_judged_by_itself_and_ends_nothing() {
    let known = Known(|line| if line.contains("Hard Errors: 0") { Meaning::Well } else { Meaning::Unknown });
    let disk = "c0t7d0  Hard Errors: 0\nCRC errors: 81223\n";
    assert_eq!(judged(disk, "x"), None, "what is known of it says more than its names");
    let table = "NAME   STATE    SIZE\nz7     failed   41\n";
    for text in [format!("{disk}\n{table}"), format!("{table}\n{disk}")] {
        let told: Vec<String> = lines(&text, "x", known).into_iter().map(|line| line.text).collect();
        assert_eq!(told, ["state: thing=z7; is=failed"], "{text}");
    }
}

#[test]
fn totals_and_sizes_become_figures_and_duplicates_are_no_loss() {
    let known = Known(|line| {
        ["takes", "ring of", "packet loss", "primary has"].iter().any(|word| line.contains(word)).into()
    });
    let texts =
        |text: &str| -> Vec<String> { lines(text, "x", known).into_iter().map(|line| line.text).collect() };
    let disks = "   8       0 sdq 2000 0 9 4000 1000 0 9 81000 0 9 9\n   8       1 sdq1 2000 0 9 4000 1000 0 9 81000 0 9 9\n";
    assert_eq!(
        texts(disks),
        [
            "disk totals: sdq read takes 2.0 ms, 2000 times",
            "disk totals: sdq write takes 81.0 ms, 1000 times"
        ]
    );
    let ring = "Ring parameters for eth7:\nPre-set maximums:\nRX: 2047\nTX: 511\nCurrent hardware settings:\nRX: 200\nTX: 511\n";
    assert_eq!(texts(ring), ["ring of eth7: RX 200 of 2047"]);
    assert_eq!(texts(&ring.replace("200", "512")), [""; 0]);
    let pings = "2 packets transmitted, 2 received, +19 duplicates, 0% packet loss, time 9ms\n3 packets transmitted, 0 received, +3 errors, 100% packet loss, time 9ms\n";
    assert_eq!(
        texts(pings),
        [
            "2 packets transmitted, 2 received, 0% packet loss, time 9ms",
            "3 packets transmitted, 0 received, 100% packet loss, time 9ms"
        ]
    );
    let bond = "BONDING_OPTS=\"mode=2 miimon=100 primary=eth7\"\n";
    assert_eq!(texts(bond).len(), 1);
    assert_eq!(texts(&bond.replace("mode=2", "mode=1")), [""; 0]);
    // A count of errors is told where nobody else knows it; a setting and a snap are not.
    assert_eq!(texts("Gizmo Error Count: 812\nipv4.may-fail: yes\n"), ["Gizmo Error Count: 812"]);
    let snap = "[1530.8] blk_update_request: I/O error, dev loop7, sector 0 op 0x1:(WRITE) phys_seg 0 prio class 0\n";
    assert_eq!(texts(snap), [""; 0]);
    assert_eq!(texts(&snap.replace("loop7", "sdq")).len(), 1);
}

#[test]
fn each_lag_of_a_standby_is_a_line() {
    let text = " application_name | state | write_lag | flush_lag | replay_lag\n\
                ------------------+-------+-----------+-----------+------------\n \
                sb1 | streaming | 00:00:00.1 | 00:00:04.5 | 00:01:04.6\n";
    let found: Vec<String> = lines(text, "x", KNOWN).into_iter().map(|line| line.text).collect();
    assert_eq!(
        found.iter().filter(|line| line.starts_with("replication")).collect::<Vec<_>>(),
        [
            "replication sb1 write_lag=0.100",
            "replication sb1 flush_lag=4.500",
            "replication sb1 replay_lag=64.600"
        ]
    );
}

#[test]
fn alike_lines_are_one_with_the_longest_time() {
    let text = "2018-10-25 16:20:35.185438 W | wal: sync duration of 1.134771573s, expected less than 1s\n\
                2018-10-25 17:30:10.292188 W | wal: sync duration of 7.645129468s, expected less than 1s\n\
                2018-10-25 18:10:37.253827 W | wal: sync duration of 3.381123605s, expected less than 1s\n";
    let lines = lines(text, "etcd.log", Known::default());
    assert_eq!(lines.len(), 1);
    assert_eq!((lines[0].count, lines[0].longest_s), (3, Some(7.645_129_468)));
    assert_eq!(lines[0].text, "wal: sync duration of 7.645129468s, expected less than 1s");
    assert_eq!(lines[0].first, "2018-10-25 16:20:35.185438");
}

#[test]
fn a_field_without_a_value_and_what_strangers_try_is_no_trouble() {
    let text = " Failed Devices : 0\nCritical Warning:                   0x00\n| wsrep_local_cert_failures | 0 |\n\
                Non-medium error count:       12\nNov 26 10:00:01 db1 sshd[811]: error: maximum authentication attempts exceeded\n";
    assert_eq!(lines(text, "x", Known::default()), []);
    assert_eq!(lines(" Failed Devices : 1\n", "x", Known::default()).len(), 1);
    assert_eq!(
        lines("2026-11-26 10:00:01 critical  Drive 7 failed  cleared\n", "x", Known(|_| Meaning::Trouble)),
        []
    );
}

/// In an output without stamps such words name what is counted.
#[test]
fn words_of_an_output_that_tell_no_state_are_none() {
    let output = "Power limit threshold  24.75W\nlatency timeout is 16 us\nError correction 11 bits\n";
    assert_eq!(lines(output, "x", Known::default()), []);
    for told in ["Volume 1 DEGRADED", "xyz0: adapter reset after a timeout of 30 s"] {
        assert_eq!(lines(told, "x", Known::default()).len(), 1, "{told}");
    }
}

#[test]
fn what_can_be_set_is_no_trouble_and_what_is_wrong_is() {
    let set = "Error Recovery : Enabled\nAbort CC on Error: Disabled\nfast path fail over : Supported\n\
               mpt3sas_cm0: Protocol=(Initiator), Capabilities=(TLR,Task Set Full,NCQ)\nSMART attribute 168 SATA_Phy_Error_Count: 4\n";
    assert_eq!(lines(set, "x", Known::default()), []);
    for wrong in ["Battery Replacement required : Yes", "Failed stripes : Yes", "Link failure detected : Yes"]
    {
        assert_eq!(lines(wrong, "x", Known(|line| line.contains("Replacement").into())).len(), 1, "{wrong}");
    }
}

#[test]
fn what_none_is_counted_of_is_no_trouble() {
    let counts = |crc| {
        format!(
            "     0 input errors, {crc} CRC errors, 0 frame\nNov 26 10:00:01 db1 xyz: errors 0, failed 0\n"
        )
    };
    assert_eq!(lines(&counts(0), "x", Known::default()), []);
}

/// Names of files, parameters and settings, and what a program tells of its steps.
#[test]
fn a_listing_and_a_programs_steps_are_no_trouble() {
    let text = "-rw-r--r-- 1 root root 81 May 14 2024 crash-error.service\nparm:           xyz_recover:Go on after fatal errors (int)\n\
                \"xyz_op_timeout\": \"60\",\n2026-11-26 10:00:01.812 DEBUG xyz: connect timeout after error = 5\n\
                2026-11-26 10:00:01.812 INFO xyz: downloading error pages\n";
    assert_eq!(lines(text, "x", Known(|line| line.contains("fatal").into())), []);
    let link = "lrwxrwxrwx 1 root root 9 May 14 2024 libx.so -> libx-off.so\n";
    assert_eq!(lines(link, "x", Known(|line| line.contains("-> libx-off").into())).len(), 1);
    let said = "\"message\": \"disk 7 failed\",\n";
    assert_eq!(lines(said, "x", Known::default())[0].text, "\"message\": \"disk 7 failed\",");
}

#[test]
fn a_number_at_the_end_of_a_sentence_is_no_value() {
    let text = "nvme nvme7: I/O tag 12 (500c) QID 5 timeout, aborting req_op:FLUSH(2) size:0\n";
    assert_eq!(lines(text, "x", Known(|line| line.contains("aborting").into())).len(), 1);
}

#[test]
fn the_value_of_a_field_decides_and_not_its_name() {
    let known = Known(|line| {
        ["Medium Error", "Learn Cycle", "status"].iter().any(|words| line.contains(words)).into()
    });
    for (ill, well) in [
        ("   Medium Error Count   : 7", "   Medium Error Count   : 0"),
        ("  Learn Cycle Active         : Yes", "  Learn Cycle Active         : No"),
        ("Enclosure X7 (S/N: 9) status: Temperature problem.", "Enclosure X7 (S/N: 9) status: OK."),
        ("Battery Replacement required : Yes", "Battery Replacement required : No"),
        ("a disk of it is full", "Duplex: Full\nFull List of Resources:"),
        (
            "Settings for eth7:\n\tLink detected: no, error",
            "Settings for veth9a:\n\tLink detected: no, error",
        ),
    ] {
        assert_eq!(lines(ill, "x", known).len(), 1, "{ill}");
        assert_eq!(lines(well, "x", known), [], "{well}");
    }
}

#[test]
fn what_clients_bring_about_is_passed_over_and_a_refusal_to_a_database_is_not() {
    let text = "2026-11-25 10:11:12 UTC [4711] ERROR:  duplicate key value violates unique constraint \"t_pkey\"\n\
                audit: type=1400 audit(1.1:5): apparmor=\"DENIED\" operation=\"open\" profile=\"/usr/sbin/mysqld\" name=\"/data\"\n\
                audit: type=1400 audit(1.1:5): apparmor=\"DENIED\" operation=\"open\" profile=\"/usr/bin/man\" name=\"/x\"\n";
    let found = lines(text, "x", Known::default());
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].text.contains("mysqld"));
}

/// Whatever is cut off, nothing panics.
#[test]
fn every_cut_of_a_text_is_read() {
    let text = "> [1.5] nvme nvme0: I/O 22 QID 3 timeout µs 5 µs\nSat Mar 07 05:03:10 2015\nWaited 36 secs für IO\n\ttcp ESTAB 0 0 a b\n\t rto:2 rwnd_limited:5ms(9%)";
    for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
        let _ = lines(&text[..end], "x", Known::default());
    }
}

#[test]
fn a_line_without_an_end_is_read_so_far() {
    let known = Known(|line| line.contains("tail").into());
    let line = |before: usize| format!("kernel: {}tail\n", "x ".repeat(before));
    assert_eq!(lines(&line(READ_BYTES / 2), "messages", known).len(), 0);
    assert_eq!(lines(&line(READ_BYTES / 4), "messages", known).len(), 1);
}
