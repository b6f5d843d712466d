//! Which findings only follow from others: on a host from a link that was lost, of a figure from the roles of its causes.

use super::severity::{self, is_counted_harm};
use fullwire_model::assessment::{Cause, Evidence, Finding, Role};

/// What its rule saw follow from a lost link follows from the worst finding about that link; where none is about it, it stands
/// for itself.
pub(crate) fn of_links(findings: &mut [Finding]) {
    for index in 0..findings.len() {
        let Some(follows) = findings[index].follows.take() else { continue };
        let is_of_link = |other: &Finding| other.subjects().any(|subject| subject.thing() == follows.from);
        let about = findings.iter().enumerate().filter(|(place, other)| *place != index && is_of_link(other));
        let worst = about.max_by_key(|(place, other)| (other.severity, usize::MAX - place));
        let Some((by, cause)) = worst else { continue };
        let text = format!("a consequence of {} ({})", cause.code, follows.from);
        tell(&mut findings[index], Some(by), Evidence { text, source: follows.source }, follows.harms);
    }
}

/// What is an effect wherever it was weighed follows from the primary cause of that figure.
pub(crate) fn of_figures(causes: &[&Cause], findings: &mut [Finding]) {
    for (index, finding) in findings.iter_mut().enumerate() {
        let own = || causes.iter().filter(|cause| cause.finding == Some(index));
        let is_effect = own().all(|cause| cause.role == Role::Effect);
        let Some(first) = own().next().filter(|_| is_effect) else { continue };
        let harms = own().any(|cause| is_counted_harm(cause.mechanism));
        let is_primary =
            |other: &&&Cause| other.measurement == first.measurement && other.role == Role::Primary;
        let primary = causes.iter().find(is_primary);
        let by = primary.map_or("another cause", |cause| cause.code.as_str());
        let text = format!("a consequence of {by}");
        let evidence = Evidence { text, source: "causes of the measurement".into() };
        tell(finding, primary.and_then(|cause| cause.finding), evidence, harms);
    }
}

fn tell(finding: &mut Finding, by: Option<usize>, evidence: Evidence, harms: bool) {
    finding.consequence_of.extend(by);
    finding.evidence.push(evidence);
    severity::lower(finding, harms);
}
