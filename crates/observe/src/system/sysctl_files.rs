//! Which file sets a kernel parameter at boot. Order: sysctl(8), `--system`, and sysctl.d(5).

use super::sysctl::{dotted, wanted};
use crate::Root;
use std::collections::BTreeMap;

/// A file hides one of the same name in a directory further down.
const DIRECTORIES: [&str; 5] =
    ["/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d", "/lib/sysctl.d"];

/// Read last.
const LAST: &str = "/etc/sysctl.conf";

/// Files that are looked at, and how much of each.
const MAX_FILES: usize = 128;
const MAX_BYTES: usize = 1 << 17;

/// For each parameter that is kept, `FILE:LINE` of the line that is read last.
pub(super) fn read(root: &Root) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for directory in DIRECTORIES {
        for name in root.list(directory).into_iter().filter(|name| name.rsplit('.').next() == Some("conf")) {
            files.entry(name.clone()).or_insert_with(|| format!("{directory}/{name}"));
        }
    }
    let paths = files.into_values().take(MAX_FILES).chain([LAST.to_owned()]);
    let mut found = BTreeMap::new();
    for path in paths {
        let Ok(text) = root.read_settings(&path, MAX_BYTES, None, kept) else { continue };
        for (index, line) in text.lines().enumerate() {
            if let Some((name, _)) = setting(line) {
                found.insert(name, format!("{path}:{}", index + 1));
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

    fn tree(files: &[(&str, &str)]) -> BTreeMap<String, String> {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path.trim_start_matches('/'));
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        read(&Root::tree(folder.path()).expect("a tree"))
    }

    #[test]
    fn the_file_that_is_read_last_sets_the_parameter() {
        let found = tree(&[
            ("/usr/lib/sysctl.d/50-default.conf", "vm.swappiness = 60\nkernel.shmall=1\n"),
            ("/etc/sysctl.d/50-default.conf", "# hides the other\n"),
            ("/etc/sysctl.d/99-zz-db.conf", "# db\n\nvm/swappiness=1\n-net.core.somaxconn = 1024\n"),
            ("/usr/lib/sysctl.d/10-map.conf", "net.core.somaxconn=128\n"),
            ("/etc/sysctl.conf", "; old\nfs.aio-max-nr = 65536\nkernel.pony = 1\n"),
        ]);
        let found: Vec<_> = found.iter().map(|(name, line)| format!("{name} {line}")).collect();
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
