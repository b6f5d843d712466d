//! # What it checks
//! `net.ipv4.tcp_window_scaling` is 1 on both ends, and a measured connection negotiated it.
//!
//! # Why it matters
//! Without scaling no window exceeds 65,535 bytes: one such window travels in each round trip, 52 Mbit/s at
//! 10 ms, whatever the line can do. One end that refuses is enough.
//!
//! # Evidence
//! `net.ipv4.tcp_window_scaling`; `TCPI_OPT_WSCALE` of `TCP_INFO`; round trip and throughput.
//!
//! # Remedy
//! `sysctl -w net.ipv4.tcp_window_scaling=1`; connections made before keep their small window.
//!
//! # Source
//! RFC 7323 section 2; Linux Documentation/networking/ip-sysctl.rst, `tcp_window_scaling` (default on).

use super::{each, ends};
use crate::advice::set_sysctl;
use crate::ceiling::network::window;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Finding, Layer, Severity};
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "tcp-window-scaling",
    title: "TCP window scaling is switched off",
    layer: Layer::Network,
    severity: Severity::Critical,
    text: include_str!("tcp_window_scaling.rs"),
    check,
};

const NAME: &str = "net.ipv4.tcp_window_scaling";
/// Of an unscaled window over the round trip that must be reached to blame it.
const REACHED: f64 = 0.3;

fn check(run: &Run) -> Vec<Outcome> {
    each::setting(run, NAME, |side, numbers| {
        if numbers.first() != Some(&0) {
            return Outcome::Passes;
        }
        let held = held(run, side);
        let finding = RULE
            .finding(
                side.name(NAME),
                match held {
                    Some((result, allowed)) => format!(
                        "{} is 0: without window scaling no window exceeds 64 KiB, which allows {} to {}; measured {}",
                        side.name(NAME),
                        ends::rate(allowed),
                        result.target,
                        ends::rate(result.throughput_bytes_per_s)
                    ),
                    None => format!("{} is 0: without window scaling no window exceeds 64 KiB", side.name(NAME)),
                },
            )
            .evidence(format!("{NAME} = 0"), side.source("/proc/sys/net/ipv4/tcp_window_scaling"))
            .advice(set_sysctl(
                side.host,
                NAME,
                "1",
                "RFC 7323 windows are on by default for good reason: 64 KiB a round trip is all that is left without.",
                "throughput is no longer tied to the round trip; new connections only",
            ));
        limiting(finding, held).into()
    })
}

/// Worst where a transfer shows it, a warning where none does.
fn limiting(finding: Finding, held: Option<(&NetResult, f64)>) -> Finding {
    match held {
        Some((result, allowed)) => finding
            .measured(result.throughput_bytes_per_s, allowed, Unit::BytesPerS)
            .about(result)
            .limits(Cause::Setting),
        None => finding.severity(Severity::Warning),
    }
}

/// A transfer that an unscaled window explains, with what it allows.
fn held<'a>(run: &'a Run, side: &ends::Side) -> Option<(&'a NetResult, f64)> {
    let about = |result: &&NetResult| side.peer.is_none_or(|peer| peer == result.target);
    ends::results(run, NetMode::Async).filter(about).find_map(|result| {
        let rtt = ends::rtt_ns(run, result)?;
        let window = window::UNSCALED_WINDOW_BYTES as f64 * f64::from(result.streams.max(1));
        let allowed = window::window_bytes_per_s(window, rtt);
        let reached = result.throughput_bytes_per_s / allowed;
        (REACHED..1.5).contains(&reached).then_some((result, allowed))
    })
}
