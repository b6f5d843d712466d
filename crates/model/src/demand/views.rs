//! What an Oracle instance says of its storage and its standbys in its `V$` views, from a listing.

use crate::Gap;
use fullwire_record::record;

/// Listings of `V$` views. `None`: the listing has no such view; an empty list: the view has no rows.
#[record]
pub struct OracleViews {
    /// The files that were read.
    pub sources: Vec<String>,
    /// `V$DATABASE`: the database and its role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<OracleDatabase>,
    /// `V$ASM_DISKGROUP`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asm_groups: Option<Vec<AsmGroup>>,
    /// `V$ASM_DISK`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asm_disks: Option<Vec<AsmDisk>>,
    /// `V$ASM_OPERATION`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asm_operations: Option<Vec<AsmOperation>>,
    /// `V$LOG`: groups of the online redo log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redo_groups: Option<Vec<RedoGroup>>,
    /// `V$STANDBY_LOG`: groups of the standby redo log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standby_groups: Option<Vec<RedoGroup>>,
    /// `V$ARCHIVE_DEST`: destinations that are set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destinations: Option<Vec<ArchiveDestination>>,
    /// `V$DATAGUARD_STATS`: has rows on a standby only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataguard: Option<Vec<DataguardStat>>,
    /// `V$RECOVERY_FILE_DEST`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery_areas: Option<Vec<RecoveryArea>>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

impl OracleViews {
    /// What the files are called in evidence.
    pub fn source(&self) -> String {
        self.sources.join(", ")
    }

    /// A disk group by its number.
    pub fn asm_group(&self, number: u64) -> Option<&AsmGroup> {
        self.asm_groups.as_ref()?.iter().find(|group| group.number == Some(number))
    }

    /// Adds what another file lists.
    pub fn extend(&mut self, other: Self) {
        fn join<T>(into: &mut Option<Vec<T>>, other: Option<Vec<T>>) {
            if let Some(rows) = other {
                into.get_or_insert_with(Vec::new).extend(rows);
            }
        }
        self.sources.extend(other.sources);
        self.database = self.database.take().or(other.database);
        join(&mut self.asm_groups, other.asm_groups);
        join(&mut self.asm_disks, other.asm_disks);
        join(&mut self.asm_operations, other.asm_operations);
        join(&mut self.redo_groups, other.redo_groups);
        join(&mut self.standby_groups, other.standby_groups);
        join(&mut self.destinations, other.destinations);
        join(&mut self.dataguard, other.dataguard);
        join(&mut self.recovery_areas, other.recovery_areas);
        self.gaps.extend(other.gaps);
    }
}

/// The database that was asked (`V$DATABASE`).
#[record]
pub struct OracleDatabase {
    /// Its unique name.
    pub name: String,
    /// `PRIMARY`, `PHYSICAL STANDBY`, `LOGICAL STANDBY`, `SNAPSHOT STANDBY`, `FAR SYNC`.
    pub role: String,
    /// The protection that is configured: `MAXIMUM PERFORMANCE`, `MAXIMUM AVAILABILITY`, `MAXIMUM PROTECTION`.
    pub protection_mode: String,
    /// The protection that there is now; `RESYNCHRONIZATION` while the standby catches up.
    pub protection_level: String,
}

/// A disk group of ASM.
#[record]
pub struct AsmGroup {
    /// Its number; `None`: a listing of `asmcmd lsdg` has none.
    pub number: Option<u64>,
    /// Its name.
    pub name: String,
    /// `MOUNTED`, `CONNECTED`, `DISMOUNTED`, ...
    pub state: String,
    /// `EXTERN`, `NORMAL`, `HIGH`, `FLEX`, `EXTEND`.
    pub redundancy: String,
    /// All of it, before mirroring, bytes.
    pub total_bytes: Option<u64>,
    /// Free, before mirroring, bytes.
    pub free_bytes: Option<u64>,
    /// What must be free so that the mirrors of the worst failure fit elsewhere, bytes.
    pub required_mirror_free_bytes: Option<u64>,
    /// What new files may take while that still holds, after mirroring, bytes; below 0 it no longer holds.
    pub usable_file_bytes: Option<i64>,
    /// Disks that are offline.
    pub offline_disks: Option<u64>,
    /// Allocation unit, bytes.
    pub allocation_unit_bytes: Option<u64>,
    /// It has voting files of the cluster.
    pub voting_files: Option<bool>,
}

/// A disk of ASM.
#[record]
pub struct AsmDisk {
    /// Its group's number; 0: of none that is mounted.
    pub group: u64,
    /// Its name.
    pub name: String,
    /// Its device as ASM found it; empty while the disk is missing.
    pub path: String,
    /// Its failure group.
    pub failure_group: String,
    /// `REGULAR`, `QUORUM`.
    pub failure_group_kind: String,
    /// `CACHED`, `OPENED`, `MISSING`, `CLOSED`, ...
    pub mount_status: String,
    /// `MEMBER`, `CANDIDATE`, `FOREIGN`, ...
    pub header_status: String,
    /// `ONLINE`, `OFFLINE`, `SYNCING`.
    pub mode_status: String,
    /// `NORMAL`, `DROPPING`, `HUNG`, `FORCING`, ...
    pub state: String,
    /// Bytes.
    pub total_bytes: Option<u64>,
    /// Free, bytes.
    pub free_bytes: Option<u64>,
    /// Reads that failed since the group was mounted.
    pub read_errors: Option<u64>,
    /// Writes that failed since then.
    pub write_errors: Option<u64>,
    /// Reads since then.
    pub reads: Option<u64>,
    /// Time that they took, s.
    pub read_s: Option<f64>,
}

/// Long work on a disk group.
#[record]
pub struct AsmOperation {
    /// Its group's number.
    pub group: u64,
    /// `REBAL`, `DSCV`, ...
    pub operation: String,
    /// `RUN`, `WAIT`, `HALT`, `ERRORS`, ...
    pub state: String,
    /// Power requested.
    pub power: Option<u64>,
    /// What ASM thinks is left, minutes.
    pub minutes_left: Option<u64>,
    /// The error that stopped it.
    pub error: String,
}

/// A group of an online or standby redo log.
#[record]
pub struct RedoGroup {
    /// Thread; 0: a standby log that any thread may use.
    pub thread: u64,
    /// Number.
    pub group: u64,
    /// Bytes.
    pub bytes: u64,
}

/// A destination of archived redo.
#[record]
pub struct ArchiveDestination {
    /// `N` of `log_archive_dest_N`.
    pub id: u64,
    /// `VALID`, `DEFERRED`, `ERROR`, `DISABLED`, `ALTERNATE`, `FULL`, ...
    pub status: String,
    /// `PRIMARY` (here), `STANDBY` (another database).
    pub target: String,
    /// A directory, or a service name.
    pub destination: String,
    /// What was wrong last.
    pub error: String,
    /// `SYNCHRONOUS`, `PARALLELSYNC`, `ASYNCHRONOUS`.
    pub transmit_mode: String,
    /// The standby acknowledges when the redo is on its disk.
    pub affirm: Option<bool>,
    /// Seconds that a commit waits for a standby that does not answer.
    pub net_timeout_s: Option<u64>,
    /// Minutes by which the standby applies later on purpose.
    pub delay_minutes: Option<u64>,
}

impl ArchiveDestination {
    /// Another database.
    pub fn is_remote(&self) -> bool {
        matches!(self.target.as_str(), "STANDBY" | "REMOTE")
    }

    /// Commits wait for it.
    pub fn is_synchronous(&self) -> bool {
        self.is_remote() && matches!(self.transmit_mode.as_str(), "SYNCHRONOUS" | "PARALLELSYNC")
    }
}

/// A line of `V$DATAGUARD_STATS`.
#[record]
pub struct DataguardStat {
    /// `transport lag`, `apply lag`, `apply finish time`, `estimated startup time`.
    pub name: String,
    /// As printed (`+00 00:00:03`).
    pub value: String,
    /// The value as a time, s; `None`: empty, or no time.
    pub seconds: Option<f64>,
    /// How old what it is computed from was then, s (`TIME_COMPUTED` less `DATUM_TIME`).
    pub datum_age_s: Option<f64>,
}

/// The fast recovery area.
#[record]
pub struct RecoveryArea {
    /// Where it is.
    pub name: String,
    /// What it may use (`db_recovery_file_dest_size`), bytes.
    pub limit_bytes: u64,
    /// What it uses, bytes.
    pub used_bytes: u64,
    /// What of that is deleted when room is needed, bytes.
    pub reclaimable_bytes: u64,
}
