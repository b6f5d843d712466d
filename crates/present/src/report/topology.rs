//! From each mount, peer and address down to the physical links, as trees drawn of the host's graph; each finding hangs on
//! the node it is about.
//!
//! ```text
//! /u01/oradata ─ xfs ─ lvm ─ multipath ─┬─ group ─┬─ sdb ─ host5
//!                                       │         └─ sdc ─ host6
//! db2:5555 ─ route ─ bond0 ─┬─ eth0     └─ ...
//!                           └─ eth1
//! ```

mod network;
mod storage;

use super::told;
use fullwire_model::Run;
use fullwire_model::assessment::Finding;
use fullwire_model::graph::Topology;
use fullwire_model::host::Host;
use fullwire_model::subject::{Kind, Subject};
use std::collections::{BTreeMap, BTreeSet};

/// Draws no more trees than this: the rest of a host with hundreds of mounts is in the JSON.
const MOST_ROOTS: usize = 48;

/// Of these, so many may be interfaces.
const MOST_INTERFACES: usize = 16;

/// Goes no deeper than this, should a captured tree lead in a circle.
const DEEPEST: usize = 16;

/// One thing on a path, and what is under it.
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
    /// What is under it.
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

impl Node<'_> {
    fn new(kind: NodeKind, name: impl Into<String>) -> Self {
        let (details, findings, children) = (Vec::new(), Vec::new(), Vec::new());
        Self { kind, name: name.into(), details, broken: false, findings, children }
    }

    /// Adds words that are not empty.
    fn details(mut self, words: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(words.into_iter().filter(|word| !word.is_empty()));
        self
    }

    /// The names of all interfaces in the tree.
    fn interfaces(&self, names: &mut BTreeSet<String>) {
        if self.kind == NodeKind::Interface {
            names.insert(self.name.clone());
        }
        for child in &self.children {
            child.interfaces(names);
        }
    }
}

/// How far down a tree is drawn, and what was drawn in it with all that is under it.
#[derive(Default)]
struct Drawn {
    depth: usize,
    things: BTreeSet<Subject>,
}

/// The run's graph with the findings about each thing of it.
struct Drawing<'a> {
    run: &'a Run,
    host: &'a Host,
    graph: Topology,
    findings: &'a [Finding],
    /// Of each thing, indices into `findings`.
    about: BTreeMap<Subject, Vec<usize>>,
}

impl<'a> Drawing<'a> {
    fn of(run: &'a Run, findings: &'a [Finding]) -> Self {
        let graph = Topology::of_run(run);
        let mut about: BTreeMap<Subject, Vec<usize>> = BTreeMap::new();
        for (index, finding) in findings.iter().enumerate() {
            for thing in finding.subjects().flat_map(|subject| graph.called(&subject)) {
                let own = about.entry(thing).or_default();
                if own.last() != Some(&index) {
                    own.push(index);
                }
            }
        }
        Self { run, host: &run.host, graph, findings, about }
    }

    /// The findings about any of these things, worst first as they come.
    fn about(&self, things: &[Subject]) -> Vec<&'a Finding> {
        let all: BTreeSet<usize> =
            things.iter().filter_map(|thing| self.about.get(thing)).flatten().copied().collect();
        all.into_iter().map(|index| &self.findings[index]).collect()
    }

    /// A thing and what is under it, which is drawn once in a tree.
    fn node(&self, thing: &Subject, drawn: &mut Drawn) -> Node<'a> {
        let mut node = match thing.kind {
            Kind::Nic => self.interface(&thing.name),
            Kind::Disk => self.device(&thing.name),
            _ => self.link(thing),
        };
        node.findings = self.about(std::slice::from_ref(thing));
        if drawn.depth >= DEEPEST || !drawn.things.insert(thing.clone()) {
            return node;
        }
        drawn.depth += 1;
        node.children = match thing.kind {
            Kind::Nic => self.members(thing, drawn),
            Kind::Disk => self.under_device(thing, drawn),
            _ => self.toward(thing),
        };
        drawn.depth -= 1;
        node
    }

    fn below(&self, thing: &Subject, drawn: &mut Drawn) -> Vec<Node<'a>> {
        self.graph.below(thing).iter().map(|lower| self.node(lower, drawn)).collect()
    }
}

/// The trees of all measured paths, then of the databases' directories and the other mounts on block devices
/// and NFS, then of the addressed interfaces that are in none of these.
pub(super) fn topology<'a>(run: &'a Run, findings: &'a [Finding]) -> Vec<Node<'a>> {
    let drawing = Drawing::of(run, findings);
    let mut roots = drawing.peers();
    roots.extend(drawing.mounts());
    let mut drawn = BTreeSet::new();
    for root in &roots {
        root.interfaces(&mut drawn);
    }
    let mut interfaces = drawing.interfaces(&drawn);
    interfaces.truncate(MOST_INTERFACES);
    roots.truncate(MOST_ROOTS - interfaces.len());
    roots.append(&mut interfaces);
    let mut seen = Vec::new();
    for root in &mut roots {
        draw_once(root, &mut seen);
    }
    roots
}

/// A volume or bond that several roots share is drawn in full under the first of them.
fn draw_once(node: &mut Node<'_>, seen: &mut Vec<String>) {
    let shared = matches!(node.kind, NodeKind::Device | NodeKind::Interface);
    if shared && !node.children.is_empty() {
        if seen.contains(&node.name) {
            node.children.clear();
            node.findings.clear();
            node.details.push("as above".into());
            return;
        }
        seen.push(node.name.clone());
    }
    for child in &mut node.children {
        draw_once(child, seen);
    }
}
