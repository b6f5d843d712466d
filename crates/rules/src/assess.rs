use crate::{Outcome, ceiling, rules};
use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, Finding, Unknown};
use std::cmp::Reverse;

/// Judges a run: ceilings, findings (worst first), paths with their bottleneck, verdict.
pub fn assess(run: &Run) -> Assessment {
    let mut assessment = Assessment { ceilings: ceiling::ceilings(run), ..Assessment::default() };
    for rule in rules().filter(|rule| is_wanted(run, rule)) {
        let outcomes = (rule.check)(run);
        let fires = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Fires(_)));
        if !fires && outcomes.iter().any(|outcome| matches!(outcome, Outcome::Passes)) {
            assessment.passed.push(rule.code.to_owned());
        }
        for outcome in outcomes {
            match outcome {
                Outcome::Passes => {}
                Outcome::Fires(finding) => assessment.findings.push(*finding),
                Outcome::Unknown(reason) => {
                    assessment.unknowns.push(Unknown { code: rule.code.to_owned(), reason });
                }
            }
        }
    }
    rank(&mut assessment.findings);
    assessment
}

fn is_wanted(run: &Run, rule: &crate::Rule) -> bool {
    let command = &run.command;
    !command.ignored.iter().any(|code| code == rule.code)
        && (command.only.is_empty() || command.only.contains(&rule.layer))
}

/// Worst first; what explains a path before what is merely untidy; otherwise as the rules stand.
fn rank(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| (Reverse(finding.severity), Reverse(finding.limits)));
}
