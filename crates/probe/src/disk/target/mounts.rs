//! `/proc/self/mountinfo`, as far as a storage probe needs it: which file system contains a path.

use std::path::{Path, PathBuf};

/// One mounted file system.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MountEntry {
    /// `MAJOR:MINOR` of its device; anonymous (`0:N`) for network and stacked file systems.
    pub(crate) number: String,
    /// Where it is mounted.
    pub(crate) target: PathBuf,
    /// `ext4`, `nfs4`, ...
    pub(crate) fs_type: String,
    /// `/dev/sda1`, `filer:/vol`, ...
    pub(crate) source: String,
    /// Options of the mount and of the file system.
    pub(crate) options: Vec<String>,
}

/// All mounts of this process's name space, in the order of mounting.
pub(crate) fn read() -> std::io::Result<Vec<MountEntry>> {
    Ok(parse(&std::fs::read_to_string("/proc/self/mountinfo")?))
}

/// Reads the text; a line that makes no sense is left out.
pub(crate) fn parse(text: &str) -> Vec<MountEntry> {
    text.lines().filter_map(parse_line).collect()
}

/// `36 35 98:0 /root /mnt rw,noatime master:1 - ext3 /dev/root rw,errors=continue` (proc(5)).
fn parse_line(line: &str) -> Option<MountEntry> {
    let (front, back) = line.split_once(" - ")?;
    let mut front = front.split(' ');
    let number = front.nth(2)?;
    let target = front.nth(1)?;
    let options = front.next()?;
    let mut back = back.split(' ');
    let (fs_type, source) = (back.next()?, back.next()?);
    let all = options.split(',').chain(back.next().unwrap_or_default().split(','));
    Some(MountEntry {
        number: number.to_owned(),
        target: PathBuf::from(unescape(target)),
        fs_type: fs_type.to_owned(),
        source: unescape(source),
        options: all.filter(|option| !option.is_empty()).map(unescape).collect(),
    })
}

/// The kernel writes space, tab, newline and backslash as `\040` and so on.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let octal = tail.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        if let (b'\\', Some(byte)) = (first, octal.and_then(|digits| u8::from_str_radix(digits, 8).ok())) {
            bytes.push(byte);
            rest = &tail[3..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The mount that contains a path: the longest mount point above it, of several there the last.
pub(crate) fn holding<'a>(mounts: &'a [MountEntry], path: &Path) -> Option<&'a MountEntry> {
    mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.target))
        .max_by_key(|mount| mount.target.components().count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
30 22 0:24 / /data\\040base rw - nfs4 filer:/vol rw,vers=4.2
31 22 8:1 /sub /data rw,noatime - xfs /dev/sda1 rw,sunit=512
32 22 8:2 / /data rw - ext4 /dev/sda2 rw
nonsense
";

    #[test]
    fn the_innermost_and_latest_mount_holds_a_path() {
        let mounts = parse(TEXT);
        assert_eq!(mounts.len(), 4);
        let source = |path: &str| holding(&mounts, Path::new(path)).map(|mount| mount.source.as_str());
        assert_eq!(source("/data base/x"), Some("filer:/vol"));
        assert_eq!(source("/data/x"), Some("/dev/sda2"));
        assert_eq!(source("/database"), Some("/dev/vda"));
        assert_eq!(mounts[2].options, ["rw", "noatime", "rw", "sunit=512"]);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC{0,200}") {
            let _ = parse(&text);
            let _ = unescape(&text);
        }
    }
}
