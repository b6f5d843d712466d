//! Listings of databases and of tools, a row a line (`v$asm_disk: name=DATA_0003; read_errs=17`): which value is bad, and
//! what the figures of the rest are.

use super::super::{Entry, at_least, critical, told};
use fullwire_model::assessment::Layer::{Database, Host, Network, Storage};
use fullwire_model::assessment::{Layer, Severity};

/// A figure that is neither good nor bad.
const fn figure(entry: Entry) -> Entry {
    Entry { severity: Some(Severity::Info), ..entry }
}

/// The same with the number behind these words.
const fn counted(
    behind: &'static str,
    all: &'static [&'static str],
    layer: Layer,
    says: &'static str,
    source: &'static str,
) -> Entry {
    at_least(
        (behind, 0.0),
        figure(told(all, layer, says, "`fullwire assess` measures the path itself", source)),
    )
}

const VIEWS: &str = "Oracle Database Reference, Dynamic Performance Views";
const SLOTS: &str = "PostgreSQL documentation, pg_replication_slots";
const ASM: &str = "Oracle ASM Administrator's Guide, Negative Values of USABLE_FILE_MB";
const LESS_IN_GROUP: &str =
    "Remove files or add disks to each failure group, until it is positive; nothing is lost today";
const PATRONI: &str = "Patroni documentation, patronictl list and maximum_lag_on_failover";
const REPMGR: &str = "repmgr documentation, repmgr cluster show";
const STATISTICS: &str = "PostgreSQL documentation, The Cumulative Statistics System";

pub(in crate::said) const LINES: &[Entry] = &[
    at_least(
        ("read_errs=", 1.0),
        told(
            &["v$asm_disk", "read_errs="],
            Storage,
            "ASM could not read disk {name} {read_errs} times: it is failing, or a path to it is",
            "dmesg of that time and multipath -ll; smartctl -a of the disk; v$asm_disk again, to see whether the count grows",
            VIEWS,
        ),
    ),
    at_least(
        ("write_errs=", 1.0),
        critical(told(
            &["v$asm_disk", "write_errs="],
            Storage,
            "ASM could not write disk {name} {write_errs} times: it takes a disk off-line for that",
            "dmesg of that time and multipath -ll; the disk's mode_status and repair_timer in v$asm_disk",
            VIEWS,
        )),
    ),
    critical(told(
        &["v$asm_disk", "mode_status=offline"],
        Storage,
        "ASM disk {name} is off-line: its data have one copy less, and after its repair time the disk is dropped",
        "Fix its path, then alter diskgroup NAME online disk; before the time in repair_timer is over",
        VIEWS,
    )),
    critical(told(
        &["v$archive_gap", "low_sequence#="],
        Database,
        "the standby lacks the logs {low_sequence#} to {high_sequence#} of thread {thread#}: it applies nothing beyond them",
        "Are these logs still on the primary (v$archived_log)? Then fetch them: the error of the destination says why they did not come (v$archive_dest)",
        VIEWS,
    )),
    critical(told(
        &["v$managed_standby", "status=wait_for_gap"],
        Database,
        "{process} waits for a log that the standby does not have (sequence {sequence#}): nothing beyond it is applied",
        "select * from v$archive_gap on the standby; the error of the destination on the primary (v$archive_dest)",
        VIEWS,
    )),
    figure(told(
        &["v$managed_standby", "process=mrp", "status="],
        Database,
        "{process} is at log {sequence#}, {status}",
        "How far behind it is: select name, value from v$dataguard_stats",
        VIEWS,
    )),
    at_least(
        ("readtim×10÷phyrds", 20.0),
        told(
            &["v$filestat", "readtim="],
            Storage,
            "a read of data files takes up to {n} ms on average (READTIM ÷ PHYRDS, in hundredths of a second): more than a spinning disk needs",
            "`fullwire assess --path` on the file system or disk group of that file",
            VIEWS,
        ),
    ),
    at_least(
        ("wait_time_milli=", 64.0),
        told(
            &["v$event_histogram", "event=log file parallel write", "wait_time_milli="],
            Storage,
            "writes of the log writer took up to {n} ms: each commit of that moment waited",
            "`fullwire disk DIRECTORY --profile ora-lgwr` where the redo logs are, and `fullwire watch` at the time of the waits",
            VIEWS,
        ),
    ),
    at_least(
        ("wait_time_milli=", 512.0),
        told(
            &["v$event_histogram", "event=", "wait_time_milli="],
            Storage,
            "waits for {event} took up to {n} ms",
            "Which of them are I/O, and at which time: `fullwire record`",
            VIEWS,
        ),
    ),
    told(
        &["v$cluster_interconnects", "is_public=yes"],
        Network,
        "the interconnect uses {name} ({ip_address}), a public network: blocks of the cache and clients share it",
        "oifcfg getif; oifcfg setif -global INTERFACE/NETWORK:cluster_interconnect, then restart the cluster, one node after the other",
        VIEWS,
    ),
    figure(told(
        &["v$cluster_interconnects", "ip_address="],
        Network,
        "the interconnect uses {name} ({ip_address})",
        "`fullwire net HOST --mode interconnect`, to the same address of another node",
        VIEWS,
    )),
    told(
        &["oifcfg", "use=public,cluster_interconnect"],
        Network,
        "{interface} is both the public network and the interconnect: clients and blocks of the cache share it",
        "A network of its own for the interconnect: oifcfg setif -global INTERFACE/NETWORK:cluster_interconnect",
        "Oracle Clusterware Administration and Deployment Guide, OIFCFG",
    ),
    figure(told(
        &["oifcfg", "use=cluster_interconnect"],
        Network,
        "the interconnect is {network} by {interface}",
        "`fullwire net HOST --mode interconnect`, to the same network of another node",
        "Oracle Clusterware Administration and Deployment Guide, OIFCFG",
    )),
    told(
        &["v$parameter", "disk_asynch_io=false"],
        Database,
        "disk_asynch_io is FALSE: each writer waits for each of its I/Os",
        "alter system set disk_asynch_io=true scope=spfile; then restart in a window",
        "Oracle Database Reference, DISK_ASYNCH_IO",
    ),
    told(
        &["v$parameter", "filesystemio_options=none"],
        Database,
        "filesystemio_options is none: on file systems the database neither bypasses the page cache nor has several I/Os in flight (on ASM it has no effect)",
        "On file systems: alter system set filesystemio_options=setall scope=spfile; then restart in a window",
        "Oracle Database Reference, FILESYSTEMIO_OPTIONS",
    ),
    figure(told(
        &["v$parameter", "filesystemio_options="],
        Database,
        "filesystemio_options is {filesystemio_options}",
        "select value from v$parameter where name = 'disk_asynch_io', and whether the files are in ASM",
        "Oracle Database Reference, FILESYSTEMIO_OPTIONS",
    )),
    figure(told(
        &["v$sysstat", "redo size=", "redo writes="],
        Database,
        "{redo size} bytes of redo in {redo writes} writes since the instance started: {redo size÷redo writes} bytes each, which is the message that SYNC transport sends (`fullwire net HOST --mode sync --length`)",
        "`fullwire redo` says what the peak needs of a line: `fullwire redo --sql oracle` prints its query",
        VIEWS,
    )),
    at_least(
        ("average synchronous single-block read latency=", 20.0),
        told(
            &["v$sysmetric", "average synchronous single-block read latency="],
            Storage,
            "a single-block read takes {n} ms: more than a spinning disk needs",
            "`fullwire assess --path` where the data files are",
            VIEWS,
        ),
    ),
    figure(told(
        &["v$sysmetric", "redo generated per sec="],
        Database,
        "the database makes {redo generated per sec} bytes of redo a second",
        "`fullwire redo --sql oracle` prints the query for the peak of each day",
        VIEWS,
    )),
    at_least(
        ("kept=", 85.0),
        told(
            &["recovery area: used=", "kept="],
            Database,
            "{n} % of the recovery area are full of what cannot be given back: when it is full, redo cannot be archived",
            "Back up and delete what was backed up (RMAN), or raise db_recovery_file_dest_size where the disks have room",
            VIEWS,
        ),
    ),
    critical(told(
        &["v$archive_dest_status", "status=error"],
        Database,
        "destination {dest_id} is in error: its standby receives no redo",
        "select error from v$archive_dest: listener, network and password file of the standby",
        VIEWS,
    )),
    at_least(
        ("% activity=", 1.0),
        figure(told(
            &["ash", "event=", "% activity="],
            Database,
            "{event} takes {% activity} % of the active time",
            "The report's own time, and the AWR report of it: `fullwire awr FILE`",
            "Oracle Database Performance Tuning Guide, ASH reports",
        )),
    ),
    figure(told(
        &["v$session_wait", "event="],
        Database,
        "a session waits for {event}",
        "What it waits for in its time: v$system_event, or an AWR report (`fullwire awr FILE`)",
        VIEWS,
    )),
    at_least(
        ("failed_count=", 1.0),
        told(
            &["pg_stat_archiver", "failed_count="],
            Database,
            "{n} segments of WAL could not be archived: each stays in pg_wal until it is",
            "last_failed_wal and last_failed_time, and the log of the server: does archive_command work now?",
            STATISTICS,
        ),
    ),
    at_least(
        ("wal_sync_time÷wal_sync", 20.0),
        told(
            &["pg_stat_wal", "wal_sync_time="],
            Storage,
            "a flush of WAL takes {wal_sync_time÷wal_sync} ms on average, and each commit waits for one",
            "`fullwire disk DIRECTORY --profile pg-wal` where pg_wal is; what else writes to that device (iostat -x)",
            STATISTICS,
        ),
    ),
    at_least(
        ("fsyncs=", 1.0),
        told(
            &["pg_stat_io", "client backend", "object=relation", "fsyncs="],
            Storage,
            "sessions had to flush data files themselves {fsyncs} times: the checkpointer could not keep up",
            "`fullwire assess --path` on the data directory; a longer checkpoint_timeout spreads the writes",
            STATISTICS,
        ),
    ),
    at_least(
        ("read_time÷reads", 20.0),
        told(
            &["pg_stat_io", "read_time="],
            Storage,
            "a read of {backend_type} takes {read_time÷reads} ms on average: more than a spinning disk needs",
            "`fullwire assess --path` on the data directory",
            STATISTICS,
        ),
    ),
    at_least(
        ("wal_buffers_full=", 1_000.0),
        told(
            &["pg_stat_wal", "wal_buffers_full="],
            Database,
            "sessions wrote WAL themselves {n} times because wal_buffers were full",
            "A larger wal_buffers (16 MB and more); it needs a restart",
            STATISTICS,
        ),
    ),
    at_least(
        ("buffers_backend_fsync=", 1.0),
        told(
            &["pg_stat_bgwriter", "buffers_backend_fsync="],
            Storage,
            "sessions had to flush data files themselves {n} times: the checkpointer could not keep up",
            "`fullwire assess --path` on the data directory; a longer checkpoint_timeout spreads the writes",
            STATISTICS,
        ),
    ),
    critical(told(
        &["pg_replication_slots", "wal_status=lost"],
        Database,
        "the server has removed WAL that slot {slot_name} still needed: what reads from it cannot go on",
        "Drop the slot and rebuild its standby or subscriber; a larger max_slot_wal_keep_size before the next absence",
        SLOTS,
    )),
    told(
        &["pg_replication_slots", "wal_status=unreserved"],
        Database,
        "slot {slot_name} has fallen so far behind that the next checkpoints remove the WAL it needs",
        "Bring its standby or subscriber back now, or raise max_slot_wal_keep_size (a reload is enough)",
        SLOTS,
    ),
    figure(told(
        &["pg_replication_slots", "active=f"],
        Database,
        "nobody reads from slot {slot_name}: the server keeps all WAL from {restart_lsn} on for it, until the disk is full",
        "Bring its reader back, or drop a slot that none will use again (pg_drop_replication_slot)",
        SLOTS,
    )),
    at_least(
        ("n_dead_tup÷n_live_tup", 1.0),
        figure(told(
            &["pg_stat_user_tables", "n_dead_tup="],
            Database,
            "table {relname} holds more dead rows ({n_dead_tup}) than live ones ({n_live_tup}): each scan reads them as well",
            "Why autovacuum does not clean it: old transactions, replication slots, its cost limits; vacuum (verbose) says what it may not remove",
            STATISTICS,
        )),
    ),
    told(
        &["v$asm_diskgroup", "usable_file_mb=-"],
        Storage,
        "disk group {name} has too little room to restore its mirrors after the loss of a failure group (USABLE_FILE_MB {usable_file_mb})",
        LESS_IN_GROUP,
        ASM,
    ),
    told(
        &["v$asm_diskgroup", "use_mb=-"],
        Storage,
        "disk group {name} has too little room to restore its mirrors after the loss of a failure group (USABLE_FILE_MB {use_mb})",
        LESS_IN_GROUP,
        ASM,
    ),
    figure(told(
        &["v$dataguard_stats", "lag", "value="],
        Database,
        "{name} of the standby: {value}",
        "Measure the way there: `fullwire net STANDBY --mode sync`",
        VIEWS,
    )),
    figure(told(
        &["v$dnfs_servers", "dirname="],
        Storage,
        "Direct NFS is in use, to {svrname}: {dirname}",
        "v$dnfs_channels: one path for each network that leads there",
        VIEWS,
    )),
    figure(told(
        &["netperf", "throughput_mbit="],
        Network,
        "netperf moved {throughput_mbit} Mbit/s",
        "`fullwire net HOST` says what limits it",
        "netperf's manual, TCP_STREAM",
    )),
    told(
        &["patroni", "timeline=", "leader="],
        Database,
        "{member} is on timeline {timeline}, its leader on {leader}: it does not follow, and no failover can use it",
        "Its log says why: a WAL file that is gone, a pg_rewind that failed. Look there before anything is made again",
        PATRONI,
    ),
    told(
        &["patroni", "state=start failed"],
        Database,
        "the PostgreSQL of {member} does not start",
        "Its log, and Patroni's (`journalctl -u patroni`)",
        PATRONI,
    ),
    told(
        &["patroni", "state=crashed"],
        Database,
        "the PostgreSQL of {member} crashed",
        "Its log, and the kernel's at that time",
        PATRONI,
    ),
    told(
        &["repmgr: ", "failed"],
        Database,
        "repmgr: {name} ({role}) is failed: it does not answer, and has no part in the replication",
        "Its server and its log; it joins again with repmgr node rejoin once what ended it is known",
        REPMGR,
    ),
    told(
        &["repmgr: ", "unreachable"],
        Database,
        "repmgr: {name} ({role}) is not reachable from this node",
        "The network to it and its server; who is primary, each node's own repmgr cluster show tells",
        REPMGR,
    ),
    told(
        &["repmgr: ", "! running"],
        Database,
        "repmgr: {name} ({role}) runs otherwise than repmgr has it: as another role, or after it was taken out",
        "The warnings below the table; who is primary, each node's own repmgr cluster show tells. Two primaries: decide whose writes are kept before anything is joined",
        REPMGR,
    ),
    critical(told(
        &["etcdctl: ", "nospace"],
        Storage,
        "etcd's space quota is used up: it takes no writes until it is compacted and the alarm is disarmed",
        "`etcdctl compact`, `etcdctl defrag` one member after the other, then `etcdctl alarm disarm`; a larger --quota-backend-bytes if the data need it",
        "etcd documentation, maintenance, space quota",
    )),
    at_least(
        ("lag*=", 100.0),
        told(
            &["patroni", "lag in mb="],
            Database,
            "{member} lags {n} MB behind its leader: beyond maximum_lag_on_failover (1 MB as Patroni has it) it is no candidate for a failover",
            "pg_stat_replication on the leader tells which part: write_lag the network, flush_lag its disk, replay_lag its replay",
            PATRONI,
        ),
    ),
    at_least(
        ("ms=", 100.0),
        told(
            &["bcc: the slowest of", "operations took ms="],
            Storage,
            "a single operation of a file system or a disk took {n} ms",
            "iostat -x of the device at that time; `fullwire record` keeps both",
            "BCC, tools/*slower_example.txt and biosnoop_example.txt; 100 ms is five times what a spinning disk needs (own choice)",
        ),
    ),
    counted(
        "ms=",
        &["bcc: the slowest of", "ms="],
        Storage,
        "no operation of a file system or a disk took longer than {n} ms",
        "BCC, tools/*slower_example.txt and biosnoop_example.txt",
    ),
    counted(
        "resent=",
        &["bcc: segments", "resent="],
        Network,
        "TCP sent {n} segments again: their share of all tells whether it matters (nstat TcpRetransSegs TcpOutSegs, twice)",
        "BCC, tools/tcpretrans_example.txt",
    ),
    at_least(
        ("99th percentile=", 10.0),
        told(
            &["histogram of run queue latency"],
            Host,
            "of the tasks that could run one in a hundred waited {n} ms for a CPU, as a histogram's bucket says: the CPUs are overcommitted",
            "mpstat -P ALL and pidstat -u at that time: who uses them; a CPU quota (cpu.stat, nr_throttled) has the same effect",
            "BCC, tools/runqlat_example.txt; 10 ms is longer than a slice of the scheduler (own choice)",
        ),
    ),
    at_least(
        ("99th percentile=", 100.0),
        told(
            &["histogram of block device i/o"],
            Storage,
            "of the disk I/Os one in a hundred takes up to {n} ms, as a histogram's bucket says: five times what a spinning disk needs",
            "biolatency -D tells which disk; iostat -x whether a queue makes it (aqu-sz)",
            "BCC, tools/biolatency_example.txt; 100 ms (own choice)",
        ),
    ),
    counted(
        "99th percentile=",
        &["histogram of", "99th percentile="],
        Storage,
        "99 of 100 took at most {n} ms, as a histogram's bucket says",
        "BCC, tools/biolatency_example.txt",
    ),
    figure(told(
        &["netperf", "transactions_per_s="],
        Network,
        "netperf made {transactions_per_s} exchanges a second, one at a time: a round trip takes {1000000÷transactions_per_s} µs",
        "`fullwire net HOST --mode rtt`, which has the tail as well",
        "netperf's manual, TCP_RR",
    )),
    figure(told(
        &["iozone", "reclen=", "write=", "read="],
        Storage,
        "iozone wrote {write} and read {read} kB a second in records of {reclen} kB; without -I they are the page cache's figures",
        "`fullwire disk DIRECTORY`, which goes past the page cache and says what limits it",
        "iozone's manual",
    )),
    at_least(
        ("took ms=", 100.0),
        told(
            &["fio: a request took ms="],
            Storage,
            "fio: a request took {n} ms on average; how many it kept in flight is not in this piece, and that decides whether the queue or the storage made it wait",
            "The lines above it (iodepth, numjobs, IOPS); `fullwire disk DIRECTORY` measures one at a time as well",
            "fio(1), clat",
        ),
    ),
    counted(
        "took ms=",
        &["fio: a request took", "on average"],
        Storage,
        "fio: a request took {n} ms on average",
        "fio(1), clat",
    ),
    at_least(
        ("retrans=", 100.0),
        told(
            &["nuttcp: ", "mbit=", "retrans="],
            Network,
            "nuttcp moved {mbit} Mbit/s and sent {n} segments again: the path loses some",
            "`fullwire net HOST` says whether the loss limits it; ethtool -S and the switch ports where it is",
            NUTTCP,
        ),
    ),
    at_least(
        ("loss=", 0.1),
        told(
            &["nuttcp: ", "mbit=", "loss="],
            Network,
            "nuttcp lost {loss} % of its datagrams at {mbit} Mbit/s",
            "A lower rate tells whether the path or the receiver's buffer loses them (netstat -su, receive buffer errors)",
            NUTTCP,
        ),
    ),
    figure(told(
        &["nuttcp: ", "mbit="],
        Network,
        "nuttcp moved {mbit} Mbit/s",
        "`fullwire net HOST` says what limits it",
        NUTTCP,
    )),
    figure(told(
        &["sockperf: us="],
        Network,
        "sockperf: one way takes {us} µs, half of a round trip",
        RTT,
        "sockperf(3), ping-pong",
    )),
    figure(told(
        &["qperf: us="],
        Network,
        "qperf: one way takes {us} µs, half of a round trip",
        RTT,
        "qperf(1), tcp_lat",
    )),
    figure(told(
        &["qperf: ms="],
        Network,
        "qperf: one way takes {ms} ms, half of a round trip",
        RTT,
        "qperf(1), tcp_lat",
    )),
    figure(told(
        &["qperf: gbyte="],
        Network,
        "qperf moved {gbyte} GB a second",
        "`fullwire net HOST` says what limits it",
        "qperf(1), tcp_bw",
    )),
    figure(told(
        &["qperf: mbyte="],
        Network,
        "qperf moved {mbyte} MB a second",
        "`fullwire net HOST` says what limits it",
        "qperf(1), tcp_bw",
    )),
    figure(told(
        &["qperf: gbit="],
        Network,
        "qperf moved {gbit} Gbit/s",
        "`fullwire net HOST` says what limits it",
        "qperf(1), tcp_bw",
    )),
    figure(told(
        &["hammerdb: nopm="],
        Database,
        "HammerDB reached {nopm} new orders a minute ({tpm} transactions): a rate of the whole database, which says nothing of its parts",
        "An AWR report of the same minutes names what it waits for",
        "HammerDB documentation, NOPM and TPM",
    )),
    figure(told(
        &["vdbench: iops="],
        Storage,
        "vdbench: {iops} I/Os a second, {mb} MB/s, {ms} ms each",
        "`fullwire disk DIRECTORY` says what limits it",
        "Vdbench Users Guide, summary.html",
    )),
    figure(told(
        &["swingbench: ms="],
        Database,
        "swingbench: a transaction takes {ms} ms on average",
        "An AWR report of the same minutes names what it waits for",
        "swingbench's results",
    )),
    figure(told(
        &["swingbench: tps="],
        Database,
        "swingbench: {tps} transactions a second",
        "An AWR report of the same minutes names what it waits for",
        "swingbench's results",
    )),
    figure(told(
        &["charbench: ", "tps="],
        Database,
        "charbench: {tps} transactions a second",
        "An AWR report of the same minutes names what it waits for",
        "swingbench's results",
    )),
];

const NUTTCP: &str = "nuttcp(8)";
const RTT: &str = "`fullwire net HOST --mode rtt`, which has the tail as well";
