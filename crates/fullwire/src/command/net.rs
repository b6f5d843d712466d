//! `fullwire net`: measure the network to one peer, once or again and again.

use crate::cli::value::{Extent, Frequency};
use crate::cli::{Mode, NetArgs};
use crate::output::progress::Progress;
use crate::output::{Show, append};
use crate::peer::iperf::Bridge;
use crate::peer::reached::Reached;
use crate::repeats;
use crate::session;
use crate::session::Session;
use crate::session::experiment::{self, Budget};
use crate::session::outcome::FinishedRun;
use crate::signals;
use crate::usage;
use anyhow::{Context, Result, bail};
use fullwire_model::net::{NetPlan, Payload};
use fullwire_present::{Printed, json, terminal};
use fullwire_probe::net::{split, ssh};
use rustix::net::{AddressFamily, SocketType, sockopt};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What runs without us is watched this long before.
const IDLE: Duration = Duration::from_millis(500);
/// Socket buffers of a window sweep, bytes: each four times the one before.
const WINDOWS_BYTES: [u64; 6] = [64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20];

pub(crate) fn run(args: &NetArgs, show: &Show) -> Result<ExitCode> {
    let stop = signals::on_signals()?;
    let started = Instant::now();
    let mut round = 0;
    loop {
        let code = once(args, show, &stop)?;
        round += 1;
        let Some(Frequency { every, whole }) = args.freq else { return Ok(code) };
        if every * round >= whole {
            return Ok(code);
        }
        if !signals::sleep_until(started + every * round, &stop) {
            Show::warn("interrupted between two rounds");
            return Ok(ExitCode::from(signals::INTERRUPTED));
        }
    }
}

fn once(args: &NetArgs, show: &Show, stop: &Arc<AtomicBool>) -> Result<ExitCode> {
    let outcome = measured(args, show, stop)?;
    let text = || terminal::report(&outcome.report()).render(true);
    if args.window_sweep {
        outcome.show(show, &json::sweep(&outcome.run, &outcome.assessment), text)?;
    } else {
        let documents = json::net(&outcome.run, &outcome.assessment);
        let Some(document) = documents.first() else { bail!("nothing was measured to {}", args.target) };
        outcome.show(show, document, text)?;
    }
    outcome.keep(&args.keep, show);
    if let Some(path) = &args.output {
        append(path, &Printed::lines(&terminal::report(&outcome.report()).render(false)))?;
    }
    Ok(outcome.exit_code(args.judge.fail_on))
}

/// The measurement, judged; nothing is shown or kept.
pub(crate) fn measured(args: &NetArgs, show: &Show, stop: &Arc<AtomicBool>) -> Result<FinishedRun> {
    let plans = plans(args);
    check(args, &plans)?;
    let mut session = Session::live("net", &args.keep)?;
    session.judge_by(&args.judge, &[])?;
    session.budget = Budget::of(args.budget.unwrap_or_default());
    let once: u64 = plans.iter().map(|plan| plan.duration_ns + plan.warmup_ns).sum();
    let whole = once * u64::from(args.repeats);
    let progress = Progress::new(show, Duration::from_nanos(whole)).with_lines();
    match Bridge::of(args.target.as_str()) {
        Some(bridge) => by_bridge(&mut session, args, bridge, &plans, &progress, stop)?,
        None => by_responder(&mut session, args, &plans, &progress, stop)?,
    }
    drop(progress);
    Ok(session.finish())
}

/// What this host can find out alone is reported before anyone is called.
fn check(args: &NetArgs, plans: &[NetPlan]) -> Result<()> {
    let target = args.target.as_str();
    if !target.contains("://") && split(target).is_none() {
        return usage::wrong(format!("{target}: expected HOST, HOST:PORT or [IPV6]:PORT"));
    }
    if target.starts_with(ssh::SCHEME)
        && let Err(error) = ssh::check_target(target)
    {
        return usage::wrong(error.to_string());
    }
    if args.open_loop.is_some() && !matches!(args.mode, Mode::Sync | Mode::Rtt) {
        return usage::wrong("--open-loop needs --mode sync or rtt, in which each message is answered");
    }
    for plan in plans {
        if let Payload::File(path) = &plan.payload {
            let meta = std::fs::metadata(path).with_context(|| format!("read the payload {path}"))?;
            if !meta.is_file() || meta.len() == 0 {
                bail!("the payload {path} is not a file, or is empty");
            }
        }
    }
    if !args.congestion.is_empty() {
        let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None)?;
        sockopt::set_tcp_congestion(&socket, &args.congestion).with_context(|| {
            format!(
                "use congestion control {} (see net.ipv4.tcp_available_congestion_control)",
                args.congestion
            )
        })?;
    }
    Ok(())
}

fn by_responder(
    session: &mut Session,
    args: &NetArgs,
    plans: &[NetPlan],
    progress: &Progress,
    stop: &Arc<AtomicBool>,
) -> Result<()> {
    let mut reached = Reached::open(&args.target, &args.key, args.timeout, stop)?;
    session.observe(&reached.addresses()?);
    session.idle(IDLE);
    session::net::introduce(session, &args.target, args.expect);
    session::net::reach(session, &reached, &args.source, progress, stop);
    for plan in plans.iter().take_while(|_| !stop.load(Ordering::Relaxed)) {
        session::net::measure_repeatedly(session, plan, &reached, args.repeats, progress, stop)
            .map_err(|error| reached.explain(error))?;
    }
    experiment::on_path(session, &reached, progress, stop);
    Ok(())
}

fn by_bridge(
    session: &mut Session,
    args: &NetArgs,
    bridge: Bridge,
    plans: &[NetPlan],
    progress: &Progress,
    stop: &AtomicBool,
) -> Result<()> {
    session.observe(&bridge.addresses(args.target.as_str())?);
    session.idle(IDLE);
    session::net::introduce(session, &args.target, args.expect);
    for plan in plans.iter().take_while(|_| !stop.load(Ordering::Relaxed)) {
        let before = session.run.net.len();
        for _ in (0..args.repeats).take_while(|_| !stop.load(Ordering::Relaxed)) {
            session::net::measure_bridge(session, plan, bridge, progress, stop)?;
        }
        let made = session.run.net.len() - before;
        repeats::fold(&mut session.run, &args.target, made, args.repeats);
    }
    Ok(())
}

/// One plan, or one for each window of a sweep.
fn plans(args: &NetArgs) -> Vec<NetPlan> {
    let plan = plan(args);
    if args.window_sweep {
        return WINDOWS_BYTES
            .iter()
            .map(|&sockbuf_bytes| NetPlan { sockbuf_bytes, ..plan.clone() })
            .collect();
    }
    vec![plan]
}

/// The options as a plan.
fn plan(args: &NetArgs) -> NetPlan {
    let ns = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    let (duration_ns, duration_bytes) = match args.duration {
        Extent::Time(duration) => (ns(duration), 0),
        Extent::Bytes(bytes) => (0, bytes),
    };
    let default_length = match args.mode {
        Mode::Async => 1 << 20,
        // iperf's own: its server reads no more of a datagram than that.
        Mode::Udp if Bridge::of(args.target.as_str()).is_some() => 0,
        Mode::Sync | Mode::Udp | Mode::Interconnect => 8 << 10,
        Mode::Rtt => 0,
    };
    NetPlan {
        target: args.target.clone(),
        mode: args.mode.into(),
        streams: args.streams,
        length_bytes: args.length.unwrap_or(default_length),
        duration_ns,
        duration_bytes,
        interval_ns: ns(args.interval),
        warmup_ns: ns(args.warmup),
        delay_ns: ns(args.delay),
        random_length: args.random_length,
        random_delay: args.random_delay,
        payload: match args.payload.as_str() {
            "random" => Payload::Random,
            "zero" => Payload::Zero,
            path => Payload::File(path.to_owned()),
        },
        write: args.write,
        sockbuf_bytes: args.sockbuf.unwrap_or(0),
        mss_bytes: args.mss.unwrap_or(0),
        reverse: args.reverse,
        bidir: args.bidir,
        rate_bytes_per_s: args.rate.unwrap_or(0.0),
        depth: args.depth,
        open_loop_per_s: args.open_loop.unwrap_or(0.0),
        under_load: args.under_load,
        source: args.source.clone(),
        dscp: args.dscp,
        congestion: args.congestion.clone(),
        busy_poll_us: args.busy_poll,
        zerocopy: args.zerocopy,
        timeout_ns: ns(args.timeout),
    }
}
