//! Sweeps: the same load at many block sizes, depths, thread counts or working sets, and what the curve says.

use crate::disk::result::layers;
use fullwire_model::disk::{DiskStep, DiskStepResult, Pattern, Sweep};

/// The knee is the first depth with this share of the largest rate.
const KNEE: f64 = 0.95;
/// Growth from the last depth but one to the last that says that the sweep ended too early.
const GROWTH: f64 = 1.1;
/// From this many requests for one I/O, blocks are split.
const SPLIT: f64 = 1.5;

/// Requests of two steps that differ by less are of one size (own choice).
const SAME_REQUEST: f64 = 0.1;

const BLOCKS: &[u64] = &[
    2 << 10,
    4 << 10,
    8 << 10,
    16 << 10,
    32 << 10,
    64 << 10,
    128 << 10,
    256 << 10,
    512 << 10,
    1 << 20,
    2 << 20,
    4 << 20,
];
const DEPTHS: &[u32] = &[1, 2, 4, 8, 16, 32, 64, 128, 256];
const THREADS: &[u32] = &[1, 2, 4, 8, 16, 32];
/// Readers of a block sweep, as in the comparison of one reader with six that shows whether one stream is the limit.
const READERS: &[u32] = &[1, 6];
/// From what a controller caches to what nothing does.
const WORKING_SETS: &[u64] = &[64 << 20, 256 << 20, 1 << 30, 4 << 30, 16 << 30, 64 << 30];

/// The steps of a sweep over `what` (`block`, `depth`, `threads`, `working-set`) around a base step; `None`: there is
/// no such sweep.
pub fn steps(what: &str, base: &DiskStep, size_bytes: u64) -> Option<Vec<DiskStep>> {
    let steps = match what {
        "block" => READERS
            .iter()
            .flat_map(|threads| BLOCKS.iter().map(move |block| (*threads, *block)))
            .map(|(threads, block_bytes)| DiskStep {
                threads,
                block_bytes,
                pattern: Pattern::Sequential,
                queue_depth: 1,
                ..base.clone()
            })
            .collect(),
        "depth" => {
            DEPTHS.iter().map(|depth| DiskStep { queue_depth: *depth, threads: 1, ..base.clone() }).collect()
        }
        "threads" => THREADS
            .iter()
            .map(|threads| DiskStep { threads: *threads, queue_depth: 1, ..base.clone() })
            .collect(),
        "working-set" => WORKING_SETS
            .iter()
            .filter(|bytes| **bytes <= size_bytes)
            .map(|bytes| DiskStep { working_set_bytes: *bytes, pattern: Pattern::Random, ..base.clone() })
            .collect(),
        _ => return None,
    };
    Some(steps)
}

/// What a sweep found.
pub fn conclude(over: &[String], steps: &[DiskStepResult]) -> Sweep {
    // A sweep of blocks has few depths, and was not made to find where more of them stop to bring anything.
    let asked = over.iter().any(|one| one == "depth" || one == "threads");
    let curve = if asked { depth_curve(steps) } else { Vec::new() };
    let most = curve.iter().map(|(_, iops)| *iops).fold(0.0, f64::max);
    let knee_depth = curve.iter().find(|(_, iops)| *iops >= KNEE * most).map(|(depth, _)| *depth);
    // What is more than its neighbour and less than a shallower load is scatter, no growth.
    let ended = knee_depth == curve.last().map(|(depth, _)| *depth);
    let still_growing =
        ended && matches!(curve.as_slice(), [.., (_, before), (_, last)] if *last > GROWTH * before);
    Sweep {
        over: over.to_vec(),
        knee_depth: knee_depth.filter(|_| curve.len() > 1),
        still_growing,
        little_error: steps.iter().filter_map(little_error).reduce(f64::max),
        request_plateau_bytes: request_plateau(steps),
    }
}

/// Rate by I/Os in flight, ascending.
fn depth_curve(steps: &[DiskStepResult]) -> Vec<(u32, f64)> {
    let same =
        |step: &&DiskStepResult| steps.first().is_some_and(|first| first.block_bytes == step.block_bytes);
    let mut curve: Vec<(u32, f64)> =
        steps.iter().filter(same).map(|step| (step.queue_depth * step.threads, step.iops)).collect();
    curve.sort_by_key(|(depth, _)| *depth);
    curve.dedup_by_key(|(depth, _)| *depth);
    curve
}

/// Little's law: in a closed loop as many I/Os are in flight as rate times mean latency says. The generator's own time
/// between a completion and the next submission is missing from the latency, so the law holds only where the device's
/// share is large; an open loop and a short step prove nothing.
fn little_error(step: &DiskStepResult) -> Option<f64> {
    let depth = f64::from(step.queue_depth) * f64::from(step.threads);
    let in_flight = step.iops * step.latency_ns.mean / 1e9;
    (step.rate_per_s == 0.0 && step.ios as f64 >= 50.0 * depth).then(|| (depth - in_flight).abs() / depth)
}

/// The mean request at the bottom of the stack, of the largest block that was split. It is a limit where another block is split
/// into the same size and no step had a larger request; else it is a mean, of other programs' requests as well.
fn request_plateau(steps: &[DiskStepResult]) -> Option<u64> {
    let request = |step: &DiskStepResult| Some(step.block_bytes as f64 / step.requests_per_io?);
    let split = steps.iter().filter(|step| step.requests_per_io.is_some_and(|requests| requests >= SPLIT));
    let largest = split.max_by_key(|step| step.block_bytes)?;
    let plateau = request(largest)?;
    let alike = |bytes: f64| (bytes - plateau).abs() <= SAME_REQUEST * plateau;
    let smaller = steps.iter().filter(|step| step.block_bytes < largest.block_bytes);
    let again = smaller.filter_map(request).any(alike);
    let exceeded = steps.iter().filter_map(request).any(|bytes| bytes > plateau && !alike(bytes));
    layers::rounded(plateau).filter(|_| again && !exceeded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::latency::Latency;

    fn at(queue_depth: u32, iops: f64, mean_ns: f64) -> DiskStepResult {
        let latency_ns = Latency { mean: mean_ns, ..Latency::default() };
        DiskStepResult {
            queue_depth,
            threads: 1,
            iops,
            latency_ns,
            ios: 1_000_000,
            block_bytes: 4096,
            ..DiskStepResult::default()
        }
    }

    /// The curve measured in the reference: 4 KiB random reads of a virtual disk.
    #[test]
    fn the_knee_is_where_more_depth_only_adds_latency() {
        let curve = [
            at(1, 14_100.0, 70_900.0),
            at(8, 45_800.0, 174_700.0),
            at(32, 61_000.0, 524_600.0),
            at(128, 63_500.0, 2_015_700.0),
        ];
        let sweep = conclude(&["depth".into()], &curve);
        assert_eq!(sweep.knee_depth, Some(32));
        assert!(!sweep.still_growing);
        assert!(sweep.little_error.expect("closed loop") < 0.01, "{sweep:?}");
    }

    #[test]
    fn a_curve_that_still_grows_is_called_so() {
        let sweep = conclude(&["depth".into()], &[at(1, 100.0, 1e7), at(2, 200.0, 1e7), at(4, 400.0, 1e7)]);
        assert!(sweep.still_growing);
        assert_eq!(sweep.knee_depth, Some(4));
    }

    /// The rates of a host on which other programs compute: the last step is 15 % above its neighbour and below the eighth.
    #[test]
    fn scatter_beyond_the_knee_is_no_growth() {
        let curve =
            [at(1, 9_891.0, 1e5), at(16, 39_305.0, 4e5), at(128, 30_469.0, 4e6), at(256, 34_913.0, 7e6)];
        let sweep = conclude(&["depth".into()], &curve);
        assert_eq!((sweep.knee_depth, sweep.still_growing), (Some(16), false));
    }

    #[test]
    fn wrong_timing_breaks_littles_law() {
        let sweep = conclude(&["depth".into()], &[at(8, 1000.0, 4e6)]);
        assert!((sweep.little_error.expect("closed loop") - 0.5).abs() < 1e-9);
    }

    fn step(block_bytes: u64, requests: f64) -> DiskStepResult {
        DiskStepResult { block_bytes, requests_per_io: Some(requests), ..DiskStepResult::default() }
    }

    /// A 1 MiB read of 1027.4 sectors on average is split in two; the plateau is half of it.
    #[test]
    fn the_plateau_is_the_largest_request_that_gets_through() {
        let sweep =
            conclude(&["block".into()], &[step(256 << 10, 1.0), step(512 << 10, 1.0), step(1 << 20, 2.0)]);
        assert_eq!(sweep.request_plateau_bytes, Some(512 << 10));
        assert_eq!(conclude(&["block".into()], &[step(1 << 20, 1.0)]).request_plateau_bytes, None);
    }

    /// What other programs' small requests make of the mean is no limit: a disk of 4 MiB requests was said to take 52.6 KiB.
    #[test]
    fn a_mean_that_nothing_repeats_is_no_plateau() {
        let disturbed = [step(1 << 20, 1.0), step(2 << 20, 1.1), step(4 << 20, 77.9)];
        assert_eq!(conclude(&["block".into()], &disturbed).request_plateau_bytes, None);
    }

    #[test]
    fn sweeps_have_their_steps() {
        let base = DiskStep { block_bytes: 8192, duration_ns: 1, ..DiskStep::default() };
        assert_eq!(steps("depth", &base, 1 << 30).expect("known").last().expect("some").queue_depth, 256);
        assert_eq!(steps("block", &base, 1 << 30).expect("known").len(), 24);
        assert_eq!(steps("working-set", &base, 1 << 30).expect("known").len(), 3);
        assert!(steps("colour", &base, 1 << 30).is_none());
    }
}
