//! What a caller sees of a running probe, and what it may tell it.

use crate::disk::DiskError;
use fullwire_model::ProbeId;
use fullwire_model::counters::Counters;
use fullwire_model::disk::{DiskResult, DiskStep, DiskStepResult};
use fullwire_model::host::Host;
use std::path::PathBuf;
use std::time::Duration;

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Looks at the target without load.
    Idle,
    /// Writes the private file.
    Layout,
    /// Measures a step.
    Step,
}

/// How far a probe is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Number of the step or repeat, from 0.
    pub step: usize,
    /// How many there are.
    pub steps: usize,
    /// Share of this stage that is done, 0 to 1.
    pub done: f64,
    /// I/Os per second since the stage began.
    pub iops: f64,
    /// Bytes per second since the stage began.
    pub bytes_per_s: f64,
}

/// The caller's side of a probe. All methods have defaults: `()` is a caller that neither looks nor tells.
pub trait DiskHooks {
    /// The host's counters now, for the layers under the target; the default knows nothing.
    fn counters(&mut self) -> Counters {
        Counters::default()
    }

    /// The host's records, for the devices under the target.
    fn host(&self) -> Option<&Host> {
        None
    }

    /// The tightest CPU quota of the control groups that this process is in, CPUs; `None`: no limit.
    fn cpu_quota(&self) -> Option<f64> {
        None
    }

    /// The control group that leaves least memory, and the bytes; `None`: no limit.
    fn memory_room(&self) -> Option<(String, u64)> {
        None
    }

    /// The counters around the steps of one probe, to be kept; `None`: the span without load.
    fn window(&mut self, probe: Option<ProbeId>, from: Counters, to: Counters) {
        let _ = (probe, from, to);
    }

    /// Called ten to twenty times per second.
    fn progress(&mut self, progress: &Progress) {
        let _ = progress;
    }

    /// Has the target touched by another process ([`crate::disk::hang::touch`]); [`DiskError::NoAnswer`]: that did not come back in
    /// time. A call that hangs in the kernel here would keep this process from ever ending.
    fn touch(&mut self, target: &str, limit: Duration) -> Result<(), DiskError> {
        let _ = (target, limit);
        Ok(())
    }

    /// Asked after the plan, while the target is still prepared: one more step, seeing what came out so far; `None`: enough.
    fn next(&mut self, so_far: &DiskResult) -> Option<DiskStep> {
        let _ = so_far;
        None
    }

    /// What came of that step.
    fn tried(&mut self, outcome: Result<DiskStepResult, DiskError>) {
        let _ = outcome;
    }

    /// Where notes of private files are kept.
    fn state_dir(&self) -> PathBuf {
        crate::state::state_dir()
    }
}

impl DiskHooks for () {}
