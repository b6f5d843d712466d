//! Figures as the answers write them: as the tables below them do.

pub(super) use crate::facts::words::duration;
use fullwire_model::PathName;
use fullwire_model::assessment::{Answer, Reply, UserQuestion};
pub(super) use fullwire_model::format::{
    bit_rate as bits, noise, percent as share, rate as bytes, time, value,
};
use fullwire_model::quantity::Unit;

/// A figure is the answer.
pub(super) fn measured(
    question: UserQuestion,
    subject: &PathName,
    figure: f64,
    unit: Unit,
    text: String,
) -> Answer {
    Answer {
        question,
        subject: subject.to_owned(),
        answer: Reply::Measured,
        figure: Some(figure),
        unit: Some(unit),
        basis: "measured".to_owned(),
        text,
        ..Answer::default()
    }
}

/// `47.9 MB/s (383 Mbit/s)`: what crosses a network.
pub(super) fn both(bytes_per_s: f64) -> String {
    if bytes_per_s < 125_000.0 {
        return bytes(bytes_per_s);
    }
    format!("{} ({})", bytes(bytes_per_s), bits(bytes_per_s))
}

/// `12,345`: of what there is no half.
pub(super) fn count(number: f64) -> String {
    fullwire_model::format::count(number.round())
}

/// `11 times`, `1.4 times`.
pub(super) fn times(factor: f64) -> String {
    if factor >= 9.95 { format!("{} times", count(factor)) } else { format!("{factor:.1} times") }
}
