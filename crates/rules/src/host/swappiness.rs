//! # What it checks
//! `vm.swappiness` is at most 10 on a database host.
//!
//! # Why it matters
//! With 60 the kernel prefers to swap out idle memory of the database over dropping page cache.
//!
//! # Evidence
//! `/proc/sys/vm/swappiness`.
//!
//! # Remedy
//! 10 (Oracle, MySQL), 3 (PostgreSQL profile of tuned).
//!
//! # Source
//! tuned profiles oracle (vm.swappiness 10) and postgresql (3); Linux
//! Documentation/admin-guide/sysctl/vm.rst, swappiness.

use crate::advice::set_sysctl;
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "swappiness",
    title: "the kernel swaps sooner than a database likes",
    layer: Layer::Host,
    severity: Severity::Info,
    text: include_str!("swappiness.rs"),
    check,
};

const MOST: u64 = 10;

fn check(run: &Run) -> Vec<Outcome> {
    match run.host.sysctl_number("vm.swappiness") {
        None => vec![facts::unread("vm.swappiness")],
        Some(value) if value <= MOST => vec![Outcome::Passes],
        Some(value) => vec![
            RULE.finding(
                "vm.swappiness",
                format!("vm.swappiness is {value}: at most {MOST} keeps a database's memory in RAM"),
            )
            .measured(value as f64, MOST as f64, Unit::Count)
            .evidence(format!("vm.swappiness = {value}"), "/proc/sys/vm/swappiness")
            .advice(set_sysctl(
                &run.host,
                "vm.swappiness",
                "10",
                "The page cache is worth less than the database's own memory.",
                "no swapping while page cache is large",
            ))
            .into(),
        ],
    }
}
