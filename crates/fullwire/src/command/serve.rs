//! `fullwire serve`: the far end of a network measurement.

use crate::ask;
use crate::cli::ServeArgs;
use crate::metrics;
use crate::output::Show;
use crate::peer::key;
use crate::peer::responder;
use crate::signals;
use anyhow::{Context, Result};
use fullwire_observe::Root;
use fullwire_probe::iperf2::{Iperf2Limits, Iperf2Server};
use fullwire_probe::iperf3::{Iperf3Limits, Iperf3Server};
use fullwire_probe::net::{Access, Limits, Responder, ServeConfig};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// An iperf 2 client makes a connection for each stream.
const OPEN_CONNECTIONS_PER_ADDRESS: usize = 64;

/// Anyone who comes without a key shares with others: this many clients of one address at the same time.
const OPEN_PER_ADDRESS: usize = 16;

pub(crate) fn run(args: &ServeArgs, show: &Show) -> Result<ExitCode> {
    let stop = signals::on_signals()?;
    let (access, invented) = access(args)?;
    let config = ServeConfig {
        listen: args.listen.clone(),
        access,
        write_dir: args.write_dir.clone(),
        limits: limits(args),
        facts: Some(responder::facts()?),
        gate: None,
        sockbuf_bytes: None,
        once: args.once,
        log: logger(show),
    };
    let log = Arc::clone(&config.log);
    let responder = Responder::bind(config)?;
    let address = responder.address();
    announce(show, address, invented.as_deref());
    offer(show, args);
    if args.iperf3_port.is_none() && args.iperf2_port.is_none() {
        show.note("clients of iperf need ports of their own: --iperf3-port, --iperf2-port");
    }
    let mut beside = serve_bridges(address.ip(), args, show, &log, &stop)?;
    beside.extend(metrics::serve(&args.metrics, &args.key, show, &stop)?);
    responder.run(&stop);
    stop.store(true, Ordering::Relaxed);
    for thread in beside {
        // A panic there has been reported on stderr.
        let _ = thread.join();
    }
    Ok(ExitCode::SUCCESS)
}

/// Who may connect; without a word about it, anyone who has the key that is made up and printed now.
fn access(args: &ServeArgs) -> Result<(Access, Option<String>)> {
    if args.open {
        return Ok((Access::Open, None));
    }
    if let Some(key) = key::read_key(&args.key)? {
        return Ok((Access::Key(key), None));
    }
    let key = key::new_key().context("make a key")?;
    Ok((Access::Key(key.clone()), Some(key)))
}

/// Called for each test and each refusal.
type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// No more lines than this in a second: anyone who knocks without a key a thousand times fills no disk.
const LINES_PER_S: u32 = 20;

/// A line on stderr for each test and each refusal, unless `--quiet`.
fn logger(show: &Show) -> Log {
    let lines = Mutex::new(Lines { second: Instant::now(), told: 0, left_out: 0 });
    let show = show.clone();
    Arc::new(move |line| {
        let room = lines.lock().unwrap_or_else(PoisonError::into_inner).room(Instant::now());
        let now = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
        match room {
            Room::None => {}
            Room::One => show.note(&format!("{now} {line}")),
            Room::After(left_out) => show.note(&format!("{now} {left_out} lines left out\n{now} {line}")),
        }
    })
}

/// Lines of the second that began then.
struct Lines {
    second: Instant,
    told: u32,
    left_out: u64,
}

/// What may be told now.
#[derive(Debug, PartialEq, Eq)]
enum Room {
    None,
    One,
    /// After so many that were not reported.
    After(u64),
}

impl Lines {
    fn room(&mut self, now: Instant) -> Room {
        if now.saturating_duration_since(self.second) >= Duration::from_secs(1) {
            (self.second, self.told) = (now, 0);
        }
        if self.told >= LINES_PER_S {
            self.left_out += 1;
            return Room::None;
        }
        self.told += 1;
        match std::mem::take(&mut self.left_out) {
            0 => Room::One,
            left_out => Room::After(left_out),
        }
    }
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
    let variable = match key {
        Some(key) => {
            let _ = Show::text(&format!("key {key}\n"));
            format!("FULLWIRE_KEY={key} ")
        }
        None => String::new(),
    };
    for target in targets(address) {
        show.note(&format!("on the other host: {variable}fullwire net {target}"));
    }
}

/// What a client calls: the address that was bound or, where that means all of them, those of this host's interfaces
/// that are up.
fn targets(address: SocketAddr) -> Vec<String> {
    if !address.ip().is_unspecified() {
        return vec![address.to_string()];
    }
    let port = address.port();
    let own =
        Root::live().map(|root| fullwire_observe::host(&root, &ask::of_host(Vec::new()))).unwrap_or_default();
    let up = own.nics.iter().filter(|nic| nic.name != "lo" && nic.carrier != Some(false));
    let addresses = up.flat_map(|nic| &nic.addresses).filter_map(|text| text.split('/').next()?.parse().ok());
    // A link-local address needs the name of the client's own interface.
    let global = |ip: &IpAddr| match ip {
        IpAddr::V4(ip) => {
            address.is_ipv4() && !ip.is_link_local() || address.is_ipv6() && !ip.is_link_local()
        }
        IpAddr::V6(ip) => address.is_ipv6() && !ip.is_unicast_link_local(),
    };
    let named: Vec<String> =
        addresses.filter(global).map(|ip| SocketAddr::new(ip, port).to_string()).take(MOST_TARGETS).collect();
    if named.is_empty() { vec![format!("THIS-HOST:{port}")] } else { named }
}

/// Addresses that are named: a host with hundreds of them has a name.
const MOST_TARGETS: usize = 4;

/// Says what clients may do here.
fn offer(show: &Show, args: &ServeArgs) {
    let who = if args.open { "anyone who can reach this port" } else { "anyone with the key" };
    let mut may = vec![
        "measure the network to this host".to_owned(),
        "read this host's settings and counters".to_owned(),
    ];
    if let Some(directory) = &args.write_dir {
        may.push(format!("write private files in {}", directory.display()));
    }
    show.note(&format!("{who} may {}", may.join(", ")));
}

/// Serves iperf's clients next to our own, on the ports that were requested. They need no key: where ours do, these are
/// served on loopback alone unless another address was requested.
fn serve_bridges(
    ip: IpAddr,
    args: &ServeArgs,
    show: &Show,
    log: &Log,
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
            .with_context(|| format!("listen for iperf3 clients on port {port}"))?
            .with_log(Arc::clone(log));
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
            .with_context(|| format!("listen for iperf 2 clients on port {port}"))?
            .with_log(Arc::clone(log));
        announce_bridge("iperf 2", server.local_addr()?, show);
        threads.push(beside("iperf2", stop, move |stop| server.run(stop))?);
    }
    Ok(threads)
}

/// On stdout like the responder's own line: these ports are open to anyone who reaches them.
fn announce_bridge(name: &str, address: SocketAddr, show: &Show) {
    let _ = Show::text(&format!("{name} clients on {address}: no key needed\n"));
    if address.ip().is_loopback() {
        show.note("only this host can reach that port; open it to others with --iperf-listen ADDR");
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
            Show::warn(&format!("no longer serving {name} clients: {error}"));
        }
    };
    std::thread::Builder::new().name(name.into()).spawn(work).context("start a thread")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_counted_and_not_told() {
        let begin = Instant::now();
        let mut lines = Lines { second: begin, told: 0, left_out: 0 };
        let told = (0..1000).filter(|_| lines.room(begin) == Room::One).count();
        assert_eq!(told, 20);
        assert_eq!(lines.room(begin + Duration::from_secs(1)), Room::After(980));
        assert_eq!(lines.room(begin + Duration::from_secs(1)), Room::One);
    }
}
