//! # What it checks
//! On a host that serves PostgreSQL alone, `vm.overcommit_memory` is 2.
//!
//! # Why it matters
//! With heuristics, a shortage kills the postmaster's children by surprise; with 2 an allocation fails and
//! the query ends with an error.
//!
//! # Evidence
//! `vm.overcommit_memory`.
//!
//! # Remedy
//! `vm.overcommit_memory = 2` with `vm.overcommit_ratio` fitted to RAM and swap.
//!
//! # Source
//! PostgreSQL documentation, "Linux Memory Overcommit"; Linux Documentation/mm/overcommit-accounting.rst.

use crate::advice::set_sysctl;
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "memory-overcommit",
    title: "the kernel promises more memory than there is",
    layer: Layer::Host,
    severity: Severity::Info,
    text: include_str!("memory_overcommit.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let only_postgres = !run.host.databases.is_empty()
        && run.host.databases.iter().all(|database| database.kind == "postgresql");
    if !only_postgres {
        return Vec::new();
    }
    match run.host.sysctl_number("vm.overcommit_memory") {
        None => vec![facts::unread("vm.overcommit_memory")],
        Some(2) => vec![Outcome::Passes],
        Some(value) => vec![
            RULE.finding(
                "vm.overcommit_memory",
                format!(
                    "vm.overcommit_memory is {value}: a shortage ends in the OOM killer instead of an error"
                ),
            )
            .measured(value as f64, 2.0, Unit::Count)
            .evidence(format!("vm.overcommit_memory = {value}"), "/proc/sys/vm")
            .advice(set_sysctl(
                &run.host,
                "vm.overcommit_memory",
                "2",
                "An allocation that fails ends a query; the OOM killer ends the server.",
                "malloc failures in the log instead of killed processes; check CommitLimit before",
            ))
            .into(),
        ],
    }
}
