//! `fullwire net`: measure the network to one peer, once or again and again.

use crate::bridge::Bridge;
use crate::cli::value::{Extent, Frequency};
use crate::cli::{FailOn, Mode, NetArgs};
use crate::progress::Progress;
use crate::reach::Reached;
use crate::session::Session;
use crate::show::{Show, exit_code};
use crate::{network, stop};
use anyhow::{Context, Result, bail};
use fullwire_model::net::{NetPlan, NetResult, Payload};
use fullwire_present::{Report, json, terminal};
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What runs without us is watched so long before.
const IDLE: Duration = Duration::from_millis(500);
/// Socket buffers of a window sweep, bytes: each four times the one before.
const WINDOWS_BYTES: [u64; 6] = [64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20];

pub(crate) fn run(args: &NetArgs, show: &Show) -> Result<ExitCode> {
    let stop = stop::on_signals()?;
    let started = Instant::now();
    let mut round = 0;
    loop {
        let code = once(args, show, &stop)?;
        round += 1;
        let Some(Frequency { every, whole }) = args.freq else { return Ok(code) };
        if every * round >= whole || !stop::sleep_until(started + every * round, &stop) {
            return Ok(code);
        }
    }
}

fn once(args: &NetArgs, show: &Show, stop: &Arc<AtomicBool>) -> Result<ExitCode> {
    let mut session = Session::live("net", &args.keep)?;
    session.judge_by(&args.judge, &[])?;
    let plans = plans(args);
    let whole: u64 = plans.iter().map(|plan| plan.duration_ns + plan.warmup_ns).sum();
    let progress = Progress::new(show, Duration::from_nanos(whole));
    match Bridge::of(&args.target) {
        Some(bridge) => by_bridge(&mut session, args, bridge, &plans, &progress, stop)?,
        None => by_responder(&mut session, args, &plans, &progress, stop)?,
    }
    drop(progress);

    let (run, assessment) = session.finish(&args.keep)?;
    let documents = json::net(&run, &assessment);
    let text = || {
        let report = terminal::net(&Report::new(&run, &assessment)).render(true);
        if args.window_sweep { report + &sweep_table(&run.net) } else { report }
    };
    if let Some(path) = &args.output {
        append(path, &terminal::net(&Report::new(&run, &assessment)).render(false))?;
    }
    match documents.as_slice() {
        [] => bail!("nothing was measured to {}", args.target),
        [document] => show.result(document, text)?,
        several => show.result(&several, text)?,
    }
    Ok(exit_code(&assessment, args.judge.fail_on.unwrap_or(FailOn::Never)))
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
    network::introduce(session, &args.target, args.expect);
    for plan in plans.iter().take_while(|_| !stop.load(Ordering::Relaxed)) {
        network::measure(session, plan, &reached, progress).map_err(|error| reached.explain(error))?;
    }
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
    session.observe(&bridge.addresses(&args.target)?);
    session.idle(IDLE);
    network::introduce(session, &args.target, args.expect);
    for plan in plans.iter().take_while(|_| !stop.load(Ordering::Relaxed)) {
        network::measure_bridge(session, plan, bridge, progress, stop)?;
    }
    Ok(())
}

/// What each window of a sweep gave.
fn sweep_table(results: &[NetResult]) -> String {
    let mut table = String::from("\nSocket buffers\n     asked  granted (send)        MB/s\n");
    for result in results {
        let granted = result.tcp.as_ref().map_or(0, |tcp| tcp.sndbuf_bytes);
        // Writing to a String does not fail.
        let _ = writeln!(
            table,
            "{:>7} KiB {:>11} KiB {:>11.1}",
            result.plan.sockbuf_bytes >> 10,
            granted >> 10,
            result.throughput_bytes_per_s / 1e6
        );
    }
    table
}

fn append(path: &std::path::Path, text: &str) -> Result<()> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    let mut file = opened.with_context(|| format!("open {}", path.display()))?;
    file.write_all(text.as_bytes()).with_context(|| format!("write {}", path.display()))
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
        Mode::Sync | Mode::Udp => 8 << 10,
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
