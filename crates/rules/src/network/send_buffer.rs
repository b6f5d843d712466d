//! # What it checks
//! The share of the transfer in which the own send buffer was full while the window of the peer and the
//! congestion window had room; or a buffer at its greatest size that the data in flight fills.
//!
//! # Why it matters
//! What is sent stays in the buffer until it is acknowledged: no more than one buffer travels in each round
//! trip.
//!
//! # Evidence
//! `tcpi_sndbuf_limited` over `tcpi_busy_time`, `SO_SNDBUF` as granted; the sender's `net.ipv4.tcp_wmem`,
//! `net.core.wmem_max`.
//!
//! # Remedy
//! Raise the third value of `net.ipv4.tcp_wmem` to 3 x the bandwidth-delay product; where a program sets
//! `SO_SNDBUF` itself (`SEND_BUF_SIZE` in sqlnet.ora), raise `net.core.wmem_max` as well.
//!
//! # Source
//! RFC 6349 section 3.3.1; Linux Documentation/networking/ip-sysctl.rst (`tcp_wmem`) and
//! include/uapi/linux/tcp.h (`tcpi_sndbuf_limited`).

use super::{each, ends, load};
use crate::advice::set_sysctl;
use crate::ceiling::network::window;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::Host;
use fullwire_model::net::{NetMode, NetResult, TcpSummary};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "send-buffer",
    title: "the send buffer holds the stream",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("send_buffer.rs"),
    check,
};

/// Held for this share of the time it is the limit, not an incident.
const HELD: f64 = 0.3;
/// Of buffer over round trip that must be reached: a buffer that could grow is not the limit.
const REACHED: f64 = 0.2;
/// Of a buffer that cannot grow: the kernel charges each segment with its bookkeeping, so a full one holds about half
/// its size in data.
const FULL: f64 = 0.3;
/// Congestion window and receive window that are so many times what is in flight do not hold it.
const ROOM: f64 = 1.5;
/// A round trip of a wire's length, and its growth below which nothing on the way made it wait.
const LONG_NS: u64 = 2_000_000;
const CALM: f64 = 1.2;

fn check(run: &Run) -> Vec<Outcome> {
    each::result(run, NetMode::Async, |result| judge(run, result))
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let (Some(held), Some(tcp)) = (load::buffer_limited(result), &result.tcp) else {
        return Outcome::Unknown(format!(
            "the limits of the transfer to {} are not in TCP_INFO",
            result.target
        ));
    };
    let rtt = tcp.rtt_ns.max(tcp.rtt_min_ns) as f64;
    let allowed = f64::from(result.streams.max(1)) * window::window_bytes_per_s(tcp.sndbuf_bytes as f64, rtt);
    let bound_by_it = tcp.sndbuf_bytes > 0 && result.throughput_bytes_per_s >= REACHED * allowed;
    let full = is_full(run, result, tcp);
    // A round trip that has hardly grown is nobody's CPU: what a full buffer holds is all that it can carry.
    let unhurried = tcp.rtt_min_ns >= LONG_NS && tcp.rtt_ns as f64 <= CALM * tcp.rtt_min_ns as f64;
    let by_cpu = load::cpu_bound(run, result) && !(full && unhurried);
    if !(held >= HELD || full) || !bound_by_it || by_cpu || load::at_full_wire(run, result) {
        return Outcome::Passes;
    }
    let unknown = Host::default();
    let sender = ends::sender(run, result).unwrap_or(&unknown);
    let line = ends::declared(run, &result.target).unwrap_or(1.25e9);
    // What queues under load is no length of the path.
    let base = ends::rtt_ns(run, result).unwrap_or(rtt);
    let bytes = window::buffer_for_bytes(window::bdp_bytes(line, base)).max(4 << 20);
    let mut advice = set_sysctl(
        sender,
        "net.ipv4.tcp_wmem",
        &format!("4096 65536 {bytes}"),
        "What is sent stays in the buffer until it is acknowledged, one buffer for each round trip.",
        "sndbuf_limited falls to nothing; what the line carries shows",
    );
    advice.now.push(format!("sysctl -w net.core.wmem_max={bytes}    # for programs that set SO_SNDBUF"));
    RULE.finding(
        format!("send buffer to {}", result.target),
        format!(
            "the send buffer of {} KiB (net.ipv4.tcp_wmem) held the transfer to {} {}",
            tcp.sndbuf_bytes / 1024,
            result.target,
            if full {
                "at what it can keep in flight".to_owned()
            } else {
                format!("for {:.0} % of the time", held * 100.0)
            }
        ),
    )
    .measured(held, HELD, Unit::Ratio)
    .evidence(
        format!(
            "sndbuf_limited {:.2} s of {:.2} s busy, SO_SNDBUF {} bytes, round trip {}",
            tcp.sndbuf_limited_s,
            tcp.busy_s,
            tcp.sndbuf_bytes,
            ends::time(rtt)
        ),
        "TCP_INFO of the sender",
    )
    .evidence(
        format!("net.ipv4.tcp_wmem = {}", sender.sysctl("net.ipv4.tcp_wmem").unwrap_or("not told")),
        "/proc/sys/net/ipv4/tcp_wmem",
    )
    .about(result)
    .limits(Cause::Setting)
    .advice(advice)
    .into()
}

/// The buffer is as large as it may become, full of what is in flight, and neither window stands in the way: kernels
/// do not always count that time as `sndbuf_limited`.
fn is_full(run: &Run, result: &NetResult, tcp: &TcpSummary) -> bool {
    let most =
        ends::sender(run, result).and_then(|host| host.sysctl_numbers("net.ipv4.tcp_wmem")?.get(2).copied());
    let rate = result.throughput_bytes_per_s / f64::from(result.streams.max(1));
    let flight = rate * tcp.rtt_ns.max(tcp.rtt_min_ns) as f64 / 1e9;
    let roomy = |window: u64| window as f64 >= ROOM * flight;
    most.is_some_and(|most| tcp.sndbuf_bytes >= most)
        && flight >= FULL * tcp.sndbuf_bytes as f64
        && flight <= tcp.sndbuf_bytes as f64
        && roomy(tcp.cwnd_bytes)
        && tcp.snd_wnd_bytes.is_some_and(roomy)
}
