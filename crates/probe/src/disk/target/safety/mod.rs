//! The ladder that a device climbs before a single byte is written to it. Any rung that does not hold refuses, and
//! the refusal names everything that was found, not only the first.
//!
//! 1. Its identity was typed, and is its own.
//! 2. It is not read-only.
//! 3. Neither it, its disk, the disk's partitions nor anything built on them is mounted, swapped to, or held.
//! 4. The kernel gives it to us alone (`O_EXCL`), no one locked it, and no other process has it open.
//! 5. No host has registered for or holds a reservation on it or on a disk below it.
//! 6. It carries no signature, and all of what will be written is zeros; of the rest, samples are. Read past the page
//!    cache.
//!
//! What no host can see is said in the documentation: another host's use of a shared unit that left no mark.

mod device;
mod family;
mod identity;
mod openers;
mod reservation;
mod signatures;

use super::mounts;
use crate::disk::target::{self, DiskTarget};
use crate::disk::{DiskError, hang};
use device::{Device, Search};
use family::Relative;
use rustix::fs::{FileType, FlockOperation, Mode, OFlags, flock, major, minor};
use rustix::io::Errno;
use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(crate) use identity::identity;
pub(crate) use signatures::sampled_bytes;

/// For a question about a slow device, and for the next piece of a search to come.
const LOOKING: Duration = Duration::from_secs(60);
/// How often a search is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// What must be typed to allow the destruction of a device's content.
pub fn destroy_identity(target: &str) -> Result<String, DiskError> {
    let name = target.to_owned();
    let target = hang::within(hang::ANSWER, target, "finding the target", move || target::resolve(&name))??;
    if target.kind != target::Kind::Device {
        let problem = "--destroy works only on a block device".to_owned();
        return Err(DiskError::Target { target: target.name, problem });
    }
    Ok(identity(&target.device, &target.device_number))
}

/// Climbs the ladder for a load that will write before `written_until`. The descriptor that comes back holds the device
/// exclusively as long as it is open.
pub(crate) fn claim(
    target: &DiskTarget,
    typed: &str,
    written_until: u64,
    stop: &AtomicBool,
) -> Result<OwnedFd, DiskError> {
    let refused = |reason: String| DiskError::Refused { target: target.name.clone(), reason };
    let none = |findings: Vec<String>| {
        if findings.is_empty() { Ok(()) } else { Err(refused(findings.join("; "))) }
    };
    let own = identity(&target.device, &target.device_number);
    if typed != own {
        return Err(refused(format!("its identity is {own}, but {typed} was given")));
    }
    none(findings_about_use(&target.device))?;
    let fd = open_exclusively(target).map_err(refused)?;
    none(findings_about_openers(target, &fd)?)?;
    none(findings_about_reservations(target, &fd)?)?;
    let content = content(target, &fd, written_until, stop)?;
    none(content.map_err(|error| refused(format!("cannot search it for data: {error}")))?)?;
    Ok(fd)
}

/// The first byte of a part of a device that is not zero.
pub(crate) fn first_data_of(path: &Path, region: std::ops::Range<u64>) -> std::io::Result<Option<u64>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let fd = rustix::fs::open(path, flags, Mode::empty())?;
    let search = Search::default();
    signatures::search(&Device::open(&fd, region.end, &search)?, region.start, region.end)
}

fn duplicate(target: &DiskTarget, fd: &OwnedFd) -> Result<OwnedFd, DiskError> {
    fd.try_clone().map_err(|error| DiskError::io("duplicate the descriptor of", target.name.as_str(), error))
}

/// Searches the device, for as long as it goes on answering.
fn content(
    target: &DiskTarget,
    fd: &OwnedFd,
    written_until: u64,
    stop: &AtomicBool,
) -> Result<std::io::Result<Vec<String>>, DiskError> {
    let search = Arc::new(Search::default());
    let (sender, receiver) = std::sync::mpsc::channel();
    let work = {
        let (fd, search, size) = (duplicate(target, fd)?, Arc::clone(&search), target.size_bytes);
        move || {
            // The receiver may have given up: then no one wants the answer.
            let _ = sender.send(findings_about_content(&fd, size, written_until, &search));
        }
    };
    std::thread::Builder::new()
        .name("disk-search".into())
        .spawn(work)
        .map_err(|error| DiskError::io("start a thread for", target.name.as_str(), error))?;
    let mut last = (0, std::time::Instant::now());
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(found) if stop.load(Ordering::Relaxed) => return found.map(Ok).or(Err(DiskError::Stopped)),
            Ok(found) => return Ok(found),
            Err(_) => {}
        }
        if stop.load(Ordering::Relaxed) {
            search.stop();
        }
        let read_bytes = search.read_bytes();
        if read_bytes != last.0 {
            last = (read_bytes, std::time::Instant::now());
        } else if last.1.elapsed() > LOOKING {
            search.stop();
            let action = "searching it for data";
            return Err(hang::no_answer(&target.name, action, last.1.elapsed(), std::process::id()));
        }
    }
}

/// Asked of root alone: to others `/proc` does not show what processes have open.
fn findings_about_openers(target: &DiskTarget, fd: &OwnedFd) -> Result<Vec<String>, DiskError> {
    let family = family::of(&target.device);
    let own = fd.as_raw_fd();
    hang::within(LOOKING, &target.name, "checking which processes have it open", move || {
        openers::findings(&family, own)
    })
}

fn open_exclusively(target: &DiskTarget) -> Result<OwnedFd, String> {
    let flags = OFlags::RDWR | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOCTTY;
    let fd = rustix::fs::open(&target.path, flags, Mode::empty()).map_err(|error| match error {
        Errno::BUSY => "the kernel says that it is in use (EBUSY on an exclusive open)".to_owned(),
        error => format!("it cannot be opened exclusively: {error}"),
    })?;
    let stat = rustix::fs::fstat(&fd).map_err(|error| error.to_string())?;
    let number = format!("{}:{}", major(stat.st_rdev), minor(stat.st_rdev));
    if FileType::from_raw_mode(stat.st_mode) != FileType::BlockDevice || number != target.device_number {
        return Err(format!("{} became another device during the checks", target.path.display()));
    }
    flock(&fd, FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| "another program holds a lock on it".to_owned())?;
    Ok(fd)
}

/// Reservations on the device and, as a map passes no such question on where it has several legs, on each disk below it.
fn findings_about_reservations(target: &DiskTarget, fd: &OwnedFd) -> Result<Vec<String>, DiskError> {
    let own = duplicate(target, fd)?;
    let below = family::leaves(&target.device);
    hang::within(LOOKING, &target.name, "reading reservations", move || {
        let mut findings = reservation::findings(&own);
        for leaf in below {
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
            let opened = rustix::fs::open(format!("/dev/{leaf}"), flags, Mode::empty());
            let said = opened.map(|fd| reservation::findings(&fd)).unwrap_or_default();
            findings.extend(said.into_iter().map(|text| format!("{leaf} below it: {text}")));
        }
        findings
    })
}

/// What a device, its disk and everything built on them are used for.
fn findings_about_use(name: &str) -> Vec<String> {
    let family = family::of(name);
    let mut findings = Vec::new();
    if family.is_empty() {
        return vec!["it is not in sysfs, so it is not known whether it is in use".into()];
    }
    if fs::read_to_string(format!("/sys/class/block/{name}/ro")).is_ok_and(|text| text.trim() == "1") {
        findings.push("it is read-only".into());
    }
    for relative in &family {
        findings.extend(held(relative));
    }
    findings.extend(mounted(&family));
    findings.extend(swapped(&family));
    findings.extend(in_mdstat(&family));
    findings.extend(backing_shared(name));
    findings.dedup();
    findings
}

fn held(relative: &Relative) -> Vec<String> {
    let above = |holder: &String| match family::dm_uuid(holder) {
        Some(uuid) if uuid.starts_with("mpath-") => {
            format!("{} is a path of the multipath map {holder}: test the map, not the path", relative.name)
        }
        Some(uuid) => format!("{} is in use by {holder} ({uuid})", relative.name),
        None => format!("{} is in use by {holder}", relative.name),
    };
    family::holders(&relative.name).iter().map(above).collect()
}

/// `MAJOR:MINOR` of a block device's name.
fn number_of_path(path: &str) -> Option<String> {
    let stat = rustix::fs::stat(Path::new(path)).ok()?;
    let is_device = FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice;
    is_device.then(|| format!("{}:{}", major(stat.st_rdev), minor(stat.st_rdev)))
}

fn mounted(family: &[Relative]) -> Vec<String> {
    let mounts = match mounts::read() {
        Ok(mounts) => mounts,
        Err(error) => {
            return vec![format!("/proc/self/mountinfo cannot be read ({error}), so mounts are not known")];
        }
    };
    let mut findings = Vec::new();
    for mount in mounts {
        // A file system of several devices has an anonymous number; its source names one of them.
        let by_source = || mount.source.starts_with("/dev/").then(|| number_of_path(&mount.source)).flatten();
        let number = if mount.number.starts_with("0:") { by_source() } else { Some(mount.number.clone()) };
        if let Some(relative) = family.iter().find(|relative| Some(&relative.number) == number.as_ref()) {
            findings.push(format!("{} is mounted on {}", relative.name, mount.target.display()));
        }
    }
    findings
}

fn swapped(family: &[Relative]) -> Vec<String> {
    let text = fs::read_to_string("/proc/swaps").unwrap_or_default();
    let paths = text.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    let numbers: Vec<String> = paths.filter_map(number_of_path).collect();
    let swapped = family.iter().filter(|relative| numbers.contains(&relative.number));
    swapped.map(|relative| format!("{} is swap space", relative.name)).collect()
}

/// Arrays that are not started hold no device, but `/proc/mdstat` lists their members: `md0 : inactive sdb1[0](S)`.
fn in_mdstat(family: &[Relative]) -> Vec<String> {
    let text = fs::read_to_string("/proc/mdstat").unwrap_or_default();
    let member_of = |name: &str| {
        let line = text.lines().find(|line| {
            line.split_whitespace()
                .skip(2)
                .any(|word| word.split('[').next() == Some(name) && word.contains('['))
        })?;
        line.split_whitespace().next().map(|array| format!("{name} is a member of {array}"))
    };
    family
        .iter()
        .filter(|relative| relative.same_disk)
        .filter_map(|relative| member_of(&relative.name))
        .collect()
}

/// Another loop device over the same file may be mounted: the kernel does not connect the two.
fn backing_shared(name: &str) -> Vec<String> {
    let file_of = |name: &str| fs::read_to_string(format!("/sys/class/block/{name}/loop/backing_file")).ok();
    let disk = family::whole_disk(name);
    let Some(own) = file_of(&disk) else { return Vec::new() };
    // A hard link is another name of the same file.
    let inode_of = |path: &str| rustix::fs::stat(path.trim()).ok().map(|stat| (stat.st_dev, stat.st_ino));
    let own_inode = inode_of(&own);
    let same = |other: &String| *other == own || (own_inode.is_some() && inode_of(other) == own_inode);
    let Ok(entries) = fs::read_dir("/sys/class/block") else { return Vec::new() };
    let mut others: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|other| *other != disk && file_of(other).as_ref().is_some_and(same))
        .collect();
    others.sort();
    others.iter().map(|other| format!("its backing file {} also backs {other}", own.trim())).collect()
}

fn findings_about_content(
    fd: &OwnedFd,
    size: u64,
    written_until: u64,
    search: &Search,
) -> std::io::Result<Vec<String>> {
    let device = Device::open(fd, size, search)?;
    let recognised = || -> std::io::Result<Vec<String>> {
        Ok(signatures::recognise(&device)?.iter().map(|owner| format!("it contains {owner}")).collect())
    };
    let findings = recognised()?;
    if !findings.is_empty() {
        return Ok(findings);
    }
    if let Some(offset) = signatures::first_data(&device, written_until)? {
        let text = format!("unrecognised data at byte {offset}; if you do not need it, wipe it yourself");
        return Ok(vec![text]);
    }
    // Another host may have taken it during the long search.
    recognised()
}
