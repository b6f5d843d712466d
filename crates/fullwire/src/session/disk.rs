//! A storage probe within a session: its windows, its host records, its progress.

use crate::output::progress::Progress;
use crate::session;
use crate::session::Session;
use crate::session::experiment::{self, Begun};
use fullwire_model::counters::Counters;
use fullwire_model::disk::{DiskPlan, DiskResult, DiskStep, DiskStepResult};
use fullwire_model::experiment::Tried;
use fullwire_model::host::Host;
use fullwire_model::{Gap, PathName, ProbeId, Window, WindowKind};
use fullwire_probe::disk::{self, DiskError, DiskHooks, Stage};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Measures a target; what fails is a gap of the run and is returned as well.
pub(crate) fn measure(
    session: &mut Session,
    plan: &DiskPlan,
    progress: &Progress,
    stop: &AtomicBool,
) -> Result<(), DiskError> {
    let plan = &numbered(session, plan);
    let mut hooks = Hooks { session, target: &plan.target, progress, trying: None };
    let measured = disk::measure(plan, &mut hooks, stop);
    session.look_again();
    let outcome = match measured {
        Ok(result) => {
            session.run.disk.push(result);
            Ok(())
        }
        Err(error) => {
            if error.wait_channel().is_some() || error.is_device_failure() {
                let result = without_figures(session, &plan.target, &error);
                session.run.disk.push(result);
            }
            session.gap(&plan.target, error.gap_reason(), error.to_string());
            Err(error)
        }
    };
    if is_silent(session, &plan.target) {
        session::net::storage_path_mtu(session, &plan.target, progress, stop);
    }
    outcome
}

/// The plan with a number for each probe: steps that run at the same time are one.
fn numbered(session: &mut Session, plan: &DiskPlan) -> DiskPlan {
    let mut plan = plan.clone();
    let mut with_before = false;
    let mut probe = ProbeId::NONE;
    for step in &mut plan.steps {
        if !with_before {
            probe = session.new_probe();
        }
        step.probe = probe;
        with_before = step.with_next;
    }
    plan
}

/// A call on the target did not come back.
fn is_silent(session: &Session, target: &PathName) -> bool {
    let mut results = session.run.disk_of(target);
    results.any(|result| result.unanswered().is_some())
}

/// Storage that hangs or fails is a path with a verdict, not only a gap. The target itself is not asked again.
fn without_figures(session: &Session, target: &PathName, error: &DiskError) -> DiskResult {
    let result = DiskResult {
        target: target.clone(),
        io_errors: error.is_device_failure().then(|| error.to_string()).into_iter().collect(),
        gaps: vec![Gap::new(target, error.gap_reason(), error.to_string())],
        wait_channel: error.wait_channel().unwrap_or_default().to_owned(),
        ..DiskResult::default()
    };
    // The nodes of /dev are in memory: what hangs behind them does not matter.
    let place = target.as_str();
    let node = place.starts_with("/dev/").then(|| std::fs::canonicalize(place).ok()).flatten();
    if let Some(name) = node.as_deref().and_then(Path::file_name) {
        let device = name.to_string_lossy().into_owned();
        return DiskResult { target_kind: "device".into(), device, ..result };
    }
    let mount = session.run.host.mount_of(place);
    DiskResult {
        target_kind: "directory".into(),
        file_system: mount.map(|mount| mount.fs_type.clone()).unwrap_or_default(),
        mount_point: mount.map(|mount| mount.target.clone()).unwrap_or_default(),
        ..result
    }
}

struct Hooks<'a> {
    session: &'a mut Session,
    target: &'a PathName,
    progress: &'a Progress,
    /// The experiment whose step is running.
    trying: Option<Begun>,
}

impl DiskHooks for Hooks<'_> {
    fn counters(&mut self) -> Counters {
        self.session.counters()
    }

    fn host(&self) -> Option<&Host> {
        Some(&self.session.run.host)
    }

    fn cpu_quota(&self) -> Option<f64> {
        fullwire_observe::cpu_quota(&self.session.root)
    }

    fn memory_room(&self) -> Option<(String, u64)> {
        fullwire_observe::memory_room(&self.session.root)
    }

    fn window(&mut self, probe: Option<ProbeId>, from: Counters, to: Counters) {
        let kind = if probe.is_some() { WindowKind::Disk } else { WindowKind::Idle };
        let (probe, target) = (probe.unwrap_or_default(), self.target.clone());
        self.session.keep_window(Window { kind, target, probe, from, to, ..Window::default() });
    }

    fn touch(&mut self, target: &str, limit: Duration) -> Result<(), DiskError> {
        // Where no process can be started, the probe itself finds out.
        touch_by_other(target, limit).unwrap_or(Ok(()))
    }

    fn next(&mut self, so_far: &DiskResult) -> Option<DiskStep> {
        let (begun, step) = experiment::next_step(self.session, so_far, self.progress)?;
        self.trying = Some(begun);
        Some(step)
    }

    fn tried(&mut self, outcome: Result<DiskStepResult, DiskError>) {
        let Some(begun) = self.trying.take() else { return };
        let gap = |error: DiskError| Gap::new(self.target, error.gap_reason(), error.to_string());
        let keep = |step| |tried: &mut Tried| tried.disk = Some(step);
        begun.end(self.session, outcome.map_err(gap).map(keep));
    }

    fn progress(&mut self, progress: &disk::Progress) {
        if self.trying.is_some() {
            self.progress.tick();
            return;
        }
        let what = match progress.stage {
            Stage::Idle => format!("{}: load of other programs", self.target),
            Stage::Layout => format!("{}: writing the private file", self.target),
            Stage::Step => format!("{}: storage, {} of {}", self.target, progress.step + 1, progress.steps),
        };
        self.progress.doing(&what);
    }
}

/// Starts `fullwire touch TARGET`. One that does not come back is left behind: the kernel ends it when the I/O is done.
fn touch_by_other(target: &str, limit: Duration) -> std::io::Result<Result<(), DiskError>> {
    let mut child = std::process::Command::new("/proc/self/exe")
        .args(["touch", "--", target])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let begin = Instant::now();
    while begin.elapsed() < limit {
        if child.try_wait()?.is_some() {
            return Ok(Ok(()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let error = disk::no_answer(target, "a small read or write", limit, child.id());
    child.kill()?;
    Ok(Err(error))
}
