//! # What it checks
//! The count of carrier changes of an interface in use does not grow.
//!
//! # Why it matters
//! A link that comes and goes loses packets each time, and TCP waits for its timeout.
//!
//! # Evidence
//! Growth of `carrier_changes` over the windows.
//!
//! # Remedy
//! Cable, transceiver, switch port.
//!
//! # Source
//! Linux Documentation/ABI/testing/sysfs-class-net (`carrier_changes`).

use super::{each, ends};
use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::Nic;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "nic-link-flaps",
    title: "an interface lost its link",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("nic_link_flaps.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    each::nic(run, has_a_link, |side, nic| judge(run, side, nic))
}

/// What stands on other interfaces only repeats their changes.
fn has_a_link(side: &ends::Side, nic: &Nic) -> bool {
    nic.kind != "loopback" && nic.lower.is_empty() && each::has_a_part(side, nic)
}

fn judge(run: &Run, side: &ends::Side, nic: &Nic) -> Outcome {
    let at = side.name(&nic.name);
    let Some(grown) = side.growth(|counters| counters.nics.get(&nic.name)?.carrier_changes) else {
        return Outcome::Unknown(format!("the carrier changes of {at} were not counted over a window"));
    };
    if grown.count == 0 {
        return Outcome::Passes;
    }
    let finding = RULE
        .finding(&at, format!("the link of {at} changed {} times in {:.0} s", grown.count, grown.seconds))
        .measured(grown.count as f64, 0.0, Unit::Count)
        .evidence(
            format!("carrier_changes +{}", grown.count),
            side.source(&format!("/sys/class/net/{}/carrier_changes", nic.name)),
        )
        .advice(
            because("Each change loses what is under way; TCP notices by its timeout only.")
                .now(format!("dmesg | grep {}; ethtool -m {}", nic.name, nic.name))
                .persist("replace cable or transceiver; look at the switch port's log")
                .expecting("carrier_changes stands still"),
        );
    each::limits_over(finding, run, side, &nic.name, Cause::Fault).into()
}
