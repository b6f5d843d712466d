//! # What it checks
//! `kernel.io_uring_disabled` is 0.
//!
//! # Why it matters
//! Programs that would use it (PostgreSQL 18 with `io_method=io_uring`, fullwire's fast engine) fall back to
//! slower calls.
//!
//! # Evidence
//! `kernel.io_uring_disabled`.
//!
//! # Remedy
//! 0, or 1 with `kernel.io_uring_group` of the database's group.
//!
//! # Source
//! Linux Documentation/admin-guide/sysctl/kernel.rst, `io_uring_disabled` and `io_uring_group`.

use crate::advice::set_sysctl;
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "io-uring-disabled",
    title: "the kernel forbids io_uring",
    layer: Layer::Host,
    severity: Severity::Info,
    text: include_str!("io_uring_disabled.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    match run.host.sysctl_number("kernel.io_uring_disabled") {
        None => vec![facts::unread("kernel.io_uring_disabled")],
        Some(0) => vec![Outcome::Passes],
        Some(value) => vec![
            RULE.finding(
                "kernel.io_uring_disabled",
                format!("kernel.io_uring_disabled is {value}: programs fall back to other calls"),
            )
            .measured(value as f64, 0.0, Unit::Count)
            .evidence(format!("kernel.io_uring_disabled = {value}"), "/proc/sys/kernel")
            .advice(set_sysctl(
                &run.host,
                "kernel.io_uring_disabled",
                "0",
                "io_uring saves system calls at high rates; security policy may forbid it.",
                "engine io_uring in the results",
            ))
            .into(),
        ],
    }
}
