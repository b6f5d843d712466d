//! From each mount and peer down to the physical links, as trees; each finding hangs on the node it is about.
//!
//! ```text
//! /u01/oradata ─ xfs ─ lvm ─ multipath ─┬─ group ─┬─ sdb ─ host5
//!                                       │         └─ sdc ─ host6
//! db2:5555 ─ route ─ bond0 ─┬─ eth0     └─ ...
//!                           └─ eth1
//! ```

mod network;
mod storage;

use fullwire_model::Run;
use fullwire_model::assessment::Finding;

/// Draws no more trees than this: the rest of a host with hundreds of mounts is in the JSON.
const MOST_ROOTS: usize = 48;

/// Goes no deeper than this, should a captured tree lead in a circle.
const DEEPEST: usize = 16;

/// One thing on a path, and what lies under it.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'a> {
    /// What it is.
    pub kind: NodeKind,
    /// Its name.
    pub name: String,
    /// What is known of it, in a few words.
    pub details: Vec<String>,
    /// It does not work: a failed path, a link that is down.
    pub broken: bool,
    /// What is wrong with it.
    pub findings: Vec<&'a Finding>,
    /// What lies under it.
    pub children: Vec<Node<'a>>,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// A measured target, mount or database directory.
    FileSystem,
    /// A block device of any kind.
    Device,
    /// A group of paths of a multipath map.
    PathGroup,
    /// An adapter, session or controller.
    Link,
    /// A far end.
    Peer,
    /// A route.
    Route,
    /// An interface.
    Interface,
}

impl<'a> Node<'a> {
    fn new(kind: NodeKind, name: impl Into<String>) -> Self {
        let (details, findings, children) = (Vec::new(), Vec::new(), Vec::new());
        Self { kind, name: name.into(), details, broken: false, findings, children }
    }

    /// Adds words that are not empty.
    fn details(mut self, words: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(words.into_iter().filter(|word| !word.is_empty()));
        self
    }

    /// Hangs on the findings about any of these names.
    fn hang(mut self, findings: &'a [Finding], names: &[&str]) -> Self {
        let about =
            |finding: &&Finding| names.iter().any(|name| !name.is_empty() && finding.subject == *name);
        self.findings.extend(findings.iter().filter(about));
        self
    }
}

/// The trees of all measured paths, then of the databases' directories and the other mounts on block devices
/// and NFS.
pub(super) fn topology<'a>(run: &'a Run, findings: &'a [Finding]) -> Vec<Node<'a>> {
    let mut roots = network::peers(run, findings);
    roots.extend(storage::mounts(run, findings));
    roots.truncate(MOST_ROOTS);
    roots
}

fn told<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map(show).unwrap_or_default()
}
