//! # What it checks
//! Passes unless random reads of different sizes and depths all end at the same rate while latency grows with depth
//! and the device's own queue is not full: the mark of a provisioned limit. Also fires when a rate falls to a flat
//! plateau after a burst, a later step shows the plateau again or it lasts for seconds, and no later step exceeds
//! it.
//!
//! # Why it matters
//! A cloud volume, a `QoS` policy or a token bucket is the ceiling, not the medium.
//!
//! # Evidence
//! IOPS of the steps; the series of intervals.
//!
//! # Remedy
//! Raise the provisioned IOPS or the `QoS` policy of the volume; ask who sets it.
//!
//! # Source
//! AWS EBS I/O characteristics (provisioned IOPS, burst credits); NetApp ONTAP `QoS` policy groups.

use crate::advice::{AdviceExt, because};
use crate::explain;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Mechanism, Severity};
use fullwire_model::disk::{DiskStepResult, Operation, Pattern};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "rate-plateau",
    title: "the device serves a fixed number of I/Os per second, whatever the load",
    layer: Layer::Storage,
    severity: Severity::Warning,
    check,
};

/// Rates that differ by no more are the same.
const SAME: f64 = 0.04;
/// A burst before the plateau.
const BURST: f64 = 1.5;
/// Fewest intervals from which evenness can be judged.
const FEWEST_INTERVALS: usize = 8;
/// Duration of a plateau that no other step confirms.
const LASTS_S: f64 = 3.0;

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run)
        .iter()
        .filter(|target| !target.is_void() && !target.result.steps.is_empty())
        .map(|target| judge(run, target))
        .collect()
}

fn judge(run: &Run, target: &facts::Target<'_>) -> Outcome {
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
    match (stepped, same_rate(&reads)) {
        (Some((step, rate)), _) => fires(
            run,
            target,
            rate,
            format!("{} fell from a burst to a flat {rate:.0} I/Os per second", facts::step_name(step)),
        ),
        (None, Some(rate)) => fires(
            run,
            target,
            rate,
            format!("random reads of several sizes and depths all end at {rate:.0} I/Os per second"),
        ),
        (None, None)
            if reads.len() < 2 && reads.iter().all(|step| step.intervals.len() < FEWEST_INTERVALS) =>
        {
            Outcome::Unknown(format!("too few read steps on {} to see a plateau", target.name()))
        }
        (None, None) => Outcome::Passes,
    }
}

/// At least three random read steps, of two sizes and of depths four times apart, at one rate.
fn same_rate(reads: &[&DiskStepResult]) -> Option<f64> {
    let random: Vec<&&DiskStepResult> =
        reads.iter().filter(|step| step.pattern == Pattern::Random && facts::in_flight(step) >= 4).collect();
    let rates = || random.iter().map(|step| step.iops);
    let (most, least) = (rates().reduce(f64::max)?, rates().reduce(f64::min)?);
    let depths = || random.iter().map(|step| facts::in_flight(step));
    let blocks = || random.iter().map(|step| step.block_bytes);
    let varied = depths().max()? >= 4 * depths().min()? && blocks().max()? > blocks().min()?;
    (random.len() >= 3 && varied && most > 0.0 && (most - least) / most <= SAME).then_some(most)
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

fn fires(run: &Run, target: &facts::Target<'_>, rate: f64, what: String) -> Outcome {
    let finding = RULE
        .finding(
            target.name(),
            format!(
                "{what}: a provisioned or QoS limit (throttle), not the medium, sets the rate of {}",
                target.name()
            ),
        )
        .measured(rate, rate, Unit::IoPerS)
        .evidence(what, "probe")
        .advice(
            because("A limit in the cloud or the array delays every request beyond it.")
                .now("look up the volume's provisioned IOPS (cloud console, array QoS) and compare")
                .persist("raise it, or choose another volume type or instance size")
                .expecting("the plateau moves with the limit"),
        );
    let random = |step: &DiskStepResult| step.pattern == Pattern::Random && step.operation == Operation::Read;
    let explained = explain::steps(target.result, Mechanism::ProvisionedRate, random)
        .map(|one| one.inferred(rate, Unit::IoPerS));
    if facts::is_virtual(&run.host) || run.host.os.cloud.is_some() {
        finding.explains(explained).into()
    } else {
        finding.explains(explained).severity(Severity::Info).into()
    }
}
