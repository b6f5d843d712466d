//! Rules that compare one kernel setting with what it should be: a file says which and why, the check is one.

use crate::advice::{AdviceExt, set_sysctl};
use crate::facts::side;
use crate::{Facts, FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Advice, Explanation, Layer, Severity};
use fullwire_model::host::Host;
use fullwire_model::quantity::Unit;
use fullwire_model::subject::Kind;

/// A rule about one setting below `/proc/sys`.
pub(crate) trait Setting {
    /// The rule.
    const RULE: Rule;
    /// The setting, dotted.
    const NAME: &'static str;
    /// What to set it to.
    const WANTED: &'static str;
    /// What the setting as it is does: the end of `NAME is VALUE: …`.
    const SAYS: &'static str;
    /// Why the other value is better.
    const WHY: &'static str;
    /// What gain to expect, and how to prove it.
    const EXPECT: &'static str;

    /// What to set it to on this host, given what it is.
    fn wanted(_host: &Host, _numbers: &[u64]) -> String {
        Self::WANTED.to_owned()
    }

    /// The remedy on this host, given what the setting is.
    fn advice(host: &Host, numbers: &[u64]) -> Advice {
        set_sysctl(host, Self::NAME, &Self::wanted(host, numbers), Self::WHY, Self::EXPECT)
    }

    /// It matters on this host.
    fn applies(_run: &Run) -> bool {
        true
    }

    /// The measurements that the current setting limits, as far as they show it.
    fn explains(_run: &Run, _side: &side::Side) -> Vec<Explanation> {
        Vec::new()
    }

    /// How bad the numbers are; `None`: as they should be.
    fn judge(run: &Run, host: &Host, numbers: &[u64]) -> Option<Severity>;
}

/// Compares the setting of this host, and for the network layer that of every peer that reports it, with the wanted value.
pub(crate) fn check<S: Setting>(run: &Facts) -> Vec<Outcome> {
    if !S::applies(run) {
        return Vec::new();
    }
    let both = S::RULE.layer == Layer::Network;
    let sides = side::sides(run).into_iter().filter(|side| both || side.peer.is_none());
    sides.filter_map(|side| outcome::<S>(run, &side)).collect()
}

/// Missing here is unknown; missing at a peer is passed over, for few tell all.
fn outcome<S: Setting>(run: &Run, side: &side::Side) -> Option<Outcome> {
    let numbers = side.host.sysctl_numbers(S::NAME).filter(|numbers| !numbers.is_empty());
    let Some(numbers) = numbers else {
        return side.peer.is_none().then(|| Outcome::Unknown(format!("{} could not be read", S::NAME)));
    };
    let Some(severity) = S::judge(run, side.host, &numbers) else { return Some(Outcome::Passes) };
    let value = numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    let (at, file) =
        (side.subject(Kind::Setting, S::NAME), format!("/proc/sys/{}", S::NAME.replace('.', "/")));
    let finding = S::RULE
        .finding(&at, format!("{at} is {value}: {}", S::SAYS))
        .severity(severity)
        .evidence(format!("{} = {value}", S::NAME), side.source(&file))
        .advice(S::advice(side.host, &numbers).on(side.peer))
        .explains(S::explains(run, side));
    Some(match (numbers.as_slice(), S::WANTED.parse::<f64>()) {
        ([number], Ok(wanted)) => finding.measured(*number as f64, wanted, Unit::Count).into(),
        _ => finding.into(),
    })
}
