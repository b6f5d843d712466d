//! Experiments on a storage target. They read and write where the plan did, and no more at a time than it did.

use super::{Proposal, prediction, record};
use crate::characteristic::sharp;
use crate::facts::{in_flight, is_alike, residence};
use fullwire_model::MeasurementId;
use fullwire_model::characteristic::{Characteristic, Experiment, Quantity};
use fullwire_model::disk::{Arrivals, DiskResult, DiskStep, DiskStepResult, Operation, Pattern, Sync};
use fullwire_model::quantity::Unit;

/// The profile that a step of an experiment belongs to.
const PROFILE: &str = "experiment";
/// Single I/Os that take less are not what anyone asks about (own choice: a write that an array's cache takes).
const NOTABLE_NS: f64 = 3e6;
/// Larger I/Os are no single requests.
const SMALL_BYTES: u64 = 64 << 10;
/// A pause is twice as long as an I/O after another takes.
const PACE: f64 = 1.0 / 3.0;
/// Single I/Os of which a median is one.
const SINGLE_IOS: f64 = 12.0;
/// A slow device takes at least this share of the time with a pause as without, and no more than its inverse.
const SAME_TIME: f64 = 0.75;
/// Where a limit made it wait, an I/O alone takes no more than this share of the time.
const AT_ONCE: f64 = 0.6;
/// Two figures of the same limit differ by no more.
const SAME: f64 = 0.12;
/// I/Os from which evenness can be told of every window.
const EVEN_IOS: f64 = 150.0;
/// From this depth on a flat rate is no latency.
const DEEP: u64 = 8;
/// Limits that are no device's time.
const RATES: [Quantity; 2] = [Quantity::RequestRate, Quantity::ByteRate];

/// What could be tried, worth it or not.
pub(super) fn proposals(result: &DiskResult, known: &Characteristic) -> Vec<Proposal<DiskStep>> {
    let usable = |step: &DiskStepResult| {
        step.rate_per_s == 0.0 && step.ios > 0 && !step.concurrent && (step.direct || step.sync != Sync::None)
    };
    let each = result.measurements().filter(|(_, step)| usable(step)).flat_map(|(id, step)| {
        [single(result, known, step, &id), even(result, known, step, &id), other(result, known, step, &id)]
    });
    each.flatten().collect()
}

/// The same load again, as a step of a plan.
fn again(step: &DiskStepResult, seconds: f64) -> DiskStep {
    DiskStep {
        profile: PROFILE.into(),
        operation: step.operation,
        read_share: step.read_share.unwrap_or(0.0),
        pattern: step.pattern,
        block_bytes: step.block_bytes,
        queue_depth: step.queue_depth,
        threads: step.threads,
        engine: step.engine,
        direct: step.direct,
        sync: step.sync,
        duration_ns: std::time::Duration::from_secs_f64(seconds).as_nanos().try_into().unwrap_or(u64::MAX),
        working_set_bytes: step.working_set_bytes,
        interval_ns: 75_000_000,
        repeats: 1,
        ..DiskStep::default()
    }
}

/// Single I/Os with pauses: a set rate lets each pass at once, a slow device takes its time.
fn single(
    result: &DiskResult,
    known: &Characteristic,
    step: &DiskStepResult,
    id: &MeasurementId,
) -> Option<Proposal<DiskStep>> {
    // A moment without CPU lengthens the mean, and is no reason to ask; where a rate is set, most wait for it.
    let time_ns = (step.latency_ns.p50 as f64).min(1e9 / step.iops);
    if in_flight(step) > 1
        || step.block_bytes > SMALL_BYTES
        || step.operation == Operation::Mixed
        || time_ns < NOTABLE_NS
    {
        return None;
    }
    let rates = known.share_of(id, &RATES);
    let latency = known.share_of(id, &[Quantity::Latency, Quantity::ServedAtOnce]);
    // One depth of one size alone looks the same either way.
    let confounded = only_of_its_kind(result, step);
    let (latency, rates) = if confounded && rates == 0.0 { (0.5, 0.5) } else { (latency, rates) };
    let pace = step.iops * PACE;
    let seconds = (SINGLE_IOS / pace).clamp(0.6, 2.0);
    let predictions = vec![
        prediction(Quantity::Latency, SAME_TIME * time_ns, time_ns / SAME_TIME, latency),
        prediction(Quantity::RequestRate, 0.0, AT_ONCE * time_ns, rates),
    ];
    let why = format!(
        "{:.1} ms for each may be the time that the device takes or a limit of {:.0} per second: with a pause between \
         them only the device takes it",
        time_ns / 1e6,
        step.iops
    );
    Some(Proposal {
        plan: DiskStep { rate_per_s: pace, arrivals: Arrivals::Constant, ..again(step, seconds) },
        cost_s: seconds,
        record: record(&result.target, Experiment::SingleIos, id, Unit::Ns, predictions, why),
    })
}

/// Neither another depth nor another size of this operation was measured.
fn only_of_its_kind(result: &DiskResult, step: &DiskStepResult) -> bool {
    let of_operation = result.steps.iter().filter(|other| other.operation == step.operation && other.ios > 0);
    let differs = |other: &DiskStepResult| in_flight(other) > 1 || other.block_bytes != step.block_bytes;
    !of_operation.into_iter().any(differs)
}

/// The same load for longer: what a limit lets through is as even as a clock, what a busy device completes is not.
fn even(
    result: &DiskResult,
    known: &Characteristic,
    step: &DiskStepResult,
    id: &MeasurementId,
) -> Option<Proposal<DiskStep>> {
    let told = sharp::unevenness(step).is_some() && step.ios as f64 >= EVEN_IOS / 2.0;
    let deeper = |other: &DiskStepResult| is_alike(other, step) && in_flight(other) > in_flight(step);
    let deepest = !result.steps.iter().any(deeper);
    // At this rate every device is as even.
    let tells = step.iops <= sharp::MOST_IO_PER_S;
    if told || !tells || !deepest || in_flight(step) < DEEP || step.pattern != Pattern::Random {
        return None;
    }
    let seconds = (EVEN_IOS / step.iops).clamp(1.0, 4.0);
    let predictions = vec![
        prediction(Quantity::RequestRate, 0.0, 1.0, known.share_of(id, &RATES)),
        prediction(
            Quantity::ServedAtOnce,
            1.0 + f64::EPSILON,
            None,
            known.share_of(id, &[Quantity::ServedAtOnce]),
        ),
    ];
    let why = format!(
        "{} I/Os are too few to tell a limit of {:.0} per second from a device that serves no more",
        step.ios, step.iops
    );
    Some(Proposal {
        plan: again(step, seconds),
        cost_s: seconds,
        record: record(&result.target, Experiment::Longer, id, Unit::Ratio, predictions, why),
    })
}

/// Another block size: a limit of requests lets as many of them through, one of bytes as many bytes.
fn other(
    result: &DiskResult,
    known: &Characteristic,
    step: &DiskStepResult,
    id: &MeasurementId,
) -> Option<Proposal<DiskStep>> {
    if in_flight(step) < DEEP || step.operation == Operation::Mixed {
        return None;
    }
    let block_bytes =
        if step.block_bytes <= SMALL_BYTES { 2 * step.block_bytes } else { step.block_bytes / 2 };
    let times = block_bytes as f64 / step.block_bytes as f64;
    let requests = residence::requests_for_one(step);
    let by_requests = step.iops * requests / (requests * times).max(1.0);
    let within =
        |limit, rate: f64, weight| prediction(limit, rate * (1.0 - SAME), rate * (1.0 + SAME), weight);
    let predictions = vec![
        within(Quantity::RequestRate, by_requests, known.share_of(id, &[Quantity::RequestRate])),
        within(Quantity::ByteRate, step.iops / times, known.share_of(id, &[Quantity::ByteRate])),
    ];
    let why = format!(
        "{:.0} per second of {} bytes may be a limit of requests or of bytes: with blocks of {} only one of them stays",
        step.iops, step.block_bytes, block_bytes
    );
    let seconds = 0.75;
    Some(Proposal {
        plan: DiskStep { block_bytes, ..again(step, seconds) },
        cost_s: seconds,
        record: record(&result.target, Experiment::OtherBlock, id, Unit::IoPerS, predictions, why),
    })
}
