use fullwire_record::record;

/// A mounted file system.
#[record]
pub struct Mount {
    /// What is mounted (`/dev/mapper/data`, `filer:/vol/ora`).
    pub source: String,
    /// Where.
    pub target: String,
    /// Type (`ext4`, `nfs4`).
    pub fs_type: String,
    /// `MAJOR:MINOR` of its device.
    pub number: String,
    /// Options of the mount and of the file system, without doubles.
    pub options: Vec<String>,
    /// Space; `None`: not asked (a network file system that may hang) or refused.
    pub space: Option<Space>,
    /// Block size of the file system, bytes.
    pub block_bytes: Option<u64>,
    /// Errors that the file system found in itself since its last check; only ext4 counts them.
    pub errors: Option<u64>,
    /// When it is NFS.
    pub nfs: Option<NfsMount>,
    /// NFS: what the kernel reads ahead, bytes.
    pub read_ahead_bytes: Option<u64>,
    /// btrfs: directories of databases whose files are written in place (`chattr +C`).
    pub in_place: Vec<String>,
    /// ext3, ext4: the device of its journal, where that is another one than its own.
    pub journal: Option<String>,
    /// The systemd unit of its own that mounts it (`u02.mount`, `u02.automount`); none for a line of fstab.
    pub unit: Option<String>,
}

impl Mount {
    /// An option that is alone, or the value of `name=value`.
    pub fn option(&self, name: &str) -> Option<&str> {
        option(&self.options, name)
    }

    /// The mount point is this path or above it.
    pub fn holds(&self, path: &str) -> bool {
        self.target == "/"
            || path
                .strip_prefix(self.target.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Space of a file system.
#[record]
pub struct Space {
    /// All of it, bytes.
    pub total_bytes: u64,
    /// Free for unprivileged users, bytes.
    pub free_bytes: u64,
    /// Free for an ordinary user, bytes.
    pub available_bytes: u64,
    /// Inodes.
    pub inodes: u64,
    /// Inodes that are free.
    pub inodes_free: u64,
}

impl Space {
    /// Used share as `df` prints it: used / (used + available), 0 to 1.
    pub fn used(&self) -> f64 {
        let used = self.total_bytes.saturating_sub(self.free_bytes);
        let whole = used.saturating_add(self.available_bytes);
        if whole == 0 { 0.0 } else { used as f64 / whole as f64 }
    }
}

/// An NFS mount as negotiated.
#[record]
pub struct NfsMount {
    /// Server's name in the mount source.
    pub server: String,
    /// Server's address.
    pub address: String,
    /// `3`, `4.0`, `4.1`, `4.2`.
    pub version: String,
    /// `tcp`, `udp`, `rdma`.
    pub protocol: String,
    /// Bytes of one READ.
    pub rsize_bytes: Option<u64>,
    /// Bytes of one WRITE.
    pub wsize_bytes: Option<u64>,
    /// Connections requested; 1 by default.
    pub nconnect: u64,
    /// `hard` (true) or `soft`.
    pub hard: Option<bool>,
    /// Timeout, tenths of a second.
    pub timeo_ds: Option<u64>,
    /// Retransmissions before a major timeout.
    pub retrans: Option<u64>,
    /// `noac` or `actimeo=0`.
    pub no_attribute_cache: bool,
    /// Security flavour (`sys`, `krb5p`).
    pub security: String,
    /// Seconds since it was mounted.
    pub age_s: Option<u64>,
}

/// A swap area.
#[record]
pub struct Swap {
    /// Device or file.
    pub path: String,
    /// `partition` or `file`.
    pub kind: String,
    /// Bytes.
    pub size_bytes: u64,
    /// Bytes in use.
    pub used_bytes: u64,
}

/// A line of `/etc/fstab`: what is to be mounted after a reboot.
#[record]
pub struct FstabEntry {
    /// What is to be mounted (`UUID=…`, `/dev/mapper/data`, `filer:/vol/ora`).
    pub source: String,
    /// Where.
    pub target: String,
    /// Type.
    pub fs_type: String,
    /// Options.
    pub options: Vec<String>,
    /// Line of the file, from 1.
    pub line: u64,
}

impl FstabEntry {
    /// An option that is alone, or the value of `name=value`.
    pub fn option(&self, name: &str) -> Option<&str> {
        option(&self.options, name)
    }
}

fn option<'a>(options: &'a [String], name: &str) -> Option<&'a str> {
    options.iter().find_map(|option| {
        let rest = option.strip_prefix(name)?;
        if rest.is_empty() { Some("") } else { rest.strip_prefix('=') }
    })
}
