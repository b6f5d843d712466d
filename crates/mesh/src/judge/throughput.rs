//! Numbers that differ: throughput and round trips by sender, receiver, group and path.

mod groups;
mod locate;

use super::cover::Place;
use super::finding::{Draft, on_network, rate, subject, time, words};
use super::matrix::Matrix;
use super::reach::inside;
use super::view::View;
use fullwire_model::assessment::{Finding, Severity, Verdict};
use fullwire_model::median;
use fullwire_model::mesh::{Mesh, MeshCell, MeshMode};
use fullwire_model::quantity::Unit;
use locate::{Located, Question, locate};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A path is slow when it carries a fifth less than its hosts let expect, and that is beyond the scatter.
const THROUGHPUT: Question = Question { least: 0.223_143_551, sigmas: 4.0 };
/// A round trip is long when it takes twice as long, and [`LONG_NS`] more.
const ROUND_TRIP: Question = Question { least: std::f64::consts::LN_2, sigmas: 4.0 };
/// Below this a longer round trip is a matter of CPUs, not of a path, ns.
const LONG_NS: f64 = 200_000.0;
/// Two ways of one path differ when one carries a quarter more.
const ASYMMETRY: f64 = 0.223_143_551;
/// A path that was slow next to others and is faster by a third alone shared something with them.
const SHARED: f64 = 0.287_682_072;
/// Of a network's cells, the slowest twentieth is repeated alone.
const SLOWEST_ONE_IN: usize = 20;
/// Cells that are repeated for one host.
const CELLS_OF_HOST: usize = 2;
/// Cells that are repeated for anything else.
const CELLS_OF_PLACE: usize = 4;
/// Cells that are repeated in all, or a tenth of the matrix where that is more.
const CELLS_IN_ALL: usize = 24;

/// Senders, receivers, groups and paths that carry less than the rest.
pub(super) fn throughput(mesh: &View<'_>, network: &str) -> Vec<Finding> {
    let matrix = throughputs(mesh, network);
    let (groups, rest) = groups::split(mesh, &matrix, THROUGHPUT.least);
    let found = locate(&rest, THROUGHPUT);
    let real: Vec<&Located> =
        found.places.iter().filter(|one| confirmed(mesh, network, &found.bad, one)).collect();
    let mut findings: Vec<Finding> =
        groups.iter().map(|group| groups::finding(mesh, network, group)).collect();
    findings.extend(real.iter().map(|one| slow(mesh, network, one)));
    let explained = |from, to| {
        real.iter().any(|one| one.place.holds(from, to)) || groups.iter().any(|group| group.holds(from, to))
    };
    findings.extend(asymmetry(mesh, network, &matrix, found.sigma, explained));
    findings.extend(shared(mesh, network, found.sigma));
    findings
}

/// Cells of a network that are worth repeating while nothing else runs: what looks bad, then pairs whose ways differ,
/// then the slowest few.
pub fn suspects(mesh: &Mesh, network: &str) -> Vec<(usize, usize)> {
    let mesh = &View::of(mesh);
    let matrix = throughputs(mesh, network);
    let (_, rest) = groups::split(mesh, &matrix, THROUGHPUT.least);
    let found = locate(&rest, THROUGHPUT);
    let mut slowest: Vec<(f64, (usize, usize))> =
        matrix.known().map(|(from, to, value)| (value, (from, to))).collect();
    slowest.sort_by(|one, other| one.0.total_cmp(&other.0));
    let slowest: Vec<(usize, usize)> = slowest.into_iter().map(|(_, cell)| cell).collect();
    let of_place = |one: &Located| {
        let most = if one.place.host().is_some() { CELLS_OF_HOST } else { CELLS_OF_PLACE };
        let own = slowest.iter().filter(|&&(from, to)| one.place.holds(from, to));
        own.take(most).copied().collect::<Vec<(usize, usize)>>()
    };
    let places: Vec<(usize, usize)> = found.places.iter().flat_map(of_place).collect();
    let unequal =
        asymmetric(&matrix, found.sigma).into_iter().flat_map(|(from, to, _)| [(from, to), (to, from)]);
    let share = slowest.len().div_ceil(SLOWEST_ONE_IN);
    let mut wanted: Vec<(usize, usize)> = Vec::new();
    for cell in places.into_iter().chain(unequal).chain(slowest.iter().take(share).copied()) {
        if !wanted.contains(&cell) {
            wanted.push(cell);
        }
    }
    wanted.truncate(CELLS_IN_ALL.max(slowest.len() / 10));
    wanted
}

/// Natural logarithms of the throughput: factors become sums.
pub(super) fn throughputs(mesh: &View<'_>, network: &str) -> Matrix {
    Matrix::of(mesh.hosts.len(), |from, to| {
        let cell = mesh.cell(network, &mesh.hosts[from].name, &mesh.hosts[to].name)?;
        // What a host holds to a rate says nothing of the path.
        let own = cell.throughput_bytes_per_s.filter(|_| cell.held_to_bytes_per_s.is_none());
        own.filter(|&rate| rate > 0.0).map(f64::ln)
    })
}

/// How much the cells of a matrix scatter around what their hosts let expect, as a difference of logarithms.
pub(super) fn scatter(matrix: &Matrix) -> f64 {
    locate(matrix, THROUGHPUT).sigma
}

/// Where cells were repeated, most of them are still bad; in the other modes nothing is repeated.
fn confirmed(mesh: &View<'_>, network: &str, bad: &BTreeSet<(usize, usize)>, one: &Located) -> bool {
    if mesh.mode != MeshMode::Pairs {
        return true;
    }
    let repeated = inside(mesh, network, &one.place).filter(|cell| cell.repeated());
    let ends = repeated.filter_map(|cell| Some((mesh.position(&cell.from)?, mesh.position(&cell.to)?)));
    let (still, all) =
        ends.fold((0, 0), |(still, all), cell| (still + usize::from(bad.contains(&cell)), all + 1));
    still * 2 > all
}

fn slow(mesh: &View<'_>, network: &str, one: &Located) -> Finding {
    let cells: Vec<&MeshCell> =
        inside(mesh, network, &one.place).filter(|cell| cell.throughput_bytes_per_s.is_some()).collect();
    let rates: Vec<f64> = cells.iter().filter_map(|cell| cell.throughput_bytes_per_s).collect();
    let (own, rest) = (median(&rates).unwrap_or(0.0), one.usual.exp());
    let (words, network_words) = (words(mesh, &one.place), on_network(mesh, network));
    let verb = match &one.place {
        Place::Path(..) | Place::BothWays(..) => "carries",
        _ => "reaches",
    };
    let code = match &one.place {
        Place::Host(_) | Place::Sender(_) | Place::Receiver(_) => "mesh-host-slow",
        Place::SenderInPart(..) | Place::ReceiverInPart(..) | Place::HostInPart(..) => {
            "mesh-host-partly-slow"
        }
        Place::Block(..) => "mesh-block-slow",
        Place::Path(..) | Place::BothWays(..) => "mesh-path-slow",
    };
    let message = format!("{words}{network_words} {verb} {}; {} is usual", rate(own), rate(rest));
    let all = mesh.cells.iter().filter(|cell| cell.network == network).count();
    let draft = Draft::new(code, Severity::Warning, subject(mesh, &one.place), message)
        .measured(own, rest, Unit::BytesPerS)
        .evidence(format!("{} of {all} paths", rates.len()), "the matrix, median polish");
    let draft = back(worst(draft, &cells), mesh, network, &one.place);
    advise(draft, mesh, &one.place).done()
}

/// What the other direction of a path carries: both may be slow, or only one.
fn back(draft: Draft, mesh: &View<'_>, network: &str, place: &Place) -> Draft {
    let &Place::Path(from, to) = place else { return draft };
    let (from, to) = (&mesh.hosts[from].name, &mesh.hosts[to].name);
    match mesh.cell(network, to, from).and_then(|cell| cell.throughput_bytes_per_s) {
        Some(reverse) => {
            draft.evidence(format!("{to} -> {from}, the reverse direction: {}", rate(reverse)), "stream")
        }
        None => draft,
    }
}

/// The slowest cell with its ceiling, and what its run says of the cause.
fn worst(draft: Draft, cells: &[&MeshCell]) -> Draft {
    let key = |cell: &&&MeshCell| cell.throughput_bytes_per_s.unwrap_or(f64::MAX);
    let Some(cell) = cells.iter().min_by(|one, other| key(one).total_cmp(&key(other))) else { return draft };
    let mut text =
        format!("{} -> {}: {}", cell.from, cell.to, rate(cell.throughput_bytes_per_s.unwrap_or(0.0)));
    if let Some(ceiling) = cell.ceiling_bytes_per_s {
        let _ = write!(text, ", ceiling {} ({})", rate(ceiling), cell.ceiling_kind);
    }
    if let Some(share) = cell.retransmitted_share.filter(|&share| share > 0.0) {
        let _ = write!(text, ", {:.2} % retransmitted", share * 100.0);
    }
    if !cell.cause.is_empty() {
        let _ = write!(text, ", limited by {}", cell.cause);
    }
    if cell.repeated() {
        text += "; repeated alone";
    }
    draft.evidence(
        text,
        if cell.run_id.is_empty() { "stream".to_owned() } else { format!("run {}", cell.run_id) },
    )
}

fn advise(draft: Draft, mesh: &View<'_>, place: &Place) -> Draft {
    let bonds = place.host().and_then(|host| mesh.hosts.get(host)).map(|host| host.bonds.join(", "));
    match place {
        Place::Host(_) | Place::Sender(_) | Place::Receiver(_) => draft
            .why("Every path of this host is slow, the others are not: the cause is at the host, its cable or its switch port.")
            .step("Run `fullwire check` there, and `fullwire show` on the run named above. Check link speed, errors, CPU and shaping.")
            .expect("The host reaches what the others reach."),
        Place::SenderInPart(..) | Place::ReceiverInPart(..) | Place::HostInPart(..) => {
            let bond = bonds.filter(|bonds| !bonds.is_empty());
            let draft = draft.why(
                "The host is fast with some hosts and slow with others. A bond member or a link of a multi-path fabric, chosen by a hash of the addresses, carries only some of the pairs.",
            );
            let draft = match bond {
                Some(bonds) => draft.step(format!("Compare the members of {bonds}: speed, errors and LACP state of each.")),
                None => draft,
            };
            draft
                .step("Compare the error counters of the parallel links between the switches.")
                .expect("All pairs of the host reach the same.")
        }
        Place::Block(..) => draft
            .why("All paths between two sets of hosts are slow, those within each set are not: they share an uplink.")
            .step("Check speed, errors and load of the uplinks between these hosts' switches. Name the groups with --topology.")
            .expect("The block reaches what the rest reaches, or what its uplink was designed for."),
        Place::Path(..) | Place::BothWays(..) => draft
            .why("Both hosts are fast with everyone else: the cause lies between them.")
            .step("Check what only this pair uses: a route, one link of a multi-path fabric, a shaper or a policy for these addresses.")
            .expect("The path reaches what the other paths of its hosts reach."),
    }
}

/// Pairs whose two ways differ, with the difference of logarithms.
fn asymmetric(matrix: &Matrix, sigma: f64) -> Vec<(usize, usize, f64)> {
    let least = ASYMMETRY.max(THROUGHPUT.sigmas * sigma * std::f64::consts::SQRT_2);
    let pairs = matrix.known().filter(|(from, to, _)| from < to);
    let differences = pairs.filter_map(|(from, to, there)| Some((from, to, there - matrix.get(to, from)?)));
    differences.filter(|(_, _, difference)| difference.abs() > least).collect()
}

/// One finding for all pairs whose two ways differ and that nothing else explains.
fn asymmetry(
    mesh: &View<'_>,
    network: &str,
    matrix: &Matrix,
    sigma: f64,
    explained: impl Fn(usize, usize) -> bool,
) -> Option<Finding> {
    let repeated = |from: usize, to: usize| {
        let cell = mesh.cell(network, &mesh.hosts[from].name, &mesh.hosts[to].name);
        mesh.mode != MeshMode::Pairs || cell.is_some_and(MeshCell::repeated)
    };
    let pairs: Vec<(usize, usize, f64)> = asymmetric(matrix, sigma)
        .into_iter()
        .filter(|&(from, to, _)| repeated(from, to) && repeated(to, from))
        .filter(|&(from, to, _)| !explained(from, to) && !explained(to, from))
        .collect();
    let worst = pairs.iter().max_by(|one, other| one.2.abs().total_cmp(&other.2.abs()))?;
    let (slow, fast) = if worst.2 < 0.0 { (worst.0, worst.1) } else { (worst.1, worst.0) };
    let (slow_rate, fast_rate) = (matrix.get(slow, fast)?.exp(), matrix.get(fast, slow)?.exp());
    let (from, to) = (&mesh.hosts[slow].name, &mesh.hosts[fast].name);
    let network_words = on_network(mesh, network);
    let more = match pairs.len() - 1 {
        0 => String::new(),
        1 => "; one more pair differs".to_owned(),
        more => format!("; {more} more pairs differ"),
    };
    let draft = Draft::new(
        "mesh-asymmetric",
        Severity::Warning,
        subject(mesh, &Place::BothWays(slow.min(fast), slow.max(fast))),
        format!("{from} to {to}{network_words} reaches {}, the reverse direction {}{more}", rate(slow_rate), rate(fast_rate)),
    )
    .measured(slow_rate, fast_rate, Unit::BytesPerS)
    .why("Both directions of a path have the same throughput unless a route, a shaper, a duplex setting or a receiver's settings differ.")
    .step("Compare routes (`ip route get`), duplex and speed of both ports, qdiscs and TCP buffers of both hosts.")
    .expect("Both directions have the same throughput.");
    Some(draft.evidence("one direction after the other", "the matrix").done())
}

/// Paths that are much faster alone than next to the others of their round.
fn shared(mesh: &View<'_>, network: &str, sigma: f64) -> Option<Finding> {
    let least = SHARED.max(THROUGHPUT.sigmas * sigma);
    let repeated = mesh.cells.iter().filter(|cell| cell.network == network);
    let both = repeated.filter_map(|cell| {
        let first = cell.streams.iter().find(|stream| !stream.alone)?.throughput_bytes_per_s;
        let alone = cell.streams.iter().rev().find(|stream| stream.alone)?.throughput_bytes_per_s;
        (first > 0.0 && alone > 0.0).then_some((cell, first, alone))
    });
    let all: Vec<_> = both.collect();
    let gains: Vec<_> = all.iter().filter(|(_, first, alone)| (alone / first).ln() > least).collect();
    let (cell, first, alone) =
        gains.iter().max_by(|one, other| (one.2 / one.1).total_cmp(&(other.2 / other.1)))?;
    if mesh.mode != MeshMode::Pairs || gains.len() < 2 || gains.len() * 2 < all.len() {
        return None;
    }
    let network_words = on_network(mesh, network);
    let draft = Draft::new(
        "mesh-shared-link",
        Severity::Info,
        format!("{} -> {}", cell.from, cell.to),
        format!(
            "{} of {} repeated paths{network_words} are faster alone: {} to {} reaches {} instead of {}",
            gains.len(),
            all.len(),
            cell.from,
            cell.to,
            rate(*alone),
            rate(*first)
        ),
    )
    .measured(*first, *alone, Unit::BytesPerS)
    .evidence("the same streams, together with the others of their round and alone", "repeats")
    .why("Pairs that share no host slow each other down: they share a link, a switch or a machine that was not named.")
    .step("Name racks and uplinks in a file for --topology, or measure with --parallel 1; --mode round shows what the fabric carries for half of the hosts.")
    .expect("The figures of the matrix are those of single paths.");
    Some(draft.done())
}

/// Long round trips of a host or a path.
pub(super) fn round_trip(mesh: &View<'_>, network: &str) -> Vec<Finding> {
    let p50 =
        |from: usize, to: usize| mesh.cell(network, &mesh.hosts[from].name, &mesh.hosts[to].name)?.p50_ns;
    // A round trip goes both ways: the shorter of the two figures is nearer to the path.
    let both = |from, to| [p50(from, to), p50(to, from)].into_iter().flatten().min();
    let matrix = Matrix::of(mesh.hosts.len(), |from, to| both(from, to).map(|ns| -(ns.max(1) as f64).ln()));
    let (_, rest) = groups::split(mesh, &matrix, ROUND_TRIP.least);
    let found = locate(&rest, ROUND_TRIP);
    let long = |one: &&Located| {
        let cells = matrix.known().filter(|&(from, to, _)| one.place.holds(from, to));
        let own: Vec<f64> = cells.map(|(_, _, value)| (-value).exp()).collect();
        median(&own).unwrap_or(0.0) - (-one.usual).exp() >= LONG_NS
    };
    let clear = |one: &&Located| matches!(one.place, Place::Host(_) | Place::BothWays(..));
    found.places.iter().filter(clear).filter(long).map(|one| far(mesh, network, &matrix, one)).collect()
}

fn far(mesh: &View<'_>, network: &str, matrix: &Matrix, one: &Located) -> Finding {
    let cells = matrix.known().filter(|&(from, to, _)| one.place.holds(from, to));
    let own: Vec<f64> = cells.map(|(_, _, value)| (-value).exp()).collect();
    let (own, usual) = (median(&own).unwrap_or(0.0), (-one.usual).exp());
    let network_words = on_network(mesh, network);
    let between = match &one.place {
        Place::BothWays(a, b) => format!("between {} and {}", mesh.hosts[*a].name, mesh.hosts[*b].name),
        place => format!("with {}", subject(mesh, place)),
    };
    Draft::new(
        "mesh-round-trip",
        Severity::Warning,
        subject(mesh, &one.place),
        format!("A round trip {between}{network_words} takes {}; {} is usual", time(own), time(usual)),
    )
    .measured(own, usual, Unit::Ns)
    .evidence("median of small messages without load", "the matrix, median polish")
    .why("Every commit that waits for a standby, and every block sent over an interconnect, waits this long.")
    .step("Look for a longer route (`fullwire mtu` lists the hops), power saving or interrupt moderation at the host, or a shaper that adds delay.")
    .expect("Round trips as short as those of the other hosts.")
    .done()
}

/// Paths far below their ceilings that no place above explains.
pub(super) fn ceilings(mesh: &View<'_>, network: &str) -> Option<Finding> {
    let matrix = throughputs(mesh, network);
    let (groups, rest) = groups::split(mesh, &matrix, THROUGHPUT.least);
    let places = locate(&rest, THROUGHPUT).places;
    let explained = |cell: &&MeshCell| {
        mesh.position(&cell.from).zip(mesh.position(&cell.to)).is_some_and(|(from, to)| {
            places.iter().any(|one| one.place.holds(from, to))
                || groups.iter().any(|group| group.holds(from, to))
        })
    };
    let measured: Vec<&MeshCell> = mesh
        .cells
        .iter()
        .filter(|cell| cell.network == network && cell.throughput_bytes_per_s.is_some())
        .collect();
    let poor: Vec<&&MeshCell> =
        measured.iter().filter(|cell| cell.verdict == Verdict::Poor && !explained(cell)).collect();
    let share = |cell: &MeshCell| Some(cell.throughput_bytes_per_s? / cell.ceiling_bytes_per_s?);
    let shares = poor.iter().filter_map(|cell| Some((share(cell)?, **cell)));
    let (worst_share, cell) = shares.min_by(|one, other| one.0.total_cmp(&other.0))?;
    let (value, ceiling) = (cell.throughput_bytes_per_s?, cell.ceiling_bytes_per_s?);
    let network_words = on_network(mesh, network);
    let draft = Draft::new(
        "mesh-below-ceiling",
        Severity::Warning,
        format!("{} -> {}", cell.from, cell.to),
        format!(
            "{} of {} paths{network_words} reach less than 70 % of their ceiling; the worst is {} to {} with {} of {}, {:.0} %",
            poor.len(),
            measured.len(),
            cell.from,
            cell.to,
            rate(value),
            rate(ceiling),
            worst_share * 100.0
        ),
    )
    .measured(value, ceiling, Unit::BytesPerS)
    .why("No single host or link stands out, so the limit is common to these paths.")
    .step("Look at the kept run of the worst path: `fullwire show` names what limits it and the fix.")
    .expect("At least 90 % of the ceiling.");
    Some(worst(draft, &[cell]).done())
}
