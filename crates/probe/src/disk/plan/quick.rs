//! The plan of `assess --quick`: the steps that show the usual faults, in about eight seconds.

use fullwire_model::disk::{DiskPlan, DiskStep, Engine, Operation, Pattern, Sync};

const MS: u64 = 1_000_000;
/// Small enough to be written in a second or two on a slow disk, large enough that a controller's cache of a few MiB
/// does not hold it.
const SIZE_BYTES: u64 = 256 << 20;

/// Random 8 KiB reads and sequential 1 MiB reads, each alone, 8 and 32 at a time, random 8 KiB writes, and 8 KiB commits
/// (write and fdatasync): latency, parallelism, bandwidth, request size, write cache and flush each show in a pair of
/// them. Three depths tell whether the rate has stopped growing: only then is it the path's.
pub fn plan_quick(target: &str) -> DiskPlan {
    let random_read = |queue_depth| DiskStep { pattern: Pattern::Random, queue_depth, ..base(8 << 10) };
    let sequential_read = |queue_depth| DiskStep { queue_depth, ..base(1 << 20) };
    let write = DiskStep { operation: Operation::Write, ..base(8 << 10) };
    let steps = vec![
        random_read(1),
        random_read(8),
        random_read(32),
        sequential_read(1),
        sequential_read(8),
        sequential_read(32),
        DiskStep { pattern: Pattern::Random, ..write.clone() },
        DiskStep { sync: Sync::Fdatasync, ..write },
    ];
    DiskPlan {
        target: target.into(),
        steps,
        size_bytes: SIZE_BYTES,
        layout_limit_ns: 1500 * MS,
        idle_ns: 300 * MS,
        ..DiskPlan::default()
    }
}

fn base(block_bytes: u64) -> DiskStep {
    DiskStep {
        profile: "quick".into(),
        block_bytes,
        queue_depth: 1,
        threads: 1,
        engine: Engine::Auto,
        direct: true,
        // Three short passes tell the scatter that one of three times the length does not.
        duration_ns: 250 * MS,
        interval_ns: 50 * MS,
        repeats: 3,
        ..DiskStep::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_read_is_measured_at_three_depths() {
        let plan = plan_quick("/data");
        for pattern in [Pattern::Random, Pattern::Sequential] {
            let reads = plan.steps.iter().filter(|step| step.operation == Operation::Read);
            let depths: Vec<u32> =
                reads.filter(|step| step.pattern == pattern).map(|step| step.queue_depth).collect();
            assert_eq!(depths, [1, 8, 32]);
        }
    }

    #[test]
    fn a_quick_probe_takes_about_eight_seconds_at_most() {
        let plan = plan_quick("/data");
        let steps: u64 = plan.steps.iter().map(|step| step.duration_ns * u64::from(step.repeats)).sum();
        assert!(steps + plan.layout_limit_ns + plan.idle_ns <= 8_000 * MS);
    }
}
