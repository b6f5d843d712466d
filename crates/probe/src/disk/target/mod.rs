//! What the user's word stands for: a directory, a file or a block device, the file system that holds it and the
//! device under that. Resolved once; everything after works on what was opened, never on names.

pub(crate) mod layout;
pub(crate) mod mounts;
pub(crate) mod nfs_server;
pub(crate) mod overwritten;
pub(crate) mod private_file;
pub(crate) mod safety;
pub(crate) mod space;
pub(crate) mod subject;

use crate::disk::DiskError;
use crate::disk::target::space::SharedRoom;
use mounts::MountEntry;
use rustix::fs::{FileType, Mode, OFlags, major, minor};
use std::fs;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// What a target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A private file is made in it.
    Directory,
    /// Read only.
    File,
    /// Read only, unless its destruction was allowed.
    Device,
}

impl Kind {
    /// As results name it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::File => "file",
            Self::Device => "device",
        }
    }
}

/// A resolved target.
#[derive(Debug, Clone)]
pub(crate) struct DiskTarget {
    /// As the user wrote it.
    pub(crate) name: String,
    /// Absolute, without symbolic links.
    pub(crate) path: PathBuf,
    /// What it is.
    pub(crate) kind: Kind,
    /// The mount that holds it; none for a device.
    pub(crate) mount: MountEntry,
    /// `MAJOR:MINOR` of the block device under it; empty when there is none.
    pub(crate) device_number: String,
    /// Kernel name of that device.
    pub(crate) device: String,
    /// Bytes of a file or device.
    pub(crate) size_bytes: u64,
    /// What is below and is shared with others, where the caller's records of the host tell.
    pub(crate) shared_room: Option<SharedRoom>,
}

/// What can be no target.
fn kind_name(kind: FileType) -> &'static str {
    match kind {
        FileType::CharacterDevice => "a character device",
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        _ => "something else",
    }
}

/// Finds out what `name` stands for.
pub(crate) fn resolve(name: &str) -> Result<DiskTarget, DiskError> {
    let bad = |problem: String| DiskError::Target { target: name.to_owned(), problem };
    let path = fs::canonicalize(name).map_err(|error| bad(error.to_string()))?;
    let stat = rustix::fs::stat(&path).map_err(|error| bad(error.to_string()))?;
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => Kind::Directory,
        FileType::RegularFile => Kind::File,
        FileType::BlockDevice => Kind::Device,
        other => {
            let what = kind_name(other);
            return Err(bad(format!("it is {what}; give a directory, a file or a block device")));
        }
    };
    if kind == Kind::Device {
        let number = format!("{}:{}", major(stat.st_rdev), minor(stat.st_rdev));
        let device = device_name(&number);
        let size_bytes = device_size(&number).ok_or_else(|| bad("sysfs does not know its size".into()))?;
        let mount = MountEntry::default();
        return Ok(DiskTarget {
            name: name.into(),
            path,
            kind,
            mount,
            device_number: number,
            device,
            size_bytes,
            shared_room: None,
        });
    }
    let mounts = mounts::read().map_err(|error| DiskError::io("read", "/proc/self/mountinfo", error))?;
    let mount = mounts::holding(&mounts, &path).cloned().unwrap_or_default();
    let device_number = device_under(&mount);
    let device = device_name(&device_number);
    let size_bytes = u64::try_from(stat.st_size).unwrap_or(0);
    if kind == Kind::Directory {
        // Files are made in it: not where a link of another user leads.
        fullwire_way::directory(Path::new(name)).map_err(|error| bad(error.to_string()))?;
    }
    let name = name.into();
    Ok(DiskTarget { name, path, kind, mount, device_number, device, size_bytes, shared_room: None })
}

/// `MAJOR:MINOR` of the device under a mount. File systems with several devices (btrfs) have an anonymous number;
/// there the mount's source names one of them.
fn device_under(mount: &MountEntry) -> String {
    if !mount.number.starts_with("0:") {
        return mount.number.clone();
    }
    let source = Path::new(&mount.source);
    match rustix::fs::stat(source) {
        Ok(stat)
            if source.starts_with("/dev")
                && FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice =>
        {
            format!("{}:{}", major(stat.st_rdev), minor(stat.st_rdev))
        }
        _ => String::new(),
    }
}

/// The kernel's name of a device.
pub(crate) fn device_name(number: &str) -> String {
    if number.is_empty() {
        return String::new();
    }
    fs::read_link(format!("/sys/dev/block/{number}"))
        .ok()
        .and_then(|link| link.file_name().map(|name| name.to_string_lossy().into_owned()))
        .unwrap_or_default()
}

/// A device's size in bytes: sysfs counts sectors of 512 whatever the device's own are.
pub(crate) fn device_size(number: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/sys/dev/block/{number}/size")).ok()?;
    Some(text.trim().parse::<u64>().ok()? * 512)
}

/// How a target is opened for a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    /// For reading.
    pub(crate) read: bool,
    /// For writing.
    pub(crate) write: bool,
    /// Past the page cache.
    pub(crate) direct: bool,
    /// Each write is durable when it returns (`O_DSYNC`, `O_SYNC`).
    pub(crate) durable: OFlags,
}

impl Access {
    fn flags(self) -> OFlags {
        let mode = match (self.read, self.write) {
            (true, true) => OFlags::RDWR,
            (false, true) => OFlags::WRONLY,
            _ => OFlags::RDONLY,
        };
        let direct = if self.direct { OFlags::DIRECT } else { OFlags::empty() };
        mode | direct | self.durable | OFlags::CLOEXEC | OFlags::NOCTTY
    }
}

/// Opens what `fd` refers to once more, with other flags: the same file for certain, whatever its name now means.
pub(crate) fn reopen(fd: impl AsFd, access: Access) -> rustix::io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd());
    rustix::fs::open(path, access.flags(), Mode::empty())
}

/// The unit that offsets and lengths of direct I/O are multiples of; `None`: the kernel does not tell (before 6.1)
/// or the file has no direct I/O at all, which an attempt will show.
pub(crate) fn direct_unit(fd: impl AsFd) -> Option<u64> {
    let stat =
        rustix::fs::statx(fd, "", rustix::fs::AtFlags::EMPTY_PATH, rustix::fs::StatxFlags::DIOALIGN).ok()?;
    (stat.stx_mask & rustix::fs::StatxFlags::DIOALIGN.bits() != 0)
        .then_some(u64::from(stat.stx_dio_offset_align))
}
