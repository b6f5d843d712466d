//! Limits of a plan: what makes no sense is said before anything is touched.

pub(crate) mod profile;
pub(crate) mod quick;

use crate::disk::DiskError;
use crate::disk::load::run::MOST_THREADS;
use crate::disk::target::Kind;
use fullwire_model::disk::{DiskPlan, DiskStep, DiskStepResult, Operation, Pattern, Sync};

/// Steps of one plan, repeats counted apart.
const MOST_STEPS: usize = 500;
/// Repeats of a step.
const MOST_REPEATS: u32 = 100;
/// I/Os in flight of one thread.
const DEEPEST: u32 = 4096;
/// Memory for the I/Os in flight of one step, bytes.
const MOST_MEMORY: u64 = 2 << 30;
/// Of one I/O, bytes.
const LARGEST_BLOCK: u64 = 64 << 20;

/// Checks what can be checked without the target.
pub(crate) fn check(plan: &DiskPlan) -> Result<(), DiskError> {
    let bad = |text: String| Err(DiskError::Plan(text));
    if plan.target.is_none() {
        return bad("no target is given".into());
    }
    if plan.steps.len() > MOST_STEPS {
        return bad(format!("{} steps; at most {MOST_STEPS}", plan.steps.len()));
    }
    plan.steps.iter().enumerate().try_for_each(|(number, step)| {
        check_step(step).map_err(|problem| DiskError::Plan(format!("step {}: {problem}", number + 1)))
    })
}

fn check_step(step: &DiskStep) -> Result<(), String> {
    let within = |what: &str, value: u64, least: u64, most: u64| {
        let fits = (least..=most).contains(&value);
        if fits { Ok(()) } else { Err(format!("{what} of {value}: it must be between {least} and {most}")) }
    };
    within("a block", step.block_bytes, 1, LARGEST_BLOCK)?;
    within("a depth", u64::from(step.queue_depth), 1, u64::from(DEEPEST))?;
    within("threads", u64::from(step.threads), 1, u64::from(MOST_THREADS))?;
    within("repeats", u64::from(step.repeats.max(1)), 1, u64::from(MOST_REPEATS))?;
    let memory =
        step.block_bytes.saturating_mul(u64::from(step.queue_depth)).saturating_mul(u64::from(step.threads));
    within("memory for the I/Os in flight", memory, 1, MOST_MEMORY)?;
    if step.duration_ns == 0 && step.duration_bytes == 0 {
        return Err("no duration and no number of bytes is given".into());
    }
    if !(0.0..=1.0).contains(&step.read_share) || !(0.0..=1e9).contains(&step.rate_per_s) {
        return Err(
            "the share of reads must be between 0 and 1, the rate between 0 and 10^9 per second".into()
        );
    }
    if step.operation == Operation::Copy && (step.queue_depth > 1 || step.pattern == Pattern::Random) {
        return Err(
            "a copy reads and writes one block after the other: leave out --depth and --pattern random"
                .into(),
        );
    }
    if step.flush_every > 1 && !matches!(step.sync, Sync::Fdatasync | Sync::Fsync) {
        return Err("a flush every N writes needs fdatasync or fsync".into());
    }
    if step.operation == Operation::Read && step.sync != Sync::None {
        return Err("sync applies to writes only; leave it out for reads".into());
    }
    Ok(())
}

/// Checks a step against its target.
pub(crate) fn check_against(
    step: &DiskStep,
    kind: Kind,
    writable: bool,
    size_bytes: u64,
    direct_unit: Option<u64>,
) -> Result<(), String> {
    if step.operation != Operation::Read && !writable {
        let what = kind.word();
        return Err(format!(
            "an existing {what} is only read; give a directory to measure writes to a private file"
        ));
    }
    if step.block_bytes > size_bytes {
        return Err(format!("a block of {} bytes does not fit into {size_bytes} bytes", step.block_bytes));
    }
    match direct_unit.filter(|unit| step.direct && *unit > 0) {
        Some(unit) if !step.block_bytes.is_multiple_of(unit) => {
            Err(format!("direct I/O needs multiples of {unit} bytes here; {} is not one", step.block_bytes))
        }
        _ => Ok(()),
    }
}

/// A step in a few words, as its result would be labelled.
pub(crate) fn label(step: &DiskStep) -> String {
    let result = DiskStepResult {
        profile: step.profile.clone(),
        operation: step.operation,
        pattern: step.pattern,
        block_bytes: step.block_bytes,
        queue_depth: step.queue_depth,
        threads: step.threads,
        sync: step.sync,
        direct: step.direct,
        working_set_bytes: step.working_set_bytes,
        ..DiskStepResult::default()
    };
    result.label()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step() -> DiskStep {
        DiskStep { block_bytes: 8192, queue_depth: 1, threads: 1, duration_ns: 1, ..DiskStep::default() }
    }

    fn problem(step: DiskStep) -> String {
        let plan = DiskPlan { target: "/data".into(), steps: vec![step], ..DiskPlan::default() };
        check(&plan).expect_err("makes no sense").to_string()
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        assert!(problem(DiskStep { block_bytes: 0, ..step() }).contains("a block of 0"));
        assert!(problem(DiskStep { duration_ns: 0, ..step() }).contains("no duration"));
        assert!(problem(DiskStep { queue_depth: 100_000, ..step() }).contains("a depth of 100000"));
        assert!(problem(DiskStep { sync: Sync::Fsync, ..step() }).contains("sync applies to writes only"));
        let memory = problem(DiskStep { block_bytes: 4 << 20, queue_depth: 1024, threads: 8, ..step() });
        assert!(memory.contains("memory"), "{memory}");
        assert!(problem(DiskStep { read_share: f64::NAN, ..step() }).contains("share"));
    }

    #[test]
    fn an_existing_file_is_never_written() {
        let write = DiskStep { operation: Operation::Write, ..step() };
        assert!(check_against(&write, Kind::File, false, 1 << 20, None).is_err());
        assert!(check_against(&step(), Kind::File, false, 1 << 20, None).is_ok());
        assert!(check_against(&step(), Kind::File, false, 4096, None).is_err());
        let odd = DiskStep { block_bytes: 2300, direct: true, ..step() };
        assert!(check_against(&odd, Kind::Directory, true, 1 << 20, Some(512)).is_err());
    }
}
