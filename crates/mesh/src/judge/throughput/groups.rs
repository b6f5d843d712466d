//! Paths between groups next to those within them: what a shared uplink leaves.

use crate::judge::cover::{Place, cover};
use crate::judge::finding::{Draft, on_network, rate};
use crate::judge::matrix::Matrix;
use crate::judge::view::View;
use fullwire_model::assessment::{Finding, Severity};
use fullwire_model::median;
use fullwire_model::quantity::Unit;
use std::collections::BTreeSet;

/// Paths between groups that carry less than those within.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SlowGroup {
    place: Place,
    /// The innermost group of each host.
    of_host: Vec<Option<usize>>,
    /// Median of its cells, a logarithm.
    own: f64,
    /// Median of the cells within groups, a logarithm.
    usual: f64,
}

impl SlowGroup {
    /// A path of these hosts crosses it.
    pub(super) fn holds(&self, from: usize, to: usize) -> bool {
        let groups = self.of_host[from].zip(self.of_host[to]);
        groups.is_some_and(|(from, to)| from != to && self.place.holds(from, to))
    }
}

/// The groups that are slow, and the matrix without what they take: single hosts and paths show in it.
pub(super) fn split(mesh: &View<'_>, matrix: &Matrix, least: f64) -> (Vec<SlowGroup>, Matrix) {
    let innermost = |host: usize| {
        let name = &mesh.hosts[host].name;
        let own = mesh.groups.iter().enumerate().filter(|(_, group)| group.hosts.contains(name));
        own.min_by_key(|(_, group)| group.hosts.len()).map(|(index, _)| index)
    };
    let of_host: Vec<Option<usize>> = (0..mesh.hosts.len()).map(innermost).collect();
    let between = |from: usize, to: usize| of_host[from].zip(of_host[to]).filter(|(from, to)| from != to);
    let within: Vec<f64> = matrix
        .known()
        .filter(|&(from, to, _)| of_host[from].is_some() && of_host[from] == of_host[to])
        .map(|(_, _, value)| value)
        .collect();
    let Some(usual) = median(&within) else { return (Vec::new(), matrix.clone()) };
    let groups = mesh.groups.len();
    let medians = Matrix::of(groups, |from, to| {
        let own = matrix.known().filter(|&(a, b, _)| between(a, b) == Some((from, to)));
        median(&own.map(|(_, _, value)| value).collect::<Vec<f64>>())
    });
    let measured: BTreeSet<(usize, usize)> = medians.known().map(|(from, to, _)| (from, to)).collect();
    let bad: BTreeSet<(usize, usize)> = medians
        .known()
        .filter(|(_, _, value)| usual - value > least)
        .map(|(from, to, _)| (from, to))
        .collect();
    let own = |place: &Place| {
        let cells =
            medians.known().filter(|&(from, to, _)| place.holds(from, to) && bad.contains(&(from, to)));
        median(&cells.map(|(_, _, value)| value).collect::<Vec<f64>>()).unwrap_or(usual)
    };
    let slow = cover(groups, &measured, &bad)
        .into_iter()
        .map(|place| SlowGroup { own: own(&place), place, of_host: of_host.clone(), usual })
        .collect();
    let rest = Matrix::of(matrix.size(), |from, to| {
        let lost = between(from, to).filter(|cell| bad.contains(cell)).and_then(|(a, b)| medians.get(a, b));
        Some(matrix.get(from, to)? + lost.map_or(0.0, |value| usual - value))
    });
    (slow, rest)
}

pub(super) fn finding(mesh: &View<'_>, network: &str, slow: &SlowGroup) -> Finding {
    let name = |group: &usize| mesh.groups[*group].name.clone();
    let list = |groups: &[usize]| groups.iter().map(name).collect::<Vec<_>>().join(", ");
    let (subject, words) = match &slow.place {
        Place::Host(group) => (name(group), format!("The uplink of {}, in both directions,", name(group))),
        Place::Sender(group) => (name(group), format!("The uplink of {}, outbound,", name(group))),
        Place::Receiver(group) => (name(group), format!("The uplink of {}, inbound,", name(group))),
        Place::SenderInPart(group, others) => (
            format!("{} -> {}", name(group), list(others)),
            format!("Each path from {} to {}", name(group), list(others)),
        ),
        Place::ReceiverInPart(group, others) => (
            format!("{} -> {}", list(others), name(group)),
            format!("Each path from {} to {}", list(others), name(group)),
        ),
        Place::HostInPart(group, others) => (
            format!("{} <-> {}", name(group), list(others)),
            format!("Each path between {} and {}", name(group), list(others)),
        ),
        Place::Block(from, to) => (
            format!("{} -> {}", list(from), list(to)),
            format!("Each path from {} to {}", list(from), list(to)),
        ),
        Place::Path(from, to) => (
            format!("{} -> {}", name(from), name(to)),
            format!("Each path from {} to {}", name(from), name(to)),
        ),
        Place::BothWays(one, other) => (
            format!("{} <-> {}", name(one), name(other)),
            format!("Each path between {} and {}", name(one), name(other)),
        ),
    };
    let (own, usual, network_words) = (slow.own.exp(), slow.usual.exp(), on_network(mesh, network));
    Draft::new(
        "mesh-block-slow",
        Severity::Warning,
        subject,
        format!("{words}{network_words} carries {}; {} is usual within a group", rate(own), rate(usual)),
    )
    .measured(own, usual, Unit::BytesPerS)
    .evidence("medians of the paths between groups and within them", "the matrix, the topology file")
    .why("All paths across an uplink are slow, those within the groups are not.")
    .step("Check speed, errors and load of the uplinks of these groups. If they are meant to be slower, measure them in a separate mesh with --expect.")
    .expect("A path across the uplink reaches what a path within a group reaches.")
    .done()
}
