//! # What it checks
//! Segmentation and receive offloads and checksums are on for physical interfaces in use.
//!
//! # Why it matters
//! Without them the CPU builds and takes apart every frame: 81,000 a second for each Gbit/s; one stream
//! then ends at one CPU long before the wire.
//!
//! # Evidence
//! Features of the interface (`ethtool -k`): tcp-segmentation-offload, generic-segmentation-offload,
//! generic-receive-offload, rx- and tx-checksumming.
//!
//! # Remedy
//! `ethtool -K X tso on gso on gro on rx on tx on`, unless the driver's documentation says otherwise.
//!
//! # Source
//! Linux Documentation/networking/segmentation-offloads.rst, checksum-offloads.rst.

use super::{each, ends, load};
use crate::advice::set_ethtool;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::Nic;

pub(super) const RULE: Rule = Rule {
    code: "nic-offload-off",
    title: "an offload is switched off",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("nic_offload_off.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    each::nic(
        run,
        |side, nic| each::in_use(side, nic) && nic.master.is_none(),
        |side, nic| judge(run, side, nic),
    )
}

const OFFLOADS: [(&str, &str); 5] = [
    ("tcp-segmentation-offload", "tso"),
    ("generic-segmentation-offload", "gso"),
    ("generic-receive-offload", "gro"),
    ("rx-checksumming", "rx"),
    ("tx-checksumming", "tx"),
];

fn judge(run: &Run, side: &ends::Side, nic: &Nic) -> Outcome {
    let at = side.name(&nic.name);
    if nic.features.is_empty() {
        return Outcome::Unknown(format!("the features of {at} could not be read"));
    }
    let off: Vec<&(&str, &str)> =
        OFFLOADS.iter().filter(|(long, _)| nic.features.get(*long) == Some(&false)).collect();
    if off.is_empty() {
        return Outcome::Passes;
    }
    let paths = side.paths_over(run, &nic.name);
    let felt = run.net.iter().any(|result| paths.contains(&result.target) && load::cpu_bound(run, result));
    let names: Vec<&str> = off.iter().map(|(long, _)| *long).collect();
    let arguments =
        |value: &str| off.iter().map(|(_, short)| format!("{short} {value}")).collect::<Vec<_>>().join(" ");
    let finding = RULE
        .finding(
            &at,
            format!("{} off on {at}{}", names.join(", "), if felt { ", and one CPU is used up" } else { "" }),
        )
        .severity(if felt { Severity::Warning } else { Severity::Info })
        .evidence(
            names.iter().map(|name| format!("{name}: off")).collect::<Vec<_>>().join(", "),
            side.source(&format!("ethtool -k {}", nic.name)),
        )
        .advice(set_ethtool(
            side.host,
            &nic.name,
            ["-K", &arguments("on"), &arguments("off")],
            "The CPU handles every frame by itself; one stream ends at one CPU.",
            "less CPU for each GB, and more throughput where one CPU was the limit",
        ));
    if felt {
        each::limits_over(finding, run, side, &nic.name, Cause::Setting).into()
    } else {
        finding.into()
    }
}
