//! # What it checks
//! Passes when the paths of a map lead over at least two host adapters.
//!
//! # Why it matters
//! The adapter, its slot and its cable stay a single point of failure, and its link the ceiling of the map.
//!
//! # Evidence
//! The host number of each path's SCSI address.
//!
//! # Remedy
//! Zone one path through the second adapter or port.
//!
//! # Source
//! Red Hat Enterprise Linux, Configuring device mapper multipathing (paths of different HBAs); Linux SCSI
//! address HOST:CHANNEL:TARGET:LUN (Documentation/scsi/scsi-parameters.rst).

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::MultipathMap;

pub(super) const RULE: Rule = Rule {
    code: "multipath-one-adapter",
    title: "all paths of a disk go through one adapter",
    layer: Layer::Storage,
    severity: Severity::Info,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    run.host
        .multipath
        .iter()
        .filter(|map| map.groups.iter().map(|group| group.paths.len()).sum::<usize>() > 1)
        .map(judge)
        .collect()
}

fn judge(map: &MultipathMap) -> Outcome {
    let paths = map.groups.iter().flat_map(|group| &group.paths);
    let hosts: Vec<&str> =
        paths.filter_map(|path| path.address.split(':').next()).filter(|host| !host.is_empty()).collect();
    let Some(first) = hosts.first() else {
        return facts::unread(&format!("the SCSI addresses of the paths of {}", map.name));
    };
    if hosts.iter().any(|host| host != first) {
        return Outcome::Passes;
    }
    RULE.finding(
        &map.name,
        format!(
            "all {} paths of {} pass through host{first}: one adapter is a single point of failure",
            hosts.len(),
            map.name
        ),
    )
    .evidence(format!("SCSI host of each path: {}", hosts.join(" ")), map.source.clone())
    .advice(
        because("Paths protect against the failure of what they do not share.")
            .run("lspci | grep -iE 'fibre|ethernet' || true", "Shows whether there is a second adapter")
            .run("ls -l /sys/class/fc_host || true", "Shows its ports")
            .persist("zone the unit to a second adapter, or log in to the portal over a second NIC")
            .expecting("addresses with two host numbers in `multipath -ll`"),
    )
    .into()
}
