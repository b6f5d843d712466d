//! `/etc/fstab` (`fstab(5)`): what is to be mounted after a reboot.

use super::complaint::Complaints;
use super::mountinfo::unescape;
use crate::{Root, secrets};
use fullwire_model::Gap;
use fullwire_model::host::FstabEntry;

const PATH: &str = "/etc/fstab";

/// More lines than this are not read.
const MAX_ENTRIES: usize = 4096;

/// Reads the table; `None` where there is none (a container, a tree without it).
pub(super) fn read(root: &Root, gaps: &mut Vec<Gap>) -> Option<Vec<FstabEntry>> {
    Some(parse_fstab(&root.read_optional(PATH, gaps)?, PATH, gaps))
}

/// Reads the lines: source, mount point, type, options, and two numbers that nothing here asks for.
pub fn parse_fstab(text: &str, subject: &str, gaps: &mut Vec<Gap>) -> Vec<FstabEntry> {
    let mut complaints = Complaints::new(subject, gaps);
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || entries.len() == MAX_ENTRIES {
            continue;
        }
        match *line.split_whitespace().collect::<Vec<_>>().as_slice() {
            [source, target, fs_type, ref rest @ ..] => entries.push(FstabEntry {
                source: secrets::text(&unescape(source)),
                target: directory(&unescape(target)),
                fs_type: fs_type.to_owned(),
                options: options(rest.first().unwrap_or(&"defaults")),
                line: index as u64 + 1,
            }),
            _ => complaints.line(index, "source, mount point, type and options"),
        }
    }
    entries
}

/// The kernel shows mount points without a slash at their end.
fn directory(path: &str) -> String {
    match path.trim_end_matches('/') {
        "" if path.starts_with('/') => "/".to_owned(),
        trimmed => trimmed.to_owned(),
    }
}

fn options(list: &str) -> Vec<String> {
    secrets::mount_options(list).split(',').filter(|option| !option.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_lines_of_every_shape() {
        let text = "# comment\n\n/dev/mapper/d-ora /u01/\\040x/ xfs noatime,nofail 0 0\n\
                    filer:/vol /nfs nfs\nUUID=1 none swap sw 0 0\nbroken\n";
        let mut gaps = Vec::new();
        let entries = parse_fstab(text, PATH, &mut gaps);
        assert_eq!((entries[0].target.as_str(), entries[0].line), ("/u01/ x", 3));
        assert_eq!(entries[0].option("nofail"), Some(""));
        assert_eq!(entries[1].options, ["defaults"]);
        assert_eq!((entries.len(), entries[2].target.as_str()), (3, "none"));
        assert_eq!(gaps.len(), 1);
        assert!(gaps[0].detail.starts_with("/etc/fstab:6:"), "{gaps:?}");
    }

    proptest! {
        #[test]
        fn mangled_lines_never_panic(text in "(?s).{0,200}") {
            let lines = text.lines().count() as u64;
            let entries = parse_fstab(&text, PATH, &mut Vec::new());
            prop_assert!(entries.iter().all(|entry| entry.line <= lines && !entry.source.is_empty()));
        }
    }
}
