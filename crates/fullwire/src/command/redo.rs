//! `fullwire redo`: what the redo or WAL history requires of a path, and whether a path is enough.

use crate::cli::{RedoArgs, SqlDialect};
use crate::need::{self, Reading};
use crate::progress::Progress;
use crate::reach::Reached;
use crate::session::{Session, open_store};
use crate::show::Show;
use crate::{network, stop};
use anyhow::{Context, Result};
use fullwire_demand::redo::{self, sizing, sql};
use fullwire_model::Run;
use fullwire_model::net::{NetMode, NetPlan, NetResult};
use fullwire_present::{Report, json, terminal};
use serde::Serialize;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The version whose queries `--sql` prints.
const LATEST_POSTGRES: u32 = 180_000;
/// The message that stands for a redo write when the history does not tell its size.
const REDO_WRITE_BYTES: u64 = 8 << 10;
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
const STREAM: Duration = Duration::from_secs(5);
const SYNC: Duration = Duration::from_secs(3);

pub(crate) fn run(args: &RedoArgs, show: &Show) -> Result<ExitCode> {
    if let Some(dialect) = args.sql {
        Show::text(&queries(dialect))?;
        return Ok(ExitCode::SUCCESS);
    }
    let stop = stop::on_signals()?;
    let mut session = Session::live("redo", &args.keep)?;
    let reading = Reading {
        headroom: args.headroom / 100.0,
        date_order: args.date_order.map(Into::into),
        window: args.window,
    };
    need::read(&mut session, &args.sources, reading, show, &stop)?;
    let sized_by = match (&args.peer, &args.run) {
        (Some(target), _) => {
            measure(&mut session, target, args, show, &stop)?;
            session.run.net.clone()
        }
        (None, Some(name)) => open_store(args.keep.store.as_deref())?.load(name)?.net,
        (None, None) => Vec::new(),
    };
    let (run, assessment) = session.finish(&args.keep)?;
    let sizing = sizing(&run, &sized_by, args.gap);
    let redo = json::redo(&run, &assessment).context("the sources hold no redo history")?;
    let document = Document { redo, sizing };
    show.result(&document, || {
        let mut text = terminal::demand(&Report::new(&run, &assessment)).render(true);
        if let Some(sizing) = &document.sizing {
            text.push_str(&sentences(sizing));
        }
        text
    })?;
    Ok(ExitCode::SUCCESS)
}

/// `fullwire.redo/1`, with what it means for a path where one is known.
#[derive(Serialize)]
struct Document<R: Serialize> {
    #[serde(flatten)]
    redo: R,
    #[serde(skip_serializing_if = "Option::is_none")]
    sizing: Option<sizing::Sizing>,
}

fn queries(dialect: SqlDialect) -> String {
    match dialect {
        SqlDialect::Oracle => format!("{}\n\n{}\n", sql::ORACLE_ARCHIVED_LOG, sql::ORACLE_LOG_HISTORY),
        SqlDialect::Postgres => {
            redo::postgres::queries(LATEST_POSTGRES).iter().map(|query| format!("{query};\n")).collect()
        }
        SqlDialect::Mysql => format!("{}\n", redo::mysql::STATUS),
    }
}

/// A stream, and messages of the redo's own size, with and without the standby's write: what ASYNC and SYNC transport
/// would do.
fn measure(
    session: &mut Session,
    target: &str,
    args: &RedoArgs,
    show: &Show,
    stop: &Arc<AtomicBool>,
) -> Result<()> {
    let mut reached = Reached::open(target, &args.key, CONNECT_WITHIN, stop)?;
    session.observe(&reached.addresses()?);
    network::introduce(session, target, None);
    let write_bytes = session.run.demand.as_ref().and_then(|demand| demand.redo_write_mean_bytes);
    let ns = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    let stream = NetPlan {
        target: target.to_owned(),
        mode: NetMode::Async,
        streams: 1,
        length_bytes: 1 << 20,
        duration_ns: ns(STREAM),
        interval_ns: 250_000_000,
        ..NetPlan::default()
    };
    let length_bytes = write_bytes.map_or(REDO_WRITE_BYTES, whole);
    let sync = NetPlan { mode: NetMode::Sync, length_bytes, duration_ns: ns(SYNC), ..stream.clone() };
    let affirm = NetPlan { write: true, ..sync.clone() };
    let progress = Progress::new(show, STREAM + SYNC * 2);
    for plan in [stream, sync] {
        network::measure(session, &plan, &reached, &progress).map_err(|error| reached.explain(error))?;
    }
    // A responder that was given no directory refuses to write: a gap, and the rest holds.
    let _ = network::measure(session, &affirm, &reached, &progress);
    Ok(())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a mean write is at most some MiB"
)]
fn whole(bytes: f64) -> u64 {
    bytes.clamp(1.0, 16_777_216.0).round() as u64
}

fn sizing(run: &Run, net: &[NetResult], gap_bytes: Option<u64>) -> Option<sizing::Sizing> {
    let demand = run.demand.as_ref().filter(|_| !net.is_empty())?;
    Some(sizing::size(demand, net, gap_bytes.map(|bytes| bytes as f64)))
}

/// The sizing for a person.
fn sentences(sizing: &sizing::Sizing) -> String {
    let mb = |bytes_per_s: f64| format!("{:.1} MB/s", bytes_per_s / 1e6);
    let ms = |ns: u64| ns as f64 / 1e6;
    let mut lines = vec!["\nIs the path enough?".to_owned()];
    if let (Some(required), Some(measured), Some(enough)) =
        (sizing.required_bytes_per_s, sizing.measured_bytes_per_s, sizing.async_is_enough)
    {
        let word = if enough { "yes" } else { "no" };
        lines.push(format!("  ASYNC   {word}: {} measured, {} required", mb(measured), mb(required)));
    }
    let delays =
        [("SYNC AFFIRM", sizing.commit_delay_affirm_ns), ("SYNC NOAFFIRM", sizing.commit_delay_noaffirm_ns)];
    for (name, delay) in delays.into_iter().filter_map(|(name, delay)| Some((name, delay?))) {
        let (p50, p99) = (ms(delay.p50), ms(delay.p99));
        lines.push(format!("  {name:<14} adds {p50:.2} ms to a commit (median), {p99:.2} ms (p99)"));
    }
    if let Some(seconds) = sizing.gap_closes_s {
        lines.push(format!("  the gap closes in {seconds:.0} s while the database goes on at its peak"));
    }
    if let Some(streams) = sizing.streams_needed.filter(|&streams| streams > 1) {
        lines.push(format!("  {streams} connections like the measured one would carry the requirement"));
    }
    if let Some(bytes) = sizing.buffer_needed_bytes {
        lines.push(format!("  one connection needs a window of {:.0} kB", bytes / 1e3));
    }
    lines.extend(sizing.gaps.iter().map(|gap| format!("  unknown: {}: {}", gap.subject, gap.detail)));
    lines.join("\n") + "\n"
}
