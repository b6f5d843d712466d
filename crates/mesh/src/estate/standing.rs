//! Which paths are bad now, and since when.
//!
//! A path is bad when its last two readings are: one bad reading waits for the next one, so that no alarm is raised for a
//! single busy moment. An absent host is no bad path, and says nothing about the readings around it.

use fullwire_model::median;
use jiff::Timestamp;

/// In a row, until a path is called bad: pingmesh-like systems alert on r rounds in a row for the same reason.
pub const IN_A_ROW: u32 = 2;
/// A stream below this share of its ceiling is bad: the verdict `poor` of a run.
pub const POOR: f64 = 0.7;
/// A stream below this share of what the path did before is bad, whatever its ceiling: half is far outside what streams
/// of a healthy path scatter.
pub const FALLEN: f64 = 0.5;
/// A round trip above this multiple of what the path did before is bad.
pub const SLOWER: f64 = 4.0;
/// And slower by at least this, ns: four times very little is no trouble.
const SLOWER_BY_NS: f64 = 200_000.0;
/// Readings that say what a path did before.
const ENOUGH: usize = 3;

/// What became of one reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointState {
    /// There is a value.
    Measured,
    /// There is a value that a limit of a host or of the round set, and not the path.
    Held,
    /// The responder could not be connected to.
    Blocked,
    /// It failed.
    Failed,
    /// A host was not there, or forbade it: nothing is known.
    Unknown,
}

/// One reading of one path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// When.
    pub at: Timestamp,
    /// What became of it.
    pub state: PointState,
    /// Bytes a second of a stream, median ns of round trips.
    pub value: Option<f64>,
    /// What a stream is compared with.
    pub ceiling: Option<f64>,
    /// Large packets vanish.
    pub black_hole: bool,
}

/// A path that is bad.
#[derive(Debug, Clone, PartialEq)]
pub struct Bad {
    /// The first reading of those in a row that are.
    pub since: Timestamp,
    /// It has been bad for as long as anything is known of it.
    pub always: bool,
    /// In words.
    pub why: String,
    /// The last value.
    pub value: Option<f64>,
    /// What it did before, the median; `None`: too little is known.
    pub before: Option<f64>,
}

/// Judges a path by its readings, oldest first. `stream`: more is better.
pub fn standing(readings: &[Reading], stream: bool) -> Option<Bad> {
    let known: Vec<&Reading> = readings.iter().filter(|one| one.state != PointState::Unknown).collect();
    // What is normal is what the path did while nothing was wrong with it by itself.
    let mut good: Vec<f64> = Vec::new();
    let mut first_bad = None;
    let mut why = String::new();
    let mut count = 0;
    for (place, reading) in known.iter().enumerate() {
        if let Some(words) = trouble(reading, stream, normal(&good)) {
            count += 1;
            first_bad.get_or_insert(place);
            why = words;
        } else {
            good.extend(reading.value);
            (first_bad, count) = (None, 0);
        }
    }
    let first = first_bad.filter(|_| count >= IN_A_ROW)?;
    let last = known.last()?;
    Some(Bad {
        since: known[first].at,
        always: first == 0,
        why,
        value: last.value.filter(|_| matches!(last.state, PointState::Measured | PointState::Held)),
        before: normal(&good),
    })
}

/// What is wrong with one reading.
fn trouble(reading: &Reading, stream: bool, before: Option<f64>) -> Option<String> {
    match reading.state {
        PointState::Blocked => return Some("the receiver cannot be connected to".into()),
        PointState::Failed => return Some("the test fails".into()),
        PointState::Unknown | PointState::Held => return None,
        PointState::Measured => {}
    }
    if reading.black_hole {
        return Some("large packets are dropped without an error".into());
    }
    let value = reading.value?;
    if !stream {
        let before = before?;
        let slower = value > before * SLOWER && value - before > SLOWER_BY_NS;
        return slower.then(|| format!("the round trip is {:.1} times what it was", value / before));
    }
    if let Some(ceiling) = reading.ceiling.filter(|&ceiling| value < ceiling * POOR) {
        return Some(format!("{:.0} % of its ceiling", value / ceiling * 100.0));
    }
    let before = before?;
    (value < before * FALLEN).then(|| format!("{:.0} % of what it was", value / before * 100.0))
}

/// `None` where too little is known to call it normal.
fn normal(values: &[f64]) -> Option<f64> {
    median(values).filter(|_| values.len() >= ENOUGH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(minute: i64, value: f64) -> Reading {
        let at = Timestamp::from_second(1_760_000_000 + minute * 60).unwrap();
        Reading { at, state: PointState::Measured, value: Some(value), ceiling: None, black_hole: false }
    }

    fn stream(values: &[f64]) -> Option<Bad> {
        let readings: Vec<Reading> =
            (0..).zip(values).map(|(minute, &value)| reading(minute, value)).collect();
        standing(&readings, true)
    }

    #[test]
    fn a_path_that_fell_is_bad_since_its_first_bad_reading() {
        let bad = stream(&[100.0, 98.0, 103.0, 40.0, 41.0, 39.0]).unwrap();
        assert_eq!((bad.since, bad.always), (reading(3, 0.0).at, false));
        assert_eq!((bad.value, bad.before), (Some(39.0), Some(100.0)));
        assert_eq!(bad.why, "39 % of what it was");
    }

    #[test]
    fn one_bad_reading_and_ordinary_scatter_are_no_alarm() {
        assert_eq!(stream(&[100.0, 98.0, 103.0, 101.0, 40.0]), None);
        assert_eq!(stream(&[100.0, 40.0, 100.0, 40.0, 100.0, 40.0]), None);
        assert_eq!(stream(&[100.0, 80.0, 120.0, 70.0, 75.0, 60.0]), None);
        assert_eq!(stream(&[100.0, 98.0, 103.0, 40.0, 41.0, 99.0]), None, "it has recovered");
        assert_eq!(stream(&[40.0, 41.0]), None, "nothing says that this is little");
        assert_eq!(stream(&[]), None);
    }

    #[test]
    fn a_ceiling_tells_a_poor_path_from_the_beginning() {
        let poor = |minute, value| Reading { ceiling: Some(100.0), ..reading(minute, value) };
        let bad = standing(&[poor(0, 50.0), poor(1, 52.0)], true).unwrap();
        assert!(bad.always && bad.why == "52 % of its ceiling" && bad.since == reading(0, 0.0).at);
        assert_eq!(standing(&[poor(0, 71.0), poor(1, 72.0)], true), None);
    }

    #[test]
    fn a_rate_that_a_host_is_held_to_is_no_bad_path_and_less_than_that_is() {
        let held = |minute, value| Reading { state: PointState::Held, ..reading(minute, value) };
        let before: Vec<Reading> = (0..4).map(|minute| reading(minute, 100.0)).collect();
        let readings = |more: &[Reading]| [before.as_slice(), more].concat();
        assert_eq!(standing(&readings(&[held(4, 10.0), held(5, 10.0)]), true), None, "someone set a limit");
        let limited: Vec<Reading> = (0..4).map(|minute| held(minute, 10.0)).collect();
        let fell = [limited.as_slice(), &[reading(4, 4.0), reading(5, 4.1)]].concat();
        assert_eq!(standing(&fell, true).unwrap().why, "41 % of what it was");
    }

    #[test]
    fn absence_neither_makes_nor_ends_a_bad_path() {
        let absent = |minute| Reading { state: PointState::Unknown, value: None, ..reading(minute, 0.0) };
        let blocked = |minute| Reading { state: PointState::Blocked, value: None, ..reading(minute, 0.0) };
        assert_eq!(standing(&[reading(0, 9.0), absent(1), absent(2)], true), None);
        let bad = standing(&[reading(0, 9.0), blocked(1), absent(2), blocked(3)], true).unwrap();
        assert_eq!((bad.since, bad.value), (reading(1, 0.0).at, None));
    }

    #[test]
    fn a_round_trip_must_be_slower_by_something_that_matters() {
        let trips = |values: [f64; 5]| {
            let readings: Vec<Reading> =
                (0..).zip(values).map(|(minute, value)| reading(minute, value)).collect();
            standing(&readings, false)
        };
        assert!(trips([100e3, 110e3, 90e3, 900e3, 950e3]).is_some_and(|bad| bad.why.contains("9.5 times")));
        assert_eq!(trips([10e3, 11e3, 9e3, 90e3, 95e3]), None);
    }
}
