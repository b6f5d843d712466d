//! Databases' own lines: Oracle's alert log, PostgreSQL, MySQL and MariaDB.

use super::super::{Entry, any_of, at_least, critical, from_number, told};
use fullwire_model::assessment::Layer::{Database, Network, Storage};
use fullwire_model::assessment::Severity;

const EXPLAIN: &str = "PostgreSQL documentation, EXPLAIN";

/// How RMAN reports that a command failed.
const RMAN: &[&str] = &["rman-03002", "rman-03009", "rman-03014"];

pub(in crate::said) const LINES: &[Entry] = &[
    Entry {
        any: &["ora-19501", "ora-19502", "ora-19510", "ora-27061", "ora-27063", "ora-27072"],
        beside: RMAN,
        ..told(
            &["ora-"],
            Storage,
            "RMAN could not read or write a file: usually the file system of the backup is full, otherwise the storage below it reported an error",
            "df of the directory that the line beside it names, and quotas; then the kernel's log of that time. ORA-19501 is a file of the database: verify it (RMAN validate)",
            "Oracle Database Error Messages, ORA-19502, ORA-27072; Backup and Recovery User's Guide, Interpreting RMAN Error Stacks",
        )
    },
    told(
        &["ora-00245"],
        Database,
        "the control file could not be backed up: in a cluster, usually because its snapshot lies where not every instance reaches it",
        "RMAN `show snapshot controlfile name`; `configure snapshot controlfile name to` a place on storage that all instances share",
        "Oracle Database Error Messages, ORA-00245; Real Application Clusters Administration and Deployment Guide, Configuring the Snapshot Control File Location",
    ),
    Entry {
        name: "rman-job",
        any: RMAN,
        ..told(
            &["rman-", "failure of"],
            Database,
            "a job of RMAN did not end well: the last ORA- line below it says why",
            "Fix what that line names, then run the job again; until then `list backup summary` shows what there is",
            "Oracle Database Backup and Recovery User's Guide, Interpreting RMAN Error Stacks",
        )
    },
    // Lines around a stack of errors.
    Entry {
        severity: None,
        ..told(
            &["error message stack follows"],
            Database,
            "",
            "",
            "Oracle Database Error Messages, RMAN-00569",
        )
    },
    Entry {
        severity: Some(fullwire_model::assessment::Severity::Info),
        ..told(
            &["temporary file: path", "size"],
            Database,
            "a query wrote a temporary file: its sort or hash did not fit work_mem",
            "The statement in the next line; a larger work_mem for that session, or a better plan",
            "PostgreSQL documentation, log_temp_files",
        )
    },
    at_least(
        ("history list length", 1e6),
        told(
            &["history list length"],
            Database,
            "InnoDB keeps {n} old versions of rows that nobody has purged: reads of changed rows walk through them",
            "The oldest transaction (information_schema.innodb_trx): end it; then innodb_purge_threads",
            "MySQL manual, Purge Configuration",
        ),
    ),
    Entry {
        any: &["| transactionid", "| tuple", "| relation"],
        ..told(
            &["| lock "],
            Database,
            "sessions wait for a lock of another session: no disk or network is at fault",
            "pg_blocking_pids(pid) names who holds it, often one that is idle in transaction; end that transaction",
            "PostgreSQL documentation, wait events of type Lock",
        )
    },
    at_least(
        ("has been running for ", 60.0),
        told(
            &["checkpoint has been running for ", " seconds and wrote"],
            Storage,
            "a checkpoint of WiredTiger has run for {n} s, and takes a minute at most where the disk keeps up: writes wait for room in the cache",
            "iostat -xt 10 of the data device; wiredTiger.cache in serverStatus (dirty bytes); a smaller cache makes smaller checkpoints",
            "MongoDB manual, WiredTiger storage engine, checkpoints (every 60 s)",
        ),
    ),
    Entry {
        severity: Some(Severity::Info),
        ..told(
            &["we roll back transaction"],
            Database,
            "InnoDB rolled a transaction back because two of them waited for each other's rows (the time is above it): no disk or network is at fault",
            "The statements above it: lock the rows in the same order, and repeat the transaction that was rolled back",
            "MySQL manual, Deadlocks in InnoDB",
        )
    },
    from_number(
        ("innodb log waits in 10 s=", 1.0),
        Database,
        "transactions waited {n} times in ten seconds for room in the log buffer: it is too small, or its writes are slow",
        "A larger innodb_log_buffer_size; then the device of the redo log (fullwire disk DIRECTORY --profile my-redo)",
        "MySQL manual, InnoDB status variables",
    ),
    from_number(
        ("innodb buffer pool wait free in 10 s=", 1.0),
        Storage,
        "reads waited {n} times in ten seconds for a free page of the buffer pool: dirty pages are not written fast enough",
        "innodb_io_capacity and innodb_io_capacity_max as the storage really serves (fullwire disk), more page cleaners, a larger buffer pool",
        "MySQL manual, InnoDB status variables",
    ),
    from_number(
        ("innodb_data_pending_writes", 64.0),
        Storage,
        "{n} writes of InnoDB wait for the data device at this moment: it does not keep up",
        "iostat -xt 10 of that device; innodb_io_capacity_max below what it serves (fullwire disk)",
        "MySQL manual, InnoDB status variables; 64 (own choice)",
    ),
    from_number(
        ("innodb_log_waits", 1_000.0),
        Database,
        "transactions waited {n} times for room in the log buffer since the server started: it is too small, or its writes are slow",
        "A larger innodb_log_buffer_size; then the device of the redo log (fullwire disk DIRECTORY --profile my-redo)",
        "MySQL manual, InnoDB status variables",
    ),
    from_number(
        ("innodb_buffer_pool_wait_free", 1_000.0),
        Storage,
        "reads waited {n} times for a free page of the buffer pool since the server started: dirty pages are not written fast enough",
        "innodb_io_capacity and innodb_io_capacity_max as the storage really serves (fullwire disk), more page cleaners, a larger buffer pool",
        "MySQL manual, InnoDB status variables",
    ),
    from_number(
        ("wsrep_flow_control_paused", 0.1),
        Database,
        "replication of the cluster was paused for {n} of the time (1 is all of it): a node applies writes too slowly, and all wait for it",
        "The node with the largest wsrep_local_recv_queue_avg: its disk (fullwire disk), its load, wsrep_slave_threads; wsrep_flow_control_sent tells who asked",
        "Galera documentation, status variables",
    ),
    at_least(
        ("block flush time (ms)", 10.0),
        told(
            &["avg global cache", "block flush time (ms)"],
            Storage,
            "blocks of the cluster wait {n} ms for the log of the node that sends them: a slow log device looks like a slow interconnect",
            "The redo devices of all nodes: log file parallel write of the same report, and `fullwire disk DIRECTORY --profile ora-lgwr`",
            "Oracle Real Application Clusters Administration and Deployment Guide, Monitoring Performance by Analyzing GCS; 10 ms (own choice)",
        ),
    ),
    from_number(
        ("wsrep_local_recv_queue_avg", 10.0),
        Database,
        "this node has {n} writes of others waiting to be applied on average: it is the slow one",
        "Its disk (fullwire disk), its load, wsrep_slave_threads",
        "Galera documentation, status variables",
    ),
    critical(told(
        &["wsrep_cluster_status", "non-primary"],
        Network,
        "this node belongs to no majority of the cluster: it refuses all queries",
        "The network between the nodes, then which of them are up; bootstrap only when no part of the cluster is primary",
        "Galera documentation, status variables",
    )),
    from_number(
        ("checkpoints requested=(", 50.0),
        Database,
        "{n} % of the checkpoints were requested for want of room in the WAL, and not by time: each writes full pages again, and more of them",
        "A larger max_wal_size, so that checkpoint_timeout decides",
        "PostgreSQL documentation, pg_stat_bgwriter, pg_stat_checkpointer",
    ),
    from_number(
        ("buffers written by backends=(", 50.0),
        Database,
        "{n} % of the pages were written by the sessions themselves (the counter includes those that new rows add to files)",
        "A larger bgwriter_lru_maxpages and a shorter bgwriter_delay; bulk loads do it as well",
        "PostgreSQL documentation, pg_stat_bgwriter, buffers_backend",
    ),
    at_least(
        ("stood still for", 1.0),
        told(
            &["advanced to log sequence", "stood still for"],
            Database,
            "sessions stood still for up to {s} at a switch of the redo log: the next log was not free yet, because its checkpoint was not complete or it was not archived",
            "Larger redo logs, or more groups, so that a switch comes every 15 to 20 minutes; otherwise the device of the data files (DBWR) or of the archive",
            "Oracle Database Reference, log file switch (checkpoint incomplete), log file switch (archiving needed)",
        ),
    ),
    at_least(
        ("flush_lag=", 0.1),
        told(
            &["replication ", " sync ", "flush_lag="],
            Storage,
            "each commit waits {n} s for this synchronous standby to have the WAL on its disk",
            "write_lag beside it: as large, it is the network (fullwire net); small, the standby's device of the WAL (fullwire disk DIRECTORY --profile pg-wal)",
            "PostgreSQL documentation, pg_stat_replication and synchronous_commit; 0.1 s (own choice)",
        ),
    ),
    at_least(
        ("write_lag=", 1.0),
        told(
            &["replication ", "write_lag="],
            Network,
            "this standby gets the WAL {n} s late: the network to it, or the load of both hosts",
            "Throughput and loss of the path to the standby (fullwire net); what else the primary sends",
            "PostgreSQL documentation, pg_stat_replication",
        ),
    ),
    at_least(
        ("flush_lag=", 1.0),
        told(
            &["replication ", "flush_lag="],
            Storage,
            "this standby has the WAL on its disk only {n} s late, though it arrives in time: its disk takes flushes slowly. Commits that wait for it (synchronous) take as long",
            "The device of the WAL on the standby (fullwire disk DIRECTORY --profile pg-wal), and what shares it",
            "PostgreSQL documentation, pg_stat_replication",
        ),
    ),
    at_least(
        ("replay_lag=", 10.0),
        told(
            &["replication ", "replay_lag="],
            Database,
            "this standby applies the WAL {n} s late: one process applies it, behind slow reads, or it waits for queries there",
            "Conflicts with queries (max_standby_streaming_delay, pg_stat_database_conflicts), reads of the data device, recovery_prefetch",
            "PostgreSQL documentation, pg_stat_replication and hot standby",
        ),
    ),
    told(
        &["| walsync"],
        Storage,
        "sessions wait until the WAL is on its disk (WALSync): commits wait for its flush",
        "The device of the WAL: fullwire disk DIRECTORY --profile pg-wal; what else writes to it at that time",
        "PostgreSQL documentation, wait events of type IO",
    ),
    told(
        &["| walwrite"],
        Storage,
        "sessions wait for the WAL to be written (WALWrite): one session writes at a time, the others wait behind its flush",
        "The device of the WAL: fullwire disk DIRECTORY --profile pg-wal; fewer, larger commits",
        "PostgreSQL documentation, wait events of types IO and LWLock",
    ),
    told(
        &["| syncrep"],
        Network,
        "commits wait for the synchronous standby (SyncRep)",
        "pg_stat_replication tells which part: write_lag the network, flush_lag the standby's disk",
        "PostgreSQL documentation, wait events of type IPC",
    ),
    told(
        &["waiting for", "metadata lock"],
        Database,
        "statements wait for a metadata lock: a DDL statement, or backup, behind a transaction that is open",
        "sys.schema_table_lock_waits: end the transaction that blocks, or the DDL statement; no disk or network is at fault",
        "MySQL manual, Metadata Locking",
    ),
    told(
        &["waiting for semi-sync ack"],
        Network,
        "commits wait for the acknowledgement of a replica (semi-synchronous)",
        "The network to the replica and its disk (sync_relay_log)",
        "MySQL manual, semisynchronous replication",
    ),
    told(
        &["waiting for handler commit"],
        Storage,
        "sessions wait for their commit to reach the disk",
        "fsync of redo log and binary log: fullwire disk DIRECTORY --profile my-redo",
        "MySQL manual, General Thread States",
    ),
    Entry {
        any: &["replica", "sync standby"],
        ..at_least(
            ("| streaming |*|", 100.0),
            told(
                &["| streaming |", "|"],
                Database,
                "this replica is {n} MB behind the primary",
                "Which part is late: pg_stat_replication (write, flush, replay) on the primary; then the network, the replica's disk, or its replay",
                "Patroni documentation, patronictl list",
            ),
        )
    },
    told(
        &["replica", "start failed |"],
        Database,
        "a replica of the cluster does not start",
        "Its PostgreSQL log says why; patronictl reinit rebuilds it once that is known",
        "Patroni documentation, patronictl list",
    ),
    told(
        &["duration:", "statement: commit"],
        Storage,
        "a commit took {s}",
        "Look at the device of the WAL (fullwire disk DIRECTORY --profile pg-wal), and at a synchronous standby",
        "PostgreSQL documentation, log_min_duration_statement",
    ),
    at_least(
        ("sync=", 5.0),
        Entry {
            any: &["checkpoint complete", "restartpoint complete"],
            ..told(
                &["sync="],
                Storage,
                "the fsync phase of a checkpoint takes up to {s}: the storage cannot take the flush of dirty pages that piled up in the page cache",
                "Measure the storage's flush rate (fullwire disk DIRECTORY --profile pg-wal), and let the kernel write earlier: a small vm.dirty_background_bytes",
                "PostgreSQL documentation, log_checkpoints and checkpoint_flush_after",
            )
        },
    ),
    at_least(
        ("commits and rollbacks*|", 20.0),
        told(
            &["commits and rollbacks", "|"],
            Storage,
            "{n} % of the database's activity waits for commits (ADDM)",
            "The AWR report of the same time says what a log write takes (log file parallel write against log file sync): `fullwire awr FILE`",
            "Oracle Database Performance Tuning Guide, Automatic Database Diagnostic Monitor",
        ),
    ),
    at_least(
        ("\"user i/o\" wait class*|", 20.0),
        told(
            &["\"user i/o\" wait class", "|"],
            Storage,
            "{n} % of the database's activity waits for reads of users (ADDM)",
            "The AWR report of the same time says what a read takes and which statement reads: `fullwire awr FILE`",
            "Oracle Database Performance Tuning Guide, Automatic Database Diagnostic Monitor",
        ),
    ),
    from_number(
        ("tkprof: db file sequential read takes ", 5.0),
        Storage,
        "a single-block read of the traced statement takes {n} ms: a disk answers, and no flash or cache",
        "Fewer reads (the plan) or a faster device: `fullwire disk FILE-SYSTEM` measures what it gives",
        "Oracle Database SQL Tuning Guide, TKPROF, wait events",
    ),
    from_number(
        ("tkprof: log file sync takes ", 10.0),
        Storage,
        "a commit of the traced session waits {n} ms",
        "`fullwire disk DIRECTORY-OF-THE-LOG --profile ora-lgwr` measures what a log write takes there",
        "Oracle Database SQL Tuning Guide, TKPROF, wait events",
    ),
    from_number(
        ("aio writes: [", 32.0),
        Storage,
        "InnoDB's queue of page writes is long ({n} wait in its first thread of at most 64 each): the data device does not keep up",
        "iostat -x for the device of the data files; a slow one is the cause, and innodb_io_capacity cannot fix it",
        "MySQL manual, InnoDB Monitor output, FILE I/O",
    ),
    from_number(
        ("aio reads: [", 32.0),
        Storage,
        "InnoDB's queue of page reads is long ({n} wait in its first thread): the data device does not keep up",
        "iostat -x for the device of the data files; a larger buffer pool reads less",
        "MySQL manual, InnoDB Monitor output, FILE I/O",
    ),
    at_least(
        ("buffer pool:", 2.0),
        told(
            &["pending flushes (fsync) log: 0"],
            Storage,
            "{n} fsyncs of InnoDB's data files are pending: the device below has not finished them, and page writes stand behind",
            "iostat -x for the device of the data files: f_await, or w_await of a network file system",
            "MySQL manual, InnoDB Monitor output, FILE I/O",
        ),
    ),
    from_number(
        ("innodb writes pages pending=", 1.0),
        Storage,
        "{n} page writes of InnoDB are pending and none completes: the device below does not answer",
        "iostat -x for the device of the data files, and the kernel's log of that time",
        "MySQL manual, InnoDB Monitor output, BUFFER POOL AND MEMORY",
    ),
    at_least(
        ("log:", 1.0),
        told(
            &["pending flushes (fsync)"],
            Storage,
            "an fsync of InnoDB's log is pending: the file system below has not finished it, and commits wait for it",
            "Look at the storage or file system below (a network or distributed one first); there is nothing to tune in InnoDB",
            "MySQL manual, InnoDB Monitor output, FILE I/O",
        ),
    ),
    at_least(
        ("block_ms=", 20.0),
        told(
            &["plan: ", "block_ms="],
            Storage,
            "a block that this plan read took {n} ms: twice what a spinning disk needs, so the reads stood in a queue, or the storage is slow",
            "iostat -xt 10 of the data device at that time; another plan reads less, and each block no faster",
            EXPLAIN,
        ),
    ),
    at_least(
        ("i/o timings:*read=", 1_000.0),
        Entry {
            severity: Some(Severity::Info),
            ..told(
                &["i/o timings:", "read="],
                Storage,
                "{n} ms of this statement were reads from the file system or the disk",
                "Beside its execution time: most of it is slow storage, or a plan that reads too much (rows removed by filters, missing index)",
                EXPLAIN,
            )
        },
    ),
    at_least(
        ("temp read=", 1_000.0),
        Entry {
            severity: Some(Severity::Info),
            ..told(
                &["buffers:", "temp read="],
                Database,
                "a sort or hash of this statement did not fit into memory: {n} blocks of temporary files were read again",
                "A larger work_mem for this session or role; the node of the plan names the sort or hash",
                EXPLAIN,
            )
        },
    ),
    at_least(
        ("for", 10.0),
        told(
            &["seconds the semaphore"],
            Storage,
            "a thread of InnoDB has waited {s} for another one, usually for one that waits for the storage",
            "Look whether reads, writes or fsyncs are pending below FILE I/O: then it is the storage",
            "MySQL manual, InnoDB Monitor output, SEMAPHORES",
        ),
    ),
    told(
        &["active (prepared)"],
        Storage,
        "a transaction has been at its commit for {s}: its log is not flushed",
        "Look at the fsyncs that are pending, and at the storage below",
        "MySQL manual, InnoDB Monitor output, TRANSACTIONS",
    ),
    Entry {
        severity: Some(Severity::Info),
        ..told(
            &["| idle in transaction"],
            Database,
            "a session stays in a transaction and does nothing: its locks are held, and vacuum removes no row that it may still see",
            "How long since (xact_start); end the transaction in the program, or idle_in_transaction_session_timeout",
            "PostgreSQL documentation, pg_stat_activity, state",
        )
    },
    any_of(
        &[
            "tns-12516",
            "tns-12518",
            "tns-12519",
            "tns-12520",
            "ora-12516",
            "ora-12518",
            "ora-12519",
            "ora-12520",
        ],
        Database,
        "the listener could not hand a connection to the database: its processes are used up, or the host could not start one more",
        "v$resource_limit (processes, sessions) and who holds them; pool connections before the limit is raised; the kernel's log for memory that ran out",
        "Oracle Database Error Messages, TNS-12516 to TNS-12520",
    ),
    told(
        &["log write elapsed time"],
        Storage,
        "a write of the redo log took {s}",
        "Look at the device of the online logs: fullwire disk DIRECTORY --profile ora-lgwr",
        "Oracle Support 601316.1",
    ),
    told(
        &["_running: no"],
        Database,
        "replication does not run: the replica falls behind",
        "Read Last_IO_Error and Last_SQL_Error of SHOW REPLICA STATUS, then start it",
        "MySQL manual, SHOW REPLICA STATUS",
    ),
    at_least(
        ("seconds_behind_*: ", 60.0),
        told(
            &["seconds_behind", "received and not applied"],
            Database,
            "the replica applies transactions {n} s after the source, and has received more than it applied: its SQL thread is behind, not the network",
            "Its disk (iostat -xt 10) and replica_parallel_workers; the transaction that it works on (SHOW PROCESSLIST)",
            "MySQL manual, SHOW REPLICA STATUS (Source_Log_File against Relay_Source_Log_File)",
        ),
    ),
    at_least(
        ("seconds_behind_*: ", 60.0),
        told(
            &["seconds_behind", "applied as received"],
            Database,
            "the replica applies transactions {n} s after the source, and has applied all that it received: they reach it late, or one of them takes as long",
            "`fullwire net SOURCE` and the source's binary log; SHOW PROCESSLIST for a long transaction",
            "MySQL manual, SHOW REPLICA STATUS (Read_Source_Log_Pos against Exec_Source_Log_Pos)",
        ),
    ),
    at_least(
        ("seconds_behind_*: ", 60.0),
        told(
            &["seconds_behind"],
            Database,
            "the replica applies transactions {n} s after the source: what is read there is as old",
            "See whether the network brings them late or the replica applies them late (Relay_Log_Space); then its disk, and replica_parallel_workers",
            "MySQL manual, SHOW REPLICA STATUS",
        ),
    ),
    told(
        &["ora-19815"],
        Database,
        "the recovery area is full or nearly so: at 100 % archiving stops, and then the database",
        "RMAN: back the archived logs up, and let it delete what is backed up (never rm); or raise db_recovery_file_dest_size where the disks have the room",
        "Oracle Database Error Messages",
    ),
    told(
        &["ora-27054"],
        Database,
        "a file is on an NFS mount without the options that Oracle needs",
        "Mount with the options of Oracle Support 359515.1",
        "Oracle Database Error Messages",
    ),
];
