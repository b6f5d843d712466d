//! A tree that was packed in an archive and is kept in memory.
//!
//! Links resolve within the tree: an absolute target starts at its top, and nothing leads above the top.

use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Links that one path may pass, as in the kernel.
const MAX_LINKS: usize = 40;

/// What lies at a path.
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
}

impl MemoryTree {
    pub(super) fn insert_file(&mut self, path: &str, bytes: Vec<u8>, cut: bool) {
        self.insert(path, Some(Node::File { bytes, cut }));
    }

    pub(super) fn insert_link(&mut self, path: &str, target: String) {
        self.insert(path, Some(Node::Link(target)));
    }

    pub(super) fn insert_directory(&mut self, path: &str) {
        self.insert(path, None);
    }

    fn insert(&mut self, path: &str, node: Option<Node>) {
        let Some(path) = clean(path) else { return };
        let mut below = path.as_str();
        while !below.is_empty() {
            let (parent, name) = below.rsplit_once('/').unwrap_or(("", below));
            let fresh = self.directories.entry(parent.to_owned()).or_default().insert(name.to_owned());
            if !fresh {
                break;
            }
            below = parent;
        }
        match node {
            Some(node) => _ = self.nodes.insert(path, node),
            None => _ = self.directories.entry(path).or_default(),
        }
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
        let mut waiting: Vec<String> = components(path).rev().collect();
        let mut resolved: Vec<String> = Vec::new();
        let mut links = 0;
        while let Some(name) = waiting.pop() {
            if name == ".." {
                resolved.pop();
                continue;
            }
            resolved.push(name);
            if waiting.is_empty() && !follow_last {
                break;
            }
            if let Some(Node::Link(target)) = self.nodes.get(&resolved.join("/")) {
                links += 1;
                if links > MAX_LINKS {
                    return Err(Errno::LOOP.into());
                }
                resolved.pop();
                if target.starts_with('/') {
                    resolved.clear();
                }
                waiting.extend(components(target).rev());
            }
        }
        Ok(resolved.join("/"))
    }
}

fn components(path: &str) -> impl DoubleEndedIterator<Item = String> {
    path.split('/').filter(|name| !name.is_empty() && *name != ".").map(str::to_owned)
}

/// A path without leading slash and dots; `None` for one that would lead above the top, or is the top.
pub(super) fn clean(path: &str) -> Option<String> {
    let names: Vec<String> = components(path).collect();
    (!names.is_empty() && names.iter().all(|name| name != "..")).then(|| names.join("/"))
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
