//! What databases report in their own logs, by the kind of line (`fullwire_model::database_log`).

mod oracle;

use super::{Entry, kinds};
use fullwire_model::assessment::Layer::{self, Database, Host, Network, Storage};
use fullwire_model::assessment::Severity::{self, Critical, Info, Warning};

const POSTGRES: &str =
    "PostgreSQL documentation and source (checkpointer.c, walsender.c, postmaster.c, dsm_impl.c)";
const MYSQL: &str = "MySQL Error Message Reference, Group Replication; InnoDB (buf0flu, srv0srv); Galera documentation, evs and gcs";
const ALL: &str = "PostgreSQL documentation; MySQL Error Message Reference; Oracle Database Error Messages";

/// What a line of a kind that [`fullwire_model::host::database_log::kind_of`] names means; how bad one of the last day is.
const fn kind(
    name: &'static str,
    layer: Layer,
    severity: Severity,
    says: &'static str,
    now: &'static [&'static str],
    source: &'static str,
) -> Entry {
    let entry = kinds::kind(name, (&[], &[]), (layer, severity), says, now, source);
    Entry { why: "The server reports it itself.", ..entry }
}

/// What each kind of line means.
pub(crate) fn database_kinds() -> impl Iterator<Item = &'static Entry> {
    oracle::KINDS.iter().chain(KINDS)
}

const KINDS: &[Entry] = &[
    kind(
        "wraparound",
        Database,
        Critical,
        "transaction IDs run out: the server soon refuses writes",
        &[
            "End old transactions, drop unused replication slots and prepared transactions, then `vacuum` the database named as a superuser; let autovacuum run",
        ],
        POSTGRES,
    ),
    kind(
        "corruption",
        Storage,
        Critical,
        "a block on disk is damaged, or a write of it was lost",
        &[
            "Restore the block, table or file from a backup, once a copy of the damaged one is kept; check memory and storage below, else it comes again",
        ],
        ALL,
    ),
    kind(
        "short-file",
        Storage,
        Critical,
        "a file of the database is not what the server expects: shorter, or of another time",
        &[
            "The line names the file: is it whole there (ls -l), can it be read (cat FILE > /dev/null), is its file system mounted? An error number beside it tells what the system refused",
            "Of PostgreSQL see which relation it is (pg_filenode_relation): an index is made anew (REINDEX); only a table or data file that is really gone needs the backup",
        ],
        ALL,
    ),
    kind(
        "redo-mismatch",
        Storage,
        Critical,
        "data files and redo log of InnoDB are of different moments: the log was removed, or one of them is from another backup",
        &[
            "Put back data files and redo log of the same moment; a copy of a running server is none (mariabackup, xtrabackup, a dump are)",
            "Without one: start it with innodb_force_recovery, dump everything, load it into a new server. Never delete the redo log of a server that was not shut down cleanly",
        ],
        ALL,
    ),
    kind(
        "myisam-open",
        Database,
        Warning,
        "a table of MyISAM or Aria was open when the server or its host stopped, and is closed until it is repaired",
        &[
            "A copy of its files first; then CHECK TABLE and REPAIR TABLE (mysqlcheck -r). See in the log why the server stopped; InnoDB repairs itself",
        ],
        MYSQL,
    ),
    kind(
        "archiver-stopped",
        Database,
        Critical,
        "the database stands still: no log can be switched to before one is archived",
        &[
            "Why archiving does not go on: room in its destination (df; v$recovery_file_dest), or the error in v$archive_dest. Archived logs are removed by RMAN alone, once they are backed up",
        ],
        "Oracle Database Administrator's Guide, Managing Archived Redo Log Files; ORA-00257",
    ),
    kind(
        "wal-missing",
        Storage,
        Critical,
        "the server does not find the log that it must start from: a backup without its WAL, a copy of a running server, an initialisation that was cut off, or lost writes",
        &[
            "Copy the whole data directory before anything else: pg_resetwal gives up what was committed, never on the only copy",
            "Of a restored backup: give it the missing WAL (restore_command), and leave backup_label where it is; else restore a whole one",
        ],
        POSTGRES,
    ),
    kind(
        "data-missing",
        Storage,
        Critical,
        "a file that every server has is not in the data directory: it was removed or replaced, its volume is not mounted, or its initialisation was cut off",
        &["Is the right volume mounted there, and whole (ls -l)? Else restore the directory as one"],
        POSTGRES,
    ),
    kind(
        "version",
        Database,
        Critical,
        "the files are of another version than the server that was started on them, or were not closed by theirs",
        &[
            "Start the version that wrote them and stop it cleanly (innodb_fast_shutdown=0), then upgrade; never remove the redo log",
        ],
        MYSQL,
    ),
    kind(
        "media-manager",
        Storage,
        Warning,
        "a backup to tape or to a backup server failed: the words of the backup's own product say why",
        &[
            "Read the text behind ORA-19511 (ANS, ANR: IBM; VxBSA: Veritas; DDBoost: Dell): room in its pool, its network, its licence. Nothing is wrong in the database; run the backup again afterwards",
        ],
        ALL,
    ),
    kind(
        "crash",
        Database,
        Critical,
        "the server crashed",
        &[
            "Look at what the log and the kernel's log say just before: a kill for lack of memory, storage that hung, a defect",
        ],
        ALL,
    ),
    kind(
        "replica-purged",
        Database,
        Critical,
        "the source has deleted binary logs that the replica still needed: it cannot catch up any more",
        &[
            "Build the replica anew (clone, a backup); then keep binary logs for longer than a replica may be away (binlog_expire_logs_seconds)",
        ],
        MYSQL,
    ),
    kind(
        "killed",
        Host,
        Critical,
        "a process of the server was killed (signal 9), as the kernel does when memory runs out",
        &[
            "Look at the kernel's log of that time for the OOM killer; compare what the database may use with the memory of the host and of its control group",
        ],
        POSTGRES,
    ),
    kind(
        "disk-full",
        Host,
        Critical,
        "no space was left to write to",
        &[
            "Make room on the file system or disk group named, then find what filled it. Files of a database go by its own means alone: never remove those of pg_wal, binary logs or redo by hand",
        ],
        ALL,
    ),
    kind(
        "fork",
        Host,
        Critical,
        "no process could be started",
        &["Raise the limits on processes and memory that stopped it, or let fewer sessions in"],
        ALL,
    ),
    kind(
        "slow-start",
        Host,
        Warning,
        "a process of the server's own did not get on in time: the host was short of CPU or memory, or its disk stood still",
        &[
            "Look at the run queue, at swap and at the latency of the disks at that time; limits on processes next",
        ],
        ALL,
    ),
    kind(
        "io-error",
        Storage,
        Critical,
        "a read or write of the database failed",
        &["Look at the kernel's log at the same time for the device; verify the files named"],
        ALL,
    ),
    kind(
        "open-files",
        Host,
        Warning,
        "it ran out of file descriptors",
        &["Raise LimitNOFILE of its unit and restart it"],
        ALL,
    ),
    kind(
        "memory",
        Host,
        Warning,
        "an allocation of memory failed",
        &["Compare what it may use (SGA, pools, work memory times sessions) with the memory of the host"],
        ALL,
    ),
    kind(
        "shared-memory",
        Host,
        Critical,
        "the server could not get its shared memory",
        &[
            "Error 28 of the operating system means kernel.shmall is too small, 22 kernel.shmmax, 12 that memory or free huge pages do not suffice, 1 that the owner may not lock memory (memlock, vm.hugetlb_shm_group)",
        ],
        ALL,
    ),
    kind(
        "shm-small",
        Host,
        Warning,
        "/dev/shm is too small for the server's shared memory; no disk is full",
        &[
            "Enlarge it: in a container `--shm-size` or an emptyDir of medium Memory, on a host the size of its mount",
        ],
        ALL,
    ),
    kind(
        "swap",
        Host,
        Warning,
        "the host swaps heavily, the server says",
        &[
            "Size SGA or pools, sessions and other programs below the memory of the host; huge pages are never swapped",
        ],
        ALL,
    ),
    kind(
        "connections",
        Database,
        Warning,
        "sessions were turned away: all connections are taken",
        &["Find what keeps them open; pool connections instead of raising the limit"],
        ALL,
    ),
    kind(
        "client-lost",
        Network,
        Info,
        "connections of clients broke off, could not be made, or did not finish their login in time",
        &[
            "Look at the clients and at idle limits of firewalls between (SQLNET.EXPIRE_TIME and TCP keepalive keep connections alive); logins that take long mean a busy host",
        ],
        ALL,
    ),
    kind(
        "locks",
        Database,
        Info,
        "sessions wait for locks of others",
        &["See who holds them (pg_blocking_pids), and how long its transaction has been open"],
        POSTGRES,
    ),
    kind(
        "buffer-pool",
        Storage,
        Warning,
        "InnoDB found no free page in its buffer pool: pages are not flushed as fast as they are needed",
        &[
            "Look at the write latency of the data device; then innodb_buffer_pool_size and innodb_lru_scan_depth",
        ],
        MYSQL,
    ),
    kind(
        "semaphore",
        Storage,
        Warning,
        "a thread of InnoDB waited minutes for another one, as a rule for one that waits for the storage",
        &["Look whether reads, writes or fsyncs are pending (show engine innodb status, FILE I/O)"],
        MYSQL,
    ),
    kind(
        "archiving",
        Database,
        Warning,
        "a log could not be archived",
        &[
            "Run the archive command by hand as the server's user and fix what it reports; until then its logs fill the disk. Of Oracle: room and permissions of the archive destination",
        ],
        ALL,
    ),
    kind(
        "standby-wait",
        Network,
        Warning,
        "commits went on without their standby",
        &["Bring the standby back, or change what commits wait for"],
        ALL,
    ),
    kind(
        "standby-lost",
        Database,
        Warning,
        "a standby needs logs that are gone",
        &[
            "Restore them from the archive, or build the standby anew; a replication slot keeps them next time, within max_slot_wal_keep_size: without that bound the primary's disk fills while the standby is away",
        ],
        ALL,
    ),
    kind(
        "standby-rejected",
        Database,
        Info,
        "a standby did not take a log that it had asked for: as a rule it is just receiving the same log, and nothing is missing",
        &[
            "V$ARCHIVE_GAP on the standby: a row in it is a log that is missing. Online logs that switch every few seconds bring it about: larger ones switch less often",
        ],
        ALL,
    ),
    kind(
        "recovery-conflict",
        Database,
        Info,
        "a standby cancelled queries that its recovery waited for",
        &["hot_standby_feedback, or a longer max_standby_streaming_delay on a standby for reports"],
        POSTGRES,
    ),
    kind(
        "replica",
        Database,
        Warning,
        "replication has stopped",
        &["Mend what the line names, then start the replica again"],
        ALL,
    ),
    kind(
        "replica-retries",
        Database,
        Info,
        "the replica tries transactions again after deadlocks or waits for locks: nothing has stopped",
        &["Many of them delay it: what holds the rows on the replica (queries, backups)?"],
        MYSQL,
    ),
    kind(
        "link-between",
        Network,
        Warning,
        "the connection between primary and standby broke or could not be made",
        &[
            "Look at listener, network and load of the other side at that time; a firewall may cut idle connections",
        ],
        ALL,
    ),
    kind(
        "replication-timeout",
        Network,
        Warning,
        "the connection to a standby was given up for lack of an answer",
        &[
            "Look at the network to the standby and at its disk: a standby that cannot write does not answer. Raise the timeout only once both are sound",
        ],
        POSTGRES,
    ),
    kind(
        "native-aio",
        Host,
        Warning,
        "the server does without asynchronous I/O since it was started",
        &["Raise fs.aio-max-nr, or LimitMEMLOCK of its unit for io_uring, then restart it"],
        MYSQL,
    ),
    kind(
        "redo-small",
        Database,
        Info,
        "the redo log wraps before its checkpoint is done",
        &[
            "Enlarge the redo logs: larger or more groups in Oracle, max_wal_size in PostgreSQL, innodb_redo_log_capacity in MySQL",
        ],
        ALL,
    ),
    kind(
        "checkpoint-sync",
        Storage,
        Warning,
        "the fsync phase of a checkpoint took seconds: the storage cannot take the flush of what piled up in the page cache",
        &[
            "Measure the flush rate (`fullwire disk DIRECTORY --profile my-redo`); let the kernel write earlier (vm.dirty_background_bytes, checkpoint_flush_after), and spread the checkpoint (checkpoint_completion_target 0.9)",
        ],
        POSTGRES,
    ),
    kind(
        "page-cleaner",
        Storage,
        Warning,
        "InnoDB's page cleaner was late: flushing of dirty pages took longer than the second that it has",
        &[
            "Look at the write latency of the data device at that time; innodb_io_capacity above what the device does makes it worse",
        ],
        MYSQL,
    ),
    kind(
        "io-hung",
        Storage,
        Critical,
        "an I/O of the database did not come back for a long time",
        &[
            "Look at the kernel's log and the paths of the storage at the same time: the device or array did not answer",
        ],
        ALL,
    ),
    kind(
        "log-write-slow",
        Storage,
        Warning,
        "a write of the log took far longer than usual",
        &[
            "Look at the latency of the log's device at that time (`iostat -x`, `fullwire disk --profile ora-lgwr`), and at what shares it",
        ],
        ALL,
    ),
    kind(
        "galera",
        Network,
        Warning,
        "a node of the Galera cluster was suspected or partitioned",
        &["Look at loss and latency between the nodes at that time, and at pauses of the node (I/O, swap)"],
        MYSQL,
    ),
    kind(
        "galera-quorum",
        Network,
        Critical,
        "the node has no quorum in the Galera cluster and serves no client",
        &[
            "Bring the other nodes or the network to them back; bootstrap one only once it is certain that no other serves",
        ],
        MYSQL,
    ),
    kind(
        "galera-transfer",
        Network,
        Warning,
        "the state transfer to a node of the Galera cluster failed",
        &["Read the log of the donor and of the transfer's tool at that time: network, room, or its user"],
        MYSQL,
    ),
    kind(
        "group",
        Network,
        Warning,
        "a member of the group replication was unreachable or expelled",
        &[
            "Look at loss and latency between the members at that time, and at pauses of the member (I/O, swap)",
        ],
        MYSQL,
    ),
    kind(
        "ipc-limits",
        Host,
        Critical,
        "the server could not get its semaphores: the limits of kernel.sem are used up; no disk is full",
        &[
            "Raise kernel.sem (the count of sets and of all semaphores); `ipcs -s`: sets that a server left behind",
        ],
        ALL,
    ),
    kind(
        "already-runs",
        Database,
        Warning,
        "the server found its files in use: another one runs on them, or one that was not stopped",
        &[
            "See who has them open (`fuser -v`, `lsof`) and on which host, for a shared volume; never remove the lock file while one may run: two servers on one directory destroy it",
        ],
        ALL,
    ),
    kind(
        "standby-timeline",
        Database,
        Warning,
        "a standby and its primary went different ways (timeline, or not the same cluster): it cannot follow",
        &["Make certain which one is the primary; then pg_rewind the other, or build it anew from a backup"],
        POSTGRES,
    ),
    kind(
        "torn-page",
        Storage,
        Warning,
        "a page was half written when the server or host stopped, and was restored from the doublewrite buffer",
        &["Why did it stop? Leave the doublewrite buffer on: without it the page would be lost"],
        MYSQL,
    ),
    kind(
        "galera-differs",
        Database,
        Critical,
        "the data of a Galera node differ from those of the cluster, and it left it",
        &[
            "Keep it out until it is clear which rows differ; a full state transfer (SST) replaces its data with the cluster's: save what only it has first",
        ],
        MYSQL,
    ),
    kind(
        "galera-bootstrap",
        Database,
        Critical,
        "a Galera node refuses to start the cluster, because others may have newer data",
        &[
            "Compare grastate.dat of all nodes (`mysqld --wsrep-recover` where seqno is -1): bootstrap the one with the highest; do not set safe_to_bootstrap by hand on another",
        ],
        MYSQL,
    ),
    kind(
        "standby-settings",
        Database,
        Critical,
        "a standby has lower limits than its primary (connections, workers, locks), and its recovery stops",
        &[
            "Set what the next line names as high as on the primary, and restart the standby; raise it there first the next time",
        ],
        POSTGRES,
    ),
    kind(
        "unknown",
        Database,
        Info,
        "the database reports trouble that fullwire does not know",
        &["Read the line; look whether it falls together with the time of the complaint"],
        "what no kind above is for",
    ),
];
