//! # What it checks
//! Passes when the kernel log has no hung task within the last day and no uncorrected hardware error. Corrected
//! errors, and records that the firmware keeps of an earlier boot, are covered by `memory-errors`, which counts them.
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
//! Documentation/admin-guide/sysctl/kernel.rst, `hung_task_timeout_secs`; Linux drivers/firmware/efi/cper.c
//! (severities recoverable, fatal, corrected, info); arch/x86/kernel/cpu/mce/core.c ("Machine Check Exception" is
//! raised, "Machine Check" is polled: corrected); `drivers/edac/edac_mc.c` (CE, UE); drivers/acpi/apei/bert.c
//! (errors of the previous boot).

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::LogLine;

pub(super) const RULE: Rule = Rule {
    code: "kernel-log-trouble",
    title: "the kernel reported hung tasks or hardware errors",
    layer: Layer::Host,
    severity: Severity::Critical,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    if run.kernel_log_gap().is_some() && run.host.kernel_log.is_empty() {
        return vec![facts::unread("the kernel log")];
    }
    let bad = run.host.kernel_log.iter().filter_map(|line| Some((line, severity(run, line)?)));
    let outcomes: Vec<Outcome> = bad.map(|(line, severity)| fires(run, line, severity)).collect();
    if outcomes.is_empty() { vec![Outcome::Passes] } else { outcomes }
}

/// The severity of a line today; `None`: it does not concern this rule, or reports a corrected error.
fn severity(run: &Run, line: &LogLine) -> Option<Severity> {
    let recent = facts::log::is_recent(run, line);
    match line.pattern.as_str() {
        "hung-task" if !recent => Some(Severity::Info),
        "hung-task" if facts::is_database_host(run) => Some(Severity::Critical),
        "machine-check" if !is_uncorrected(&line.text) => None,
        "machine-check" if is_of_earlier_boot(line) => Some(Severity::Info),
        // Broken hardware does not heal, but what has run on for days is no emergency.
        "machine-check" if recent => Some(Severity::Critical),
        "hung-task" | "machine-check" => Some(Severity::Warning),
        _ => None,
    }
}

/// Hardware found that data were lost. Anything else under these headings is corrected, or a line of such a report.
fn is_uncorrected(text: &str) -> bool {
    let text = text.to_lowercase();
    let says = |word: &str| text.contains(word);
    let denied = says("no uncorrected") || says("uncorrected error count: 0");
    !denied
        && (says("uncorrected")
            || says("uncorrectable")
            || says("machine check exception")
            || says(": fatal")
            || says("fatal error")
            || says("severity: recoverable")
            || says(" ue "))
}

/// The firmware hands over what it kept of the boot before within the first seconds of this one.
fn is_of_earlier_boot(line: &LogLine) -> bool {
    const BOOTING_S: f64 = 10.0;
    line.text.contains("BERT") || line.seconds.is_some_and(|seconds| seconds < BOOTING_S)
}

fn fires(run: &Run, line: &LogLine, severity: Severity) -> Outcome {
    RULE.finding(
        "kernel log",
        format!(
            "the kernel reported {}{}: {}",
            if line.pattern == "hung-task" { "a hung task" } else { "an uncorrected hardware error" },
            facts::log::ago(run, line),
            line.text
        ),
    )
    .severity(severity)
    .evidence(facts::log::quoted(line), "kernel log")
    .advice(
        because("It has happened on this host since boot and will recur until the cause is fixed.")
            .run(
                "dmesg -T | grep -A20 -E 'blocked for more than|Hardware Error' || true",
                "Shows what the kernel reported, with its context",
            )
            .persist("fix the storage that did not respond, or replace the hardware named")
            .expecting("no such line after the next boot"),
    )
    .into()
}
