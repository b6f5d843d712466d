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

/// One result of all repeats: histograms are added, rates are over the sum of the times.
pub(crate) fn joined(step: &DiskStep, outcomes: Vec<LoadOutcome>, subject: &Subject) -> DiskStepResult {
    let mut joined = described(step, subject);
    joined.repeats_bytes_per_s =
        outcomes.iter().map(|outcome| rate(outcome.tally.bytes, outcome.duration_s)).collect();
    joined.repeats_p50_ns = outcomes.iter().map(|outcome| outcome.latency.percentile(50.0)).collect();
    joined.noise = steady::noise(&joined.repeats_bytes_per_s);
    joined.thread_peak = outcomes.iter().map(|outcome| outcome.thread_peak).reduce(f64::max);
    let mut passed_s = 0.0;
    let mut whole = None;
    let mut latency = LatencyRecorder::new();
    for outcome in outcomes {
        joined.intervals.extend(outcome.intervals.into_iter().map(|mut interval| {
            interval.t_s += passed_s;
            interval
        }));
        passed_s += outcome.duration_s;
        latency.merge(&outcome.latency);
        match &mut whole {
            None => whole = Some(outcome.tally),
            Some(whole) => whole.merge(outcome.tally),
        }
    }
    let Some(tally) = whole else { return joined };
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
