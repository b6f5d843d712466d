//! # What it checks
//! Passes when ASM and databases without a file system use the multipath map, not one of its paths.
//!
//! # Why it matters
//! A disk that was opened by the name of a path is lost with that path, although the map has others; and two names
//! of one disk in a disk string make ASM refuse it or use both.
//!
//! # Evidence
//! Devices that the instances have open, and the paths of each map.
//!
//! # Remedy
//! `asm_diskstring` that matches the maps alone (`/dev/mapper/asm*`); `ASMLib`: `ORACLEASM_SCANORDER="dm"` and
//! `ORACLEASM_SCANEXCLUDE="sd"`.
//!
//! # Source
//! Oracle Automatic Storage Management Administrator's Guide, "ASM and Multipathing" and "Configuring Oracle ASMLIB
//! to Use Multipath Disks".

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Risk, Severity};
use fullwire_model::host::MultipathMap;

pub(super) const RULE: Rule = Rule {
    code: "multipath-path-in-asm",
    title: "ASM uses a single path instead of the multipath disk",
    layer: Layer::Storage,
    severity: Severity::Critical,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    let opened = facts::raw_devices(&run.host);
    if run.host.multipath.is_empty() || !facts::uses_raw_devices(&run.host) {
        return Vec::new();
    }
    if let Some(device) = facts::unresolved_device(&run.host) {
        return vec![facts::unread(&format!("which disk /dev/{device} is"))];
    }
    run.host.multipath.iter().map(|map| judge(map, &opened)).collect()
}

fn judge(map: &MultipathMap, opened: &std::collections::BTreeSet<&str>) -> Outcome {
    let paths = map.groups.iter().flat_map(|group| &group.paths);
    let Some(path) = paths.map(|path| path.device.as_str()).find(|path| opened.contains(path)) else {
        return Outcome::Passes;
    };
    RULE.finding(path, format!("a database uses /dev/{path}, a single path of multipath map {}", map.name))
        .evidence(format!("/dev/{path} is open, map {} has it among its paths", map.name), "open files of the database, multipath maps")
        .advice(
            because("When this path fails the disk is gone, although the map still works.")
                .now(format!("Let asm_diskstring (or the ASMLib scan order) match /dev/mapper/{} and not the paths", map.name))
                .persist("ASMLib: ORACLEASM_SCANORDER=\"dm\" and ORACLEASM_SCANEXCLUDE=\"sd\" in /etc/sysconfig/oracleasm. Restart the instance, one node after the other")
                .risk(Risk::Downtime)
                .undo("Set the former disk string and restart")
                .risk(Risk::Downtime)
                .expecting("v$asm_disk.path shows the maps"),
        )
        .into()
}
