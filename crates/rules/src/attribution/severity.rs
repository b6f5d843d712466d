//! How bad a finding is once it is known what brought it about. A rule states its highest severity; what only follows
//! from another cause is lowered to a note here, and nowhere else. What did harm to a measured path by its own counters
//! stays what it is, whatever brought it about: its remedy helps by itself.

use super::Choice;
use fullwire_model::assessment::{Cause, Finding, Mechanism, Role, Severity};

/// What only follows from another finding, and does no harm of its own, is worth knowing and no more.
pub(super) fn lower(finding: &mut Finding, harms: bool) {
    if !harms {
        finding.severity = Severity::Info;
    }
}

/// Packets or requests were lost on this host, and a counter of the measurement's own time says how many.
pub(super) const fn is_counted_harm(mechanism: Mechanism) -> bool {
    matches!(mechanism, Mechanism::OwnQueueDrops | Mechanism::IoErrors)
}

/// The severity by which a figure's verdict is judged: that of the finding that is the primary cause, or the worst of what
/// did harm by its own counters.
pub(crate) fn felt(choice: &Choice, findings: &[Finding]) -> Option<Severity> {
    let severity = |cause: &Cause| Some(findings.get(cause.finding?)?.severity);
    let harmful =
        choice.causes.iter().filter(|cause| cause.role == Role::Effect && is_counted_harm(cause.mechanism));
    let worst = harmful.filter_map(severity).max().filter(|severity| *severity >= Severity::Warning);
    choice.primary().and_then(severity).max(worst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::MeasurementId;
    use fullwire_model::assessment::Layer;
    use fullwire_model::net::NetResult;
    use fullwire_model::subject::Kind;

    fn cause(role: Role, mechanism: Mechanism, finding: Option<usize>) -> Cause {
        Cause {
            role,
            measurement: MeasurementId::numbered(&NetResult::default().question(), 0),
            code: "a-cause".into(),
            subject: String::new(),
            layer: Layer::Host,
            mechanism,
            finding,
            bound: None,
            active_share: None,
            after: None,
        }
    }

    fn finding() -> Finding {
        crate::rule("softnet-drops")
            .expect("a rule")
            .finding(Kind::Host.named("db1"), "the backlog dropped 6 % of the packets")
    }

    /// A busy CPU lets its backlog overflow; 6 % of the measured packets were lost all the same.
    #[test]
    fn what_lost_packets_of_the_measurement_is_no_note() {
        let causes = [
            cause(Role::Primary, Mechanism::CpuBusy, None),
            cause(Role::Effect, Mechanism::OwnQueueDrops, Some(0)),
            cause(Role::Effect, Mechanism::DelayVariation, Some(1)),
        ];
        let mut findings = [finding(), finding()];
        crate::attribution::effects::of_figures(&causes.iter().collect::<Vec<_>>(), &mut findings);
        assert_eq!(findings.each_ref().map(|one| one.severity), [Severity::Warning, Severity::Info]);
        assert!(findings.iter().all(|one| one.evidence[0].text == "a consequence of a-cause"));
        let choice = Choice { causes: causes.to_vec(), explained: 1.0, ceiling: None };
        assert_eq!(felt(&choice, &findings), Some(Severity::Warning));
        let without =
            Choice { causes: vec![causes[0].clone(), causes[2].clone()], explained: 1.0, ceiling: None };
        assert_eq!(felt(&without, &findings), None);
    }
}
