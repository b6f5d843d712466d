//! # What it checks
//! The kernel log holds no hung task and no machine check since boot.
//!
//! # Why it matters
//! A task that hangs for two minutes usually waits for storage that does not answer; a machine check is
//! hardware about to fail.
//!
//! # Evidence
//! Kernel log lines.
//!
//! # Remedy
//! The first line's device or CPU bank; storage rules of this report.
//!
//! # Source
//! node-problem-detector config/kernel-monitor.json (`TaskHung`, CPER); Linux
//! Documentation/admin-guide/sysctl/kernel.rst, `hung_task_timeout_secs`.

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::LogLine;

pub(super) const RULE: Rule = Rule {
    code: "kernel-log-trouble",
    title: "the kernel reported hung tasks or hardware errors",
    layer: Layer::Host,
    severity: Severity::Critical,
    text: include_str!("kernel_log_trouble.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    if run.host.gap_about("kmsg").is_some() && run.host.kernel_log.is_empty() {
        return vec![facts::unread("the kernel log")];
    }
    let bad = run
        .host
        .kernel_log
        .iter()
        .filter(|line| matches!(line.pattern.as_str(), "hung-task" | "machine-check"));
    let outcomes: Vec<Outcome> = bad.map(|line| fires(run, line)).collect();
    if outcomes.is_empty() { vec![Outcome::Passes] } else { outcomes }
}

fn fires(run: &Run, line: &LogLine) -> Outcome {
    let severity = if facts::is_database_host(run) || line.pattern == "machine-check" {
        Severity::Critical
    } else {
        Severity::Warning
    };
    RULE.finding(
        "kernel log",
        format!(
            "the kernel reported {}: {}",
            if line.pattern == "hung-task" { "a hung task" } else { "a machine check" },
            line.text
        ),
    )
    .severity(severity)
    .evidence(format!("{} ({} times)", line.text, line.count), "kernel log")
    .advice(
        because("It happened on this host since boot, and comes again until the cause is mended.")
            .now("dmesg -T | grep -A20 'blocked for more than\\|Hardware Error'")
            .persist("mend the storage that did not answer, or replace the hardware named")
            .expecting("no such line after the next boot"),
    )
    .into()
}
