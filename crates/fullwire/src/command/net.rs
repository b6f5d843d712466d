//! `fullwire net`: measure the network to one peer.

use crate::cli::value::Extent;
use crate::cli::{FailOn, Mode, NetArgs};
use crate::progress::Progress;
use crate::session::Session;
use crate::show::{Show, exit_code};
use crate::{network, peer, stop};
use anyhow::{Result, bail};
use fullwire_model::net::{NetPlan, Payload};
use fullwire_present::{Report, json, terminal};
use std::process::ExitCode;
use std::time::Duration;

/// What runs without us is watched so long before.
const IDLE: Duration = Duration::from_millis(500);

pub(crate) fn run(args: &NetArgs, show: &Show) -> Result<ExitCode> {
    let stop = stop::on_signals()?;
    let mut session = Session::live("net", &args.keep)?;
    session.judge_by(&args.judge, &[])?;
    let addresses = peer::addresses(&args.target)?;
    session.observe(&addresses);
    session.idle(IDLE);
    network::introduce(&mut session, &args.target, args.expect);
    let options = peer::connect_options(&args.key, args.timeout, &stop)?;
    let plan = plan(args);
    let progress = Progress::new(show, Duration::from_nanos(plan.duration_ns + plan.warmup_ns));
    network::measure(&mut session, &plan, &options, &progress, &mut |_| {})?;
    drop(progress);

    let (run, assessment) = session.finish(&args.keep)?;
    let documents = json::net(&run, &assessment);
    let Some(document) = documents.first() else { bail!("nothing was measured to {}", args.target) };
    show.result(document, || terminal::net(&Report::new(&run, &assessment)).render(true))?;
    Ok(exit_code(&assessment, args.judge.fail_on.unwrap_or(FailOn::Never)))
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
