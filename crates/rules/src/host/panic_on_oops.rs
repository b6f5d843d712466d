//! # What it checks
//! `kernel.panic_on_oops` is 1 on an Oracle host.
//!
//! # Why it matters
//! After an oops a lock may stay held for ever: a cluster node that hangs is worse than one that restarts.
//!
//! # Evidence
//! `kernel.panic_on_oops`.
//!
//! # Remedy
//! `kernel.panic_on_oops = 1`.
//!
//! # Source
//! Oracle preinstallation requirements (`panic_on_oops` 1); Linux Documentation/admin-guide/sysctl/kernel.rst,
//! `panic_on_oops`.

use crate::advice::set_sysctl;
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "panic-on-oops",
    title: "the kernel goes on after an internal error",
    layer: Layer::Host,
    severity: Severity::Info,
    text: include_str!("panic_on_oops.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    if !facts::is_oracle(run) {
        return Vec::new();
    }
    match run.host.sysctl_number("kernel.panic_on_oops") {
        None => vec![facts::unread("kernel.panic_on_oops")],
        Some(0) => vec![
            RULE.finding(
                "kernel.panic_on_oops",
                "kernel.panic_on_oops is 0: after an internal error the kernel goes on with locks held",
            )
            .measured(0.0, 1.0, Unit::Count)
            .evidence("kernel.panic_on_oops = 0", "/proc/sys/kernel")
            .advice(set_sysctl(
                &run.host,
                "kernel.panic_on_oops",
                "1",
                "A restart is shorter than a hang.",
                "the node restarts after an oops",
            ))
            .into(),
        ],
        Some(_) => vec![Outcome::Passes],
    }
}
