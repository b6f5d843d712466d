//! What SYNC transport adds to a commit, and how long a gap takes to close.

use super::words::{duration, time};
use crate::measurement::demand::{Serves, redo_peer};
use crate::sizing::{self, RedoGap, SyncCommit};
use fullwire_model::assessment::{Answer, Reply, UserQuestion};
use fullwire_model::quantity::Unit;
use fullwire_model::{PathName, Run};

pub(super) fn answers(run: &Run) -> Vec<Answer> {
    let (Some(demand), Serves::One(target)) = (&run.demand, redo_peer(run)) else { return Vec::new() };
    let gap = run.command.gap_bytes.map(|bytes| RedoGap { bytes: bytes as f64, ..RedoGap::default() });
    let net: Vec<_> = run.net_of(target).cloned().collect();
    let sized = sizing::size(demand, &net, gap);
    let affirm = sized.sync_affirm.as_ref().map(|commit| added(target, "SYNC AFFIRM", commit));
    let noaffirm = sized.sync_noaffirm.as_ref().map(|commit| added(target, "SYNC NOAFFIRM", commit));
    // What could not be told, where it was asked for.
    let refused = run.gaps.iter().any(|gap| gap.is_about(target) && gap.detail.contains("--write-dir"));
    let told = sized.gaps.iter().filter_map(|one| {
        let (question, detail) = match &*one.subject {
            "gap" if run.command.gap_bytes.is_some() => (UserQuestion::Gap, &*one.detail),
            "commit delay with AFFIRM" if refused => {
                (UserQuestion::CommitDelay, "not measured: the responder there has no --write-dir DIR")
            }
            other if other.starts_with("commit delay") => (UserQuestion::CommitDelay, &*one.detail),
            _ => return None,
        };
        let capital = one.subject[..1].to_uppercase() + &one.subject[1..];
        Some(Answer {
            question,
            subject: target.to_owned(),
            basis: "demand".to_owned(),
            text: format!("{capital} to {target}: {detail}."),
            ..Answer::default()
        })
    });
    let closes = sized.gap_closes_s.map(|seconds| closes(target, seconds, sized.gap_limited_by));
    let mut all: Vec<Answer> = [affirm, noaffirm, closes].into_iter().flatten().collect();
    // A path that was not measured synchronously was not asked about commits.
    let synchronous = !all.is_empty();
    all.extend(told.filter(|one| synchronous || one.question == UserQuestion::Gap));
    all
}

/// The local write runs at the same time.
fn added(target: &PathName, name: &str, commit: &SyncCommit) -> Answer {
    let (p50, p99) = (time(commit.added_ns.p50 as f64), time(commit.added_ns.p99 as f64));
    let remote = time(commit.remote_ns.p50 as f64);
    let basis = match commit.local {
        "unknown" => "at most, because the local log write time is not known".to_owned(),
        local => format!("{remote} remote minus the local log write ({local})"),
    };
    // Each percentile is taken by itself: where the slowest local writes take longer, they hide the remote ones there alone.
    let text = match (commit.added_ns.p50, commit.added_ns.p99) {
        (0, 0) => format!(
            "{name} adds nothing to a commit: {remote} remote is no longer than the local log write ({}).",
            commit.local
        ),
        (0, _) => {
            format!("{name} adds nothing to a commit at the median, {p99} at the 99th percentile: {basis}.")
        }
        (median, most) if most < median => format!(
            "{name} adds {p50} to a commit (median): {basis}. To the slowest commits it adds less: their local log write takes longer."
        ),
        _ => format!("{name} adds {p50} to a commit (median), {p99} (99th percentile): {basis}."),
    };
    Answer {
        question: UserQuestion::CommitDelay,
        subject: target.to_owned(),
        answer: Reply::Measured,
        figure: Some(commit.added_ns.p50 as f64),
        unit: Some(Unit::Ns),
        text,
        basis: format!("{name}: {basis}"),
        ..Answer::default()
    }
}

fn closes(target: &PathName, seconds: f64, by: Option<&str>) -> Answer {
    let (took, by) = (duration(seconds), by.unwrap_or("network"));
    Answer {
        question: UserQuestion::Gap,
        subject: target.to_owned(),
        answer: Reply::Measured,
        figure: Some(seconds),
        unit: Some(Unit::S),
        limited_by: by.to_owned(),
        basis: "the database's highest rate".to_owned(),
        text: format!(
            "The gap closes in {took} while the database goes on at its highest rate, limited by the {by}."
        ),
        ..Answer::default()
    }
}
