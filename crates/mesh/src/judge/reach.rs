//! What cannot be reached, and what does not fit: blocked ports, other versions, path MTU.

use super::cover::{Place, cover};
use super::finding::{Draft, names, on_network, subject, words};
use fullwire_model::assessment::{Finding, Layer, Severity};
use fullwire_model::mesh::{CellState, HostState, Mesh, MeshCell};
use fullwire_model::quantity::Unit;
use std::collections::{BTreeMap, BTreeSet};

type Cells = BTreeSet<(usize, usize)>;

/// Positions of the cells of a network that are so.
pub(super) fn cells(mesh: &Mesh, network: &str, is: impl Fn(&MeshCell) -> bool) -> Cells {
    let wanted = mesh.cells.iter().filter(|cell| cell.network == network && is(cell));
    wanted.filter_map(|cell| Some((mesh.position(&cell.from)?, mesh.position(&cell.to)?))).collect()
}

/// The cells of a network that are in a place.
pub(super) fn inside<'a>(
    mesh: &'a Mesh,
    network: &'a str,
    place: &'a Place,
) -> impl Iterator<Item = &'a MeshCell> {
    mesh.cells.iter().filter(move |cell| {
        let ends = mesh.position(&cell.from).zip(mesh.position(&cell.to));
        cell.network == network && ends.is_some_and(|(from, to)| place.holds(from, to))
    })
}

/// Hosts on which this program does not run, or another version answers: said once, with all of them.
pub(super) fn unreachable(mesh: &Mesh) -> Option<Finding> {
    let foreign = |host: &usize| mesh.hosts[*host].state == HostState::Foreign;
    let hosts: Vec<usize> = (0..mesh.hosts.len()).filter(foreign).collect();
    let first = mesh.hosts.get(*hosts.first()?)?;
    let all = names(mesh, &hosts);
    let draft = Draft::new(
        "mesh-version",
        Severity::Warning,
        all.clone(),
        format!("{all} took no part: {}", first.detail),
    );
    let draft = hosts.iter().fold(draft, |draft, &host| {
        let MeshHost { name, detail } = MeshHost::of(mesh, host);
        draft.evidence(format!("{name}: {detail}"), "ssh")
    });
    let draft = draft
        .layer(Layer::Host)
        .why("Only hosts that run the same program can be compared.")
        .step("Start the mesh from a host of the same architecture, or build fullwire for theirs.")
        .expect("All hosts have a row and a column in the matrix.");
    Some(draft.done())
}

/// What is said of a host that took no part.
struct MeshHost<'a> {
    name: &'a str,
    detail: &'a str,
}

impl<'a> MeshHost<'a> {
    fn of(mesh: &'a Mesh, host: usize) -> Self {
        Self { name: &mesh.hosts[host].name, detail: &mesh.hosts[host].detail }
    }
}

/// Responders that cannot be connected to.
pub(super) fn blocked(mesh: &Mesh, network: &str) -> Vec<Finding> {
    let tried = cells(mesh, network, |cell| !matches!(cell.state, CellState::Absent | CellState::Skipped));
    let bad = cells(mesh, network, |cell| cell.state == CellState::Blocked);
    let finding = |place: &Place| {
        let detail = inside(mesh, network, place).find(|cell| cell.state == CellState::Blocked);
        let detail = detail.map_or("", |cell| &cell.detail);
        let (words, network_words) = (words(mesh, place), on_network(mesh, network));
        Draft::new(
            "mesh-blocked",
            Severity::Warning,
            subject(mesh, place),
            format!("{words}{network_words} fails: the measurement port cannot be reached"),
        )
        .evidence(detail, "connect")
        .why("ssh works and the responder runs there; a firewall, a security group or a missing route blocks the data port.")
        .step("Open one TCP and UDP port between the hosts and name it with --port, or give the addresses of the right network (NAME=TARGET,NETWORK=ADDRESS).")
        .expect("The cells are measured.")
        .done()
    };
    cover(mesh.hosts.len(), &tried, &bad).iter().map(finding).collect()
}

/// Paths that carry less than both of their interfaces, and interfaces that differ.
pub(super) fn mtu(mesh: &Mesh, network: &str) -> Vec<Finding> {
    let known = |cell: &MeshCell| cell.mtu_bytes.is_some() && cell.interface_mtu_bytes.is_some();
    let measured = cells(mesh, network, known);
    let small = |cell: &MeshCell| cell.black_hole || cell.mtu_bytes < cell.interface_mtu_bytes;
    let bad = cells(mesh, network, |cell| known(cell) && small(cell));
    let places = cover(mesh.hosts.len(), &measured, &bad);
    let mut findings: Vec<Finding> = places.iter().map(|place| path_mtu(mesh, network, place)).collect();
    findings.extend(mixed(mesh, network));
    findings
}

fn path_mtu(mesh: &Mesh, network: &str, place: &Place) -> Finding {
    let cells: Vec<&MeshCell> =
        inside(mesh, network, place).filter(|cell| cell.mtu_bytes < cell.interface_mtu_bytes).collect();
    let holes = inside(mesh, network, place).filter(|cell| cell.black_hole).count();
    let smallest = cells.iter().filter_map(|cell| cell.mtu_bytes).min().unwrap_or(0);
    let interfaces = cells.iter().filter_map(|cell| cell.interface_mtu_bytes).max().unwrap_or(0);
    let (words, network_words) = (words(mesh, place), on_network(mesh, network));
    let (severity, what) = if holes > 0 {
        (Severity::Critical, "larger packets are dropped without an ICMP message")
    } else {
        (Severity::Warning, "larger packets are fragmented or sent again in smaller pieces")
    };
    let draft = Draft::new(
        "mesh-mtu",
        severity,
        subject(mesh, place),
        format!(
            "{words}{network_words} carries packets of {smallest} bytes, but the interfaces carry {interfaces}: {what}"
        ),
    )
    .measured(smallest as f64, interfaces as f64, Unit::Bytes);
    let draft = cells.iter().take(4).fold(draft, |draft, cell| {
        let size = cell.mtu_bytes.unwrap_or(0);
        draft.evidence(format!("{} -> {}: {size} bytes pass", cell.from, cell.to), "path MTU probes")
    });
    draft
        .why("A connection is established with small packets and hangs on the first large one: a login works, but a backup or redo transport stops.")
        .step("Set the same MTU on every switch port, bond, VLAN and bridge of the path; `fullwire mtu` from the sender shows the hop.")
        .step("Let ICMP \"fragmentation needed\" through every firewall of the path.")
        .expect("The path carries what both interfaces carry, in both directions.")
        .done()
}

/// Hosts whose interface has a smaller MTU than the rest.
fn mixed(mesh: &Mesh, network: &str) -> Vec<Finding> {
    let mut sizes: BTreeMap<u64, usize> = BTreeMap::new();
    let known = cells(mesh, network, |cell| cell.interface_mtu_bytes.is_some());
    let of_network = mesh.cells.iter().filter(|cell| cell.network == network);
    of_network
        .filter_map(|cell| cell.interface_mtu_bytes)
        .for_each(|size| *sizes.entry(size).or_default() += 1);
    let Some((&largest, _)) = sizes.last_key_value() else { return Vec::new() };
    let bad = cells(mesh, network, |cell| cell.interface_mtu_bytes.is_some_and(|size| size < largest));
    let hosts =
        cover(mesh.hosts.len(), &known, &bad).into_iter().filter(|place| matches!(place, Place::Host(_)));
    let finding = |place: Place| {
        let own =
            inside(mesh, network, &place).filter_map(|cell| cell.interface_mtu_bytes).max().unwrap_or(0);
        let (host, network_words) = (subject(mesh, &place), on_network(mesh, network));
        Draft::new(
            "mesh-mtu-mixed",
            Severity::Warning,
            host.clone(),
            format!("The interface of {host}{network_words} has an MTU of {own} bytes, other hosts have {largest}"),
        )
        .measured(own as f64, largest as f64, Unit::Bytes)
        .evidence(format!("largest MTU that both ends of a path with {host} share: {own} bytes"), "interfaces")
        .why("All paths of the host use the smaller frames, and UDP datagrams sent to it (an interconnect) are fragmented.")
        .step(format!("Set the MTU of {host} to {largest} if its switch port supports it, or that of the others to {own}."))
        .expect("One MTU on the whole network.")
        .done()
    };
    hosts.map(finding).collect()
}
