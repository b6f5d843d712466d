//! Which steps take back what a step has done.

use super::obstacle::steps;
use crate::journal::Undo;
use fullwire_model::assessment::{Advice, Check, Phase, Risk, Step, StepKind};
use fullwire_rules::advice::effect::{edits, setting};

/// What takes back a setting or a file goes with the step that made it; what else takes a phase back, with the phase's first
/// step: it puts right whatever of the phase was done. `covered`: the phases of which a step is in the journal.
pub(super) fn of(advice: &Advice, step: &Step, covered: &mut Vec<Phase>) -> Vec<Undo> {
    // What was only written down needs no way back.
    if step.kind == StepKind::Save {
        return Vec::new();
    }
    let is_meant = |undo: &&Step| {
        let mut makers = steps(advice).into_iter().filter(|one| undo.undoes.contains(&one.phase));
        let is_open = !undo.undoes.iter().any(|phase| covered.contains(phase));
        undo.is_here()
            && undo.undoes.contains(&step.phase)
            && if makers.any(|one| is_of(undo, one)) { is_of(undo, step) } else { is_open }
    };
    let undo = advice.phase(Phase::Undo).filter(is_meant).map(|undo| Undo {
        text: undo.text.clone(),
        run: undo.command().map(std::string::ToString::to_string),
        is_back: undo.read_back.as_ref().map(ToString::to_string),
        kind: undo.kind,
        interrupts: undo.interrupts.clone(),
        checks: checks(undo, step).iter().map(|check| check.run.to_string()).collect(),
    });
    let undo = undo.collect();
    covered.push(step.phase);
    undo
}

/// It takes back what this step sets or writes, and not another one's work.
fn is_of(undo: &Step, step: &Step) -> bool {
    let (Some(back), Some(run)) = (undo.run.as_deref(), step.run.as_deref()) else { return false };
    let files = edits(back);
    let writes = files.nothing_else && files.files.iter().all(|file| step.writes.contains(file));
    writes || setting(run).is_some_and(|name| setting(back) == Some(name))
}

/// What must be true before a step is taken back later: what needs a service stopped needs it stopped for the way back too.
fn checks<'a>(undo: &'a Step, step: &'a Step) -> &'a [Check] {
    if undo.checks.is_empty() && step.risk() == Risk::Downtime { &step.checks } else { &undo.checks }
}
