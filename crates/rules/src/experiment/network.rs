//! Experiments on the path to a peer. They send no faster than the plan did.

use super::{Proposal, prediction, record};
use crate::facts::stream::steady_bytes_per_s;
use crate::facts::{stream, words};
use fullwire_model::characteristic::{Characteristic, Experiment, Quantity};
use fullwire_model::net::{NetMode, NetPlan, NetResult};
use fullwire_model::quantity::Unit;
use fullwire_model::{MeasurementId, PathName, Run};

/// Several are two: where each flow is held, they carry twice as much, and no CPU is needed for more.
const SEVERAL: u32 = 2;
/// A direction that carries this share of the best one has nothing to explain.
const NEARLY: f64 = 0.85;
/// Two flows, each held, carry at least so many times what one does.
const TWICE: f64 = 1.5;
/// Two flows, held together, carry no more than so many times what one does.
const ONCE: f64 = 1.25;
/// Losses of fewer segments are not asked about.
const LOST: f64 = 0.0005;
/// Random loss stays at least this share of what it was: TCP sends more again than was lost.
const STAYS: f64 = 0.2;
/// Loss that comes with the rate falls to this share of it, or less.
const GOES: f64 = 0.08;
/// Data of a datagram that fits every path, with its headers.
const DATAGRAM_BYTES: u64 = 1200;
/// Datagrams that random loss should take in an experiment.
const EXPECTED: f64 = 15.0;
/// Fewer tell nothing: a third of them may be none by chance.
const FEWEST: f64 = 8.0;
/// Added to each stream for connecting and for a round trip without load, s.
const SET_UP_S: f64 = 0.3;

/// What could be tried, worth it or not.
pub(super) fn proposals(run: &Run, peer: &PathName, known: &Characteristic) -> Vec<Proposal<NetPlan>> {
    let single = |result: &NetResult| {
        result.target == *peer
            && !result.path.loopback
            && result.streams <= 1
            && stream::is_flat_out(result)
            && result.throughput_bytes_per_s > 0.0
            && result.imported_from.is_empty()
    };
    let all = run.net_measurements().filter(|(_, result)| single(result));
    let each = all.flat_map(|(id, result)| {
        [several(run, known, result, &id), longer(run, result, &id), half_rate(run, known, result, &id)]
    });
    each.flatten().collect()
}

fn again(result: &NetResult, seconds: f64) -> NetPlan {
    let ns =
        |seconds: f64| std::time::Duration::from_secs_f64(seconds).as_nanos().try_into().unwrap_or(u64::MAX);
    NetPlan { duration_ns: ns(seconds), warmup_ns: ns(seconds / 6.0), ..result.plan.clone() }
}

/// Several flows the same way: a limit of each flow lets them carry more.
fn several(
    run: &Run,
    known: &Characteristic,
    result: &NetResult,
    id: &MeasurementId,
) -> Option<Proposal<NetPlan>> {
    let rate = steady_bytes_per_s(result);
    let others = run.net.iter().filter(|other| other.target == result.target && stream::is_flat_out(other));
    let same_way = others.clone().filter(|other| other.reverse == result.reverse);
    let best = others.map(steady_bytes_per_s).fold(0.0, f64::max);
    let asked = same_way.clone().any(|other| other.streams > 1) || same_way.count() > 1;
    // Held together at the rate of the other direction: that is known.
    let told = known.share_of(id, &[Quantity::PathRate]) > 0.9;
    if asked || told || stream::still_grows(run, id, result) || rate >= NEARLY * best {
        return None;
    }
    let experiment = if result.reverse { Experiment::SeveralReverse } else { Experiment::Several };
    let predictions = vec![
        prediction(Quantity::FlowRate, TWICE * rate, None, 0.5),
        prediction(Quantity::PathRate, 0.0, ONCE * rate, 0.5),
    ];
    let why = format!(
        "{} may be what each flow gets or what the path carries {}: two flows carry twice as much, or the same",
        words::rate(rate),
        if result.reverse { "from the peer" } else { "to the peer" }
    );
    let seconds = (result.duration_s).clamp(0.8, 2.0);
    Some(Proposal {
        plan: NetPlan { streams: SEVERAL, ..again(result, seconds) },
        cost_s: seconds * 7.0 / 6.0 + SET_UP_S,
        record: record(&result.target, experiment, id, Unit::BytesPerS, predictions, why),
    })
}

/// A stream that still grew: does it go on growing?
fn longer(run: &Run, result: &NetResult, id: &MeasurementId) -> Option<Proposal<NetPlan>> {
    if !stream::still_grows(run, id, result) {
        return None;
    }
    let rate = steady_bytes_per_s(result);
    let predictions = vec![
        prediction(Quantity::PathRate, ONCE * rate, None, 0.5),
        prediction(Quantity::FlowRate, 0.0, (ONCE - 0.1) * rate, 0.5),
    ];
    let why = format!("the stream still grew when it ended at {}", words::rate(rate));
    let seconds = (3.0 * result.duration_s).min(4.0);
    Some(Proposal {
        plan: again(result, seconds),
        cost_s: seconds * 7.0 / 6.0 + SET_UP_S,
        record: record(&result.target, Experiment::Longer, id, Unit::BytesPerS, predictions, why),
    })
}

/// Datagrams at half the rate: random loss takes its share of them, too; drops of a full queue or a policer end.
fn half_rate(
    run: &Run,
    known: &Characteristic,
    result: &NetResult,
    id: &MeasurementId,
) -> Option<Proposal<NetPlan>> {
    let share = stream::lost_share(run, result).filter(|share| *share >= LOST)?;
    let rate = steady_bytes_per_s(result) / 2.0;
    let seconds = (EXPECTED / share * DATAGRAM_BYTES as f64 / rate).clamp(0.5, 4.0);
    let expected = share * seconds * rate / DATAGRAM_BYTES as f64;
    // The losses of a queue that stays full are known to be its own.
    if expected < FEWEST || stream::is_reordered(result) || stream::stands_in_queue(result) {
        return None;
    }
    let path = known.share_of(id, &[Quantity::PathRate]).clamp(0.1, 0.9);
    let predictions = vec![
        prediction(Quantity::RandomLoss, STAYS * share, None, 1.0 - path),
        prediction(Quantity::PathRate, 0.0, GOES * share, path),
    ];
    let why = format!(
        "{:.2} % of the segments were lost at {}: at half the rate random loss stays, and that of a full queue or a policer goes",
        share * 100.0,
        words::rate(2.0 * rate)
    );
    let plan = NetPlan {
        mode: NetMode::Udp,
        length_bytes: DATAGRAM_BYTES,
        rate_bytes_per_s: rate,
        warmup_ns: 0,
        ..again(result, seconds)
    };
    Some(Proposal {
        plan,
        cost_s: seconds + SET_UP_S,
        record: record(&result.target, Experiment::HalfRate, id, Unit::Ratio, predictions, why),
    })
}
