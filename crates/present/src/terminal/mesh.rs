//! `mesh`: the heat maps, the findings, what could not be measured.

use super::text::{Line, Role, Text, WIDTH, cut};
use super::{findings, head};
use crate::report::{Heat, Report, Shade, frame, heats, mesh_answer, mesh_changes_answer, mesh_summary};
use fullwire_model::assessment::Finding;
use fullwire_model::mesh::{Mesh, MeshStorage};
use std::collections::BTreeSet;

/// Columns of a figure and the space before it.
const FIGURE: usize = 6;
/// Columns of a sender's name.
const NAME: usize = 11;

/// The whole answer of `fullwire mesh`.
pub fn mesh(mesh: &Mesh, list: &[Finding]) -> Text {
    let (run, assessment) = frame(mesh, list);
    let report = Report::new(&run, &assessment);
    let mut text = Text::new();
    let when = mesh.started.strftime("%Y-%m-%d %H:%M UTC").to_string();
    text.push(Line::new().strong("fullwire mesh").dim(format!(" · {when} · {}", mesh.mesh_id)));
    if mesh.interrupted {
        text.push(Line::new().add(Role::Warn, "interrupted: what was measured until then is shown"));
    }
    text.wrap(Line::new(), Role::Strong, &mesh_answer(list));
    text.wrap(Line::new(), Role::Plain, &mesh_summary(mesh));
    text.gap();
    for network in &mesh.networks {
        for heat in heats(mesh, network) {
            text.append(draw(&heat));
        }
    }
    text.append(storage(&mesh.storage));
    text.append(findings::findings(&report));
    text.append(findings::rest(&report));
    text
}

/// What became better or worse between two meshes, and what is wrong in the later one as it was before.
pub fn mesh_changes(now: &Mesh, changes: &[Finding], still: &[Finding]) -> Text {
    let mut text = Text::new();
    let when = now.started.strftime("%Y-%m-%d %H:%M UTC").to_string();
    text.push(Line::new().strong("fullwire diff").dim(format!(" · two meshes, the later {when}")));
    for (place, line) in mesh_changes_answer(changes, still).iter().enumerate() {
        let role = if place == 0 { Role::Strong } else { Role::Plain };
        text.wrap(Line::new(), role, line);
    }
    text.gap();
    if !changes.is_empty() {
        let (run, assessment) = frame(now, changes);
        text.append(findings::findings(&Report::new(&run, &assessment)));
    }
    text
}

/// Figures where they fit, signs where they do not.
fn draw(heat: &Heat) -> Text {
    let figures = NAME + heat.hosts.len() * FIGURE <= WIDTH;
    let (heads, names) = (labels(&heat.hosts, FIGURE - 1), labels(&heat.hosts, NAME - 1));
    let mut text = Text::new();
    text.push(head(&heat.title).dim("   rows send, columns receive"));
    let mut columns = Line::new().to(NAME);
    for (index, head) in heads.iter().enumerate() {
        columns = if figures {
            columns.right(NAME + (index + 1) * FIGURE, Role::Dim, head)
        } else {
            columns.dim(((index + 1) % 10).to_string())
        };
    }
    text.push(columns);
    for (index, (name, cells)) in names.iter().zip(&heat.cells).enumerate() {
        let name = if figures { name.clone() } else { format!("{} {name}", index + 1) };
        let mut line = Line::new().add(Role::Plain, cut(&name, NAME - 1)).to(NAME);
        for (column, (figure, shade)) in cells.iter().enumerate() {
            line = if figures {
                line.right(NAME + (column + 1) * FIGURE, role(*shade), &marked(figure, *shade))
            } else {
                line.add(role(*shade), sign(*shade))
            };
        }
        text.push(line);
    }
    text.push(legend(figures));
    text.gap();
    text
}

/// Names cut to a width. Addresses and numbered hosts differ at their ends: where cut names would be alike, what all begin
/// with goes first.
fn labels(hosts: &[String], width: usize) -> Vec<String> {
    let cut_all = |names: &[String]| names.iter().map(|name| cut(name, width)).collect::<Vec<_>>();
    let whole = cut_all(hosts);
    if whole.iter().collect::<BTreeSet<_>>().len() == hosts.len() {
        return whole;
    }
    let first: Vec<char> = hosts.first().map(|name| name.chars().collect()).unwrap_or_default();
    let shared = |name: &String| name.chars().zip(&first).take_while(|(one, other)| one == *other).count();
    let common = hosts.iter().map(shared).min().unwrap_or(0);
    let ends: Vec<String> =
        hosts.iter().map(|name| format!("…{}", name.chars().skip(common).collect::<String>())).collect();
    cut_all(&ends)
}

/// Each mark with its meaning. A figure that is as good as the others has none.
fn legend(figures: bool) -> Line {
    let (same, less) =
        if figures { (None, "to 80 % of the median") } else { (Some("like the median"), "to 80 %") };
    let shades = [
        (Shade::Same, same),
        (Shade::Less, Some(less)),
        (Shade::Half, Some("to 50 %")),
        (Shade::Least, Some("worse")),
        (Shade::Missing, Some("not measured")),
    ];
    let told = shades.into_iter().filter_map(|(shade, words)| Some((shade, words?)));
    told.fold(Line::new().to(NAME), |line, (shade, words)| {
        line.add(role(shade), sign(shade)).plain(" ").add(role(shade), words).plain("  ")
    })
}

/// A figure with the sign of what is worse than the median: colours alone do not tell.
fn marked(figure: &str, shade: Shade) -> String {
    match (figure, shade) {
        ("", _) => "·".to_owned(),
        (figure, Shade::Less | Shade::Half | Shade::Least) => format!("{figure}{}", sign(shade)),
        (figure, _) => figure.to_owned(),
    }
}

fn role(shade: Shade) -> Role {
    match shade {
        Shade::None => Role::Dim,
        Shade::Same => Role::Good,
        Shade::Less => Role::Plain,
        Shade::Half | Shade::Missing => Role::Warn,
        Shade::Least => Role::Bad,
    }
}

/// Distinguished without colours.
fn sign(shade: Shade) -> &'static str {
    match shade {
        Shade::None => " ",
        Shade::Same => "·",
        Shade::Less => "-",
        Shade::Half => "o",
        Shade::Least => "#",
        Shade::Missing => "?",
    }
}

/// A line for each host and step.
fn storage(list: &[MeshStorage]) -> Text {
    let mut text = Text::new();
    if list.is_empty() {
        return text;
    }
    text.push(head("Storage"));
    for one in list {
        let begin = Line::new().plain("  ").plain(cut(&one.host, NAME)).to(NAME + 3);
        if one.steps.is_empty() {
            text.wrap(begin, Role::Warn, &format!("{}: not measured: {}", one.target, one.detail));
        }
        for step in &one.steps {
            let latency = step.p50_ns.map(|ns| crate::format::time(ns as f64)).unwrap_or_default();
            let line = Line::new()
                .plain("  ")
                .plain(cut(&one.host, NAME))
                .to(NAME + 3)
                .plain(cut(&step.measurement.to_string(), 34));
            let line = line.right(62, Role::Plain, &crate::format::rate(step.throughput_bytes_per_s));
            text.push(line.right(74, Role::Dim, &latency));
        }
    }
    if list.iter().any(|one| one.together) {
        text.push(Line::new().dim("  all at the same time: what the storage delivers in total"));
    }
    text.gap();
    text
}
