//! What a sweep looks for: from where on more of something brings no more. The step that shows it answers, speaks for its
//! path, and its rate is the figure that history and exports have.

use super::words::{bytes, count, measured, time};
use crate::facts::words::size;
use fullwire_model::assessment::{Answer, UserQuestion};
use fullwire_model::disk::{DiskResult, DiskStepResult};
use fullwire_model::net::NetResult;
use fullwire_model::quantity::Unit;
use fullwire_model::{MeasurementId, PathName, Run};

/// Of the highest rate: what reaches this much of it is as good, given how far rates scatter.
const AS_GOOD: f64 = 0.95;

/// The measurement of this path that its sweep looks for.
pub(crate) fn step_of(run: &Run, path: &PathName) -> Option<MeasurementId> {
    let of_net = enough_buffers(&run.net).filter(|result| result.target == *path);
    let of_disk = || {
        let result = run.disk.iter().find(|result| result.target == *path)?;
        let step = knee(result).or_else(|| Blocks::of(result).map(|blocks| blocks.enough))?;
        Some(result.name_of(step))
    };
    of_net.map(|result| run.name_of(result)).or_else(of_disk)
}

/// Of a sweep over socket buffers, the result with the smallest that are as good as any.
fn enough_buffers(results: &[NetResult]) -> Option<&NetResult> {
    let mut asked: Vec<&NetResult> = results.iter().filter(|one| one.plan.sockbuf_bytes > 0).collect();
    asked.sort_by_key(|one| one.plan.sockbuf_bytes);
    asked.dedup_by_key(|one| one.plan.sockbuf_bytes);
    let highest = asked.iter().map(|one| one.throughput_bytes_per_s).fold(0.0, f64::max);
    let is_enough = |one: &&NetResult| highest > 0.0 && one.throughput_bytes_per_s >= AS_GOOD * highest;
    asked.iter().copied().find(is_enough).filter(|_| asked.len() > 1)
}

/// Where larger socket buffers stop to bring anything.
pub(super) fn buffers(results: &[NetResult]) -> Option<Answer> {
    let enough = enough_buffers(results)?;
    let buffers = enough.plan.sockbuf_bytes;
    let largest = results.iter().map(|one| one.plan.sockbuf_bytes).max()?;
    let rate = enough.throughput_bytes_per_s;
    let (large, reached) = (size(buffers), bytes(rate));
    let text = if buffers == largest {
        format!("Throughput still grows at the largest buffers, {large}: {reached}.")
    } else {
        format!(
            "Throughput stops growing at socket buffers of {large}: {reached}; larger buffers do not help."
        )
    };
    Some(measured(UserQuestion::Growth, &enough.target, rate, Unit::BytesPerS, text))
}

/// What a sweep of storage over the size of a block, and over the I/Os in flight, finds.
pub(super) fn storage(result: &DiskResult) -> impl Iterator<Item = Answer> {
    let blocks = Blocks::of(result).map(|blocks| blocks.answer(&result.target));
    blocks.into_iter().chain(depth(result))
}

/// The steps of a sweep over the size of a block, of those with as few in flight as it had.
struct Blocks<'a> {
    smallest: &'a DiskStepResult,
    enough: &'a DiskStepResult,
    largest: &'a DiskStepResult,
}

impl<'a> Blocks<'a> {
    fn of(result: &'a DiskResult) -> Option<Self> {
        let swept = result.sweep.as_ref().is_some_and(|sweep| sweep.over.iter().any(|over| over == "block"));
        let fewest = result.steps.iter().map(in_flight).min().filter(|_| swept)?;
        let mut steps: Vec<&DiskStepResult> =
            result.steps.iter().filter(|step| in_flight(step) == fewest && step.ios > 0).collect();
        steps.sort_by_key(|step| step.block_bytes);
        let (smallest, largest) = (*steps.first()?, *steps.last()?);
        let most = steps.iter().map(|step| step.throughput_bytes_per_s).fold(0.0, f64::max);
        let enough = *steps.iter().find(|step| step.throughput_bytes_per_s >= AS_GOOD * most)?;
        (steps.len() > 1).then_some(Self { smallest, enough, largest })
    }

    fn answer(&self, target: &PathName) -> Answer {
        let rate = |step: &DiskStepResult| (size(step.block_bytes), bytes(step.throughput_bytes_per_s));
        let [(small, slow), (enough, reached), (large, fast)] =
            [self.smallest, self.enough, self.largest].map(rate);
        let end = if self.enough.block_bytes == self.largest.block_bytes {
            "the rate grows up to the largest".to_owned()
        } else {
            format!("larger ones than {enough} ({reached}) bring no more")
        };
        let text = format!("{target}: blocks of {small} reach {slow}, blocks of {large} {fast}; {end}.");
        let rate = self.enough.throughput_bytes_per_s;
        measured(UserQuestion::Growth, target, rate, Unit::BytesPerS, text)
    }
}

fn in_flight(step: &DiskStepResult) -> u64 {
    u64::from(step.queue_depth) * u64::from(step.threads)
}

/// The step at which a sweep over the I/Os in flight has its knee.
fn knee(result: &DiskResult) -> Option<&DiskStepResult> {
    let depth = u64::from(result.sweep.as_ref()?.knee_depth?);
    let block = result.steps.first()?.block_bytes;
    result.steps.iter().find(|step| in_flight(step) == depth && step.block_bytes == block)
}

/// Where more I/Os in flight stop to bring anything.
fn depth(result: &DiskResult) -> Option<Answer> {
    let (sweep, step) = (result.sweep.as_ref()?, knee(result)?);
    let (target, depth) = (&result.target, in_flight(step));
    let each = time(step.latency_ns.mean);
    let reached = format!("{} a second at {each} each", count(step.iops));
    let text = if sweep.still_growing {
        format!(
            "{target}: throughput still grows at {depth} I/Os in flight, the most that were tried: {reached}."
        )
    } else {
        let plural = if depth == 1 { "" } else { "s" };
        format!(
            "{target}: throughput stops growing at {depth} I/O{plural} in flight: {reached}; more only adds latency."
        )
    };
    Some(measured(UserQuestion::Growth, target, step.iops, Unit::IoPerS, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::disk::{Operation, Pattern, Sweep};
    use fullwire_model::latency::Latency;
    use fullwire_model::net::NetPlan;

    fn with_buffers(kib: u64, mb_per_s: f64) -> NetResult {
        let plan = NetPlan { sockbuf_bytes: kib << 10, ..NetPlan::default() };
        NetResult { throughput_bytes_per_s: mb_per_s * 1e6, plan, ..NetResult::default() }
    }

    #[test]
    fn a_sweep_stops_where_the_rest_brings_less_than_the_scatter() {
        let swept = |rates: &[f64]| {
            let results: Vec<NetResult> =
                rates.iter().enumerate().map(|(step, rate)| with_buffers(64 << (2 * step), *rate)).collect();
            buffers(&results).map(|answer| answer.text)
        };
        let stops = swept(&[10.0, 40.0, 97.0, 100.0]).unwrap();
        assert_eq!(
            stops,
            "Throughput stops growing at socket buffers of 1 MiB: 97.0 MB/s; larger buffers do not help."
        );
        assert!(swept(&[10.0, 40.0, 80.0]).unwrap().starts_with("Throughput still grows at the largest"));
        assert_eq!(swept(&[10.0]), None, "one size is no sweep");
        assert_eq!(swept(&[0.0, 0.0]), None);
    }

    #[test]
    fn the_step_that_answers_a_sweep_speaks_for_the_path() {
        let target = PathName::from("10.0.0.2:5555");
        let step =
            |kib, mb_per_s| NetResult { target: target.clone(), streams: 1, ..with_buffers(kib, mb_per_s) };
        let run = Run { net: vec![step(16, 12.0), step(64, 26.5), step(256, 24.2)], ..Run::default() };
        let path = &crate::assess(&run).paths[0];
        assert_eq!(path.measured, Some(26.5e6), "{:?}", path.measurements);
    }

    fn random_read(depth: u32, iops: f64) -> DiskStepResult {
        DiskStepResult {
            operation: Operation::Read,
            pattern: Pattern::Random,
            block_bytes: 8192,
            queue_depth: depth,
            threads: 1,
            direct: true,
            ios: 1000,
            iops,
            throughput_bytes_per_s: iops * 8192.0,
            latency_ns: Latency { count: 1000, mean: f64::from(depth) / iops * 1e9, ..Latency::default() },
            ..DiskStepResult::default()
        }
    }

    /// Eight in flight give 97 % of what 16 and 32 do: the answer, the path's figure and the history's are all of that step.
    #[test]
    fn a_sweep_over_the_depth_answers_with_a_rate_and_that_step_speaks() {
        let steps = [(1, 10e3), (8, 38.8e3), (16, 40e3), (32, 39.9e3)];
        let sweep = Sweep { over: vec!["depth".to_owned()], knee_depth: Some(8), ..Sweep::default() };
        let result = DiskResult {
            target: "/u02".into(),
            steps: steps.map(|(depth, iops)| random_read(depth, iops)).to_vec(),
            sweep: Some(sweep),
            ..DiskResult::default()
        };
        let mut run = Run { disk: vec![result], ..Run::default() };
        run.command.name = "disk".to_owned();
        let assessment = crate::assess(&run);
        let answer = assessment.answers.iter().find(|one| one.question == UserQuestion::Growth).unwrap();
        assert_eq!(
            answer.text,
            "/u02: throughput stops growing at 8 I/Os in flight: 38,800 a second at 206 µs each; more only adds latency."
        );
        assert_eq!((answer.figure, answer.unit), (Some(38.8e3), Some(Unit::IoPerS)));
        let path = &assessment.paths[0];
        assert_eq!(path.measured, Some(38.8e3), "{:?}", path.measurements);
    }
}
