//! A storage probe from beginning to end: resolve, look at the idle target, prepare, measure each step between two
//! readings of the counters, put everything back in order.

use crate::disk::DiskError;
use crate::disk::engine::calibrate;
use crate::disk::hang::{ANSWER, within};
use crate::disk::hooks::{DiskHooks, Progress, Stage};
use crate::disk::load::bonnie;
use crate::disk::load::run::{self, Live, Load};
use crate::disk::load::small_files;
use crate::disk::plan;
use crate::disk::result::caveat;
use crate::disk::result::conclude::{Repeats, add_layers, joined, nfs_mount};
use crate::disk::result::layers::{self, Others, Span};
use crate::disk::result::sweep;
use crate::disk::target::nfs_server;
use crate::disk::target::space;
use crate::disk::target::subject::{Preparation, Subject, progress};
use crate::disk::target::{self, DiskTarget, Kind};
use fullwire_model::counters::Counters;
use fullwire_model::disk::{DiskPlan, DiskResult, DiskStep, Engine, Operation};
use fullwire_model::{Gap, GapReason};
use rustix::fs::Advice;
use rustix::time::{ClockId, clock_gettime};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A running write is ended when less than one such part is left of the space that was free when it began.
const SPACE_LEFT: u64 = 4;
/// Longest pause for CPU time of a control group that was used before a step.
const REST: Duration = Duration::from_secs(1);
/// The same offsets in each repeat and at each depth: differences are the device's.
const SEED: u64 = 0x6675_6c6c_7769_7265;

/// Carries out a plan. Steps that cannot be measured become gaps of the result; an error means that nothing could be.
///
/// When `stop` is raised, what was measured until then is returned, and all that was created is removed in any case.
pub fn measure(
    plan: &DiskPlan,
    hooks: &mut dyn DiskHooks,
    stop: &AtomicBool,
) -> Result<DiskResult, DiskError> {
    plan::check(plan)?;
    let place = plan.target.as_str();
    hooks.touch(place, ANSWER)?;
    let name = place.to_owned();
    let mut target = within(ANSWER, place, "finding the target", move || target::resolve(&name))??;
    target.shared_room = hooks.host().and_then(|host| space::shared_room(host, &target.device));
    let mut result = DiskResult {
        target: plan.target.clone(),
        target_kind: target.kind.word().into(),
        file_system: target.mount.fs_type.clone(),
        mount_point: target.mount.target.display().to_string(),
        device: target.device.clone(),
        device_number: target.device_number.clone(),
        caveats: caveat::of_target(&target),
        server_rtt_ns: nfs_server::handshake_ns(&target.mount),
        generator_io_per_s: Some(calibrate::generator_io_per_s()),
        ..DiskResult::default()
    };
    result.caveats.extend(caveat::statistics_off(&target, hooks.host()));
    let foreign = look_idle(plan, &target, hooks, stop);
    if !plan.steps.is_empty() {
        let subject = Preparation { plan, target: &target, hooks, stop, result: &mut result }.prepare()?;
        let budget_bytes = plan.max_bytes.saturating_sub(result.layout_bytes);
        let budget_bytes = (plan.max_bytes > 0).then_some(budget_bytes);
        let quota = hooks.cpu_quota();
        let at_work = AtWork::since_now();
        let mut probe =
            Probe { target: &target, subject: &subject, hooks, stop, foreign, budget_bytes, quota, at_work };
        probe.steps(&plan.steps, &mut result);
        probe.more(plan.steps.len(), &result);
        subject.put_back(&target, &mut result);
    }
    small_files::add(plan, &target, &hooks.state_dir(), stop, &mut result)?;
    bonnie::add(plan, &target, &hooks.state_dir(), stop, &mut result)?;
    if !plan.sweep.is_empty() {
        result.sweep = Some(sweep::conclude(&plan.sweep, &result.steps));
    }
    result.caveats = caveat::once(std::mem::take(&mut result.caveats));
    let nothing = result.steps.is_empty() && result.small_files.is_empty() && result.bonnie.is_none();
    if nothing && stop.load(Ordering::Relaxed) { Err(DiskError::Stopped) } else { Ok(result) }
}

/// Other processes' load on the device before ours.
fn look_idle(plan: &DiskPlan, target: &DiskTarget, hooks: &mut dyn DiskHooks, stop: &AtomicBool) -> Foreign {
    if plan.idle_ns == 0 {
        return Foreign::default();
    }
    let from = hooks.counters();
    let begin = Instant::now();
    let length = Duration::from_nanos(plan.idle_ns);
    while begin.elapsed() < length && !stop.load(Ordering::Relaxed) {
        std::thread::sleep(length.saturating_sub(begin.elapsed()).min(Duration::from_millis(50)));
        let done = (begin.elapsed().as_secs_f64() / length.as_secs_f64()).min(1.0);
        let steps = plan.steps.len();
        hooks.progress(&Progress { stage: Stage::Idle, step: 0, steps, done, iops: 0.0, bytes_per_s: 0.0 });
    }
    let to = hooks.counters();
    let span = Span { from: &from, to: &to };
    let nfs = nfs_mount(target);
    let under =
        |host| layers::Under { host, device: &target.device, nfs_mount: nfs, others: Others::default() };
    let foreign = Foreign {
        bytes_per_s: layers::foreign_bytes_per_s(&target.device, nfs, span),
        requests: hooks
            .host()
            .filter(|_| nfs.is_none())
            .map_or_else(Others::default, |host| under(host).others(span)),
    };
    hooks.window(None, from, to);
    foreign
}

/// What other processes did before ours.
#[derive(Clone, Copy, Default)]
struct Foreign {
    bytes_per_s: Option<f64>,
    requests: Others,
}

/// What was measured of a group of steps.
struct Rounds {
    /// Of each of its steps.
    members: Vec<Repeats>,
    /// The counters before and after each round.
    windows: Vec<(Counters, Counters)>,
}

impl Rounds {
    /// Of so many steps, none yet.
    fn of(members: usize) -> Self {
        Self { members: (0..members).map(|_| Repeats::default()).collect(), windows: Vec::new() }
    }
}

struct Probe<'a> {
    target: &'a DiskTarget,
    subject: &'a Subject,
    hooks: &'a mut dyn DiskHooks,
    stop: &'a AtomicBool,
    foreign: Foreign,
    /// Bytes that may still be written.
    budget_bytes: Option<u64>,
    /// CPUs that this process may use; `None`: no limit.
    quota: Option<f64>,
    /// Since the last step.
    at_work: AtWork,
}

/// What this process does between two steps, such as reading counters.
struct AtWork {
    begin: Instant,
    cpu: Duration,
}

impl AtWork {
    fn since_now() -> Self {
        Self { begin: Instant::now(), cpu: process_cpu() }
    }

    /// Waits until a CPU quota has given what was used: in its debt a step would begin with a pause.
    fn rest(&self, quota: f64) {
        std::thread::sleep(owed(process_cpu().saturating_sub(self.cpu), self.begin.elapsed(), quota));
    }
}

/// What a quota, in CPUs, still takes to give the CPU time that was used while so much time passed.
fn owed(used: Duration, passed: Duration, quota: f64) -> Duration {
    used.div_f64(quota.max(1e-3)).saturating_sub(passed).min(REST)
}

fn process_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

impl Probe<'_> {
    /// Measures all steps. Repeats go round the whole plan, so that a slow minute of the device hits all steps alike.
    fn steps(&mut self, steps: &[DiskStep], result: &mut DiskResult) {
        let groups = groups(steps);
        let mut rounds: Vec<Rounds> = groups.iter().map(|group| Rounds::of(group.len())).collect();
        let mut failed = vec![false; groups.len()];
        let most = steps.iter().map(|step| step.repeats.max(1)).max().unwrap_or(0);
        for repeat in 0..most {
            for (number, group) in groups.iter().enumerate() {
                let members = &steps[group.clone()];
                let over = failed[number] || members.iter().all(|step| step.repeats.max(1) <= repeat);
                if over || self.stop.load(Ordering::Relaxed) {
                    continue;
                }
                let outcome = self.round(members, group.start, steps.len(), &mut rounds[number]);
                let Err(error) = outcome else { continue };
                failed[number] = true;
                result.gaps.push(gap(self.target, members, &error));
                if error.is_device_failure() {
                    result.io_errors.push(error.to_string());
                }
                if let Some(wait_channel) = error.wait_channel() {
                    // Its threads still hang in the kernel: more of them would not help.
                    failed.fill(true);
                    wait_channel.clone_into(&mut result.wait_channel);
                }
            }
        }
        for (group, rounds) in groups.into_iter().zip(rounds) {
            self.conclude(&steps[group], rounds, result);
        }
        if self.stop.load(Ordering::Relaxed) {
            let subject = format!("disk {}", self.target.name);
            result.gaps.push(Gap::new(subject, GapReason::Skipped, "stopped before all steps were measured"));
        }
    }

    /// Steps that the caller asks for when it sees the results. They are its own: the result is that of the plan.
    fn more(&mut self, first: usize, result: &DiskResult) {
        if !result.wait_channel.is_empty() || !result.io_errors.is_empty() {
            return;
        }
        while !self.stop.load(Ordering::Relaxed) {
            let Some(step) = self.hooks.next(result) else { return };
            let members = std::slice::from_ref(&step);
            let mut rounds = Rounds::of(members.len());
            let outcome = self.round(members, first, first + 1, &mut rounds);
            let outcome = outcome.map(|()| {
                let mut measured = joined(&step, rounds.members.pop().unwrap_or_default(), self.subject);
                let (host, others) = (self.hooks.host(), self.foreign.requests);
                add_layers(&mut measured, self.target, host, others, &rounds.windows);
                measured
            });
            let broken = outcome.as_ref().is_err_and(DiskError::is_device_failure);
            self.hooks.tried(outcome);
            if broken {
                return;
            }
        }
    }

    fn round(
        &mut self,
        members: &[DiskStep],
        first: usize,
        steps: usize,
        rounds: &mut Rounds,
    ) -> Result<(), DiskError> {
        self.hooks.memory_room().map_or(Ok(()), |room| fits(members, room))?;
        let writers = members.iter().filter(|step| step.operation != Operation::Read).count() as u64;
        let budget_bytes = self.budget_bytes.map(|budget| budget / writers.max(1));
        let loads =
            members.iter().map(|step| self.load(step, budget_bytes)).collect::<Result<Vec<_>, _>>()?;
        if loads.iter().any(|load| !load.direct && load.step.operation != Operation::Write) {
            self.drop_cached();
        }
        let from = self.hooks.counters();
        let expected_ns = members.iter().map(|step| step.duration_ns).max().unwrap_or(0);
        let expected_bytes: u64 = members.iter().map(|step| step.duration_bytes).sum();
        let free_at_start =
            (writers > 0 && self.target.kind == Kind::Directory).then(|| free_bytes(self.target)).flatten();
        let (hooks, target) = (&mut *self.hooks, self.target);
        let mut looked = Instant::now();
        let mut watch = |live: &Live| {
            let by_time = live.elapsed.as_nanos() as f64 / expected_ns.max(1) as f64;
            let by_bytes = live.bytes as f64 / expected_bytes.max(1) as f64;
            let done = if expected_ns > 0 { by_time } else { by_bytes };
            hooks.progress(&progress(Stage::Step, first, steps, done, live));
            if free_at_start.is_none() || looked.elapsed() < Duration::from_secs(1) {
                return ControlFlow::Continue(());
            }
            looked = Instant::now();
            let low = free_bytes(target) < free_at_start.map(|free| free / SPACE_LEFT);
            if low { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let rest = || self.quota.into_iter().for_each(|quota| self.at_work.rest(quota));
        let outcomes = run::run(&loads, self.stop, &rest, &mut watch)?;
        self.at_work = AtWork::since_now();
        let to = self.hooks.counters();
        if let (true, Some(budget)) = (writers > 0, &mut self.budget_bytes) {
            *budget = budget.saturating_sub(outcomes.iter().map(|outcome| outcome.tally.bytes).sum());
        }
        rounds.windows.push((from, to));
        rounds.members.iter_mut().zip(outcomes).for_each(|(repeats, outcome)| repeats.add(outcome));
        Ok(())
    }

    /// A step as a load; one that writes ends with its share of the bytes that may be written.
    fn load(&self, step: &DiskStep, budget_bytes: Option<u64>) -> Result<Load, DiskError> {
        let subject = self.subject;
        let whole = subject.region.end - subject.region.start;
        let size = if step.working_set_bytes == 0 { whole } else { step.working_set_bytes.min(whole) };
        plan::check_against(step, self.target.kind, subject.writable, size, subject.direct_unit)
            .map_err(DiskError::Plan)?;
        let mut step = step.clone();
        if let Some(budget) = budget_bytes.filter(|_| step.operation != Operation::Read) {
            if budget < step.block_bytes * u64::from(step.threads) {
                return Err(DiskError::Plan("reached the limit of bytes to write (max_bytes)".into()));
            }
            step.duration_bytes =
                if step.duration_bytes == 0 { budget } else { step.duration_bytes.min(budget) };
        }
        let engine = match (step.engine, &subject.engine_problem) {
            (Engine::Plain, _) | (Engine::Auto, Some(_)) => Engine::Plain,
            (_, None) => Engine::IoUring,
            (Engine::IoUring, Some(error)) => {
                return Err(DiskError::Plan(format!("io_uring cannot be used here: {error}")));
            }
        };
        Ok(Load {
            direct: step.direct && subject.direct,
            step,
            region: subject.region.start..subject.region.start + size,
            fd: Arc::clone(&subject.fd),
            target: self.target.name.clone(),
            engine,
            seed: SEED,
        })
    }

    /// A buffered read measures the device only when nothing of the file is in the page cache.
    fn drop_cached(&self) {
        let (fd, region) = (Arc::clone(&self.subject.fd), self.subject.region.clone());
        let dropped = within(ANSWER, &self.target.name, "dropping cached pages", move || {
            rustix::fs::fadvise(
                &*fd,
                region.start,
                std::num::NonZeroU64::new(region.end - region.start),
                Advice::DontNeed,
            )
        });
        // Where this fails the page cache answers, and the counters of the device will say so.
        drop(dropped);
    }

    /// Joins the repeats of a group into results.
    fn conclude(&mut self, steps: &[DiskStep], rounds: Rounds, result: &mut DiskResult) {
        let Rounds { members, windows } = rounds;
        if windows.is_empty() {
            return;
        }
        for ((member, step), repeats) in (0..).zip(steps).zip(members) {
            let mut measured = joined(step, repeats, self.subject);
            (measured.probe, measured.member) = (step.probe, member);
            measured.concurrent = steps.len() > 1;
            measured.foreign_bytes_per_s = self.foreign.bytes_per_s;
            add_layers(&mut measured, self.target, self.hooks.host(), self.foreign.requests, &windows);
            result.caveats.extend(caveat::of_step(self.target, &measured));
            result.steps.push(measured);
        }
        let probe = steps.first().map(|step| step.probe).unwrap_or_default();
        for (from, to) in windows {
            self.hooks.window(Some(probe), from, to);
        }
    }
}

/// Buffers that no program would notice (own choice; fullwire's own code takes more).
const FEW_BYTES: u64 = 1 << 20;

/// Half of the memory that a control group leaves stays free for the others in it: beyond its limit all of them are slowed down,
/// or one of them is killed (Linux Documentation/admin-guide/cgroup-v2.rst, memory.high and memory.max).
fn fits(members: &[DiskStep], (group, available_bytes): (String, u64)) -> Result<(), DiskError> {
    let of = |step: &DiskStep| {
        step.block_bytes * u64::from(step.queue_depth.max(1)) * u64::from(step.threads.max(1))
    };
    let needed_bytes = members.iter().map(of).fold(0, u64::saturating_add);
    if needed_bytes <= FEW_BYTES.max(available_bytes / 2) {
        return Ok(());
    }
    Err(DiskError::NoMemory { group, available_bytes, needed_bytes })
}

fn free_bytes(target: &DiskTarget) -> Option<u64> {
    let space = rustix::fs::statvfs(&target.path).ok()?;
    Some(space.f_bavail.saturating_mul(space.f_frsize))
}

fn gap(target: &DiskTarget, members: &[DiskStep], error: &DiskError) -> Gap {
    let names: Vec<String> = members.iter().map(plan::label).collect();
    Gap::new(format!("disk {}: {}", target.name, names.join(" with ")), error.gap_reason(), error.to_string())
}

/// Steps that run at the same time, as ranges of their numbers.
fn groups(steps: &[DiskStep]) -> Vec<Range<usize>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_is_waited_for_until_it_has_given_what_was_used() {
        let [used, second] = [Duration::from_millis(20), Duration::from_secs(1)];
        assert_eq!(owed(used, Duration::ZERO, 0.1), 10 * used);
        assert_eq!(owed(used, 4 * used, 0.1), 6 * used);
        assert_eq!(owed(used, second, 0.1), Duration::ZERO);
        assert_eq!(owed(second, second, 0.01), REST);
    }

    #[test]
    fn buffers_leave_half_of_a_groups_memory() {
        let step = |block_bytes, queue_depth| DiskStep {
            block_bytes,
            queue_depth,
            threads: 1,
            ..DiskStep::default()
        };
        let fits = |steps: &[DiskStep]| fits(steps, ("/db".to_owned(), 16 << 20));
        assert!(fits(&[step(1 << 20, 8)]).is_ok() && fits(&[step(8192, 32)]).is_ok());
        assert!(fits(&[step(1 << 20, 8), step(8192, 1)]).is_err(), "at the same time");
        let error = fits(&[step(1 << 20, 32)]).expect_err("too large").to_string();
        assert!(error.contains("group /db: 16.8 MB left") && error.contains("take 33.6 MB"), "{error}");
    }

    #[test]
    fn steps_that_run_together_form_a_group() {
        let step = |with_next| DiskStep { with_next, ..DiskStep::default() };
        let steps = [step(false), step(true), step(true), step(false), step(true)];
        assert_eq!(groups(&steps), [0..1, 1..4, 4..5]);
        assert!(groups(&[]).is_empty());
    }
}
