//! `fullwire serve`: the far end of a network measurement.

use crate::cli::ServeArgs;
use crate::show::Show;
use crate::{metrics, peer, responder, stop};
use anyhow::{Context, Result};
use fullwire_probe::iperf2::{Iperf2Limits, Iperf2Server};
use fullwire_probe::iperf3::{Iperf3Limits, Iperf3Server};
use fullwire_probe::net::{Access, Limits, Responder, ServeConfig};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// An iperf 2 client makes a connection for each stream.
const OPEN_CONNECTIONS_PER_ADDRESS: usize = 64;

/// Whoever comes without a key shares with others: so many clients of one address at once.
const OPEN_PER_ADDRESS: usize = 16;

pub(crate) fn run(args: &ServeArgs, show: &Show) -> Result<ExitCode> {
    let stop = stop::on_signals()?;
    let (access, invented) = access(args)?;
    let config = ServeConfig {
        listen: args.listen.clone(),
        access,
        write_dir: args.write_dir.clone(),
        limits: limits(args),
        facts: Some(responder::facts()?),
        once: args.once,
        log: logger(show),
    };
    let responder = Responder::bind(config)?;
    let address = responder.address();
    announce(show, address, invented.as_deref());
    let mut beside = serve_bridges(address.ip(), args, show, &stop)?;
    beside.extend(metrics::serve(&args.metrics, &args.key, show, &stop)?);
    responder.run(&stop);
    stop.store(true, Ordering::Relaxed);
    for thread in beside {
        // A panic there has been told on stderr.
        let _ = thread.join();
    }
    Ok(ExitCode::SUCCESS)
}

/// Who may connect; without a word about it, whoever has the key that is made up and printed now.
fn access(args: &ServeArgs) -> Result<(Access, Option<String>)> {
    if args.open {
        return Ok((Access::Open, None));
    }
    if let Some(key) = peer::read_key(&args.key)? {
        return Ok((Access::Key(key), None));
    }
    let key = peer::new_key().context("make a key")?;
    Ok((Access::Key(key.clone()), Some(key)))
}

/// A line on stderr for each test, with `--verbose`.
fn logger(show: &Show) -> Arc<dyn Fn(&str) + Send + Sync> {
    if !show.verbose() {
        return Arc::new(|_| {});
    }
    Arc::new(|line| anstream::eprintln!("{} {line}", jiff::Zoned::now().strftime("%H:%M:%S")))
}

fn limits(args: &ServeArgs) -> Limits {
    Limits {
        connections: args.max_clients.saturating_mul(4),
        tests: args.max_clients,
        tests_per_address: args.max_clients_per_address.unwrap_or(if args.open {
            OPEN_PER_ADDRESS
        } else {
            0
        }),
        duration_ns: u64::try_from(args.max_duration.as_nanos()).unwrap_or(u64::MAX),
        bytes: args.max_bytes.unwrap_or(0),
        rate_bytes_per_s: args.max_rate.unwrap_or(0.0),
        ..Limits::default()
    }
}

/// On stdout, so that a script can read where it listens.
fn announce(show: &Show, address: SocketAddr, key: Option<&str>) {
    // A reader that has gone away does not stop the responder.
    let _ = Show::text(&format!("listening on {address}\n"));
    let port = address.port();
    match key {
        Some(key) => {
            let _ = Show::text(&format!("key {key}\n"));
            show.note(&format!("on the other host: FULLWIRE_KEY={key} fullwire net THIS-HOST:{port}"));
        }
        None => show.note(&format!("on the other host: fullwire net THIS-HOST:{port}")),
    }
}

/// Serves iperf's clients beside our own, on the ports that were asked for. They need no key: where ours do, these are
/// served on loopback alone unless another address was asked for.
fn serve_bridges(
    ip: IpAddr,
    args: &ServeArgs,
    show: &Show,
    stop: &Arc<AtomicBool>,
) -> Result<Vec<JoinHandle<()>>> {
    let ip = args.iperf_listen.unwrap_or(if args.open { ip } else { Ipv4Addr::LOCALHOST.into() });
    let (rate_bytes_per_s, bytes) = (args.max_rate.unwrap_or(0.0), args.max_bytes.unwrap_or(0));
    let mut threads = Vec::new();
    if let Some(port) = args.iperf3_port {
        let limits = Iperf3Limits {
            tests: args.max_clients.min(256),
            tests_per_address: args.max_clients_per_address.unwrap_or(OPEN_PER_ADDRESS),
            duration: args.max_duration,
            rate_bytes_per_s,
            bytes,
            ..Iperf3Limits::default()
        };
        let server = Iperf3Server::bind(SocketAddr::new(ip, port), limits)
            .with_context(|| format!("listen for iperf3 clients on port {port}"))?;
        announce_bridge("iperf3", server.local_addr()?, show);
        threads.push(beside("iperf3", stop, move |stop| server.run(stop))?);
    }
    if let Some(port) = args.iperf2_port {
        let limits = Iperf2Limits {
            connections: args.max_clients.min(256),
            connections_per_address: args.max_clients_per_address.unwrap_or(OPEN_CONNECTIONS_PER_ADDRESS),
            duration: args.max_duration,
            rate_bytes_per_s,
            bytes,
            ..Iperf2Limits::default()
        };
        let server = Iperf2Server::bind(SocketAddr::new(ip, port), limits)
            .with_context(|| format!("listen for iperf 2 clients on port {port}"))?;
        announce_bridge("iperf 2", server.local_addr()?, show);
        threads.push(beside("iperf2", stop, move |stop| server.run(stop))?);
    }
    Ok(threads)
}

/// On stdout like the responder's own line: these ports are open to whoever reaches them.
fn announce_bridge(name: &str, address: SocketAddr, show: &Show) {
    let _ = Show::text(&format!("{name} clients on {address}: without a key\n"));
    if address.ip().is_loopback() {
        show.note("only this host can reach that port: --iperf-listen ADDR opens it to others");
    }
}

fn beside(
    name: &'static str,
    stop: &Arc<AtomicBool>,
    serve: impl FnOnce(&AtomicBool) -> std::io::Result<()> + Send + 'static,
) -> Result<JoinHandle<()>> {
    let stop = Arc::clone(stop);
    let work = move || {
        if let Err(error) = serve(&stop) {
            anstream::eprintln!("fullwire: {name} clients are not served any more: {error}");
        }
    };
    std::thread::Builder::new().name(name.into()).spawn(work).context("start a thread")
}
