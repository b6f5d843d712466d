//! Whole meshes judged: each fault is named by its host, link or path, and nothing else is.

use fullwire_mesh::judge::{changes, judge, suspects};
use fullwire_model::assessment::Verdict;
use fullwire_model::mesh::{
    CellState, HostState, Mesh, MeshCell, MeshGroup, MeshHost, MeshStorage, MeshStorageStep, MeshStream,
};
use proptest::prelude::*;

const GOOD: f64 = 1.1e9;

/// A sound cluster whose streams scatter by a few percent.
fn sound(hosts: usize, scatter: impl Fn(usize, usize) -> f64) -> Mesh {
    let names: Vec<String> = (0..hosts).map(|host| format!("db{host}")).collect();
    let cells =
        (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let cell = |(from, to): (usize, usize)| MeshCell {
        from: names[from].clone(),
        to: names[to].clone(),
        network: "data".into(),
        state: CellState::Measured,
        throughput_bytes_per_s: Some(GOOD * scatter(from, to)),
        p50_ns: Some(60_000 + 2_000 * ((from * 5 + to * 3) % 7) as u64),
        mtu_bytes: Some(9000),
        interface_mtu_bytes: Some(9000),
        verdict: Verdict::FullWire,
        ceiling_bytes_per_s: Some(1.17e9),
        ceiling_kind: "nic-goodput".into(),
        ..MeshCell::default()
    };
    Mesh {
        networks: vec!["data".into()],
        hosts: names.iter().map(|name| MeshHost { name: name.clone(), ..MeshHost::default() }).collect(),
        cells: cells.map(cell).collect(),
        ..Mesh::default()
    }
}

fn quiet(hosts: usize) -> Mesh {
    sound(hosts, |from, to| 1.0 - 0.01 * ((from * 7 + to * 11) % 6) as f64)
}

/// Changes the cells that the function chooses, and repeats them alone with the same figure, as a real mesh does.
fn spoil(mesh: &mut Mesh, is: impl Fn(usize, usize) -> bool, how: impl Fn(&mut MeshCell)) {
    let position = |name: &str| name[2..].parse::<usize>().unwrap();
    for cell in &mut mesh.cells {
        if is(position(&cell.from), position(&cell.to)) {
            how(cell);
        }
    }
}

fn repeat_suspects(mesh: &mut Mesh) {
    for (from, to) in suspects(mesh, "data") {
        let (from, to) = (mesh.hosts[from].name.clone(), mesh.hosts[to].name.clone());
        let cell = mesh.cells.iter_mut().find(|cell| cell.from == from && cell.to == to).unwrap();
        let rate = cell.throughput_bytes_per_s.unwrap();
        for alone in [false, true] {
            cell.streams.push(MeshStream { throughput_bytes_per_s: rate, alone, ..MeshStream::default() });
        }
    }
}

fn slow(share: f64) -> impl Fn(&mut MeshCell) {
    move |cell| cell.throughput_bytes_per_s = cell.throughput_bytes_per_s.map(|rate| rate * share)
}

fn named(mesh: &Mesh) -> Vec<String> {
    let mut named: Vec<String> =
        judge(mesh).iter().map(|finding| format!("{} {}", finding.code, finding.subject)).collect();
    named.sort();
    named
}

#[test]
fn a_sound_cluster_has_no_finding() {
    for hosts in [2, 3, 4, 8, 40] {
        let mut mesh = quiet(hosts);
        repeat_suspects(&mut mesh);
        assert_eq!(named(&mesh), [""; 0], "{hosts}");
    }
}

#[test]
fn several_faults_are_each_named_by_their_place() {
    let mut mesh = quiet(8);
    spoil(&mut mesh, |from, _| from == 1, slow(0.3));
    spoil(&mut mesh, |from, to| (from, to) == (4, 6), slow(0.2));
    spoil(
        &mut mesh,
        |from, to| (from, to) == (7, 2),
        |cell| {
            (cell.mtu_bytes, cell.black_hole) = (Some(1500), true);
            (cell.state, cell.throughput_bytes_per_s) = (CellState::Partial, None);
        },
    );
    spoil(&mut mesh, |from, to| from == 5 || to == 5, |cell| cell.p50_ns = Some(900_000));
    repeat_suspects(&mut mesh);
    let expected =
        ["mesh-host-slow db1", "mesh-mtu db7 -> db2", "mesh-path-slow db4 -> db6", "mesh-round-trip db5"];
    assert_eq!(named(&mesh), expected);
    let findings = judge(&mesh);
    assert_eq!(findings[0].code, "mesh-mtu", "the worst first");
    let host = findings.iter().find(|finding| finding.code == "mesh-host-slow").unwrap();
    assert!(host.message.starts_with("Everything that db1 sends reaches 3"), "{}", host.message);
    assert!(
        host.evidence.iter().any(|evidence| evidence.text.contains("ceiling 1.17 GB/s")),
        "{:?}",
        host.evidence
    );
}

#[test]
fn a_path_that_is_fast_when_repeated_is_not_accused() {
    let mut mesh = quiet(8);
    spoil(&mut mesh, |from, to| (from, to) == (4, 6), slow(0.2));
    assert!(suspects(&mesh, "data").contains(&(4, 6)));
    assert_eq!(named(&mesh), [""; 0], "not before it was repeated");
    repeat_suspects(&mut mesh);
    assert_eq!(named(&mesh), ["mesh-path-slow db4 -> db6"]);
    spoil(&mut mesh, |from, to| (from, to) == (4, 6), |cell| cell.throughput_bytes_per_s = Some(GOOD));
    assert_eq!(named(&mesh), [""; 0]);
}

#[test]
fn a_member_of_a_bond_that_only_some_pairs_use_is_the_hosts() {
    let mut mesh = quiet(9);
    mesh.hosts[3].bonds = vec!["bond0 (2 members)".into()];
    spoil(&mut mesh, |from, to| from == 3 && to % 2 == 0 && to > 0, slow(0.1));
    repeat_suspects(&mut mesh);
    assert_eq!(named(&mesh), ["mesh-host-partly-slow db3"]);
    let finding = &judge(&mesh)[0];
    assert!(finding.message.contains("db2, db4, db6 and db8"), "{}", finding.message);
    assert!(finding.advice.steps.iter().any(|step| step.text.contains("bond0")));
}

#[test]
fn a_slow_uplink_is_named_with_the_topology_and_hosts_behind_it_are_not() {
    let mut mesh = quiet(8);
    let group = |name: &str, hosts: std::ops::Range<usize>| MeshGroup {
        name: name.into(),
        hosts: hosts.map(|host| format!("db{host}")).collect(),
        uplink_tests: 1,
    };
    mesh.groups = vec![group("rack1", 0..4), group("rack2", 4..8)];
    spoil(&mut mesh, |from, to| (from < 4) != (to < 4), slow(0.25));
    spoil(&mut mesh, |from, to| (from, to) == (0, 1), slow(0.25));
    repeat_suspects(&mut mesh);
    assert_eq!(named(&mesh), ["mesh-block-slow rack1 <-> rack2", "mesh-path-slow db0 -> db1"]);
}

#[test]
fn two_ways_that_differ_are_one_finding() {
    let mut mesh = quiet(2);
    spoil(&mut mesh, |from, _| from == 0, slow(0.5));
    repeat_suspects(&mut mesh);
    assert_eq!(named(&mesh), ["mesh-asymmetric db0 <-> db1"]);
}

#[test]
fn blocked_and_absent_hosts_are_said_once() {
    let mut mesh = quiet(6);
    spoil(
        &mut mesh,
        |_, to| to == 2,
        |cell| {
            (cell.state, cell.throughput_bytes_per_s, cell.p50_ns) = (CellState::Blocked, None, None);
            (cell.mtu_bytes, cell.interface_mtu_bytes) = (None, None);
        },
    );
    assert_eq!(named(&mesh), ["mesh-blocked db2"]);
    let mut mesh = quiet(6);
    spoil(
        &mut mesh,
        |from, to| from == 2 || to == 2,
        |cell| {
            *cell = MeshCell {
                from: cell.from.clone(),
                to: cell.to.clone(),
                network: cell.network.clone(),
                state: CellState::Absent,
                ..MeshCell::default()
            };
        },
    );
    mesh.hosts[2].state = HostState::Lost;
    assert_eq!(named(&mesh), ["mesh-host-absent db2"], "a mesh without it looks healthy");
    mesh.hosts[2].state = HostState::Foreign;
    mesh.hosts[2].detail = "cannot run it (Linux aarch64)".into();
    assert_eq!(named(&mesh), ["mesh-version db2"]);
}

#[test]
fn an_interface_with_smaller_frames_is_the_hosts() {
    let mut mesh = quiet(5);
    spoil(
        &mut mesh,
        |from, to| from == 3 || to == 3,
        |cell| {
            (cell.mtu_bytes, cell.interface_mtu_bytes) = (Some(1500), Some(1500));
        },
    );
    assert_eq!(named(&mesh), ["mesh-mtu-mixed db3"]);
}

#[test]
fn where_all_are_slow_alike_their_ceilings_say_so() {
    let mut mesh = quiet(5);
    spoil(
        &mut mesh,
        |_, _| true,
        |cell| {
            cell.throughput_bytes_per_s = cell.throughput_bytes_per_s.map(|rate| rate * 0.3);
            cell.verdict = Verdict::Poor;
            cell.cause = "receive-window".into();
        },
    );
    repeat_suspects(&mut mesh);
    let findings = judge(&mesh);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].code, "mesh-below-ceiling");
    assert!(findings[0].message.starts_with("20 of 20 paths"), "{}", findings[0].message);
    assert!(findings[0].evidence[0].text.contains("limited by receive-window"));
}

#[test]
fn storage_that_is_slower_on_one_host_is_named() {
    let storage = |host: usize, rate: f64| MeshStorage {
        host: format!("db{host}"),
        target: "/u01".into(),
        state: CellState::Measured,
        steps: vec![MeshStorageStep { throughput_bytes_per_s: rate, ..MeshStorageStep::default() }],
        ..MeshStorage::default()
    };
    let mut mesh = quiet(4);
    mesh.storage = vec![storage(0, 1e9), storage(1, 0.95e9), storage(2, 0.4e9), storage(3, 1.02e9)];
    assert_eq!(named(&mesh), ["mesh-storage-slow db2"]);
}

#[test]
fn what_changed_since_an_earlier_mesh_is_named_by_its_place() {
    let before = quiet(6);
    let mut now = sound(6, |from, to| 1.0 - 0.01 * ((from * 3 + to * 5) % 6) as f64);
    assert!(changes(&before, &now).is_empty(), "scatter is no change");
    spoil(&mut now, |_, to| to == 4, slow(0.4));
    spoil(&mut now, |from, to| (from, to) == (0, 1), slow(2.0));
    let found = changes(&before, &now);
    let named: Vec<(&str, &str)> =
        found.iter().map(|finding| (finding.code.as_str(), finding.subject.as_str())).collect();
    assert_eq!(named, [("mesh-changed", "db4"), ("mesh-changed", "db0 -> db1")]);
    assert!(
        found[0].message.starts_with("Everything that db4 receives fell from 1.0"),
        "{}",
        found[0].message
    );
    assert!(found[1].message.contains("rose from"), "{}", found[1].message);
    spoil(&mut now, |_, _| true, slow(0.3));
    let found = changes(&before, &now);
    assert_eq!((found.len(), found[0].subject.as_str()), (1, "all paths"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn a_fault_beyond_the_scatter_is_found_and_scatter_alone_is_none(
        hosts in 4_usize..16,
        noise in proptest::collection::vec(-0.04_f64..0.04, 256),
        place in 0_usize..4,
        share in 0.05_f64..0.6,
        who in 0_usize..16,
        other in 1_usize..15,
    ) {
        let scatter = |from: usize, to: usize| 1.0 + noise[(from * 16 + to) % 256];
        let mut mesh = sound(hosts, scatter);
        let host = who % hosts;
        let peer = (host + 1 + other % (hosts - 1)) % hosts;
        let expected = match place {
            0 => None,
            1 => { spoil(&mut mesh, |from, _| from == host, slow(share)); Some(format!("mesh-host-slow db{host}")) }
            2 => { spoil(&mut mesh, |_, to| to == host, slow(share)); Some(format!("mesh-host-slow db{host}")) }
            _ => { spoil(&mut mesh, |from, to| (from, to) == (host, peer), slow(share)); Some(format!("mesh-path-slow db{host} -> db{peer}")) }
        };
        repeat_suspects(&mut mesh);
        prop_assert_eq!(named(&mesh), expected.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn a_member_of_a_bond_that_carries_nothing_is_one_finding_of_its_host() {
    let mut mesh = quiet(8);
    mesh.hosts[3].bonds = vec!["bond0 (2 members)".into()];
    let member = |host: usize, peer: usize| host == 3 && peer.is_multiple_of(2);
    spoil(
        &mut mesh,
        |from, to| member(from, to) || member(to, from),
        |cell| (cell.state, cell.throughput_bytes_per_s) = (CellState::Blocked, None),
    );
    assert_eq!(named(&mesh), ["mesh-blocked db3"]);
    let finding = &judge(&mesh)[0];
    assert!(finding.message.contains("exchanges with db0, db2, db4 and db6"), "{}", finding.message);
    assert!(finding.advice.steps[0].text.contains("bond0"), "{:?}", finding.advice);
    // One without a link is known from the host's records, though every path is as fast as ever.
    let mut mesh = quiet(8);
    mesh.hosts[3].bond_members_down = vec!["eth2 of bond0 is down, 1 of 2 members are left".into()];
    assert_eq!(named(&mesh), ["mesh-bond-down db3"]);
}

#[test]
fn hosts_of_another_version_are_named_once_whether_they_took_part_or_not() {
    let mut mesh = quiet(5);
    mesh.tool_version = "1.2.0".into();
    mesh.hosts.iter_mut().for_each(|host| host.version = "1.2.0".into());
    assert_eq!(named(&mesh), [""; 0]);
    for host in [1, 4] {
        mesh.hosts[host].version = "1.1.9".into();
    }
    mesh.hosts[2].state = HostState::Foreign;
    mesh.hosts[2].detail = "it runs fullwire 0.1.0, protocol 0; this is 1.2.0, protocol 1".into();
    let findings = judge(&mesh);
    assert_eq!(named(&mesh), ["mesh-version db1 and db4", "mesh-version db2"]);
    assert_eq!(
        findings[0].message,
        "db2 took no part: it runs fullwire 0.1.0, protocol 0; this is 1.2.0, protocol 1"
    );
    assert_eq!(findings[1].message, "db1 and db4 run fullwire 1.1.9; this is 1.2.0");
}

#[test]
fn a_host_that_holds_its_streams_to_a_rate_is_not_called_slow() {
    let mut mesh = quiet(6);
    spoil(
        &mut mesh,
        |from, to| from == 2 || to == 2,
        |cell| {
            (cell.throughput_bytes_per_s, cell.held_to_bytes_per_s) = (Some(4e6), Some(4e6));
            cell.verdict = Verdict::NotDriven;
        },
    );
    repeat_suspects(&mut mesh);
    assert_eq!(named(&mesh), [""; 0]);
}
