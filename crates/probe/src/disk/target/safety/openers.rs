//! Who else on this host has the device open. An exclusive open does not mind openers that are not exclusive: ASM, a
//! volume manager's checker, a forgotten `dd`. Their descriptors show in `/proc`, to root.

use super::family::Relative;
use rustix::fs::{AtFlags, CWD, FileType, StatxFlags, statx};
use rustix::io::Errno;
use std::fs;
use std::os::fd::RawFd;
use std::path::Path;
use std::time::Duration;

/// udev opens a device for a moment after each change: looked at again before it counts.
const LOOKS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);
/// Named in a refusal.
const MOST_NAMED: usize = 8;

/// Processes that have the device, its disk or a partition of that open; `own` is ours and does not count.
pub(super) fn findings(family: &[Relative], own: RawFd) -> Vec<String> {
    let mut found = look(family, own);
    for _ in 1..LOOKS {
        if found.is_empty() {
            break;
        }
        std::thread::sleep(PAUSE);
        found = look(family, own);
    }
    found
}

fn look(family: &[Relative], own: RawFd) -> Vec<String> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let mut found = Vec::new();
    for process in processes.flatten() {
        let name = process.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // Gone again, or not ours to look at.
        let Ok(descriptors) = fs::read_dir(process.path().join("fd")) else { continue };
        let own_fd = (pid == std::process::id()).then(|| own.to_string());
        let open = descriptors
            .flatten()
            .filter(|entry| entry.file_name().to_str() != own_fd.as_deref())
            .filter_map(|entry| device_behind(&entry.path()))
            .find_map(|number| {
                family.iter().find(|relative| relative.same_disk && relative.number == number)
            });
        if let Some(relative) = open {
            found.push(format!("{} is open in {} (process {pid})", relative.name, program(&process.path())));
            if found.len() >= MOST_NAMED {
                break;
            }
        }
    }
    found
}

fn program(process: &Path) -> String {
    let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
    // Anyone names a process as he likes.
    let name: String = name.trim().chars().filter(|character| !character.is_control()).collect();
    if name.is_empty() { "a program".to_owned() } else { name }
}

/// `MAJOR:MINOR` where the descriptor is of a block device. Never asks a server: a dead one would not answer.
fn device_behind(link: &Path) -> Option<String> {
    let kind = |mode: u32| FileType::from_raw_mode(mode) == FileType::BlockDevice;
    match statx(CWD, link, AtFlags::STATX_DONT_SYNC, StatxFlags::TYPE) {
        Ok(stat) => {
            kind(stat.stx_mode.into()).then(|| format!("{}:{}", stat.stx_rdev_major, stat.stx_rdev_minor))
        }
        // Before 4.11: only what is in /dev, which no server has.
        Err(Errno::NOSYS) => {
            let path = fs::read_link(link).ok()?;
            super::number_of_path(path.starts_with("/dev").then_some(path)?.to_str()?)
        }
        Err(_) => None,
    }
}
