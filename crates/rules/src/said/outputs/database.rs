//! Databases' own lines: Oracle's alert log, PostgreSQL, MySQL and MariaDB.

use super::super::{Entry, at_least, told};
use fullwire_model::assessment::Layer::{Database, Network, Storage};

pub(in crate::said) const LINES: &[Entry] = &[
    at_least(
        ("write_lag=", 1.0),
        told(
            &["replication ", "write_lag="],
            Network,
            "this standby gets the WAL {n} s late: the network to it, or the load of both hosts",
            &["Throughput and loss of the path to the standby (fullwire net); what else the primary sends"],
            "PostgreSQL documentation, pg_stat_replication",
        ),
    ),
    at_least(
        ("flush_lag=", 1.0),
        told(
            &["replication ", "flush_lag="],
            Storage,
            "this standby has the WAL on its disk only {n} s late, though it arrives in time: its disk takes flushes slowly. Commits that wait for it (synchronous) take as long",
            &[
                "The device of the WAL on the standby (fullwire disk DIRECTORY --profile my-redo), and what shares it",
            ],
            "PostgreSQL documentation, pg_stat_replication",
        ),
    ),
    at_least(
        ("replay_lag=", 10.0),
        told(
            &["replication ", "replay_lag="],
            Database,
            "this standby applies the WAL {n} s late: one process applies it, behind slow reads, or it waits for queries there",
            &[
                "Conflicts with queries (max_standby_streaming_delay, pg_stat_database_conflicts), reads of the data device, recovery_prefetch",
            ],
            "PostgreSQL documentation, pg_stat_replication and hot standby",
        ),
    ),
    told(
        &["| walsync"],
        Storage,
        "sessions wait until the WAL is on its disk (WALSync): commits wait for its flush",
        &[
            "The device of the WAL: fullwire disk DIRECTORY --profile pg-wal; what else writes to it at that time",
        ],
        "PostgreSQL documentation, wait events of type IO",
    ),
    told(
        &["| walwrite"],
        Storage,
        "sessions wait for the WAL to be written (WALWrite): one session writes at a time, the others wait behind its flush",
        &["The device of the WAL: fullwire disk DIRECTORY --profile pg-wal; fewer, larger commits"],
        "PostgreSQL documentation, wait events of types IO and LWLock",
    ),
    told(
        &["| syncrep"],
        Network,
        "commits wait for the synchronous standby (SyncRep)",
        &["pg_stat_replication tells which part: write_lag the network, flush_lag the standby's disk"],
        "PostgreSQL documentation, wait events of type IPC",
    ),
    told(
        &["waiting for", "metadata lock"],
        Database,
        "statements wait for a metadata lock: a DDL statement, or backup, behind a transaction that is open",
        &[
            "sys.schema_table_lock_waits: end the transaction that blocks, or the DDL statement; no disk or network is at fault",
        ],
        "MySQL manual, Metadata Locking",
    ),
    told(
        &["waiting for semi-sync ack"],
        Network,
        "commits wait for the acknowledgement of a replica (semi-synchronous)",
        &["The network to the replica and its disk (sync_relay_log)"],
        "MySQL manual, semisynchronous replication",
    ),
    told(
        &["waiting for handler commit"],
        Storage,
        "sessions wait for their commit to reach the disk",
        &["fsync of redo log and binary log: fullwire disk DIRECTORY --profile my-redo"],
        "MySQL manual, General Thread States",
    ),
    at_least(
        ("| streaming |*|", 100.0),
        told(
            &["replica", "| streaming |"],
            Database,
            "this replica is {n} MB behind the primary",
            &[
                "Which part is late: pg_stat_replication (write, flush, replay) on the primary; then the network, the replica's disk, or its replay",
            ],
            "Patroni documentation, patronictl list",
        ),
    ),
    told(
        &["replica", "start failed |"],
        Database,
        "a replica of the cluster does not start",
        &["Its PostgreSQL log says why; patronictl reinit builds it anew once that is known"],
        "Patroni documentation, patronictl list",
    ),
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
