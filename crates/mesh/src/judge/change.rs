//! Two meshes of the same hosts: what became slower or faster since, by host, group of paths or path.

use super::cover::{Place, cover};
use super::finding::{Draft, on_network, rate, subject, words};
use super::matrix::Matrix;
use super::throughput::{scatter, throughputs};
use super::view::View;
use fullwire_model::assessment::{Finding, Severity};
use fullwire_model::median;
use fullwire_model::mesh::Mesh;
use fullwire_model::quantity::Unit;
use std::collections::BTreeSet;

/// A change matters from a fifth on, as a difference of logarithms.
const LEAST: f64 = 0.223_143_551;
/// And beyond this many times the scatter of both matrices together.
const SIGMAS: f64 = 4.0;
/// When this many of all paths changed, the change is not one of hosts.
const MOST: f64 = 0.75;

/// What changed from an earlier mesh to this one, on the networks that both have.
pub fn changes(before: &Mesh, now: &Mesh) -> Vec<Finding> {
    let (before, now) = (&View::of(before), &View::of(now));
    now.networks.iter().flat_map(|network| of_network(before, now, network)).collect()
}

fn of_network(before: &View<'_>, now: &View<'_>, network: &str) -> Vec<Finding> {
    let old = |from: usize, to: usize| {
        let cell = before.cell(network, &now.hosts[from].name, &now.hosts[to].name)?;
        let own = cell.throughput_bytes_per_s.filter(|_| cell.held_to_bytes_per_s.is_none());
        own.filter(|&rate| rate > 0.0).map(f64::ln)
    };
    let (old, new) = (Matrix::of(now.hosts.len(), old), throughputs(now, network));
    let change = Matrix::of(now.hosts.len(), |from, to| Some(new.get(from, to)? - old.get(from, to)?));
    let noise = scatter(&old).hypot(scatter(&new));
    let least = LEAST.max(SIGMAS * noise);
    let both: BTreeSet<(usize, usize)> = change.known().map(|(from, to, _)| (from, to)).collect();
    let mut findings = Vec::new();
    for (sign, severity, verb) in [(-1.0, Severity::Warning, "fell"), (1.0, Severity::Info, "rose")] {
        let changed: BTreeSet<(usize, usize)> =
            change.known().filter(|(_, _, by)| by * sign > least).map(|(from, to, _)| (from, to)).collect();
        let everywhere = changed.len() > 2 && changed.len() as f64 >= MOST * both.len() as f64;
        let places = if everywhere { vec![None] } else { places(now.hosts.len(), &both, &changed) };
        for place in places {
            let (whose, what) = match &place {
                Some(place) => (subject(now, place), words(now, place)),
                None => ("all paths".to_owned(), "The throughput of nearly all paths".to_owned()),
            };
            let of_place = |matrix: &Matrix| {
                let inside = matrix.known().filter(|&(from, to, _)| {
                    changed.contains(&(from, to)) && place.as_ref().is_none_or(|place| place.holds(from, to))
                });
                median(&inside.map(|(_, _, value)| value).collect::<Vec<f64>>()).unwrap_or(0.0).exp()
            };
            let (was, is) = (of_place(&old), of_place(&new));
            let network_words = on_network(now, network);
            let since = before.started.strftime("%Y-%m-%d %H:%M UTC");
            let draft = Draft::new(
                "mesh-changed",
                severity,
                whose,
                format!("{what}{network_words} {verb} from {} to {} since {since}", rate(was), rate(is)),
            )
            .measured(is, was, Unit::BytesPerS)
            .evidence(format!("mesh {} against mesh {}", now.mesh_id, before.mesh_id), "both matrices")
            .why("The same test between the same hosts gave a different figure, beyond the scatter of both.")
            .step("Check what was changed on these hosts or this path since then; the kept runs of both meshes contain the settings.");
            findings.push(draft.done());
        }
    }
    findings
}

fn places(
    hosts: usize,
    both: &BTreeSet<(usize, usize)>,
    changed: &BTreeSet<(usize, usize)>,
) -> Vec<Option<Place>> {
    cover(hosts, both, changed).into_iter().map(Some).collect()
}
