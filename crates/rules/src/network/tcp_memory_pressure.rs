//! # What it checks
//! Memory of all TCP sockets stays below 80 % of the pressure mark, and the kernel did not enter memory
//! pressure.
//!
//! # Why it matters
//! Under pressure the kernel shrinks every window and prunes queues: all streams of the host slow down at
//! once.
//!
//! # Evidence
//! `/proc/net/sockstat` (TCP mem, pages) against `net.ipv4.tcp_mem`; growth of `TcpExtTCPMemoryPressures`.
//!
//! # Remedy
//! Raise `net.ipv4.tcp_mem`; look for sockets that nobody reads (`ss -tm`).
//!
//! # Source
//! Linux Documentation/networking/ip-sysctl.rst, `tcp_mem` (min, pressure, max in pages); netdata health.d
//! `tcp_mem` (80 %).

use super::ends;
use crate::advice::set_sysctl;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "tcp-memory-pressure",
    title: "TCP runs out of memory",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("tcp_memory_pressure.rs"),
    check,
};

const NAME: &str = "net.ipv4.tcp_mem";
const NEARLY: f64 = 0.8;

fn check(run: &Run) -> Vec<Outcome> {
    let sides = ends::sides(run);
    let judged = sides.iter().filter_map(|side| {
        let marks = side.host.sysctl_numbers(NAME).filter(|marks| marks.len() == 3);
        let used = side.windows.iter().filter_map(|window| window.to.tcp_mem_pages).max();
        match (marks, used) {
            (Some(marks), Some(used)) => Some(judge(run, side, &marks, used)),
            _ if side.peer.is_none() => {
                Some(Outcome::Unknown(format!("{NAME} or the memory of TCP sockets could not be read")))
            }
            _ => None,
        }
    });
    judged.collect()
}

fn judge(run: &Run, side: &ends::Side, marks: &[u64], used: u64) -> Outcome {
    let entered = side.snmp("TcpExtTCPMemoryPressures").map_or(0, |grown| grown.count);
    let share = used as f64 / marks[1].max(1) as f64;
    if share < NEARLY && entered == 0 {
        return Outcome::Passes;
    }
    let wanted: Vec<String> = marks.iter().map(|pages| (pages * 4).to_string()).collect();
    let finding = RULE
        .finding(side.name(NAME), format!("TCP sockets hold {used} pages, {:.0} % of the pressure mark {} of {NAME}; pressure was entered {entered} times", share * 100.0, marks[1]))
        .measured(share, NEARLY, Unit::Ratio)
        .evidence(format!("TCP mem {used} pages, {NAME} = {marks:?}, TCPMemoryPressures +{entered}"), side.source("/proc/net/sockstat"))
        .advice(set_sysctl(
            side.host,
            NAME,
            &wanted.join(" "),
            "Under pressure every window of the host shrinks.",
            "below 80 % at the busiest time; TCPMemoryPressures stands still",
        ));
    let measured = entered > 0 && run.net.iter().any(|result| !result.path.loopback);
    if measured { finding.limits(Cause::Setting).into() } else { finding.into() }
}
