//! One stream and one message in flight, against iperf3, the bare loop, sockperf and qperf.

use super::place::{Place, VethPair};
use super::process::{Server, installed, json, number, output};
use super::table::Table;
use super::{BenchPlan, Built, Measure, Metric, Peer, build, compare};
use anyhow::{Context, Result, bail};
use std::net::TcpListener;
use std::time::{Duration, Instant};

const STREAM: [Metric; 2] =
    [Metric { name: "throughput", unit: "GB/s" }, Metric { name: "CPU of both ends", unit: "s/GB" }];
const ROUND_TRIP: [Metric; 1] = [Metric { name: "round trip p50", unit: "us" }];
const GB: f64 = 1e9;
/// A server that has been started listens within this time, or never.
const STARTED_WITHIN: Duration = Duration::from_secs(5);

pub(super) fn run(plan: &BenchPlan, table: &mut Table) -> Result<()> {
    let built = build()?;
    table.note("one stream of 1 MiB messages; CPU as fullwire and iperf3 account for themselves");
    place(&Place::loopback(), plan, &built, table)?;
    match VethPair::make() {
        Ok(pair) => place(&pair.place(), plan, &built, table),
        Err(error) => {
            table.note(format!("no veth pair, which needs root: {error:#}"));
            Ok(())
        }
    }
}

fn place(place: &Place, plan: &BenchPlan, built: &Built, table: &mut Table) -> Result<()> {
    let mut serve = place.server(&built.fullwire);
    serve.args(["serve", "--open", "--listen", &place.listen()]);
    let (_server, line) = Server::listening(&mut serve)?;
    let target = address(&line)?;
    stream(place, target, plan, built, table)?;
    round_trip(place, target, plan, built, table)
}

/// The last word of `listening on ADDRESS:PORT`.
fn address(line: &str) -> Result<&str> {
    line.split_whitespace().next_back().with_context(|| format!("no address in {line:?}"))
}

fn stream(place: &Place, target: &str, plan: &BenchPlan, built: &Built, table: &mut Table) -> Result<()> {
    let mut serve = place.server(&built.floor);
    let (_floor, line) = Server::listening(serve.args(["serve", &place.listen()]))?;
    let floor = Peer {
        name: "bare loop",
        aims: &[">= 0.97"],
        measure: bare_loop(place, address(&line)?.to_owned(), plan, built),
    };
    let mut peers = vec![floor];
    let mut server = None;
    if installed("iperf3") {
        let port = free_port()?;
        let mut serve = place.server("iperf3");
        serve.args(["--server", "--forceflush", "--port", &port]);
        server = Some(Server::listening(&mut serve)?);
        let aims = &[">= 1.1", "<= 0.8"];
        peers.insert(0, Peer { name: "iperf3", aims, measure: iperf3(place, port, plan) });
    } else {
        table.note("iperf3 is not installed: nothing to compare with");
    }
    let what = format!("stream, {}", place.name);
    let ours = fullwire_stream(place, target, plan, built);
    let compared = compare(table, (&what, plan.pairs), &STREAM, ours, &mut peers);
    drop(server);
    compared
}

fn fullwire_stream<'a>(
    place: &'a Place,
    target: &'a str,
    plan: &'a BenchPlan,
    built: &'a Built,
) -> Measure<'a> {
    Box::new(move || {
        let mut command = place.client(&built.fullwire);
        command.args(["net", target, "--mode", "async", "--length", "1M", "--json", "--no-store", "--quiet"]);
        let seen = json(command.args(["--duration", &format!("{}s", plan.seconds)]))?;
        let cpu = number(&seen, "/cpu/client_s_per_gb")? + number(&seen, "/cpu/server_s_per_gb")?;
        Ok(vec![number(&seen, "/throughput_bytes_per_s")? / GB, cpu])
    })
}

fn iperf3<'a>(place: &'a Place, port: String, plan: &'a BenchPlan) -> Measure<'a> {
    Box::new(move || {
        let mut command = place.client("iperf3");
        command.args(["--client", place.address, "--port", &port, "--length", "1M", "--json"]);
        let seen = json(command.args(["--time", &plan.seconds.to_string()]))?;
        let bytes = number(&seen, "/end/sum_received/bytes")?;
        let seconds = number(&seen, "/end/sum_received/seconds")?;
        let percent = |end| number(&seen, &format!("/end/cpu_utilization_percent/{end}_total"));
        let cpu_s = (percent("host")? + percent("remote")?) / 100.0 * seconds;
        Ok(vec![bytes / seconds / GB, cpu_s / (bytes / GB)])
    })
}

fn bare_loop<'a>(place: &'a Place, target: String, plan: &'a BenchPlan, built: &'a Built) -> Measure<'a> {
    Box::new(move || {
        let mut command = place.client(&built.floor);
        let seen = json(command.args(["send", &target, &plan.seconds.to_string()]))?;
        let (bytes, seconds) = (number(&seen, "/bytes")?, number(&seen, "/seconds")?);
        Ok(vec![bytes / seconds / GB, number(&seen, "/cpu_s")? / (bytes / GB)])
    })
}

fn round_trip(place: &Place, target: &str, plan: &BenchPlan, built: &Built, table: &mut Table) -> Result<()> {
    let mut peers = Vec::new();
    let mut servers = Vec::new();
    for (name, measure, serve) in [
        ("sockperf", sockperf as Pingpong, &["server", "--tcp", "-i", place.address, "-p"] as &[&str]),
        ("qperf", qperf, &["--listen_port"]),
    ] {
        if !installed(name) {
            table.note(format!("{}: {name} is not installed: not compared with", place.name));
            continue;
        }
        let port = free_port()?;
        servers.push(Server::start(place.server(name).args(serve).arg(&port))?);
        wait_for(name, || measure(place, &port, 1))?;
        let theirs: Measure<'_> = Box::new(move || Ok(vec![measure(place, &port, plan.seconds)?]));
        peers.push(Peer { name, aims: &["<= 1.05"], measure: theirs });
    }
    let ours: Measure<'_> = Box::new(|| {
        let mut command = place.client(&built.fullwire);
        command.args(["net", target, "--mode", "rtt", "--json", "--no-store", "--quiet"]);
        let seen = json(command.args(["--duration", &format!("{}s", plan.seconds)]))?;
        Ok(vec![number(&seen, "/latency_ns/p50")? / 1e3])
    });
    let what = format!("message, {}", place.name);
    compare(table, (&what, plan.pairs), &ROUND_TRIP, ours, &mut peers)
}

/// Measures for some seconds against a server on a port: the round trip in microseconds.
type Pingpong = fn(&Place, &str, u64) -> Result<f64>;

/// The median round trip in microseconds. sockperf prints half of it.
fn sockperf(place: &Place, port: &str, seconds: u64) -> Result<f64> {
    let mut command = place.client("sockperf");
    command.args(["ping-pong", "--tcp", "-i", place.address, "-p", port, "-t", &seconds.to_string()]);
    let text = output(&mut command)?;
    let line = text.lines().find(|line| line.contains("percentile 50.000")).context("sockperf: no median")?;
    let (_, half_us) = line.split_once('=').context("sockperf: no figure")?;
    Ok(2.0 * half_us.trim().parse::<f64>().with_context(|| format!("read {line:?}"))?)
}

/// The mean round trip in microseconds, as it reports no median; it prints half of it.
fn qperf(place: &Place, port: &str, seconds: u64) -> Result<f64> {
    let mut command = place.client("qperf");
    command.args(["--listen_port", port, "--time", &seconds.to_string(), place.address, "tcp_lat"]);
    let text = output(&mut command)?;
    let line = text.lines().find(|line| line.contains("latency")).context("qperf: no latency")?;
    let mut words = line.split_whitespace().rev();
    let (unit, half) = words.next().zip(words.next()).context("qperf: no figure")?;
    let factor = match unit {
        "ns" => 1e-3,
        "us" => 1.0,
        "ms" => 1e3,
        _ => bail!("qperf: unknown unit in {line:?}"),
    };
    Ok(2.0 * factor * half.parse::<f64>().with_context(|| format!("read {line:?}"))?)
}

/// Neither server says anything through a pipe before it ends: try until it answers.
fn wait_for(name: &str, measure: impl Fn() -> Result<f64>) -> Result<()> {
    let begin = Instant::now();
    while let Err(error) = measure() {
        if begin.elapsed() > STARTED_WITHIN {
            return Err(error.context(format!("{name}'s server does not answer")));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn free_port() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").context("find a free port")?;
    Ok(listener.local_addr()?.port().to_string())
}
