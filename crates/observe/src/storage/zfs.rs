//! ZFS: the state of its pools and the size of its read cache, from the statistics of its kernel module.

use crate::Root;
use fullwire_model::host::{ZfsCache, ZfsPool};

const KSTATS: &str = "/proc/spl/kstat/zfs";

/// Every imported pool with the state that the module keeps (`OpenZFS` `module/zfs/spa_stats.c`, since 0.8).
pub(super) fn pools(root: &Root) -> Vec<ZfsPool> {
    let state = |name: String| {
        let state = root.attribute(&format!("{KSTATS}/{name}/state"))?;
        Some(ZfsPool { name, state })
    };
    let pools: Vec<ZfsPool> = root.list(KSTATS).into_iter().filter_map(state).collect();
    if pools.is_empty() && !root.is_live() { captured_pools(root) } else { pools }
}

/// What a sosreport keeps of `zpool`: `list` names every pool, `status -x` those with trouble.
fn captured_pools(root: &Root) -> Vec<ZfsPool> {
    const FOLDER: &str = "/sos_commands/zfs";
    let names = root.list(FOLDER);
    let read = |start: &str, parse: fn(&str) -> Vec<ZfsPool>| {
        let files = names.iter().filter(|name| name.starts_with(start));
        let texts = files.filter_map(|name| root.try_read(&format!("{FOLDER}/{name}"), 1 << 20).ok());
        texts.map(|(text, _)| parse(&text)).find(|pools| !pools.is_empty())
    };
    read("zpool_list", listed).or_else(|| read("zpool_status", stated)).unwrap_or_default()
}

/// `zpool list`: the columns NAME and HEALTH.
fn listed(text: &str) -> Vec<ZfsPool> {
    let mut lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let header = lines.next().unwrap_or_default();
    let at = |name| header.iter().position(|column| *column == name);
    let (Some(0), Some(health)) = (at("NAME"), at("HEALTH")) else { return Vec::new() };
    let pool = |words: Vec<&str>| {
        // A row with fewer or more words than columns would show another column's.
        let state = (words.len() == header.len()).then(|| words[health].to_owned())?;
        Some(ZfsPool { name: words[0].to_owned(), state })
    };
    lines.filter_map(pool).collect()
}

/// `zpool status`: `pool: NAME`, then `state: STATE`.
fn stated(text: &str) -> Vec<ZfsPool> {
    let mut pools = Vec::new();
    let mut pool = None;
    for (name, value) in text.lines().filter_map(|line| line.trim().split_once(": ")) {
        match (name, pool.take()) {
            ("pool", _) => pool = Some(value.trim().to_owned()),
            ("state", Some(name)) => pools.push(ZfsPool { name, state: value.trim().to_owned() }),
            (_, before) => pool = before,
        }
    }
    pools
}

/// `arcstats`: two lines of heading, then `name type data`.
pub(super) fn cache(root: &Root) -> Option<ZfsCache> {
    let (text, _) = root.try_read(&format!("{KSTATS}/arcstats"), 1 << 16).ok()?;
    let value = |name: &str| {
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(name))?;
        line.split_whitespace().nth(2)?.parse().ok()
    };
    Some(ZfsCache { size_bytes: value("size")?, max_bytes: value("c_max")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_pools_and_the_cache() {
        let folder = tempfile::tempdir().expect("a folder");
        let kstats = folder.path().join("proc/spl/kstat/zfs");
        for (pool, state) in [("tank", "ONLINE\n"), ("data", "DEGRADED\n")] {
            std::fs::create_dir_all(kstats.join(pool)).expect("a folder");
            std::fs::write(kstats.join(pool).join("state"), state).expect("a file");
        }
        let arcstats = "13 1 0x01 123 33456 4112345678 98765432100\nname                            type data\n\
                        hits                            4    991\nc_max                           4    8589934592\n\
                        size                            4    4294967296\n";
        std::fs::write(kstats.join("arcstats"), arcstats).expect("a file");
        let root = Root::tree(folder.path()).expect("a tree");
        let states: Vec<_> = pools(&root).into_iter().map(|pool| (pool.name, pool.state)).collect();
        assert_eq!(states, [("data".into(), "DEGRADED".into()), ("tank".into(), "ONLINE".into())]);
        assert_eq!(cache(&root), Some(ZfsCache { size_bytes: 4 << 30, max_bytes: 8 << 30 }));
    }

    #[test]
    fn reads_what_zpool_printed() {
        let list = "NAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n\
                    tank  3.48T  3.41T    72G        -         -    81%    97%  1.00x  DEGRADED  -\nodd 1\n";
        let status =
            "  pool: tank\n state: DEGRADED\nstatus: One or more devices are faulted.\n  scan: none\n";
        let expected = [ZfsPool { name: "tank".into(), state: "DEGRADED".into() }];
        assert_eq!((listed(list), stated(status)), (expected.to_vec(), expected.to_vec()));
        assert_eq!((listed(status), stated("all pools are healthy\n")), (Vec::new(), Vec::new()));
        let folder = tempfile::tempdir().expect("a folder");
        let commands = folder.path().join("sos_commands/zfs");
        std::fs::create_dir_all(&commands).expect("a folder");
        std::fs::write(commands.join("zpool_status_-vx"), status).expect("a file");
        let root = Root::tree(folder.path()).expect("a tree");
        assert_eq!(pools(&root), expected);
    }

    #[test]
    fn a_host_without_zfs_has_neither() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = Root::tree(folder.path()).expect("a tree");
        assert_eq!((pools(&root), cache(&root)), (Vec::new(), None));
    }
}
