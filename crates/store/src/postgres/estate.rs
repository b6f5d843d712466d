//! Hosts, rounds and points of an estate.

use super::{Shared, Term, stamp, system};
use crate::StoreError;
use jiff::Timestamp;
use std::io::Read as _;
use tokio_postgres::Row;

/// A mesh of 1,000 hosts unpacks to some tens of megabytes.
const LARGEST_BYTES: u64 = 256 << 20;

/// A host of the estate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostRow {
    /// Its name.
    pub name: String,
    /// The version that it runs.
    pub version: String,
    /// JSON: network to address.
    pub addresses: String,
    /// When it was heard first; `None`: never.
    pub first_seen: Option<Timestamp>,
    /// When it was heard last.
    pub last_seen: Option<Timestamp>,
    /// Results that it still keeps.
    pub unsent: u64,
    /// What it says of itself.
    pub detail: String,
}

/// A round.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RoundRow {
    /// Its id: the label of its runs.
    pub round_id: String,
    /// `mesh` or `light`.
    pub kind: String,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// `running`, `done`, `interrupted`.
    pub state: String,
}

/// One point, for a look at what is bad.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PointRow {
    /// The sender.
    pub src: String,
    /// The receiver.
    pub dst: String,
    /// Which network.
    pub network: String,
    /// `stream` or `light`.
    pub kind: String,
    /// When.
    pub at: Timestamp,
    /// `measured`, `blocked`, `failed`, `absent`, `refused`.
    pub state: String,
    /// Bytes a second of a stream, median ns of round trips.
    pub value: Option<f64>,
    /// What a stream is compared with, bytes a second.
    pub ceiling: Option<f64>,
    /// Large packets vanish.
    pub black_hole: bool,
    /// The run; empty: there is none.
    pub run_id: String,
}

/// Which paths may be bad: those of which at least so many points are far from what they should be. Whether they are is
/// for whoever reads their points; a healthy path of thousands costs one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Suspect {
    /// A stream below this share of its ceiling.
    pub share_of_ceiling: f64,
    /// A stream below this share of the most that it did.
    pub share_of_most: f64,
    /// A round trip above this multiple of the least.
    pub multiple_of_least: f64,
    /// So many of them.
    pub readings: u32,
}

impl Shared {
    /// Forgets a host; its runs stay.
    pub fn dismiss(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.execute("remove a host", "DELETE FROM host WHERE name = $1", &[&name])? > 0)
    }

    /// Notes when hosts were heard last; one that is new is taken in: its credential has been checked.
    pub fn saw(&mut self, hosts: &[HostRow]) -> Result<(), StoreError> {
        let failed = self.failed("note which hosts are there");
        let outcome = self.runtime.block_on(async {
            let transaction = self.client.transaction().await?;
            for host in hosts {
                transaction
                    .execute(
                        "INSERT INTO host (name, version, addresses, first_seen, last_seen, unsent, detail)
                         VALUES ($1, $2, $3, $4, $4, $5, $6)
                         ON CONFLICT (name) DO UPDATE SET version = $2, addresses = $3, last_seen = $4, unsent = $5,
                             detail = $6",
                        &[
                            &host.name,
                            &host.version,
                            &host.addresses,
                            &host.last_seen.map(system),
                            &i64::try_from(host.unsent).unwrap_or(i64::MAX),
                            &host.detail,
                        ],
                    )
                    .await?;
            }
            transaction.commit().await
        });
        outcome.map_err(failed)
    }

    /// All hosts by name.
    pub fn hosts(&self) -> Result<Vec<HostRow>, StoreError> {
        let sql =
            "SELECT name, version, addresses, first_seen, last_seen, unsent, detail FROM host ORDER BY name";
        Ok(self.query("list the hosts", sql, &[])?.iter().map(host).collect())
    }

    /// A round begins. False: another coordinator has taken over.
    pub fn begin_round(&self, term: Term, round_id: &str, kind: &str) -> Result<bool, StoreError> {
        let added = self.execute(
            "begin a round",
            "INSERT INTO round (round_id, term, kind, started, state)
             SELECT $1::text, term, $3::text, $4::timestamptz, 'running' FROM coordinator WHERE term = $2",
            &[&round_id, &term.0.cast_signed(), &kind, &system(Timestamp::now())],
        )?;
        Ok(added > 0)
    }

    /// A round is over; `mesh` is what it showed, as JSON. False: another coordinator has taken over.
    pub fn end_round(
        &self,
        term: Term,
        round_id: &str,
        interrupted: bool,
        mesh: &[u8],
    ) -> Result<bool, StoreError> {
        let state = if interrupted { "interrupted" } else { "done" };
        let unpacked = |error: std::io::Error| StoreError::Unkeepable {
            run_id: round_id.to_owned(),
            detail: error.to_string(),
        };
        let body = zstd::encode_all(mesh, 3).map_err(unpacked)?;
        let ended = self.execute(
            "end a round",
            "UPDATE round SET state = $3, ended = $4, body = $5
             WHERE round_id = $1 AND term = $2 AND term = (SELECT term FROM coordinator)",
            &[&round_id, &term.0.cast_signed(), &state, &system(Timestamp::now()), &body],
        )?;
        Ok(ended > 0)
    }

    /// The newest rounds, newest first.
    pub fn rounds(&self, limit: u32) -> Result<Vec<RoundRow>, StoreError> {
        let sql = "SELECT round_id, kind, started, ended, state FROM round ORDER BY started DESC LIMIT $1";
        Ok(self.query("list the rounds", sql, &[&i64::from(limit)])?.iter().map(round).collect())
    }

    /// What a round showed, as JSON; `None`: there is no such round, or it is not over.
    pub fn round_mesh(&self, round_id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let rows =
            self.query("load the round", "SELECT body FROM round WHERE round_id = $1", &[&round_id])?;
        let Some(packed) = rows.first().and_then(|row| row.get::<_, Option<Vec<u8>>>(0)) else {
            return Ok(None);
        };
        let mut json = Vec::new();
        let decoded = zstd::Decoder::new(packed.as_slice())
            .and_then(|decoder| decoder.take(LARGEST_BYTES).read_to_end(&mut json));
        match decoded {
            Ok(_) => Ok(Some(json)),
            Err(error) => {
                Err(StoreError::Malformed { run_id: round_id.to_owned(), detail: error.to_string() })
            }
        }
    }

    /// The newest point of every path since a time, and of those that may be bad the newest `each`: by path, oldest first.
    pub fn points(
        &self,
        since: Timestamp,
        each: u32,
        suspect: &Suspect,
    ) -> Result<Vec<PointRow>, StoreError> {
        let rows = self.query(
            "read the points of all paths",
            "WITH newest AS (
                 SELECT *, row_number() OVER (PARTITION BY src, dst, network, kind ORDER BY at DESC) AS place
                 FROM path WHERE at >= $1),
             compared AS (
                 SELECT *, max(value) OVER one AS most, min(value) OVER one AS least FROM newest WHERE place <= $2
                 WINDOW one AS (PARTITION BY src, dst, network, kind)),
             counted AS (
                 SELECT *, count(*) FILTER (WHERE state IN ('blocked', 'failed') OR black_hole
                     OR (kind = 'stream' AND (value < $3 * ceiling OR value < $4 * most))
                     OR (kind <> 'stream' AND value > $5 * least))
                     OVER (PARTITION BY src, dst, network, kind) AS suspects FROM compared)
             SELECT src, dst, network, kind, at, state, value, ceiling, black_hole, run_id FROM counted
             WHERE place = 1 OR suspects >= $6 ORDER BY kind, network, src, dst, at",
            &[
                &system(since),
                &i64::from(each),
                &suspect.share_of_ceiling,
                &suspect.share_of_most,
                &suspect.multiple_of_least,
                &i64::from(suspect.readings),
            ],
        )?;
        Ok(rows.iter().map(point).collect())
    }

    /// How many runs and points there are, and how much room they take, bytes: for planning.
    pub fn size(&self) -> Result<(u64, u64, u64), StoreError> {
        let rows = self.query(
            "measure the store",
            "SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM path),
                 (SELECT coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::bigint FROM pg_class
                  JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = 'fullwire' AND relkind = 'r')",
            &[],
        )?;
        let number = |column| rows[0].get::<_, i64>(column).unsigned_abs();
        Ok((number(0), number(1), number(2)))
    }
}

fn host(row: &Row) -> HostRow {
    let time = |column| row.get::<_, Option<std::time::SystemTime>>(column).map(stamp);
    HostRow {
        name: row.get("name"),
        version: row.get("version"),
        addresses: row.get("addresses"),
        first_seen: time("first_seen"),
        last_seen: time("last_seen"),
        unsent: row.get::<_, i64>("unsent").unsigned_abs(),
        detail: row.get("detail"),
    }
}

fn round(row: &Row) -> RoundRow {
    RoundRow {
        round_id: row.get("round_id"),
        kind: row.get("kind"),
        started: stamp(row.get("started")),
        ended: row.get::<_, Option<std::time::SystemTime>>("ended").map(stamp),
        state: row.get("state"),
    }
}

fn point(row: &Row) -> PointRow {
    PointRow {
        src: row.get("src"),
        dst: row.get("dst"),
        network: row.get("network"),
        kind: row.get("kind"),
        at: stamp(row.get("at")),
        state: row.get("state"),
        value: row.get("value"),
        ceiling: row.get("ceiling"),
        black_hole: row.get("black_hole"),
        run_id: row.get("run_id"),
    }
}
