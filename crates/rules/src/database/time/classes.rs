//! Which class an event is of: by its name, for Oracle's own classes put row locks beside cancelled statements, and full
//! redo buffers beside full undo; by the class printed where the name is none of these.
//!
//! Source: Oracle Database Reference, appendix "Oracle Wait Events".

use crate::database::report;
use fullwire_model::assessment::TimeClass;
use fullwire_model::demand::AwrReport;

/// A class, and which part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) class: TimeClass,
    /// In words.
    pub(super) part: &'static str,
}

impl Kind {
    pub(super) const CPU: Self = Self { class: TimeClass::Cpu, part: "CPU" };
}

pub(super) const SINGLE_READS: &str = "single-block reads";
pub(super) const MULTI_READS: &str = "multi-block reads";
pub(super) const DIRECT_READS: &str = "direct reads";
pub(super) const TEMPORARY: &str = "temporary files";
pub(super) const LOG_WRITES: &str = "commits that wait for log writes";
pub(super) const TRANSPORT: &str = "commits that wait for a synchronous standby";
pub(super) const COMMITS: &str = "commits";
const LOG_SPACE: &str = "log switches and a full log buffer";
const WRITER: &str = "writes of the database writer";

/// The beginning of an event's name, its class, its part. The first that fits counts.
type Line = (&'static str, TimeClass, &'static str);

use TimeClass::{Contention, Interconnect, Io, Locks, Network, Other, ResourceManager};

const EVENTS: &[Line] = &[
    ("db file sequential read", Io, SINGLE_READS),
    ("cell single block", Io, SINGLE_READS),
    ("read by other session", Io, SINGLE_READS),
    ("db file parallel read", Io, "reads of lists of blocks"),
    ("cell list of blocks", Io, "reads of lists of blocks"),
    ("db file scattered read", Io, MULTI_READS),
    ("cell multiblock", Io, MULTI_READS),
    ("direct path read temp", Io, TEMPORARY),
    ("direct path write temp", Io, TEMPORARY),
    ("direct path read", Io, DIRECT_READS),
    ("cell smart", Io, DIRECT_READS),
    ("cell external", Io, DIRECT_READS),
    ("direct path", Io, "direct writes"),
    ("free buffer waits", Io, WRITER),
    ("write complete waits", Io, WRITER),
    ("local write wait", Io, WRITER),
    ("checkpoint completed", Io, WRITER),
    ("enq: KO", Io, WRITER),
    ("enq: RO", Io, WRITER),
    ("enq: CR", Io, WRITER),
    ("flashback buf free", Io, "writes of the flashback log"),
    ("log buffer space", Io, LOG_SPACE),
    ("log file switch", Io, LOG_SPACE),
    ("switch logfile command", Io, LOG_SPACE),
    ("control file", Io, "the control file"),
    ("enq: CF", Io, "the control file"),
    ("cell ", Io, "other I/O"),
    ("Disk file", Io, "other I/O"),
    ("Data file init", Io, "other I/O"),
    ("db file", Io, "other I/O"),
    ("async disk IO", Io, "other I/O"),
    ("RMAN", Io, "backups"),
    ("Backup:", Io, "backups"),
    ("acknowledge over PGA limit", Other, "the limit of private memory"),
    ("resmgr:", ResourceManager, "the resource manager"),
    ("enq: TX - index contention", Contention, "index blocks"),
    ("enq: TX - allocate ITL", Contention, "blocks"),
    ("enq: HW", Contention, "the high water mark"),
    ("enq: SQ", Contention, "sequences"),
    ("enq: SV", Contention, "sequences"),
    ("enq: RC", Contention, "the result cache"),
    ("enq: SS", Contention, "temporary segments"),
    ("enq: US", Contention, "undo segments"),
    ("enq: FB", Contention, "block formatting"),
    ("enq: PS", Other, "parallel execution"),
    ("enq:", Locks, "locks"),
    ("enqueue", Locks, "locks"),
    ("latch", Contention, "latches"),
    ("wait list latch", Contention, "latches"),
    ("cursor:", Contention, "mutexes of cursors"),
    ("library cache", Contention, "the library cache"),
    ("row cache", Contention, "the dictionary cache"),
    ("buffer busy global", Interconnect, "blocks of other instances"),
    ("buffer busy", Contention, "busy buffers"),
    ("kksfbc child", Contention, "mutexes of cursors"),
    ("gc ", Interconnect, "blocks of other instances"),
    ("gcs ", Interconnect, "blocks of other instances"),
    ("global cache", Interconnect, "blocks of other instances"),
    ("ges ", Interconnect, "locks of other instances"),
    ("DFS lock handle", Interconnect, "locks of other instances"),
    ("SQL*Net message from dblink", Network, "database links"),
    ("SQL*Net more data from dblink", Network, "database links"),
    ("SQL*Net vector data from dblink", Network, "database links"),
    ("SQL*Net", Network, "clients"),
    ("TCP Socket", Network, "clients"),
    ("DB CPU", TimeClass::Cpu, "CPU"),
    ("CPU time", TimeClass::Cpu, "CPU"),
    ("CPU + Wait for CPU", TimeClass::Cpu, "CPU"),
];

/// Idle, or of background processes alone: no part of DB time, wherever a report lists them.
const NO_PART: &[&str] = &[
    "SQL*Net message from client",
    "SQL*Net vector message from client",
    "SQL*Net break/reset",
    "rdbms ipc message",
    "pmon timer",
    "pman timer",
    "smon timer",
    "dispatcher",
    "virtual circuit",
    "shared server idle",
    "jobq slave wait",
    "class slave wait",
    "wait for unread message",
    "PX Idle",
    "PX Deq: Execution Msg",
    "PX Deq Credit: need buffer",
    "parallel recovery slave",
    "Streams AQ: wait",
    "Streams AQ: qmn",
    "Space Manager",
    "PL/SQL lock timer",
    "pipe get",
    "single-task message",
    "DIAG idle",
    "VKTM",
    "VKRM",
    "ASM background timer",
    "gcs remote message",
    "ges remote message",
    "LNS ASYNC",
    "Null event",
    "null event",
    "lock manager wait",
    "i/o slave wait",
    "wakeup time manager",
    "queue messages",
    "heartbeat",
    "OFS idle",
    "log file parallel write",
    "log file sequential read",
    "log file single write",
    "db file parallel write",
    "db file async I/O submit",
    "control file parallel write",
    "LGWR",
    "LNS",
    "ARCH",
    "SYNC Remote Write",
    "Redo Transport",
    "log archive I/O",
    "latch: redo writing idle",
    "Log archive",
];

/// The class of an event; `None`: it is idle, or of the background.
pub(super) fn kind_of(report: &AwrReport, event: &str, printed: Option<&str>) -> Option<Kind> {
    if NO_PART.iter().any(|start| event.starts_with(start)) || printed == Some("Idle") {
        return None;
    }
    if event == "log file sync" {
        return Some(commit(report));
    }
    if let Some((_, class, part)) = EVENTS.iter().find(|(start, ..)| event.starts_with(start)) {
        return Some(Kind { class: *class, part });
    }
    let class = match printed.unwrap_or("") {
        "User I/O" | "System I/O" => Kind { class: Io, part: "other I/O" },
        "Concurrency" => Kind { class: Contention, part: "contention in memory" },
        "Application" => Kind { class: TimeClass::Application, part: "the application" },
        "Cluster" => Kind { class: Interconnect, part: "other instances" },
        "Scheduler" => Kind { class: ResourceManager, part: "the resource manager" },
        "Network" => Kind { class: Network, part: "clients" },
        _ => Kind { class: Other, part: "other waits" },
    };
    Some(class)
}

/// What a commit waits for: the log device, a standby, or neither.
fn commit(report: &AwrReport) -> Kind {
    match report::commit_parts(report) {
        Some(commit) if commit.is_standby() => Kind { class: Io, part: TRANSPORT },
        Some(commit) if commit.is_write() => Kind { class: Io, part: LOG_WRITES },
        // Without the log writer's own wait nothing tells the two apart: that the device is slow is not claimed.
        _ => Kind { class: TimeClass::Commits, part: COMMITS },
    }
}
