//! What databases report in their own logs.
//!
//! Sources: PostgreSQL documentation and source (checkpointer.c, walsender.c); MySQL Error Message Reference, `page_cleaner`
//! (buf0flu); Oracle Database Error Messages; Oracle Support notes 1581684.1 (ASM, waits for the PST, `_asm_hbeatiowait`)
//! and 294430.1 (CSS disktimeout); Galera documentation, evs.

use fullwire_model::assessment::Severity;

/// What a kind of line means.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Of a line of the last day.
    pub(crate) severity: Severity,
    pub(crate) says: &'static str,
    pub(crate) remedy: &'static str,
}

const fn kind(name: &'static str, severity: Severity, says: &'static str, remedy: &'static str) -> Kind {
    Kind { name, severity, says, remedy }
}

pub(crate) const DATABASE_KINDS: &[Kind] = &[
    kind(
        "wraparound",
        Severity::Critical,
        "transaction IDs run out: the server soon refuses writes",
        "End old transactions, drop unused replication slots and prepared transactions, then `vacuum` the database named as a superuser; let autovacuum run",
    ),
    kind(
        "corruption",
        Severity::Critical,
        "a block on disk is damaged",
        "Restore the block, table or file from a backup; check memory and storage below, else it comes again",
    ),
    kind(
        "crash",
        Severity::Critical,
        "the server crashed",
        "Look at what the log and the kernel's log say just before: a kill for lack of memory, storage that hung, a defect",
    ),
    kind(
        "disk-full",
        Severity::Critical,
        "no space was left to write to",
        "Make room on the file system or disk group named, then find what filled it",
    ),
    kind(
        "fork",
        Severity::Critical,
        "no process could be started",
        "Raise the limits on processes and memory that stopped it, or let fewer sessions in",
    ),
    kind(
        "io-error",
        Severity::Critical,
        "a read or write of the database failed",
        "Look at the kernel's log at the same time for the device; verify the files named",
    ),
    kind(
        "evicted",
        Severity::Critical,
        "the instance left the cluster",
        "Look at the interconnect, the voting disks and the CPU of the node at that time",
    ),
    kind(
        "open-files",
        Severity::Warning,
        "it ran out of file descriptors",
        "Raise LimitNOFILE of its unit and restart it",
    ),
    kind(
        "memory",
        Severity::Warning,
        "an allocation of memory failed",
        "Compare what it may use (SGA, pools, work memory times sessions) with the memory of the host",
    ),
    kind(
        "connections",
        Severity::Warning,
        "sessions were turned away: all connections are taken",
        "Find what keeps them open; pool connections instead of raising the limit",
    ),
    kind(
        "tablespace",
        Severity::Warning,
        "a segment could not be extended",
        "Add a data file to the tablespace named, or let one grow",
    ),
    kind(
        "archiving",
        Severity::Warning,
        "a log could not be archived",
        "Run the archive command by hand as the server's user and mend what it says; until then its logs fill the disk",
    ),
    kind(
        "standby-wait",
        Severity::Warning,
        "commits went on without their standby",
        "Bring the standby back, or change what commits wait for",
    ),
    kind(
        "standby-lost",
        Severity::Warning,
        "a standby needs logs that are gone",
        "Restore them from the archive, or build the standby anew; a replication slot keeps them next time",
    ),
    kind(
        "replica",
        Severity::Warning,
        "replication has stopped",
        "Mend what the line names, then start the replica again",
    ),
    kind(
        "native-aio",
        Severity::Warning,
        "the server does without asynchronous I/O since it was started",
        "Raise fs.aio-max-nr, or LimitMEMLOCK of its unit for io_uring, then restart it",
    ),
    kind(
        "aio-requests",
        Severity::Warning,
        "no further requests of asynchronous I/O could be set up",
        "Raise fs.aio-max-nr: fs.aio-nr shows what is in use",
    ),
    kind(
        "internal",
        Severity::Warning,
        "an internal error was raised",
        "Look the first argument up at the vendor, with the trace file that the log names",
    ),
    kind(
        "redo-small",
        Severity::Info,
        "the redo log wraps before its checkpoint is done",
        "Enlarge the redo logs (max_wal_size, innodb_redo_log_capacity, larger or more log groups)",
    ),
    kind(
        "pst-wait",
        Severity::Warning,
        "ASM waited long for a write to a disk's status table (PST); past 15 s (_asm_hbeatiowait) it takes the disk offline or dismounts the group",
        "Look at the paths of that disk at that time (`multipath -ll`, `powermt display dev=all`, the kernel's log): a failover of paths that is too slow, not the disk. Shorten it (fast_io_fail_tmo, no_path_retry), or raise _asm_hbeatiowait above it with Oracle's support",
    ),
    kind(
        "voting-file",
        Severity::Warning,
        "the clusterware waited long for a voting file; past the disk timeout (200 s) the node is evicted",
        "Look at the paths of the voting file's disk at that time, and at the load of its array: the time without any path must stay far below the disk timeout (`crsctl get css disktimeout`)",
    ),
    kind(
        "dnfs-refused",
        Severity::Warning,
        "Direct NFS refuses the filer for its largest transfer and uses the kernel's NFS instead",
        "Have the filer offer a largest read and write (rtmax, wtmax) that is a multiple of 32768, such as 524288 or 1048576 (max_block_size of its NFS server); then reopen the files by a restart of the instance",
    ),
    kind(
        "checkpoint-sync",
        Severity::Warning,
        "the fsync phase of a checkpoint took seconds: the storage cannot take the flush of what piled up in the page cache",
        "Measure the flush rate (`fullwire disk DIRECTORY --profile my-redo`); let the kernel write earlier (vm.dirty_background_bytes, checkpoint_flush_after), and spread the checkpoint (checkpoint_completion_target 0.9)",
    ),
    kind(
        "page-cleaner",
        Severity::Warning,
        "InnoDB's page cleaner was late: flushing of dirty pages took longer than the second that it has",
        "Look at the write latency of the data device at that time; innodb_io_capacity above what the device does makes it worse",
    ),
    kind(
        "io-hung",
        Severity::Critical,
        "an I/O of the database did not come back for a long time",
        "Look at the kernel's log and the paths of the storage at the same time: the device or array did not answer",
    ),
    kind(
        "log-write-slow",
        Severity::Warning,
        "a write of the log took far longer than usual",
        "Look at the latency of the log's device at that time (`iostat -x`, `fullwire disk --profile ora-lgwr`), and at what shares it",
    ),
    kind(
        "replication-timeout",
        Severity::Warning,
        "the connection to a standby was given up for lack of an answer",
        "Look at the network to the standby and at its disk: a standby that cannot write does not answer. Raise the timeout only once both are sound",
    ),
    kind(
        "galera",
        Severity::Warning,
        "a node of the Galera cluster was suspected or partitioned",
        "Look at loss and latency between the nodes at that time, and at pauses of the node (I/O, swap)",
    ),
    kind(
        "unknown",
        Severity::Info,
        "the database reports trouble that fullwire does not know",
        "Read the line; look whether it falls together with the time of the complaint",
    ),
];
