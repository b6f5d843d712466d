//! The steps of a remedy in the groups in which a person takes them.

use fullwire_model::assessment::{Advice, Phase, Risk, Step};

/// Steps that belong together.
pub(crate) struct PhaseSteps<'a> {
    /// `now`, `permanent` or `undo`.
    pub(crate) name: &'static str,
    /// Some of them interrupt the service or need it stopped.
    pub(crate) in_window: bool,
    /// In order.
    pub(crate) steps: Vec<&'a Step>,
}

/// Now, permanent and undo; a phase of which one step is disruptive is one plan for a maintenance window from that step
/// on, because what follows depends on it.
pub(crate) fn plans(advice: &Advice) -> Vec<PhaseSteps<'_>> {
    let mut plans = Vec::new();
    for phase in [Phase::Now, Phase::Persist, Phase::Undo] {
        let name = phase_name(phase);
        let steps: Vec<&Step> = advice.phase(phase).collect();
        let first = steps.iter().position(|step| step.risk() != Risk::Online).unwrap_or(steps.len());
        let (online, disruptive) = steps.split_at(first);
        for (steps, in_window) in [(online, false), (disruptive, true)] {
            if !steps.is_empty() {
                plans.push(PhaseSteps { name, in_window, steps: steps.to_vec() });
            }
        }
    }
    plans
}

/// What a step says, with the host when it is not this one and what it costs.
pub(crate) fn sentence(step: &Step) -> String {
    let on = if step.is_here() { String::new() } else { format!("On {}: ", step.on) };
    format!("{on}{}{}", step.text, cost(step.risk()))
}

/// A phase as it stands before its steps.
pub(crate) fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Now => "now",
        Phase::Persist => "permanent",
        Phase::Undo => "undo",
    }
}

/// What a step costs those who use the service.
pub(crate) fn cost(risk: Risk) -> &'static str {
    match risk {
        Risk::Online => "",
        Risk::Interrupts => " (interrupts the service for seconds)",
        Risk::Downtime => " (needs downtime)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::StepKind;

    fn step(phase: Phase, kind: StepKind, on: &str) -> Step {
        Step { on: on.into(), kind, ..Step::by_hand(phase, "Fix") }
    }

    #[test]
    fn what_interrupts_and_what_follows_it_is_for_a_maintenance_window() {
        let advice = Advice {
            steps: vec![
                step(Phase::Now, StepKind::Set, "here"),
                step(Phase::Now, StepKind::Restart, "here"),
                step(Phase::Now, StepKind::Set, "here"),
                step(Phase::Undo, StepKind::Set, "db2:5555"),
            ],
            ..Advice::default()
        };
        let plans: Vec<_> =
            plans(&advice).iter().map(|plan| (plan.name, plan.in_window, plan.steps.len())).collect();
        assert_eq!(plans, [("now", false, 1), ("now", true, 2), ("undo", false, 1)]);
        assert_eq!(sentence(&advice.steps[1]), "Fix (needs downtime)");
        assert_eq!(sentence(&advice.steps[3]), "On db2:5555: Fix");
    }
}
