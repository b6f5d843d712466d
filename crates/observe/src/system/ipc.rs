//! System V IPC: limits and what is in use.

use super::process_stat::ProcessStat;
use crate::Root;
use crate::root::malformed;
use fullwire_model::Gap;
use fullwire_model::host::{Host, Ipc, SharedSegment};
use std::collections::{BTreeMap, BTreeSet};

const SHM: &str = "/proc/sysvipc/shm";
const SEM: &str = "/proc/sysvipc/sem";

pub(super) fn read(root: &Root, processes: &[ProcessStat], host: &mut Host) {
    let mut ipc = Ipc {
        shmmax_bytes: host.sysctl_number("kernel.shmmax"),
        shmall_pages: host.sysctl_number("kernel.shmall"),
        shmmni: host.sysctl_number("kernel.shmmni"),
        sem: host.sysctl_numbers("kernel.sem").and_then(|numbers| numbers.try_into().ok()),
        remove_ipc: remove_ipc(root),
        ..Ipc::default()
    };
    if let Some(text) = root.read(SHM, &mut host.gaps) {
        let alive: BTreeSet<u32> = processes.iter().map(|process| process.pid).collect();
        ipc.segments = segments(&text, &alive, &mut host.gaps);
    }
    if let Some(text) = root.read(SEM, &mut host.gaps) {
        let sizes = column(&text, SEM, "nsems", &mut host.gaps);
        ipc.semaphore_sets = Some(sizes.len() as u64);
        ipc.semaphores = Some(sizes.iter().fold(0, |sum: u64, &size| sum.saturating_add(size)));
    }
    host.ipc = ipc;
}

/// `ipcs` as sosreport and supportconfig keep it.
const IPCS: &str = "/sos_commands/sysvipc/ipcs";

/// The users that own a segment: `ipcs` has their names, the kernel's table their ids.
pub(super) fn owners(root: &Root) -> BTreeMap<String, u32> {
    let text = |path: &str| root.try_read(path, 1 << 20).ok();
    let (Some((listed, _)), Some((table, _))) = (text(IPCS), text(SHM)) else { return BTreeMap::new() };
    let uids: BTreeMap<u64, u32> = segments(&table, &BTreeSet::new(), &mut Vec::new())
        .into_iter()
        .map(|segment| (segment.id, segment.uid))
        .collect();
    // The first words of a row are key, shmid and owner.
    let rows = listed.lines().skip_while(|line| !line.contains("Shared Memory")).skip(2);
    let rows = rows.take_while(|line| !line.trim().is_empty());
    rows.filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let uid = uids.get(&words.next()?.parse().ok()?)?;
        Some((words.next()?.to_owned(), *uid))
    })
    .collect()
}

/// The rows of a table under its header, as the header's names and the row's words.
fn rows(text: &str) -> (Vec<&str>, impl Iterator<Item = (usize, Vec<&str>)>) {
    let mut lines = text.lines().enumerate();
    let header = lines.next().map(|(_, line)| line.split_whitespace().collect()).unwrap_or_default();
    let rows = lines.map(|(index, line)| (index + 1, line.split_whitespace().collect()));
    (header, rows)
}

fn segments(text: &str, alive: &BTreeSet<u32>, gaps: &mut Vec<Gap>) -> Vec<SharedSegment> {
    let (header, rows) = rows(text);
    let at = |name: &str| header.iter().position(|&column| column == name);
    let (Some(id), Some(size), Some(uid), Some(cpid), Some(nattch)) =
        (at("shmid"), at("size"), at("uid"), at("cpid"), at("nattch"))
    else {
        gaps.push(malformed(SHM, 1, "the header lacks shmid, size, uid, cpid or nattch"));
        return Vec::new();
    };
    let mut segments = Vec::new();
    for (line, words) in rows {
        let number = |column: usize| words.get(column).and_then(|word| word.parse::<u64>().ok());
        let small = |column: usize| number(column).and_then(|value| u32::try_from(value).ok());
        let segment = (|| {
            let creator_pid = small(cpid)?;
            Some(SharedSegment {
                id: number(id)?,
                size_bytes: number(size)?,
                uid: small(uid)?,
                creator_pid,
                creator_alive: (!alive.is_empty()).then(|| alive.contains(&creator_pid)),
                attached: number(nattch)?,
            })
        })();
        match segment {
            Some(segment) => segments.push(segment),
            None => gaps.push(malformed(SHM, line, "a column is missing or not a number")),
        }
    }
    segments
}

/// One column's numbers.
fn column(text: &str, path: &str, name: &str, gaps: &mut Vec<Gap>) -> Vec<u64> {
    let (header, rows) = rows(text);
    let Some(at) = header.iter().position(|&column| column == name) else {
        gaps.push(malformed(path, 1, &format!("the header has no {name}")));
        return Vec::new();
    };
    let mut numbers = Vec::new();
    for (line, words) in rows {
        match words.get(at).and_then(|word| word.parse().ok()) {
            Some(number) => numbers.push(number),
            None => gaps.push(malformed(path, line, &format!("{name} is not a number"))),
        }
    }
    numbers
}

/// `RemoveIPC=` of logind, the last file that sets it, else `no` where the packaged file shows that as built in, in a comment
/// (its head: "Entries in this file show the compile time defaults"); `None` where no file tells.
fn remove_ipc(root: &Root) -> Option<bool> {
    let mut paths = ["/usr/lib/systemd/logind.conf", "/etc/systemd/logind.conf"].map(str::to_owned).to_vec();
    for directory in ["/usr/lib/systemd/logind.conf.d", "/etc/systemd/logind.conf.d"] {
        paths.extend(root.list(directory).iter().map(|name| format!("{directory}/{name}")));
    }
    let texts: Vec<String> = paths.iter().filter_map(|path| root.attribute(path)).collect();
    let last = |key: &str| texts.iter().filter_map(|text| remove_ipc_in(text, key)).next_back();
    last("RemoveIPC=").or_else(|| last("#RemoveIPC=").filter(|removes| !removes))
}

fn remove_ipc_in(text: &str, key: &str) -> Option<bool> {
    let mut values = text.lines().filter_map(|line| line.trim().strip_prefix(key));
    values.next_back().and_then(|value| match value.trim().to_ascii_lowercase().as_str() {
        "yes" | "true" | "on" | "1" => Some(true),
        "no" | "false" | "off" | "0" => Some(false),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rooted;
    use proptest::prelude::*;

    const TABLE: &str = "       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid      atime      dtime      ctime                   rss                  swap\n\
      -559038737          7   640           17179869184  4242  4300     12   500   501   500   501 1 2 3 0 0\n\
               0          8   600                  4096   999   999      0   500   501   500   501 1 2 3 0 0\n";

    #[test]
    fn reads_segments_and_sees_an_orphan() {
        let segments = segments(TABLE, &BTreeSet::from([4242]), &mut Vec::new());
        assert_eq!(segments[0].size_bytes, 16 << 30);
        assert_eq!((segments[0].creator_alive, segments[0].attached), (Some(true), 12));
        assert_eq!((segments[1].creator_alive, segments[1].attached), (Some(false), 0));
    }

    #[test]
    fn counts_semaphores() {
        let text = " key semid perms nsems uid\n 1 0 600 250 500\n 2 1 600 17 500\n 3 2 600 x 500\n";
        let mut gaps = Vec::new();
        assert_eq!(column(text, SEM, "nsems", &mut gaps), [250, 17]);
        assert_eq!(gaps[0].detail, "/proc/sysvipc/sem:4: nsems is not a number");
    }

    #[test]
    fn the_last_word_on_remove_ipc_counts() {
        let told = |text: &str| {
            let (_tree, root) = rooted(&[("etc/systemd/logind.conf", text)]);
            remove_ipc(&root)
        };
        assert_eq!(told("[Login]\n#RemoveIPC=yes\n"), None);
        assert_eq!(told("[Login]\n#RemoveIPC=no\n"), Some(false), "built in, as Red Hat's patch has it");
        assert_eq!(told("[Login]\n#RemoveIPC=no\nRemoveIPC=yes\n"), Some(true));
        assert_eq!(told("[Login]\nRemoveIPC=yes\nRemoveIPC=no\n"), Some(false));
    }

    proptest! {
        #[test]
        fn mangled_tables_never_panic(cut in 0..TABLE.len(), noise in ".{0,80}") {
            let mangled: String = TABLE.chars().take(cut).chain(noise.chars()).collect();
            let mut gaps = Vec::new();
            segments(&mangled, &BTreeSet::new(), &mut gaps);
            column(&mangled, SEM, "nsems", &mut gaps);
            prop_assert!(gaps.iter().all(|gap| gap.detail.starts_with("/proc/sysvipc/")));
        }
    }
}
