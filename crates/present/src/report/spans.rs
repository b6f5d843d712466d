//! Trouble in what was recorded over time: when, what, how bad.

use super::results::Table;
use crate::format;
use fullwire_model::{Moment, Span};

/// Rows of the table; the JSON has all.
const MOST_ROWS: usize = 40;

/// One row for each span; nothing where there is none.
pub(super) fn table(spans: &[Span]) -> Option<Table> {
    if spans.is_empty() {
        return None;
    }
    let several_hosts = spans.iter().any(|span| span.host != spans[0].host);
    let mut table = Table::new("Trouble over time", &["@from", "@to", "what", "where", "#worst", ""]);
    table.rows = spans.iter().take(MOST_ROWS).map(|span| row(span, several_hosts)).collect();
    if spans.len() > MOST_ROWS {
        table.notes.push(format!("{} more spans are in the JSON.", spans.len() - MOST_ROWS));
    }
    Some(table)
}

fn row(span: &Span, several_hosts: bool) -> Vec<String> {
    let host =
        span.host.as_ref().filter(|_| several_hosts).map(|host| format!(" at {host}")).unwrap_or_default();
    vec![
        place(span.from, span.first_record),
        end(span),
        span.code.clone(),
        format!("{}{host}", span.subject),
        span.worst.map_or(String::new(), |worst| format::value(worst, span.unit.unwrap_or_default())),
        span.severity.name().to_owned(),
    ]
}

fn place(at: Option<Moment>, record: Option<u64>) -> String {
    match (at, record) {
        (Some(at), _) => seconds(at),
        (None, Some(record)) => format!("record {record}"),
        (None, None) => String::new(),
    }
}

/// The time alone where the day is the same, without the year where that is.
fn end(span: &Span) -> String {
    let (from, to) = (place(span.from, span.first_record), place(span.to, span.last_record));
    match (from.split_once(' '), to.split_once(' ')) {
        (Some((first, _)), Some((last, time))) if span.to.is_some() && first == last => time.to_owned(),
        (Some((first, _)), Some((last, _))) if span.to.is_some() && first.get(..5) == last.get(..5) => {
            to[5..].to_owned()
        }
        _ => to,
    }
}

/// `2026-11-22 02:10:00`; of the world's time with its Z.
fn seconds(at: Moment) -> String {
    match at {
        Moment::Instant(at) => at.strftime("%Y-%m-%d %H:%M:%SZ").to_string(),
        Moment::Local(at) => at.strftime("%Y-%m-%d %H:%M:%S").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::{Layer, Severity};
    use fullwire_model::subject::Kind;

    /// A span between two times.
    fn span(from: &str, to: &str) -> Span {
        let at = |text: &str| Some(Moment::Local(text.parse().unwrap()));
        Span {
            code: "device-wait-long".into(),
            subject: "sda".into(),
            subject_ref: Kind::Disk.named("sda"),
            layer: Layer::Storage,
            severity: Severity::Warning,
            from: at(from),
            to: at(to),
            windows: 1,
            bad_s: 0.0,
            worst: None,
            worst_at: None,
            limit: None,
            unit: None,
            message: String::new(),
            evidence: Vec::new(),
            host: None,
            source: None,
            first_record: None,
            last_record: None,
        }
    }

    #[test]
    fn the_end_has_what_differs_from_the_beginning() {
        let of = |to| row(&span("2026-03-23T23:57:30", to), false)[1].clone();
        assert_eq!(of("2026-03-23T23:58:00"), "23:58:00");
        assert_eq!(of("2026-03-24T00:04:00"), "03-24 00:04:00");
        assert_eq!(of("2027-01-01T00:04:00"), "2027-01-01 00:04:00");
    }
}
