//! How the estate is: read from the shared store, judged anew each time.

use super::presence::MISSING;
use anyhow::Result;
use fullwire_mesh::estate::{Bad, FALLEN, IN_A_ROW, POOR, PointState, Reading, SLOWER, standing};
use fullwire_model::estate::{BadPath, Estate, EstateCoordinator, EstateHost, EstateRound, PathKind};
use fullwire_model::median;
use fullwire_store::postgres::{PointRow, Shared, Suspect};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::time::Duration;

/// Readings older than this say nothing about now.
const SINCE: Duration = Duration::from_secs(31 * 24 * 3600);
/// Readings of one path that are looked at.
const EACH: u32 = 50;
/// No path that [`standing`] calls bad has less to show.
const SUSPECT: Suspect =
    Suspect { share_of_ceiling: POOR, share_of_most: FALLEN, multiple_of_least: SLOWER, readings: IN_A_ROW };
/// Rounds that are listed.
const ROUNDS: u32 = 20;
/// The coordinator writes down every 30 s who is there.
const WRITTEN: Duration = Duration::from_secs(45);

/// The last figures of the paths that begin at a host.
#[derive(Default)]
struct Figures {
    streams: Vec<f64>,
    trips: Vec<f64>,
}

/// Everything that is shown of an estate.
pub(crate) fn look(store: &Shared) -> Result<Estate> {
    let now = Timestamp::now();
    let points = store.points(now - SINCE, EACH, &SUSPECT)?;
    let mut figures: BTreeMap<String, Figures> = BTreeMap::new();
    let mut bad = Vec::new();
    for path in points.chunk_by(|one, next| key(one) == key(next)) {
        let (first, last) = (&path[0], &path[path.len() - 1]);
        let stream = first.kind == "stream";
        let own = figures.entry(first.src.clone()).or_default();
        let values = if stream { &mut own.streams } else { &mut own.trips };
        values.extend(last.value);
        let readings: Vec<Reading> = path.iter().map(reading).collect();
        bad.extend(standing(&readings, stream).map(|one| bad_path(last, stream, one)));
    }
    bad.sort_by(|one: &BadPath, other| {
        (one.kind, &one.network, &one.from, &one.to)
            .cmp(&(other.kind, &other.network, &other.from, &other.to))
    });
    let hosts = store.hosts()?.into_iter().map(|row| {
        let own = figures.remove(&row.name).unwrap_or_default();
        let ends = |path: &&BadPath| path.from == row.name || path.to == row.name;
        EstateHost {
            present: row.last_seen.is_some_and(|seen| seen > now - (MISSING + WRITTEN)),
            version: row.version,
            last_seen: row.last_seen,
            unsent: row.unsent,
            trouble: row.detail,
            paths: own.streams.len() as u64,
            bad_paths: bad.iter().filter(ends).count() as u64,
            throughput_median_bytes_per_s: median(&own.streams),
            throughput_worst_bytes_per_s: own.streams.iter().copied().reduce(f64::min),
            round_trip_median_ns: median(&own.trips),
            round_trip_worst_ns: own.trips.iter().copied().reduce(f64::max),
            name: row.name,
        }
    });
    let hosts = hosts.collect();
    let (runs, points, stored_bytes) = store.size()?;
    Ok(Estate {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        at: now,
        coordinator: store.coordinator()?.map(|(host, since, term, leading)| EstateCoordinator {
            host,
            since,
            term: term.0,
            leading,
        }),
        hosts,
        bad,
        rounds: store.rounds(ROUNDS)?.into_iter().map(round).collect(),
        runs,
        points,
        stored_bytes,
    })
}

fn key(point: &PointRow) -> (&str, &str, &str, &str) {
    (&point.kind, &point.network, &point.src, &point.dst)
}

fn reading(point: &PointRow) -> Reading {
    Reading {
        at: point.at,
        state: match point.state.as_str() {
            "measured" => PointState::Measured,
            "held" => PointState::Held,
            "blocked" => PointState::Blocked,
            "failed" => PointState::Failed,
            _ => PointState::Unknown,
        },
        value: point.value,
        ceiling: point.ceiling,
        black_hole: point.black_hole,
    }
}

fn bad_path(last: &PointRow, stream: bool, bad: Bad) -> BadPath {
    BadPath {
        from: last.src.clone(),
        to: last.dst.clone(),
        network: last.network.clone(),
        kind: if stream { PathKind::Stream } else { PathKind::Light },
        since: bad.since,
        always: bad.always,
        why: bad.why,
        value: bad.value,
        before: bad.before,
        run_id: last.run_id.clone(),
    }
}

fn round(row: fullwire_store::postgres::RoundRow) -> EstateRound {
    EstateRound { round_id: row.round_id, started: row.started, ended: row.ended, state: row.state }
}
