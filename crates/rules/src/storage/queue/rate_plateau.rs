use crate::characteristic::course::{self, LARGE_BYTES};
use crate::characteristic::{storage, waits_for_a_rate};
use crate::verdict::FULL_WIRE;
use fullwire_model::assessment::After;
use fullwire_model::characteristic::{Characteristic, Quantity};
use fullwire_model::{MeasurementId, median};

rule! {
    /// # What it checks
    /// Passes unless the characteristic of a target has a limit in requests or bytes that nobody's queue explains: reads of
    /// two sizes end at the same number of requests a second; small reads end at the same rate at several depths, their
    /// completions as even as a clock's; large reads end at fewer bytes a second than any medium in use delivers; single I/Os
    /// with pauses between them take far less time than one after the other. Also fires
    /// when a rate falls to a flat plateau after a burst, a later step shows the plateau again or it lasts for seconds, and
    /// no later step exceeds it; and in a recording, when a device completes as many reads, or as many writes, in each of ten
    /// seconds while requests wait. What was ordered (`--expect-disk`) is no fault.
    /// # Why it matters
    /// A cloud volume, a `QoS` policy or a token bucket is the ceiling, not the medium.
    /// # Evidence
    /// IOPS of the steps; the series of intervals.
    /// # Remedy
    /// Raise the provisioned IOPS or the `QoS` policy of the volume; ask who sets it.
    /// # Source
    /// AWS EBS I/O characteristics (provisioned IOPS, burst credits); NetApp ONTAP `QoS` policy groups. Seagate Exos 7E10
    /// data sheet: a 7,200 rpm disk delivers up to 270 MB/s, and half of that on its innermost tracks.
    code: "rate-plateau",
    title: "the device serves a fixed number of I/Os per second, whatever the load",
    layer: Storage, severity: Warning, on: [Target, Disk], limits: [ProvisionedRate],

    /// Rates that differ by no more are the same.
    const SAME: f64 = 0.04;
    /// A burst before the plateau.
    const BURST: f64 = 1.5;
    /// The explanations that leave no other reading have this share of the weight at least (own choice).
    const SURE: f64 = 0.9;
    /// I/Os in flight from which on a rate is not that of single I/Os.
    const DEEP: u64 = 8;
    /// Weights that differ by less tell nothing (own choice).
    const ALIKE: f64 = 0.05;
    /// A queue of the host explains a rate that is at least this share of what it allows.
    const FILLED: f64 = 0.75;
    /// Share of the time of an I/O that the disks must account for.
    const IN_DEVICE: f64 = 0.7;
    /// More requests for one I/O than this: its time is not that of a request.
    const WHOLE: f64 = 1.5;
    /// A disk that takes no longer than this many times its least for a request has no queue of its own (own choice).
    const AT_ONCE: f64 = 1.5;
    /// Of our own bytes: others that move as many disturb ours (as `foreign-load` has it).
    const OTHERS: f64 = 0.1;
    /// Duration of a plateau that no other step confirms.
    const LASTS_S: f64 = 3.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run)
        .iter()
        .filter(|target| !target.says_nothing() && !target.result.steps.is_empty())
        .map(|target| judge(run, target))
        .collect()
}

fn judge(run: &Facts, target: &facts::Target<'_>) -> Outcome {
    let reads: Vec<&DiskStepResult> =
        target.result.steps.iter().filter(|step| step.operation == Operation::Read && step.ios > 0).collect();
    let burst = after_burst(run, target, &reads);
    // Reads and writes may have limits of their own, and each tells of its steps.
    let held = [Operation::Read, Operation::Write].map(|operation| held(run, target, operation));
    let limits = burst.into_iter().chain(held.into_iter().flatten());
    let limits: Vec<Limit> = limits.filter(|limit| !is_as_ordered(run, limit)).collect();
    match limits.first() {
        Some(first) => fires(run, target, first, &limits),
        None if reads.len() < 2 && !reads.iter().any(|step| course::is_told(step)) => {
            unknown!("too few read steps on {} to see a plateau", target.name())
        }
        None => Outcome::Passes,
    }
}

/// A rate that fell from a burst to an even one.
fn after_burst(run: &Facts, target: &facts::Target<'_>, reads: &[&DiskStepResult]) -> Option<Limit> {
    reads.iter().enumerate().find_map(|(at, step)| {
        let fell = run.course(target.name(), &target.result.name_of(step))?.fell?;
        let rate = fell.to_bytes_per_s / step.block_bytes as f64;
        let later = &reads[at + 1..];
        // A limit that a later step went beyond was none: someone else was busy. One that no later step shows again, nor
        // this one for long, may have been that, too.
        let beyond = later.iter().any(|later| course::sustained_io_per_s(later) > BURST * rate);
        let same = |later: &&&DiskStepResult| (course::sustained_io_per_s(later) - rate).abs() <= SAME * rate;
        let again: Vec<&DiskStepResult> = later.iter().filter(same).copied().collect();
        let burst = fell.even && fell.from_bytes_per_s >= BURST * fell.to_bytes_per_s;
        let what =
            format!("{} fell from a burst to a flat {rate:.0} I/Os per second", facts::step_name(step));
        (burst && !beyond && (!again.is_empty() || fell.lasted_s >= LASTS_S)).then(|| Limit {
            rate,
            unit: Unit::IoPerS,
            what,
            steps: [*step].into_iter().chain(again).map(|step| (target.result.name_of(step), rate)).collect(),
        })
    })
}

/// A limit that was found, and the measurements that it holds, each at its rate.
struct Limit {
    rate: f64,
    unit: Unit,
    what: String,
    steps: Vec<(MeasurementId, f64)>,
}

/// At the rate that was ordered (`--expect-disk`) a limit is the agreement, not its breach.
fn is_as_ordered(run: &Run, limit: &Limit) -> bool {
    let expected = run.command.expect_disk;
    let ordered = if limit.unit == Unit::IoPerS { expected.io_per_s } else { expected.bytes_per_s };
    ordered.is_some_and(|ordered| limit.rate >= FULL_WIRE * ordered)
}

/// What holds the reads or writes of a target by all its figures: a limit of requests, and one of bytes.
fn held(run: &Facts, target: &facts::Target<'_>, operation: Operation) -> Vec<Limit> {
    let Some(known) = run.characteristics.get(target.name()) else { return Vec::new() };
    let each = target.result.measurements().filter(|(_, step)| step.operation == operation && step.ios > 0);
    let (mut requests, mut bytes) = (Vec::new(), Vec::new());
    for (id, step) in each.filter(|(_, step)| !waits_here(run, target, step)) {
        let of = |limit| known.share_of(&id, &[limit]);
        let served = if is_set(known, target, step) { of(Quantity::ServedAtOnce) } else { 0.0 };
        let [by_requests, by_bytes] = [Quantity::RequestRate, Quantity::ByteRate].map(of);
        // With one size of block both limits are as likely.
        let alike = if step.block_bytes >= LARGE_BYTES { -ALIKE } else { ALIKE };
        if course::is_of_plateau(known, target.result, step) {
            bytes.push(step);
        } else if served + by_requests + by_bytes >= SURE {
            if by_bytes - by_requests > alike { &mut bytes } else { &mut requests }.push(step);
        }
    }
    let limits = [(requests, Unit::IoPerS), (bytes, Unit::BytesPerS)];
    limits.into_iter().filter_map(|(steps, unit)| limit(known, target, &steps, unit)).collect()
}

/// The limit that holds all these steps.
fn limit(
    known: &Characteristic,
    target: &facts::Target<'_>,
    steps: &[&DiskStepResult],
    unit: Unit,
) -> Option<Limit> {
    let deep = |step: &&DiskStepResult| step.operation == Operation::Read && facts::in_flight(step) >= DEEP;
    // Of I/Os that go one after the other only pauses between them tell.
    let paused = with_pauses(known, target, steps);
    let sizes = steps.iter().any(|step| step.block_bytes != steps[0].block_bytes);
    let all_set = steps.iter().all(|step| is_set(known, target, step));
    // A medium has a rate of bytes, too, and one size of block looks the same either way.
    let told = steps.len() > 1 && steps.iter().any(deep) && (all_set || sizes && unit == Unit::IoPerS);
    let rates: Vec<f64> = steps.iter().map(|step| rate_in(unit, step)).collect();
    let rate = median(&rates).filter(|_| told || paused.is_some())?;
    let what = paused.unwrap_or_else(|| match unit {
        Unit::BytesPerS => format!("large reads end at {:.0} MB/s at several depths", rate / 1e6),
        _ if sizes => format!("I/Os of several sizes and depths all end at {rate:.0} requests per second"),
        _ => format!(
            "random reads end at {rate:.0} I/Os per second at several depths, as evenly as by a clock"
        ),
    });
    let steps = steps.iter().map(|step| (target.result.name_of(step), rate_in(unit, step))).collect();
    Some(Limit { rate, unit, what, steps })
}

/// Its completions are as even as by a clock; or it gives what such a one does at another depth, and others' I/Os come in between.
fn is_set(known: &Characteristic, target: &facts::Target<'_>, step: &DiskStepResult) -> bool {
    let even =
        |one: &DiskStepResult| known.course(&target.result.name_of(one)).is_some_and(|course| course.set);
    let disturbed =
        step.foreign_bytes_per_s.is_some_and(|bytes| bytes >= OTHERS * step.throughput_bytes_per_s);
    let same = |other: &&DiskStepResult| {
        facts::is_alike(other, step)
            && facts::in_flight(other) >= DEEP
            && (other.iops - step.iops).abs() <= SAME * step.iops
    };
    even(step) || disturbed && target.result.steps.iter().filter(same).any(even)
}

/// Bytes, or requests of the device: an I/O that is split is held in its parts, and bytes may hold it as well.
fn rate_in(unit: Unit, step: &DiskStepResult) -> f64 {
    if unit == Unit::BytesPerS {
        step.throughput_bytes_per_s
    } else {
        step.iops * facts::residence::requests_for_one(step)
    }
}

/// I/Os with pauses between them take far less time than one after the other: what makes these wait is a rate.
fn with_pauses(
    known: &Characteristic,
    target: &facts::Target<'_>,
    steps: &[&DiskStepResult],
) -> Option<String> {
    steps.iter().find_map(|step| {
        let passed = waits_for_a_rate(known, &target.result.name_of(step))?;
        Some(format!(
            "{} takes {:.1} ms, with pauses between them {:.1} ms: {:.0} I/Os per second are let through",
            facts::step_name(step),
            step.latency_ns.mean / 1e6,
            passed.value? / 1e6,
            step.iops
        ))
    })
}

/// The I/Os of a step wait on this host: above the disks, or in a queue of theirs that the host set. An NFS mount tells
/// neither; other tools' files do not tell, and are believed.
fn waits_here(run: &Facts, target: &facts::Target<'_>, step: &DiskStepResult) -> bool {
    if facts::is_import(run) {
        return false;
    }
    let id = target.result.name_of(step);
    let queues = run.ceilings.iter().filter(|ceiling| {
        ceiling.path == *target.name()
            && ceiling.measurement == id
            && [Mechanism::QueueDepth, Mechanism::IoLimit].contains(&ceiling.mechanism)
    });
    let filled =
        queues.filter(|queue| queue.unit == Unit::IoPerS).any(|queue| step.iops >= FILLED * queue.value);
    let layers = facts::leaf_layers(target, step);
    let own_ns = facts::slowest_leaf_ns(target, step);
    // Beside quick requests of others a disk's mean time is not that of ours; how many are inside is counted all the same.
    let inside: f64 = layers.iter().map(|layer| layer.queue_mean).sum();
    let above = own_ns.is_none_or(|own| own < IN_DEVICE * step.latency_ns.mean)
        && inside < IN_DEVICE * facts::in_flight(step) as f64;
    let whole = step.requests_per_io.is_none_or(|requests| requests <= WHOLE);
    // The requests of a split I/O wait here where the disks answer each as quickly as ever.
    let alike = target.result.steps.iter().filter(|other| other.operation == step.operation);
    let quickest_ns = alike.filter_map(|other| facts::slowest_leaf_ns(target, other)).reduce(f64::min);
    let at_once = own_ns.zip(quickest_ns).is_some_and(|(own, quickest)| own <= AT_ONCE * quickest);
    filled
        || (!layers.is_empty() && above && (whole || at_once))
        || (layers.is_empty() && target.mount.is_some_and(|mount| mount.nfs.is_some()))
}

/// What holds each step, by the first limit that tells of it, and what it would reach without: as many at a time as are in
/// flight, each as fast as one alone. What else limits deeper loads then is not known.
fn explanations(run: &Facts, target: &facts::Target<'_>, limits: &[Limit]) -> Vec<Explanation> {
    let known = run.characteristics.get(target.name());
    let of_step = |(id, step): (MeasurementId, &DiskStepResult)| {
        let of = |limit: &Limit| {
            let rate = limit.steps.iter().find(|(own, _)| *own == id)?.1;
            Some((rate, limit.unit))
        };
        let (rate, unit) = limits.iter().find_map(of)?;
        let held = Explanation::of_path(target.name(), Mechanism::ProvisionedRate).only([id]);
        let alone = known.filter(|_| facts::in_flight(step) == 1);
        let alone = alone.and_then(|known| known.estimate(Quantity::Latency, &storage::kind(step))?.range());
        let held = held.inferred(rate, unit);
        Some(match alone {
            Some([low, high]) => {
                held.left(After::between([1e9 / high, 1e9 / low], Unit::IoPerS, "device-latency"))
            }
            None => held,
        })
    };
    target.result.measurements().filter_map(of_step).collect()
}

fn fires(run: &Facts, target: &facts::Target<'_>, first: &Limit, limits: &[Limit]) -> Outcome {
    let Limit { rate, unit, what, .. } = first;
    let mut finding = finding!(
        Kind::Target.named(target.name()),
        "{what}: a provisioned or QoS limit (throttle), not the medium, sets the rate of {}",
        target.name(),
    )
    .measured(*rate, *rate, *unit)
    .explains(explanations(run, target, limits));
    for limit in limits {
        finding = finding.evidence(limit.what.clone(), "probe");
    }
    finding.advice(crate::advice::limit_of_others().expecting("the plateau moves with the limit")).into()
}
