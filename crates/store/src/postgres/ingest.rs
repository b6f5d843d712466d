//! Results come in: each run once, however often it is brought.

use super::{Shared, system};
use crate::{StoreError, body};
use fullwire_model::Run;
use fullwire_model::assessment::is_plain_word;
use fullwire_model::history::ID_LONGEST_BYTES;
use jiff::Timestamp;

/// A run, who brought it, and what it says of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The host whose credential brought it; empty: it was kept by hand.
    pub agent: String,
    /// The run.
    pub run: Run,
    /// Its point, when it measured a path of a round.
    pub point: Option<Point>,
}

/// One point of one ordered pair.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Point {
    /// The sender.
    pub src: String,
    /// The receiver.
    pub dst: String,
    /// Which network.
    pub network: String,
    /// `stream` or `light`.
    pub kind: &'static str,
    /// When.
    pub at: Timestamp,
    /// `measured`, `blocked`, `failed`, `absent`, `refused`.
    pub state: &'static str,
    /// Bytes a second of a stream, median ns of round trips.
    pub value: Option<f64>,
    /// What the stream is compared with, bytes a second.
    pub ceiling: Option<f64>,
    /// 99th percentile of round trips, ns.
    pub p99_ns: Option<u64>,
    /// Largest packet that passes, bytes.
    pub mtu_bytes: Option<u64>,
    /// Large packets vanish without a word.
    pub black_hole: bool,
    /// The round.
    pub round_id: String,
    /// The run; empty: there is none.
    pub run_id: String,
}

/// What became of a run that was brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ingested {
    /// It is kept now.
    Added,
    /// It was kept already.
    Known,
    /// It is not kept, and bringing it again would not change that: why.
    Rejected(String),
}

impl Shared {
    /// Keeps runs in one transaction: when this returns they have been committed, all of them. A run that cannot be
    /// kept at all is rejected and holds up no other.
    pub fn ingest(&mut self, items: &[Item]) -> Result<Vec<Ingested>, StoreError> {
        const ACTION: &str = "keep runs";
        let failed = self.failed(ACTION);
        let packed: Vec<Result<Vec<u8>, String>> = items.iter().map(pack).collect();
        let outcome = self.runtime.block_on(async {
            let transaction = self.client.transaction().await?;
            let insert = transaction.prepare(INSERT).await?;
            let mut outcomes = Vec::with_capacity(items.len());
            for (item, packed) in items.iter().zip(&packed) {
                let packed = match packed {
                    Ok(packed) => packed,
                    Err(why) => {
                        outcomes.push(Ingested::Rejected(why.clone()));
                        continue;
                    }
                };
                let run = &item.run;
                let arguments = serde_json::Value::from(run.command.arguments.clone()).to_string();
                let targets = crate::store::targets(run);
                let added = transaction
                    .execute(
                        &insert,
                        &[
                            &run.run_id,
                            &system(run.started),
                            &system(run.finished),
                            &run.command.name,
                            &arguments,
                            &run.host.hostname,
                            &item.agent,
                            &run.tag,
                            &run.tool_version,
                            &targets,
                            packed,
                        ],
                    )
                    .await?;
                if added == 0 {
                    let known = "SELECT agent = $2 FROM run WHERE run_id = $1";
                    let own = transaction.query(known, &[&run.run_id, &item.agent]).await?;
                    outcomes.push(match own.first().map(|row| row.get(0)) {
                        Some(true) => Ingested::Known,
                        _ => Ingested::Rejected(format!("another host has brought run {}", run.run_id)),
                    });
                    continue;
                }
                if let Some(point) = &item.point {
                    add_point(&transaction, point).await?;
                }
                outcomes.push(Ingested::Added);
            }
            transaction.commit().await?;
            Ok(outcomes)
        });
        outcome.map_err(failed)
    }

    /// Keeps points of paths that have no run: what could not be measured.
    pub fn keep_points(&mut self, points: &[Point]) -> Result<(), StoreError> {
        let failed = self.failed("keep points");
        let outcome = self.runtime.block_on(async {
            let transaction = self.client.transaction().await?;
            for point in points {
                add_point(&transaction, point).await?;
            }
            transaction.commit().await
        });
        outcome.map_err(failed)
    }
}

/// No second row of this id, whatever its time: a host that brings a run again brings it as it was.
const INSERT: &str = "INSERT INTO run (run_id, started, finished, command, arguments, host, agent, tag, tool_version, targets, body)
    SELECT $1::text, $2::timestamptz, $3::timestamptz, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text,
        $10::text[], $11::bytea
    WHERE NOT EXISTS (SELECT 1 FROM run WHERE run_id = $1)
    ON CONFLICT DO NOTHING";

const INSERT_POINT: &str = "INSERT INTO path
    (src, dst, network, kind, at, state, value, ceiling, p99_ns, mtu_bytes, black_hole, round_id, run_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING";

async fn add_point(
    transaction: &tokio_postgres::Transaction<'_>,
    point: &Point,
) -> Result<(), tokio_postgres::Error> {
    let number = |value: Option<u64>| value.and_then(|value| i64::try_from(value).ok());
    transaction
        .execute(
            INSERT_POINT,
            &[
                &point.src,
                &point.dst,
                &point.network,
                &point.kind,
                &system(point.at),
                &point.state,
                &point.value,
                &point.ceiling,
                &number(point.p99_ns),
                &number(point.mtu_bytes),
                &point.black_hole,
                &point.round_id,
                &point.run_id,
            ],
        )
        .await?;
    Ok(())
}

/// A key of an index takes 2,704 bytes (PostgreSQL, nbtree.h: a third of a page), and some have two texts.
const LONGEST_BYTES: usize = 1024;

/// What no text column of PostgreSQL takes is refused here, so that it does not fail the others' transaction.
fn pack(item: &Item) -> Result<Vec<u8>, String> {
    let run = &item.run;
    if !is_plain_word(&run.run_id, ID_LONGEST_BYTES) {
        return Err("the id of a run has up to 64 letters, digits, dots and dashes".into());
    }
    let targets = crate::store::targets(run);
    let texts = [&run.run_id, &run.command.name, &run.host.hostname, &run.tool_version, &item.agent];
    let of_point = item.point.iter().flat_map(|point| [&point.src, &point.dst, &point.network]);
    let texts = texts.into_iter().chain(&run.tag).chain(of_point).map(String::as_str);
    let mut texts = texts.chain(targets);
    if texts.any(|text| text.contains('\0') || text.len() > LONGEST_BYTES) {
        return Err(format!("a text of the run has a zero byte or more than {LONGEST_BYTES} bytes"));
    }
    body::pack(run).map_err(|error| error.to_string())
}
