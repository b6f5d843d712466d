//! A run as services with states, as Nagios and similar ones think: one for the host, one for each path.

use super::judgement::path_kind;
use crate::format;
use crate::report::{asked, with_figure};
use fullwire_model::Run;
use fullwire_model::assessment::{
    Answer, Assessment, Finding, MeasurementAssessment, PathAssessment, Reply, Severity, Verdict,
};
use fullwire_model::graph::Topology;
use fullwire_model::quantity::Unit;
use std::collections::BTreeSet;

/// The four states, with the numbers that every such system gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceState {
    /// 0.
    Ok,
    /// 1.
    Warning,
    /// 2.
    Critical,
    /// 3: nothing is known.
    Unknown,
}

impl ServiceState {
    /// The number, which is also the exit status of a plugin.
    pub fn number(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Warning => 1,
            Self::Critical => 2,
            Self::Unknown => 3,
        }
    }

    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Warning => "WARNING",
            Self::Critical => "CRITICAL",
            Self::Unknown => "UNKNOWN",
        }
    }

    /// The worse of two: critical, warning, unknown, ok (`max_state` of monitoring-plugins, `lib/utils_base.c`).
    pub(super) fn worse(self, other: Self) -> Self {
        let rank = |state: Self| match state {
            Self::Ok => 0,
            Self::Unknown => 1,
            Self::Warning => 2,
            Self::Critical => 3,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

/// One service.
#[derive(Debug, Clone, PartialEq)]
pub struct Service {
    /// `host`, `network db2:5555`, `storage /u01/oradata`.
    pub name: String,
    /// Its state.
    pub state: ServiceState,
    /// One short line.
    pub summary: String,
    /// What was asked with its answer, then findings, worst first.
    pub findings: Vec<String>,
    /// Numbers with what they are compared with.
    pub figures: Vec<Figure>,
}

/// A number of a service.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// `async`, `ora-lgwr sequential write 8k depth 1`, `findings critical`.
    pub name: String,
    /// In seconds, bytes, bytes per second, or a count.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
    /// The most that it can be, in the same unit.
    pub most: Option<f64>,
}

/// The service of a host of which no run is kept.
pub fn nothing_kept(reason: &str) -> Service {
    Service {
        name: "host".into(),
        state: ServiceState::Unknown,
        summary: crate::harmless(reason),
        findings: Vec::new(),
        figures: Vec::new(),
    }
}

/// The services of a run. Of one that is too old nothing is known any more: `stale` says how old.
pub(super) fn services(run: &Run, assessment: &Assessment, stale: Option<&str>) -> Vec<Service> {
    let topology = Topology::of_run(run);
    let mut all = vec![host(run, &topology, assessment)];
    all.extend(assessment.paths.iter().map(|path| of_path(&topology, path, assessment)));
    if let Some(age) = stale {
        for service in &mut all {
            service.state = ServiceState::Unknown;
            service.summary = format!("{age}; then: {}", service.summary);
        }
    }
    all
}

/// The findings that are about no path.
fn host(run: &Run, topology: &Topology, assessment: &Assessment) -> Service {
    let about_host = |finding: &&Finding| !assessment.paths.iter().any(|path| is_of(topology, finding, path));
    let findings: Vec<&Finding> = assessment.findings.iter().filter(about_host).collect();
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (critical, warning) = (count(Severity::Critical), count(Severity::Warning));
    let worst =
        findings.iter().map(|finding| state_of(finding.severity)).fold(ServiceState::Ok, ServiceState::worse);
    let first = findings.first().filter(|_| worst != ServiceState::Ok);
    let first = first.map(|finding| format!(": {} ({})", finding.code, finding.subject)).unwrap_or_default();
    let number = |name: &str, value: usize| Figure {
        name: name.into(),
        value: value as f64,
        unit: Unit::Count,
        most: None,
    };
    Service {
        name: "host".into(),
        state: worst,
        summary: crate::harmless(&format!("{critical} critical, {warning} warnings{first}")),
        findings: findings.iter().map(|finding| line(finding, "")).collect(),
        figures: vec![
            number("findings critical", critical),
            number("findings warning", warning),
            number("gaps", crate::gaps(run).len()),
        ],
    }
}

fn is_of(topology: &Topology, finding: &Finding, path: &PathAssessment) -> bool {
    topology.is_about(finding, path.kind, &path.target) == Some(true)
}

fn of_path(topology: &Topology, path: &PathAssessment, assessment: &Assessment) -> Service {
    let own = assessment.findings.iter().filter(|finding| is_of(topology, finding, path));
    let findings: Vec<&Finding> = own.collect();
    let asked: Vec<&Answer> =
        asked(&assessment.answers).filter(|answer| is_about(assessment, answer, path)).collect();
    let replies = || asked.iter().map(|answer| answer.answer);
    let broke = asked.iter().find(|answer| answer.answer == Reply::Broken);
    let met = is_met(replies());
    // A path MTU or a round trip has no rate, and is an answer.
    let in_words = of_words(assessment, path).filter(|_| broke.is_none());
    let of_verdict = match (path.measured, path.verdict) {
        (None, _) if in_words.is_none() => ServiceState::Unknown,
        // Enough, or as promised: how far from its ceiling it is was not asked.
        (Some(_), Verdict::Poor) if !met => ServiceState::Warning,
        _ => ServiceState::Ok,
    };
    let of_verdict = replies().map(state_of_answer).fold(of_verdict, ServiceState::worse);
    let words: BTreeSet<String> = asked.iter().map(|answer| answer.answer.name().replace('-', " ")).collect();
    let word = words.into_iter().reduce(|all, word| format!("{all}, {word}"));
    let said = asked.iter().map(|answer| crate::harmless(&format!("ANSWER {}", answer.text)));
    let word = word.as_deref().unwrap_or(path.verdict.name());
    // What limits a path that does what was asked of it is no alarm.
    let only_limits = |finding: &Finding| {
        met && finding.severity < Severity::Critical
            && path.causes.iter().any(|cause| cause.code == finding.code)
    };
    // A state that the answer does not explain is that of a finding.
    let worse = |finding: &&&Finding| {
        !only_limits(finding) && of_verdict.worse(state_of(finding.severity)) != of_verdict
    };
    let first = findings.iter().find(worse);
    let beside = first.filter(|finding| finding.code != path.bottleneck.code);
    let word = beside.map_or(word.to_owned(), |finding| format!("{word}, {}", finding.code));
    let told = match broke {
        Some(broke) => format!("{word}: {}", broke.text),
        None => in_words.unwrap_or_else(|| summary(assessment, path, &word)),
    };
    Service {
        name: crate::harmless(&format!("{} {}", path_kind(path.kind), path.target)),
        state: first.map_or(of_verdict, |finding| state_of(finding.severity)),
        summary: crate::harmless(&told),
        findings: said.chain(findings.iter().map(|finding| line(finding, path.target.as_str()))).collect(),
        // What a test that broke carried for a moment is no figure of the path.
        figures: path
            .measurements
            .iter()
            .filter(|_| broke.is_none())
            .filter_map(|one| figure(one, assessment))
            .collect(),
    }
}

/// The answer about a path of which no rate was measured.
fn of_words(assessment: &Assessment, path: &PathAssessment) -> Option<String> {
    let is_told = |answer: &&Answer| answer.answer == Reply::Measured && is_about(assessment, answer, path);
    let told = assessment.answers.iter().find(is_told).filter(|_| path.measured.is_none())?;
    Some(told.text.clone())
}

fn is_about(assessment: &Assessment, answer: &Answer, path: &PathAssessment) -> bool {
    assessment.path_of(path.kind, &answer.subject) == Some(path)
}

/// What was asked is met, as far as it is known.
fn is_met(mut replies: impl Iterator<Item = Reply>) -> bool {
    let met = |reply| matches!(reply, Reply::Enough | Reply::Kept | Reply::Exceeded);
    let mut any = false;
    replies.all(|reply| {
        any |= met(reply);
        met(reply) || reply == Reply::Unknown
    }) && any
}

fn state_of_answer(answer: Reply) -> ServiceState {
    match answer {
        Reply::NotEnough | Reply::Missed => ServiceState::Warning,
        Reply::Broken => ServiceState::Unknown,
        _ => ServiceState::Ok,
    }
}

/// `word`: the answer to what was asked or, where nothing was, the verdict.
fn summary(assessment: &Assessment, path: &PathAssessment, word: &str) -> String {
    let Some(measured) = path.measured else { return "could not be measured".into() };
    let answer = with_figure(&assessment.answers, Some(path));
    let (figure, unit) = answer.and_then(|one| one.figure.zip(one.unit)).unwrap_or((measured, path.unit));
    let is_judged = unit == path.unit && figure.total_cmp(&measured).is_eq();
    let beside = path.ceiling.filter(|_| is_judged);
    let beside = beside.map(|ceiling| format!(" of {}", format::value(ceiling, unit)));
    let limit =
        Some(&path.bottleneck.code).filter(|code| !code.is_empty() && path.verdict != Verdict::FullWire);
    let limit = limit.map(|code| format!(", limited by {code}")).unwrap_or_default();
    // What limits it comes before the numbers: a pager cuts the line.
    let of = answer.map(|answer| answer.of.as_str()).filter(|of| !of.is_empty());
    let of = of.map(|of| format!(" {of}")).unwrap_or_default();
    format!("{word}{limit}: {}{of}{}", format::value(figure, unit), beside.unwrap_or_default())
}

fn figure(measurement: &MeasurementAssessment, assessment: &Assessment) -> Option<Figure> {
    let ceiling = measurement.ceiling.and_then(|index| assessment.ceilings.get(index));
    let most = ceiling.filter(|ceiling| ceiling.unit == measurement.unit).map(|ceiling| ceiling.value);
    let (unit, factor) = if measurement.unit == Unit::Ns { (Unit::S, 1e-9) } else { (measurement.unit, 1.0) };
    let value = measurement.value.filter(|value| value.is_finite())? * factor;
    let most = most.filter(|most| most.is_finite()).map(|most| most * factor);
    Some(Figure { name: crate::harmless(&measurement.id.to_string()), value, unit, most })
}

/// `WARNING cpu-saturated (CPU, net db2:5555): ...`: what was found while a path was measured names the path.
fn line(finding: &Finding, path: &str) -> String {
    let severity = finding.severity.name().to_uppercase();
    let named = path.is_empty() || finding.subject.contains(path) || finding.message.contains(path);
    let during = if named { String::new() } else { format!(", {path}") };
    crate::harmless(&format!(
        "{severity} {} ({}{during}): {}",
        finding.code, finding.subject, finding.message
    ))
}

fn state_of(severity: Severity) -> ServiceState {
    match severity {
        Severity::Info => ServiceState::Ok,
        Severity::Warning => ServiceState::Warning,
        Severity::Critical => ServiceState::Critical,
    }
}
