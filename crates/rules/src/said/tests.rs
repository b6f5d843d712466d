//! Lines and what they mean.

use super::*;

/// A program, a statement, a command line and a name hold whatever somebody chose.
#[test]
fn words_that_somebody_chose_are_not_the_kernels() {
    for said in
        ["EXT4-fs error (device sda1): ext4_lookup:7: inode #2", "I/O error, dev sda, sector 7 op 0x0:(READ)"]
    {
        let meant = |text: String| {
            let line = LoggedLine { text, ..LoggedLine::default() };
            let meant = of_any(&line, &[]);
            meant.and_then(|entry| entry.severity).unwrap_or(Severity::Info)
        };
        assert!(meant(said.to_owned()) > Severity::Info, "{said}");
        for before in [
            "ada[77]: ",
            "ada[77]: hello kernel: ",
            "ps: user=ada; command=",
            "[78] ada@db WARNING:  ",
            "pg_stat_statements: calls=7; query=select ",
            "SysName: ",
            "77 ada@db DETAIL:  Key (a)=",
        ] {
            assert_eq!(meant(format!("{before}{said}")), Severity::Info, "{before}{said}");
        }
    }
}
use std::collections::BTreeSet;

fn line(text: &str) -> LogLine {
    LogLine { text: text.into(), ..LogLine::default() }
}

fn named(texts: &[&str]) -> Vec<&'static str> {
    let log: Vec<LogLine> = texts.iter().map(|text| line(text)).collect();
    log.iter().map(|one| of(one, &log).map_or("", |entry| entry.name)).collect()
}

#[test]
fn every_entry_is_whole_and_has_its_source() {
    let mut trouble = BTreeSet::new();
    for entry in entries() {
        assert!(!entry.source.is_empty() && !entry.handles().is_empty(), "{}", entry.name);
        if entry.severity.is_some() {
            assert!(!entry.says.is_empty() && (entry.has_subject || !entry.why.is_empty()), "{}", entry.name);
            assert!(!entry.now.is_empty() || !entry.lasting.is_empty(), "{}", entry.name);
            trouble.insert(entry.name);
        }
    }
    assert!(trouble.len() > 35, "{trouble:?}");
}

/// What a line of a database's log is of has a meaning, and no meaning is without lines.
#[test]
fn every_kind_of_a_databases_line_has_its_entry() {
    let kinds: BTreeSet<&str> = database_log::kinds().collect();
    let told: BTreeSet<&str> = database_kinds().map(|entry| entry.name).collect();
    assert_eq!(kinds, told);
    assert_eq!(told.len(), database_kinds().count(), "no kind has two");
}

/// No entry hides one that is more exact.
#[test]
fn every_entry_of_an_output_can_be_reached() {
    for entry in outputs::entries() {
        let words = [entry.all, &entry.any[..entry.any.len().min(1)]].concat();
        let words = if words.is_empty() { entry.handles().to_vec() } else { words };
        let line = LoggedLine { text: words.join(" "), ..LoggedLine::default() };
        let beside = entry.beside.iter().take(1);
        let log: Vec<LoggedLine> =
            beside.map(|word| LoggedLine { text: (*word).to_owned(), ..LoggedLine::default() }).collect();
        let first = of_any(&line, &log).expect("an entry");
        assert!(std::ptr::eq(first, entry), "{:?} is hidden by {} {:?}", entry.all, first.name, first.all);
    }
}

/// Either side of a resync names its own part in it.
#[test]
fn a_resync_is_known_on_both_sides() {
    for state in [
        "SyncSource ro:Primary/Secondary ds:UpToDate/Inconsistent",
        "SyncTarget ro:Secondary/Primary ds:Inconsistent/UpToDate",
    ] {
        let line = LoggedLine { text: format!("0: cs:{state} C r-----"), ..LoggedLine::default() };
        let entry = of_any(&line, &[]).expect("an entry");
        assert!(entry.says.starts_with("DRBD resynchronises"), "{}", entry.says);
    }
}

/// The command and the lines beside it decide: the same timeout is the drive's or the link's.
#[test]
fn the_command_and_the_lines_beside_it_decide() {
    let flush = "ata4.00: failed command: FLUSH CACHE EXT";
    assert_eq!(
        named(&[flush, "ata4.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen"])[0],
        "ata-flush"
    );
    assert_eq!(named(&[flush, "ata4: SError: { UnrecovData 10B8B BadCRC }"]), ["ata-link", "ata-link"]);
    assert_eq!(
        named(&["ata4.00: failed command: READ FPDMA QUEUED", "ata4.00: error: { UNC }"]),
        ["medium", "medium"]
    );
    assert_eq!(
        named(&["nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10"]),
        ["nvme-power"]
    );
    assert_eq!(
        named(&["nvme nvme0: controller is down; will reset: CSTS=0x3, PCI_STATUS=0x10"]),
        ["nvme-fatal"]
    );
    let through = "Server Administrator: Storage Service EventID: 2188  The controller write policy has been changed to Write Through.";
    assert_eq!(named(&[through]), ["raid-write-through"]);
    assert_eq!(named(&[through, "The controller battery Learn cycle has started."])[0], "raid-battery-learn");
}

/// Each has room of its own, and another remedy: an extension of the wrong one helps nothing.
#[test]
fn data_and_metadata_of_a_thin_pool_are_told_apart() {
    for text in [
        "device-mapper: thin: 253:4: no free data space available.",
        "WARNING: Thin pool vg0-pool-tpool data is now 95.20% full.",
    ] {
        assert_eq!(named(&[text]), ["thin-fills"], "{text}");
    }
    for text in [
        "device-mapper: thin: 253:4: no free metadata space available.",
        "device-mapper: thin: 253:4: reached low water mark for metadata device: sending event.",
        "WARNING: Thin pool vg0-pool-tpool metadata is now 95.20% full.",
    ] {
        assert_eq!(named(&[text]), ["thin-metadata"], "{text}");
    }
}

/// Lines with words of no trouble, and lines that several tables could claim: what each of them means, and how bad it is.
const MEANT: &[(&str, &str, Severity)] = {
    use Severity::{Critical, Warning};
    &[
        (
            "systemd[1]: u07.mount: Unit is bound to inactive unit dev-vg7-u07.device. Stopping, too.",
            "unmounted a file system",
            Critical,
        ),
        ("iSCSI Login timeout on Target iqn.2026-05.example:u7", "lost an iSCSI connection", Warning),
        ("CRS-1618: Node n7 is not responding to network heartbeat messages", "not heard over", Warning),
        ("nvme nvme8: queue 3: failed to receive request, digest error", "lost the connection", Warning),
        ("device-mapper: snapshots: Snapshot is marked invalid.", "ran out of space", Warning),
        ("dm-crypt: INTEGRITY AEAD ERROR, sector 77", "not what was written", Critical),
        (
            "mpt3sas_cm1: mpt3sas_transport_port_remove: removed: sas_addr(0x58ce38ee2000d1c5)",
            "disappeared",
            Warning,
        ),
        ("multipathd[5]: sdq: mark as failed", "lost a path", Warning),
        (
            "pacemaker-fenced[5]: error: Operation 'off' targeting n2 by ipmi2 failed",
            "could not fence",
            Critical,
        ),
        (
            "pacemaker-controld[5]: error: Result of stop operation for fs_pg on n1: Timed Out after 60s",
            "could not stop",
            Critical,
        ),
        ("sbd[5]: /dev/sdq: error: servant_md: mbox read failed in servant", "sbd cannot read", Critical),
        ("LOG:  unexpected EOF on standby connection", "between primary and standby", Warning),
        (
            "[ERROR] [MY-010259] [Server] Another process with pid 5 is using unix socket file.",
            "files in use",
            Warning,
        ),
        ("NOTE: cache dismounting (not clean) group 3/0x5D1 (REDO)", "lost ASM", Critical),
        (
            "skgxpvfynet: mtype: 61 process 5 failed because of a resource problem in the OS.",
            "no buffers",
            Warning,
        ),
        (
            "smartpqi 0000:31:00.0: removed 3:0:7:0 58ce38ee2000d1c5 Direct-Access     KIOXIA   KPM6X",
            "disappeared",
            Warning,
        ),
        ("zfcp 0.0.17c0: A QDIO problem occurred", "channel of the mainframe", Warning),
        ("qdio: 0.0.17c0 ZFCP on SC 2f ERROR: activate", "channel of the mainframe", Warning),
        ("bnxt_en 0000:81:00.1 ens7f1: Firmware reset in progress, reset in 2500 ms", "was reset", Warning),
        ("ata7.00: revalidation failed (errno=-5)", "SATA drive did not answer", Warning),
        (
            "systemd-journald[712]: Failed to write entry (9 items, 311 bytes), ignoring: Input/output error",
            "journal cannot be written",
            Warning,
        ),
        (
            "device-mapper: thin: 253:9: reached low water mark for data device: sending event.",
            "little room left",
            Warning,
        ),
        (
            "device-mapper: thin: 253:9: switching pool to out-of-data-space (queue IO) mode",
            "is full",
            Critical,
        ),
        ("FATAL:  could not open file \"base/5/2619\": Permission denied", "could not be opened", Critical),
        (
            "[ERROR] [MY-010557] [Server] Failed to open log (file './bin.000007', errno 2)",
            "could not be opened",
            Critical,
        ),
        (
            "[ERROR] [MY-010557] [Server] Failed to open log (file './bin.000007', errno 24)",
            "file descriptors",
            Warning,
        ),
        (
            "[ERROR] Replica SQL: Relay log read failure: Could not parse relay log event entry.",
            "replication has stopped",
            Warning,
        ),
        (
            "Plugin group_replication reported: '[GCS] Timeout while waiting for the group communication engine to be ready!'",
            "could not join",
            Critical,
        ),
        ("LGWR: Network asynch I/O wait error 3135 log 1 service 'dr'", "did not reach a standby", Warning),
        ("LCK0 failed to acquire latch, see LCK0 dump", "did not get on in time", Warning),
        (
            "patroni[5]: ERROR: Failed to get list of machines from http://192.0.2.9:2379/v3beta",
            "configuration store",
            Warning,
        ),
        (
            "patroni[5]: CRITICAL: system ID mismatch, node n2 belongs to a different cluster: 71 != 72",
            "another database cluster",
            Critical,
        ),
    ]
};

#[test]
fn lines_are_known_by_what_happened_not_by_their_words() {
    for (text, says, severity) in MEANT.iter().copied() {
        let line = LoggedLine { text: text.into(), ..LoggedLine::default() };
        let entry = of_any(&line, &[]).unwrap_or_else(|| panic!("{text}"));
        assert!(entry.says.contains(says), "{text}: {}", entry.says);
        assert_eq!(entry.severity, Some(severity), "{text}");
    }
    assert_eq!(
        named(&["nvme nvme7: Abort status: 0x371"]),
        ["nvme-power-hint"],
        "part of the time-out's report"
    );
}

/// Each server has a setting of its own, and a remedy names no other's.
#[test]
fn a_redo_log_that_wraps_is_told_by_its_server() {
    for (text, own, others) in [
        ("Checkpoint not complete", "v$log", ["max_wal_size", "innodb"]),
        (
            "LOG:  checkpoints are occurring too frequently (9 seconds apart)",
            "max_wal_size",
            ["v$log", "innodb"],
        ),
        (
            "[Warning] [InnoDB] Redo log writer is waiting for a new redo log file.",
            "innodb_",
            ["max_wal", "v$log"],
        ),
    ] {
        let line = LoggedLine { text: text.into(), ..LoggedLine::default() };
        let now = of_any(&line, &[]).expect("an entry").now;
        assert!(now.contains(own) && !others.iter().any(|other| now.contains(other)), "{text}: {now}");
    }
}

/// An online log is not in any backup, and a file system that went read-only is no warning.
#[test]
fn what_can_lose_the_last_commits_is_not_told_to_restore() {
    let entry = |text: &str| {
        let line = LoggedLine { text: text.into(), ..LoggedLine::default() };
        of_any(&line, &[]).expect("an entry")
    };
    let redo = entry("ORA-00353: log corruption near block 12345 change 123456789 time 03/01/2026 12:00:00");
    assert_eq!(redo.name, "redo-damaged");
    assert!(redo.now.lines().all(|text| !text.starts_with("Restore")), "{:?}", redo.now);
    let full = entry("ORA-19502: write error on file \"+FRA/ERP/arch_1\", block number 1");
    assert_eq!(full.name, "archiving", "no drive is at fault");
    let asm = entry("ORA-15335: ASM metadata corruption detected in disk group 'DATA'");
    assert!(asm.now.lines().all(|text| !text.starts_with("Restore")), "{:?}", asm.now);
    let read_only = entry("EXT4-fs (sdb1): Remounting filesystem read-only");
    assert_eq!(read_only.severity, Some(Severity::Critical));
    assert!(read_only.now.contains("e2fsck -n"), "{:?}", read_only.now);
}

/// The additional sense is the cause, the key alone only that writes are refused.
#[test]
fn a_pool_without_room_is_no_unit_that_somebody_protects() {
    let key = "sd 3:0:0:5: [sdk] tag#12 Sense Key : Data Protect [current]";
    let full = "sd 3:0:0:5: [sdk] tag#12 Add. Sense: Space allocation failed write protect";
    assert_eq!(named(&[key, full]), ["thin-space", "thin-space"]);
    let other = named(&[key, "sd 3:0:0:5: [sdk] tag#12 Add. Sense: Write protected"]);
    assert!(other.iter().all(|name| *name != "thin-space" && *name == other[0]), "{other:?}");
}

/// A word of the table is no part of another word, and a table of settings or a sound device has words of it too.
#[test]
fn what_only_contains_the_letters_of_an_entry_is_not_its_line() {
    let any = |text: &str| {
        let line = LoggedLine { text: text.to_owned(), ..LoggedLine::default() };
        of_any(&line, std::slice::from_ref(&line)).map(|entry| entry.says)
    };
    for text in [
        "add_flow: OFPInstructionGotoTable(table_id=7)",
        "ceph: downloading the image of mds7",
        "       State: degraded (configured)",
        "bcache: bch_cached_dev_attach() error: device busy",
        "rpc-gssd.service enabled",
    ] {
        assert_eq!(any(text), None, "{text}");
    }
    for (text, part) in [
        ("State               : Degraded", "RAID group"),
        ("bcache: bch_count_io_errors() sdq7: IO error on writing btree.", "a cache"),
        ("bcache: cache_set_error() error on 7-7-7, disabling caching", "a cache"),
        (
            "BTRFS error (device dm-7): bdev /dev/loop7p2 errs: wr 0, rd 3, flush 0, corrupt 0, gen 0",
            "a device below",
        ),
        ("BTRFS error (device dm-7): bdev /dev/sdq errs: wr 0, rd 0, flush 0, corrupt 3, gen 0", "damaged"),
        ("lpfc 0000:05:00.0: 0:(0):4679 FPIN Congestion Rcv", "fabric reports a port"),
    ] {
        assert!(any(text).is_some_and(|says| says.contains(part)), "{text}: {:?}", any(text));
    }
}

/// Under the names of older kernels and of newer ones.
#[test]
fn adapters_are_known_by_each_of_their_names() {
    for (text, name) in [
        ("mpt2sas0: fault_state(0x5841)!", "adapter-stopped"),
        ("mpt2sas_cm0: fault_state(0x5854)!", "adapter-stopped"),
        ("mpt3sas_cm1: sending diag reset !!", "adapter-stopped"),
        ("aacraid: Host adapter abort request (0,1,0,0)", "adapter-stopped"),
        ("megaraid_sas 0000:01:00.0: FW in FAULT state Fault code:0x10000 subcode:0x0", "adapter-stopped"),
        ("hpsa 0000:03:00.0: controller lockup detected: 0x00130000 after 30", "adapter-stopped"),
        ("qla2xxx [0000:05:00.0]-5003:1: ISP System Error - mbx1=1234h", "fabric-stopped"),
        (
            "lpfc 0000:05:00.0: 0:(0):0459 Adapter heartbeat failure, taking this port offline.",
            "fabric-stopped",
        ),
        ("be2net 0000:04:00.0: Unrecoverable Error detected in the adapter", "nic-reset"),
        ("ena 0000:00:05.0 eth0: Keep alive watchdog timeout.", "nic-ena"),
        ("mlx5_core 0000:18:00.0: device's health compromised - reached miss count", "nic-reset"),
        ("i40e 0000:3b:00.0 ens1f0: tx_timeout: VSI_seid: 390, Q 5, NTC: 0x0", "nic-reset"),
        // Of a driver that no other line here names, and of one that was not there when this was written.
        ("hns3 0000:bd:00.0 eth0: tx_timeout count: 1, queue id: 2", "nic-reset"),
        ("megaraid_sas 0000:18:00.0: Adapter is DEAD", "adapter-stopped"),
        ("ice 0000:4b:00.0: 12 Rx Malicious Driver Detection events detected on PF 0 VF 3", "nic-malicious"),
        ("nvme nvme7: NVME-FC{2}: controller connectivity lost. Awaiting Reconnect", "nvmeof-lost"),
        ("dasd-eckd 0.0.1a42: No operational channel path is left for the device", "dasd-path"),
        ("dasd-eckd 0.0.1a42: The DASD is not operational", "dasd-path"),
        ("dasd-eckd 0.0.7c03: default ERP has run out of retries and failed", "dasd-failed"),
        ("dasd-eckd 0.0.7c03: The DASD has been put in the quiesce state", "dasd-held"),
        ("dasd-eckd 0.0.7c03: Extent pool usage has reached a critical value", "dasd-held"),
        ("qeth 0.0.0a10: The link for interface enca10 on CHPID 0x4F failed", "osa-recovery"),
        ("qeth 0.0.0a10: A recovery process has been started for the device", "osa-recovery"),
        ("pcieport 0000:00:1c.0: pciehp: Slot(4): Link Down", "pcie-device-lost"),
        ("ixgbe 0000:04:00.0: Adapter removed", "nic-gone"),
        ("mpt3sas 0000:18:00.0: Out of SW-IOMMU space for 65536 bytes", "dma-buffer-full"),
        ("ibmvfc 30000003: Command timed out (2). Resetting connection", "virtual-disk"),
        ("ibmvnic 30000003 env3: timeout received from crq, resetting", "virtual-nic-stopped"),
        ("xen_netfront: xennet: skb rides the rocket: 19 slots, 17 bytes", "virtual-nic-pieces"),
        ("nvme nvme7: resetting controller due to persistent internal error (CSTS=0x2)", "nvme-fatal"),
        ("BUG: workqueue lockup - pool cpus=12 node=0 flags=0x0 nice=0 stuck for 61s!", "workqueue"),
        ("o2cb: This node is fencing itself", "cluster-storage-heartbeat"),
    ] {
        assert_eq!(named(&[text]), [name], "{text}");
    }
    // A port without a cable refuses none.
    let unplugged = line("mlx5_core 0000:18:00.1: Port module event: module 1, Cable unplugged");
    assert_ne!(of(&unplugged, &[]).map(|entry| entry.name), Some("transceiver"));
    // What each boot prints of the same drivers.
    for text in [
        "megaraid_sas 0000:01:00.0: Online Controller Reset(OCR)\t: Enabled",
        "mpt3sas_cm0: sending message unit reset !!",
        "mpt3sas_cm0: port enable: SUCCESS",
        "vmw_pvscsi: reset of the bus at boot",
        "mlx5_core 0000:b1:00.0: Rate limit: 127 rates are supported",
    ] {
        assert!(of(&line(text), &[]).is_none_or(Entry::is_harmless), "{text}");
    }
}

/// The array's or disk's own answer decides, and whose line it is.
#[test]
fn an_answer_means_the_same_of_any_device() {
    for (text, part) in [
        ("sd 2:0:3:0: [sdd] tag#12 Add. Sense: Failure prediction threshold exceeded", "about to fail"),
        ("sd 1:0:0:0: [sdb] tag#3 Add. Sense: Information unit iuCRC error detected", "its link"),
        (
            "sd 1:0:0:3: [sdc] Add. Sense: Logical unit not accessible, target port in standby state",
            "does not serve it",
        ),
        (
            "sd 3:0:0:1: [sdf] tag#8 FAILED Result: hostbyte=DID_TRANSPORT_MARGINAL driverbyte=DRIVER_OK",
            "over this path",
        ),
        ("nvme0n1: I/O Cmd(0x1) @ LBA 5120, 8 blocks, I/O Error (sct 0x3 / sc 0x2)", "does not serve it"),
        ("nvme0n1: I/O Cmd(0x1) @ LBA 5120, 8 blocks, I/O Error (sct 0x3 / sc 0x71)", "cancelled itself"),
        ("device-mapper: integrity: dm-3: Checksum failed at sector 0x1234", "damaged data"),
        ("o2net: Connection to node db2 (num 1) has been idle for 30.0 secs", "was not heard"),
    ] {
        let entry = of(&line(text), &[]).expect(text);
        assert!(entry.says.contains(part), "{text}: {}", entry.says);
    }
}

/// A command that an array does not know loses nothing.
#[test]
fn what_a_disk_may_refuse_is_no_lost_write() {
    for text in [
        "blk_update_request: critical target error, dev sdc, sector 2048 op 0x9:(WRITE_ZEROES) flags 0x800",
        "critical target error, dev sdc, sector 2048 op 0x3:(DISCARD) flags 0x0",
        "sd 2:0:0:1: [sdc] tag#0 CDB: Write same(16) 93 08 00 00",
    ] {
        assert_eq!(named(&[text]), ["trim-refused"], "{text}");
    }
    let one = line("sd 2:0:0:1: [sdc] tag#0 Sense Key : Illegal Request [current]");
    assert!(of(&one, &[]).is_some_and(Entry::is_harmless));
}

#[test]
fn what_a_task_waits_for_is_told() {
    let of_task = |place: &str| {
        named(&[&format!("INFO: task ora_lgwr:4711 blocked for more than 120 seconds. [waits in {place}]")])
            [0]
    };
    assert_eq!(of_task("jbd2_log_wait_commit"), "hung-journal");
    assert_eq!(of_task("blkdev_issue_flush"), "hung-flush");
    assert_eq!(of_task("rpc_wait_bit_killable"), "hung-nfs");
    assert_eq!(of_task("io_schedule"), "hung-device");
    assert_eq!(of_task("io_schedule blk_mq_get_tag"), "hung-queue");
    assert_eq!(of_task("io_schedule wait_on_buffer jbd2_journal_commit_transaction"), "hung-journal");
    assert_eq!(of_task("rwsem_down_write_slowpath ext4_file_write_iter"), "hung-lock");
    assert_eq!(of_task("io_schedule rwsem_down_read"), "hung-device");
    assert_eq!(of_task("md_super_wait submit_bio_wait"), "hung-md");
    assert_eq!(of_task("shrink_folio_list try_to_free_pages ext4_sync_file"), "hung-memory");
    let paths = named(&[
        "INFO: task ora_lgwr:4711 blocked for more than 120 seconds. [waits in io_schedule bio_wait]",
        "multipathd[811]: mpatha: remaining active paths: 0",
    ]);
    assert_eq!(paths[0], "hung-paths");
    let task = "INFO: task ora_lgwr:4711 blocked for more than 120 seconds. [waits in txg_wait_synced]";
    let told = of(&line(task), &[]).expect("an entry").message("", task, "", "");
    assert_eq!(told, "ora_lgwr hangs: it waits for its ZFS pool");
}

#[test]
fn a_device_is_known_by_the_name_that_the_line_has() {
    for (text, name) in [
        ("end_request: critical medium error, dev sdl, sector 657746440", "sdl"),
        ("sd 0:0:11:0: [sdl] Sense Key : Medium Error [current] ", "sdl"),
        ("ata4.00: failed command: FLUSH CACHE EXT", "ata4.00"),
        ("mpt2sas0: fault_state(0x5841)!", "mpt2sas0"),
        (" connection1:0: detected conn error (1022)", "connection1:0"),
    ] {
        assert_eq!(device_of(text), Some(name), "{text}");
    }
    assert_eq!(device_of("nothing of a device"), None);
}

/// Whoever writes a line may repeat a word in it: for each repetition the line would be read anew, for an hour.
#[test]
fn a_word_that_is_repeated_is_asked_about_once() {
    assert_eq!(meaning(&"error word ".repeat(20_000)), Meaning::Unknown);
    assert_eq!(meaning("nvme nvme0: I/O 812 QID 4 timeout, aborting"), Meaning::Trouble);
}

/// A line that may tell of trouble, and has none, is known.
#[test]
fn a_figure_that_is_small_enough_is_well() {
    for (line, is) in [
        ("c0t7d0 Soft Errors: 0 Hard Errors: 7 Transport Errors: 0", Meaning::Trouble),
        ("c0t7d0 Soft Errors: 0 Hard Errors: 0 Transport Errors: 0", Meaning::Well),
        ("Predictive Failure Count: 0", Meaning::Well),
        ("Predictive Failure Count: n/a", Meaning::Trouble),
        ("a line of somebody", Meaning::Unknown),
    ] {
        assert_eq!(meaning(line), is, "{line}");
    }
}

/// A process calls itself what it likes: neither what it is killed for nor what it waits for is told by that.
#[test]
fn the_name_of_a_process_tells_no_cause() {
    let name = |text: &str| {
        let line = LogLine { pattern: "hung-task".to_owned(), text: text.to_owned(), ..LogLine::default() };
        of(&line, std::slice::from_ref(&line)).map_or("", |entry| entry.name)
    };
    for called in ["Medium Error", "raid1_x", "nfs_x", "md/raid1:md0: D"] {
        let hung = format!("INFO: task {called}:4711 blocked for more than 120 seconds.");
        assert!(!["medium", "hung-md", "hung-nfs"].contains(&name(&hung)), "{hung}: {}", name(&hung));
        let killed = format!("Out of memory: Killed process 7 ({called}) total-vm:1kB");
        assert_ne!(name(&killed), "medium", "{killed}");
        let stuck = format!("watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [{called}:7]");
        assert_ne!(name(&stuck), "medium", "{stuck}");
    }
    let waits = "INFO: task x:4711 blocked for more than 120 seconds. [waits in nfs_wait_bit]";
    assert_eq!(name(waits), "hung-nfs");
}
