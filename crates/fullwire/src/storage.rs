//! A storage probe within a session: its windows, its host records, its progress.

use crate::progress::Progress;
use crate::session::Session;
use fullwire_model::counters::Counters;
use fullwire_model::disk::DiskPlan;
use fullwire_model::host::Host;
use fullwire_model::{GapReason, Window, WindowKind};
use fullwire_probe::disk::{self, DiskError, DiskHooks, Stage};
use std::sync::atomic::AtomicBool;

/// Measures a target; what fails is a gap of the run and is returned as well.
pub(crate) fn measure(
    session: &mut Session,
    plan: &DiskPlan,
    progress: &Progress,
    stop: &AtomicBool,
) -> Result<(), DiskError> {
    let mut hooks = Hooks { session, target: &plan.target, progress };
    let measured = disk::measure(plan, &mut hooks, stop);
    match measured {
        Ok(result) => {
            session.run.disk.push(result);
            Ok(())
        }
        Err(error) => {
            let reason = match &error {
                DiskError::NoAnswer { .. } => GapReason::Timeout,
                DiskError::Refused { .. } | DiskError::NoSpace { .. } | DiskError::Stopped => {
                    GapReason::Skipped
                }
                _ => GapReason::Unsupported,
            };
            session.gap(&plan.target, reason, error.to_string());
            Err(error)
        }
    }
}

struct Hooks<'a> {
    session: &'a mut Session,
    target: &'a str,
    progress: &'a Progress,
}

impl DiskHooks for Hooks<'_> {
    fn counters(&mut self) -> Counters {
        self.session.counters()
    }

    fn host(&self) -> Option<&Host> {
        Some(&self.session.run.host)
    }

    fn window(&mut self, step: Option<usize>, from: Counters, to: Counters) {
        let kind = if step.is_some() { WindowKind::Disk } else { WindowKind::Idle };
        self.session.keep_window(Window { kind, subject: self.target.to_owned(), from, to });
    }

    fn progress(&mut self, progress: &disk::Progress) {
        let what = match progress.stage {
            Stage::Idle => format!("{}: what runs there without us", self.target),
            Stage::Layout => format!("{}: writing the private file", self.target),
            Stage::Step => format!("{}: storage, {} of {}", self.target, progress.step + 1, progress.steps),
        };
        self.progress.doing(&what);
    }
}
