//! `fullwire assess`: observe, probe, judge, show, keep.

use crate::cli::value::Expectation;
use crate::cli::{AssessArgs, KeyArgs};
use crate::command::compare::diff::with_earlier;
use crate::demand::{self, Reading};
use crate::output::Show;
use crate::output::progress::Progress;
use crate::peer;
use crate::peer::reached::{LOOPBACK, Reached};
use crate::session;
use crate::session::Session;
use crate::session::disk_target;
use crate::session::experiment::{self, Budget};
use crate::session::outcome::FinishedRun;
use crate::session::store::read_store;
use crate::signals;
use crate::usage;
use anyhow::{Context, Result};
use fullwire_model::comparison::{Answer, Comparison};
use fullwire_model::mtu::MtuPlan;
use fullwire_model::net::{NetMode, NetPlan};
use fullwire_model::{GapReason, PathName, Run};
use fullwire_present::{ComparisonReport, json, terminal};
use std::net::IpAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What an assessment will do, and for how long.
struct AssessPlan {
    peers: Vec<AssessedPeer>,
    paths: Vec<String>,
    times: Times,
    repeats: u32,
}

/// A peer to be measured.
struct AssessedPeer {
    name: PathName,
    expect_bytes_per_s: Option<f64>,
}

impl AssessedPeer {
    fn is_loopback(&self) -> bool {
        self.name.as_str() == LOOPBACK
    }
}

/// How long each part takes.
#[derive(Clone, Copy)]
struct Times {
    idle: Duration,
    stream: Duration,
    several: Duration,
    reverse: Duration,
    sync: Duration,
    datagrams: Duration,
    /// How often the messages of a commit are measured: short passes tell their scatter.
    syncs: u32,
    /// Factor on the storage steps of the quick plan.
    disk_factor: u32,
}

/// For experiments beyond the plan, of a quick look and of a whole one.
const QUICK_BUDGET: Duration = Duration::from_secs(5);
const BUDGET: Duration = Duration::from_secs(30);
/// The exit status when a baseline is missed twice.
const WORSE: u8 = 1;
/// For a connection, and for each answer on it.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// RAC's interconnect sends blocks in UDP datagrams; at this rate no link worth measuring is loaded.
const BLOCK_BYTES: u64 = 8 << 10;
const BLOCK_RATE_BYTES_PER_S: f64 = 4e6;
/// Storage steps of the quick plan take about this long together.
const QUICK_DISK: Duration = Duration::from_millis(7_500);

pub(crate) fn run(args: &AssessArgs, show: &Show) -> Result<ExitCode> {
    let stop = signals::on_signals()?;
    let plan = plan(args)?;
    let outcome = measured(args, &plan, show, &stop)?;
    let document = json::assess(&outcome.run, &outcome.assessment);
    outcome.show(show, &document, || terminal::report(&outcome.report()).render(true))?;
    outcome.keep(&args.keep, show);
    let Some(name) = &args.baseline else {
        return Ok(outcome.exit_code_of_probes(args.judge.fail_on));
    };
    // It has been shown and kept: what cannot be compared is a warning.
    match against_baseline(&outcome.run, name, args, show, || measured(args, &plan, show, &stop)) {
        Ok(Answer::Worse) => Ok(ExitCode::from(WORSE)),
        Ok(_) => Ok(outcome.exit_code_of_probes(args.judge.fail_on)),
        Err(error) => {
            Show::warn(&format!("not compared with {name}: {}", crate::sentence(&error)));
            Ok(outcome.exit_code_of_probes(args.judge.fail_on))
        }
    }
}

/// Measures everything that was requested once.
fn measured(
    args: &AssessArgs,
    plan: &AssessPlan,
    show: &Show,
    stop: &Arc<AtomicBool>,
) -> Result<FinishedRun> {
    let mut session = Session::live("assess", &args.keep)?;
    session.judge_by(&args.judge, &[])?;
    session.budget = Budget::of(args.budget.unwrap_or(if args.quick { QUICK_BUDGET } else { BUDGET }));
    session.run.command.sga_bytes = args.sga;
    session.run.command.expect_disk = args.expect_disk.unwrap_or_default();
    demand::read(&mut session, &args.demand, Reading::default(), show, stop)?;
    let progress = Progress::new(show, plan.expected());
    probe(&mut session, plan, &args.key, &progress, stop);
    drop(progress);
    Ok(session.finish())
}

/// What the run says next to its baseline. Nothing is called worse before it was measured a second time.
fn against_baseline(
    run: &Run,
    name: &str,
    args: &AssessArgs,
    show: &Show,
    again: impl FnOnce() -> Result<FinishedRun>,
) -> Result<Answer> {
    let store = read_store(args.keep.store.as_deref())?;
    let tell = |comparison: &Comparison| {
        let sentences = ComparisonReport::new(comparison).headline.join(" ");
        show.note(&format!("compared with {name}: {sentences}"));
    };
    let first = with_earlier(&*store, name, &[run])?;
    tell(&first);
    if first.answer != Answer::Worse || signals::raised() {
        return Ok(if signals::raised() { Answer::CannotTell } else { first.answer });
    }
    show.note("measuring a second time before anything is called worse");
    let second = again()?;
    second.keep(&args.keep, show);
    let both = with_earlier(&*store, name, &[run, &second.run])?;
    tell(&both);
    let alone = with_earlier(&*store, name, &[&second.run])?;
    let confirmed = both.answer == Answer::Worse && alone.answer == Answer::Worse;
    if !confirmed {
        show.note("the second measurement does not confirm it");
    }
    Ok(if confirmed { Answer::Worse } else { Answer::CannotTell })
}

/// Without a peer and a path, both kinds are measured here.
fn wants_loopback(args: &AssessArgs) -> bool {
    args.peer.is_empty() && args.path.is_empty()
}

fn plan(args: &AssessArgs) -> Result<AssessPlan> {
    let target = |name: PathName| {
        let expect_bytes_per_s = expectation(&args.expect, &name);
        AssessedPeer { name, expect_bytes_per_s }
    };
    let mut peers: Vec<AssessedPeer> = args.peer.iter().cloned().map(target).collect();
    let mut paths = args.path.iter().map(|path| usage::utf8(path)).collect::<Result<Vec<_>>>()?;
    if wants_loopback(args) {
        peers.push(target(LOOPBACK.into()));
        paths.push(usage::utf8(&std::env::current_dir().context("find the current directory")?)?);
    }
    Ok(AssessPlan { peers, paths, times: Times::of(args), repeats: args.repeats })
}

/// What a peer's path should carry: its own expectation before the one for all.
fn expectation(expect: &[Expectation], name: &PathName) -> Option<f64> {
    let host = PathName::from(peer::host(name.as_str()));
    let own =
        expect.iter().find(|one| one.host.as_ref().is_some_and(|wanted| wanted == name || *wanted == host));
    own.or_else(|| expect.iter().find(|one| one.host.is_none())).map(|one| one.bytes_per_s)
}

impl Times {
    fn of(args: &AssessArgs) -> Self {
        if args.quick {
            let ms = Duration::from_millis;
            return Self {
                idle: ms(1000),
                stream: ms(2200),
                several: ms(1300),
                reverse: ms(1000),
                sync: ms(240),
                syncs: 3,
                datagrams: ms(700),
                disk_factor: 1,
            };
        }
        let each = args.duration.unwrap_or(Duration::from_secs(8)).max(Duration::from_secs(1));
        let disk_factor = u32::try_from(each.as_millis() / 1000).unwrap_or(1).clamp(1, 3600);
        Self {
            idle: Duration::from_secs(2),
            stream: each,
            several: each / 2,
            reverse: each,
            sync: each / 2,
            syncs: 1,
            datagrams: each / 4,
            disk_factor,
        }
    }
}

impl AssessPlan {
    fn expected(&self) -> Duration {
        let times = &self.times;
        let near = times.stream + times.several + times.sync * times.syncs;
        let far = near + times.reverse + times.datagrams;
        let peers = self.peers.iter().map(|peer| if peer.is_loopback() { near } else { far });
        let disks = self.paths.iter().map(|_| QUICK_DISK * times.disk_factor);
        times.idle + (peers.sum::<Duration>() + disks.sum::<Duration>()) * self.repeats
    }
}

/// Every probe of the plan; one that fails leaves a gap and the others go on.
fn probe(
    session: &mut Session,
    plan: &AssessPlan,
    key: &KeyArgs,
    progress: &Progress,
    stop: &Arc<AtomicBool>,
) {
    progress.doing("reaching the peers");
    let peers: Vec<(&AssessedPeer, Option<Reached>)> =
        plan.peers.iter().map(|target| (target, reach(session, target, key, stop))).collect();
    let addresses: Vec<IpAddr> = peers
        .iter()
        .filter_map(|(_, reached)| reached.as_ref()?.addresses().ok()?.first().copied())
        .collect();
    progress.doing("reading this host");
    session.observe(&addresses);
    session.idle(plan.times.idle);
    for (target, reached) in &peers {
        session::net::introduce(session, &target.name, target.expect_bytes_per_s);
        if let Some(reached) = reached {
            probe_peer(session, reached, plan, progress, stop);
        }
    }
    for path in &plan.paths {
        if stop.load(Ordering::Relaxed) {
            session.gap(path, GapReason::Skipped, "interrupted before it was measured");
            continue;
        }
        let mut disk_plan = disk_target::quick(path, disk_target::look(Path::new(path)));
        for step in &mut disk_plan.steps {
            step.duration_ns *= u64::from(plan.times.disk_factor);
            // A step that is repeated by itself is repeated no less.
            step.repeats = step.repeats.max(plan.repeats);
        }
        // Its gap is in the run already.
        let _ = session::disk::measure(session, &disk_plan, progress, stop);
    }
}

/// A peer that cannot be reached is a gap; the rest goes on.
fn reach(
    session: &mut Session,
    target: &AssessedPeer,
    key: &KeyArgs,
    stop: &Arc<AtomicBool>,
) -> Option<Reached> {
    let reached = if target.is_loopback() {
        Reached::loopback(CONNECT_WITHIN, stop)
    } else {
        Reached::open(&target.name, key, CONNECT_WITHIN, stop)
            .and_then(|reached| reached.addresses().map(|_| reached))
    };
    reached.map_err(|error| session.gap(&target.name, GapReason::Absent, format!("{error:#}"))).ok()
}

/// Path MTU first: it tells why a stream may stall. Then one stream, several, the reverse direction, the commit without and
/// with the standby's write, the blocks.
fn probe_peer(
    session: &mut Session,
    reached: &Reached,
    plan: &AssessPlan,
    progress: &Progress,
    stop: &Arc<AtomicBool>,
) {
    let (times, repeats) = (plan.times, plan.repeats);
    session::net::reach(session, reached, "", progress, stop);
    if !reached.loopback {
        let plan = MtuPlan { target: reached.name.clone(), timeout_ns: 500_000_000, ..MtuPlan::default() };
        if let Err(error) = session::net::path_mtu(session, &plan, reached, progress, stop) {
            session.no_path_mtu(&reached.name, GapReason::Absent, format!("path MTU: {error:#}"));
        }
    }
    let black_hole = session.run.mtu.iter().any(|mtu| mtu.target == reached.name && mtu.black_hole);
    let commit_bytes = demand::redo_write_bytes(&session.run);
    // What a commit waits for at the standby is asked where a database's demand is known.
    let affirm = session.run.demand.is_some();
    for plan in net_plans(reached, times, black_hole, commit_bytes, affirm) {
        if stop.load(Ordering::Relaxed) {
            session.gap(&reached.name, GapReason::Skipped, "interrupted before it was measured");
            return;
        }
        let repeats = if plan.mode == NetMode::Sync { repeats.max(times.syncs) } else { repeats };
        let failed =
            session::net::measure_repeatedly(session, &plan, reached, repeats, progress, stop).is_err();
        // A peer may allow one stream and refuse several.
        if failed && plan.mode == NetMode::Async && plan.streams == 1 {
            // Nothing that follows would get through either.
            return;
        }
    }
    session::net::both_families(session, reached, progress, stop);
    if !black_hole {
        experiment::on_path(session, reached, progress, stop);
    }
}

fn net_plans(
    reached: &Reached,
    times: Times,
    black_hole: bool,
    commit_bytes: u64,
    affirm: bool,
) -> Vec<NetPlan> {
    let ns = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    let base = NetPlan {
        target: reached.name.clone(),
        streams: 1,
        interval_ns: 250_000_000,
        // Where large packets are known to be dropped, nothing is gained by waiting long for them.
        timeout_ns: if black_hole { 4_000_000_000 } else { 10_000_000_000 },
        ..NetPlan::default()
    };
    let stream = NetPlan {
        mode: NetMode::Async,
        length_bytes: 1 << 20,
        duration_ns: ns(times.stream),
        // Slow start is not the path's capacity.
        warmup_ns: ns(times.stream / 6),
        ..base.clone()
    };
    let sync = NetPlan {
        mode: NetMode::Sync,
        length_bytes: commit_bytes,
        duration_ns: ns(times.sync),
        ..base.clone()
    };
    let several = NetPlan {
        streams: several_streams(),
        duration_ns: ns(times.several),
        warmup_ns: ns(times.several / 6),
        ..stream.clone()
    };
    if black_hole {
        return vec![stream, sync];
    }
    if reached.loopback {
        return vec![stream, several, sync];
    }
    let reverse = NetPlan {
        reverse: true,
        duration_ns: ns(times.reverse),
        warmup_ns: ns(times.reverse / 6),
        ..stream.clone()
    };
    let blocks = NetPlan {
        mode: NetMode::Udp,
        length_bytes: BLOCK_BYTES,
        rate_bytes_per_s: BLOCK_RATE_BYTES_PER_S,
        duration_ns: ns(times.datagrams),
        ..base
    };
    // A responder that was given no directory refuses to write: then the answer says so.
    let affirmed = affirm.then(|| NetPlan { write: true, ..sync.clone() });
    [stream, several, reverse, sync].into_iter().chain(affirmed).chain([blocks]).collect()
}

/// What a path carries at the same time: a stream for each CPU, up to eight; one CPU drives two.
fn several_streams() -> u32 {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cpus).unwrap_or(u32::MAX).clamp(2, 8)
}
