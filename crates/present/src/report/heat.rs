//! The matrix of a mesh as figures and shades, for the terminal and the page alike.

use fullwire_model::assessment::{Assessment, Finding};
use fullwire_model::mesh::{CellState, Mesh, MeshCell, MeshHost, MeshMode};
use fullwire_model::{Gap, Run};

/// What a matrix shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeatKind {
    /// MB/s of the stream.
    Throughput,
    /// Microseconds of the median round trip.
    RoundTrip,
    /// Bytes of the largest packet that passes.
    Mtu,
}

/// How a cell compares with the median of its matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shade {
    /// The host's own cell, or one that was not part of the sample.
    None,
    /// Not measured: a gap or a finding says why.
    Missing,
    /// At least 95 % as good as the median.
    Same,
    /// At least 80 %.
    Less,
    /// At least 50 %.
    Half,
    /// Worse.
    Least,
}

/// One square of figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heat {
    /// Its heading.
    pub title: String,
    /// Names of senders and receivers.
    pub hosts: Vec<String>,
    /// Figure and shade, by sender and receiver.
    pub cells: Vec<Vec<(String, Shade)>>,
}

/// The squares of a network: throughput and round trips, and the MTU where it differs.
pub fn heats(mesh: &Mesh, network: &str) -> Vec<Heat> {
    let kinds = [HeatKind::Throughput, HeatKind::RoundTrip, HeatKind::Mtu];
    kinds.into_iter().filter_map(|kind| heat(mesh, network, kind)).collect()
}

/// One line about what was measured.
pub fn mesh_summary(mesh: &Mesh) -> String {
    let is = |state: CellState| mesh.cells.iter().filter(|cell| cell.state == state).count();
    let mode = match mesh.mode {
        MeshMode::Pairs => "one pair at a time per host and uplink",
        MeshMode::Round => "rounds in which every host is busy",
        MeshMode::All => "all to all simultaneously",
    };
    let sample = match mesh.sample_seed {
        Some(seed) => format!(", a sample of the pairs (--seed {seed})"),
        None => String::new(),
    };
    format!(
        "{} of {} paths between {} hosts measured{sample}; {mode}",
        is(CellState::Measured),
        mesh.cells.len(),
        mesh.hosts.len()
    )
}

/// What the mesh comes to: the worst that was found, and how much else there is.
pub fn mesh_answer(findings: &[Finding]) -> String {
    let Some(worst) = findings.first() else {
        return "Nothing stands out: every path that was measured is as good as the others.".to_owned();
    };
    let more = match findings.len() - 1 {
        0 => String::new(),
        1 => " 1 more finding below.".to_owned(),
        count => format!(" {count} more findings below."),
    };
    let message = worst.message.trim_end_matches('.');
    if message.contains(&worst.subject) {
        return format!("{message}.{more}");
    }
    format!("{}: {message}.{more}", worst.subject)
}

/// What became of a mesh since an earlier one, and what is wrong in the later one as it was before.
pub fn mesh_changes_answer(changes: &[Finding], still: &[Finding]) -> Vec<String> {
    let changed = if changes.is_empty() { "Nothing changed.".to_owned() } else { mesh_answer(changes) };
    let is_new = |one: &Finding| changes.iter().any(|change| change.subject_ref == one.subject_ref);
    let as_before = still
        .iter()
        .filter(|one| !is_new(one))
        .map(|one| format!("As before: {}: {}.", one.subject, one.message.trim_end_matches('.')));
    std::iter::once(changed).chain(as_before).collect()
}

/// A run and an assessment that hold nothing but the mesh's findings and gaps: what draws those of a run draws them.
pub(crate) fn frame(mesh: &Mesh, findings: &[Finding]) -> (Run, Assessment) {
    // Why a host took no part is a finding.
    let told = |gap: &Gap| {
        let left = |host: &MeshHost| *gap == Gap::new(&host.name, gap.reason, &host.detail);
        !gap.detail.is_empty() && mesh.hosts.iter().any(left)
    };
    let mut run = Run {
        tool_version: mesh.tool_version.clone(),
        started: mesh.started,
        finished: mesh.finished,
        gaps: mesh.gaps.iter().filter(|gap| !told(gap)).cloned().collect(),
        ..Run::default()
    };
    run.command.name = "mesh".into();
    (run, Assessment { findings: findings.to_vec(), ..Assessment::default() })
}

fn heat(mesh: &Mesh, network: &str, kind: HeatKind) -> Option<Heat> {
    let number = |cell: &MeshCell| match kind {
        HeatKind::Throughput => cell.throughput_bytes_per_s.map(|rate| rate / 1e6),
        HeatKind::RoundTrip => cell.p50_ns.map(|ns| ns as f64 / 1e3),
        HeatKind::Mtu => cell.mtu_bytes.map(|bytes| bytes as f64),
    };
    let own: Vec<&MeshCell> = mesh.cells.iter().filter(|cell| cell.network == network).collect();
    let mut numbers: Vec<f64> = own.iter().filter_map(|cell| number(cell)).collect();
    numbers.sort_by(f64::total_cmp);
    let (least, most) = (numbers.first()?, numbers.last()?);
    if kind == HeatKind::Mtu && (most - least).abs() < 0.5 {
        return None;
    }
    let middle = numbers[numbers.len() / 2].max(f64::MIN_POSITIVE);
    let shade = |value: f64| {
        let share =
            if kind == HeatKind::RoundTrip { middle / value.max(f64::MIN_POSITIVE) } else { value / middle };
        match share {
            0.95.. => Shade::Same,
            0.8.. => Shade::Less,
            0.5.. => Shade::Half,
            _ => Shade::Least,
        }
    };
    let cell = |from: &str, to: &str| match own.iter().find(|cell| cell.from == from && cell.to == to) {
        Some(cell) => match number(cell) {
            Some(value) => (figure(value), shade(value)),
            None if cell.state == CellState::Skipped => (String::new(), Shade::None),
            None => (if cell.state == CellState::Blocked { "block" } else { "?" }.to_owned(), Shade::Missing),
        },
        None => (String::new(), Shade::None),
    };
    let hosts: Vec<String> = mesh.hosts.iter().map(|host| host.name.clone()).collect();
    let cells = hosts.iter().map(|from| hosts.iter().map(|to| cell(from, to)).collect()).collect();
    let what = match kind {
        HeatKind::Throughput => "Throughput, MB/s",
        HeatKind::RoundTrip => "Round trip, µs (median)",
        HeatKind::Mtu => "Path MTU, bytes",
    };
    let title = if mesh.networks.len() > 1 { format!("{what}, network {network}") } else { what.to_owned() };
    Some(Heat { title, hosts, cells })
}

/// Three digits, as many as a cell has room for.
fn figure(value: f64) -> String {
    match value {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
