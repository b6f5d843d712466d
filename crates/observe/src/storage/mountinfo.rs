//! `/proc/self/mountinfo` (`proc_pid_mountinfo(5)`), and `/proc/mounts` or `mount -l` where that is all there is.

use super::complaint::Complaints;
use crate::secrets;
use fullwire_model::Gap;
use fullwire_model::host::Mount;
use std::collections::HashSet;

/// More mounts than this are not read: a host with that many runs containers, not databases.
const MOUNTS_LIMIT: usize = 8192;

/// Options of one mount that are looked at; an overlay of many layers has some hundred.
const OPTIONS_LIMIT: usize = 4096;

/// Reads `/proc/self/mountinfo`, in mount order.
pub fn parse_mountinfo(text: &str, subject: &str, gaps: &mut Vec<Gap>) -> Vec<Mount> {
    let mut complaints = Complaints::new(subject, gaps);
    let mut mounts = Vec::new();
    for (index, line) in
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).take(MOUNTS_LIMIT)
    {
        match mountinfo_line(line) {
            Some(mount) => mounts.push(mount),
            None => complaints.line(index, "the fields of mountinfo with ' - ' before the type"),
        }
    }
    mounts
}

fn mountinfo_line(line: &str) -> Option<Mount> {
    let (own, file_system) = line.split_once(" - ")?;
    let mut own = own.split(' ').skip(2);
    let (number, _root, target, options) = (own.next()?, own.next()?, own.next()?, own.next()?);
    let mut file_system = file_system.split(' ');
    let (fs_type, source) = (file_system.next()?, file_system.next()?);
    let super_options = file_system.next().unwrap_or_default();
    Some(Mount {
        source: secrets::text(&unescape(source)),
        target: unescape(target),
        fs_type: unescape(fs_type),
        number: number.to_owned(),
        options: merge_options(options, super_options),
        ..Mount::default()
    })
}

/// A line of mountinfo by what is mounted: device, the directory of the file system, the place.
pub(crate) struct Place {
    pub(crate) number: String,
    pub(crate) root: String,
    pub(crate) target: String,
}

/// The places of a mountinfo, in mount order.
pub(crate) fn places(text: &str) -> impl Iterator<Item = Place> {
    text.lines().take(MOUNTS_LIMIT).filter_map(|line| {
        let mut words = line.split(' ').skip(2);
        let (number, root, target) = (words.next()?, words.next()?, words.next()?);
        Some(Place { number: number.to_owned(), root: unescape(root), target: unescape(target) })
    })
}

/// Reads `/proc/mounts` (fstab's columns).
pub fn parse_mounts(text: &str, subject: &str, gaps: &mut Vec<Gap>) -> Vec<Mount> {
    let mut complaints = Complaints::new(subject, gaps);
    let mut mounts = Vec::new();
    for (index, line) in
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).take(MOUNTS_LIMIT)
    {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [source, target, fs_type, options, ..] = words.as_slice() {
            mounts.push(mount(&unescape(source), &unescape(target), fs_type, options));
        } else {
            complaints.line(index, "source, target, type and options");
        }
    }
    mounts
}

/// Reads what `mount -l` prints: `SOURCE on TARGET type TYPE (OPTIONS) [LABEL]`.
pub fn parse_mount_list(text: &str, subject: &str, gaps: &mut Vec<Gap>) -> Vec<Mount> {
    let mut complaints = Complaints::new(subject, gaps);
    let mut mounts = Vec::new();
    for (index, line) in
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).take(MOUNTS_LIMIT)
    {
        let parsed = line.split_once(" on ").and_then(|(source, rest)| {
            let (target, rest) = rest.split_once(" type ")?;
            let (fs_type, rest) = rest.split_once(" (")?;
            let (options, _label) = rest.split_once(')')?;
            Some(mount(source, target, fs_type, options))
        });
        match parsed {
            Some(mount) => mounts.push(mount),
            None => complaints.line(index, "'SOURCE on TARGET type TYPE (OPTIONS)'"),
        }
    }
    mounts
}

fn mount(source: &str, target: &str, fs_type: &str, options: &str) -> Mount {
    Mount {
        source: secrets::text(source),
        target: target.to_owned(),
        fs_type: fs_type.to_owned(),
        options: merge_options(options, ""),
        ..Mount::default()
    }
}

/// Both lists without doubles and secrets. Read-only in either is read-only in effect.
fn merge_options(mount: &str, super_block: &str) -> Vec<String> {
    let (mount, super_block) = (secrets::mount_options(mount), secrets::mount_options(super_block));
    let all = mount.split(',').chain(super_block.split(',')).filter(|option| !option.is_empty());
    let mut known = HashSet::new();
    let mut options: Vec<String> =
        all.take(OPTIONS_LIMIT).filter(|option| known.insert(*option)).map(str::to_owned).collect();
    if options.iter().any(|option| option == "ro") {
        options.retain(|option| option != "rw");
    }
    options
}

/// Undoes the kernel's octal escapes of space, tab, newline, backslash and hash.
pub(crate) fn unescape(word: &str) -> String {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if let (b'\\', Some(byte)) = (first, octal(tail)) {
            bytes.push(byte);
            rest = &tail[3..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn octal(digits: &[u8]) -> Option<u8> {
    let digits = digits.get(..3)?;
    let value = digits.iter().try_fold(0_u32, |value, &digit| {
        matches!(digit, b'0'..=b'7').then(|| value * 8 + u32::from(digit - b'0'))
    })?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_options_of_mount_and_file_system() {
        let line = "44 16 0:25 / /mnt/my\\040data rw,relatime shared:7 master:1 - nfs4 10.0.0.2:/ ro,vers=4.2,relatime";
        let mut gaps = Vec::new();
        let mounts = parse_mountinfo(line, "proc/self/mountinfo", &mut gaps);
        assert_eq!(gaps, []);
        assert_eq!(mounts[0].target, "/mnt/my data");
        assert_eq!(mounts[0].number, "0:25");
        assert_eq!(mounts[0].options, ["relatime", "ro", "vers=4.2"]);
    }

    /// Each option against each other one: 60,000 took seconds, these would take minutes.
    #[test]
    fn options_by_the_hundred_thousand_are_cut() {
        let many: Vec<String> = (0..400_000).map(|number| format!("o{number}")).collect();
        let line = format!("22 1 0:31 / /d {0} - x /x {0}", many.join(","));
        let mounts = parse_mountinfo(&line, "m", &mut Vec::new());
        assert_eq!(mounts[0].options.len(), OPTIONS_LIMIT);
        assert_eq!(merge_options("rw,noatime,rw", "rw,ro"), ["noatime", "ro"]);
    }

    #[test]
    fn reads_what_mount_prints() {
        let mut gaps = Vec::new();
        let mounts =
            parse_mount_list("/dev/vda2 on / type ext4 (rw,relatime) [root]\nrubbish\n", "m", &mut gaps);
        assert_eq!(mounts[0].fs_type, "ext4");
        assert_eq!(mounts[0].options, ["rw", "relatime"]);
        assert!(gaps[0].detail.starts_with("m:2:"), "{gaps:?}");
    }

    #[test]
    fn escapes_that_are_none_stay() {
        assert_eq!(unescape("a\\04"), "a\\04");
        assert_eq!(unescape("a\\777b\\134c"), "a\\777b\\c");
    }
}
