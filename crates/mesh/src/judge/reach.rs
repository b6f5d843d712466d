//! What cannot be reached, and what does not fit: blocked ports, other versions, path MTU.

use super::cover::{Place, cover};
use super::finding::{Draft, names, on_network, subject, words};
use super::view::View;
use fullwire_model::assessment::{Finding, Layer, Severity};
use fullwire_model::mesh::{CellState, HostState, MeshCell, MeshHost};
use fullwire_model::quantity::Unit;
use std::collections::{BTreeMap, BTreeSet};

type Cells = BTreeSet<(usize, usize)>;

/// Positions of the cells of a network that are so.
pub(super) fn cells(mesh: &View<'_>, network: &str, is: impl Fn(&MeshCell) -> bool) -> Cells {
    let wanted = mesh.cells.iter().filter(|cell| cell.network == network && is(cell));
    wanted.filter_map(|cell| Some((mesh.position(&cell.from)?, mesh.position(&cell.to)?))).collect()
}

/// The cells of a network that are in a place.
pub(super) fn inside<'a>(
    mesh: &'a View<'a>,
    network: &'a str,
    place: &'a Place,
) -> impl Iterator<Item = &'a MeshCell> {
    mesh.cells.iter().filter(move |cell| {
        let ends = mesh.position(&cell.from).zip(mesh.position(&cell.to));
        cell.network == network && ends.is_some_and(|(from, to)| place.holds(from, to))
    })
}

/// Hosts that could not be reached, or went away: said once, with all of them.
pub(super) fn absent(mesh: &View<'_>) -> Option<Finding> {
    let gone = |host: &usize| matches!(mesh.hosts[*host].state, HostState::Absent | HostState::Lost);
    let hosts: Vec<usize> = (0..mesh.hosts.len()).filter(gone).collect();
    let first = mesh.hosts.get(*hosts.first()?)?;
    let all = names(mesh, &hosts);
    let why = if first.detail.is_empty() { "no answer" } else { first.detail.as_str() };
    let draft = Draft::new(
        "mesh-host-absent",
        Severity::Critical,
        all.clone(),
        format!("{all} could not be measured: {why}"),
    );
    let draft = other_reasons(mesh, &hosts, draft)
        .layer(Layer::Host)
        .why("Nothing is known of the paths of this host.")
        .step("ssh to the host from here with the same user and options; then repeat the mesh.")
        .expect("All hosts have a row and a column in the matrix.");
    Some(draft.done())
}

/// Hosts on which this program does not run, or another version answers: said once, with all of them.
pub(super) fn unreachable(mesh: &View<'_>) -> Option<Finding> {
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
    let draft = other_reasons(mesh, &hosts, draft)
        .layer(Layer::Host)
        .why("Only hosts that run the same program can be compared.")
        .step("Start the mesh from a host of the same architecture, or build fullwire for theirs.")
        .expect("All hosts have a row and a column in the matrix.");
    Some(draft.done())
}

/// Hosts that took part with another version than the rest: said once, with all of them.
pub(super) fn other_versions(mesh: &View<'_>) -> Option<Finding> {
    let other = |host: &usize| {
        let host = &mesh.hosts[*host];
        let known = !host.version.is_empty() && !mesh.tool_version.is_empty();
        known && host.version != mesh.tool_version && host.state != HostState::Foreign
    };
    let hosts: Vec<usize> = (0..mesh.hosts.len()).filter(other).collect();
    let first = mesh.hosts.get(*hosts.first()?)?;
    let (all, ours) = (names(mesh, &hosts), &mesh.tool_version);
    let same = hosts.iter().all(|&host| mesh.hosts[host].version == first.version);
    let theirs =
        if same { format!("fullwire {}", first.version) } else { "other versions of fullwire".to_owned() };
    let verb = if hosts.len() == 1 { "runs" } else { "run" };
    let draft = Draft::new(
        "mesh-version",
        Severity::Info,
        all.clone(),
        format!("{all} {verb} {theirs}; this is {ours}"),
    );
    let draft = hosts.iter().fold(draft, |draft, &host| {
        let host = &mesh.hosts[host];
        draft.evidence(format!("{}: fullwire {}", host.name, host.version), "its first message")
    });
    let draft = draft
        .layer(Layer::Host)
        .why("The versions understand each other, and these hosts were measured. What differs between them may be the version.")
        .step(format!("Install fullwire {ours} there."))
        .expect("All hosts run the same version.");
    Some(draft.done())
}

/// Bonds whose members have no link, by the host's own records: a stream may be as fast as ever without them.
pub(super) fn bonds(mesh: &View<'_>) -> Vec<Finding> {
    let down = mesh.hosts.iter().filter(|host| !host.bond_members_down.is_empty());
    let finding = |host: &MeshHost| {
        let (name, all) = (&host.name, host.bond_members_down.join("; "));
        Draft::new("mesh-bond-down", Severity::Warning, name.clone(), format!("A bond of {name} has lost a member: {all}"))
            .evidence(all, "the host's records")
            .why("The bond has lost redundancy and, where it shares load, bandwidth. One stream uses one member, so the matrix may not show it.")
            .step(format!("Run `fullwire check --only network` on {name}: it names the member and what to do."))
            .expect("All members of all bonds have a link.")
            .done()
    };
    down.map(finding).collect()
}

/// Why hosts took no part, where it is not what is said of the first of them but for its name.
fn other_reasons(mesh: &View<'_>, hosts: &[usize], draft: Draft) -> Draft {
    let hosts: Vec<&MeshHost> = hosts.iter().map(|&host| &mesh.hosts[host]).collect();
    let told = hosts.first().map(|first| first.detail.replace(&first.name, ""));
    let other = hosts.iter().filter(|host| Some(host.detail.replace(&host.name, "")) != told);
    other.fold(draft, |draft, host| draft.evidence(format!("{}: {}", host.name, host.detail), "ssh"))
}

/// Responders that cannot be connected to.
pub(super) fn blocked(mesh: &View<'_>, network: &str) -> Vec<Finding> {
    let tried = cells(mesh, network, |cell| !matches!(cell.state, CellState::Absent | CellState::Skipped));
    let bad = cells(mesh, network, |cell| cell.state == CellState::Blocked);
    let finding = |place: &Place| {
        let detail = inside(mesh, network, place).find(|cell| cell.state == CellState::Blocked);
        let detail = detail.map_or("", |cell| &cell.detail);
        let (words, network_words) = (words(mesh, place), on_network(mesh, network));
        let draft = Draft::new(
            "mesh-blocked",
            Severity::Warning,
            subject(mesh, place),
            format!("{words}{network_words} fails: the measurement port cannot be reached"),
        )
        .evidence(detail, "connect");
        let bonds = place.host().and_then(|host| mesh.hosts.get(host)).map(|host| host.bonds.join(", "));
        let in_part =
            matches!(place, Place::SenderInPart(..) | Place::ReceiverInPart(..) | Place::HostInPart(..));
        let draft = match bonds.filter(|bonds| in_part && !bonds.is_empty()) {
            Some(bonds) => draft.step(format!(
                "Compare the members of {bonds}: one that has a link but carries nothing loses the pairs that the hash of their addresses sends over it."
            )),
            None => draft,
        };
        draft
        .why("ssh works and the responder runs there; a firewall, a security group or a missing route blocks the data port.")
        .step("Open one TCP and UDP port between the hosts and name it with --port, or give the addresses of the right network (NAME=TARGET,NETWORK=ADDRESS).")
        .expect("The cells are measured.")
        .done()
    };
    cover(mesh.hosts.len(), &tried, &bad).iter().map(finding).collect()
}

/// Paths that carry less than both of their interfaces, and interfaces that differ.
pub(super) fn mtu(mesh: &View<'_>, network: &str) -> Vec<Finding> {
    let known = |cell: &MeshCell| cell.mtu_bytes.is_some() && cell.interface_mtu_bytes.is_some();
    let measured = cells(mesh, network, known);
    let small = |cell: &MeshCell| cell.black_hole || cell.mtu_bytes < cell.interface_mtu_bytes;
    let bad = cells(mesh, network, |cell| known(cell) && small(cell));
    let places = cover(mesh.hosts.len(), &measured, &bad);
    let mut findings: Vec<Finding> = places.iter().map(|place| path_mtu(mesh, network, place)).collect();
    findings.extend(mixed(mesh, network));
    findings
}

fn path_mtu(mesh: &View<'_>, network: &str, place: &Place) -> Finding {
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
fn mixed(mesh: &View<'_>, network: &str) -> Vec<Finding> {
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
