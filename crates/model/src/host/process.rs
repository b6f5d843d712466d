use fullwire_record::record;
use std::collections::BTreeMap;

/// A process.
#[record]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its parent's.
    pub parent_pid: u32,
    /// Command name.
    pub name: String,
    /// The program as it was called; of a database server also the options that are read.
    pub command_line: String,
    /// Owner.
    pub uid: Option<u32>,
    /// `R`, `S`, `D`, ...
    pub state: String,
    /// Threads.
    pub threads: u64,
    /// CPU time used, ns.
    pub cpu_ns: u64,
    /// Resident memory, bytes.
    pub rss_bytes: u64,
    /// Its limits, where they were requested.
    pub limits: Option<Limits>,
    /// How the kernel schedules it: `other`, `fifo`, `rr`, `batch`, `idle`, `deadline`; empty: not read.
    pub scheduling: String,
}

/// A process's resource limits. `u64::MAX`: unlimited.
#[record]
pub struct Limits {
    /// Locked memory, soft, bytes.
    pub memlock_soft_bytes: u64,
    /// Locked memory, hard, bytes.
    pub memlock_hard_bytes: u64,
    /// Open files, soft.
    pub nofile_soft: u64,
    /// Open files, hard.
    pub nofile_hard: u64,
    /// Processes, soft.
    pub nproc_soft: u64,
    /// Processes, hard.
    pub nproc_hard: u64,
}

/// What `pam_limits` grants a user at login, as far as a line says so.
#[record]
pub struct LoginLimits {
    /// Locked memory, soft, bytes.
    pub memlock_soft_bytes: Option<u64>,
    /// Open files, hard.
    pub nofile_hard: Option<u64>,
    /// Processes, hard.
    pub nproc_hard: Option<u64>,
}

/// A database that runs here.
#[record]
pub struct Database {
    /// `oracle`, `oracle-asm`, `postgresql`, `mysql`, `mariadb`, `mssql`.
    pub kind: String,
    /// SID, data directory or port.
    pub name: String,
    /// Its version as far as files tell it (`8.0.36`, `15`, `19.0.0`); `None`: not known.
    pub version: Option<String>,
    /// What shows the version.
    pub version_source: String,
    /// The process that stands for it (pmon, postmaster, mysqld).
    pub pid: u32,
    /// Its owner.
    pub uid: Option<u32>,
    /// Its owner's name by the host's list of users.
    pub user: Option<String>,
    /// That process's limits.
    pub limits: Option<Limits>,
    /// What limits.conf and limits.d grant its owner at login; only of Oracle.
    pub login_limits: LoginLimits,
    /// Its I/O settings where readable, by the database's own names; for Oracle those of `sqlnet.ora`.
    pub settings: BTreeMap<String, String>,
    /// Where each of its settings was read.
    pub setting_sources: BTreeMap<String, String>,
    /// A settings file of it could not be read: what is not among `settings` is unknown, and not the default.
    pub settings_partial: bool,
    /// Directories or devices that its data files are in, with their kind: `data`, `redo`, `wal`, `binlog`, `archive`.
    pub locations: BTreeMap<String, String>,
    /// Shared memory that it uses, bytes.
    pub shared_memory_bytes: Option<u64>,
    /// Room of the `/dev/shm` that its container has; `None`: it sees the host's, or the room is not told.
    pub dev_shm_bytes: Option<u64>,
    /// What its background processes tell in their titles (PostgreSQL: `checkpointer`, `walsender`, `archiver failed on
    /// SEGMENT`); `None`: no title of one was read.
    pub background: Option<Vec<String>>,
    /// It is one instance of a cluster (RAC: a `lms` or `ora_lmon` process is there).
    pub clustered: bool,
    /// Its control group's path.
    pub cgroup: String,
}

impl Database {
    /// A file that could not be read may have this setting.
    pub fn may_have_unread(&self, name: &str) -> bool {
        self.settings_partial && !self.settings.contains_key(name)
    }

    /// It does not have this setting, so that the default counts; neither where its settings are not known.
    pub fn leaves_default(&self, name: &str) -> bool {
        !self.settings.is_empty() && !self.settings_partial && !self.settings.contains_key(name)
    }
}
