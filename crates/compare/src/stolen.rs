//! CPU time that the hypervisor gave to other guests: where it took more on one side, what is slower there need not be the path.

use fullwire_model::comparison::{Answer, Compared};
use fullwire_model::{Run, median};

/// Sides whose shares differ by more were not measured on the same machine, so to speak (own choice: half of what `cpu-steal`
/// calls too much).
const APART: f64 = 0.05;

/// Takes back each change that the theft explains. What became better in spite of it stays, and so does what a control path, which
/// lost as much, was taken off.
pub(crate) fn doubt(a: &[&Run], b: &[&Run], found: &mut [Compared]) {
    let (Some(before), Some(after)) = (stolen_ratio(a), stolen_ratio(b)) else { return };
    let explained = match after - before {
        more if more > APART => Answer::Worse,
        less if less < -APART => Answer::Better,
        _ => return,
    };
    for compared in found.iter_mut().filter(|one| one.answer == explained && one.control.is_none()) {
        compared.answer = Answer::CannotTell;
        compared.why = Some(format!(
            "the hypervisor took {:.0} % of the CPU time before and {:.0} % after: measure again when it takes as much on both sides",
            before * 100.0,
            after * 100.0
        ));
    }
}

/// The median over the runs of a side; `None`: no run has read it.
fn stolen_ratio(runs: &[&Run]) -> Option<f64> {
    let shares: Vec<f64> = runs
        .iter()
        .filter_map(|run| {
            let time = run.cpu();
            time.ratio(time.steal_ns)
        })
        .collect();
    median(&shares)
}
