//! CPUs that are all busy, in a file that does not tell how many there are.

use super::Timed;
use crate::facts::{ALL_BUSY, LASTING_S};

/// Takes back the runnable tasks of stretches without an idle CPU that are short: how many wait is not known then, and a
/// burst uses every CPU on a healthy host.
pub(super) fn leave_out(windows: &mut [Timed]) {
    let runs: Vec<&mut [Timed]> =
        windows.chunk_by_mut(|one, next| is_all_busy(one) == is_all_busy(next)).collect();
    for run in runs {
        let seconds: f64 = run.iter().map(|timed| timed.window.seconds()).sum();
        if seconds < LASTING_S {
            for timed in run {
                timed.window.to.procs_running = None;
            }
        }
    }
}

fn is_all_busy(timed: &Timed) -> bool {
    let time = timed.window.cpu();
    time.ratio(time.busy_ns().saturating_add(time.steal_ns)) >= Some(ALL_BUSY)
}
