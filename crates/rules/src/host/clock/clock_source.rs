//! # What it checks
//! Passes when the clock source is the CPU's own counter (tsc, `arch_sys_counter`) or the hypervisor's (kvm-clock,
//! hyperv).
//!
//! # Why it matters
//! Databases read the time for each wait event: with `acpi_pm` a call takes 723 ns instead of 36, and every
//! measured latency contains it.
//!
//! # Evidence
//! `current_clocksource`, and what is available.
//!
//! # Remedy
//! `echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource`, `clocksource=tsc` on the
//! kernel command line.
//!
//! # Source
//! PostgreSQL documentation, `pg_test_timing` (`acpi_pm` against tsc); Linux
//! Documentation/timers/timekeeping.rst.
//! Linux kernel mailing list, 2022-12-08,
//! "x86/xen/time: prefer tsc as clocksource when it is invariant".

use crate::advice::{AdviceExt, because, sh};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};

pub(super) const RULE: Rule = Rule {
    code: "clock-source",
    title: "the clock source makes reading the time slow",
    layer: Layer::Host,
    severity: Severity::Warning,
    check,
};

const FAST: [&str; 7] =
    ["tsc", "tsc-early", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "timebase", "tod"];

fn check(run: &Facts) -> Vec<Outcome> {
    let clock = &run.host.clock;
    match clock.source.as_deref() {
        None => vec![facts::unread("current_clocksource")],
        Some(source) if FAST.contains(&source) => vec![Outcome::Passes],
        Some(source) => {
            vec![fires(run, source, clock.sources.iter().find(|source| FAST.contains(&source.as_str())))]
        }
    }
}

fn fires(run: &Run, source: &str, better: Option<&String>) -> Outcome {
    let wanted = better.map_or("tsc", String::as_str);
    let severity = if better.is_some() { facts::hygiene(run) } else { Severity::Info };
    RULE.finding("clocksource", format!("the clocksource is {source}: each reading of the time is a slow access to a device; {wanted} is recommended"))
        .severity(severity)
        .evidence(format!("current_clocksource {source}, available {}", facts::listed(&run.host.clock.sources)), "/sys/devices/system/clocksource/clocksource0")
        .advice(
            because("A database reads the time before and after each wait.")
                .run(sh!("echo {} > /sys/devices/system/clocksource/clocksource0/current_clocksource", wanted), "Changes the clock source")
                .persist(format!("Add clocksource={wanted} to the kernel command line; if the kernel refuses it, `dmesg | grep -i tsc` says why"))
                .undo_run(sh!("echo {} > /sys/devices/system/clocksource/clocksource0/current_clocksource", source), "Changes it back")
                .expecting("below 100 ns a reading in pg_test_timing"),
        )
        .into()
}
