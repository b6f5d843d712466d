use crate::characteristic::{sharp, storage};
use crate::prelude::*;
use crate::verdict::FULL_WIRE;
use fullwire_model::MeasurementId;
use fullwire_model::characteristic::{Characteristic, Estimate, Experiment, Quantity};
use fullwire_model::disk::{DiskStepResult, Operation, Pattern};

rule! {
    /// # What it checks
    /// Passes unless the characteristic of a target has a limit in requests or bytes that nobody's queue explains: reads of
    /// two sizes end at the same number of requests a second; small reads end at the same rate at several depths, their
    /// completions as even as a clock's; large reads end at fewer bytes a second than any medium in use delivers; single I/Os
    /// with pauses between them take far less time than one after the other. Also fires
    /// when a rate falls to a flat plateau after a burst, a later step shows the plateau again or it lasts for seconds, and
    /// no later step exceeds it; and in a recording, when a device completes as many reads, or as many writes, in each of ten
    /// seconds while requests wait. What was ordered (`--expect-disk`) is no fault.
    ///
    /// # Why it matters
    /// A cloud volume, a `QoS` policy or a token bucket is the ceiling, not the medium.
    ///
    /// # Evidence
    /// IOPS of the steps; the series of intervals.
    ///
    /// # Remedy
    /// Raise the provisioned IOPS or the `QoS` policy of the volume; ask who sets it.
    ///
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
    /// Fewest intervals from which evenness can be judged.
    const FEWEST_INTERVALS: usize = 8;
    /// I/Os of all these steps together from which evenness can be told.
    const ENOUGH: u64 = 100;
    /// The explanations that leave no other reading have this share of the weight at least (own choice).
    const SURE: f64 = 0.9;
    /// I/Os in flight from which on a rate is not that of single I/Os.
    const DEEP: u64 = 8;
    /// Blocks up to which the rate is one of requests (own choice).
    const SMALL_BYTES: u64 = 16 << 10;
    /// Blocks from which on the rate is one of bytes (own choice).
    const LARGE_BYTES: u64 = 256 << 10;
    /// No medium that databases are kept on delivers less in sequence: half of a 7,200 rpm disk's rate on its inner tracks.
    const SLOWEST_MEDIUM_BYTES_PER_S: f64 = 100e6;
    /// A queue of the host explains a rate that is at least this share of what it allows.
    const FILLED: f64 = 0.75;
    /// Share of the time of an I/O that the disks must account for.
    const IN_DEVICE: f64 = 0.7;
    /// More requests for one I/O than this: its time is not that of a request.
    const WHOLE: f64 = 1.5;
    /// A disk that takes no longer than this many times its least for a request has no queue of its own (own choice).
    const AT_ONCE: f64 = 1.5;
    /// Duration of a plateau that no other step confirms.
    const LASTS_S: f64 = 3.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run)
        .iter()
        .filter(|target| !target.is_void() && !target.result.steps.is_empty())
        .map(|target| judge(run, target))
        .collect()
}

fn judge(run: &Facts, target: &facts::Target<'_>) -> Outcome {
    let reads: Vec<&DiskStepResult> =
        target.result.steps.iter().filter(|step| step.operation == Operation::Read && step.ios > 0).collect();
    let stepped = reads.iter().enumerate().find_map(|(at, step)| {
        let rate = plateau_after_burst(step)?;
        let later = &reads[at + 1..];
        // A limit that a later step went beyond was none: someone else was busy. One that no later step shows again, nor
        // this one for long, may have been that, too.
        let beyond = later.iter().any(|later| later.iops > BURST * rate);
        let again = later.iter().any(|later| is_same(later.iops, rate));
        (!beyond && (again || plateau_s(step) >= LASTS_S)).then_some((*step, rate))
    });
    let burst = stepped.map(|(step, rate)| {
        let what =
            format!("{} fell from a burst to a flat {rate:.0} I/Os per second", facts::step_name(step));
        Limit { rate, unit: Unit::IoPerS, what, steps: ids(target, &[step]) }
    });
    // Reads and writes may have limits of their own, and each tells of its steps.
    let limits = [
        burst,
        pauses_help(run, target),
        requests_of_two_sizes(run, target),
        even_requests(run, target, &reads),
        few_bytes(run, target, &reads),
    ];
    let limits: Vec<Limit> =
        limits.into_iter().flatten().filter(|limit| !is_as_ordered(run, limit)).collect();
    match limits.first() {
        Some(first) => fires(run, target, first, &limits),
        None if reads.len() < 2 && reads.iter().all(|step| step.intervals.len() < FEWEST_INTERVALS) => {
            Outcome::Unknown(format!("too few read steps on {} to see a plateau", target.name()))
        }
        None => Outcome::Passes,
    }
}

/// A limit that was found, and the measurements that it holds.
struct Limit {
    rate: f64,
    unit: Unit,
    what: String,
    steps: Vec<MeasurementId>,
}

/// At the rate that was ordered (`--expect-disk`) a limit is the agreement, not its breach.
fn is_as_ordered(run: &Run, limit: &Limit) -> bool {
    let expected = run.command.expect_disk;
    let ordered = if limit.unit == Unit::IoPerS { expected.io_per_s } else { expected.bytes_per_s };
    ordered.is_some_and(|ordered| limit.rate >= FULL_WIRE * ordered)
}

/// I/Os with pauses between them take far less time than one after the other: what makes these wait is a rate.
fn pauses_help(run: &Facts, target: &facts::Target<'_>) -> Option<Limit> {
    let known = run.characteristics.get(target.name())?;
    let mut singles = known.experiments.iter().filter(|one| one.experiment == Experiment::SingleIos);
    let (about, step, alone_ns) = singles.find_map(|one| {
        let passes = one.left == [Quantity::RequestRate];
        let mut named = target.result.measurements();
        let (id, step) = named.find(|(id, _)| *id == one.about && passes)?;
        Some((id, step, one.value?))
    })?;
    let held: Vec<&DiskStepResult> = target
        .result
        .steps
        .iter()
        .filter(|other| other.operation == step.operation && is_held(known, target, other))
        .filter(|other| !waits_here(run, target, other))
        .collect();
    let steps = ids(target, &held);
    if !steps.contains(&about) {
        return None;
    }
    let what = format!(
        "{} takes {:.1} ms, with pauses between them {:.1} ms: {:.0} I/Os per second are let through",
        facts::step_name(step),
        step.latency_ns.mean / 1e6,
        alone_ns / 1e6,
        step.iops
    );
    Some(Limit { rate: step.iops, unit: Unit::IoPerS, what, steps })
}

/// By all figures of the target a limit of requests or bytes holds this step.
fn is_held(known: &Characteristic, target: &facts::Target<'_>, step: &DiskStepResult) -> bool {
    known.share_of(&target.result.name_of(step), &[Quantity::RequestRate, Quantity::ByteRate]) >= SURE
}

/// I/Os of two sizes end at the same number of device requests a second.
fn requests_of_two_sizes(run: &Facts, target: &facts::Target<'_>) -> Option<Limit> {
    let known = run.characteristics.get(target.name())?;
    let rate = known.estimate(Quantity::RequestRate, "read")?.value()?;
    let acts =
        |step: &&DiskStepResult| known.acts_in(&target.result.name_of(step)) == Some(Quantity::RequestRate);
    let held: Vec<&DiskStepResult> = target.result.steps.iter().filter(acts).collect();
    if !held.iter().any(|step| facts::in_flight(step) >= DEEP)
        || held.iter().any(|step| waits_here(run, target, step))
    {
        return None;
    }
    let what = format!("I/Os of several sizes and depths all end at {rate:.0} requests per second");
    Some(Limit { rate, unit: Unit::IoPerS, what, steps: ids(target, &held) })
}

fn ids(target: &facts::Target<'_>, steps: &[&DiskStepResult]) -> Vec<MeasurementId> {
    steps.iter().map(|step| target.result.name_of(step)).collect()
}

/// Small reads end at one rate at depths four times apart, completed as evenly as by a clock.
fn even_requests(run: &Facts, target: &facts::Target<'_>, reads: &[&DiskStepResult]) -> Option<Limit> {
    let small = reads
        .iter()
        .copied()
        .filter(|step| step.block_bytes <= SMALL_BYTES && step.pattern == Pattern::Random);
    let flat = flat(&small.collect::<Vec<_>>())?;
    let even = flat.iter().all(|step| sharp::is_sharp(step) == Some(true));
    let ios: u64 = flat.iter().map(|step| step.ios).sum();
    if !even || ios < ENOUGH || flat.iter().any(|step| waits_here(run, target, step)) {
        return None;
    }
    let rate = flat.iter().map(|step| step.iops).sum::<f64>() / flat.len() as f64;
    let what =
        format!("random reads end at {rate:.0} I/Os per second at several depths, as evenly as by a clock");
    Some(Limit { rate, unit: Unit::IoPerS, what, steps: ids(target, &flat) })
}

/// Large reads end at fewer bytes than any medium in use delivers.
fn few_bytes(run: &Facts, target: &facts::Target<'_>, reads: &[&DiskStepResult]) -> Option<Limit> {
    let large = reads.iter().copied().filter(|step| step.block_bytes >= LARGE_BYTES);
    let flat = flat(&large.collect::<Vec<_>>())?;
    let rate = flat.iter().map(|step| step.throughput_bytes_per_s).fold(0.0, f64::max);
    if rate >= SLOWEST_MEDIUM_BYTES_PER_S || flat.iter().any(|step| waits_here(run, target, step)) {
        return None;
    }
    let what = format!("large reads end at {:.0} MB/s at several depths", rate / 1e6);
    Some(Limit { rate, unit: Unit::BytesPerS, what, steps: ids(target, &flat) })
}

/// The deepest steps of one kind, where they reach the same rate at depths four times apart.
fn flat<'a>(reads: &[&'a DiskStepResult]) -> Option<Vec<&'a DiskStepResult>> {
    let deepest = reads.iter().max_by_key(|step| facts::in_flight(step))?;
    let same = |step: &&&DiskStepResult| {
        step.block_bytes == deepest.block_bytes
            && step.pattern == deepest.pattern
            && is_same(step.iops, deepest.iops)
    };
    let held: Vec<&DiskStepResult> = reads.iter().filter(same).copied().collect();
    let shallowest = held.iter().map(|step| facts::in_flight(step)).min()?;
    let deep = facts::in_flight(deepest);
    (deep >= DEEP && deep >= 4 * shallowest).then_some(held)
}

/// The I/Os of a step wait on this host: above the disks, or in a queue of theirs that the host set. An NFS mount tells
/// neither; other tools' files do not tell, and are believed.
fn waits_here(run: &Facts, target: &facts::Target<'_>, step: &DiskStepResult) -> bool {
    if facts::is_import(run) {
        return false;
    }
    let id = target.result.name_of(step);
    let queues = run.ceilings.iter().filter(|ceiling| {
        ceiling.path == target.name()
            && ceiling.measurement == id
            && [Mechanism::QueueDepth, Mechanism::IoLimit].contains(&ceiling.mechanism)
    });
    let filled =
        queues.filter(|queue| queue.unit == Unit::IoPerS).any(|queue| step.iops >= FILLED * queue.value);
    let layers = facts::leaf_layers(target, step);
    let own_ns = slowest_ns(target, step);
    let above = own_ns.is_none_or(|own| own < IN_DEVICE * step.latency_ns.mean);
    let whole = step.requests_per_io.is_none_or(|requests| requests <= WHOLE);
    // The requests of a split I/O wait here where the disks answer each as quickly as ever.
    let alike = target.result.steps.iter().filter(|other| other.operation == step.operation);
    let quickest_ns = alike.filter_map(|other| slowest_ns(target, other)).reduce(f64::min);
    let at_once = own_ns.zip(quickest_ns).is_some_and(|(own, quickest)| own <= AT_ONCE * quickest);
    filled
        || (!layers.is_empty() && above && (whole || at_once))
        || (layers.is_empty() && target.mount.is_some_and(|mount| mount.nfs.is_some()))
}

/// The time of a request in the slowest disk below a step.
fn slowest_ns(target: &facts::Target<'_>, step: &DiskStepResult) -> Option<f64> {
    let busy = facts::leaf_layers(target, step).into_iter().filter(|layer| layer.iops > 0.0);
    busy.map(|layer| layer.await_ns).reduce(f64::max)
}

fn is_same(rate: f64, other: f64) -> bool {
    (rate - other).abs() <= SAME * other
}

/// The time over which the second half of a step's intervals reach.
fn plateau_s(step: &DiskStepResult) -> f64 {
    let ends = |at: usize| step.intervals.get(at).map_or(0.0, |interval| interval.t_s);
    ends(step.intervals.len().saturating_sub(1)) - ends(step.intervals.len() / 2)
}

fn plateau_after_burst(step: &DiskStepResult) -> Option<f64> {
    let rates: Vec<f64> = step.intervals.iter().map(|interval| interval.iops).collect();
    if rates.len() < FEWEST_INTERVALS {
        return None;
    }
    let (burst, rest) = (&rates[..2], &rates[rates.len() / 2..]);
    let mean = rest.iter().sum::<f64>() / rest.len() as f64;
    let flat = rest.iter().all(|rate| is_same(*rate, mean));
    let high = burst.iter().all(|rate| *rate >= BURST * mean);
    (mean > 0.0 && flat && high).then_some(mean)
}

/// What holds a step, and what it would reach without: as many at a time as are in flight, each as fast as one alone. What
/// else limits deeper loads then is not known.
fn explanation(
    run: &Facts,
    target: &facts::Target<'_>,
    id: MeasurementId,
    rate: f64,
    unit: Unit,
) -> Explanation {
    let step = target.result.measurements().find(|(own, _)| *own == id).map(|(_, step)| step);
    let held =
        Explanation::of_path(target.name(), Mechanism::ProvisionedRate).only([id]).inferred(rate, unit);
    let alone_ns = step.filter(|step| facts::in_flight(step) == 1).and_then(|step| {
        let known = run.characteristics.get(target.name())?;
        match known.estimate(Quantity::Latency, &storage::kind(step))? {
            Estimate::Determined { low, high } => Some((low * high).sqrt()),
            _ => None,
        }
    });
    match alone_ns {
        Some(ns) => held.without(1e9 / ns, Unit::IoPerS, "device-latency"),
        None => held,
    }
}

/// What holds each step, by the first limit that tells of it.
fn explanations(run: &Facts, target: &facts::Target<'_>, limits: &[Limit]) -> Vec<Explanation> {
    let mut told: Vec<&MeasurementId> = Vec::new();
    let mut all = Vec::new();
    for (limit, id) in limits.iter().flat_map(|limit| limit.steps.iter().map(move |id| (limit, id))) {
        if !told.contains(&id) {
            told.push(id);
            all.push(explanation(run, target, id.clone(), limit.rate, limit.unit));
        }
    }
    all
}

fn fires(run: &Facts, target: &facts::Target<'_>, first: &Limit, limits: &[Limit]) -> Outcome {
    let Limit { rate, unit, what, .. } = first;
    let mut finding = RULE
        .finding(
            Kind::Target.named(target.name()),
            format!(
                "{what}: a provisioned or QoS limit (throttle), not the medium, sets the rate of {}",
                target.name()
            ),
        )
        .measured(*rate, *rate, *unit)
        .explains(explanations(run, target, limits));
    for limit in limits {
        finding = finding.evidence(limit.what.clone(), "probe");
    }
    finding.advice(crate::advice::limit_of_others().expecting("the plateau moves with the limit")).into()
}
