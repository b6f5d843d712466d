//! # What it checks
//! `kernel.numa_balancing` is 0 on an Oracle host with several nodes.
//!
//! # Why it matters
//! It unmaps pages to see who uses them: an SGA is used by all nodes, so it only costs faults.
//!
//! # Evidence
//! `kernel.numa_balancing`, number of nodes.
//!
//! # Remedy
//! `kernel.numa_balancing = 0`.
//!
//! # Source
//! tuned profile oracle (`kernel.numa_balancing` 0); Linux Documentation/admin-guide/sysctl/kernel.rst,
//! `numa_balancing`.

use crate::advice::set_sysctl;
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "numa-balancing",
    title: "the kernel moves a database's memory between NUMA nodes",
    layer: Layer::Host,
    severity: Severity::Warning,
    text: include_str!("numa_balancing.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    if !facts::is_oracle(run) || run.host.cpu.numa_nodes.len() == 1 {
        return Vec::new();
    }
    match run.host.sysctl_number("kernel.numa_balancing") {
        None => vec![facts::unread("kernel.numa_balancing")],
        Some(0) => vec![Outcome::Passes],
        Some(value) => vec![
            RULE.finding("kernel.numa_balancing", format!("kernel.numa_balancing is {value}: the SGA's pages are unmapped again and again to see who uses them"))
                .severity(if run.host.cpu.numa_nodes.len() > 1 { Severity::Warning } else { Severity::Info })
                .measured(value as f64, 0.0, Unit::Count)
                .evidence(format!("kernel.numa_balancing = {value}, {} nodes", run.host.cpu.numa_nodes.len()), "/proc/sys/kernel")
                .advice(set_sysctl(&run.host, "kernel.numa_balancing", "0", "Shared memory has no home node.", "fewer minor faults and less system time"))
                .into(),
        ],
    }
}
