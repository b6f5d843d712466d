//! Experiments within a session: what the rules propose is said, recorded with its predictions, and then made.

use crate::output::progress::Progress;
use crate::peer::reached::Reached;
use crate::session::Session;
use fullwire_model::disk::{DiskResult, DiskStep};
use fullwire_model::experiment::Tried;
use fullwire_model::net::NetPlan;
use fullwire_model::{Gap, GapReason};
use fullwire_probe::net;
use fullwire_rules::experiment::{Proposal, next_of_network, next_of_storage};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time that a run may take for experiments, beyond its plan.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Budget {
    left: Duration,
}

impl Budget {
    pub(crate) const fn of(left: Duration) -> Self {
        Self { left }
    }

    fn left_s(&self) -> f64 {
        self.left.as_secs_f64()
    }

    fn spend(&mut self, spent: Duration) {
        self.left = self.left.saturating_sub(spent);
    }
}

/// An experiment that was begun.
pub(crate) struct Begun {
    record: Tried,
    at: Instant,
}

impl Begun {
    /// Says what is tried and why, and notes what is predicted.
    fn new<P>(session: &Session, proposal: Proposal<P>, progress: &Progress) -> (Self, P) {
        let Proposal { plan, mut record, .. } = proposal;
        progress.doing(&format!("{}: {}: {}", record.path, record.experiment.says(), record.why));
        record.started_s = session.elapsed().as_secs_f64();
        (Self { record, at: Instant::now() }, plan)
    }

    /// Keeps what came out.
    pub(crate) fn end(self, session: &mut Session, outcome: Result<impl FnOnce(&mut Tried), Gap>) {
        let Self { mut record, at } = self;
        match outcome {
            Ok(take) => take(&mut record),
            Err(gap) => record.gap = Some(gap),
        }
        session.budget.spend(at.elapsed());
        session.run.tried.push(record);
    }
}

/// The next step on a storage target, while its file is still there.
pub(crate) fn next_step(
    session: &Session,
    so_far: &DiskResult,
    progress: &Progress,
) -> Option<(Begun, DiskStep)> {
    let proposal = next_of_storage(so_far, &session.run.tried, session.budget.left_s())?;
    Some(Begun::new(session, proposal, progress))
}

/// Every experiment on the path to a peer that is worth its time.
pub(crate) fn on_path(session: &mut Session, reached: &Reached, progress: &Progress, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let proposal = next_of_network(&session.run, &reached.name, session.budget.left_s());
        let Some(proposal) = proposal else { return };
        let (begun, plan) = Begun::new(session, proposal, progress);
        let plan = NetPlan { target: reached.address.as_str().into(), ..plan };
        let measured = net::measure(&plan, &reached.options, &mut |_| progress.tick());
        let gap = |error: net::NetError| Gap::new(&reached.name, GapReason::Skipped, error.to_string());
        let name = reached.name.clone();
        let outcome = measured.map_err(gap).map(|report| {
            |tried: &mut Tried| {
                let mut result = report.result;
                result.target.clone_from(&name);
                result.plan.target = name;
                tried.net = Some(result);
            }
        });
        begun.end(session, outcome);
    }
}
