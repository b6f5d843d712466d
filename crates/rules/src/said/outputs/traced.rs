//! What tools that trace or load from outside say: system calls, the parts of a request, packets, containers, Windows' disks.

use super::super::{Entry, at_least, told};
use fullwire_model::assessment::Layer::{Database, Host, Network, Storage};
use fullwire_model::assessment::{Layer, Severity};

/// A flush of any device in order is shorter than this, milliseconds (worked figures: a spinning disk turns in 8).
const SLOW_FLUSH_MS: f64 = 20.0;
/// Twice what a spinning disk needs for a read, milliseconds (own choice).
const SLOW_CALL_MS: f64 = 20.0;

/// A thread of the kernel that uses most of a CPU, by top or ps.
const fn thread(all: &'static [&'static str], says: &'static str, now: &'static str) -> Entry {
    at_least(
        ("%cpu=", 60.0),
        told(
            all,
            Host,
            says,
            now,
            "top(1); Linux kernel/softirq.c, mm/vmscan.c, drivers/md/md.c; 60 % (own choice)",
        ),
    )
}

const PERFORMANCE: &str = "MySQL manual, Performance Schema, Wait Event Summary Tables; times in picoseconds";

/// What costs time is told, and whether it is too much its owner knows.
const fn of_time(entry: Entry) -> Entry {
    Entry { severity: Some(Severity::Info), ..entry }
}

/// A statement of a slow query log of which this share of its time, or time for each row, tells where it went.
const fn slow(
    least: (&'static str, f64),
    all: &'static [&'static str],
    layer: Layer,
    says: &'static str,
    now: &'static str,
) -> Entry {
    at_least(
        least,
        told(
            all,
            layer,
            says,
            now,
            "MySQL manual, The Slow Query Log; MongoDB manual, Log Messages; half of the time, 5 ms for a row (own choice)",
        ),
    )
}

const OF_PS: &str = "ps(1), PROCESS STATE CODES and WCHAN";
const ASLEEP: &str = "Once more after a minute: what is still there hangs. iostat -x 1 (nfsiostat 1 of NFS) and the kernel's log name the device or server that does not answer";

const fn zero_window(all: &'static [&'static str]) -> Entry {
    told(
        all,
        Network,
        "a receiver closed its window: its program does not read, and the sender waits. The network is not at fault",
        "The program at the address that sent the line: CPU, locks, its disk (Recv-Q in `ss -tn` there)",
        "Wireshark user's guide, TCP Analysis (TCP Zero Window)",
    )
}

pub(in crate::said) const LINES: &[Entry] = &[
    at_least(
        ("share=", 30.0),
        of_time(told(
            &["pt-query-digest: ", "share="],
            Database,
            "one kind of statement takes {share} % of the time of all: {calls} calls of {each} s each",
            "Its plan (EXPLAIN), and what it waits for: rows that others hold, or reads",
            "pt-query-digest(1), OUTPUT",
        )),
    ),
    at_least(
        ("waits=", 1e6),
        of_time(told(
            &["innodb mutex: ", "status=waits="],
            Database,
            "threads waited {n} times for one latch of InnoDB ({name}) since the server started",
            "Twice, a minute apart: how fast it grows. Many sessions want the same pages or the same latch; storage is not the cause",
            "MySQL manual, SHOW ENGINE INNODB MUTEX; a million (own choice)",
        )),
    ),
    at_least(
        ("sum_timer_wait÷count_star×1000000000", 20.0),
        told(
            &["performance_schema: ", "event_name=wait/io/file"],
            Storage,
            "{event_name} takes {n} ms on average: more than a spinning disk needs",
            "`fullwire assess --path` where these files are",
            PERFORMANCE,
        ),
    ),
    told(
        &["rman: ", " s=x"],
        Database,
        "RMAN no longer finds a backup that it lists (key {key}, EXPIRED): it cannot be restored from",
        "crosscheck backup; then a new backup, and delete expired backup once it is made",
        "Oracle Backup and Recovery Reference, LIST",
    ),
    told(
        &["signature:", "'log file parallel write'<="],
        Storage,
        "sessions hang behind the log writer, which waits for its write of the redo log",
        "The device of the redo logs (iostat -x, dmesg) at that time; `fullwire disk DIRECTORY --profile ora-lgwr`",
        "Oracle support, hang analysis (oradebug hanganalyze): the first name is what the last blocker waits for",
    ),
    told(
        &["chain 1 signature:", "<="],
        Database,
        "sessions hang one behind the other; the first name in the line is what the last blocker waits for",
        "The blocker's session in the chain below: what it does, and whether it may be ended",
        "Oracle support, hang analysis (oradebug hanganalyze)",
    ),
    told(
        &["number temporary files:"],
        Database,
        "sorts and hashes of this server spill to temporary files",
        "Which statements (log_temp_files); a larger work_mem for them, one session at a time",
        "pgBadger, temporary files",
    ),
    told(
        &["checkpoint warnings:"],
        Database,
        "checkpoints come faster than checkpoint_warning: the WAL between them is too small",
        "A larger max_wal_size (a reload is enough)",
        "pgBadger, checkpoints; PostgreSQL documentation, checkpoint_warning",
    ),
    at_least(
        (": ", 90.0),
        told(
            &["interrupts of ", " from ", "queues"],
            Host,
            "of the interrupts of all queues of one adapter {n} % came to one CPU since boot: it alone serves them",
            "Each queue its own CPU (smp_affinity_list), or irqbalance; mpstat -P ALL 1 shows whether that CPU is full (%soft)",
            "Linux Documentation/networking/scaling.rst, RSS IRQ Configuration; 90 % (own choice)",
        ),
    ),
    thread(
        &["%cpu=", "command=ksoftirqd"],
        "{command} uses {n} % of its CPU: the soft interrupts of packets or disks come to one CPU faster than it handles them",
        "/proc/interrupts and /proc/softirqs: which device (mpstat -P ALL 1: %soft); more queues (ethtool -L), irqbalance, RPS",
    ),
    thread(
        &["%cpu=", "command=kswapd"],
        "{command} uses {n} % of a CPU: the kernel reclaims memory without a pause, because the host is short of it",
        "free -m and vmstat 1: is it swapping? Let the databases use less memory, or add some",
    ),
    thread(
        &["%cpu=", "command=md", "_resync"],
        "{command} uses {n} % of a CPU: an array is being checked or rebuilt beside the database's I/O",
        "cat /proc/mdstat; sync_speed_max of the array slows it down",
    ),
    Entry {
        any: &[" s=d;", " stat=d"],
        severity: Some(Severity::Info),
        ..told(
            &["%cpu=", "command="],
            Storage,
            "{command} waits in the kernel at this moment (state D), usually because of its storage",
            "Again some times: one that is always so waits for a device that does not answer (cat /proc/PID/stack, wchan of ps)",
            "top(1), S; ps(1), PROCESS STATE CODES",
        )
    },
    at_least(
        ("%io=", 50.0),
        of_time(told(
            &["awr sql: ", "%total=", "%io="],
            Storage,
            "a statement that takes {%total} % of DB time spends {n} % of it on I/O",
            "Its plan: does it read more than it needs? Then what a read takes (db file sequential read of the same report)",
            "Oracle Database Performance Tuning Guide, SQL ordered by Elapsed Time",
        )),
    ),
    at_least(
        ("kavg/cmd=", 2.0),
        told(
            &["esxtop: ", "kavg/cmd="],
            Storage,
            "the hypervisor itself holds each request for {n} ms (KAVG): its queue of the device is full, and the device takes {davg/cmd} ms",
            "The queue depth of the adapter and of the device, and what else uses the datastore (QAVG, %USD); paravirtual disks on several adapters",
            "VMware, esxtop storage statistics; above 2 ms (its own guidance)",
        ),
    ),
    at_least(
        ("davg/cmd=", 25.0),
        told(
            &["esxtop: ", "davg/cmd="],
            Storage,
            "the array, or the path to it, takes {n} ms for a request of the hypervisor (DAVG)",
            "The array's own latency at that time; errors of the paths in vmkernel.log",
            "VMware, esxtop storage statistics; above 25 ms (its own guidance)",
        ),
    ),
    of_time(told(
        &["numa: ", "other_free="],
        Host,
        "node {node} has {free} of {size} MB of its memory free, and node {other} {other_free} MB: what runs there reclaims, swaps or reads the other node's",
        "numastat -m and numastat -p PID: whose it is. Page cache gives way; a database's shared memory is spread by numactl --interleave=all or huge pages on both nodes; vm.zone_reclaim_mode 0",
        "numactl(8), --hardware; Linux Documentation/admin-guide/sysctl/vm.rst, zone_reclaim_mode",
    )),
    slow(
        ("lock_s×100÷seconds", 50.0),
        &["slow query: ", "lock_s="],
        Database,
        "{statement} of {seconds} s waited {n} % of it for locks of other sessions: no disk or network is at fault",
        "Who held them: SHOW ENGINE INNODB STATUS and performance_schema.data_lock_waits; currentOp of MongoDB",
    ),
    slow(
        ("io_s×100÷seconds", 50.0),
        &["slow query: ", "io_s="],
        Storage,
        "{statement} of {seconds} s spent {n} % of it on reads and writes of the disk",
        "iostat -xt 10 of the data device at that time; a cache that holds what is read often; an index that reads less",
    ),
    slow(
        ("cache_s×100÷seconds", 50.0),
        &["slow query: ", "cache_s="],
        Storage,
        "{statement} of {seconds} s waited {n} % of it for room in the cache: changed pages are not written fast enough",
        "iostat -xt 10 of the data device; a larger cache, or fewer writes at once",
    ),
    slow(
        ("acknowledged_s×100÷seconds", 50.0),
        &["slow query: ", "acknowledged_s="],
        Network,
        "{statement} of {seconds} s waited {n} % of it until other members of the replica set had it (write concern)",
        "rs.printSecondaryReplicationInfo(): who is behind; the path to that member (fullwire net) and its journal's device",
    ),
    slow(
        ("seconds=", 1.0),
        &["slow query: ", "statement=commit"],
        Storage,
        "a COMMIT took {n} s: it waits until the log is durable, or for a semi-synchronous replica",
        "`fullwire disk DIRECTORY-OF-THE-LOG --profile my-redo`; iostat -xt 10 at that time; Rpl_semi_sync_source_status",
    ),
    slow(
        ("seconds×1000÷examined", 5.0),
        &["slow query: ", "examined="],
        Storage,
        "{statement} took {seconds} s and looked at {examined} rows: it waited, for reads, for the flush of its commit or for a lock",
        "iostat -xt 10 at that time, and the locks (SHOW ENGINE INNODB STATUS); a plan that reads less will not help",
    ),
    of_time(slow(
        ("seconds=", 0.0),
        &["slow query: ", "uncounted"],
        Database,
        "{statement} took {seconds} s: the line does not tell what for",
        "The lines beside it; what it waits for while it runs (db.currentOp(), SHOW PROCESSLIST)",
    )),
    of_time(slow(
        ("seconds=", 0.0),
        &["slow query: ", "seconds="],
        Database,
        "{statement} of {seconds} s looked at {examined} rows: its time is its own work first",
        "EXPLAIN of it: an index, or fewer rows",
    )),
    Entry {
        any: &["wchan=rpc_", "wchan=nfs"],
        ..told(
            &["ps: ", "state=d"],
            Storage,
            "a process waits in the kernel for an NFS server ({wchan}, state D)",
            ASLEEP,
            OF_PS,
        )
    },
    Entry {
        any: &[
            "wchan=jbd2_",
            "wchan=xlog_",
            "wchan=xfs_",
            "wchan=btrfs_",
            "wchan=wait_transaction",
            "wchan=do_get_write_access",
        ],
        severity: Some(Severity::Info),
        ..told(
            &["ps: ", "state=d"],
            Storage,
            "a process waits in the kernel for its file system, which writes its journal or waits for a page of it ({wchan}, state D)",
            ASLEEP,
            OF_PS,
        )
    },
    of_time(told(
        &["ps: ", "state=d", "wchan="],
        Storage,
        "a process waits in the kernel at this moment, usually for its storage ({wchan}, state D)",
        ASLEEP,
        OF_PS,
    )),
    at_least(
        ("seconds×1000÷calls", SLOW_FLUSH_MS),
        Entry {
            any: &["syscall=fsync", "syscall=fdatasync", "syscall=sync_file_range", "syscall=msync"],
            ..told(
                &["strace: "],
                Storage,
                "each {syscall} of the traced program takes {n} ms: the device below is slow to finish a flush, and a commit waits for one",
                "The device of that file: `fullwire disk DIRECTORY --profile pg-wal`; what else writes to it (iostat -x)",
                "strace(1), -c; 20 ms is longer than two turns of a spinning disk (own choice)",
            )
        },
    ),
    at_least(
        ("seconds×1000÷calls", SLOW_CALL_MS),
        Entry {
            any: &[
                "syscall=pread64",
                "syscall=pwrite64",
                "syscall=preadv",
                "syscall=pwritev",
                "syscall=read",
                "syscall=write",
                "syscall=io_getevents",
            ],
            ..told(
                &["strace: "],
                Storage,
                "each {syscall} of the traced program takes {n} ms: of a file it waits for the storage, of a socket or a pipe for the other end",
                "strace -T -y of the same program names the file or socket; of a file `fullwire disk DIRECTORY`",
                "strace(1), -c; 20 ms is twice what a spinning disk needs (own choice)",
            )
        },
    ),
    at_least(
        ("mem=", 97.0),
        told(
            &["docker stats: id="],
            Host,
            "container {container} uses {n} % of its memory limit: page cache is taken from it, and at the limit a process is killed",
            "Compare the limit with what the database may use (shared buffers, pools, sessions times work memory): raise the one or lower the other",
            "Docker documentation, docker container stats, resource constraints",
        ),
    ),
    at_least(
        ("ms=", 10.0),
        told(
            &["btt in the queue: ", "ms="],
            Storage,
            "a request waits {n} ms in the host's queue before the device gets it (I2D): more are sent than the device takes at once",
            "D2C beside it is the device's own time. The queue's depth and scheduler, io.max of a control group, and what else uses the device (iostat -x: aqu-sz)",
            "btt(1), I2D and D2C; 10 ms (own choice)",
        ),
    ),
    at_least(
        ("ms=", 20.0),
        told(
            &["btt in the device: ", "ms="],
            Storage,
            "the device takes {n} ms for a request (D2C): it, or the path to it, is slow",
            "Its array or hypervisor at that time; smartctl of a disk; multipath -ll",
            "btt(1), D2C; 20 ms is twice what a spinning disk needs (own choice)",
        ),
    ),
    at_least(
        ("average_ms=", 20.0),
        told(
            &["diskspd: ", "average_ms="],
            Storage,
            "a request of diskspd takes {n} ms on average: more than a spinning disk needs, unless its own queue is long",
            "Again with -o1 -t1: what one request alone takes is the device; the rest is the queue that diskspd makes",
            "DiskSpd documentation, analyzing output (AvgLat)",
        ),
    ),
    at_least(
        ("flush_total_times÷flush_operations×1000000", 10.0),
        told(
            &["virsh domblkstat: ", "flush_total_times="],
            Storage,
            "a flush of this guest's disk took {n} ms on average since the guest started, and each commit waits for one",
            "On the hypervisor: what the disk lies on (`virsh domblklist`), its cache mode, and iostat -x of that device; the same counters twice, a minute apart, tell how it is now",
            "virsh(1), domblkstat (times in ns); 10 ms is a turn of a spinning disk (own choice)",
        ),
    ),
    at_least(
        ("wr_total_times÷wr_req×1000000", 20.0),
        told(
            &["virsh domblkstat: ", "wr_total_times="],
            Storage,
            "a write of this guest's disk took {n} ms on average since the guest started",
            "On the hypervisor: iostat -x of the device below, other guests on it, and a limit of its I/O (`virsh blkdeviotune`)",
            "virsh(1), domblkstat (times in ns); 20 ms is twice what a spinning disk needs (own choice)",
        ),
    ),
    zero_window(&["[tcp zerowindow]"]),
    // tcpdump; a reset has no window either.
    zero_window(&["flags [.], ack", "win 0,"]),
    told(
        &["[tcp window full]"],
        Network,
        "a sender filled the receiver's window: the window is too small for the round trip, or the receiver reads too slowly",
        "Receive buffers at the far end (net.ipv4.tcp_rmem); zero windows beside it mean that its program does not read",
        "Wireshark user's guide, TCP Analysis (TCP Window Full)",
    ),
    Entry {
        any: &["[tcp retransmission]", "[tcp fast retransmission]", "[tcp spurious retransmission]"],
        ..told(
            &[],
            Network,
            "segments were sent again: packets or their acknowledgements were lost on the way",
            "How many of all (tcp.analysis.retransmission of Wireshark's statistics); then the counters of both ends and of each switch port: ethtool -S, `fullwire net HOST`",
            "Wireshark user's guide, TCP Analysis (TCP Retransmission)",
        )
    },
    told(
        &["[tcp previous segment not captured]"],
        Network,
        "segments are missing in the capture: lost before this point, or not captured in time",
        "Retransmissions beside it mean loss; without any the capture missed them",
        "Wireshark user's guide, TCP Analysis (TCP Previous segment not captured)",
    ),
];
