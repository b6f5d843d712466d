//! Makes a result of what the threads measured and what the counters around it say.

use crate::disk::load::run::LoadOutcome;
use crate::disk::result::layers::{self, Span};
use crate::disk::result::steady;
use crate::disk::target::subject::Subject;
use crate::disk::target::{DiskTarget, Kind};
use fullwire_model::counters::Counters;
use fullwire_model::disk::{DiskStep, DiskStepResult, Engine, Operation};
use fullwire_model::host::Host;
use fullwire_model::latency::LatencyRecorder;

/// The repeats of a step, joined as they come: histograms are added, rates are over the sum of the times. Histograms that are
/// kept for each repeat of a plan would take tens of megabytes, more than a small control group has.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    bytes_per_s: Vec<f64>,
    p50_ns: Vec<u64>,
    whole: Option<LoadOutcome>,
}

impl Repeats {
    /// Adds what one more repeat measured.
    pub(crate) fn add(&mut self, outcome: LoadOutcome) {
        self.bytes_per_s.push(rate(outcome.tally.bytes, outcome.duration_s));
        self.p50_ns.push(outcome.latency.percentile(50.0));
        match &mut self.whole {
            None => self.whole = Some(outcome),
            Some(whole) => whole.append(outcome),
        }
    }
}

/// One result of all repeats.
pub(crate) fn joined(step: &DiskStep, repeats: Repeats, subject: &Subject) -> DiskStepResult {
    let mut joined = described(step, subject);
    joined.noise = steady::noise(&repeats.bytes_per_s);
    joined.repeats_bytes_per_s = repeats.bytes_per_s;
    joined.repeats_p50_ns = repeats.p50_ns;
    let Some(LoadOutcome { tally, latency, duration_s: passed_s, thread_peak, intervals }) = repeats.whole
    else {
        return joined;
    };
    joined.thread_peak = Some(thread_peak);
    joined.intervals = intervals;
    let per_io = |ns: u64| if tally.ios == 0 { 0.0 } else { ns as f64 / tally.ios as f64 };
    joined.ios = tally.ios;
    joined.bytes = tally.bytes;
    joined.duration_s = passed_s;
    joined.iops = rate(tally.ios, passed_s);
    joined.throughput_bytes_per_s = rate(tally.bytes, passed_s);
    joined.latency_ns = latency.finish();
    joined.submission_ns = tally.submission.as_ref().map(LatencyRecorder::finish);
    joined.flush_ns = tally.flush.as_ref().map(LatencyRecorder::finish);
    joined.cpu_user_ns_per_io = per_io(tally.cpu.user_ns);
    joined.cpu_sys_ns_per_io = per_io(tally.cpu.system_ns);
    let waited = tally.waited_ns.filter(|_| tally.threads_ns > 0);
    joined.thread_wait = waited.map(|ns| (ns as f64 / tally.threads_ns as f64).min(1.0));
    joined.skipped_arrivals = (step.rate_per_s > 0.0).then_some(tally.skipped);
    joined.huge_pages = tally.huge_pages;
    joined.steady = steady::of_intervals(&joined.intervals);
    joined
}

fn described(step: &DiskStep, subject: &Subject) -> DiskStepResult {
    let plain = step.engine == Engine::Plain || subject.engine_problem.is_some();
    DiskStepResult {
        profile: step.profile.clone(),
        operation: step.operation,
        read_share: match step.operation {
            Operation::Mixed => Some(step.read_share),
            Operation::Copy => Some(0.5),
            Operation::Read | Operation::Write => None,
        },
        pattern: step.pattern,
        block_bytes: step.block_bytes,
        queue_depth: step.queue_depth,
        threads: step.threads,
        engine: if plain { Engine::Plain } else { Engine::IoUring },
        direct: step.direct && subject.direct,
        sync: step.sync,
        rate_per_s: step.rate_per_s,
        working_set_bytes: step.working_set_bytes,
        ..DiskStepResult::default()
    }
}

fn rate(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}

/// The mount point, when it is NFS: its counters stand for the device's.
pub(crate) fn nfs_mount(target: &DiskTarget) -> Option<&str> {
    target.mount.fs_type.starts_with("nfs").then(|| target.mount.target.to_str())?
}

/// Sets next to the program's figures what every layer counted.
pub(crate) fn add_layers(
    step: &mut DiskStepResult,
    target: &DiskTarget,
    host: Option<&Host>,
    others: layers::Others,
    windows: &[(Counters, Counters)],
) {
    let spans: Vec<Span<'_>> = windows.iter().map(|(from, to)| Span { from, to }).collect();
    let place = match target.kind {
        Kind::Device => target.name.clone(),
        _ => target.mount.target.display().to_string(),
    };
    let mut program = layers::program_stats(&place, step);
    if target.kind == Kind::Device {
        program.kind = "program".into();
    }
    step.layers.push(program);
    let nfs = nfs_mount(target);
    step.layers.extend(nfs.and_then(|mount| layers::nfs_stats(mount, &spans)));
    let Some(host) = host else { return };
    step.layers.extend(layers::device_layers(host, &target.device, &spans));
    if !step.concurrent {
        let under = layers::Under { host, device: &target.device, nfs_mount: nfs, others };
        let seen = under.conservation(&spans, step.operation, step.ios, step.bytes);
        step.requests_per_io = seen.requests_per_io;
        step.device_bytes_over_program_bytes = seen.bytes_ratio;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::load::tally::Tally;
    use crate::disk::load::thread::Shared;
    use fullwire_model::disk::DiskInterval;
    use std::sync::Arc;

    /// Three repeats of a second, of 10, 20 and 30 I/Os: one histogram of all, and slices that go on where the last ones ended.
    #[test]
    fn repeats_are_joined_as_they_come() {
        let mut repeats = Repeats::default();
        for number in 1..=3_u32 {
            let mut tally = Tally::new(0, 1_000_000_000, false, Arc::new(Shared::new(1, 1_000_000_000, 0)));
            let mut latency = LatencyRecorder::new();
            (tally.ios, tally.bytes) = (u64::from(10 * number), u64::from(10 * number) * 8192);
            latency.record_all(&vec![u64::from(number) * 1_000_000; 10 * number as usize]);
            tally.submitted(1_000);
            let intervals = vec![DiskInterval { t_s: 1.0, ..DiskInterval::default() }];
            repeats.add(LoadOutcome {
                tally,
                latency,
                duration_s: 1.0,
                thread_peak: f64::from(number) / 10.0,
                intervals,
            });
        }
        let whole = repeats.whole.expect("three repeats");
        assert_eq!((whole.tally.ios, whole.latency.count(), whole.duration_s), (60, 60, 3.0));
        assert_eq!(whole.tally.submission.expect("submissions").count(), 3);
        assert_eq!(whole.intervals.iter().map(|one| one.t_s).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
        assert_eq!((whole.thread_peak, repeats.bytes_per_s.len()), (0.3, 3));
        assert!(repeats.p50_ns.is_sorted() && repeats.p50_ns[2] > 2_990_000);
    }
}
