//! What keeps a finding from being applied, before anything is done.

use super::led::led_elsewhere;
use super::reach;
use crate::output::person;
use fullwire_model::assessment::{Advice, Finding, Phase, Risk, Step, StepKind};
use std::collections::BTreeSet;

/// What was allowed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Allowed {
    /// What interrupts the service or needs it stopped may be done now.
    pub(crate) window: bool,
    /// The interfaces that carry ssh connections.
    pub(crate) ssh: BTreeSet<String>,
    /// Findings, and commands of them that journals hold as done and to stay.
    pub(crate) done: BTreeSet<(String, String)>,
}

/// What is done now and then what keeps it, in this order.
pub(crate) fn steps(advice: &Advice) -> Vec<&Step> {
    advice.phase(Phase::Now).chain(advice.phase(Phase::Persist)).collect()
}

/// A step here whose command changes something.
pub(crate) fn is_change(step: &Step) -> bool {
    step.is_here() && step.kind != StepKind::Look && step.command().is_some()
}

/// What keeps the finding from being applied, before anything is done; `None`: nothing.
pub(crate) fn obstacle(finding: &Finding, allowed: &Allowed) -> Option<String> {
    let advice = &finding.advice;
    let all = steps(advice);
    if !all.iter().any(|step| is_change(step)) {
        let elsewhere = all.iter().find(|step| !step.is_here() && step.command().is_some());
        return Some(match elsewhere {
            Some(step) => format!("its steps are done on {}", step.on),
            None => "all of it is done by hand".to_owned(),
        });
    }
    let costly = all.iter().find(|step| step.is_here() && advice.risk_of(step) > Risk::Online);
    if let Some(step) = costly.filter(|_| !allowed.window) {
        return Some(format!("{}: it needs --window", cost(advice, step)));
    }
    let here = all.iter().filter(|step| step.is_here());
    if let Some(why) = here.filter_map(|step| step.run.as_deref()).find_map(led_elsewhere) {
        return Some(why);
    }
    // Whoever is cut off takes nothing back by hand.
    let is_stranded = |step: &&&Step| {
        let mut undo = advice.phase(Phase::Undo).filter(|undo| undo.undoes.contains(&step.phase)).peekable();
        let by_command = undo.peek().is_some() && undo.all(|undo| undo.is_here() && undo.command().is_some());
        reach::may_cut(step, &allowed.ssh) && !by_command
    };
    if let Some(step) = all.iter().find(is_stranded) {
        let run = step.run.as_deref().unwrap_or_default();
        return Some(format!(
            "`{run}` may cut off ssh, and no command takes it back: do it from the console"
        ));
    }
    if person::is_there() {
        return None;
    }
    let asks = all.iter().find_map(|step| asked(step));
    let cuts = || {
        let step = all.iter().find(|step| reach::may_cut(step, &allowed.ssh))?;
        let run = step.run.as_deref().unwrap_or_default();
        Some(format!("`{run}` may cut off ssh, and there is no terminal to confirm on that it did not"))
    };
    let by_hand = || {
        let undo = advice.phase(Phase::Undo).find(|step| step.is_here() && step.command().is_none())?;
        Some(format!("taking it back has a step by hand: {}", undo.text))
    };
    asks.or_else(cuts).or_else(by_hand)
}

/// A restart by hand that makes effective what is kept: nobody does it in the middle of this, and it is told at the end.
pub(crate) fn comes_later(step: &Step) -> bool {
    step.phase == Phase::Persist
        && step.is_here()
        && step.run.is_none()
        && matches!(step.kind, StepKind::Restart | StepKind::Reboot)
}

/// What a person is asked before a step, or does.
fn asked(step: &Step) -> Option<String> {
    match step.needs.first() {
        _ if comes_later(step) => None,
        _ if !step.is_here() => Some(format!("it has a step on {}: {}", step.on, step.text)),
        Some(needs) => Some(format!("only a person can tell whether {needs}")),
        None => step.command().is_none().then(|| format!("it has a step by hand: {}", step.text)),
    }
}

/// What a step costs, in words.
pub(crate) fn cost(advice: &Advice, step: &Step) -> String {
    let what = if step.interrupts.is_empty() { "the service" } else { step.interrupts.as_str() };
    match advice.risk_of(step) {
        Risk::Online => "nothing stops".to_owned(),
        Risk::Interrupts => format!("it interrupts {what} for seconds"),
        Risk::Downtime => format!("it needs downtime of {what}"),
    }
}
