//! A tree that was packed in an archive and is kept in memory.
//!
//! Links resolve within the tree: an absolute target starts at its top, and nothing leads above the top.

use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Links that one path may pass, as in the kernel.
const MAX_LINKS: usize = 40;

/// Names that are looked at on one way, those of links with them.
const MAX_STEPS: usize = 4096;

/// Directories above a file. A host's deepest paths, below `/sys/devices`, have some 25.
const MAX_DEPTH: usize = 64;

/// Bytes of a path, and of what a link may lead to (`PATH_MAX`).
pub(super) const MAX_PATH_BYTES: usize = 4096;

/// Bytes that all paths and names may take together; a large sosreport takes some 10 MB.
const MAX_NAMES_BYTES: usize = 128 << 20;

/// What an entry of a map takes besides its text.
const ENTRY_BYTES: usize = 96;

/// What is at a path.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    File { bytes: Vec<u8>, cut: bool },
    Link(String),
}

/// Files and links by path, without a leading slash.
#[derive(Debug, Clone, Default)]
pub(super) struct MemoryTree {
    nodes: BTreeMap<String, Node>,
    /// Each directory's names; the top is the empty path.
    directories: BTreeMap<String, BTreeSet<String>>,
    /// What paths and names take.
    names_bytes: usize,
    /// What of its archive is not in it, and why.
    pub(super) left_out: Option<String>,
}

impl MemoryTree {
    /// These say whether there was room: a path that is too deep, too long or one too many is left out.
    pub(super) fn insert_file(&mut self, path: &str, bytes: Vec<u8>, cut: bool) -> bool {
        self.insert(path, Some(Node::File { bytes, cut }))
    }

    pub(super) fn insert_link(&mut self, path: &str, target: String) -> bool {
        target.len() <= MAX_PATH_BYTES && self.insert(path, Some(Node::Link(target)))
    }

    pub(super) fn insert_directory(&mut self, path: &str) -> bool {
        self.insert(path, None)
    }

    fn insert(&mut self, path: &str, node: Option<Node>) -> bool {
        if path.len() > MAX_PATH_BYTES {
            return false;
        }
        let Some(path) = clean(path) else { return false };
        let depth = path.bytes().filter(|&byte| byte == b'/').count();
        // Above it there may be as many new directories, each with a path nearly as long.
        let worst = (depth + 2) * (2 * path.len() + ENTRY_BYTES);
        if depth > MAX_DEPTH || self.names_bytes + worst > MAX_NAMES_BYTES {
            return false;
        }
        let mut below = path.as_str();
        while !below.is_empty() {
            let (parent, name) = below.rsplit_once('/').unwrap_or(("", below));
            if !self.directories.contains_key(parent) {
                self.names_bytes += parent.len() + ENTRY_BYTES;
            }
            let fresh = self.directories.entry(parent.to_owned()).or_default().insert(name.to_owned());
            if !fresh {
                break;
            }
            self.names_bytes += name.len() + ENTRY_BYTES;
            below = parent;
        }
        self.names_bytes += path.len() + ENTRY_BYTES;
        match node {
            Some(Node::Link(target)) => {
                self.names_bytes += target.len();
                self.nodes.insert(path, Node::Link(target));
            }
            Some(node) => _ = self.nodes.insert(path, node),
            None => _ = self.directories.entry(path).or_default(),
        }
        true
    }

    /// The names at the top.
    pub(super) fn top(&self) -> Vec<&str> {
        self.directories.get("").into_iter().flatten().map(String::as_str).collect()
    }

    /// The same tree without its topmost directory of that name.
    pub(super) fn without_top(self, name: &str) -> Self {
        let prefix = format!("{name}/");
        let mut tree = Self::default();
        for (path, node) in self.nodes {
            if let Some(path) = path.strip_prefix(&prefix) {
                tree.insert(path, Some(node));
            }
        }
        for path in self.directories.keys().filter_map(|path| path.strip_prefix(&prefix)) {
            tree.insert(path, None);
        }
        tree
    }

    /// Paths of all files below a directory whose name starts so, by path.
    pub(super) fn files_starting_with<'a>(
        &'a self,
        start: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        let matching =
            self.nodes.range(start.to_owned()..).take_while(move |(path, _)| path.starts_with(start));
        matching.filter_map(|(path, node)| match node {
            Node::File { bytes, .. } => Some((path.as_str(), bytes.as_slice())),
            Node::Link(_) => None,
        })
    }

    pub(super) fn read(&self, path: &str, limit: usize) -> io::Result<(Vec<u8>, bool)> {
        let path = self.resolve(path, true)?;
        match self.nodes.get(&path) {
            Some(Node::File { bytes, cut }) => {
                let cut = *cut || bytes.len() > limit;
                Ok((bytes[..bytes.len().min(limit)].to_vec(), cut))
            }
            _ if self.directories.contains_key(&path) => Err(Errno::ISDIR.into()),
            _ => Err(Errno::NOENT.into()),
        }
    }

    pub(super) fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let path = self.resolve(path, true)?;
        match self.directories.get(&path) {
            Some(names) => Ok(names.iter().cloned().collect()),
            None if self.nodes.contains_key(&path) => Err(Errno::NOTDIR.into()),
            None => Err(Errno::NOENT.into()),
        }
    }

    pub(super) fn link(&self, path: &str) -> Option<String> {
        let path = self.resolve(path, false).ok()?;
        match self.nodes.get(&path)? {
            Node::Link(target) => Some(target.clone()),
            Node::File { .. } => None,
        }
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        let Ok(path) = self.resolve(path, true) else { return false };
        self.nodes.contains_key(&path) || self.directories.contains_key(&path)
    }

    /// Where a path leads when its links are followed; the last name's own link only if asked.
    fn resolve(&self, path: &str, follow_last: bool) -> io::Result<String> {
        let mut waiting: Vec<&str> = components(path).rev().collect();
        let mut resolved = String::new();
        let (mut links, mut steps) = (0, 0);
        while let Some(name) = waiting.pop() {
            steps += 1;
            if steps > MAX_STEPS {
                return Err(Errno::LOOP.into());
            }
            let above = resolved.rfind('/').unwrap_or(0);
            if name == ".." {
                resolved.truncate(above);
                continue;
            }
            let above = resolved.len();
            if resolved.len() + name.len() >= MAX_PATH_BYTES {
                return Err(Errno::NAMETOOLONG.into());
            }
            if !resolved.is_empty() {
                resolved.push('/');
            }
            resolved.push_str(name);
            if waiting.is_empty() && !follow_last {
                break;
            }
            if let Some(Node::Link(target)) = self.nodes.get(&resolved) {
                links += 1;
                if links > MAX_LINKS {
                    return Err(Errno::LOOP.into());
                }
                resolved.truncate(if target.starts_with('/') { 0 } else { above });
                waiting.extend(components(target).rev());
            }
        }
        Ok(resolved)
    }
}

fn components(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty() && *name != ".")
}

/// A path without leading slash and dots; `None` for one that would lead above the top, or is the top.
pub(super) fn clean(path: &str) -> Option<String> {
    let names: Vec<&str> = components(path).collect();
    (!names.is_empty() && names.iter().all(|name| *name != "..")).then(|| names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> MemoryTree {
        let mut tree = MemoryTree::default();
        tree.insert_file("sys/devices/pci/block/sda/size", b"8\n".to_vec(), false);
        tree.insert_link("sys/block/sda", "../devices/pci/block/sda".to_owned());
        tree.insert_link("up", "../../../etc/shadow".to_owned());
        tree.insert_link("loop", "/loop".to_owned());
        tree.insert_file("../escape", b"no".to_vec(), false);
        tree
    }

    #[test]
    fn links_are_followed_within_the_tree() {
        let tree = tree();
        assert_eq!(tree.read("/sys/block/sda/size", 99).expect("read").0, b"8\n");
        assert_eq!(tree.list("/sys/block/sda").expect("listed"), ["size"]);
        assert_eq!(tree.link("/sys/block/sda").as_deref(), Some("../devices/pci/block/sda"));
        assert!(tree.exists("/sys/block/sda") && !tree.exists("/up"));
        assert_eq!(tree.read("/loop", 99).unwrap_err().raw_os_error(), Some(Errno::LOOP.raw_os_error()));
        assert_eq!(tree.top(), ["loop", "sys", "up"], "nothing above the top was taken");
    }

    #[test]
    fn a_way_of_any_length_ends() {
        let mut tree = MemoryTree::default();
        assert!(!tree.insert_link("long", "x/".repeat(200_000)), "longer than any path");
        assert_eq!(tree.link("/long"), None);
        assert!(tree.insert_link("up", "a/../".repeat(800)));
        assert!(tree.insert_link("proc", "up/".repeat(1300)));
        let errno = tree.read("/proc/stat", 9).unwrap_err().raw_os_error();
        assert_eq!(errno, Some(Errno::LOOP.raw_os_error()));
        assert!(tree.insert_link("deeper", "deeper/x".to_owned()));
        assert!(tree.read("/deeper", 9).is_err());
    }

    #[test]
    fn paths_and_directories_count() {
        let mut tree = MemoryTree::default();
        let deep = vec!["d"; 2000].join("/");
        assert!((0..1000).all(|number| !tree.insert_file(&format!("{deep}/{number}"), Vec::new(), false)));
        assert_eq!((tree.nodes.len(), tree.directories.len()), (0, 0), "too deep for any host");
        let long = vec!["x".repeat(63); 60].join("/");
        let kept = (0..2000).take_while(|number| tree.insert_directory(&format!("{number}/{long}"))).count();
        let bytes: usize = tree.directories.keys().map(String::len).sum();
        assert!(kept > 100 && kept < 2000, "{kept} are kept");
        assert!(bytes <= MAX_NAMES_BYTES && tree.names_bytes <= MAX_NAMES_BYTES, "{bytes}");
    }

    #[test]
    fn limits_and_kinds_are_told() {
        let tree = tree();
        assert_eq!(tree.read("/sys/block/sda/size", 1).expect("read"), (b"8".to_vec(), true));
        assert_eq!(tree.read("/sys", 1).unwrap_err().raw_os_error(), Some(Errno::ISDIR.raw_os_error()));
        assert_eq!(tree.list("/none").unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn the_directory_around_a_sosreport_goes() {
        let mut tree = MemoryTree::default();
        tree.insert_file("sosreport-db1/proc/stat", b"cpu".to_vec(), false);
        tree.insert_directory("sosreport-db1/sys/empty");
        let tree = tree.without_top("sosreport-db1");
        assert_eq!(tree.read("/proc/stat", 9).expect("read").0, b"cpu");
        assert!(tree.exists("/sys/empty"));
    }
}
