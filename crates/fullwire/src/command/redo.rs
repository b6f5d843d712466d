//! `fullwire redo`: what the redo or WAL history requires of a path, and whether a path is enough.

use super::file::or_of_another_kind;
use crate::cli::{RedoArgs, SqlDialect};
use crate::demand::{self, Reading};
use crate::output::Show;
use crate::output::progress::Progress;
use crate::peer::reached::Reached;
use crate::session;
use crate::session::Session;
use crate::session::last::of_a_network;
use crate::session::outcome::{FinishedRun, NOT_DONE};
use crate::session::store::read_store;
use crate::signals;
use crate::usage;
use anyhow::{Context, Result};
use fullwire_demand::redo::{self, sql};
use fullwire_demand::views;
use fullwire_model::assessment::Finding;
use fullwire_model::demand::Sizing;
use fullwire_model::net::{NetMode, NetPlan, NetResult};
use fullwire_model::{PathName, Run};
use fullwire_present::{json, terminal};
use fullwire_rules::sizing;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The version whose queries `--sql` prints.
const LATEST_POSTGRES: u32 = 180_000;
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
const STREAM: Duration = Duration::from_secs(5);
const SYNC: Duration = Duration::from_secs(3);

pub(crate) fn run(args: &RedoArgs, show: &Show) -> Result<ExitCode> {
    if let Some(dialect) = args.sql {
        Show::source(&queries(dialect))?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.gap.is_some() && args.peer.is_none() && args.run.is_none() {
        return usage::wrong("--gap needs a path: give --peer, or a kept run with --run");
    }
    if args.headroom > 0.0 && args.headroom < 1.0 {
        let (given, meant) = (args.headroom, args.headroom * 100.0);
        return usage::wrong(format!(
            "--headroom {given} is less than one percent: write {meant} for {meant} %"
        ));
    }
    let stop = signals::on_signals()?;
    let mut session = Session::live("redo", &args.keep)?;
    session.judge_by(&args.judge, &[])?;
    session.run.command.gap_bytes = args.gap;
    session.run.command.expect_bytes_per_s = args.expect;
    let reading = Reading {
        headroom: args.headroom / 100.0,
        date_order: args.date_order.map(Into::into),
        window: args.window,
    };
    let files: Vec<PathBuf> = args.sources.iter().map(PathBuf::from).collect();
    demand::read(&mut session, &args.sources, reading, show, &stop)
        .map_err(|error| or_of_another_kind(error, &files))?;
    let kept = match (&args.peer, &args.run) {
        (Some(target), _) => {
            measure(&mut session, target, args, show, &stop)?;
            None
        }
        (None, Some(name)) => Some(of_a_network(&*read_store(args.keep.store.as_deref())?, name)?),
        (None, None) => None,
    };
    let mut outcome = session.finish();
    let sized_by = kept.as_ref().map_or(&outcome.run.net, |run| &run.net);
    let sizing = sized(&outcome.run, sized_by);
    if let Some(kept) = kept {
        judge_kept(&mut outcome, kept);
    }
    let no_rate = outcome.run.redo.as_ref().is_some_and(|redo| redo.peak_bytes_per_s.is_none());
    let mut document =
        json::redo(&outcome.run, &outcome.assessment).context(if outcome.run.views.is_some() {
            "the sources contain no redo history: `fullwire check --views FILE` judges listings of ASM and Data Guard"
        } else {
            "the sources contain no redo history"
        })?;
    document.sizing = sizing.as_ref();
    outcome.show(show, &document, || terminal::report(&outcome.report()).render(true))?;
    outcome.keep(&args.keep, show);
    if no_rate && !signals::raised() {
        return Ok(ExitCode::from(NOT_DONE));
    }
    Ok(outcome.exit_code(args.judge.fail_on))
}

fn queries(dialect: SqlDialect) -> String {
    match dialect {
        SqlDialect::Oracle => format!("{}\n\n{}\n", sql::ORACLE_ARCHIVED_LOG, sql::ORACLE_LOG_HISTORY),
        SqlDialect::OracleAsm => views::sql::ORACLE_ASM.to_owned(),
        SqlDialect::OracleStandby => views::sql::ORACLE_STANDBY.to_owned(),
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
    target: &PathName,
    args: &RedoArgs,
    show: &Show,
    stop: &Arc<AtomicBool>,
) -> Result<()> {
    let mut reached = Reached::open(target, &args.key, CONNECT_WITHIN, stop)?;
    session.observe(&reached.addresses()?);
    session::net::introduce(session, target, args.expect);
    let ns = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    let stream = NetPlan {
        target: target.clone(),
        mode: NetMode::Async,
        streams: 1,
        length_bytes: 1 << 20,
        duration_ns: ns(STREAM),
        interval_ns: 250_000_000,
        ..NetPlan::default()
    };
    let length_bytes = demand::redo_write_bytes(&session.run);
    let sync = NetPlan { mode: NetMode::Sync, length_bytes, duration_ns: ns(SYNC), ..stream.clone() };
    let affirm = NetPlan { write: true, ..sync.clone() };
    let progress = Progress::new(show, STREAM + SYNC * 2);
    for plan in [stream, sync] {
        session::net::measure(session, &plan, &reached, &progress).map_err(|error| reached.explain(error))?;
    }
    // A responder that was given no directory refuses to write: a gap, and the rest holds.
    let _ = session::net::measure(session, &affirm, &reached, &progress);
    Ok(())
}

/// The path of a kept run is judged by this demand: what it lacks belongs to the answer and to the exit status. The kept
/// results do not become this run's.
fn judge_kept(outcome: &mut FinishedRun, kept: Run) {
    let run = Run {
        command: outcome.run.command.clone(),
        demand: outcome.run.demand.clone(),
        reports: outcome.run.reports.clone(),
        ..kept
    };
    let judged = fullwire_rules::assess(&run);
    outcome.assessment.answers = judged.answers;
    let own = judged.findings.into_iter().filter(|finding| finding.code == "redo-exceeds-path");
    // What it follows from stays behind.
    outcome.assessment.findings.extend(own.map(|finding| Finding { consequence_of: Vec::new(), ..finding }));
}

fn sized(run: &Run, net: &[NetResult]) -> Option<Sizing> {
    let demand = run.demand.as_ref().filter(|_| !net.is_empty())?;
    let gap = run.command.gap_bytes;
    let gap = gap.map(|bytes| sizing::RedoGap { bytes: bytes as f64, ..sizing::RedoGap::default() });
    Some(sizing::size(demand, net, gap))
}
