//! The XML of JUnit, as Jenkins and GitLab read it: a suite for each area, a case for each rule and what it looked at.
//!
//! A finding as bad as requested is a failure, a milder one a passed case that says so; a rule that could not be
//! decided or was waived is skipped with the reason, and so is a gap.

use crate::Printed;
use crate::json::RuleCard;
use crate::report::asked;
use fullwire_model::assessment::{Answer, Assessment, Finding, Layer, Reply, Severity, harmless_lines};
use fullwire_model::disk::DiskResult;
use fullwire_model::{MeasurementId, PathName, Run};
use std::fmt::Write as _;

const LAYERS: [Layer; 4] = [Layer::Network, Layer::Storage, Layer::Host, Layer::Database];

/// The document. `rules` is every rule there is, `waived` are the codes that were to be left out, `fails` says which
/// severities fail.
pub fn junit(
    run: &Run,
    assessment: &Assessment,
    rules: &[RuleCard],
    waived: &[String],
    fails: impl Fn(Severity) -> bool,
) -> Printed {
    let mut suites: Vec<Suite> = LAYERS.map(|layer| area(layer, assessment, rules, waived, &fails)).into();
    suites.push(answers(assessment));
    suites.push(measurements(run, assessment));
    suites.push(gaps(run));
    suites.retain(|suite| !suite.cases.is_empty());
    let count = |what: fn(&Case) -> bool| {
        suites.iter().flat_map(|suite| &suite.cases).filter(|case| what(case)).count()
    };
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        text,
        "<testsuites name=\"fullwire\" tests=\"{}\" failures=\"{}\" errors=\"{}\">",
        count(|_| true),
        count(Case::failed),
        count(Case::erred)
    );
    for suite in &suites {
        text += &suite.drawn(run);
    }
    text.push_str("</testsuites>\n");
    Printed::lines(&text)
}

struct Suite {
    name: String,
    cases: Vec<Case>,
}

struct Case {
    name: String,
    seconds: f64,
    outcome: CaseOutcome,
}

enum CaseOutcome {
    Passed(String),
    Failed { kind: &'static str, message: String, text: String },
    Erred(String),
    Skipped(String),
}

impl Case {
    fn new(name: String, outcome: CaseOutcome) -> Self {
        Self { name, seconds: 0.0, outcome }
    }

    fn failed(&self) -> bool {
        matches!(self.outcome, CaseOutcome::Failed { .. })
    }

    fn erred(&self) -> bool {
        matches!(self.outcome, CaseOutcome::Erred(_))
    }

    fn skipped(&self) -> bool {
        matches!(self.outcome, CaseOutcome::Skipped(_))
    }
}

fn area(
    layer: Layer,
    assessment: &Assessment,
    rules: &[RuleCard],
    waived: &[String],
    fails: &impl Fn(Severity) -> bool,
) -> Suite {
    let ours = |code: &str| rules.iter().any(|rule| rule.code == code && rule.area == layer);
    let is_waived = |code: &str| waived.iter().any(|one| one == code);
    let mut cases: Vec<Case> = Vec::new();
    for finding in assessment.findings.iter().filter(|finding| finding.layer == layer) {
        let outcome = match (is_waived(&finding.code), fails(finding.severity)) {
            (true, _) => CaseOutcome::Skipped("waived".into()),
            (false, true) => failure(finding),
            (false, false) => CaseOutcome::Passed(finding.message.clone()),
        };
        cases.push(Case::new(format!("{} ({})", finding.code, finding.subject), outcome));
    }
    for unknown in assessment.unknowns.iter().filter(|unknown| ours(&unknown.code)) {
        cases.push(Case::new(unknown.code.clone(), CaseOutcome::Skipped(unknown.reason.clone())));
    }
    for code in assessment.passed.iter().filter(|code| ours(code)) {
        cases.push(Case::new(code.clone(), CaseOutcome::Passed(String::new())));
    }
    Suite { name: layer.name().to_owned(), cases: numbered(cases) }
}

/// A case is known by its name: of several with one name each has a number.
fn numbered(mut cases: Vec<Case>) -> Vec<Case> {
    for index in 1..cases.len() {
        let before = cases[..index].iter().filter(|case| case.name == cases[index].name).count();
        if before > 0 {
            let name = format!("{} [{}]", cases[index].name, before + 1);
            cases[index].name = name;
        }
    }
    cases
}

fn failure(finding: &Finding) -> CaseOutcome {
    let mut text = String::new();
    for evidence in &finding.evidence {
        let _ = writeln!(text, "seen {} ({})", evidence.text, evidence.source);
    }
    for step in &finding.advice.steps {
        let _ = writeln!(text, "do   {}", step.text);
        if let Some(command) = &step.run {
            let _ = writeln!(text, "     {command}");
        }
    }
    CaseOutcome::Failed { kind: finding.severity.name(), message: finding.message.clone(), text }
}

/// What was asked of a path: what is not enough, or not kept, is a failure.
fn answers(assessment: &Assessment) -> Suite {
    let case = |answer: &Answer| {
        let outcome = match answer.answer {
            Reply::NotEnough | Reply::Missed => CaseOutcome::Failed {
                kind: answer.answer.name(),
                message: answer.text.clone(),
                text: answer.basis.clone(),
            },
            Reply::Broken => CaseOutcome::Erred(answer.text.clone()),
            Reply::Unknown => CaseOutcome::Skipped(answer.text.clone()),
            _ => CaseOutcome::Passed(answer.text.clone()),
        };
        Case::new(format!("{} {}", answer.subject, answer.question.name()), outcome)
    };
    Suite { name: "answers".into(), cases: numbered(asked(&assessment.answers).map(case).collect()) }
}

/// How long each probe took; one that could not measure is an error.
fn measurements(run: &Run, assessment: &Assessment) -> Suite {
    let seconds = |target: &PathName, id: &MeasurementId| {
        let net = run.net_measurements().find(|(own, one)| one.target == *target && own == id);
        let disk = run.disk_of(target);
        let step = disk.flat_map(DiskResult::measurements).find(|(own, _)| own == id);
        net.map(|(_, one)| one.duration_s).or(step.map(|(_, step)| step.duration_s)).unwrap_or(0.0)
    };
    let mut cases = Vec::new();
    for path in &assessment.paths {
        if path.measured.is_none() && !run.has_no_rate(path.kind, &path.target) {
            let outcome = CaseOutcome::Erred("could not be measured; the gaps say why".into());
            cases.push(Case::new(path.target.to_string(), outcome));
        }
        for measurement in &path.measurements {
            let figure = measurement.value.map(|value| crate::format::value(value, measurement.unit));
            cases.push(Case {
                name: format!("{} {}", path.target, measurement.id),
                seconds: seconds(&path.target, &measurement.id),
                outcome: CaseOutcome::Passed(figure.unwrap_or_default()),
            });
        }
    }
    Suite { name: "measurements".into(), cases: numbered(cases) }
}

fn gaps(run: &Run) -> Suite {
    let case = |gap: &fullwire_model::Gap| {
        Case::new(gap.subject.clone(), CaseOutcome::Skipped(format!("{}: {}", gap.reason, gap.detail)))
    };
    Suite { name: "gaps".into(), cases: numbered(crate::gaps(run).iter().map(case).collect()) }
}

impl Suite {
    fn drawn(&self, run: &Run) -> String {
        let count = |what: fn(&Case) -> bool| self.cases.iter().filter(|case| what(case)).count();
        let seconds: f64 = self.cases.iter().map(|case| case.seconds).sum();
        // XML Schema's dateTime without a zone, as the first writers of the format had it.
        let when = run.started.strftime("%Y-%m-%dT%H:%M:%S");
        let mut text = format!(
            "  <testsuite name={} tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\" \
             timestamp=\"{when}\" hostname={}>\n    <properties>\n",
            quoted(&self.name),
            self.cases.len(),
            count(Case::failed),
            count(Case::erred),
            count(Case::skipped),
            quoted(&run.host.hostname),
        );
        let tag = run.tag.as_deref().unwrap_or("");
        for (name, value) in [("run", &*run.run_id), ("version", &*run.tool_version), ("tag", tag)] {
            let _ = writeln!(text, "      <property name=\"{name}\" value={}/>", quoted(value));
        }
        text.push_str("    </properties>\n");
        for case in &self.cases {
            text += &case.drawn(&self.name);
        }
        text + "  </testsuite>\n"
    }
}

impl Case {
    fn drawn(&self, suite: &str) -> String {
        let head = format!(
            "    <testcase classname=\"fullwire.{suite}\" name={} time=\"{:.3}\"",
            quoted(&self.name),
            self.seconds
        );
        let inner = match &self.outcome {
            CaseOutcome::Passed(said) if said.is_empty() => return format!("{head}/>\n"),
            CaseOutcome::Passed(said) => format!("<system-out>{}</system-out>", escaped(said)),
            CaseOutcome::Failed { kind, message, text } => {
                format!("<failure type=\"{kind}\" message={}>{}</failure>", quoted(message), escaped(text))
            }
            CaseOutcome::Erred(message) => format!("<error message={}/>", quoted(message)),
            CaseOutcome::Skipped(message) => format!("<skipped message={}/>", quoted(message)),
        };
        format!("{head}>\n      {inner}\n    </testcase>\n")
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(&crate::harmless(text)))
}

/// Without the characters that XML 1.0 has no way to write.
fn escaped(text: &str) -> String {
    let text: String =
        harmless_lines(text).chars().filter(|c| !matches!(c, '\r' | '\u{fffe}' | '\u{ffff}')).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
