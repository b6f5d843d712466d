//! # What it checks
//! Passes when every CPU's frequency governor is `performance`, or the hardware decides itself. Applies to bare
//! metal only.
//!
//! # Why it matters
//! A CPU that must first speed up adds tens of microseconds to each wake-up: commit latency.
//!
//! # Evidence
//! `scaling_governor` of each CPU, frequency driver.
//!
//! # Remedy
//! `cpupower frequency-set -g performance`, tuned profile.
//!
//! # Source
//! tuned profile throughput-performance; SUSE saptune note 2684254; Linux
//! Documentation/admin-guide/pm/cpufreq.rst.

use crate::advice::{AdviceExt, because, sh};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::Cpu;

pub(super) const RULE: Rule = Rule {
    code: "cpu-governor",
    title: "the CPU governor saves power instead of running at full speed",
    layer: Layer::Host,
    severity: Severity::Warning,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    let cpu = &run.host.cpu;
    if facts::is_virtual(&run.host) {
        return Vec::new();
    }
    if cpu.governors.is_empty() {
        return vec![facts::unread("scaling_governor")];
    }
    // intel_pstate's and amd_pstate's own powersave is the hardware's choice, with its energy bias.
    let by_hardware = cpu.frequency_driver.as_deref().is_some_and(|driver| driver.contains("pstate"));
    let slow: Vec<String> = cpu
        .governors
        .iter()
        .filter(|(name, _)| *name != "performance" && !(by_hardware && *name == "powersave"))
        .map(|(name, count)| format!("{name} on {count}"))
        .collect();
    let saving: Vec<String> = cpu
        .governors
        .keys()
        .filter(|name| by_hardware && *name == "powersave")
        .map(|name| format!("{name} ({})", cpu.frequency_driver.as_deref().unwrap_or("")))
        .collect();
    match (slow.is_empty(), saving.is_empty()) {
        (true, true) => vec![Outcome::Passes],
        (false, _) => vec![fires(&slow, common(cpu), facts::hygiene(run))],
        (true, false) => vec![fires(&saving, common(cpu), Severity::Info)],
    }
}

/// The governor that most CPUs have.
fn common(cpu: &Cpu) -> &str {
    cpu.governors.iter().max_by_key(|(_, count)| **count).map_or("schedutil", |(name, _)| name.as_str())
}

/// By sysfs: cpupower is missing on minimal installations.
fn set_governor(governor: &str) -> String {
    sh!("for f in /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; do echo {} > $f; done", governor)
}

fn fires(governors: &[String], before: &str, severity: Severity) -> Outcome {
    RULE.finding(
        "scaling_governor",
        format!("CPU frequency governor: {}; performance keeps commits short", facts::listed(governors)),
    )
    .severity(severity)
    .evidence(facts::listed(governors), "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")
    .advice(
        because("A commit is a chain of short wake-ups; each finds a CPU that has just slowed down.")
            .run(set_governor("performance"), "Sets the governor of every CPU through sysfs; cpupower is not needed")
            .persist("A tuned profile with [cpu] governor=performance (`tuned-adm profile throughput-performance`, or the database's own profile)")
            .undo_run(set_governor(before), "Sets the governor that most CPUs had")
            .expecting("lower p50 of one-in-flight latencies"),
    )
    .into()
}
