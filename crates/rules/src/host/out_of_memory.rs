//! # What it checks
//! `oom_kill` did not grow during the run, and the kernel log tells of no victim.
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
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};

pub(super) const RULE: Rule = Rule {
    code: "out-of-memory",
    title: "the kernel killed a process for lack of memory",
    layer: Layer::Host,
    severity: Severity::Critical,
    text: include_str!("out_of_memory.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let killed = facts::grown_in_all(run, |counters| counters.vmstat.get("oom_kill").copied());
    let logged = run.host.kernel_log.iter().find(|line| line.pattern == "oom");
    match (killed, logged) {
        (Some(count), _) if count > 0 => vec![fires(
            format!("the kernel killed {count} processes for lack of memory during the run"),
            format!("oom_kill +{count}"),
            "/proc/vmstat",
            Severity::Critical,
        )],
        // What was logged at some time since boot is history.
        (_, Some(line)) => vec![fires(
            format!("the kernel killed a process for lack of memory: {}", line.text),
            line.text.clone(),
            "kernel log",
            facts::hygiene(run),
        )],
        (None, None) => vec![facts::unread("oom_kill")],
        (Some(_), None) => vec![Outcome::Passes],
    }
}

fn fires(message: String, evidence: String, source: &str, severity: Severity) -> Outcome {
    RULE.finding("memory", message)
        .severity(severity)
        .evidence(evidence, source)
        .advice(
            because("The next victim may be the database.")
                .now("dmesg -T | grep -A30 'invoked oom-killer'")
                .persist("systemctl edit the database's unit: OOMScoreAdjust=-1000; size SGA + PGA below RAM")
                .expecting("oom_kill stands still"),
        )
        .into()
}
