//! `fullwire oratcptest`, also when the binary is called through a link of that name.

use crate::cli::value::Frequency;
use crate::cli::{Cli, Color, Command, OutputArgs};
use crate::oratcptest::{self, Client, Options, Server, Summary};
use crate::output::{Show, log, say};
use crate::peer;
use crate::session::outcome::NOT_DONE;
use crate::signals;
use anyhow::{Context, Result, anyhow, bail};
use fullwire_model::net::{NetInterval, NetMode, NetPlan, UNTIL_STOPPED_NS};
use fullwire_present::Printed;
use fullwire_probe::net::{self, ConnectOptions, Limits, NetError, Responder, ServeConfig};
use jiff::Zoned;
use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Of a message of the jar: its public transcripts show 0.046 Mbytes/s at 0.250 ms with `-length=0`.
const HEADER_BYTES: f64 = 12.0;

/// What `fullwire serve` allows at most unless told otherwise, ns: it takes no test without an end.
const DAY_NS: u64 = 86_400_000_000_000;

/// Maximum number of concurrent clients from one address: they have no key.
const TESTS_PER_ADDRESS: usize = 16;

/// The command line, when the program's own name is oratcptest.
pub(crate) fn called_by_name() -> Option<Cli> {
    let mut arguments = std::env::args();
    let name = arguments.next()?;
    let stem = std::path::Path::new(&name).file_stem()?;
    (stem == "oratcptest").then(|| Cli {
        command: Command::Oratcptest { arguments: arguments.collect() },
        output: OutputArgs {
            json: false,
            json_file: None,
            color: Color::Auto,
            ascii: false,
            quiet: true,
            verbose: false,
        },
    })
}

pub(crate) fn run(arguments: &[String], _show: &Show) -> Result<ExitCode> {
    match oratcptest::parse(arguments) {
        Err(error) => {
            say(&format!("oratcptest: {error:#}"));
            return Ok(ExitCode::from(2));
        }
        Ok(Options::Help) => Show::text(oratcptest::USAGE)?,
        Ok(Options::Server(server)) => serve(&server)?,
        Ok(Options::Client(client)) => return ask(&client),
    }
    Ok(ExitCode::SUCCESS)
}

/// Like the jar's server, this one serves anyone who reaches its port, for as long as they wish. They learn nothing
/// about the host.
fn serve(server: &Server) -> Result<()> {
    let stop = signals::on_signals()?;
    let listen = match &server.address {
        Some(address) => SocketAddr::new(
            *peer::addresses(address)?.first().context("the address does not resolve")?,
            server.port,
        ),
        None => SocketAddr::from(([0_u16; 8], server.port)),
    };
    let limits =
        Limits { tests_per_address: TESTS_PER_ADDRESS, duration_ns: UNTIL_STOPPED_NS, ..Limits::default() };
    let config = ServeConfig {
        listen: listen.to_string(),
        write_dir: Some(server.directory.clone()),
        sockbuf_bytes: Some(server.sockbuf_bytes),
        limits,
        ..ServeConfig::default()
    };
    let responder = Responder::bind(config)?;
    warn_of_buffers(server.sockbuf_bytes)?;
    Show::text(&format!("oratcptest server listening on port {}\n", responder.address().port()))?;
    let directory = server.directory.display();
    say(&format!("oratcptest: anyone who can reach this port is served and may write files in {directory}"));
    responder.run(&stop);
    Ok(())
}

/// Socket buffers that the system does not grant are said before the test, as iperf does.
fn warn_of_buffers(asked_bytes: u64) -> Result<()> {
    if asked_bytes == 0 {
        return Ok(());
    }
    let granted = net::granted_buffers(asked_bytes)?;
    let sides = [
        ("send", granted.send_bytes, "net.core.wmem_max"),
        ("receive", granted.receive_bytes, "net.core.rmem_max"),
    ];
    for (side, bytes, setting) in sides {
        if bytes < asked_bytes {
            say(&format!(
                "oratcptest: WARNING: a socket {side} buffer of {} was requested, but {setting} allows only {}",
                oratcptest::bytes(asked_bytes),
                oratcptest::bytes(bytes)
            ));
        }
    }
    Ok(())
}

/// Once, or as often as `-freq` says. One test that fails does not end the others.
fn ask(client: &Client) -> Result<ExitCode> {
    let stop = signals::on_signals()?;
    let mut printer = Printer::open(client)?;
    warn_of_buffers(client.plan.sockbuf_bytes)?;
    let mut options = ConnectOptions {
        key: std::env::var("FULLWIRE_KEY").ok(),
        facts: false,
        stop: Some(Arc::clone(&stop)),
        ..ConnectOptions::default()
    };
    if let Some(ns) = client.timeout_ns() {
        options.timeout = Duration::from_nanos(ns);
    }
    let started = Instant::now();
    let mut round = 0;
    let mut code = ExitCode::SUCCESS;
    loop {
        if let Err(error) = test(client, &options, &mut printer) {
            say(&format!("oratcptest: {error:#}"));
            code = ExitCode::from(NOT_DONE);
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(ExitCode::from(signals::INTERRUPTED));
        }
        round += 1;
        let Some(Frequency { every, whole }) = client.frequency else { return Ok(code) };
        if every * round >= whole {
            return Ok(code);
        }
        if !signals::sleep_until(started + every * round, &stop) {
            return Ok(ExitCode::from(signals::INTERRUPTED));
        }
    }
}

fn test(client: &Client, options: &ConnectOptions, printer: &mut Printer) -> Result<()> {
    let plan = &client.plan;
    printer.print(&oratcptest::request(client))?;
    let mut trouble = None;
    let mut rows = Rows { plan, printed_until_s: 0.0 };
    let mut told = |event: net::Progress| {
        let text = match event {
            net::Progress::Phase("measuring") => {
                oratcptest::ready(&Zoned::now()) + &oratcptest::heading(plan.mode)
            }
            net::Progress::Running { interval: Some(interval), .. } => match rows.row(&interval) {
                Some(row) => row,
                None => return,
            },
            _ => return,
        };
        // Said once, after the test: the measurement itself goes on.
        trouble = printer.print(&text).err();
    };
    let report = match net::measure(plan, options, &mut told) {
        Err(NetError::Refused(why)) if plan.duration_ns == UNTIL_STOPPED_NS => {
            say(&format!("oratcptest: {why}; a test of 24 hours is requested instead"));
            net::measure(&NetPlan { duration_ns: DAY_NS, ..plan.clone() }, options, &mut told)
        }
        done => done,
    };
    let report = report.map_err(|error| explained(plan, error))?;
    if let Some(error) = trouble {
        return Err(error);
    }
    let result = report.result;
    let latency_ns = result.latency_ns.as_ref().map(|latency| latency.mean);
    let headers = if plan.length_bytes == 0 { HEADER_BYTES * result.messages as f64 } else { 0.0 };
    let summary = Summary {
        send_buffer_bytes: result.tcp.as_ref().map(|tcp| tcp.sndbuf_bytes.0),
        bytes_per_s: result.throughput_bytes_per_s + headers / result.duration_s.max(1e-9),
        latency_ns,
    };
    printer.print(&(oratcptest::finished(&Zoned::now()) + &oratcptest::summary(&summary)))?;
    let stopped = options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
    match (result.incomplete, result.broke_after_s) {
        (Some(reason), Some(after_s)) if !stopped => bail!("the test broke after {after_s:.1} s: {reason}"),
        _ => Ok(()),
    }
}

/// Why there is no test, in terms of this tool's own server.
fn explained(plan: &NetPlan, error: NetError) -> anyhow::Error {
    let target = &plan.target;
    match error {
        NetError::Connect { address, source } => anyhow!(
            "cannot connect to {address}: {source}; is `oratcptest -server` running there, and does the firewall \
             allow the port?"
        ),
        NetError::Foreign { address } => anyhow!(
            "{address} is not this oratcptest's server; the jar's own protocol is not spoken here: start \
             `fullwire oratcptest -server` there"
        ),
        NetError::KeyRequired => anyhow!(
            "{target} is a `fullwire serve` with a key: set FULLWIRE_KEY to it, or start `oratcptest -server` there"
        ),
        other => anyhow::Error::new(other).context(format!("test with {target}")),
    }
}

/// The statistics of the intervals.
struct Rows<'a> {
    plan: &'a NetPlan,
    /// End of the interval printed last, s since the start.
    printed_until_s: f64,
}

impl Rows<'_> {
    /// The line of an interval. What is left over after the last whole one has none: it would be a figure of the end alone.
    fn row(&mut self, interval: &NetInterval) -> Option<String> {
        let span_s = interval.t_s - self.printed_until_s;
        let whole_s = self.plan.interval_ns as f64 / 1e9;
        let end_s = self.plan.duration_ns as f64 / 1e9;
        // An interval that ends this near the end of the test is its last one.
        let over = self.plan.duration_ns > 0 && self.printed_until_s >= end_s - whole_s / 10.0;
        if self.printed_until_s > 0.0 && (over || span_s < whole_s / 2.0) {
            return None;
        }
        self.printed_until_s = interval.t_s;
        let latency_ns = match self.plan.mode {
            NetMode::Sync | NetMode::Rtt => interval.mean_ns,
            _ => None,
        };
        let bytes_per_s = counted_bytes_per_s(self.plan, interval.throughput_bytes_per_s, latency_ns);
        Some(oratcptest::row(&Zoned::now(), bytes_per_s, latency_ns))
    }
}

/// The jar counts the header of each message: with empty ones (`-length=0`) it is all that there is.
fn counted_bytes_per_s(plan: &NetPlan, bytes_per_s: f64, latency_ns: Option<f64>) -> f64 {
    let pause_ns = plan.delay_ns as f64 * if plan.random_delay { 0.5 } else { 1.0 };
    match latency_ns.filter(|_| plan.length_bytes == 0) {
        Some(ns) => HEADER_BYTES * f64::from(plan.streams.max(1)) * 1e9 / (ns + pause_ns).max(1.0),
        None => bytes_per_s,
    }
}

/// stdout, and the file of `-output`.
struct Printer {
    file: Option<File>,
}

impl Printer {
    fn open(client: &Client) -> Result<Self> {
        Ok(Self { file: client.output.as_deref().map(log).transpose()? })
    }

    fn print(&mut self, text: &str) -> Result<()> {
        Show::text(text)?;
        if let Some(file) = &mut self.file {
            file.write_all(Printed::lines(text).as_bytes()).context("write the output file")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_after_the_last_interval_has_no_line() {
        let plan = NetPlan { interval_ns: 2_000_000_000, mode: NetMode::Async, ..NetPlan::default() };
        let mut rows = Rows { plan: &plan, printed_until_s: 0.0 };
        let ends_s = [2.0, 4.0, 4.1, 6.0];
        let printed = ends_s.map(|t_s| rows.row(&NetInterval { t_s, ..NetInterval::default() }).is_some());
        assert_eq!(printed, [true, true, false, true]);
        let mut rows = Rows { plan: &plan, printed_until_s: 0.0 };
        assert!(
            rows.row(&NetInterval { t_s: 0.5, ..NetInterval::default() }).is_some(),
            "a short test has one"
        );
    }

    #[test]
    fn empty_messages_are_counted_by_their_headers() {
        let plan = NetPlan { streams: 1, ..NetPlan::default() };
        let mbytes = counted_bytes_per_s(&plan, 0.0, Some(250_000.0)) / 1_048_576.0;
        assert!((mbytes - 0.046).abs() < 0.0005, "{mbytes}");
        let paused = NetPlan { delay_ns: 1_500_000, random_delay: true, ..plan.clone() };
        let per_s = counted_bytes_per_s(&paused, 0.0, Some(250_000.0)) / HEADER_BYTES;
        assert!((per_s - 1000.0).abs() < 1e-6, "a pause of 0 to 1.5 ms is 0.75 ms on average: {per_s}");
        let with_payload = NetPlan { length_bytes: 8192, ..plan };
        assert!((counted_bytes_per_s(&with_payload, 7.0, Some(1.0)) - 7.0).abs() < f64::EPSILON);
    }
}
