//! The records of a file on one axis: from where to where each reaches.

use fullwire_model::Moment;
use fullwire_model::demand::ImportedSeries;
use std::collections::BTreeMap;

thresholds! {
    /// Assumed duration of a record in a file without times, s; two consecutive records must agree.
    const UNTIMED_S: f64 = 5.0;
}

/// One record.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    pub(super) from: Option<Moment>,
    pub(super) to: Option<Moment>,
    pub(super) record: Option<u64>,
}

impl Place {
    pub(super) fn seconds(&self) -> f64 {
        (self.to_ns - self.from_ns) as f64 / 1e9
    }
}

/// All records, and which time is which.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) list: Vec<Place>,
    by_time: BTreeMap<Moment, usize>,
}

impl Places {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Place> {
        self.list.iter()
    }

    /// The record of a time.
    pub(super) fn of(&self, at: impl Into<Moment>) -> Option<usize> {
        self.by_time.get(&at.into()).copied()
    }
}

/// The records of a file, in the order of their times.
pub(super) fn places(file: &ImportedSeries) -> Places {
    let records = file.records();
    if records.is_empty() { untimed(file) } else { timed(&records) }
}

fn timed(records: &[(Moment, f64)]) -> Places {
    // A single record has no other to tell its length.
    let length = |(_, length_s): &(Moment, f64)| if records.len() > 1 { *length_s } else { UNTIMED_S };
    let (first, before_s) = (records[0].0, length(&records[0]));
    let mut places = Places::default();
    for (index, record) in records.iter().enumerate() {
        let (at, length_s) = (record.0, length(record));
        // The first record reaches back before the first time.
        let to_ns = nanoseconds(before_s + at.seconds_since(first).unwrap_or(0.0));
        places.list.push(Place {
            from_ns: to_ns.saturating_sub(nanoseconds(length_s)),
            to_ns,
            from: at.before(length_s),
            to: Some(at),
            record: None,
        });
        places.by_time.insert(at, index);
    }
    places
}

fn untimed(file: &ImportedSeries) -> Places {
    let ends =
        file.series.iter().map(|series| series.first_record.saturating_add(series.samples.len() as u64));
    let records = ends.max().unwrap_or(0);
    let length = nanoseconds(file.interval_s.unwrap_or(UNTIMED_S));
    let place = |record: u64| Place {
        from_ns: record * length,
        to_ns: (record + 1) * length,
        from: None,
        to: None,
        record: Some(record + 1),
    };
    Places { list: (0..records).map(place).collect(), by_time: BTreeMap::new() }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds of a recording")]
fn nanoseconds(seconds: f64) -> u64 {
    (seconds.max(0.0) * 1e9).round() as u64
}
