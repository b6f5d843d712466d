//! A server in a container: what it names is translated into what the host calls so, or left out. Its settings come from
//! the files of its container, or are not known.
//!
//! Source: `proc_pid_mountinfo(5)` (the root of a mount within its file system), `proc_pid_root(5)`.

use crate::Root;
use crate::storage::mountinfo::places;
use fullwire_model::host::Database;
use fullwire_model::{Gap, GapReason};
use std::path::Path;

const MOUNTS_BYTES: usize = 4 << 20;

/// Completes the record of a server whose tree is another one.
pub(super) fn complete(root: &Root, pid: u32, database: &mut Database, gaps: &mut Vec<Gap>) {
    let is_of_file = |source: &String| !source.starts_with("/proc/");
    if !database.setting_sources.values().any(is_of_file) {
        database.settings_partial = true;
        gaps.push(Gap::new(
            format!("process {pid}"),
            GapReason::Absent,
            format!("process {pid} runs in a container whose settings files could not be read: only its arguments are known"),
        ));
    }
    for source in database.setting_sources.values_mut().filter(|source| is_of_file(source)) {
        source.push_str(" in its container");
    }
    let mounts = |whose: &str| root.try_read(&format!("/proc/{whose}/mountinfo"), MOUNTS_BYTES).ok();
    let host = mounts("1").or_else(|| mounts("self")).map_or_else(String::new, |(text, _)| text);
    let own = mounts(&pid.to_string()).map_or_else(String::new, |(text, _)| text);
    database.dev_shm_bytes = dev_shm_bytes(&own);
    let named = std::mem::take(&mut database.locations);
    let known = named.into_iter().filter_map(|(path, kind)| {
        let device = path.starts_with("/dev/");
        Some((if device { path } else { on_host(&path, &own, &host)? }, kind))
    });
    database.locations = known.collect();
}

/// The room of `/dev/shm`: `size=65536k` of its tmpfs, which the kernel tells in KiB (`mm/shmem.c`, `shmem_show_options`).
fn dev_shm_bytes(own: &str) -> Option<u64> {
    let shm = own.lines().rfind(|line| line.split(' ').nth(4) == Some("/dev/shm"))?;
    let size = shm.rsplit([' ', ',']).find_map(|option| option.strip_prefix("size="))?;
    size.strip_suffix('k')?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The host's name of a container's path: where the host has mounted the same file system.
fn on_host(path: &str, own: &str, host: &str) -> Option<String> {
    let rest = |path: &str, start: &str| {
        let rest = Path::new(path).strip_prefix(start).ok()?;
        Some(rest.to_string_lossy().into_owned())
    };
    // The last of those that are deepest: a mount hides what was mounted there before.
    let mounted = places(own).filter(|mount| rest(path, &mount.target).is_some());
    let mount = mounted.max_by_key(|mount| mount.target.len())?;
    let below = join(&mount.root, &rest(path, &mount.target)?);
    let same = places(host).filter(|other| other.number == mount.number);
    same.filter_map(|other| Some((other.root.len(), join(&other.target, &rest(&below, &other.root)?))))
        .max_by_key(|(length, _)| *length)
        .map(|(_, path)| path)
}

fn join(start: &str, rest: &str) -> String {
    if rest.is_empty() { start.to_owned() } else { format!("{}/{rest}", start.trim_end_matches('/')) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "900 800 0:99 / / rw - overlay overlay rw\n\
                       902 900 259:1 /pg /var/lib/postgresql/data rw,relatime - xfs /dev/nvme1n1 rw\n\
                       903 900 0:104 / /run rw - tmpfs tmpfs rw\n";
    const HOST: &str = "96 1 259:0 / / rw - ext4 /dev/nvme0n1 rw\n\
                        201 96 259:1 / /data rw - xfs /dev/nvme1n1 rw\n\
                        202 96 0:99 / /var/lib/docker/overlay2/ab/merged rw - overlay overlay rw\n";

    #[test]
    fn the_room_of_a_containers_shared_memory_is_that_of_its_last_mount() {
        let shm = |options: &str| format!("905 900 0:106 / /dev/shm rw,nosuid - tmpfs shm rw{options}\n");
        assert_eq!(dev_shm_bytes(&shm(",size=65536k,inode64")), Some(64 << 20));
        assert_eq!(dev_shm_bytes(&(shm(",size=65536k") + &shm(",size=8388608k"))), Some(8 << 30));
        assert_eq!(
            (dev_shm_bytes(&shm("")), dev_shm_bytes(OWN)),
            (None, None),
            "half of the memory, the host's"
        );
    }

    #[test]
    fn a_path_of_a_container_is_found_on_the_host() {
        let found = |path| on_host(path, OWN, HOST);
        assert_eq!(found("/var/lib/postgresql/data/pgdata").as_deref(), Some("/data/pg/pgdata"));
        assert_eq!(
            found("/var/lib/mysql").as_deref(),
            Some("/var/lib/docker/overlay2/ab/merged/var/lib/mysql")
        );
        assert_eq!(found("/run/x"), None, "the host has no such mount");
        assert_eq!(on_host("/var/lib/mysql", "", HOST), None);
    }
}
