//! Rules that compare one kernel setting with what it should be: a file says which and why, the check is one.

use crate::advice::{AdviceExt, set_sysctl};
use crate::facts::side;
use crate::{Facts, FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Advice, Explanation, Layer, Severity};
use fullwire_model::host::Host;
use fullwire_model::quantity::Unit;
use fullwire_model::subject::Kind;

/// A setting below `/proc/sys`, and what it should be.
pub(crate) struct Setting {
    /// The setting, dotted.
    pub(crate) name: &'static str,
    /// What to set it to.
    pub(crate) wanted: &'static str,
    /// What the setting as it is does: the end of `NAME is VALUE: …`.
    pub(crate) says: &'static str,
    /// Why the other value is better.
    pub(crate) why: &'static str,
    /// What gain to expect, and how to prove it.
    pub(crate) expect: &'static str,
    /// How bad the numbers are; `None`: as they should be.
    pub(crate) judge: fn(&Run, &Host, &[u64]) -> Option<Severity>,
    /// It matters on this host.
    pub(crate) applies: fn(&Run) -> bool,
    /// The remedy on this host, given what the setting is.
    pub(crate) advice: fn(&Setting, &Host, &[u64]) -> Advice,
    /// The measurements that the current setting limits, as far as they show it.
    pub(crate) explains: fn(&Run, &side::Side) -> Vec<Explanation>,
}

/// A setting that matters on each host and limits no figure, and whose wanted value is the same on all.
pub(crate) const USUAL: Setting = Setting {
    name: "",
    wanted: "",
    says: "",
    why: "",
    expect: "",
    judge: |_, _, _| None,
    applies: |_| true,
    advice: |own, host, _| set_sysctl(host, own.name, own.wanted, own.why, own.expect),
    explains: |_, _| Vec::new(),
};

/// Compares the setting of this host, and for the network layer that of every peer that reports it, with the wanted value.
pub(crate) fn check(run: &Facts, rule: &Rule, setting: &Setting) -> Vec<Outcome> {
    if !(setting.applies)(run) {
        return Vec::new();
    }
    let both = rule.layer == Layer::Network;
    let sides = side::sides(run).into_iter().filter(|side| both || side.peer.is_none());
    sides.filter_map(|side| outcome(run, rule, setting, &side)).collect()
}

/// Missing here is unknown; missing at a peer is passed over, for few tell all.
fn outcome(run: &Run, rule: &Rule, setting: &Setting, side: &side::Side) -> Option<Outcome> {
    let name = setting.name;
    let numbers = side.host.sysctl_numbers(name).filter(|numbers| !numbers.is_empty());
    let Some(numbers) = numbers else {
        return side.peer.is_none().then(|| unknown!("{name} could not be read"));
    };
    let Some(severity) = (setting.judge)(run, side.host, &numbers) else { return Some(Outcome::Passes) };
    let value = numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    let (at, file) = (side.subject(Kind::Setting, name), format!("/proc/sys/{}", name.replace('.', "/")));
    let finding = rule
        .finding(&at, format!("{at} is {value}: {}", setting.says))
        .severity(severity)
        .evidence(format!("{name} = {value}"), side.source(&file))
        .advice((setting.advice)(setting, side.host, &numbers).on(side.peer))
        .explains((setting.explains)(run, side));
    Some(match (numbers.as_slice(), setting.wanted.parse::<f64>()) {
        ([number], Ok(wanted)) => finding.measured(*number as f64, wanted, Unit::Count).into(),
        _ => finding.into(),
    })
}
