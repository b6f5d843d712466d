//! Which of the host's records held at a moment of a recording.
//!
//! When a link, a path or a mount changes, the host is read again, which takes a second or several. What was read then
//! holds from the change on, not from the sample at which the reading was done.

use fullwire_model::recording::EventKind;
use fullwire_store::recording::Recording;
use jiff::{SignedDuration, Timestamp};

/// A reading that was asked for by a change is done within this time.
const READ_WITHIN: SignedDuration = SignedDuration::from_secs(15);

/// The rows of a recording, each with the moment from which on it holds.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    rows: Vec<((usize, i64), Timestamp)>,
}

impl Hosts {
    pub(super) fn of(recording: &Recording) -> Self {
        let whole = recording.span();
        let events = recording.events(whole.from, whole.to);
        let of_states = |kind| matches!(kind, EventKind::Link | EventKind::Path | EventKind::Mount);
        let changes: Vec<Timestamp> =
            events.iter().filter(|event| of_states(event.kind)).map(|event| event.wall).collect();
        Self { rows: since_changes(recording.hosts(), &changes) }
    }

    /// The row that held at a moment: of the same file, and the sample's own where no other does.
    pub(super) fn row_at(&self, own: (usize, i64), at: Timestamp) -> (usize, i64) {
        let held = |(row, from): &&((usize, i64), Timestamp)| row.0 == own.0 && *from <= at;
        self.rows.iter().rfind(held).map_or(own, |(row, _)| *row).max(own)
    }
}

/// Sets each row back to the first change since the row before.
fn since_changes(
    mut rows: Vec<((usize, i64), Timestamp)>,
    changes: &[Timestamp],
) -> Vec<((usize, i64), Timestamp)> {
    let mut before: Option<Timestamp> = None;
    for (_, from) in &mut rows {
        let first = changes.iter().copied().find(|change| {
            before.is_some_and(|before| *change > before)
                && *change <= *from
                && from.duration_since(*change) <= READ_WITHIN
        });
        *from = first.unwrap_or(*from);
        before = Some(*from);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn what_was_read_after_a_change_holds_from_the_change_on() {
        let rows = vec![((0, 1), at(100)), ((0, 2), at(203)), ((0, 3), at(260)), ((0, 4), at(302))];
        let hosts = Hosts { rows: since_changes(rows, &[at(99), at(201), at(202), at(300)]) };
        assert_eq!(hosts.row_at((0, 1), at(200)), (0, 1));
        assert_eq!(hosts.row_at((0, 1), at(201)), (0, 2), "the change");
        assert_eq!(hosts.row_at((0, 2), at(259)), (0, 2));
        assert_eq!(hosts.row_at((0, 3), at(260)), (0, 3), "the reading of each minute");
        assert_eq!(hosts.row_at((0, 3), at(300)), (0, 4));
        assert_eq!(hosts.row_at((1, 1), at(300)), (1, 1), "another file has its own rows");
    }
}
