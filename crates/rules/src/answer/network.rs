//! A network path in the terms of redo transport: a connection, several, a synchronous message.

use super::limited;
use super::words::{both, time};
use crate::facts::stream::steady_bytes_per_s;
use crate::facts::{stream, words};
use fullwire_model::Run;
use fullwire_model::assessment::{Answer, Assessment, PathAssessment, PathKind, Reply, UserQuestion};
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;

/// Loopback is no network: nothing is said of it here.
pub(super) fn answers(run: &Run, assessment: &Assessment) -> Vec<Answer> {
    let networks = assessment.paths.iter().filter(|path| path.kind == PathKind::Network);
    networks.flat_map(|path| [stream(run, assessment, path), message(run, path)]).flatten().collect()
}

fn results<'a>(run: &'a Run, path: &PathAssessment) -> impl Iterator<Item = &'a NetResult> {
    let subject = path.target.clone();
    run.net.iter().filter(move |result| result.target == subject && !result.path.loopback)
}

fn stream(run: &Run, assessment: &Assessment, path: &PathAssessment) -> Option<Answer> {
    let forward = || results(run, path).filter(|result| stream::is_flat_out(result) && !result.reverse);
    let first = forward().min_by_key(|result| result.streams)?;
    let rate = steady_bytes_per_s(first);
    let most = forward().max_by_key(|result| result.streams).filter(|most| most.streams > first.streams);
    let more = most.map(|most| format!(", {} together {}", most.streams, both(steady_bytes_per_s(most))));
    let back = results(run, path).find(|result| stream::is_flat_out(result) && result.reverse);
    let back = back.map(|back| format!("; back {}", both(steady_bytes_per_s(back))));
    let id = run.name_of(first);
    let (code, why) = limited(assessment, path, &id).unwrap_or_default();
    let by = words::counted(first.streams.max(1), "connection");
    Some(Answer {
        question: UserQuestion::Stream,
        subject: path.target.clone(),
        answer: Reply::Measured,
        figure: Some(rate),
        unit: Some(Unit::BytesPerS),
        limited_by: code,
        basis: id.to_string(),
        text: format!(
            "{by} to {}: {}{}{}{}.{why}",
            path.target,
            both(rate),
            stream::paused(first),
            more.unwrap_or_default(),
            back.unwrap_or_default()
        ),
        ..Answer::default()
    })
}

fn message(run: &Run, path: &PathAssessment) -> Option<Answer> {
    // With a demand the transport's delay is told.
    let mut own = results(run, path).filter(|result| result.mode == NetMode::Sync && run.demand.is_none());
    let sync = own.next()?;
    let latency = sync.latency_ns.as_ref().filter(|latency| latency.count > 0)?;
    Some(Answer {
        question: UserQuestion::Message,
        subject: path.target.clone(),
        answer: Reply::Measured,
        figure: Some(latency.p50 as f64),
        unit: Some(Unit::Ns),
        basis: run.name_of(sync).to_string(),
        text: format!(
            "A synchronous message of {} to {} and its answer take {} (median), {} (99th percentile): SYNC transport adds at most that to a commit, without the standby's own write.",
            words::size(sync.payload_bytes),
            path.target,
            time(latency.p50 as f64),
            time(latency.p99 as f64)
        ),
        ..Answer::default()
    })
}
