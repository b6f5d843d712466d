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
    root.list(KSTATS).into_iter().filter_map(state).collect()
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
    fn a_host_without_zfs_has_neither() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = Root::tree(folder.path()).expect("a tree");
        assert_eq!((pools(&root), cache(&root)), (Vec::new(), None));
    }
}
