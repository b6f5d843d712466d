//! What outputs say, and what they say where all is well.

use super::super::{number, of_any};
use fullwire_model::LoggedLine;

mod pieces;

/// What outputs say of trouble, a part of what it means, and the same where all is well.
const SAID: &[(&str, &str, &str)] = &[
    (
        "kernel: sdc: detected capacity change from 2147483648 to 0",
        "lost its size",
        "kernel: sdc: detected capacity change from 0 to 2147483648",
    ),
    ("kernel: VFS: file-max limit 6815744 reached", "no file descriptors left", "fs.file-max limit: 6815744"),
    ("multipathd[900]: mpatha: Disable queueing", "its I/O fails", "mpatha: queueing as configured"),
    ("kernel: sysrq: Emergency Remount R/O", "remount all file systems read-only", "sysrq: HELP"),
    (
        "kernel: md/raid1:md0: Operation continuing on 1 devices.",
        "runs without redundancy",
        "kernel: md/raid1:md0: active with 2 out of 2 mirrors",
    ),
    (
        "kernel: NMI watchdog: Watchdog detected hard LOCKUP on cpu 3",
        "hard lockup",
        "kernel: NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.",
    ),
    ("Kernel panic - not syncing: Fatal hardware error!", "the kernel stopped the host", "kernel.panic = 10"),
    (
        "blk_update_request: protection error, dev sda, sector 8",
        "checksum is wrong",
        "sda: DIF/DIX protection enabled",
    ),
    (
        "clock: no source is followed, 2 listed",
        "follows no source",
        "clock: the source 10.9.7.2 is 0.812 ms away",
    ),
    (
        "clock: the source 10.9.7.2 is 812.407 ms away",
        "ms away from the source",
        "clock: the source 10.9.7.2 is 81.2 ms away",
    ),
    ("ipcs: kib=32768", "may be small only", "ipcs: kib=18014398509465599"),
    ("State : clean, degraded", "an md array is degraded", "State : clean"),
    ("Predictive Failure Count: 12", "predicts", "Predictive Failure Count: 0"),
    (
        "v$asm_disk: name=DATA_0003; read_errs=17; write_errs=0",
        "could not read disk DATA_0003 17 times",
        "v$asm_disk: name=DATA_0000; read_errs=0; write_errs=0",
    ),
    (
        "v$archive_gap: thread#=1; low_sequence#=8399; high_sequence#=8402",
        "lacks the logs 8399 to 8402 of thread 1",
        "v$archive_gap:",
    ),
    (
        "v$filestat: file#=7; phyrds=1000; readtim=4200",
        "ms on average (READTIM",
        "v$filestat: file#=7; phyrds=1000; readtim=420",
    ),
    (
        "v$event_histogram: event=log file parallel write; wait_time_milli=512; wait_count=3",
        "log writer took up to 7 ms",
        "v$event_histogram: event=log file parallel write; wait_time_milli=4; wait_count=812",
    ),
    ("v$sysstat: redo size=3418477080; redo writes=426201", "8021 bytes each", "v$sysstat: user commits=812"),
    (
        "pg_stat_archiver: archived_count=8412; failed_count=7",
        "7 segments",
        "pg_stat_archiver: archived_count=8412; failed_count=0",
    ),
    (
        "v$cluster_interconnects: name=eth0; ip_address=10.1.0.4; is_public=YES",
        "a public network",
        "v$cluster_interconnects:",
    ),
    ("Media Error Count: 812", "could not read 7 blocks", "Media Error Count: 0"),
    ("Firmware state: Unconfigured(bad)", "for bad", "Firmware state: Online, Spun Up"),
    ("There are offline or missing virtual drives with preserved cache.", "keeps writes", "Cache: on"),
    ("EXT4-fs (sdq3): error count since last fsck: 4", "no check has fixed", "EXT4-fs (sdq3): mounted"),
    (
        "smartd[9]: Device: /dev/sdq [SAT], FAILED SMART self-check. BACK UP DATA NOW!",
        "its own check",
        "smartd[9]: Device: /dev/sdq [SAT], is SMART capable",
    ),
    ("Dirty:          24123121 kB", "wait in memory", "Dirty:           4123 kB"),
    ("12G resilvered, 66.46% done, 0 days 01:24:38 to go", "resilver runs", "scan: scrub repaired 0B"),
    (
        "Pending flushes (fsync) log: 0; buffer pool: 12",
        "data files",
        "Pending flushes (fsync) log: 0; buffer pool: 0",
    ),
    ("reads: [0, 0] , aio writes: [61, 64, 64, 60] ,", "page writes", "reads: [0, 0] , aio writes: [0, 0] ,"),
    ("Pending normal aio reads: [61, 64] ,", "page reads", "Pending normal aio reads: [0, 0] ,"),
    (
        "1  Commits and Rollbacks    18.21 | 61.2    2",
        "waits for commits",
        "1  Commits and Rollbacks    0.21 | 1.2    2",
    ),
    (
        "2  \"User I/O\" wait Class   8.2 | 47.1     0",
        "reads of users",
        "2  \"User I/O\" wait Class    0.2 | 1.1     0",
    ),
    (
        "tkprof: db file sequential read takes 10.0 ms, 811 times",
        "a disk answers",
        "tkprof: db file sequential read takes 0.4 ms, 811 times",
    ),
    (
        "tkprof: log file sync takes 31.0 ms, 811 times",
        "traced session",
        "tkprof: log file sync takes 0.4 ms, 811 times",
    ),
    ("[ERR] OBJECT_UNFOUND: 1/812 objects unfound (0.001%)", "misses objects", "HEALTH_OK"),
    ("[ERR] PG_DAMAGED: Possible data damage: 1 pg inconsistent", "copies are", "HEALTH_OK"),
    ("[WRN] POOL_NEARFULL: 1 pool(s) nearfull", "nearly full", "HEALTH_OK"),
    ("[WRN] BLUESTORE_SLOW_OP_ALERT: 2 OSD(s) experiencing slow operations", "answered late", "HEALTH_OK"),
    ("[WRN] OSD_NEARFULL: 1 nearfull osd(s)", "nearly full", "HEALTH_OK"),
    ("[WRN] SLOW_OPS: 812 slow ops, oldest one blocked for 7 sec", "half a minute", "HEALTH_OK"),
    (
        "ceph osd perf: osd=5; commit_latency(ms)=812",
        "OSD 5 of Ceph takes 7 ms",
        "ceph osd perf: osd=5; commit_latency(ms)=2",
    ),
    ("r0 connection:StandAlone role:Unknown", "no second copy", "r0 connection:Connected role:Secondary"),
    ("volume:0 minor:0 disk:UpToDate quorum:no", "no quorum", "volume:0 minor:0 disk:UpToDate quorum:yes"),
    (
        "etcd_disk_wal_fsync_duration_seconds 99th percentile=991.2 ms of 812",
        "one in a hundred",
        "etcd_disk_wal_fsync_duration_seconds 99th percentile=3.1 ms of 812",
    ),
    (
        "SMART attribute 197 Current_Pending_Sector: 8",
        "at the moment",
        "SMART attribute 197 Current_Pending_Sector: 0",
    ),
    (
        "SMART attribute 5 Reallocated_Sector_Ct FAILING_NOW 812",
        "says itself",
        "SMART attribute 9 Power_On_Hours: 812",
    ),
    (
        "bluestore(/x) log_latency slow operation observed for submit_transact, latency = 6.4s",
        "slow itself",
        "bluestore(/x) _open_db opened rocksdb",
    ),
    ("eth7 works without tcp-segmentation-offload", "offloads", "Features for eth7:"),
    (
        "mtr: loss from hop 3 (192.0.2.7) to the last (12.5%)",
        "first hop",
        "mtr: loss from hop 3 (192.0.2.7) to the last (0.1%)",
    ),
    (
        "Sent 9 bytes 6 pkt (dropped 21993, overlimits 9) (of qdisc tbf 8001: root rate 100Mbit)",
        "shaper",
        "Sent 9 bytes 6 pkt (dropped 0, overlimits 9) (of qdisc tbf 8001: root rate 100Mbit)",
    ),
    (
        "ESTAB 0 45104 a b cubic rto:32000 backoff:7 rwnd_limited:38180ms(99.8%) retrans:1/9",
        "7 times in a row",
        "ESTAB 0 45104 a b cubic rto:204 rwnd_limited:8ms(0.8%)",
    ),
    (
        "thin pool vg0-tp: data used=(100.0%) metadata used=(97.9%) - out_of_data_space",
        "is full",
        "thin pool vg0-tp: data used=(41.0%) metadata used=(7.9%) - rw",
    ),
    (
        "thin pool tp0: data used=(41.0%) metadata used=(97.9%) ",
        "metadata of a thin pool",
        "thin pool tp0: data used=(41.0%) metadata used=(12.0%) ",
    ),
    ("dmsetup: mpathb has no path left, 2 of 2", "no path", "mpathb: 0 20 multipath 2 0 0 0 1 1 A"),
    (
        "Status of logical device : Degraded (of Logical device number 0)",
        "degraded",
        "Status of logical device : Optimal (of Logical device number 0)",
    ),
    ("   Failed stripes    : Yes", "stripes", "   Failed stripes    : No"),
    (
        "physicaldrive 1I:1:3 (port 1I:box 1:bay 3, SAS HDD, 600 GB, Predictive Failure)",
        "about to fail",
        "physicaldrive 1I:1:3 (port 1I:box 1:bay 3, SAS HDD, 600 GB, OK)",
    ),
    (
        "logicaldrive 1 (1.1 TB, RAID 5, Recovering, 45% complete)",
        "rebuilt",
        "logicaldrive 1 (1.1 TB, RAID 5, OK)",
    ),
    (
        " 1 0   1   32:2  2   DRIVE Failed N  3.637 TB dflt",
        "enclosure and slot",
        " 1 0   1   32:2  2   DRIVE Onln N  3.637 TB dflt",
    ),
    (
        "port_state          = \"Linkdown\" (of Class Device = \"host3\")",
        "no link",
        "port_state          = \"Online\" (of Class Device = \"host3\")",
    ),
    ("inodes of /dev/sdb1 655 655 0 100% /u01", "no inodes", "inodes of /dev/sdb1 655 100 555 16% /u01"),
    ("| Innodb_log_waits     | 84213 |", "log buffer", "| Innodb_log_waits     | 0 |"),
    ("| wsrep_flow_control_paused | 0.83 |", "paused", "| wsrep_flow_control_paused | 0.000121 |"),
    ("| wsrep_cluster_status | non-Primary |", "majority", "| wsrep_cluster_status | Primary |"),
    ("checkpoints requested=(97.7%)", "want of room", "checkpoints requested=(3.0%)"),
    (
        "Thread 1 advanced to log sequence 2474 (LGWR switch): stood still for 7.2 s",
        "stood still",
        "Thread 1 advanced to log sequence 2474 (LGWR switch): stood still for 0.1 s",
    ),
    ("ntpd[1815]: time reset -3.182379 s", "stepped the clock", "ntpd[1815]: time reset +0.182379 s"),
    (
        "igb 0000:01:00.0 eth2: igb: eth2 NIC Link is Up 100 Mbps Full Duplex",
        "100 Mbit/s",
        "igb 0000:01:00.0 eth2: igb: eth2 NIC Link is Up 1000 Mbps Full Duplex",
    ),
    ("gc blocks lost   81231", "private network", "gc blocks lost    12"),
    ("   Logical devices/Failed/Degraded  : 2/0/1", "arrays", "   Logical devices/Failed/Degraded  : 2/0/0"),
    (
        "listening: queued=129; most=128; address=0.0.0.0:1521",
        "port 0.0.0.0:1521 is full",
        "listening: queued=128; most=128; address=0.0.0.0:1521",
    ),
    ("ora.net1.network is OFFLINE on db2, its target is ONLINE", "should run", "ora.net1.network"),
    (
        "checkpoint complete: wrote 12 buffers; write=9.1 s, sync=7.021 s, total=16.1 s",
        "fsync phase",
        "checkpoint complete: wrote 12 buffers; write=9.1 s, sync=0.021 s, total=9.2 s",
    ),
    (
        "| db7 | 192.0.2.7 | Sync Standby | streaming | 4 | 812 |",
        "behind the primary",
        "| db7 | 192.0.2.7 | Sync Standby | streaming | 4 | 0 |",
    ),
    ("OK (5020 msec)", "name server", "OK (10 msec)"),
    ("History list length 8123121", "versions of rows", "History list length 812"),
    ("full avg10=82.11 avg60=71.02 avg300=9.00", "stood still", "full avg10=0.00 avg60=0.02"),
    (
        "Cmd 0x2a (0x45, 2097) to dev naa.6 on path vmhba2:C0:T0:L1 Failed: H:0x0 D:0x28 P:0x0",
        "queue is full",
        "Cmd 0x2a (0x45, 2097) to dev naa.6 on path vmhba2:C0:T0:L1 done",
    ),
    (
        "megaraid_sas 0000:18:00.0: 811 (boot + 24s/0x0008/CRIT) - Battery/charger problems detected; SOH Bad",
        "battery or capacitor",
        "megaraid_sas 0000:18:00.0: Battery Present",
    ),
    (
        "mlx5_core 0000:18:00.0: Port module event[error]: module 0, Cable error, High Temperature",
        "too hot",
        "mlx5_core 0000:18:00.0: Port module event: module 0, Cable plugged",
    ),
    (
        "[811] [Note] WSREP: Received NON-PRIMARY.",
        "no quorum",
        "[811] [Note] WSREP: New COMPONENT: primary = yes",
    ),
    (
        "Memory failure: 0x1234: Killing postgres:4711 due to hardware memory corruption",
        "killed it",
        "Memory: 8123K/9123K available",
    ),
    (
        "backlog wait: 880.635158 \tRTT: 3.128525 \ttotal execute time: 884.827242",
        "client itself",
        "backlog wait: 0.012 \tRTT: 1.128525 \ttotal execute time: 1.2",
    ),
    (
        "backlog wait: 0.6 \tRTT: 93.1 \ttotal execute time: 94.0",
        "server",
        "backlog wait: 0.1 \tRTT: 0.4 \ttotal execute time: 0.5",
    ),
    (
        "812 ops 24 retrans (3.0%) 0 major timeouts",
        "% of the requests to the NFS server",
        "812 ops 1 retrans (0.1%) 0 major timeouts",
    ),
    ("RAID volume u7 is rebuilding: u7 RAID-5 REBUILDING 12%", "being rebuilt", "u7 RAID-5 OK"),
    ("RAID volume u7 is degraded: u7 RAID-5 DEGRADED", "is degraded", "u7 RAID-5 VERIFYING"),
    ("RAID volume u7 is failed: u7 RAID-5 INOPERABLE", "has failed", "u7 RAID-5 MIGRATED"),
    ("RAID disk c7u0p1 is failed: c7u0p1 | HDD | ACME 812 | Failed", "has failed", "c7u0p1 | HDD | Online"),
    ("   Write cache temporarily disabled", "for the time being", "Write cache enabled: Yes"),
    (
        "BONDING_OPTS=\"mode=1\" (no link monitoring)",
        "nothing fails over",
        "BONDING_OPTS=\"mode=1 miimon=100\"",
    ),
    (
        "mount_nfs: can't access /export/u7: Permission denied",
        "could not be mounted",
        "nas7:/export/u7 on /u07 (nfs)",
    ),
    (
        "RMAN-03009: failure of backup command on c7 channel at 01/02/2026 08:12:00",
        "did not end well",
        "RMAN-08580: channel c7: starting full datafile backup set",
    ),
    (
        "ORA-00245: control file backup operation failed",
        "snapshot",
        "RMAN configuration parameters are successfully stored",
    ),
    (
        "SMART attribute 177 Wear_Leveling_Count: worn to 2 of 100",
        "less than a tenth",
        "SMART attribute 177 Wear_Leveling_Count: 812",
    ),
    ("Percentage used endurance indicator: 97%", "of the writes", "Percentage used endurance indicator: 12%"),
    ("[ERR] OSD_FULL: 1 full osd(s)", "refuses every write", "[WRN] TOO_MANY_PGS: too many PGs per OSD"),
    ("[WRN] OSD_DOWN: 2 osds down", "are down", "12 osds: 12 up, 12 in"),
    ("<gfid:812> - Is in split-brain", "copies of a file differ", "Number of entries in split-brain: 0"),
    (
        "drbd r7/0 drbd812: IO ERROR: neither local nor remote data, sector 8",
        "no copy",
        "drbd r7/0 drbd812: disk( Attaching -> UpToDate )",
    ),
    (
        "drbd r7/0 drbd812: local WRITE IO error sector 88+8 on sdq1",
        "disk below failed",
        "drbd r7/0 drbd812: Began resync as SyncTarget",
    ),
    (
        "drbd r7/0 drbd812: disk( UpToDate -> Failed )",
        "disk below failed",
        "drbd r7/0 drbd812: disk( Failed -> UpToDate )",
    ),
    (
        "drbd r7/0 drbd812: disk( Failed -> Diskless )",
        "no disk of its own",
        "drbd r7/0 drbd812: disk( Diskless -> Attaching )",
    ),
    ("drbd r7/0 drbd812: quorum( yes -> no )", "lost its quorum", "drbd r7/0 drbd812: quorum( no -> yes )"),
    (
        "drbd r7/0 drbd812 db2: repl( Established -> Ahead )",
        "too slow",
        "drbd r7/0 drbd812 db2: repl( Off -> Established )",
    ),
    ("Allocated pool data    98.12%", "thin pool", "Allocated pool data    18.12%"),
    ("Allocated to snapshot  97.10%", "it is lost", "Allocated to snapshot  7.10%"),
    ("Uncorrectable:  12", "no copy is right", "Uncorrectable:  0"),
    ("[/dev/sdq7].corruption_errs 12", "were damaged", "[/dev/sdq7].corruption_errs 0"),
    ("[/dev/sdq7].read_io_errs 12", "failed 7 reads", "[/dev/sdq7].read_io_errs 0"),
    (
        "# 1  Extended offline    Completed: read failure       90%     812         81212",
        "self-test",
        "# 1  Extended offline    Completed without error       00%     812         -",
    ),
    (
        "osd.7 812 heartbeat_check: no reply from 192.0.2.7:6802 osd.8",
        "hear each other",
        "osd.7 812 tick checking mon for new map",
    ),
    ("disk stall detected: unable to write to /data within 10s", "took no write", "disk usage of /data: 12%"),
    (
        "sdq: rw=0, want=812 attempt to access beyond end of device limit=0",
        "vanished",
        "sdq: detected capacity",
    ),
    (
        "md/raid:md7: Cannot continue operation (2/4 failed).",
        "has stopped",
        "md/raid:md7: raid level 5 active with 4 out of 4 devices",
    ),
    (
        "8a | 11/27/2026 | 02:58:47 | Processor #0xc9 | IERR | Asserted",
        "names a failed",
        "8a | 11/27/2026 | 02:58:47 | System Event | OEM System boot event | Asserted",
    ),
    ("* Node db7: UNCLEAN (offline)", "has not fenced", "* Online: [ db7 db8 ]"),
    (
        "tap812: dropped over-mtu packet: 8950 > 1450",
        "larger than the MTU",
        "tap812: entered promiscuous mode",
    ),
    (
        "qla2xxx [0000:07:00.0]-705d:12: Remote port 51 40 is not coming back",
        "left the fabric",
        "qla2xxx [0000:07:00.0]-500a:12: LOOP UP detected (16 Gbps)",
    ),
    (
        "sd 7:0:0:0: [sdq] tag#8 Bad block number requested",
        "block size",
        "sd 7:0:0:0: [sdq] Attached SCSI disk",
    ),
    (
        "Cmd 0x2a to dev \"naa.7\" failed H:0x0 D:0x2 P:0x0 Valid sense data: 0x2 0x4 0x3",
        "not ready",
        "Cmd 0x2a to dev \"naa.7\" done",
    ),
    (
        "clssnmReadDskHeartbeat: node(2) is down. rcfg(2) wrtcnt(812) LATS(7) Disk lastSeqNo(812)",
        "interconnect",
        "clssnmReadDskHeartbeat: node(2) rcfg(2)",
    ),
    ("LATEST DETECTED DEADLOCK", "of the application", "LATEST FOREIGN KEY"),
    (
        "bond7: link status down for interface eth7, disabling it in 200 ms",
        "lost its link",
        "bond7: link status up for interface eth7",
    ),
    ("bond bond7 has no active aggregator", "LACP", "bond bond7 has one active aggregator"),
    (
        "    812 times the listen queue of a socket overflowed",
        "accept queue",
        "    812 active connection openings",
    ),
    (
        "checkpoint complete: wrote 12 buffers; sync=1.9 s, total=3 s; sync files=7, longest=1.812 s",
        "one file",
        "checkpoint complete: wrote 12 buffers; sync=0.9 s, total=3 s; sync files=7, longest=0.112 s",
    ),
    ("Slave_IO_Running: Connecting", "does not receive", "Slave_IO_Running: Yes"),
    ("Other Error Count: 812", "not of its media", "Other Error Count: 12"),
    ("BUG: kernel NULL pointer dereference, address: 0000000000000812", "oops", "BUG: xyz is a name"),
    (
        "BONDING_OPTS=\"mode=2 primary=eth7\" (primary has no effect)",
        "does nothing",
        "BONDING_OPTS=\"mode=1 primary=eth7\"",
    ),
    (
        "disk totals: sdq write takes 342.7 ms, 81200 times",
        "in a queue",
        "disk totals: sdq write takes 2.7 ms, 81200 times",
    ),
    ("ring of eth7: RX 128 of 4096", "receive ring", "Ring parameters for eth7:"),
    ("team port eth7: carrier=0 watched=0", "no link", "team port eth7: carrier=1 watched=1"),
    (
        "tracepath: the end was not reached: Too many hops: pmtu 1500",
        "no answer of its target",
        "Resume: pmtu 1500",
    ),
    (
        "InnoDB writes pages pending=7, single page 0",
        "none completes",
        "InnoDB writes pages pending=0, single page 0",
    ),
    (
        "fs_monitor_20000 on db7 'not running' (7): call=81, status=complete, last-rc-change='x'",
        "a resource of Pacemaker failed",
        "fs7 (ocf::heartbeat:Filesystem): Started db7",
    ),
    (
        "tcmu-runner: tcmu_rbd_handle_timedout_cmd:995 rbd/x7: Timing out cmd.",
        "iSCSI LUN",
        "tcmu-runner: tcmu_rbd_lock:762 rbd/x7: Acquired exclusive lock.",
    ),
    (
        "------- TRX HAS BEEN WAITING 74 SEC FOR THIS LOCK TO BE GRANTED:",
        "row lock",
        "------- TRX HAS BEEN WAITING 2 SEC FOR THIS LOCK TO BE GRANTED:",
    ),
    (
        "patroni: member=pg2; role=Replica; state=running; tl=7; lag in mb=812",
        "pg2 lags 7 MB",
        "patroni: member=pg2; role=Replica; state=streaming; tl=7; lag in mb=0",
    ),
    (
        "patroni: member=pg3; timeline=6; leader=9",
        "pg3 is on timeline 6",
        "patroni: member=pg3; role=Replica; state=streaming; tl=9",
    ),
    (
        "patroni: member=pg3; role=Replica; state=start failed",
        "does not start",
        "patroni: member=pg3; role=Leader; state=running; tl=9",
    ),
    ("patroni: member=pg3; role=Replica; state=crashed", "crashed", "patroni: member=pg3; state=stopped"),
    (
        "WARNING: group 4 dismounted: failed to write virtual extent 71 of file 812",
        "a disk group was dismounted",
        "NOTE: group 4 mounted",
    ),
    (
        "raft.go:812] Raft.Ready took too long to process: 912ms. Most likely due to slow disk: 911ms.",
        "replicates by Raft",
        "raft.go:812] Raft.Ready took 2ms",
    ),
    (
        "etcd_wal_fsync_durations_seconds 99th percentile=812.0 ms of 812",
        "one in a hundred",
        "etcd_wal_fsync_durations_seconds 99th percentile=2.0 ms of 812",
    ),
    (
        "replication:SyncTarget peer-disk:UpToDate",
        "what it lacks",
        "replication:Established peer-disk:UpToDate",
    ),
    ("histogram of run queue latency 99th percentile=32.8 ms of 812", "overcommitted", "run queue latency"),
    ("histogram of block device I/O 99th percentile=262.1 ms of 812", "one in a hundred", "block device I/O"),
    (
        "| Avg global cache current block flush time (ms): | 812.4 |",
        "the log of the node",
        "| Avg global cache current block flush time (ms): | 0.8 |",
    ),
    (
        "repmgr: id=3; name=pg3; role=standby; status=- failed; upstream=? pg1",
        "pg3 (standby) is failed",
        "repmgr: id=2; name=pg2; role=standby; status=  running; upstream=pg1",
    ),
    (
        "repmgr: id=3; name=pg3; role=standby; status=? unreachable; upstream=pg1",
        "not reachable",
        "repmgr: id=1; name=pg1; role=primary; status=* running",
    ),
    (
        "repmgr: id=3; name=pg3; role=standby; status=! running as primary; upstream=pg1",
        "runs otherwise",
        "repmgr: id=4; name=w1; role=witness; status=* running; upstream=pg1",
    ),
    (
        "etcdctl: endpoint=192.0.2.1:2379; id=8211f; is leader=true; errors=NOSPACE",
        "takes no writes",
        "etcdctl: endpoint=192.0.2.1:2379; id=8211f; is leader=true",
    ),
    (
        "LnkSta: Speed 8GT/s (downgraded), Width x8 (downgraded)",
        "slower or narrower",
        "LnkSta: Speed 16GT/s (ok), Width x16 (ok)",
    ),
    ("bcc: the slowest of 8 operations took ms=812.1", "took 7 ms", "bcc: operations"),
    ("21:03:39 Triggered by PID 71 (\"x\"), OOM kill of PID 72 (\"y\"), 812 pages", "memory", "oomkill -h"),
    (
        "strace: % time=97.31; seconds=12.4; usecs/call=24822; calls=500; syscall=fdatasync",
        "each fdatasync of the traced program",
        "strace: % time=1.2; seconds=0.15; usecs/call=61; calls=2500; syscall=fdatasync",
    ),
    (
        "strace: % time=97.31; seconds=12.4; usecs/call=24822; calls=500; syscall=pread64",
        "each pread64 of the traced program",
        "strace: % time=97.31; seconds=12.4; usecs/call=24822; calls=500; syscall=epoll_wait",
    ),
    (
        "top: pid=41; user=root; s=R; %cpu=99.7; %mem=0; command=ksoftirqd/3",
        "ksoftirqd/3 uses 7 % of its CPU",
        "top: pid=41; user=root; s=S; %cpu=0.7; %mem=0; command=ksoftirqd/3",
    ),
    (
        "ps: user=oracle; pid=43; %cpu=0.1; %mem=0.9; stat=Ds; command=ora_lgwr_ORCL",
        "ora_lgwr_ORCL waits in the kernel",
        "ps: user=oracle; pid=43; %cpu=0.1; %mem=0.9; stat=Ss; command=ora_lgwr_ORCL",
    ),
    (
        "docker stats: id=3f1c; container=pg7; cpu=99.8; used=3.9GiB; limit=4GiB; mem=99.95",
        "of its memory limit",
        "docker stats: id=3f1c; container=pg7; cpu=99.8; used=2.4GiB; limit=4GiB; mem=61",
    ),
    ("btt in the queue: min=0.1; ms=21.3", "in the host's queue", "btt in the queue: min=0.1; ms=0.1"),
    ("btt in the device: min=0.1; ms=31.2", "the device takes", "btt in the device: min=0.1; ms=3.1"),
    (
        "diskspd: bytes=812; io_per_s=494.86; average_ms=64.6",
        "a request of diskspd",
        "diskspd: bytes=812; io_per_s=49486; average_ms=0.6",
    ),
    (
        "10.1.4.21 → 10.1.4.30 TCP 1514 [TCP Retransmission] 50122 → 1521 [ACK] Seq=8 Len=1448",
        "segments were sent again",
        "10.1.4.21 → 10.1.4.30 TCP 1514 50122 → 1521 [ACK] Seq=8 Len=1448",
    ),
    (
        "10.1.4.30 → 10.1.4.21 TCP 60 [TCP ZeroWindow] 1521 → 50122 [ACK] Seq=1 Win=0 Len=0",
        "closed its window",
        "10.1.4.30 → 10.1.4.21 TCP 66 [TCP Window Update] 1521 → 50122 [ACK] Seq=1 Win=501 Len=0",
    ),
    (
        "pt-query-digest: s=9122.1; share=81.2; calls=8122; each=1.1231",
        "takes 81.2 % of the time of all",
        "pt-query-digest: s=12; share=8.2; calls=8122; each=0.0011",
    ),
    (
        "innodb mutex: type=InnoDB; name=rwlock: buf7buf.cc:7; status=waits=184213377",
        "one latch of InnoDB",
        "innodb mutex: type=InnoDB; name=rwlock: buf7buf.cc:7; status=waits=11",
    ),
];

#[test]
fn what_an_output_says_is_told_and_its_healthy_twin_is_not() {
    let told = |text: &str| {
        let one = LoggedLine { text: text.into(), ..LoggedLine::default() };
        let entry = of_any(&one, &[]).filter(|entry| !entry.is_harmless())?;
        let lower = text.to_lowercase();
        let reached = entry.least.is_none_or(|(behind, least)| number(&lower, behind).expect(text) >= least);
        reached.then(|| entry.message("it", text, "7", "7 s"))
    };
    for (trouble, part, healthy) in SAID.iter().chain(pieces::SAID) {
        let says = told(trouble).unwrap_or_else(|| panic!("{trouble}"));
        assert!(says.contains(part), "{trouble}: {says}");
        assert_eq!(told(healthy), None, "{healthy}");
    }
}
