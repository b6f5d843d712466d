//! ZFS: the state of its pools and the size of its read cache, from the statistics of its kernel module.

use crate::Root;
use fullwire_model::host::{Resync, ZfsCache, ZfsDataset, ZfsPool};

const KSTATS: &str = "/proc/spl/kstat/zfs";

/// Every imported pool with the state that the module keeps (`OpenZFS` `module/zfs/spa_stats.c`, since 0.8); of a
/// captured tree also what `zpool list` and `zpool status` printed.
pub(super) fn pools(root: &Root) -> Vec<ZfsPool> {
    let state = |name: String| {
        let source = format!("{KSTATS}/{name}/state");
        let state = root.attribute(&source)?;
        Some(ZfsPool { name, state, source, ..ZfsPool::default() })
    };
    let mut pools: Vec<ZfsPool> = root.list(KSTATS).into_iter().filter_map(state).collect();
    if root.is_live() {
        return pools;
    }
    for told in captured(root, "zpool_list", listed).into_iter().chain(captured(root, "zpool_status", stated))
    {
        match pools.iter_mut().find(|pool| pool.name == told.name) {
            Some(pool) => complete(pool, told),
            None => pools.push(told),
        }
    }
    pools
}

/// Pools of a captured tree that resilver or scrub: `scan: resilver in progress since …`, then `… 12.3% done, …` (`OpenZFS`
/// `cmd/zpool/zpool_main.c`, `print_scan_scrub_resilver_status`).
pub(super) fn scans(root: &Root) -> Vec<Resync> {
    if root.is_live() { Vec::new() } else { captured(root, "zpool_status", scanned) }
}

fn scanned(text: &str, source: &str) -> Vec<Resync> {
    let mut pools: Vec<Resync> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("pool: ") {
            let (name, source) = (name.trim().to_owned(), source.to_owned());
            pools.push(Resync { of: "ZFS pool".to_owned(), name, source, ..Resync::default() });
        }
        let Some(pool) = pools.last_mut() else { continue };
        if let Some((action, _)) =
            line.strip_prefix("scan: ").and_then(|scan| scan.split_once(" in progress since "))
        {
            action.clone_into(&mut pool.action);
        }
        let done = line.split_once("% done").and_then(|(before, _)| before.rsplit([' ', ',']).next());
        pool.done = done.and_then(super::percent).or(pool.done);
    }
    pools.retain(|pool| !pool.action.is_empty());
    pools
}

fn complete(pool: &mut ZfsPool, told: ZfsPool) {
    pool.used_percent = pool.used_percent.or(told.used_percent);
    pool.fragmented_percent = pool.fragmented_percent.or(told.fragmented_percent);
    pool.bad_devices.extend(told.bad_devices);
    pool.damaged_files.extend(told.damaged_files);
}

/// Settings of file systems, which a sosreport lists.
pub(super) fn datasets(root: &Root) -> Vec<ZfsDataset> {
    if root.is_live() {
        return Vec::new();
    }
    captured(root, "zfs_get", settings)
}

/// What the first of a sosreport's files says that begin so.
fn captured<T>(root: &Root, start: &str, parse: fn(&str, &str) -> Vec<T>) -> Vec<T> {
    const FOLDER: &str = "/sos_commands/zfs";
    let names = root.list(FOLDER);
    let paths = names.iter().filter(|name| name.starts_with(start)).map(|name| format!("{FOLDER}/{name}"));
    let texts = paths.filter_map(|path| Some((root.try_read(&path, 1 << 20).ok()?.0, path)));
    texts.map(|(text, path)| parse(&text, &path)).find(|found| !found.is_empty()).unwrap_or_default()
}

/// `zpool list`: the columns NAME and HEALTH, and how full the pool is. A table of another tool with these columns has states
/// that a pool cannot be in (zpoolconcepts(7), "Device Failure and Recovery").
fn listed(text: &str, source: &str) -> Vec<ZfsPool> {
    // Of `zpool list -v` the rows of a pool's devices are indented.
    let rows = text
        .lines()
        .filter(|line| !line.starts_with([' ', '\t']))
        .skip_while(|line| !line.starts_with("NAME"));
    let mut lines = rows.map(|line| line.split_whitespace().collect::<Vec<_>>());
    let header = lines.next().unwrap_or_default();
    let at = |name| header.iter().position(|column| *column == name);
    let (Some(0), Some(health)) = (at("NAME"), at("HEALTH")) else { return Vec::new() };
    let pool = |words: Vec<&str>| {
        // A row with fewer or more words than columns would show another column's.
        let state = (words.len() == header.len()).then(|| words[health].to_owned())?;
        (state == "ONLINE" || state == "SUSPENDED" || BAD.contains(&state.as_str())).then_some(())?;
        let percent = |name| words[at(name)?].strip_suffix('%')?.parse().ok();
        Some(ZfsPool {
            name: words[0].to_owned(),
            state,
            used_percent: percent("CAP"),
            fragmented_percent: percent("FRAG"),
            source: source.to_owned(),
            ..ZfsPool::default()
        })
    };
    lines.filter_map(pool).collect()
}

/// States of a device below a pool that give no data, or not all of it.
const BAD: [&str; 5] = ["DEGRADED", "FAULTED", "OFFLINE", "REMOVED", "UNAVAIL"];

/// Messages of a pool that waits for its devices, or refuses I/O, while its state is what it was before (`OpenZFS`
/// `cmd/zpool/zpool_main.c`, `ZPOOL_STATUS_IO_FAILURE_WAIT`, `_CONTINUE`, `_MMP`).
const SUSPENDED: [&str; 2] = ["ZFS-8000-HC", "ZFS-8000-JQ"];

/// `zpool status`: `pool: NAME`, `state: STATE`, the devices with their errors, and the files that are damaged.
fn stated(text: &str, source: &str) -> Vec<ZfsPool> {
    let mut pools: Vec<ZfsPool> = Vec::new();
    let mut damaged = false;
    for line in text.lines() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("pool: ") {
            damaged = false;
            let (name, source) = (name.trim().to_owned(), source.to_owned());
            pools.push(ZfsPool { name, source, ..ZfsPool::default() });
            continue;
        }
        let Some(pool) = pools.last_mut() else { continue };
        if let Some(state) = line.strip_prefix("state: ") {
            state.trim().clone_into(&mut pool.state);
        } else if line.starts_with("see: ") && SUSPENDED.iter().any(|code| line.ends_with(code)) {
            "SUSPENDED".clone_into(&mut pool.state);
        } else if line.starts_with("errors: ") {
            damaged = line.contains("Permanent errors");
            // `errors: 2 data errors, use '-v' for a list`
            if line.contains(" data errors, use") {
                pool.damaged_files.push(line.trim_start_matches("errors: ").to_owned());
            }
        } else if damaged && !line.is_empty() {
            pool.damaged_files.push(line.to_owned());
        } else if let Some(device) = bad_device(line) {
            pool.bad_devices.push(device);
        }
    }
    pools.retain(|pool| !pool.state.is_empty());
    for pool in &mut pools {
        let own = format!("{} ", pool.name);
        pool.bad_devices.retain(|device| !device.starts_with(&own));
    }
    pools
}

/// `NAME STATE READ WRITE CKSUM`, where the state is bad or an error was counted.
fn bad_device(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, state, counts @ ..] = words.as_slice() else { return None };
    let counts = counts.get(..3)?;
    let is_count = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let errors = counts.iter().any(|count| *count != "0");
    let group = ["mirror", "raidz", "draid", "replacing", "spare"].iter().any(|kind| name.starts_with(kind));
    (counts.iter().all(is_count) && !group && (BAD.contains(state) || errors)).then(|| {
        format!("{name} {state} ({} read, {} write, {} checksum errors)", counts[0], counts[1], counts[2])
    })
}

/// `zfs get all`: `NAME PROPERTY VALUE SOURCE`.
fn settings(text: &str, source: &str) -> Vec<ZfsDataset> {
    let mut found: Vec<ZfsDataset> = Vec::new();
    for line in text.lines().skip(1) {
        let mut words = line.split_whitespace();
        let (Some(name), Some(property), Some(value)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        if !["sync", "recordsize"].contains(&property) {
            continue;
        }
        if found.last().is_none_or(|dataset| dataset.name != name) {
            found.push(ZfsDataset {
                name: name.to_owned(),
                source: source.to_owned(),
                ..ZfsDataset::default()
            });
        }
        let Some(dataset) = found.last_mut() else { continue };
        if property == "sync" {
            value.clone_into(&mut dataset.sync);
        } else {
            dataset.record_bytes = record_bytes(value);
        }
    }
    found
}

/// `128K`, `1M`, `512`.
fn record_bytes(text: &str) -> Option<u64> {
    let (digits, shift) = match text.strip_suffix(['K', 'M']) {
        Some(digits) => (digits, if text.ends_with('K') { 10 } else { 20 }),
        None => (text.trim_end_matches('B'), 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
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
    use crate::tests::rooted;

    #[test]
    fn reads_pools_and_the_cache() {
        let arcstats = "13 1 0x01 123 33456 4112345678 98765432100\nname                            type data\n\
                        hits                            4    991\nc_max                           4    8589934592\n\
                        size                            4    4294967296\n";
        let (_tree, root) = rooted(&[
            ("proc/spl/kstat/zfs/tank/state", "ONLINE\n"),
            ("proc/spl/kstat/zfs/data/state", "DEGRADED\n"),
            ("proc/spl/kstat/zfs/arcstats", arcstats),
        ]);
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
        let names =
            |pools: Vec<ZfsPool>| pools.into_iter().map(|pool| (pool.name, pool.state)).collect::<Vec<_>>();
        let expected = vec![("tank".to_owned(), "DEGRADED".to_owned())];
        let full = listed(list, "")[0].clone();
        assert_eq!((full.used_percent, full.fragmented_percent), (Some(97), Some(81)));
        assert_eq!(
            (names(listed(list, "")), names(stated(status, ""))),
            (expected.clone(), expected.clone())
        );
        assert_eq!((listed(status, ""), stated("all pools are healthy\n", "")), (Vec::new(), Vec::new()));
        assert_eq!(listed("NAME  STATE   HEALTH\nvol0  online  ok\n", ""), []);
        let (_folder, root) = rooted(&[("sos_commands/zfs/zpool_status_-vx", status)]);
        assert_eq!(names(pools(&root)), expected);
        assert_eq!(pools(&root)[0].source, "/sos_commands/zfs/zpool_status_-vx");
    }

    #[test]
    fn reads_bad_devices_damaged_files_and_settings() {
        let status = "  pool: tank\n state: DEGRADED\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n\ttank  DEGRADED  0 0 0\n\
                      \t  mirror-0  DEGRADED  0 0 0\n\t    sda  ONLINE  0 0 6\n\t    sdb  FAULTED  31 812 0  too many errors\n\
                      \t    sdc  ONLINE  0 0 0\n\nerrors: Permanent errors have been detected in the following files:\n\n\
                      \x20       /var/lib/mysql/shop/a.ibd\n\n  pool: rpool\n state: ONLINE\nerrors: No known data errors\n";
        let pools = stated(status, "");
        assert_eq!(
            pools[0].bad_devices,
            [
                "sda ONLINE (0 read, 0 write, 6 checksum errors)",
                "sdb FAULTED (31 read, 812 write, 0 checksum errors)"
            ]
        );
        assert_eq!(pools[0].damaged_files, ["/var/lib/mysql/shop/a.ibd"]);
        assert_eq!((pools[1].bad_devices.len(), pools[1].damaged_files.len()), (0, 0));
        let brief = stated("pool: tank\nstate: ONLINE\nerrors: 2 data errors, use '-v' for a list\n", "x");
        assert_eq!(brief[0].damaged_files, ["2 data errors, use '-v' for a list"]);
        let refused = "  pool: tank\n state: ONLINE\n   see: https://openzfs.org/msg/ZFS-8000-HC\n";
        assert_eq!(stated(refused, "")[0].state, "SUSPENDED");
        let get = "NAME PROPERTY VALUE SOURCE\ntank recordsize 128K default\ntank sync standard default\n\
                   tank/db recordsize 1M local\ntank/db sync disabled local\n";
        let found: Vec<_> =
            settings(get, "").into_iter().map(|set| (set.name, set.sync, set.record_bytes)).collect();
        assert_eq!(
            found,
            [
                ("tank".into(), "standard".into(), Some(128 << 10)),
                ("tank/db".into(), "disabled".into(), Some(1 << 20))
            ]
        );
    }

    #[test]
    fn a_host_without_zfs_has_neither() {
        let (_tree, root) = rooted(&[]);
        assert_eq!((pools(&root), cache(&root)), (Vec::new(), None));
    }
}
