//! An OSWatcher archive as a tree: of its text files those that hold a copy of a kernel file, at their last
//! sample, and its `netstat` twice. Its tables over time (iostat, vmstat) are for `fullwire import`.

use super::memory::MemoryTree;
use super::open_regular;
use rustix::fs::OFlags;
use std::fs::DirEntry;
use std::io::{self, Read};
use std::path::Path;

/// A file's samples each begin with a line of this start.
const SAMPLE_START: &str = "zzz ***";

/// A directory of the archive, and where the host had what it copies.
const COPIES: &[(&str, &str)] =
    &[("oswmeminfo", "proc/meminfo"), ("oswslabinfo", "proc/slabinfo"), ("oswcpuinfo", "proc/cpuinfo")];

/// Files of the archive that begin with iostat's first line, which names the kernel and the host.
const IOSTAT: &str = "oswiostat";

/// Files of `netstat`, whose counters grow from sample to sample.
const NETSTAT: &str = "oswnetstat";

/// The first sample of the newest of them, and the last that is whole.
pub(crate) const WATCHED_FIRST_PATH: &str = "/fullwire/netstat-first";
pub(crate) const WATCHED_LAST_PATH: &str = "/fullwire/netstat-last";

/// Bytes at the end of a file in which its last sample is looked for.
const TAIL_BYTES: usize = 4 << 20;

/// A directory that OSWatcher makes.
pub(super) fn is_directory(name: &str) -> bool {
    [IOSTAT, NETSTAT].contains(&name) || COPIES.iter().any(|(directory, _)| *directory == name)
}

/// The tree of an unpacked archive, when the directory is one.
pub(super) fn directory(path: &Path) -> io::Result<Option<MemoryTree>> {
    let mut tree = MemoryTree::default();
    for name in COPIES.iter().map(|(directory, _)| *directory).chain([IOSTAT, NETSTAT]) {
        let below = path.join(name);
        // A link would lead out of the tree.
        if !below.symlink_metadata().is_ok_and(|below| below.is_dir()) {
            continue;
        }
        let entries = std::fs::read_dir(&below)?.flatten();
        let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        // Names end in the date and sort by it. An archive contains two days of hours; the older ones are not looked at.
        let Some(newest) = files.max_by_key(DirEntry::file_name) else { continue };
        let mut bytes = Vec::new();
        open_regular(&newest.path(), OFlags::NOFOLLOW)?
            .take(super::MAX_READ_BYTES as u64)
            .read_to_end(&mut bytes)?;
        tree.insert_file(&format!("{name}/{}", newest.file_name().to_string_lossy()), bytes, false);
    }
    Ok((!tree.top().is_empty()).then(|| translate(tree)))
}

/// Puts the copies of kernel files where readers look for them. Any other tree stays as it is.
pub(super) fn translate(mut tree: MemoryTree) -> MemoryTree {
    for (directory, path) in COPIES {
        if let Some(text) = newest(&tree, directory).and_then(|text| last_sample(&text)) {
            tree.insert_file(path, text.into_bytes(), false);
        }
    }
    if let Some((release, host)) = newest(&tree, IOSTAT).and_then(|text| iostat_head(&text)) {
        tree.insert_file("proc/sys/kernel/osrelease", release.into_bytes(), false);
        tree.insert_file("proc/sys/kernel/hostname", host.into_bytes(), false);
    }
    if let Some([first, last]) = newest(&tree, NETSTAT).and_then(|text| first_and_last(&text)) {
        tree.insert_file(WATCHED_FIRST_PATH, first.into_bytes(), false);
        tree.insert_file(WATCHED_LAST_PATH, last.into_bytes(), false);
    }
    tree
}

/// What another sample follows is whole.
fn first_and_last(text: &str) -> Option<[String; 2]> {
    let starts: Vec<usize> = text.match_indices(SAMPLE_START).map(|(at, _)| at).collect();
    let [first, second, .., last, end] = starts.as_slice() else { return None };
    Some([text[*first..*second].to_owned(), text[*last..*end].to_owned()])
}

/// The end of a directory's last file; names end in the date and sort by it.
fn newest(tree: &MemoryTree, directory: &str) -> Option<String> {
    let start = format!("{directory}/");
    let (_, bytes) = tree.files_starting_with(&start).last()?;
    Some(String::from_utf8_lossy(bytes).into_owned())
}

fn last_sample(text: &str) -> Option<String> {
    let mut tail_start = text.len().saturating_sub(TAIL_BYTES);
    while !text.is_char_boundary(tail_start) {
        tail_start += 1;
    }
    let tail = &text[tail_start..];
    let (_, sample) = tail[tail.rfind(SAMPLE_START)?..].split_once('\n')?;
    Some(sample.to_owned())
}

/// `Linux RELEASE (HOST) …`
fn iostat_head(text: &str) -> Option<(String, String)> {
    let line = text.lines().take(10).find_map(|line| line.strip_prefix("Linux "))?;
    let (release, rest) = line.split_once(" (")?;
    let (host, _) = rest.split_once(')')?;
    Some((release.to_owned(), host.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sample_stands_for_the_kernel_file() {
        let mut tree = MemoryTree::default();
        let old = "zzz ***Wed Feb 29 11:00:00 EST 2012\nMemTotal: 1 kB\n".as_bytes().to_vec();
        let new = b"zzz ***a\nMemTotal: 2 kB\nzzz ***b\nMemTotal: 3 kB\n".to_vec();
        tree.insert_file("oswmeminfo/h_meminfo_12.02.29.1000.dat", old, false);
        tree.insert_file("oswmeminfo/h_meminfo_12.02.29.1100.dat", new, false);
        let iostat = "zzz ***x\nLinux 2.6.18-194.el5 (db01) \t02/29/12\n".as_bytes().to_vec();
        tree.insert_file("oswiostat/h_iostat_12.02.29.1100.dat", iostat, false);
        let tree = translate(tree);
        assert_eq!(tree.read("/proc/meminfo", 99).expect("there").0, b"MemTotal: 3 kB\n");
        assert_eq!(tree.read("/proc/sys/kernel/hostname", 99).expect("there").0, b"db01");
    }
}
