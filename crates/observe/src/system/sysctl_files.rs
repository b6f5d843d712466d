//! Which file sets a kernel parameter at boot. Order: sysctl(8), `--system`, and sysctl.d(5).

use super::sysctl::{dotted, wanted};
use crate::Root;
use std::collections::BTreeMap;

/// A file hides one of the same name in a directory further down.
const DIRECTORIES: [&str; 5] =
    ["/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d", "/lib/sysctl.d"];

/// Read last by sysctl(8). systemd reads it where one of the directories has a link to it (systemd, NEWS, version 207), and
/// Debian 13 has none any more (release notes of trixie).
const LAST: &str = "/etc/sysctl.conf";

/// The link's name, on every distribution that has one.
const LINK: &str = "99-sysctl.conf";

/// Whether the next boot reads [`LAST`]. Of a captured tree that lacks the directories of packages nobody knows: it may.
fn is_last_read(root: &Root) -> bool {
    let booted = root.exists("/run/systemd/system");
    let systemd = booted || root.attribute("/proc/1/comm").is_some_and(|name| name == "systemd");
    let names: Vec<String> = DIRECTORIES.iter().flat_map(|directory| root.list(directory)).collect();
    let of_packages = || DIRECTORIES[3..].iter().any(|directory| !root.list(directory).is_empty());
    !systemd || names.iter().any(|name| name == LINK) || !of_packages()
}

/// Files that are looked at, and how much of each.
const MAX_FILES: usize = 128;
const MAX_BYTES: usize = 1 << 17;

/// What is set at boot, by the name of each parameter that is kept.
#[derive(Default)]
pub(super) struct Persisted {
    /// `FILE:LINE` of the line that is read last.
    pub lines: BTreeMap<String, String>,
    /// The value that it sets.
    pub values: BTreeMap<String, String>,
}

/// What package managers, editors and people leave behind on purpose.
const LEFT: [&str; 8] = ["rpmnew", "rpmsave", "dpkg-dist", "dpkg-old", "bak", "orig", "old", "save"];

/// `FILE:LINE` of parameters in files of the same directories that are not read, for their names end otherwise
/// (`97-db.cnf`), and of `/etc/sysctl.conf` where nothing reads it at boot. Copies are left out.
pub(super) fn ignored(root: &Root) -> BTreeMap<String, String> {
    let mut paths: Vec<String> = (!is_last_read(root)).then(|| LAST.to_owned()).into_iter().collect();
    for name in root.list("/etc/sysctl.d").into_iter().take(MAX_FILES) {
        let Some((stem, kind)) = name.rsplit_once('.') else { continue };
        let is_copy =
            LEFT.contains(&kind) || kind.ends_with('~') || !kind.bytes().all(|b| b.is_ascii_alphabetic());
        // `97-db.conf.disabled` was switched off.
        if stem.is_empty() || kind == "conf" || is_copy || stem.contains(".conf") {
            continue;
        }
        paths.push(format!("/etc/sysctl.d/{name}"));
    }
    let mut found = BTreeMap::new();
    for path in paths {
        let Ok(text) = root.read_settings(&path, MAX_BYTES, None, kept) else { continue };
        for (index, line) in text.lines().enumerate() {
            if let Some((name, _)) = setting(line) {
                found.entry(name).or_insert_with(|| format!("{path}:{}", index + 1));
            }
        }
    }
    found
}

/// For each parameter that is kept, the line that is read last.
pub(super) fn read(root: &Root) -> Persisted {
    let mut files = BTreeMap::new();
    for directory in DIRECTORIES {
        for name in root.list(directory).into_iter().filter(|name| name.rsplit('.').next() == Some("conf")) {
            files.entry(name.clone()).or_insert_with(|| format!("{directory}/{name}"));
        }
    }
    let last = is_last_read(root).then(|| LAST.to_owned());
    let paths = files.into_values().take(MAX_FILES).chain(last);
    let mut found = Persisted::default();
    for path in paths {
        let Ok(text) = root.read_settings(&path, MAX_BYTES, None, kept) else { continue };
        for (index, line) in text.lines().enumerate() {
            if let Some((name, value)) = setting(line) {
                found.values.insert(name.clone(), value.to_owned());
                found.lines.insert(name, format!("{path}:{}", index + 1));
            }
        }
    }
    found
}

/// The lines of kept parameters, each at its own number.
fn kept(text: &str) -> String {
    let line = |line: &str| setting(line).map(|(name, value)| format!("{name} = {value}"));
    text.lines().map(|text| line(text).unwrap_or_default() + "\n").collect()
}

/// `name = value`; the name may be written with slashes, and a hyphen before it forgives a failure.
fn setting(line: &str) -> Option<(String, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim().trim_start_matches('-').trim();
    // The first separator tells which of the two is meant (sysctl.d(5)).
    let slashes = name.find(['/', '.']).is_some_and(|at| name[at..].starts_with('/'));
    let name = if slashes { dotted(name) } else { name.to_owned() };
    (!name.starts_with(['#', ';']) && wanted(&name)).then(|| (name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rooted;

    fn tree(files: &[(&str, &str)]) -> (Persisted, BTreeMap<String, String>) {
        let (_tree, root) = rooted(files);
        (read(&root), ignored(&root))
    }

    /// A value that `sysctl -p` has set from it is gone at the next boot.
    #[test]
    fn systemd_reads_sysctl_conf_by_a_link_alone() {
        let host = [
            ("/proc/1/comm", "systemd\n"),
            ("/usr/lib/sysctl.d/50-default.conf", "kernel.shmall = 1\n"),
            ("/etc/sysctl.conf", "vm.nr_hugepages = 33000\n"),
        ];
        let (found, ignored) = tree(&host);
        assert!(!found.values.contains_key("vm.nr_hugepages"));
        assert_eq!(ignored["vm.nr_hugepages"], "/etc/sysctl.conf:1");
        let linked = [&host[..], &[("/etc/sysctl.d/99-sysctl.conf", "vm.nr_hugepages = 33000\n")]].concat();
        // Without systemd, and where the directories of packages were not captured, it is read.
        for host in [&linked[..], &host[1..], &[host[0], host[2]]] {
            let (found, ignored) = tree(host);
            assert_eq!((found.values["vm.nr_hugepages"].as_str(), ignored.len()), ("33000", 0));
        }
    }

    #[test]
    fn the_file_that_is_read_last_sets_the_parameter() {
        let (found, ignored) = tree(&[
            ("/usr/lib/sysctl.d/50-default.conf", "vm.swappiness = 60\nkernel.shmall=1\n"),
            ("/etc/sysctl.d/50-default.conf", "# hides the other\n"),
            ("/etc/sysctl.d/99-zz-db.conf", "# db\n\nvm/swappiness=1\n-net.core.somaxconn = 1024\n"),
            ("/usr/lib/sysctl.d/10-map.conf", "net.core.somaxconn=128\n"),
            ("/etc/sysctl.d/97-db.cnf", "fs.file-max = 6815744\n"),
            ("/etc/sysctl.d/97-db.conf.rpmsave", "fs.file-max = 1\n"),
            ("/etc/sysctl.conf", "; old\nfs.aio-max-nr = 65536\nkernel.pony = 1\n"),
        ]);
        assert_eq!(found.values["vm.swappiness"], "1");
        let ignored: Vec<_> = ignored.iter().map(|(name, line)| format!("{name} {line}")).collect();
        assert_eq!(ignored, ["fs.file-max /etc/sysctl.d/97-db.cnf:1"]);
        let found: Vec<_> = found.lines.iter().map(|(name, line)| format!("{name} {line}")).collect();
        assert_eq!(
            found,
            [
                "fs.aio-max-nr /etc/sysctl.conf:2",
                "net.core.somaxconn /etc/sysctl.d/99-zz-db.conf:4",
                "vm.swappiness /etc/sysctl.d/99-zz-db.conf:3",
            ]
        );
    }
}
