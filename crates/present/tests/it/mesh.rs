//! The matrix of a mesh as a person sees it.

use fullwire_model::Gap;
use fullwire_model::GapReason;
use fullwire_model::assessment::{Evidence, Finding, Layer, Reply, Severity};
use fullwire_model::mesh::{
    CellState, HostState, Mesh, MeshCell, MeshHost, MeshStorage, MeshStorageStep, MeshStream,
};
use fullwire_model::subject::Subject;
use fullwire_present::{html, json, terminal};
use unicode_width::UnicodeWidthStr;

/// Six hosts: one sends slowly, one path is blocked, one host was lost, one path has a hole.
pub(crate) fn mesh(hosts: usize) -> Mesh {
    let names: Vec<String> = (1..=hosts).map(|host| format!("db{host}")).collect();
    let mut mesh = Mesh {
        mesh_id: "1kx3m0q9wabcd".into(),
        networks: vec!["data".into()],
        hosts: names.iter().map(|name| MeshHost { name: name.clone(), ..MeshHost::default() }).collect(),
        ..Mesh::default()
    };
    for (from, sender) in names.iter().enumerate() {
        for (to, receiver) in names.iter().enumerate().filter(|(to, _)| *to != from) {
            let rate = if from == 1 { 310e6 } else { 1.1e9 - 4e6 * ((from * 3 + to) % 5) as f64 };
            let state = match (from, to) {
                (0, 2) => CellState::Blocked,
                (4, _) | (_, 4) => CellState::Absent,
                _ => CellState::Measured,
            };
            let measured = state == CellState::Measured;
            mesh.cells.push(MeshCell {
                from: sender.clone(),
                to: receiver.clone(),
                network: "data".into(),
                state,
                detail: if measured { String::new() } else { "why it is not there".into() },
                throughput_bytes_per_s: measured.then_some(rate),
                p50_ns: measured.then_some(61_000 + 700 * from as u64),
                mtu_bytes: measured.then_some(if (from, to) == (5, 0) { 1500 } else { 9000 }),
                run_id: if measured { format!("run{from}{to}") } else { String::new() },
                streams: if measured {
                    vec![MeshStream {
                        throughput_bytes_per_s: rate,
                        run_id: format!("run{from}{to}"),
                        ..MeshStream::default()
                    }]
                } else {
                    Vec::new()
                },
                ..MeshCell::default()
            });
        }
    }
    mesh.hosts[4].state = HostState::Lost;
    mesh.gaps.push(Gap::new("db5", GapReason::Absent, "absent since 02:14:07: no word for 15 s"));
    mesh.storage = vec![
        MeshStorage {
            host: "db1".into(),
            target: "/u01".into(),
            state: CellState::Measured,
            steps: vec![MeshStorageStep {
                measurement: serde_json::from_value("sequential write 1M".into()).expect("a name"),
                throughput_bytes_per_s: 812e6,
                io_per_s: 775.0,
                p50_ns: Some(1_240_000),
            }],
            ..MeshStorage::default()
        },
        MeshStorage {
            host: "db2".into(),
            target: "/u01".into(),
            state: CellState::Failed,
            detail: "no space".into(),
            ..MeshStorage::default()
        },
    ];
    mesh
}

fn finding() -> Finding {
    let message = "All that db2 sends reaches 310.0 MB/s where 1.10 GB/s is usual";
    Finding {
        subject: "db2".into(),
        evidence: vec![Evidence { text: "5 of 30 paths".into(), source: "the matrix".into() }],
        ..Finding::new("mesh-host-slow", Severity::Warning, Layer::Network, Subject::default(), message)
    }
}

/// Six columns of `10.7…` tell nobody which host is meant.
#[test]
fn hosts_whose_names_differ_at_their_ends_are_told_apart() {
    let mut addresses = mesh(6);
    let renamed = |name: &str| name.replace("db", "10.79.0.");
    addresses.hosts.iter_mut().for_each(|host| host.name = renamed(&host.name));
    for cell in &mut addresses.cells {
        (cell.from, cell.to) = (renamed(&cell.from), renamed(&cell.to));
    }
    let drawn = terminal::mesh(&addresses, &[]).render(false);
    let heads = drawn.lines().find(|line| line.contains("…1")).expect("heads");
    assert_eq!(heads.split_whitespace().collect::<Vec<_>>(), ["…1", "…2", "…3", "…4", "…5", "…6"]);
    assert!(
        drawn.lines().any(|line| line.starts_with("10.79.0.6 ")),
        "rows have room for the whole: {drawn}"
    );
}

#[test]
fn the_heat_map_on_a_terminal_is_as_reviewed() {
    let drawing = terminal::mesh(&mesh(6), &[finding()]).render(false);
    assert!(drawing.lines().all(|line| line.width() <= terminal::WIDTH), "{drawing}");
    insta::assert_snapshot!("mesh", drawing);
}

#[test]
fn many_hosts_are_signs_that_are_told_apart_without_colours() {
    let drawing = terminal::mesh(&mesh(40), &[]).render(false);
    assert!(drawing.lines().all(|line| line.width() <= terminal::WIDTH), "{drawing}");
    let row = |name: &str| drawing.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(row("2 db2").matches('#').count() >= 38, "{}", row("2 db2"));
    assert!(row("1 db1").contains('?') && row("1 db1").contains('·'), "{}", row("1 db1"));
}

#[test]
fn each_figure_of_the_page_leads_to_its_path_and_names_are_escaped() {
    let mut mesh = mesh(6);
    let evil = "<script>alert(1)</script>";
    for cell in &mut mesh.cells {
        for name in [&mut cell.from, &mut cell.to] {
            if name == "db6" {
                *name = evil.into();
            }
        }
    }
    mesh.hosts[5].name = evil.into();
    let page = html::mesh(&mesh, &[finding()]);
    assert!(!page.contains(evil) && page.contains("&lt;script&gt;"));
    let links: Vec<&str> =
        page.match_indices("href=\"#path-").map(|(at, _)| &page[at + 7..at + 17]).collect();
    assert!(links.len() >= 40, "two squares of 19 measured paths and more: {}", links.len());
    for link in links {
        assert!(page.contains(&format!("id=\"{link}\"")), "{link}");
    }
    assert!(page.contains("fullwire show run10"));
}

/// What is wrong as it was before is said beside "nothing changed", on the terminal, in the page and in the document.
#[test]
fn two_meshes_have_one_answer_everywhere() {
    let (now, still) = (mesh(6), [finding()]);
    let text = terminal::mesh_changes(&now, &[], &still).render(false);
    let page = html::mesh_changes(&now, &[], &still);
    let document = json::mesh_changes(&now, &[], &still);
    let answer = &document.answers[0];
    assert_eq!(answer.answer, Reply::Same);
    let before = format!("As before: {}:", still[0].subject);
    for drawn in [&*text, &*page, &answer.text] {
        assert!(drawn.contains("Nothing changed.") && drawn.contains(&before), "{drawn}");
    }
    assert!(!page.contains("Nothing stands out"));
    let worse = json::mesh_changes(&now, &still, &still);
    assert_eq!(worse.answers[0].answer, Reply::Worse);
}
