//! A storage probe from beginning to end: resolve, look at the idle target, prepare, measure each step between two
//! readings of the counters, clean up.

use super::hooks::{DiskHooks, Progress, Stage};
use super::layers::{self, Span};
use super::layout::{self, Laid};
use super::private::PrivateFile;
use super::run::{self, Live, Load, Outcome};
use super::target::{self, Access, Kind, Target};
use super::within::{ANSWER, within};
use super::{DiskError, calibrate, caveat, plan, space, steady};
use fullwire_model::counters::Counters;
use fullwire_model::disk::{DiskPlan, DiskResult, DiskStep, DiskStepResult, Engine, Operation};
use fullwire_model::{Gap, GapReason};
use rustix::fs::{Advice, OFlags};
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Size of a private file when none is given.
const SIZE_BYTES: u64 = 1 << 30;
/// A running write is stopped when so little is left of the space that was free when it began.
const SPACE_LEFT: u64 = 4;

/// Carries out a plan. Steps that cannot be measured become gaps of the result; an error means that nothing could be.
///
/// When `stop` is raised, what was measured until then is returned, and all that was created is removed in any case.
pub fn measure(
    plan: &DiskPlan,
    hooks: &mut dyn DiskHooks,
    stop: &AtomicBool,
) -> Result<DiskResult, DiskError> {
    plan::check(plan)?;
    let name = plan.target.clone();
    let target = within(ANSWER, &plan.target, "finding the target", move || target::resolve(&name))??;
    let mut result = DiskResult {
        target: plan.target.clone(),
        target_kind: target.kind.word().into(),
        file_system: target.mount.fs_type.clone(),
        mount_point: target.mount.target.display().to_string(),
        device: target.device.clone(),
        device_number: target.device_number.clone(),
        caveats: caveat::of_target(&target),
        generator_io_per_s: Some(calibrate::generator_io_per_s()),
        ..DiskResult::default()
    };
    let foreign_bytes_per_s = look_idle(plan, &target, hooks, stop);
    let subject = prepare(plan, &target, hooks, stop, &mut result)?;
    let mut probe = Probe { target: &target, subject: &subject, hooks, stop, foreign_bytes_per_s };
    probe.steps(&plan.steps, &mut result);
    result.caveats = caveat::once(std::mem::take(&mut result.caveats));
    if result.steps.is_empty() && stop.load(Ordering::Relaxed) {
        return Err(DiskError::Stopped);
    }
    Ok(result)
}

/// What is measured: a private file, or an existing file or device that is only read.
struct Subject {
    fd: Arc<OwnedFd>,
    size_bytes: u64,
    direct: bool,
    direct_unit: Option<u64>,
    writable: bool,
    engine_problem: Option<std::io::Error>,
    /// Removed when the subject is dropped.
    _private: Option<PrivateFile>,
}

/// The mount point, when it is NFS: its counters stand for the device's.
fn nfs_mount(target: &Target) -> Option<&str> {
    target.mount.fs_type.starts_with("nfs").then(|| target.mount.target.to_str())?
}

/// Other processes' load on the device before ours.
fn look_idle(plan: &DiskPlan, target: &Target, hooks: &mut dyn DiskHooks, stop: &AtomicBool) -> Option<f64> {
    if plan.idle_ns == 0 {
        return None;
    }
    let from = hooks.counters();
    let begin = Instant::now();
    let length = Duration::from_nanos(plan.idle_ns);
    while begin.elapsed() < length && !stop.load(Ordering::Relaxed) {
        std::thread::sleep((length - begin.elapsed().min(length)).min(Duration::from_millis(50)));
        let done = begin.elapsed().as_secs_f64() / length.as_secs_f64();
        let steps = plan.steps.len();
        hooks.progress(&Progress { stage: Stage::Idle, step: 0, steps, done, iops: 0.0, bytes_per_s: 0.0 });
    }
    let to = hooks.counters();
    let foreign =
        layers::foreign_bytes_per_s(&target.device, nfs_mount(target), Span { from: &from, to: &to });
    hooks.window(None, from, to);
    foreign
}

fn prepare(
    plan: &DiskPlan,
    target: &Target,
    hooks: &mut dyn DiskHooks,
    stop: &AtomicBool,
    result: &mut DiskResult,
) -> Result<Subject, DiskError> {
    match target.kind {
        Kind::Directory => private_file(plan, target, hooks, stop, result),
        Kind::File | Kind::Device => existing(target, result),
    }
}

fn existing(target: &Target, result: &mut DiskResult) -> Result<Subject, DiskError> {
    let path = target.path.clone();
    let open = move || {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
        rustix::fs::open(&path, flags, rustix::fs::Mode::empty())
    };
    let fd = within(ANSWER, &target.name, "opening it", open)?
        .map_err(|error| DiskError::io("open", target.name.as_str(), error))?;
    let access = Access { read: true, write: false, direct: true, durable: OFlags::empty() };
    let direct = target::reopen(&fd, access).is_ok();
    if target.kind == Kind::File {
        result.caveats.extend(caveat::unwritten(&fd, target.size_bytes));
    }
    if !direct {
        result.caveats.push(caveat::not_direct(target));
    }
    result.working_set_bytes = target.size_bytes;
    Ok(Subject {
        direct_unit: target::direct_unit(&fd),
        fd: Arc::new(fd),
        size_bytes: target.size_bytes,
        direct,
        writable: false,
        engine_problem: note_engine(result),
        _private: None,
    })
}

fn note_engine(result: &mut DiskResult) -> Option<std::io::Error> {
    let problem = run::engine_for(Engine::IoUring).err();
    if let Some(error) = &problem {
        result.caveats.push(caveat::no_uring(error));
    }
    problem
}

fn private_file(
    plan: &DiskPlan,
    target: &Target,
    hooks: &mut dyn DiskHooks,
    stop: &AtomicBool,
    result: &mut DiskResult,
) -> Result<Subject, DiskError> {
    let wanted = if plan.size_bytes == 0 { SIZE_BYTES } else { plan.size_bytes };
    let budget = if plan.max_bytes == 0 { wanted } else { wanted.min(plan.max_bytes) };
    let bytes = size_for(target, budget)?;
    let file = PrivateFile::create(&target.path, &target.mount.fs_type, &hooks.state_dir())?;
    let engine_problem = note_engine(result);
    let engine = if engine_problem.is_some() { Engine::Plain } else { Engine::IoUring };
    let limit = (plan.layout_limit_ns > 0).then(|| Duration::from_nanos(plan.layout_limit_ns));
    let steps = plan.steps.len();
    let mut watch = |live: &Live| {
        let done = live.bytes as f64 / bytes as f64;
        hooks.progress(&progress(Stage::Layout, 0, steps, done, live));
        ControlFlow::Continue(())
    };
    let laid = layout::write(&file, &target.name, bytes, limit, engine, stop, &mut watch)?;
    if laid.bytes == 0 {
        return Err(DiskError::Stopped);
    }
    note_layout(target, wanted, bytes, laid, result);
    Ok(Subject {
        direct_unit: target::direct_unit(&**file.fd()),
        fd: Arc::clone(file.fd()),
        size_bytes: laid.bytes,
        direct: laid.direct,
        writable: true,
        engine_problem,
        _private: Some(file),
    })
}

fn note_layout(target: &Target, wanted: u64, allowed: u64, laid: Laid, result: &mut DiskResult) {
    result.layout_bytes = laid.bytes;
    result.layout_s = laid.seconds;
    result.working_set_bytes = laid.bytes;
    if laid.bytes < allowed / 2 {
        result.caveats.push(caveat::small(target, wanted, laid.bytes, "because writing it took too long"));
    } else if allowed < wanted / 2 {
        result.caveats.push(caveat::small(target, wanted, laid.bytes, "because little space is free"));
    }
    if !laid.direct {
        result.caveats.push(caveat::not_direct(target));
    }
}

/// The size that the file system has room for.
fn size_for(target: &Target, wanted: u64) -> Result<u64, DiskError> {
    let path = target.path.clone();
    let space = within(ANSWER, &target.name, "asking for free space", move || rustix::fs::statvfs(&path))?
        .map_err(|error| DiskError::io("ask for the free space of", target.name.as_str(), error))?;
    let (total, available) = (space.f_blocks * space.f_frsize, space.f_bavail * space.f_frsize);
    space::allowed(wanted, total, available).ok_or_else(|| DiskError::NoSpace {
        path: target.path.clone(),
        available_bytes: available,
        needed_bytes: space::SMALLEST_BYTES,
        margin_bytes: space::least_margin(),
    })
}

fn progress(stage: Stage, step: usize, steps: usize, done: f64, live: &Live) -> Progress {
    let seconds = live.elapsed.as_secs_f64().max(1e-3);
    let (iops, bytes_per_s) = (live.ios as f64 / seconds, live.bytes as f64 / seconds);
    Progress { stage, step, steps, done: done.clamp(0.0, 1.0), iops, bytes_per_s }
}

/// One measurement of a group of steps, with the counters around it.
struct Round {
    outcomes: Vec<Outcome>,
    from: Counters,
    to: Counters,
}

struct Probe<'a> {
    target: &'a Target,
    subject: &'a Subject,
    hooks: &'a mut dyn DiskHooks,
    stop: &'a AtomicBool,
    foreign_bytes_per_s: Option<f64>,
}

impl Probe<'_> {
    /// Measures all steps. Repeats go round the whole plan, so that a slow minute of the device hits all steps alike.
    fn steps(&mut self, steps: &[DiskStep], result: &mut DiskResult) {
        let groups = groups(steps);
        let mut rounds: Vec<Vec<Round>> = groups.iter().map(|_| Vec::new()).collect();
        let mut failed: Vec<bool> = groups.iter().map(|_| false).collect();
        let most = steps.iter().map(|step| step.repeats.max(1)).max().unwrap_or(0);
        for repeat in 0..most {
            for (number, group) in groups.iter().enumerate() {
                let members = &steps[group.clone()];
                let over = failed[number] || members.iter().all(|step| step.repeats.max(1) <= repeat);
                if over || self.stop.load(Ordering::Relaxed) {
                    continue;
                }
                match self.round(members, group.start, steps.len(), repeat) {
                    Ok(round) => rounds[number].push(round),
                    Err(error) => {
                        failed[number] = true;
                        result.gaps.push(gap(self.target, members, &error));
                    }
                }
            }
        }
        for (group, rounds) in groups.into_iter().zip(rounds) {
            self.conclude(&steps[group.clone()], group.start, rounds, result);
        }
        if self.stop.load(Ordering::Relaxed) {
            let subject = format!("disk {}", self.target.name);
            result.gaps.push(Gap::new(subject, GapReason::Skipped, "stopped before all steps were measured"));
        }
    }

    fn round(
        &mut self,
        members: &[DiskStep],
        first: usize,
        steps: usize,
        repeat: u32,
    ) -> Result<Round, DiskError> {
        let loads = members.iter().map(|step| self.load(step)).collect::<Result<Vec<_>, _>>()?;
        if loads.iter().any(|load| !load.direct && load.step.operation == Operation::Read) {
            self.drop_cached();
        }
        let expected_ns = members.iter().map(|step| step.duration_ns).max().unwrap_or(0);
        let expected_bytes: u64 = members.iter().map(|step| step.duration_bytes).sum();
        let writes = members.iter().any(|step| step.operation != Operation::Read);
        let free_at_start = if writes { self.free_bytes() } else { None };
        let from = self.hooks.counters();
        let (hooks, target) = (&mut *self.hooks, self.target);
        let mut looked = Instant::now();
        let mut watch = |live: &Live| {
            let by_time = live.elapsed.as_nanos() as f64 / expected_ns.max(1) as f64;
            let by_bytes = live.bytes as f64 / expected_bytes.max(1) as f64;
            let done = if expected_ns > 0 { by_time } else { by_bytes };
            hooks.progress(&progress(Stage::Step, first + repeat as usize, steps, done, live));
            if free_at_start.is_none() || looked.elapsed() < Duration::from_secs(1) {
                return ControlFlow::Continue(());
            }
            looked = Instant::now();
            let low = free_bytes(target) < free_at_start.map(|free| free / SPACE_LEFT);
            if low { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let outcomes = run::run(&loads, self.stop, &mut watch)?;
        let to = self.hooks.counters();
        Ok(Round { outcomes, from, to })
    }

    fn load(&self, step: &DiskStep) -> Result<Load, DiskError> {
        let subject = self.subject;
        let size = match step.working_set_bytes {
            0 => subject.size_bytes,
            bytes => bytes.min(subject.size_bytes),
        };
        plan::check_against(step, self.target.kind, subject.writable, size, subject.direct_unit)
            .map_err(DiskError::Plan)?;
        let engine = match (step.engine, &subject.engine_problem) {
            (Engine::Plain, _) | (Engine::Auto, Some(_)) => Engine::Plain,
            (_, None) => Engine::IoUring,
            (Engine::IoUring, Some(error)) => {
                return Err(DiskError::Plan(format!("io_uring cannot be used here: {error}")));
            }
        };
        Ok(Load {
            step: step.clone(),
            region: 0..size,
            fd: Arc::clone(&subject.fd),
            target: self.target.name.clone(),
            engine,
            direct: step.direct && subject.direct,
            // The same offsets in each repeat and at each depth: differences are the device's.
            seed: 0x6675_6c6c_7769_7265,
        })
    }

    /// A buffered read measures the device only when nothing of the file is in the page cache.
    fn drop_cached(&self) {
        let fd = Arc::clone(&self.subject.fd);
        let length = std::num::NonZeroU64::new(self.subject.size_bytes);
        let dropped = within(ANSWER, &self.target.name, "dropping cached pages", move || {
            rustix::fs::fadvise(&*fd, 0, length, Advice::DontNeed)
        });
        // Where this fails the page cache answers, and the counters of the device will say so.
        let _ = dropped;
    }

    fn free_bytes(&self) -> Option<u64> {
        (self.target.kind == Kind::Directory).then(|| free_bytes(self.target))?
    }

    /// Joins the repeats of a group into results.
    fn conclude(&mut self, members: &[DiskStep], first: usize, rounds: Vec<Round>, result: &mut DiskResult) {
        if rounds.is_empty() {
            return;
        }
        let mut by_member: Vec<Vec<Outcome>> = members.iter().map(|_| Vec::new()).collect();
        let mut windows = Vec::with_capacity(rounds.len());
        for round in rounds {
            windows.push((round.from, round.to));
            for (outcomes, outcome) in by_member.iter_mut().zip(round.outcomes) {
                outcomes.push(outcome);
            }
        }
        for (step, outcomes) in members.iter().zip(by_member) {
            let mut measured = joined(step, outcomes, self.subject);
            measured.concurrent = members.len() > 1;
            measured.foreign_bytes_per_s = self.foreign_bytes_per_s;
            self.add_layers(&mut measured, &windows);
            result.caveats.extend(caveat::of_step(self.target, &measured));
            result.steps.push(measured);
        }
        for (from, to) in windows {
            self.hooks.window(Some(first), from, to);
        }
    }

    fn add_layers(&self, step: &mut DiskStepResult, windows: &[(Counters, Counters)]) {
        let spans: Vec<Span<'_>> = windows.iter().map(|(from, to)| Span { from, to }).collect();
        let place = if self.target.kind == Kind::Device {
            &self.target.name
        } else {
            &self.target.mount.target.display().to_string()
        };
        step.layers.push(layers::program_stats(place, step));
        let nfs = nfs_mount(self.target);
        step.layers.extend(nfs.and_then(|mount| layers::nfs_stats(mount, &spans)));
        let Some(host) = self.hooks.host() else { return };
        step.layers.extend(layers::device_layers(host, &self.target.device, &spans));
        if !step.concurrent {
            let seen = layers::conservation(
                host,
                &self.target.device,
                nfs,
                &spans,
                step.operation,
                step.ios,
                step.bytes,
            );
            step.requests_per_io = seen.requests_per_io;
            step.device_bytes_over_program_bytes = seen.bytes_ratio;
        }
    }
}

fn free_bytes(target: &Target) -> Option<u64> {
    let space = rustix::fs::statvfs(&target.path).ok()?;
    Some(space.f_bavail * space.f_frsize)
}

fn gap(target: &Target, members: &[DiskStep], error: &DiskError) -> Gap {
    let reason = match error {
        DiskError::NoAnswer { .. } => GapReason::Timeout,
        DiskError::Refused { .. } | DiskError::Stopped => GapReason::Skipped,
        _ => GapReason::Unsupported,
    };
    let names: Vec<String> = members
        .iter()
        .map(|step| {
            format!("{} {:?} {:?} {} bytes", step.profile, step.pattern, step.operation, step.block_bytes)
        })
        .collect();
    Gap::new(
        format!("disk {}: {}", target.name, names.join(" with ").to_lowercase()),
        reason,
        error.to_string(),
    )
}

/// Steps that run at the same time, as ranges of their numbers.
fn groups(steps: &[DiskStep]) -> Vec<std::ops::Range<usize>> {
    let mut groups = Vec::new();
    let mut start = 0;
    for (number, step) in steps.iter().enumerate() {
        if !step.with_next || number + 1 == steps.len() {
            groups.push(start..number + 1);
            start = number + 1;
        }
    }
    groups
}

/// One result of all repeats: histograms are added, rates are over the sum of the times.
fn joined(step: &DiskStep, outcomes: Vec<Outcome>, subject: &Subject) -> DiskStepResult {
    let repeats: Vec<f64> =
        outcomes.iter().map(|outcome| rate(outcome.tally.bytes, outcome.duration_s)).collect();
    let peak = outcomes.iter().map(|outcome| outcome.thread_peak).fold(0.0, f64::max);
    let mut intervals = Vec::new();
    let mut passed_s = 0.0;
    let mut whole: Option<run::Outcome> = None;
    for outcome in outcomes {
        intervals.extend(outcome.intervals.iter().cloned().map(|mut interval| {
            interval.t_s += passed_s;
            interval
        }));
        passed_s += outcome.duration_s;
        match &mut whole {
            None => whole = Some(outcome),
            Some(whole) => whole.tally.merge(outcome.tally),
        }
    }
    let mut joined = described(step, subject);
    let Some(Outcome { tally, .. }) = whole else { return joined };
    let per_io = |ns: u64| if tally.ios == 0 { 0.0 } else { ns as f64 / tally.ios as f64 };
    joined.ios = tally.ios;
    joined.bytes = tally.bytes;
    joined.duration_s = passed_s;
    joined.iops = rate(tally.ios, passed_s);
    joined.throughput_bytes_per_s = rate(tally.bytes, passed_s);
    joined.latency_ns = tally.latency.finish();
    joined.submission_ns = tally.submission.as_ref().map(fullwire_model::latency::LatencyRecorder::finish);
    joined.flush_ns = tally.flush.as_ref().map(fullwire_model::latency::LatencyRecorder::finish);
    joined.cpu_user_ns_per_io = per_io(tally.cpu.user_ns);
    joined.cpu_sys_ns_per_io = per_io(tally.cpu.system_ns);
    joined.thread_peak = Some(peak);
    joined.skipped_arrivals = (step.rate_per_s > 0.0).then_some(tally.skipped);
    joined.noise = steady::noise(&repeats);
    joined.steady = steady::of_intervals(&intervals);
    joined.repeats_bytes_per_s = repeats;
    joined.intervals = intervals;
    joined
}

fn described(step: &DiskStep, subject: &Subject) -> DiskStepResult {
    let plain = step.engine == Engine::Plain || subject.engine_problem.is_some();
    DiskStepResult {
        profile: step.profile.clone(),
        operation: step.operation,
        read_share: (step.operation == Operation::Mixed).then_some(step.read_share),
        pattern: step.pattern,
        block_bytes: step.block_bytes,
        queue_depth: step.queue_depth,
        threads: step.threads,
        engine: if plain { Engine::Plain } else { Engine::IoUring },
        direct: step.direct && subject.direct,
        sync: step.sync,
        rate_per_s: step.rate_per_s,
        ..DiskStepResult::default()
    }
}

fn rate(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}
