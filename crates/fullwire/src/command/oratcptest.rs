//! `fullwire oratcptest`, also when the binary is called through a link of that name.

use crate::cli::value::Frequency;
use crate::cli::{Cli, Color, Command, OutputArgs};
use crate::oratcptest::{self, Client, Options, Server, Summary};
use crate::output::Show;
use crate::peer;
use crate::signals;
use anyhow::{Context, Result};
use fullwire_model::net::{NetInterval, NetMode, NetPlan};
use fullwire_probe::net::{self, ConnectOptions, Limits, Responder, ServeConfig};
use jiff::Zoned;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Of a message of the jar: its public transcripts show 0.046 Mbytes/s at 0.250 ms with `-length=0`.
const HEADER_BYTES: f64 = 12.0;

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
            anstream::eprintln!("oratcptest: {error:#}");
            return Ok(ExitCode::from(2));
        }
        Ok(Options::Help) => Show::text(oratcptest::USAGE)?,
        Ok(Options::Server(server)) => serve(&server)?,
        Ok(Options::Client(client)) => ask(&client)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Like the jar's server, this one serves anyone who reaches its port. They learn nothing about the host.
fn serve(server: &Server) -> Result<()> {
    let stop = signals::on_signals()?;
    let listen = match &server.address {
        Some(address) => SocketAddr::new(
            *peer::addresses(address)?.first().context("the address does not resolve")?,
            server.port,
        ),
        None => SocketAddr::from(([0_u16; 8], server.port)),
    };
    let config = ServeConfig {
        listen: listen.to_string(),
        write_dir: Some(server.directory.clone()),
        limits: Limits { tests_per_address: TESTS_PER_ADDRESS, ..Limits::default() },
        ..ServeConfig::default()
    };
    let responder = Responder::bind(config)?;
    Show::text(&format!("oratcptest server listening on port {}\n", responder.address().port()))?;
    let directory = server.directory.display();
    anstream::eprintln!(
        "fullwire: anyone who can reach this port is served and may write files in {directory}"
    );
    responder.run(&stop);
    Ok(())
}

/// Once, or as often as `-freq` says.
fn ask(client: &Client) -> Result<()> {
    let stop = signals::on_signals()?;
    let mut printer = Printer::open(client)?;
    let options = ConnectOptions {
        key: std::env::var("FULLWIRE_KEY").ok(),
        facts: false,
        stop: Some(Arc::clone(&stop)),
        ..ConnectOptions::default()
    };
    let started = Instant::now();
    let mut round = 0;
    loop {
        test(client, &options, &mut printer)?;
        round += 1;
        let Some(Frequency { every, whole }) = client.frequency else { return Ok(()) };
        if every * round >= whole || !signals::sleep_until(started + every * round, &stop) {
            return Ok(());
        }
    }
}

fn test(client: &Client, options: &ConnectOptions, printer: &mut Printer) -> Result<()> {
    let plan = &client.plan;
    printer.print(&oratcptest::request(client))?;
    let mut trouble = None;
    let mut told = |event: net::Progress| {
        let text = match event {
            net::Progress::Phase("measuring") => {
                oratcptest::ready(&Zoned::now()) + &oratcptest::heading(plan.mode)
            }
            net::Progress::Running { interval: Some(interval), .. } => interval_row(plan, &interval),
            _ => return,
        };
        // Said once, after the test: the measurement itself goes on.
        trouble = printer.print(&text).err();
    };
    let report =
        net::measure(plan, options, &mut told).with_context(|| format!("test with {}", plan.target))?;
    if let Some(error) = trouble {
        return Err(error);
    }
    let result = report.result;
    let latency_ns = result.latency_ns.as_ref().map(|latency| latency.mean);
    let summary = Summary {
        send_buffer_bytes: result.tcp.as_ref().map(|tcp| tcp.sndbuf_bytes.0),
        bytes_per_s: counted_bytes_per_s(plan, result.throughput_bytes_per_s, latency_ns),
        latency_ns,
    };
    printer.print(&(oratcptest::finished(&Zoned::now()) + &oratcptest::summary(&summary)))
}

fn interval_row(plan: &NetPlan, interval: &NetInterval) -> String {
    let latency = match plan.mode {
        NetMode::Async | NetMode::Udp => None,
        NetMode::Sync | NetMode::Rtt => interval.mean_ns,
    };
    let bytes_per_s = counted_bytes_per_s(plan, interval.throughput_bytes_per_s, latency);
    oratcptest::row(&Zoned::now(), bytes_per_s, latency)
}

/// The jar counts the header of each message: with empty ones (`-length=0`) it is all that there is.
fn counted_bytes_per_s(plan: &NetPlan, bytes_per_s: f64, latency_ns: Option<f64>) -> f64 {
    match latency_ns.filter(|_| plan.length_bytes == 0) {
        Some(ns) => {
            HEADER_BYTES * f64::from(plan.streams.max(1)) * 1e9 / (ns + plan.delay_ns as f64).max(1.0)
        }
        None => bytes_per_s,
    }
}

/// stdout, and the file of `-output`.
struct Printer {
    file: Option<File>,
}

impl Printer {
    fn open(client: &Client) -> Result<Self> {
        let open = |path: &std::path::PathBuf| {
            OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)
                .with_context(|| format!("open {}", path.display()))
        };
        Ok(Self { file: client.output.as_ref().map(open).transpose()? })
    }

    fn print(&mut self, text: &str) -> Result<()> {
        Show::text(text)?;
        if let Some(file) = &mut self.file {
            file.write_all(text.as_bytes()).context("write the output file")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_messages_are_counted_by_their_headers() {
        let plan = NetPlan { streams: 1, ..NetPlan::default() };
        let mbytes = counted_bytes_per_s(&plan, 0.0, Some(250_000.0)) / 1_048_576.0;
        assert!((mbytes - 0.046).abs() < 0.0005, "{mbytes}");
        let with_payload = NetPlan { length_bytes: 8192, ..plan };
        assert!((counted_bytes_per_s(&with_payload, 7.0, Some(1.0)) - 7.0).abs() < f64::EPSILON);
    }
}
