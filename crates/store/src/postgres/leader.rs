//! Exactly one coordinator: an advisory lock of the session, and a term that is higher than all before it.

use super::{Shared, system};
use crate::StoreError;
use jiff::Timestamp;

/// "fullwire" in ASCII: the lock of the coordinator of this database.
const LOCK: i64 = 0x6675_6c6c_7769_7265;

/// The sessions of this database that hold the lock `$1`, in `pg_locks`.
const HELD: &str = "locktype = 'advisory' AND granted
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = ($1::bigint >> 32)::oid AND objid = ($1::bigint & 4294967295)::oid";

/// The fencing token of a coordinator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term(pub u64);

impl Shared {
    /// Becomes the coordinator, unless another is. The lock belongs to this session and ends with it.
    pub fn lead(&mut self, name: &str) -> Result<Option<Term>, StoreError> {
        const ACTION: &str = "become the coordinator";
        let rows = self.query(ACTION, "SELECT pg_try_advisory_lock($1)", &[&LOCK])?;
        if !rows[0].get::<_, bool>(0) {
            return Ok(None);
        }
        let rows = self.query(
            ACTION,
            "INSERT INTO coordinator (term, name, since) VALUES (nextval('term'), $1, $2)
             ON CONFLICT (one) DO UPDATE SET term = excluded.term, name = excluded.name, since = excluded.since
             RETURNING term",
            &[&name, &system(Timestamp::now())],
        )?;
        let term: i64 = rows[0].get(0);
        // What a coordinator left behind that died: its round is over with what it brought.
        self.execute(
            ACTION,
            "UPDATE round SET state = 'interrupted', ended = now() WHERE state = 'running' AND term < $1",
            &[&term],
        )?;
        Ok(Some(Term(term.unsigned_abs())))
    }

    /// Which login holds the coordinator's lock, and from where: any login of a database can take an advisory lock.
    pub fn lock_holder(&self) -> Result<Option<String>, StoreError> {
        let rows = self.query(
            "ask who holds the coordinator's lock",
            &format!(
                "SELECT coalesce(usename, '?') || coalesce(' at ' || host(client_addr), '')
                 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE {HELD}"
            ),
            &[&LOCK],
        )?;
        Ok(rows.first().map(|row| row.get(0)))
    }

    /// Still the coordinator of this term: the session is there and holds the lock, and no one else leads.
    pub fn leads(&self, term: Term) -> Result<bool, StoreError> {
        let rows = self.query(
            "ask who coordinates",
            &format!(
                "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid() AND {HELD})
                 AND (SELECT term FROM coordinator) = $2"
            ),
            &[&LOCK, &term.0.cast_signed()],
        )?;
        Ok(rows[0].get(0))
    }

    /// Who coordinates, since when, and whether its session is still there.
    pub fn coordinator(&self) -> Result<Option<(String, Timestamp, Term, bool)>, StoreError> {
        let rows = self.query(
            "ask who coordinates",
            &format!(
                "SELECT name, since, term, EXISTS (SELECT 1 FROM pg_locks WHERE {HELD}) FROM coordinator"
            ),
            &[&LOCK],
        )?;
        let read = |row: &tokio_postgres::Row| {
            let term: i64 = row.get(2);
            (row.get(0), super::stamp(row.get(1)), Term(term.unsigned_abs()), row.get(3))
        };
        Ok(rows.first().map(read))
    }
}
