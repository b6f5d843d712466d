//! Databases' own lines: Oracle's alert log, PostgreSQL, MySQL and MariaDB.

use super::{Entry, at_least, entry};
use fullwire_model::assessment::Layer::{Database, Host, Network, Storage};

pub(super) const LINES: &[Entry] = &[
    entry(
        &["duration:", "statement: commit"],
        Storage,
        [
            "a commit took {s}",
            "Look at the device of the WAL (fullwire disk DIRECTORY --profile ora-lgwr), and at a synchronous standby",
            "PostgreSQL documentation, log_min_duration_statement",
        ],
    ),
    at_least(
        &["checkpoint complete", "sync="],
        ("sync=", 5.0),
        Storage,
        [
            "the fsync phase of a checkpoint takes up to {s}: the storage cannot take the flush of dirty pages that piled up in the page cache",
            "Measure the storage's flush rate (fullwire disk DIRECTORY --profile ora-lgwr), and let the kernel write earlier: a small vm.dirty_background_bytes. Checkpoints themselves are not too many",
            "PostgreSQL documentation, log_checkpoints and checkpoint_flush_after",
        ],
    ),
    entry(
        &["checkpoints are occurring too frequently"],
        Database,
        [
            "WAL fills before the time of a checkpoint is over",
            "A larger max_wal_size",
            "PostgreSQL documentation, checkpoint_warning",
        ],
    ),
    entry(
        &["could not fsync file"],
        Storage,
        [
            "an fsync failed: data that the server believes to be safe may be lost",
            "Look at the storage below; restart the server so that it replays its WAL",
            "PostgreSQL documentation, data_sync_retry",
        ],
    ),
    entry(
        &["terminating walsender process due to replication timeout"],
        Network,
        [
            "a standby did not answer in time",
            "Look at the network to it and at its load",
            "PostgreSQL documentation, wal_sender_timeout",
        ],
    ),
    entry(
        &["requested wal segment", "already been removed"],
        Database,
        [
            "a standby needs WAL that is gone",
            "Restore it from the archive, or build the standby anew; a slot keeps it next time",
            "PostgreSQL documentation, 27.2.6",
        ],
    ),
    entry(
        &["archive command failed"],
        Database,
        [
            "WAL cannot be archived: it piles up until the disk is full",
            "Run the archive command by hand as the server's user and mend what it says",
            "PostgreSQL documentation, 26.3.1",
        ],
    ),
    entry(
        &["remaining connection slots are reserved"],
        Database,
        [
            "all connections are taken",
            "Find what keeps them open; pool connections",
            "PostgreSQL documentation, max_connections",
        ],
    ),
    at_least(
        &["pending flushes (fsync)"],
        ("log:", 1.0),
        Storage,
        [
            "an fsync of InnoDB's log is pending: the file system below has not finished it, and commits wait for it",
            "Look at the storage or file system below (a network or distributed one first); there is nothing to tune in InnoDB",
            "MySQL manual, InnoDB Monitor output, FILE I/O",
        ],
    ),
    at_least(
        &["seconds the semaphore"],
        ("for", 10.0),
        Storage,
        [
            "a thread of InnoDB has waited {s} for another one, as a rule for one that waits for the storage",
            "Look whether reads, writes or fsyncs are pending below FILE I/O: then it is the storage",
            "MySQL manual, InnoDB Monitor output, SEMAPHORES",
        ],
    ),
    entry(
        &["active (prepared)"],
        Storage,
        [
            "a transaction has been at its commit for {s}: its log is not flushed",
            "Look at the fsyncs that are pending, and at the storage below",
            "MySQL manual, InnoDB Monitor output, TRANSACTIONS",
        ],
    ),
    entry(
        &["long semaphore wait"],
        Storage,
        [
            "a thread of InnoDB waits so long that the server will stop itself",
            "Look whether I/O is pending: then it is the storage",
            "MySQL manual, innodb_fatal_semaphore_wait_threshold",
        ],
    ),
    entry(
        &["page_cleaner", "intended loop took"],
        Storage,
        [
            "InnoDB's page cleaner took much longer than its second: the storage does not take the writes that innodb_io_capacity asks of it",
            "Measure what the storage can write; set innodb_io_capacity to what it can",
            "MySQL manual, innodb_io_capacity; buf0flu.cc",
        ],
    ),
    entry(
        &["age of the last checkpoint"],
        Database,
        [
            "the redo log is too small for the load",
            "A larger innodb_redo_log_capacity",
            "MySQL manual, InnoDB redo log",
        ],
    ),
    entry(
        &["timeout waiting for reply of binlog"],
        Network,
        [
            "a semi-synchronous replica did not answer in time: commits went on without it",
            "Look at the network to the replica and at its disk",
            "MySQL manual, semisynchronous replication",
        ],
    ),
    entry(
        &["log write elapsed time"],
        Storage,
        [
            "a write of the redo log took {s}",
            "Look at the device of the online logs: fullwire disk DIRECTORY --profile ora-lgwr",
            "Oracle Support 601316.1",
        ],
    ),
    entry(
        &["checkpoint not complete"],
        Database,
        [
            "the online logs wrap before their checkpoint is done: sessions wait",
            "Larger or more log groups; faster writes of the data files",
            "Oracle Database Administrator's Guide, Managing the Redo Log",
        ],
    ),
    entry(
        &["ora-00257"],
        Database,
        [
            "archiving stopped: there is no room for archived logs",
            "Back up and remove archived logs, or enlarge the recovery area",
            "Oracle Database Error Messages",
        ],
    ),
    entry(
        &["ora-19815"],
        Database,
        [
            "the recovery area is nearly full",
            "Back up and remove archived logs, or enlarge it",
            "Oracle Database Error Messages",
        ],
    ),
    entry(
        &["ora-19809"],
        Database,
        [
            "the recovery area is full",
            "Back up and remove archived logs, or enlarge it",
            "Oracle Database Error Messages",
        ],
    ),
    entry(
        &["ora-15041"],
        Storage,
        [
            "the disk group is full",
            "Add disks or remove files, then rebalance",
            "Oracle Database Error Messages",
        ],
    ),
    entry(
        &["ora-15130"],
        Storage,
        [
            "a disk group is being dismounted",
            "Look at what its disks' paths did just before",
            "Oracle Database Error Messages",
        ],
    ),
    entry(
        &["ora-15080"],
        Storage,
        [
            "a read or write of an ASM disk failed",
            "Look at the kernel's log at that time for the device",
            "Oracle Database Error Messages",
        ],
    ),
    entry(
        &["ora-15081"],
        Storage,
        [
            "a read or write of an ASM disk failed",
            "Look at the kernel's log at that time for the device",
            "Oracle Database Error Messages",
        ],
    ),
    entry(
        &["ora-27072"],
        Storage,
        [
            "a read or write of a database file failed",
            "Look at the kernel's log at that time for the device",
            "Oracle Database Error Messages",
        ],
    ),
    entry(
        &["ora-27054"],
        Database,
        [
            "a file is on an NFS mount without the options that Oracle needs",
            "Mount with the options of Oracle Support 359515.1",
            "Oracle Database Error Messages",
        ],
    ),
    entry(
        &["ora-27090"],
        Host,
        [
            "no further asynchronous I/O could be set up",
            "A larger fs.aio-max-nr",
            "Oracle Database Error Messages",
        ],
    ),
    entry(
        &["ora-00345"],
        Storage,
        [
            "a write of the redo log failed",
            "Look at the device of the online logs",
            "Oracle Database Error Messages",
        ],
    ),
    entry(
        &["ora-16198"],
        Network,
        [
            "the standby did not answer a redo write in time",
            "Look at the network to it and at its log device",
            "Oracle Database Error Messages",
        ],
    ),
    entry(
        &["ora-01578"],
        Storage,
        [
            "a block on disk is damaged",
            "Recover the block (RMAN RECOVER BLOCK); look at the storage below",
            "Oracle Database Error Messages",
        ],
    ),
    entry(
        &["ora-29740"],
        Network,
        [
            "the instance was evicted from the cluster",
            "Look at the interconnect, the voting disks and the CPU at that time",
            "Oracle Database Error Messages",
        ],
    ),
    entry(
        &["no space left on device"],
        Host,
        ["a file system is full", "Make room on it, then find what filled it", "errno(3), ENOSPC"],
    ),
    entry(
        &["too many open files"],
        Host,
        ["a program ran out of file descriptors", "Raise LimitNOFILE of its unit", "errno(3), EMFILE"],
    ),
];
