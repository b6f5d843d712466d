//! # What it checks
//! No md array runs a resync, recovery or check.
//!
//! # Why it matters
//! It reads (and writes) the members in competition with the database: what is measured meanwhile is too
//! low.
//!
//! # Evidence
//! `md/sync_action` and the share that is done.
//!
//! # Remedy
//! Measure again when it has ended, or slow it down (`sync_speed_max`).
//!
//! # Source
//! Linux Documentation/admin-guide/md.rst, `sync_action` and `sync_speed_max`.

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::{Disk, MdArray};

pub(super) const RULE: Rule = Rule {
    code: "md-resync",
    title: "an md array is rebuilding or checking",
    layer: Layer::Storage,
    severity: Severity::Warning,
    text: include_str!("md_resync.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let data = facts::data_devices(run);
    run.host
        .disks
        .iter()
        .filter_map(|disk| Some(judge(disk, disk.md.as_ref()?, data.contains(disk.name.as_str()))))
        .collect()
}

fn judge(disk: &Disk, md: &MdArray, is_data: bool) -> Outcome {
    match md.sync_action.as_str() {
        // RAID 0 and linear arrays have nothing to rebuild.
        "" if matches!(md.level.as_str(), "raid0" | "linear") => Outcome::Passes,
        "" => facts::unread(&format!("sync_action of {}", disk.name)),
        "idle" | "frozen" => Outcome::Passes,
        action => fires(disk, action, md.sync_done, is_data),
    }
}

fn fires(disk: &Disk, action: &str, done: Option<f64>, is_data: bool) -> Outcome {
    let name = &disk.name;
    let done = done.map_or(String::new(), |done| format!(", {} done", facts::percent(done)));
    let finding = RULE
        .finding(name, format!("array {name} runs a {action}{done}: it competes with the database's I/O"))
        .evidence(format!("sync_action {action}{done}"), format!("/sys/block/{name}/md/sync_action"))
        .advice(
            because("The rebuild uses the same disks; the measurement is what it leaves.")
                .now(format!("echo 20000 > /sys/block/{name}/md/sync_speed_max    # KiB a second, until the database is quiet"))
                .persist("dev.raid.speed_limit_max in /etc/sysctl.d for all arrays")
                .undo(format!("echo system > /sys/block/{name}/md/sync_speed_max"))
                .expecting("sync_action idle; then measure again"),
        );
    if is_data { finding.limits(Cause::Saturation).into() } else { finding.severity(Severity::Info).into() }
}
