//! What the user asked, answered: the one place that says it for every output.

mod asked;
mod complete;
mod enough;
mod health;
mod network;
mod promise;
mod reached;
mod storage;
mod swept;
mod told;
mod transport;
mod words;

pub(crate) use promise::{is_kept, is_promise};
pub(crate) use swept::step_of as step_of_sweep;

pub(crate) use fullwire_model::format::capital;

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
        "disk" => {
            all.extend(storage::voids(facts, assessment));
            all.extend(storage::commits(facts, assessment));
        }
        "check" => all.push(health::answer(facts, assessment)),
        _ => {}
    }
    let asked = asked::answers(facts, &all);
    all.extend(asked);
    let told = told::answers(facts, assessment, &all);
    all.extend(told);
    let reached = reached::answers(facts, assessment, &all);
    all.extend(reached);
    all.extend(asked::under_load(facts));
    all.extend(more(facts));
    all.extend(complete::unread(facts));
    limits_once(&mut all);
    all
}

const LIMITED_BY: &str = " Limited by: ";

/// What limits several figures is said of the first.
fn limits_once(all: &mut [Answer]) {
    let mut said: Vec<String> = Vec::new();
    for answer in all {
        let Some(at) = answer.text.rfind(LIMITED_BY) else { continue };
        let limit = answer.text[at..].to_owned();
        if said.contains(&limit) {
            answer.text.truncate(at);
        } else {
            said.push(limit);
        }
    }
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
    Some((code.clone(), format!("{LIMITED_BY}{said}.")))
}

/// What was not given, and what it would tell.
fn more(run: &Run) -> Option<Answer> {
    // Where nothing could be measured, what else could be asked of it is no advice.
    if run.command.name != "assess" || (run.net.is_empty() && run.disk.is_empty()) {
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
