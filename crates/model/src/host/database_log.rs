//! Lines of databases' own logs that report trouble, by their words: of PostgreSQL, `PgBouncer`, MySQL, MariaDB, Oracle and
//! its clusterware, SQL Server. What each kind means, and what to do, is known to the rules.

use super::errno::refused;
use super::trouble::says_trouble;
use super::words::Words;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A server has started: what it said at the start before is over.
pub const STARTED: &str = "started";

/// What a line must hold to match, all of it, and what it reports. The first that matches counts. Sources: the messages
/// of PostgreSQL (varsup.c, pgarch.c, syncrep.c, checkpointer.c, bufpage.c, postmaster.c, proc.c, fd.c, walsender.c),
/// `PgBouncer` (pooler.c, objects.c), `InnoDB` (buf0buf, srv0srv, log0log, srv0start), MySQL's `messages_to_error_log.txt`,
/// Oracle Database Error Messages, Oracle Clusterware messages (CRS), Galera (evs, gcs), MySQL's Group Replication, SQL Server's
/// error log, Db2's return codes (ZRC).
const PATTERNS: &[(&str, &[&str])] = &[
    ("disk-full", &["could not extend file", "wrote only"]),
    ("disk-full", &["The table '", "' is full"]),
    ("recovery-area", &["ORA-19809"]),
    ("recovery-area", &["ORA-19804"]),
    ("recovery-area", &["ORA-19815"]),
    // A page of ones alone was never written, or erased.
    ("corruption", &["InnoDB", "space=4294967295"]),
    ("redo-mismatch", &["InnoDB", " is in the future!"]),
    ("redo-mismatch", &["Missing FILE_CHECKPOINT"]),
    ("redo-mismatch", &["Missing MLOG_CHECKPOINT"]),
    ("myisam-open", &["is marked as crashed"]),
    ("archiving", &["Error 19504 creating archive"]),
    ("archiving", &["Archiving not possible"]),
    ("archiving", &["Archival stopped"]),
    ("archiver-stopped", &["nline logs need", "archiving"]),
    ("archiver-stopped", &["archival required"]),
    ("archiver-stopped", &["ORA-00257"]),
    ("css-absent", &["ORA-29701"]),
    ("css-absent", &["ORA-15077"]),
    ("short-file", &["could not access status of transaction"]),
    ("short-file", &["could not read from control file", "read 0 bytes"]),
    ("data-missing", &["could not open file \"global/pg_control\""]),
    ("data-missing", &["could not open relation mapping file"]),
    ("wal-missing", &["could not locate ", "checkpoint record"]),
    ("wal-missing", &["invalid checkpoint record"]),
    ("version", &["Upgrade after a crash is not supported"]),
    ("version", &["Unknown redo log format"]),
    ("redo-mismatch", &["comes from other data directory"]),
    ("media-manager", &["ORA-19511"]),
    ("media-manager", &["ORA-19513"]),
    ("media-manager", &["ORA-27023"]),
    ("media-manager", &["ORA-27028"]),
    ("media-manager", &["ORA-27030"]),
    ("corruption", &["ORA-19566"]),
    ("huge-pages", &["was terminated by signal 7"]),
    ("huge-pages", &["Bus error", "core dumped"]),
    ("short-file", &["could not read block", ": read only "]),
    ("short-file", &["ORA-01122"]),
    ("open-failed", &["ablespace", "is missing"]),
    ("open-failed", &["Operating system error number 2 "]),
    ("swap", &["eavy swapping observed"]),
    ("swap", &["excessive swapping observed"]),
    ("crash", &["terminating any other active server processes"]),
    ("crash", &["all server processes terminated; reinitializing"]),
    ("replica-purged", &["Could not find first log file name in binary log"]),
    ("replica-purged", &["purged binary logs containing"]),
    ("io-error", &["SQLB_EIO"]),
    ("disk-full", &["SQLO_DISK", "Disk full"]),
    ("io-error", &["MY-012640"]),
    ("io-error", &["MY-012646"]),
    ("standby-settings", &["because of insufficient parameter settings"]),
    ("corruption", &["InnoDB", "corrupt"]),
    ("galera-quorum", &["WSREP", "Failed to open channel"]),
    ("galera-quorum", &["WSREP", "No node with complete state"]),
    ("ended", &["ORA-01092"]),
    ("corruption", &["InnoDB", "checksum mismatch"]),
    ("open-failed", &["Neither found #innodb_redo"]),
    ("ended", &["[Server] Aborting"]),
    ("galera", &["WSREP", "timed out, no messages seen"]),
    ("asm-lost", &["ASM communication error"]),
    ("asm-lost", &["cache dismounting (not clean)"]),
    ("voting-file", &["CRS-1672"]),
    ("crash", &["ORA-12805"]),
    ("wraparound", &["far in the past"]),
    ("link-between", &["terminated by primary server"]),
    ("connections", &["too many connections for"]),
    ("standby-lost", &["restore_command failed"]),
    ("galera-transfer", &["WSREP", "wsrep_sst_", "ompleted with error"]),
    ("internal", &["ORA-00603"]),
    ("archiving", &["Archivbefehl ist fehlgeschlagen"]), // typos: as it is
    ("archiving", &["commande d'archivage", "échou"]),
    ("connections", &["tut mir leid, schon zu viele Verbindungen"]),
    ("open-failed", &["does not have the access rights"]),
    ("ended", &["ictionary initialization failed"]),
    ("galera-transfer", &["WSREP", "impossible to select State Transfer donor"]),
    ("ipc-limits", &["could not create semaphores"]),
    ("ipc-limits", &["ORA-27154"]),
    ("already-runs", &["lock file", "already exists"]),
    ("already-runs", &["Another process with pid", "socket file"]),
    ("already-runs", &["Unable to lock ", "rror: 11"]),
    // EAGAIN of the BSDs and of macOS.
    ("already-runs", &["Unable to lock ", "rror: 35"]),
    ("nologging", &["ORA-26040"]),
    ("needs-recovery", &["ORA-01113"]),
    ("file-lock", &["ORA-27086"]),
    ("nfs-options", &["NFS mount of file", "incorrect options"]),
    ("interconnect-unset", &["No cluster interconnect has been specified"]),
    ("standby-timeline", &["timeline", "of the primary is behind"]),
    ("standby-timeline", &["timeline", "forked off"]),
    ("standby-timeline", &["requested timeline", "is not a child"]),
    ("standby-timeline", &["identifier differs between the primary and standby"]),
    ("standby-timeline", &["ORA-16700"]),
    ("torn-page", &["ecover", "from the doublewrite buffer"]),
    ("galera-differs", &["WSREP", "nconsistency detected"]),
    ("galera-differs", &["WSREP", "consistency compromised"]),
    ("galera-differs", &["WSREP", "Data loss is possible"]),
    ("galera-bootstrap", &["may not be safe to bootstrap"]),
    ("galera-quorum", &["WSREP", "failed to reach primary view"]),
    ("galera-transfer", &["WSREP", "State transfer cannot be completed"]),
    ("galera", &["WSREP", "Failed to report last committed"]),
    ("galera", &["WSREP", "Send action", "returned -107"]),
    ("voting-file-lost", &["clssnmvReadBlocks", "failed"]),
    ("voting-file-lost", &["CRS-1649"]),
    ("voting-file-lost", &["CRS-1605", "offline"]),
    ("slow-start", &["not scheduled for", "msec"]),
    ("slow-start", &["ORA-12751"]),
    ("slow-start", &["failed to acquire latch"]),
    ("interconnect", &["IPC Receive Time-out detected"]),
    ("interconnect", &["no longer running (check cable)"]),
    ("cluster-process", &["LMHB", " kills "]),
    ("cluster-process", &["ORA-2977"]),
    ("cluster-process", &["detects hung instances"]),
    ("evicted", &["tries to kill the instance"]),
    ("evicted", &["Dead instances (total "]),
    ("hang", &["WAITED TOO LONG FOR A ROW CACHE"]),
    ("hang", &["lock held too long"]),
    ("hang", &["ORA-04021"]),
    ("memory", &["PGA_AGGREGATE_LIMIT"]),
    ("asm-disk-lost", &["PST-initiated drop"]),
    ("asm-refused", &["diskgroup", "was not mounted"]),
    ("standby-lost", &["Fetching gap sequence"]),
    ("standby-rejected", &["Archive log rejected"]),
    ("standby-rejected", &["FAL archive failed"]),
    ("standby-rejected", &["ORA-16401"]),
    ("standby-lost", &["to release replication slot"]),
    ("redo-transport", &["Failed to archive LNO"]),
    ("redo-transport", &["Fast-Start Failover", "threshold", "exceeded"]),
    ("redo-transport", &["ORA-03172"]),
    ("redo-transport", &["Network asynch I/O wait error"]),
    ("recovery-conflict", &["recovery still waiting after"]),
    ("archiving", &["still waiting for all required WAL segments"]),
    ("archiving", &["unable to push WAL file"]),
    ("archiving", &["archive-push", "ERROR"]),
    ("corruption", &["missing chunk number"]),
    ("corruption", &["apparent wraparound"]),
    ("corruption", &["from before rel"]),
    ("corruption", &["contains unexpected zero page"]),
    ("corruption", &["contains corrupted page"]),
    ("corruption", &["unexpected data beyond EOF"]),
    ("corruption", &["references to invalid pages"]),
    ("corruption", &["incorrect checksum in control file"]),
    ("replica", &["Error reading relay log event"]),
    ("replica", &["Relay log read failure"]),
    ("io-error", &["Binary logging not possible"]),
    ("io-error", &["ORA-00221"]),
    ("open-failed", &["must be writable"]),
    ("open-failed", &["could not ", ": Permission denied"]),
    ("open-failed", &["Failed to open log (file "]),
    ("open-failed", &["Cannot open datafile"]),
    ("open-failed", &["ORA-01116"]),
    ("open-files", &["Could not increase number of max_open_files"]),
    ("crash", &["InnoDB", "Assertion failure"]),
    ("memory", &["Using conventional memory pool"]),
    ("pst-wait", &["Waited ", "secs for", "PST"]),
    ("voting-file", &["voting file", "% of the timeout"]),
    ("voting-file", &["voting disk", "will be considered not functional"]),
    ("voting-file", &["CRS-1613"]),
    ("voting-file", &["CRS-1614"]),
    ("voting-file", &["CRS-1615"]),
    ("voting-file-lost", &["CRS-1604"]),
    ("voting-file-lost", &["CRS-1606"]),
    ("voting-file-lost", &["CRS-1714"]),
    ("interconnect", &["CRS-1618"]),
    ("interconnect", &["CRS-1610"]),
    ("interconnect", &["CRS-1611"]),
    ("interconnect", &["CRS-1612"]),
    ("interconnect", &["CRS-7503"]),
    ("interconnect", &["clssnm", "heartbeat fatal"]),
    ("interconnect", &["IPC Send timeout detected"]),
    ("resource-failed", &["CRS-2765"]),
    ("resource-failed", &["CRS-5818"]),
    ("resource-failed", &["CRS-2878"]),
    ("resource-failed", &["CRS-5017"]),
    ("evicted", &["CRS-1608"]),
    ("evicted", &["CRS-1609"]),
    ("evicted", &["CRS-1632"]),
    ("evicted", &["CRS-1652"]),
    ("evicted", &["CRS-1656"]),
    ("evicted", &["CRS-8011"]),
    ("clock", &["CRS-2409"]),
    ("clock", &["high clock drift"]),
    ("collation", &["collation version mismatch"]),
    ("clock-drift", &["VKTM detected a", "time drift"]),
    ("clock-drift", &["Time drift detected"]),
    ("dnfs-refused", &["Direct NFS", "Invalid filer wtmax"]),
    ("dnfs-refused", &["Direct NFS", "Invalid filer rtmax"]),
    ("dnfs-refused", &["must be an even multiple of 32768"]),
    ("dnfs-path", &["Direct NFS", "is DOWN"]),
    ("dnfs-path", &["Direct NFS", "disconnect"]),
    (CHECKPOINT, &["point complete", "sync="]),
    ("page-cleaner", &["page_cleaner", "intended loop took"]),
    ("page-cleaner", &["Page cleaner took", "ms to flush"]),
    ("io-hung", &["aiowait timed out"]),
    ("io-hung", &["IO process hung"]),
    ("io-hung", &["I/O requests taking longer than"]),
    ("control-file", &["ORA-00494"]),
    ("control-file", &["ORA-00239"]),
    ("control-file", &["ORA-00240"]),
    ("log-write-slow", &["log write elapsed time", "ms"]),
    ("log-write-slow", &["InnoDB: ", "fsync", "took", "ms"]),
    ("replication-timeout", &["terminating walsender process due to replication timeout"]),
    ("replication-timeout", &["terminating walreceiver due to timeout"]),
    ("galera-quorum", &["WSREP", "prim not possible"]),
    ("galera-quorum", &["WSREP", ": non-Primary"]),
    ("galera-quorum", &["WSREP", "Received NON-PRIMARY"]),
    ("galera-quorum", &["WSREP", "view_id(NON_PRIM"]),
    ("galera-transfer", &["WSREP", "Will never receive state"]),
    ("galera-transfer", &["WSREP", "State transfer", "failed"]),
    ("galera-transfer", &["WSREP", "wsrep_sst_", "Failed to read"]),
    ("galera", &["WSREP", "suspecting node"]),
    ("galera", &["WSREP", "nonlive peers: t"]),
    ("galera", &["WSREP", "declaring node with index", "inactive"]),
    ("group", &["group_replication", "expelled"]),
    ("group", &["group_replication", "unreachable"]),
    ("group-start", &["group communication engine"]),
    ("group", &["group_replication", "not able to reach a majority"]),
    ("wraparound", &["must be vacuumed within", "transactions"]),
    ("wraparound", &["is not accepting commands", "wraparound"]),
    ("wraparound", &["is not accepting commands that assign new"]),
    ("archiving", &["archive command failed with exit code"]),
    ("archiving", &["archive command was terminated by signal"]),
    ("archiving", &["archiving write-ahead log file", "failed too many times"]),
    ("archiving", &["archiving transaction log file", "failed too many times"]),
    ("archiving", &["ORA-16038"]),
    ("archiving", &["ORA-16014"]),
    ("archiving", &["ORA-19502"]),
    ("archiving", &["ORA-19504"]),
    ("standby-wait", &["canceling wait for synchronous replication"]),
    ("standby-wait", &["imeout waiting for reply of binlog"]),
    ("standby-lost", &["requested WAL segment", "has already been removed"]),
    ("standby-lost", &["invalidating", "replication slot"]),
    ("standby-lost", &["FAL[", "ailed to request gap sequence"]),
    ("standby-logs", &["ORA-16086"]),
    ("recovery-conflict", &["due to conflict with recovery"]),
    ("corruption", &["invalid page in block"]),
    ("corruption", &["page verification failed"]),
    ("corruption", &["xlog flush request", "is not satisfied"]),
    ("corruption", &["Database page corruption on disk"]),
    ("corruption", &["ORA-01578"]),
    ("corruption", &["ORA-00752"]),
    ("corruption", &["Corrupt block relative dba"]),
    ("redo-damaged", &["ORA-00353"]),
    ("redo-damaged", &["ORA-00354"]),
    ("corruption", &["ORA-01172"]),
    ("asm-damaged", &["ORA-15196"]),
    ("asm-damaged", &["ORA-15335"]),
    ("corruption", &["ORA-01243"]),
    ("corruption", &["Error: 824, Severity"]),
    ("corruption", &["logical consistency-based I/O error"]),
    ("killed", &["was terminated by signal 9"]),
    ("crash", &["server process", "was terminated by signal"]),
    ("crash", &["got signal ", " ;"]),
    ("crash", &["innodb_fatal_semaphore_wait_threshold was exceeded"]),
    ("crash", &["Semaphore wait has lasted > "]),
    ("semaphore", &["InnoDB", "A long ", "wait"]),
    ("connections", &["FATAL:  ", "remaining connection slots are reserved"]),
    ("connections", &["FATAL:  ", "sorry, too many clients already"]),
    ("connections", &["no more connections allowed (max_client_conn)"]),
    ("connections", &["query_wait_timeout"]),
    ("connections", &["Too many connections"]),
    ("connections", &["ORA-00018"]),
    ("connections", &["ORA-00020"]),
    ("client-lost", &["inbound connection timed out"]),
    ("client-lost", &["Fatal NI connect error"]),
    ("client-lost", &["TNS-12535"]),
    ("client-lost", &["could not receive data from client"]),
    ("client-lost", &["Aborted connection", "Got timeout"]),
    ("client-lost", &["could not send data to client"]),
    ("network-buffers", &["ORA-2730", "No buffer space available"]),
    ("network-buffers", &["ORA-27300", "sendmsg failed"]),
    ("network-buffers", &["ORA-27302", "sskgxpsnd"]),
    ("network-buffers", &["OS has most likely run out of buffers"]),
    ("network-buffers", &["skgxp", "resource problem in the OS"]),
    ("fork", &["could not fork"]),
    ("fork", &["ORA-27300", "fork"]),
    ("fork", &["Can't create thread"]),
    ("fork", &["unable to spawn jobq slave"]),
    ("slow-start", &["ORA-00445"]),
    ("slow-start", &["worker took too long to start"]),
    ("slow-start", &["stats collector is not responding"]),
    ("slow-start", &["Process J0", "died, see its trace file"]),
    ("slow-start", &["Non-yielding Scheduler"]),
    ("shm-small", &["could not resize shared memory segment"]),
    ("shm-small", &["ORA-00845"]),
    ("shared-memory", &["could not map anonymous shared memory"]),
    ("shared-memory", &["could not create shared memory segment"]),
    ("shared-memory", &["ORA-27102"]),
    ("shared-memory", &["ORA-27123"]),
    ("shared-memory", &["ORA-27125"]),
    ("huge-pages", &["Increase the number of unused large pages"]),
    ("huge-pages", &["Huge Pages allocation failed"]),
    ("huge-pages", &["HugePages", "insufficient"]),
    ("huge-pages", &["configure system with expected number of pages"]),
    ("disk-full", &["ORA-15041"]),
    ("tablespace", &["unable to extend"]),
    ("tablespace", &["ORA-01653"]),
    ("tablespace", &["ORA-01654"]),
    ("tablespace", &["ORA-01688"]),
    ("undo", &["ORA-01555"]),
    ("undo", &["ORA-30036"]),
    ("locks", &["still waiting for", "Lock on"]),
    ("lock-table", &["max_locks_per_transaction"]),
    ("lock-table", &["ERROR:  out of shared memory"]),
    ("locks", &["due to lock timeout"]),
    ("shared-pool", &["ORA-04031"]),
    ("memory", &["ORA-04030"]),
    ("buffer-pool", &["Difficult to find free blocks in the buffer pool"]),
    ("swap", &["Heavy swapping detected"]),
    ("swap", &["process memory has been paged out"]),
    // The applier tries a transaction again after a deadlock or a wait for a lock (replica_transaction_retries).
    ("replica-retries", &["[Warning]", "MY-001213"]),
    ("replica-retries", &["[Warning]", "MY-001205"]),
    ("replica", &["eplica SQL thread stopped"]),
    ("replica", &["Replica SQL", "Error"]),
    ("replica", &["Slave SQL", "Error"]),
    ("replica", &["Got fatal error 1236"]),
    ("replica", &["Background Media Recovery terminated"]),
    ("link-between", &["Slave I/O", "rror"]),
    ("link-between", &["Replica I/O", "rror"]),
    ("link-between", &["could not receive data from WAL stream"]),
    ("link-between", &["could not connect to the primary server"]),
    ("link-between", &["Possible network disconnect with primary"]),
    ("link-between", &["PING[ARC", "failed to connect"]),
    ("link-between", &["disconnecting from destination LOG_ARCHIVE_DEST"]),
    ("link-between", &["received logging on to the standby"]),
    ("link-between", &["unexpected EOF on standby connection"]),
    ("link-between", &["Error ", " received, closing network connection"]),
    ("link-between", &["ORA-03135"]),
    ("standby-wait", &["ORA-16198"]),
    ("locks", &["Lock wait timeout exceeded"]),
    ("innodb-redo-small", &["the age of the last checkpoint is"]),
    ("wal-small", &["checkpoints are occurring too frequently"]),
    ("redo-small", &["Checkpoint not complete"]),
    ("innodb-redo-small", &["Redo log writer is waiting for a new redo log file"]),
    ("innodb-redo-small", &["insufficient innodb_log_file_size"]),
    ("native-aio", &["io_uring_queue_init() failed"]),
    ("native-aio", &["liburing disabled"]),
    ("native-aio", &["io_setup() failed"]),
    ("native-aio", &["io_setup() attempt"]),
    ("aio-requests", &["ORA-27090"]),
    ("aio-requests", &["running out of OS kernel I/O resources"]),
    ("asm-disk-missing", &["ORA-15042"]),
    ("asm-disk-missing", &["ORA-15040"]),
    ("asm-disk-missing", &["ORA-15063"]),
    ("open-failed", &["ORA-15025"]),
    ("open-failed", &["ORA-00313"]),
    ("open-failed", &["ORA-01157"]),
    ("open-failed", &["ORA-27041"]),
    ("io-error", &["ORA-27072"]),
    ("io-error", &["ORA-00202"]),
    ("io-error", &["ORA-00204"]),
    ("io-error", &["ORA-00206"]),
    ("io-error", &["ORA-00333"]),
    ("io-error", &["ORA-00340"]),
    ("io-error", &["ORA-27061"]),
    ("io-error", &["ORA-15080"]),
    ("io-error", &["ORA-15081"]),
    ("io-error", &["ORA-00345"]),
    ("io-error", &["ORA-01114"]),
    ("io-error", &["ORA-01115"]),
    ("io-error", &["WARNING: Read Failed. group"]),
    ("io-error", &["WARNING: Write Failed. group"]),
    ("io-error", &["writing partial data failed"]),
    ("io-error", &["could not fsync file"]),
    ("io-error", &["Error: 823, Severity"]),
    ("io-error", &["could not flush dirty data"]),
    ("io-error", &["could not write block"]),
    ("io-error", &["bytes should have been written, only"]),
    ("io-error", &["Operating system error number"]),
    ("asm-disk-lost", &["is now being offlined"]),
    ("asm-disk-lost", &["initiating offline of disk"]),
    ("asm-lost", &["ORA-15130"]),
    ("asm-lost", &["ORA-15064"]),
    ("evicted", &["ORA-29740"]),
    ("cluster-process", &["ORA-29770"]),
    ("hang", &["ORA-32701"]),
    ("hang", &["Hang ID", "blocks"]),
    ("internal", &["ORA-00600"]),
    ("internal", &["ORA-07445"]),
    ("ended", &["terminating the instance due to"]),
    ("ended", &["terminating instance due to"]),
    ("crash", &["PANIC:  "]),
    (STARTED, &["starting as process"]),
    (STARTED, &["as process ", "Starting MariaDB"]),
    (STARTED, &["Starting ORACLE instance"]),
];

/// A checkpoint's report: trouble where its fsync took long.
pub const CHECKPOINT: &str = "checkpoint-sync";
/// Seconds of fsync of one checkpoint from which on it is felt (own choice).
pub const LONG_SYNC_S: f64 = 2.0;

/// Trouble by its words that no pattern knows.
pub const UNKNOWN: &str = "unknown";
/// Beginnings of what servers call errors of their own. `ERROR:` of PostgreSQL is a client's.
const TROUBLE: [&str; 4] = ["[ERROR]", "ORA-", "FATAL:  ", "WARNING: Waited"];
/// Of these what clients bring about, or what tells of an orderly stop.
const OF_CLIENT_ERRORS: [&str; 20] = [
    "in a read-only transaction",
    "duplicate key value",
    "shut down at",
    "fast shutdown request",
    "password authentication failed",
    "does not exist",
    "no pg_hba.conf entry",
    "terminating connection",
    "connection to client",
    "the database system is",
    "unsupported frontend protocol",
    "Access denied",
    "Aborted connection",
    "ORA-00001",
    "ORA-00942",
    "ORA-01017",
    "ORA-00060",
    "ORA-0000",
    "canceling",
    "role \"",
];

fn is_unknown_trouble(line: &str) -> bool {
    static MARKS: LazyLock<Words> = LazyLock::new(|| Words::new(TROUBLE));
    MARKS.is_any_in(line) && !is_of_client(line)
}

/// A client's statement, which may hold any words.
const OF_CLIENTS: [&str; 5] =
    ["STATEMENT:  ", "LOG:  statement: ", "LOG:  execute ", "CONTEXT:  ", "QUERY:  "];

/// What MySQL and `InnoDB` print with every assertion and signal, whatever the reason (`storage/innobase/ut/ut0dbg.cc`,
/// `sql/signal_handler.cc`): no sign of damage.
const OF_EVERY_ASSERTION: [&str; 5] = [
    "there may be",
    "corruption in the InnoDB tablespace",
    "or one of the libraries it was linked against is corrupt",
    "about forcing recovery",
    "intentionally generate a memory trap",
];

/// What an error of Oracle's reports by its number alone, where no pattern knows it: the ranges are those of the chapters
/// of Oracle Database Error Messages.
const NUMBERS: [(u32, u32, &str); 7] = [
    (300, 399, "redo-file"),
    (12_150, 12_699, "client-lost"),
    (15_000, 15_999, "asm-refused"),
    (16_000, 16_999, "redo-transport"),
    (27_000, 27_999, "os-refused"),
    (29_700, 29_799, "cluster-process"),
    (609, 609, "client-lost"),
];
/// The same of the clusterware's messages, which number what goes well too.
const CLUSTER_NUMBERS: [(u32, u32, &str); 4] = [
    (1_600, 1_799, "membership"),
    (2_400, 2_499, "clock"),
    (2_500, 2_999, "resource-failed"),
    (5_000, 5_999, "resource-failed"),
];

fn by_number(line: &str) -> Option<&'static str> {
    let number = |mark: &str| {
        let rest = line.split_once(mark)?.1;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok()
    };
    let within = |number: u32, ranges: &[(u32, u32, &'static str)]| {
        ranges.iter().find(|(first, last, _)| (*first..=*last).contains(&number)).map(|(.., kind)| *kind)
    };
    let of_database = || within(number("ORA-")?, &NUMBERS);
    let of_cluster =
        || within(number("CRS-")?, &CLUSTER_NUMBERS).filter(|_| says_trouble(&line.to_ascii_lowercase()));
    of_database().or_else(of_cluster)
}

/// What clients of a server bring about, or an orderly stop.
pub fn is_of_client(line: &str) -> bool {
    OF_CLIENT_ERRORS.iter().any(|mark| line.contains(mark))
}

/// Of each pattern its longest part is sought, and the others where that is there.
static LONGEST: LazyLock<Words> = LazyLock::new(|| {
    let longest = |parts: &&[&'static str]| parts.iter().copied().max_by_key(|part| part.len()).unwrap_or("");
    Words::new(PATTERNS.iter().map(|(_, parts)| longest(parts)))
});

/// Kinds that tell that something failed, and not why.
const GENERAL: [&str; 6] = ["io-error", "crash", "ended", "open-failed", "os-refused", "redo-file"];

/// What PostgreSQL writes below a message, in words of whoever sent a statement: keys of rows, what `RAISE` was given (Error
/// Message Style Guide; `elog.c`).
const BELOW: [&str; 5] = ["STATEMENT:  ", "QUERY:  ", "CONTEXT:  ", "DETAIL:  ", "HINT:  "];
/// How each of its messages begins.
const LEVELS: [&str; 6] = ["LOG:  ", "ERROR:  ", "FATAL:  ", "PANIC:  ", "WARNING:  ", "NOTICE:  "];

/// PostgreSQL wrote it: two blanks stand behind the level (`elog.c`).
pub fn is_of_postgresql(line: &str) -> bool {
    LEVELS.iter().chain(&BELOW).any(|level| line.contains(level))
}

/// What of a line of PostgreSQL's is the server's: what follows the level, and nothing below a message. Before it stand names that
/// a client chose (`log_line_prefix`, `application_name`), which may have a level in them: then the last one counts, too.
/// `None`: PostgreSQL did not write it.
pub fn servers_own(line: &str) -> Option<[&str; 2]> {
    let level = LEVELS.iter().filter_map(|level| line.find(level)).min();
    let below = BELOW.iter().filter_map(|level| line.find(level)).min();
    let Some(first) = level.filter(|level| below.is_none_or(|below| *level < below)) else {
        return below.map(|_| ["", ""]);
    };
    let last = LEVELS.iter().filter_map(|level| line.rfind(level)).max().unwrap_or(first);
    Some([&line[first..], &line[last..]])
}

/// What a line reports; `None`: no trouble. Clients choose what stands in quotes, and what a statement is.
pub fn kind_of(line: &str) -> Option<&'static str> {
    let Some([first, last]) = servers_own(line) else {
        // Of MySQL the servers' own parts report errors so, too.
        let is_quoting = ["[Note]", "[Warning]"].iter().any(|level| line.contains(level));
        return if is_quoting { kind_without_quotes(line) } else { kind_by_words(line) };
    };
    let kind = kind_without_quotes(first)?;
    (first == last || kind_without_quotes(last).is_some()).then_some(kind)
}

/// What is said with what stands in quotes and is said without it, too.
fn kind_without_quotes(line: &str) -> Option<&'static str> {
    let kind = kind_by_words(line)?;
    let is_quote = |c: char| matches!(c, '\'' | '"');
    let (from, to) = (line.find(is_quote), line.rfind(is_quote));
    match from.zip(to).filter(|(from, to)| from < to) {
        Some((from, to)) if kind_by_words(&line[from + 1..to]) == Some(kind) => {
            kind_by_words(&format!("{}{}", &line[..=from], &line[to..]))
        }
        _ => Some(kind),
    }
}

fn kind_by_words(line: &str) -> Option<&'static str> {
    let holds = |which: &usize| PATTERNS[*which].1.iter().all(|part| line.contains(part));
    // Each once, however often its part stands there.
    let asked: BTreeSet<usize> = LONGEST.found_in(line).map(|(which, _)| which).collect();
    let first = asked.into_iter().find(holds);
    let known = first.map(|which| PATTERNS[which].0).or_else(|| by_number(line));
    // Why the system refused it tells more than that something failed.
    let refused = known.is_none_or(|kind| GENERAL.contains(&kind)).then(|| refused(line)).flatten();
    let kind = refused.or(known).or_else(|| is_unknown_trouble(line).then_some(UNKNOWN))?;
    // `ORA-00312` tells which file the error before it is about.
    let says_nothing = OF_CLIENTS.iter().chain(&OF_EVERY_ASSERTION).chain(&["ORA-00312"]);
    (!says_nothing.into_iter().any(|mark| line.contains(mark))).then_some(kind)
}

/// Every kind of trouble that a line may be of.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    let numbers = NUMBERS.iter().chain(&CLUSTER_NUMBERS).map(|(.., kind)| *kind);
    let all = PATTERNS.iter().map(|(kind, _)| *kind).chain(numbers).filter(|kind| *kind != STARTED);
    all.chain(std::iter::once(UNKNOWN))
}

#[cfg(test)]
mod tests;
