//! # What it checks
//! Passes when data and metadata of each thin pool and the space of each snapshot are used to less than 90 %.
//!
//! # Why it matters
//! A full pool turns writes of every volume in it into errors; a full snapshot is lost.
//!
//! # Evidence
//! Status of the device-mapper target.
//!
//! # Remedy
//! `lvextend` the pool (`--poolmetadatasize` for metadata), and let dmeventd do it
//! (`thin_pool_autoextend_threshold`).
//!
//! # Source
//! Linux Documentation/admin-guide/device-mapper/thin-provisioning.rst (out of space behaviour); Netdata
//! health.d (LVM thin 90 and 98 %); lvmthin(7).

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::LogicalVolume;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "lvm-pool-full",
    title: "a thin pool or snapshot is nearly full",
    layer: Layer::Storage,
    severity: Severity::Critical,
    check,
};

/// Of the pool: time to extend it (lvmthin(7) extends at 70 to 100 %).
const NEARLY: f64 = 0.90;
/// Of the pool: writes are about to fail.
const FULL: f64 = 0.98;

fn check(run: &Facts) -> Vec<Outcome> {
    run.host
        .logical_volumes
        .iter()
        .filter(|volume| matches!(volume.layout.as_str(), "thin" | "thin-pool" | "snapshot"))
        .map(judge)
        .collect()
}

fn judge(volume: &LogicalVolume) -> Outcome {
    let used =
        [volume.data_used.map(|used| ("data", used)), volume.metadata_used.map(|used| ("metadata", used))];
    let Some((what, used)) = used.into_iter().flatten().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return facts::unread(&format!("the fill of {}", volume.name));
    };
    if used < NEARLY {
        return Outcome::Passes;
    }
    let severity = if used >= FULL { Severity::Critical } else { Severity::Warning };
    RULE.finding(&volume.name, format!("{} {} is {} full ({what}): writes fail when it is full", volume.layout, volume.name, facts::percent(used)))
        .severity(severity)
        .measured(used, NEARLY, Unit::Ratio)
        .evidence(format!("{what} used {used:.3}"), "device-mapper status")
        .advice(
            because("A thin pool promises more space than it has; when it runs out, all its volumes fail together.")
                .now(format!("`lvextend -L +10G {0}/POOL`; for the metadata `lvextend --poolmetadatasize +1G {0}/POOL`", volume.volume_group))
                .persist("/etc/lvm/lvm.conf: thin_pool_autoextend_threshold = 80, thin_pool_autoextend_percent = 20; dmeventd must run")
                .expecting("less than 90 % in `lvs -o+data_percent,metadata_percent`"),
        )
        .into()
}
