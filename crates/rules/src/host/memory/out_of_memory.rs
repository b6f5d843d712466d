//! # What it checks
//! Passes when `oom_kill` did not grow during the run, and the kernel log names no victim.
//!
//! # Why it matters
//! The victim is often the largest process: the database.
//!
//! # Evidence
//! `oom_kill` in `/proc/vmstat`; kernel log.
//!
//! # Remedy
//! Size memory; protect the database (`OOMScoreAdjust=-1000`).
//!
//! # Source
//! Linux Documentation/admin-guide/sysctl/vm.rst (`oom_dump_tasks`); Netdata health.d (`oom_kill`).

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};

pub(super) const RULE: Rule = Rule {
    code: "out-of-memory",
    title: "the kernel killed a process for lack of memory",
    layer: Layer::Host,
    severity: Severity::Critical,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    let killed = facts::grown_in_all(run, |counters| counters.vmstat.get("oom_kill").copied());
    let logged = || run.host.kernel_log.iter().filter(|line| line.pattern == "oom");
    // The line that names the victim says more than the one of who requested memory.
    let told = logged().find(|line| line.text.contains("Killed process")).or_else(|| logged().next());
    match (killed, told) {
        (Some(count), _) if count > 0 => vec![fires(
            format!("the kernel killed {count} processes for lack of memory during the run"),
            format!("oom_kill +{count}"),
            "/proc/vmstat",
            Severity::Critical,
        )],
        (_, Some(line)) => {
            let severity = if facts::log::is_recent(run, line) { Severity::Warning } else { Severity::Info };
            let message = format!("the kernel killed a process for lack of memory: {}", line.text);
            vec![fires(message, line.text.clone(), "kernel log", severity)]
        }
        (None, None) => vec![facts::unread("oom_kill over a window")],
        (Some(_), None) => vec![Outcome::Passes],
    }
}

fn fires(message: String, evidence: String, source: &str, severity: Severity) -> Outcome {
    RULE.finding("memory", message)
        .severity(severity)
        .evidence(evidence, source)
        .advice(
            because("The next victim may be the database.")
                .run(
                    "dmesg -T | grep -A30 'invoked oom-killer' || true",
                    "Shows what was killed, and how much memory each process used",
                )
                .persist(
                    "`systemctl edit` the database's unit: OOMScoreAdjust=-1000; size SGA + PGA below RAM",
                )
                .expecting("oom_kill no longer grows"),
        )
        .into()
}
