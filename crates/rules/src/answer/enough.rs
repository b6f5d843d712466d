//! Is the path enough for what the database needs?

use super::words::{both, duration, times, value};
use crate::facts::in_flight;
use crate::facts::words::{counted, size};
use crate::measurement::demand::{Serves, redo, redo_peer};
use fullwire_model::Run;
use fullwire_model::assessment::{
    Answer, Assessment, MeasurementAssessment, PathAssessment, PathKind, Reply, UserQuestion,
};
use fullwire_model::demand::Demand;
use fullwire_model::demand::transport::Carried;
use fullwire_model::disk::{Operation, Pattern};
use fullwire_model::net::NetResult;
use fullwire_model::quantity::Unit;
use std::cmp::Ordering;

/// Oracle prints dates without a time unless it is told to.
const NO_RATE: &str = "No log has a duration: no redo rate can be computed. Needed are the first and the next time of each log, to the second: \
                       `fullwire redo --sql oracle` prints the query.";

pub(super) fn answers(run: &Run, assessment: &Assessment) -> Vec<Answer> {
    // What a path carries answers nothing where the rate is not known.
    let has_no_rate = run.redo.as_ref().is_some_and(|redo| redo.peak_bytes_per_s.is_none());
    if run.command.name == "redo" && has_no_rate {
        return vec![unknown(NO_RATE.to_owned())];
    }
    let Some(demand) = &run.demand else { return Vec::new() };
    let mut all: Vec<Answer> =
        redo(run).map(|(carried, result)| of_redo(demand, carried, result)).into_iter().collect();
    if run.command.name == "redo" && run.net.is_empty() {
        all.extend(of_declared(demand, run.command.expect_bytes_per_s));
    }
    if let Serves::OneOf(peers) = redo_peer(run) {
        all.push(unknown(format!(
            "It is not known which of {peers} measured peers receives the redo: measure the standby alone, or add a report that names it."
        )));
    }
    let storage = assessment.paths.iter().filter(|path| path.kind == PathKind::Storage);
    all.extend(
        storage.flat_map(|path| path.measurements.iter().filter_map(|one| of_storage(run, path, one))),
    );
    // Worst first: the first lines are read.
    all.sort_by_key(|answer| answer.answer != Reply::NotEnough);
    if all.is_empty() && run.command.name == "assess" {
        all.push(unknown(format!("The demand was not compared with any path: {}.", lacking(run, demand))));
    }
    all
}

/// Why there is nothing to compare: what was not measured, and what the database did not do.
fn lacking(run: &Run, demand: &Demand) -> String {
    let some = |rate: Option<f64>| rate.is_some_and(|rate| rate > 0.0);
    let reads = match (run.disk.is_empty(), some(demand.read_io_per_s) || some(demand.read_bytes_per_s)) {
        (true, _) => "reads need storage (--path)",
        (false, true) => "no measured load on the storage is like its reads",
        (false, false) => "the database read nothing from storage meanwhile",
    };
    let redo = run.net.is_empty().then_some("redo needs a network path (--peer)");
    redo.into_iter().chain([reads]).collect::<Vec<_>>().join(", ")
}

fn unknown(text: String) -> Answer {
    Answer { question: UserQuestion::Enough, basis: "demand".to_owned(), text, ..Answer::default() }
}

fn of_redo(demand: &Demand, carried: Carried, result: &NetResult) -> Answer {
    let target = result.target.as_str();
    let (got, required) = (carried.carried_bytes_per_s, carried.required_bytes_per_s);
    let at_least = if demand.redo_peak_is_lower_bound { "at least " } else { "" };
    let measured = u64::from(result.streams.max(1));
    let (of_redo, of_test) = (counted(carried.connections, "connection"), counted(measured, "connection"));
    let by = match measured.cmp(&carried.connections) {
        Ordering::Equal => format!("with {of_redo}"),
        Ordering::Less => format!("with {of_test}, where redo has {}", carried.connections),
        Ordering::Greater => format!("as the share that {of_redo} of {measured} had"),
    };
    let of = match (carried.is_enough(), demand.redo_mean_over_s) {
        (true, Some(seconds)) => format!("enough for the mean of {}", duration(seconds)),
        (true, None) if demand.redo_peak_is_lower_bound => "enough for what is listed".to_owned(),
        (true, None) => "enough".to_owned(),
        (false, _) => "not enough".to_owned(),
    };
    let beyond = match (carried.is_enough(), demand.redo_peak_bytes_per_s.filter(|rate| *rate > 0.0)) {
        (true, Some(rate)) if demand.redo_peak_is_lower_bound => {
            let fits = fitting(got / rate);
            match demand.redo_mean_over_s {
                Some(_) => format!("; the peak is higher than the mean, and {fits} the mean fits"),
                None => format!("; {fits} the highest rate in the listing fits"),
            }
        }
        (false, _) => format!(", {:.0} % of it", carried.share * 100.0),
        _ => String::new(),
    };
    Answer {
        question: UserQuestion::Enough,
        subject: target.into(),
        answer: if carried.is_enough() { Reply::Enough } else { Reply::NotEnough },
        figure: Some(got),
        limit: Some(required),
        unit: Some(Unit::BytesPerS),
        basis: basis(demand),
        text: format!(
            "ASYNC redo to {target}: {of}: {} {by}, {at_least}{} required{beyond}.",
            both(got),
            both(required)
        ),
        ..Answer::default()
    }
}

/// How much fits, never rounded up. No peak is a hundred times its mean for long: beyond that the number tells nothing more.
fn fitting(factor: f64) -> String {
    if factor >= 100.0 {
        "more than 100 times".to_owned()
    } else {
        format!(
            "up to {}",
            times(if factor >= 10.0 { factor.floor() } else { (factor * 10.0).floor() / 10.0 })
        )
    }
}

/// Of 1,500 bytes of a packet, those that are no headers of IP and TCP with its time stamps (RFC 9293, RFC 7323).
const PAYLOAD: f64 = 1448.0 / 1500.0;

/// A path that nobody measured: what it is said to carry, less the headers.
fn of_declared(demand: &Demand, rate: Option<f64>) -> Option<Answer> {
    let (rate, required) = (rate?, demand.redo_required_bytes_per_s.filter(|rate| *rate > 0.0)?);
    let got = rate * PAYLOAD;
    let is_enough = got >= required;
    let at_least = if demand.redo_peak_is_lower_bound { "at least " } else { "" };
    let of = match (is_enough, demand.redo_mean_over_s) {
        (true, Some(seconds)) => format!("would be enough for the mean of {}", duration(seconds)),
        (true, None) => "would be enough".to_owned(),
        (false, _) => "would not be enough".to_owned(),
    };
    Some(Answer {
        question: UserQuestion::Enough,
        subject: "--expect".into(),
        answer: if is_enough { Reply::Enough } else { Reply::NotEnough },
        figure: Some(got),
        limit: Some(required),
        unit: Some(Unit::BytesPerS),
        basis: format!("declared, not measured; {}", basis(demand)),
        text: format!(
            "A path of {} {of}: without headers {}, {at_least}{} required. Declared, not measured: --peer HOST measures it.",
            both(rate),
            both(got),
            both(required)
        ),
        ..Answer::default()
    })
}

/// What the required rate is made of.
pub(super) fn basis(demand: &Demand) -> String {
    let rate = match (demand.redo_mean_over_s, demand.redo_peak_is_lower_bound) {
        (Some(seconds), _) => format!("highest mean over {}", duration(seconds)),
        (None, true) => "at least the highest rate in the listing".to_owned(),
        (None, false) => "peak".to_owned(),
    };
    let headroom = if demand.headroom > 0.0 {
        format!(" and {:.0} % headroom", demand.headroom * 100.0)
    } else {
        String::new()
    };
    format!("{rate}{headroom}, {}", demand.source)
}

fn of_storage(run: &Run, path: &PathAssessment, measured: &MeasurementAssessment) -> Option<Answer> {
    let (needed, got, share) = (measured.demand?, measured.value?, measured.demand_share?);
    let mean = run
        .demand
        .as_ref()?
        .redo_mean_over_s
        .map(|seconds| format!(" for the mean of {}", duration(seconds)));
    let mean = mean.unwrap_or_default();
    // With few in flight the time of each sets the rate: it may be enough, and is no proof that the path is not.
    let (reply, word) = match share >= 1.0 {
        true => (Reply::Enough, format!("enough{mean}")),
        false if measured.driven => (Reply::NotEnough, format!("not enough{mean}")),
        false => (
            Reply::Unknown,
            "not known, for more in flight may give more (fullwire disk --sweep depth)".to_owned(),
        ),
    };
    let show = |number| value(number, measured.unit);
    let name = &path.target;
    Some(Answer {
        question: UserQuestion::Enough,
        subject: name.clone(),
        answer: reply,
        figure: Some(got),
        limit: Some(needed),
        unit: Some(measured.unit),
        basis: measured.id.to_string(),
        text: format!("{}: {word}: {}, {} needed.", asked_of(run, path, measured), show(got), show(needed)),
        ..Answer::default()
    })
}

/// What a database calls such I/O, and how it was measured.
fn asked_of(run: &Run, path: &PathAssessment, measured: &MeasurementAssessment) -> String {
    let name = &path.target;
    let mut results = run.disk_of(name);
    let found = results.find_map(|one| one.steps.iter().find(|step| one.name_of(step) == measured.id));
    let Some(step) = found else { return format!("{name} ({})", measured.label) };
    let what = match (step.pattern, step.operation) {
        (Pattern::Random, Operation::Read) => "Single-block reads",
        (Pattern::Sequential, Operation::Read) => "Scans",
        (Pattern::Unknown, Operation::Read) => "Reads",
        (Pattern::Random | Pattern::Unknown, _) => "Writes",
        (Pattern::Sequential, _) => "Sequential writes",
    };
    format!("{what} on {name} ({}, {} in flight)", size(step.block_bytes), in_flight(step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declared_rate_is_held_against_the_need_and_called_what_it_is() {
        let demand = Demand { redo_required_bytes_per_s: Some(24.5e6), ..Demand::default() };
        let told = |rate| of_declared(&demand, Some(rate)).unwrap();
        // 25 MB/s on the wire are 24.1 MB/s of redo.
        assert_eq!(told(25e6).answer, Reply::NotEnough);
        assert_eq!(told(26e6).answer, Reply::Enough);
        assert!(told(26e6).text.contains("Declared, not measured"), "{}", told(26e6).text);
        assert_eq!(of_declared(&demand, None), None);
    }

    #[test]
    fn a_mean_is_called_one_and_says_which_peak_fits() {
        let demand = Demand {
            redo_peak_bytes_per_s: Some(3.28e6),
            redo_required_bytes_per_s: Some(4.26e6),
            redo_peak_is_lower_bound: true,
            redo_mean_over_s: Some(518_400.0),
            headroom: 0.3,
            ..Demand::default()
        };
        let carried = |rate: f64| Carried {
            connections: 2,
            carried_bytes_per_s: rate,
            required_bytes_per_s: 4.26e6,
            share: rate / 4.26e6,
        };
        let by = |streams| NetResult { target: "db2".into(), streams, ..NetResult::default() };
        let enough = of_redo(&demand, carried(47.9e6), &by(2));
        assert_eq!(
            enough.text,
            "ASYNC redo to db2: enough for the mean of 6 d: 47.9 MB/s (383 Mbit/s) with 2 connections, at least \
             4.26 MB/s (34.1 Mbit/s) required; the peak is higher than the mean, and up to 14 times the mean fits."
        );
        let local = of_redo(&demand, carried(47.9e9), &by(2));
        assert!(local.text.ends_with("and more than 100 times the mean fits."), "{}", local.text);
        let short = of_redo(&demand, carried(2.13e6), &by(1));
        assert_eq!(short.answer, Reply::NotEnough);
        assert!(
            short.text.contains("not enough: 2.13 MB/s (17 Mbit/s) with 1 connection, where redo has 2")
                && short.text.contains("50 % of it")
        );
    }
}
