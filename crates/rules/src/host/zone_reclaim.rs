//! # What it checks
//! `vm.zone_reclaim_mode` is 0.
//!
//! # Why it matters
//! With it on, page cache of a node is dropped, and programs wait, while other nodes have free memory.
//!
//! # Evidence
//! `vm.zone_reclaim_mode`.
//!
//! # Remedy
//! `vm.zone_reclaim_mode = 0`, the default.
//!
//! # Source
//! Linux Documentation/admin-guide/sysctl/vm.rst, `zone_reclaim_mode` (should be left off where caching
//! matters more than locality); PostgreSQL and MySQL hosts are such.

use crate::advice::set_sysctl;
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "zone-reclaim",
    title: "the kernel frees memory of one node rather than use another's",
    layer: Layer::Host,
    severity: Severity::Warning,
    text: include_str!("zone_reclaim.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    match run.host.sysctl_number("vm.zone_reclaim_mode") {
        None => vec![facts::unread("vm.zone_reclaim_mode")],
        Some(0) => vec![Outcome::Passes],
        Some(value) => vec![
            RULE.finding(
                "vm.zone_reclaim_mode",
                format!(
                    "vm.zone_reclaim_mode is {value}: a node frees its cache while others have memory left"
                ),
            )
            .severity(if run.host.cpu.numa_nodes.len() > 1 { facts::hygiene(run) } else { Severity::Info })
            .measured(value as f64, 0.0, Unit::Count)
            .evidence(format!("vm.zone_reclaim_mode = {value}"), "/proc/sys/vm")
            .advice(set_sysctl(
                &run.host,
                "vm.zone_reclaim_mode",
                "0",
                "Memory of another node is nearer than the disk.",
                "no reclaim while any node has free memory",
            ))
            .into(),
        ],
    }
}
