//! Exactly one coordinator: a lease in a row that only the coordinator's role may change, and a term that is higher than all
//! before it. What an older term still wants to write is refused by the term.

use super::Shared;
use crate::StoreError;
use jiff::Timestamp;
use std::time::Duration;

/// A coordinator that says nothing for so long leads no more. It renews far more often, and an answer of the database may
/// take seconds.
const LEASE: Duration = Duration::from_secs(15);

/// The fencing token of a coordinator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term(pub u64);

impl Shared {
    /// Becomes the coordinator, unless another holds the lease. Of two that try at the same moment the second waits for the
    /// row, and then finds it held.
    pub fn lead(&mut self, name: &str) -> Result<Option<Term>, StoreError> {
        const ACTION: &str = "become the coordinator";
        // A term is drawn only by who may have it.
        let free = "SELECT NOT EXISTS (SELECT FROM coordinator WHERE until > clock_timestamp())";
        if !self.query(ACTION, free, &[])?[0].get::<_, bool>(0) {
            return Ok(None);
        }
        let rows = self.query(
            ACTION,
            "INSERT INTO coordinator AS held (term, name, since, until)
             VALUES (nextval('term'), $1, clock_timestamp(), clock_timestamp() + make_interval(secs => $2))
             ON CONFLICT (one) DO UPDATE
             SET term = excluded.term, name = excluded.name, since = excluded.since, until = excluded.until
             WHERE held.until <= clock_timestamp() AND held.term < excluded.term
             RETURNING term",
            &[&name, &LEASE.as_secs_f64()],
        )?;
        let Some(row) = rows.first() else { return Ok(None) };
        let term: i64 = row.get(0);
        // What a coordinator left behind that died: its round is over with what it brought.
        self.execute(
            ACTION,
            "UPDATE round SET state = 'interrupted', ended = now() WHERE state = 'running' AND term < $1",
            &[&term],
        )?;
        Ok(Some(Term(term.unsigned_abs())))
    }

    /// Still the coordinator of this term: nobody else has led since. The lease is renewed.
    pub fn leads(&self, term: Term) -> Result<bool, StoreError> {
        self.hold(term, LEASE)
    }

    /// Leads no more: whoever waits need not wait for the end of the lease.
    pub fn resign(&self, term: Term) -> Result<(), StoreError> {
        self.hold(term, Duration::ZERO).map(|_| ())
    }

    fn hold(&self, term: Term, lease: Duration) -> Result<bool, StoreError> {
        let held = self.execute(
            "hold the coordinator's lease",
            "UPDATE coordinator SET until = clock_timestamp() + make_interval(secs => $2) WHERE term = $1",
            &[&term.0.cast_signed(), &lease.as_secs_f64()],
        )?;
        Ok(held == 1)
    }

    /// Who coordinates, since when, and whether its lease still runs.
    pub fn coordinator(&self) -> Result<Option<(String, Timestamp, Term, bool)>, StoreError> {
        let rows = self.query(
            "ask who coordinates",
            "SELECT name, since, term, until > clock_timestamp() FROM coordinator",
            &[],
        )?;
        let read = |row: &tokio_postgres::Row| {
            let term: i64 = row.get(2);
            (row.get(0), super::stamp(row.get(1)), Term(term.unsigned_abs()), row.get(3))
        };
        Ok(rows.first().map(read))
    }
}
