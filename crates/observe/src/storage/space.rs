//! How much room a file system has. A network file system whose server is gone never answers, so each is
//! asked from its own thread and given up after its time; the thread ends when the kernel lets it.

use crate::Root;
use crate::root::gap_reason;
use fullwire_model::host::{Mount, Space};
use fullwire_model::{Gap, GapReason};
use rustix::fs::FileType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long all network file systems together may take, and all local ones.
const NETWORK_LIMIT: Duration = Duration::from_millis(500);
const LOCAL_LIMIT: Duration = Duration::from_secs(1);

/// Threads at the same time: a host with more network mounts than that gets gaps.
const MAX_NETWORK_MOUNTS: usize = 64;

/// Have no space of their own, or (autofs) must not be touched.
const WITHOUT_SPACE: &[&str] = &[
    "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "efivarfs",
    "fusectl", "mqueue", "nsfs", "proc", "pstore", "ramfs", "rpc_pipefs", "securityfs", "selinuxfs", "sysfs",
    "tracefs",
];

/// Answered by another host, or by a process: may hang.
const NETWORK: &[&str] = &["nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "lustre", "gpfs", "9p", "afs"];

/// Room and block size of one file system.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Room {
    space: Space,
    block_bytes: u64,
    /// What is mounted is one file.
    #[serde(default)]
    is_file: bool,
}

/// What statfs(2) said, as far as it must be kept.
type Asked = Result<Room, (GapReason, String)>;

fn may_hang(fs_type: &str) -> bool {
    NETWORK.contains(&fs_type) || fs_type.starts_with("fuse")
}

/// Mounted by a user who is neither root nor us, by FUSE: nothing ends a question that its program leaves open, not even a signal
/// that cannot be caught (the kernel's `request_wait_answer`).
fn is_strangers(mount: &Mount) -> bool {
    let user =
        || mount.options.iter().find_map(|option| option.strip_prefix("user_id=")?.parse::<u32>().ok());
    mount.fs_type.starts_with("fuse")
        && user().is_some_and(|user| user != 0 && user != rustix::process::geteuid().as_raw())
}

/// Fills in the room of each mount. Single files that something mounts (the manager of a container: `/etc/hosts`,
/// `/run/host/os-release`) are taken out: on such a mount nothing can be put.
pub(crate) fn read_space(root: &Root, mounts: &mut Vec<Mount>, gaps: &mut Vec<Gap>) {
    let wanted: Vec<usize> =
        (0..mounts.len()).filter(|&index| !WITHOUT_SPACE.contains(&mounts[index].fs_type.as_str())).collect();
    let (network, local): (Vec<usize>, Vec<usize>) =
        wanted.into_iter().partition(|&index| may_hang(&mounts[index].fs_type));
    let answers = root.answer("statfs", || {
        let targets = |which: &[usize]| -> Vec<String> {
            which.iter().map(|&index| mounts[index].target.clone()).collect()
        };
        let mut answers = ask_in_turn(targets(&local));
        let strangers = network.iter().map(|&index| is_strangers(&mounts[index]));
        answers.extend(ask_at_once(targets(&network).into_iter().zip(strangers).collect()));
        Ok(answers)
    });
    let indices = local.into_iter().chain(network);
    let Ok(answers) = answers else { return super::sos::read_space(root, mounts, gaps) };
    let mut files = BTreeSet::new();
    for (index, answer) in indices.zip(answers) {
        if answer.as_ref().is_ok_and(|room| room.is_file) {
            files.insert(index);
        }
        fill(&mut mounts[index], answer, gaps);
    }
    let mut index = 0..;
    mounts.retain(|_| index.next().is_some_and(|index| !files.contains(&index)));
}

fn fill(mount: &mut Mount, answer: Asked, gaps: &mut Vec<Gap>) {
    match answer {
        Ok(room) => {
            mount.block_bytes = Some(room.block_bytes);
            mount.space = (room.space.total_bytes > 0).then_some(room.space);
        }
        // A mount that was covered by another or is outside our namespace says nothing.
        Err((GapReason::Absent, _)) => {}
        Err((reason, detail)) => gaps.push(Gap::new(format!("statfs {}", mount.target), reason, detail)),
    }
}

/// Local file systems, by one thread. After one that hangs the rest are not asked.
fn ask_in_turn(targets: Vec<String>) -> Vec<Asked> {
    let count = targets.len();
    let (sender, receiver) = mpsc::channel();
    let started = std::thread::Builder::new().spawn(move || {
        for target in targets {
            if sender.send(ask(&target)).is_err() {
                break; // no one waits any more
            }
        }
    });
    if let Err(error) = started {
        return vec![Err(no_thread(&error)); count];
    }
    let deadline = Instant::now() + LOCAL_LIMIT;
    let answer = |_| {
        let left = deadline.saturating_duration_since(Instant::now());
        receiver.recv_timeout(left).unwrap_or_else(|_| Err(timeout(LOCAL_LIMIT)))
    };
    (0..count).map(answer).collect()
}

/// Network file systems, each by its own thread; those of strangers are not asked.
fn ask_at_once(targets: Vec<(String, bool)>) -> Vec<Asked> {
    let deadline = Instant::now() + NETWORK_LIMIT;
    let start = |(index, (target, is_strangers)): (usize, (String, bool))| {
        if is_strangers {
            let detail = "a program of another user answers for it: not queried".to_owned();
            return Err((GapReason::Skipped, detail));
        }
        if index >= MAX_NETWORK_MOUNTS {
            let detail = format!("only the first {MAX_NETWORK_MOUNTS} network file systems are queried");
            return Err((GapReason::Skipped, detail));
        }
        let (sender, receiver) = mpsc::channel();
        let started = std::thread::Builder::new().spawn(move || sender.send(ask(&target)));
        started.map(|_| receiver).map_err(|error| no_thread(&error))
    };
    let asked: Vec<Result<mpsc::Receiver<Asked>, _>> = targets.into_iter().enumerate().map(start).collect();
    let answer = |receiver: Result<mpsc::Receiver<Asked>, (GapReason, String)>| {
        let left = deadline.saturating_duration_since(Instant::now());
        receiver?.recv_timeout(left).unwrap_or_else(|_| Err(timeout(NETWORK_LIMIT)))
    };
    asked.into_iter().map(answer).collect()
}

/// On a host whose limit of processes is reached.
fn no_thread(error: &std::io::Error) -> (GapReason, String) {
    let detail = format!("cannot start a thread: {error}; raise the process limit (ulimit -u, TasksMax)");
    (GapReason::Unsupported, detail)
}

fn timeout(limit: Duration) -> (GapReason, String) {
    (
        GapReason::Timeout,
        format!("the file system did not answer within {} s; is its server reachable?", limit.as_secs_f64()),
    )
}

fn ask(target: &str) -> Asked {
    let room = rustix::fs::statvfs(target).map_err(|errno| {
        let error = std::io::Error::from(errno);
        (gap_reason(&error), format!("cannot read the free space of {target}: {error}"))
    })?;
    let bytes = |blocks: u64| blocks.saturating_mul(room.f_frsize);
    Ok(Room {
        space: Space {
            total_bytes: bytes(room.f_blocks),
            free_bytes: bytes(room.f_bfree),
            available_bytes: bytes(room.f_bavail),
            inodes: room.f_files,
            inodes_free: room.f_ffree,
        },
        block_bytes: room.f_bsize,
        is_file: rustix::fs::stat(target)
            .is_ok_and(|status| FileType::from_raw_mode(status.st_mode) == FileType::RegularFile),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_another_user_is_not_asked() {
        let mount = |fs_type: &str, options: &[&str]| Mount {
            fs_type: fs_type.into(),
            options: options.iter().map(|&option| option.to_owned()).collect(),
            ..Mount::default()
        };
        let stranger = rustix::process::geteuid().as_raw() + 7;
        let owner = format!("user_id={stranger}");
        assert!(is_strangers(&mount("fuse.sshfs", &["rw", &owner, "allow_other"])));
        assert!(!is_strangers(&mount("fuse.sshfs", &["rw", "user_id=0"])));
        assert!(!is_strangers(&mount("nfs4", &["rw", &owner])));
        let asked = ask_at_once(vec![("/proc".to_owned(), true)]);
        assert!(matches!(&asked[..], [Err((GapReason::Skipped, _))]), "{asked:?}");
    }

    /// A container's manager mounts files of its host, which are often the first that a disk is seen by.
    #[test]
    fn a_file_that_is_mounted_is_no_file_system() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let mount =
            |target: &str| Mount { target: target.into(), fs_type: "ext4".into(), ..Mount::default() };
        let file = file.path().to_str().expect("a path");
        let mut mounts = vec![mount("/"), mount(file), mount("/no/such/place")];
        read_space(&Root::live().expect("the live host"), &mut mounts, &mut Vec::new());
        let left: Vec<&str> = mounts.iter().map(|mount| mount.target.as_str()).collect();
        assert_eq!(left, ["/", "/no/such/place"]);
    }

    #[test]
    fn every_target_gets_its_own_answer() {
        let targets = vec!["/".to_owned(), "/no/such/place".to_owned(), "/proc".to_owned()];
        let ours = targets.iter().map(|target| (target.clone(), false)).collect();
        for answers in [ask_in_turn(targets), ask_at_once(ours)] {
            let room = answers[0].as_ref().expect("the root file system answers");
            assert!(room.space.total_bytes >= room.space.available_bytes && room.block_bytes >= 512);
            assert_eq!(answers[1].as_ref().expect_err("absent").0, GapReason::Absent);
        }
    }
}
