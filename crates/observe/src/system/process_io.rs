//! Which processes read and write storage: `/proc/PID/task/TID/io` has what really came from and went to the storage layer
//! (`read_bytes`, `write_bytes`, `cancelled_write_bytes`; proc(5)). Only root sees those of others.

use super::process::all;
use crate::{Root, monotonic_ns, storage};
use fullwire_model::counters::ProcessIo;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Processes that are listed.
const LISTED: usize = 16;
/// Threads of one process that are looked at.
const MOST_THREADS: usize = 1024;
/// Open files of one that are looked at.
const MOST_FILES: usize = 512;
/// Mount points and devices of one that are named.
const MOST_MOUNTS: usize = 8;

/// Bytes read and written by each thread of a process until now. The process's own file also holds what its children had
/// moved when they ended (kernel/exit.c, `wait_task_zombie`): a shell would be blamed for what it has started.
pub(super) fn of_threads(root: &Root, pid: u32) -> impl Iterator<Item = (u32, [u64; 2])> {
    let directory = format!("/proc/{pid}/task");
    let threads = root.list(&directory).into_iter().take(MOST_THREADS);
    let of = move |tid: &str| parse(&root.attribute(&format!("{directory}/{tid}/io"))?);
    threads.filter_map(move |tid| Some((tid.parse().ok()?, of(&tid)?)))
}

fn parse(text: &str) -> Option<[u64; 2]> {
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.trim().parse::<u64>().ok()
    };
    Some([
        field("read_bytes")?,
        field("write_bytes")?.saturating_sub(field("cancelled_write_bytes").unwrap_or(0)),
    ])
}

/// Those that moved most since then.
pub(super) fn busiest(root: &Root, since: &BTreeMap<u32, [u64; 2]>, since_ns: u64) -> Vec<ProcessIo> {
    // A tree that was read once tells totals alone.
    if since.is_empty() || !root.is_live() {
        return Vec::new();
    }
    let over_ns = monotonic_ns(root).saturating_sub(since_ns);
    let mut moved: Vec<ProcessIo> = all(root, &mut Vec::new())
        .into_iter()
        .filter_map(|process| {
            // What has come since then began at nothing.
            let grown = |(tid, [read, written]): (u32, [u64; 2])| {
                let before = since.get(&tid).copied().unwrap_or_default();
                (tid, read.saturating_sub(before[0]), written.saturating_sub(before[1]))
            };
            let threads: Vec<(u32, u64, u64)> = of_threads(root, process.pid).map(grown).collect();
            let (tid, ..) = *threads.iter().max_by_key(|(_, read, written)| read.saturating_add(*written))?;
            let sum = |of: fn(&(u32, u64, u64)) -> u64| threads.iter().map(of).fold(0, u64::saturating_add);
            Some(ProcessIo {
                pid: process.pid,
                name: named(root, process.pid, tid, process.name),
                recent_read_bytes: sum(|one| one.1),
                recent_write_bytes: sum(|one| one.2),
                over_ns,
                mounts: Vec::new(),
            })
        })
        .filter(|process| process.recent_read_bytes > 0 || process.recent_write_bytes > 0)
        .collect();
    moved
        .sort_by_key(|process| Reverse(process.recent_read_bytes.saturating_add(process.recent_write_bytes)));
    moved.truncate(LISTED);
    if !moved.is_empty() {
        let points = mount_points(root);
        for process in &mut moved {
            process.mounts = mounts(root, process.pid, &points);
        }
    }
    moved
}

/// `mysqld/ib_io_wr-1`: the process and its thread that moved most, where that has a name of its own.
fn named(root: &Root, pid: u32, tid: u32, process: String) -> String {
    let thread = root.attribute(&format!("/proc/{pid}/task/{tid}/comm")).unwrap_or_default();
    let thread = thread.trim();
    if thread.is_empty() || thread == process { process } else { format!("{process}/{thread}") }
}

/// Mount points, the longest first: a file lies on the first that its name begins with.
fn mount_points(root: &Root) -> Vec<String> {
    let mut points: Vec<String> =
        storage::read_mounts(root, &mut Vec::new()).into_iter().map(|mount| mount.target).collect();
    points.sort_by_key(|point| Reverse(point.len()));
    points
}

/// Where its open files lie; of a process in another mount namespace the names mean other files, so nothing is said.
fn mounts(root: &Root, pid: u32, points: &[String]) -> Vec<String> {
    let namespace = |whose: &str| root.link(&format!("/proc/{whose}/ns/mnt"));
    if namespace(&pid.to_string()) != namespace("self") {
        return Vec::new();
    }
    let directory = format!("/proc/{pid}/fd");
    let names = root.list(&directory).into_iter().take(MOST_FILES);
    let mut counted: BTreeMap<String, usize> = BTreeMap::new();
    for name in names.filter_map(|file| root.link(&format!("{directory}/{file}"))) {
        if let Some(place) = place(&name, points) {
            *counted.entry(place).or_default() += 1;
        }
    }
    let mut counted: Vec<(String, usize)> = counted.into_iter().collect();
    counted.sort_by_key(|(_, files)| Reverse(*files));
    counted.into_iter().map(|(place, _)| place).take(MOST_MOUNTS).collect()
}

/// The mount point of a file; a block device is named itself.
fn place(name: &str, points: &[String]) -> Option<String> {
    const NO_STORAGE: [&str; 4] = ["/proc/", "/sys/", "/dev/", "/run/"];
    let is_device =
        ["/dev/sd", "/dev/nvme", "/dev/vd", "/dev/xvd", "/dev/dm-", "/dev/mapper/", "/dev/md", "/dev/dasd"]
            .iter()
            .any(|start| name.starts_with(start));
    if is_device {
        return Some(name.to_owned());
    }
    if !name.starts_with('/') || NO_STORAGE.iter().any(|start| name.starts_with(start)) {
        return None;
    }
    let below = |point: &&String| {
        point.as_str() == "/" || name.strip_prefix(point.as_str()).is_some_and(|rest| rest.starts_with('/'))
    };
    points.iter().find(below).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CpuTimes;
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;

    #[test]
    fn what_was_written_and_deleted_does_not_count() {
        let text = "rchar: 10\nwchar: 20\nsyscr: 1\nsyscw: 2\nread_bytes: 4096\nwrite_bytes: 12288\ncancelled_write_bytes: 8192";
        assert_eq!(parse(text), Some([4096, 4096]));
        assert_eq!(parse("rchar: 10"), None);
    }

    #[test]
    fn a_file_lies_on_the_nearest_mount() {
        let points = ["/u01/oradata".to_owned(), "/u01".to_owned(), "/".to_owned()];
        assert_eq!(place("/u01/oradata/users01.dbf", &points).as_deref(), Some("/u01/oradata"));
        assert_eq!(place("/u01/oradata2/x", &points).as_deref(), Some("/u01"));
        assert_eq!(place("/dev/sdb", &points).as_deref(), Some("/dev/sdb"));
        assert_eq!(place("/dev/null", &points), None);
        assert_eq!(place("socket:[12]", &points), None);
    }

    #[test]
    fn a_process_that_writes_is_named_with_its_mount() {
        let root = Root::live().expect("opened");
        let before = CpuTimes::read(&root);
        if of_threads(&root, std::process::id()).next().is_none() {
            return;
        }
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("made");
        let path = directory.path().join("written");
        let mut file =
            std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(path).expect("made");
        file.write_all(&vec![1; 4 << 20]).expect("written");
        file.sync_all().expect("synced");
        let own = busiest(&root, &before.io, before.read_ns)
            .into_iter()
            .find(|process| process.pid == std::process::id());
        let own = own.expect("listed");
        assert!(own.recent_write_bytes >= 4 << 20, "{own:?}");
        assert!(!own.mounts.is_empty() && own.over_ns > 0, "{own:?}");
    }
}
