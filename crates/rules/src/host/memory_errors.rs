//! # What it checks
//! The memory controllers' error counters did not grow, and no uncorrected error was ever counted.
//!
//! # Why it matters
//! Corrected errors announce uncorrected ones, which stop the host or corrupt data.
//!
//! # Evidence
//! EDAC counters; kernel log (machine checks).
//!
//! # Remedy
//! Replace the module that `edac-util -v` or `ras-mc-ctl` names.
//!
//! # Source
//! Linux Documentation/admin-guide/RAS/main.rst (EDAC `ce_count`, `ue_count`).

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "memory-errors",
    title: "memory modules report errors",
    layer: Layer::Host,
    severity: Severity::Critical,
    text: include_str!("memory_errors.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let Some([corrected, uncorrected]) = run.host.memory.edac_errors else {
        return if facts::is_virtual(&run.host) {
            Vec::new()
        } else {
            vec![facts::unread("the error counters of the memory controllers")]
        };
    };
    if corrected == 0 && uncorrected == 0 {
        return vec![Outcome::Passes];
    }
    let severity = if uncorrected > 0 { Severity::Critical } else { Severity::Warning };
    vec![
        RULE.finding("memory", format!("memory modules reported {corrected} corrected and {uncorrected} uncorrected errors since boot"))
            .severity(severity)
            .measured((corrected + uncorrected) as f64, 0.0, Unit::Count)
            .evidence(format!("ce_count {corrected}, ue_count {uncorrected}"), "/sys/devices/system/edac/mc")
            .advice(
                because("A module that errs once errs again.")
                    .now("edac-util -v, or ras-mc-ctl --error-count: which module")
                    .persist("replace the module")
                    .expecting("counters at 0 after the replacement"),
            )
            .into(),
    ]
}
