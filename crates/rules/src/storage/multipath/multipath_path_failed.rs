//! # What it checks
//! Passes when every path of every multipath map is active for device-mapper, ready for the checker and running for
//! the kernel.
//!
//! # Why it matters
//! Throughput may be as ever, but redundancy is gone or less, and where paths share the load their capacity
//! is missing.
//!
//! # Evidence
//! Path states of `dmsetup status` (A or F), the checker of multipathd, `/sys/block/sdX/device/state`.
//!
//! # Remedy
//! Follow the named path: HBA port, cable, switch zone, array port. `multipathd reinstate path sdX` after the
//! repair, if it does not return automatically.
//!
//! # Source
//! Linux Documentation/admin-guide/device-mapper/dm-service-time.rst (status A and F); multipath-tools
//! libmultipath/print.c (checker states); `node_exporter` dmmultipath collector (running and live are active).

use crate::advice::{AdviceExt, because, sh};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Advice, Layer, Severity};
use fullwire_model::host::{MultipathMap, Path};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "multipath-path-failed",
    title: "a path of a multipath disk has failed",
    layer: Layer::Storage,
    severity: Severity::Critical,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    run.host.multipath.iter().map(judge).collect()
}

fn judge(map: &MultipathMap) -> Outcome {
    let paths: Vec<&Path> = map.groups.iter().flat_map(|group| &group.paths).collect();
    let failed: Vec<&Path> = paths.iter().copied().filter(|path| path.has_failed()).collect();
    if !failed.is_empty() {
        fires(map, &failed, paths.len())
    } else if paths.is_empty() || paths.iter().all(|path| is_unread(path)) {
        facts::unread(&format!("the paths of {}", map.name))
    } else {
        Outcome::Passes
    }
}

fn is_unread(path: &Path) -> bool {
    path.dm_state.is_empty() && path.checker_state.is_empty() && path.device_state.is_empty()
}

fn fires(map: &MultipathMap, failed: &[&Path], total: usize) -> Outcome {
    let names: Vec<&str> = failed.iter().map(|path| path.device.as_str()).collect();
    let left = total - failed.len();
    let redundancy = if left <= 1 { "redundancy is gone" } else { "capacity and redundancy are missing" };
    let mut finding = RULE.finding(
        &map.name,
        format!(
            "path {} of multipath map {} has failed: {left} of {total} paths are left, {redundancy}",
            facts::listed(&names),
            map.name
        ),
    );
    for path in failed {
        finding = finding.evidence(
            format!(
                "{} {}: dm {}, checker {}, device {}",
                path.device,
                path.address,
                word(&path.dm_state),
                word(&path.checker_state),
                word(&path.device_state)
            ),
            if map.source.is_empty() { "device-mapper status".to_owned() } else { map.source.clone() },
        );
    }
    let first = names.first().copied().unwrap_or_default();
    if map.is_powerpath() {
        return finding.measured(left as f64, total as f64, Unit::Count).advice(of_powerpath(total)).into();
    }
    finding
        .measured(left as f64, total as f64, Unit::Count)
        .advice(
            because("With the next failure the database loses its disk.")
                .run("multipath -ll || true", "Shows group and port of the failed path")
                .run(sh!("cat /sys/block/{}/device/state", first), "Shows the state: if it is offline, write `running` to this file once the cause is repaired")
                .now(format!("`multipathd reinstate path {first}` once the path is repaired, if it does not return automatically"))
                .persist("repair the HBA port, cable, zone or array port of the failed path")
                .expecting(format!("{total} active paths in `multipath -ll`, and `fullwire check --only storage` without this finding")),
        )
        .into()
}

fn of_powerpath(total: usize) -> Advice {
    because("With the next failure the database loses its disk.")
        .run("powermt display dev=all", "Shows adapter and array port of the dead path")
        .run("powermt restore", "Tests all paths and reinstates those that work again")
        .persist("Repair the HBA port, cable, zone or array port of the dead path")
        .undo("Nothing to undo")
        .expecting(format!("{total} paths alive in `powermt display dev=all`"))
}

fn word(state: &str) -> &str {
    if state.is_empty() { "not read" } else { state }
}
