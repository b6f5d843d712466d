//! # What it checks
//! Passes when the thermal throttle counters did not grow during the run.
//!
//! # Why it matters
//! All figures of this run are too low.
//!
//! # Evidence
//! `thermal_throttle/*_throttle_count` over the windows.
//!
//! # Remedy
//! Cooling, dust, fans, power caps.
//!
//! # Source
//! Linux Documentation/admin-guide/pm/intel_pstate.rst; arch/x86 `therm_throt` (`core_throttle_count`); PCP
//! pmieconf power rules.

use crate::advice::{AdviceExt, because};
use crate::explain;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Mechanism, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "thermal-throttling",
    title: "CPUs slow down because they are hot",
    layer: Layer::Host,
    severity: Severity::Warning,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    if facts::is_virtual(&run.host) {
        return Vec::new();
    }
    let grown = facts::grown_in_all(run, |counters| {
        let counts: Vec<u64> = counters
            .errors
            .iter()
            .filter(|(name, _)| name.contains("throttle_count"))
            .map(|(_, count)| *count)
            .collect();
        (!counts.is_empty()).then(|| counts.iter().fold(0, |sum: u64, one| sum.saturating_add(*one)))
    });
    match grown {
        None => vec![facts::unread("the thermal throttle counters")],
        Some(0) => vec![Outcome::Passes],
        Some(count) => vec![
            RULE.finding("CPU", format!("CPUs were slowed down {count} times for heat during the run"))
                .measured(count as f64, 0.0, Unit::Count)
                .evidence(format!("throttle_count +{count}"), "/sys/devices/system/cpu/cpu*/thermal_throttle")
                .explains(explain::every_path(run, Mechanism::CpuBusy))
                .advice(
                    because("A hot CPU runs at a fraction of its speed.")
                        .now("Read the temperatures and fans: `sensors`, `ipmitool sdr type Temperature`, `ipmitool sdr type Fan`")
                        .persist("fix the cooling")
                        .expecting("counters that no longer grow under load"),
                )
                .into(),
        ],
    }
}
