//! Databases' own lines: Oracle's alert log, PostgreSQL, MySQL and MariaDB.

use super::super::{Entry, at_least, told};
use fullwire_model::assessment::Layer::{Database, Storage};

pub(in crate::said) const LINES: &[Entry] = &[
    told(
        &["duration:", "statement: commit"],
        Storage,
        "a commit took {s}",
        &[
            "Look at the device of the WAL (fullwire disk DIRECTORY --profile ora-lgwr), and at a synchronous standby",
        ],
        "PostgreSQL documentation, log_min_duration_statement",
    ),
    at_least(
        ("sync=", 5.0),
        told(
            &["point complete", "sync="],
            Storage,
            "the fsync phase of a checkpoint takes up to {s}: the storage cannot take the flush of dirty pages that piled up in the page cache",
            &[
                "Measure the storage's flush rate (fullwire disk DIRECTORY --profile ora-lgwr), and let the kernel write earlier: a small vm.dirty_background_bytes. Checkpoints themselves are not too many",
            ],
            "PostgreSQL documentation, log_checkpoints and checkpoint_flush_after",
        ),
    ),
    at_least(
        ("log:", 1.0),
        told(
            &["pending flushes (fsync)"],
            Storage,
            "an fsync of InnoDB's log is pending: the file system below has not finished it, and commits wait for it",
            &[
                "Look at the storage or file system below (a network or distributed one first); there is nothing to tune in InnoDB",
            ],
            "MySQL manual, InnoDB Monitor output, FILE I/O",
        ),
    ),
    at_least(
        ("for", 10.0),
        told(
            &["seconds the semaphore"],
            Storage,
            "a thread of InnoDB has waited {s} for another one, as a rule for one that waits for the storage",
            &["Look whether reads, writes or fsyncs are pending below FILE I/O: then it is the storage"],
            "MySQL manual, InnoDB Monitor output, SEMAPHORES",
        ),
    ),
    told(
        &["active (prepared)"],
        Storage,
        "a transaction has been at its commit for {s}: its log is not flushed",
        &["Look at the fsyncs that are pending, and at the storage below"],
        "MySQL manual, InnoDB Monitor output, TRANSACTIONS",
    ),
    told(
        &["log write elapsed time"],
        Storage,
        "a write of the redo log took {s}",
        &["Look at the device of the online logs: fullwire disk DIRECTORY --profile ora-lgwr"],
        "Oracle Support 601316.1",
    ),
    told(
        &["_running: no"],
        Database,
        "replication does not run: the replica falls behind",
        &["Read Last_IO_Error and Last_SQL_Error of SHOW REPLICA STATUS, then start it"],
        "MySQL manual, SHOW REPLICA STATUS",
    ),
    at_least(
        ("seconds_behind_*: ", 60.0),
        told(
            &["seconds_behind"],
            Database,
            "the replica applies transactions {n} s after the source: what is read there is as old",
            &[
                "See whether the network brings them late or the replica applies them late (Relay_Log_Space); then its disk, and replica_parallel_workers",
            ],
            "MySQL manual, SHOW REPLICA STATUS",
        ),
    ),
    told(
        &["ora-19815"],
        Database,
        "the recovery area is nearly full",
        &["Back up and remove archived logs, or enlarge it"],
        "Oracle Database Error Messages",
    ),
    told(
        &["ora-27054"],
        Database,
        "a file is on an NFS mount without the options that Oracle needs",
        &["Mount with the options of Oracle Support 359515.1"],
        "Oracle Database Error Messages",
    ),
];
