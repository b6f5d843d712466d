//! What the user asked, answered: the one place that says it for every output.

mod asked;
mod complete;
mod enough;
mod health;
mod network;
mod promise;
mod storage;
mod told;
mod transport;
mod words;

pub(crate) use asked::enough_buffers;
pub(crate) use promise::{is_kept, is_promise};

use crate::Facts;
use crate::ceiling::{Basis, kind};
use fullwire_model::assessment::{Answer, Assessment, PathAssessment, Reply, UserQuestion};
use fullwire_model::{MeasurementId, Run};

/// Every question that this run answers, in the order in which they are read.
pub(crate) fn answers(facts: &Facts, assessment: &Assessment) -> Vec<Answer> {
    let mut all = complete::answers(facts, assessment);
    all.extend(enough::answers(facts, assessment));
    all.extend(transport::answers(facts));
    all.extend(promise::answers(facts, assessment));
    match facts.command.name.as_str() {
        "assess" => {
            all.extend(storage::answers(facts, assessment));
            all.extend(network::answers(facts, assessment));
        }
        "disk" => all.extend(storage::commits(facts, assessment)),
        "check" => all.extend(health::answer(assessment)),
        _ => {}
    }
    let asked = asked::answers(facts, &all);
    all.extend(asked);
    let told = told::answers(facts, assessment, &all);
    all.extend(told);
    all.extend(more(facts));
    all
}

/// What limits a figure: its code, and a sentence.
fn limited(assessment: &Assessment, path: &PathAssessment, id: &MeasurementId) -> Option<(String, String)> {
    let code = path.measurement_of(id)?.causes.first()?;
    let explains = |finding: &&fullwire_model::assessment::Finding| {
        finding.code == *code && !finding.explains.is_empty()
    };
    let said = if let Some(finding) = assessment.findings.iter().find(explains) {
        let first = finding.message.split_once(": ").map_or(finding.message.as_str(), |(first, _)| first);
        first.trim_end_matches('.').to_owned()
    } else {
        let kind = kind(code).filter(|kind| matches!(kind.basis, Basis::Facts | Basis::DeviceLatency))?;
        kind.title.to_owned()
    };
    Some((code.clone(), format!(" Limited by: {said}.")))
}

pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// What was not given, and what it would tell.
fn more(run: &Run) -> Option<Answer> {
    if run.command.name != "assess" {
        return None;
    }
    let mut ways = Vec::new();
    if run.demand.is_none() {
        ways.push(
            "to learn whether this is enough for the database: --demand REPORT (AWR, Statspack) or DSN",
        );
    }
    let promised = run.command.expect_disk != fullwire_model::DiskExpectation::default();
    if !run.disk.is_empty() && !promised {
        ways.push("to compare the storage with what was promised: --expect-disk iops=N,rate=N");
    }
    if run.peers.iter().all(|peer| peer.loopback) {
        ways.push("to test the link to a standby or another node: --peer HOST");
    }
    (!ways.is_empty()).then(|| Answer {
        question: UserQuestion::More,
        answer: Reply::Unknown,
        basis: "options not given".to_owned(),
        text: format!("{}.", capital(&ways.join("; "))),
        ..Answer::default()
    })
}
