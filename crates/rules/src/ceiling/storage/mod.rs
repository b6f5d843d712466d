//! What a storage path can carry: its links, its queues, its limits.
//!
//! A link bounds the best sequential step of each direction; queues, flushes and limits bound the steps that
//! show them. What a setting sets is removable; what a guest sees of its hardware is soft.

pub mod link;
pub mod queue;

pub(super) mod array;
pub(super) mod depth;
pub(super) mod limit;
mod wire;

use super::made::Made;
use crate::facts::{self, Target};
use fullwire_model::Run;
use fullwire_model::array::DiskArray;
use fullwire_model::assessment::{Ceiling, Layer};
use fullwire_model::disk::{DiskStepResult, Operation, Pattern};
use fullwire_model::quantity::Unit;

/// Ceilings of every storage path. A target whose numbers say nothing has none.
pub(super) fn ceilings(run: &Run) -> Vec<Ceiling> {
    let targets = facts::targets(run);
    targets.iter().filter(|target| !target.says_nothing()).flat_map(|target| of_target(run, target)).collect()
}

fn of_target(run: &Run, target: &Target<'_>) -> Vec<Ceiling> {
    let mut all = Vec::new();
    for operation in [Operation::Read, Operation::Write] {
        if let Some(step) = best_sequential(target, operation) {
            all.extend(wire::ceilings(run, target, step));
        }
    }
    for step in &target.result.steps {
        all.extend(limit::ceilings(run, target, step));
        all.extend(depth::ceilings(run, target, step));
        all.extend(array::ceilings(run, target, step));
    }
    all.extend(declared(run, target));
    all
}

/// What the user says that the volume may do, for the step of each direction that shows it best: the bytes for large
/// sequential I/Os, the I/Os for those that did most.
fn declared(run: &Run, target: &Target<'_>) -> Vec<Ceiling> {
    let expected = run.command.expect_disk;
    let subject = || format!("--expect-disk for {}", target.name());
    let made = |step: &DiskStepResult, value: f64, unit: Unit| {
        let name = if unit == Unit::IoPerS { "declared_io_per_s" } else { "declared_bytes_per_s" };
        let made = Made::storage("declared-disk", subject(), value, unit)
            .formula("as declared")
            .input(name, value, "--expect-disk");
        // With one in flight the latency of each sets the rate: a figure below the limit is no shortfall then.
        let made = if facts::in_flight(step) == 1 { made.bound_only() } else { made };
        made.of(target, step)
    };
    let mut all = Vec::new();
    for operation in [Operation::Read, Operation::Write, Operation::Mixed, Operation::Copy] {
        let bytes = expected.bytes_per_s.zip(best_sequential(target, operation));
        all.extend(bytes.map(|(value, step)| made(step, value, Unit::BytesPerS)));
        let ios = expected.io_per_s.zip(best_random(target, operation));
        all.extend(ios.map(|(value, step)| made(step, value, Unit::IoPerS)));
        let on_array = expected.array.zip(best_random(target, operation));
        all.extend(on_array.and_then(|(array, step)| of_array(&array, target, step)));
    }
    all
}

/// What the disks of an array can do of a step, as it was described: its write cache may do better for a while.
fn of_array(array: &DiskArray, target: &Target<'_>, step: &DiskStepResult) -> Option<Ceiling> {
    let read_share = match step.operation {
        Operation::Read => 1.0,
        Operation::Write => 0.0,
        Operation::Mixed | Operation::Copy => step.read_share?,
    };
    let in_flight = facts::in_flight(step);
    let value = queue::array_io_per_s(array, read_share, Some(in_flight))?;
    let (disks, level) = (array.disks?, array.level.name());
    let subject = format!("{disks} disks, {level} (--expect-disk)");
    let made = Made::storage("declared-disk", subject, value, Unit::IoPerS)
        .formula("disks × I/Os of one ÷ (reads + writes × penalty) × in flight ÷ (in flight + disks - 1)")
        .input("disks", disks as f64, "--expect-disk")
        .input("disk_io_per_s", queue::disk_io_per_s(array.disk)?, "--expect-disk")
        .input("read_share", read_share, "probe")
        .input(
            "write_penalty",
            queue::write_penalty(level)?,
            format!("disk operations for one write, {level}"),
        )
        .input("in_flight", in_flight as f64, "probe");
    Some(made.of(target, step))
}

/// The step that shows how many I/Os the path can do in one direction.
fn best_random<'a>(target: &Target<'a>, operation: Operation) -> Option<&'a DiskStepResult> {
    let wanted = |step: &&DiskStepResult| {
        step.operation == operation
            && step.pattern == Pattern::Random
            && step.block_bytes <= LARGE_BLOCK_BYTES
            && step.rate_per_s == 0.0
            && !facts::is_synced(step)
    };
    target.result.steps.iter().filter(wanted).max_by(|one, other| one.iops.total_cmp(&other.iops))
}

/// The links that carry a step of a target.
pub(crate) fn links_below(run: &Run, target: &Target<'_>, step: &DiskStepResult) -> Vec<Ceiling> {
    wire::ceilings(run, target, step)
}

thresholds! {
    /// Smaller blocks are bound by requests, not by the link.
    const LARGE_BLOCK_BYTES: u64 = 64 << 10;
}

/// The step that shows what the path can carry in one direction.
fn best_sequential<'a>(target: &Target<'a>, operation: Operation) -> Option<&'a DiskStepResult> {
    let wanted = |step: &&DiskStepResult| {
        step.operation == operation
            && step.pattern == Pattern::Sequential
            && step.block_bytes >= LARGE_BLOCK_BYTES
            && step.rate_per_s == 0.0
            && !facts::is_synced(step)
    };
    let steps = target.result.steps.iter().filter(wanted);
    steps.max_by(|one, other| one.throughput_bytes_per_s.total_cmp(&other.throughput_bytes_per_s))
}

impl Made {
    fn storage(kind: &str, subject: impl Into<String>, value: f64, unit: Unit) -> Self {
        Self::new(Layer::Storage, kind, subject, value, unit)
    }

    fn of(self, target: &Target<'_>, step: &DiskStepResult) -> Ceiling {
        self.ceiling(target.name(), &target.result.name_of(step))
    }
}
