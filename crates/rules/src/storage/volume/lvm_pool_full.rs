//! # What it checks
//! Passes when data and metadata of each thin pool and the space of each snapshot are used to less than 90 %. Where their
//! fill is not known, the kernel log's word of a pool that ran low or out of space within the last day counts.
//!
//! # Why it matters
//! A full pool turns writes of every volume in it into errors; a full snapshot is lost.
//!
//! # Evidence
//! Status of the device-mapper target; kernel log, "reached low water mark", "out-of-data-space".
//!
//! # Remedy
//! `lvextend` the pool (`--poolmetadatasize` for metadata), and let dmeventd do it
//! (`thin_pool_autoextend_threshold`).
//!
//! # Source
//! Linux Documentation/admin-guide/device-mapper/thin-provisioning.rst (out of space behaviour);
//! drivers/md/dm-thin.c (`check_low_water_mark`, `notify_of_pool_mode_change`); Netdata
//! health.d (LVM thin 90 and 98 %); lvmthin(7).

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::{Disk, LogLine, LogicalVolume};
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
    let volumes = run.host.logical_volumes.iter();
    let mut outcomes: Vec<Outcome> = volumes
        .filter(|volume| matches!(volume.layout.as_str(), "thin" | "thin-pool" | "snapshot"))
        .map(judge)
        .collect();
    outcomes.extend(logged(run));
    outcomes
}

/// The newest of the worst lines of each pool. A pool whose fill is known now is judged by that.
fn logged(run: &Run) -> Vec<Outcome> {
    let known = |line: &LogLine| {
        let volumes = run.host.logical_volumes.iter().filter(|volume| volume.data_used.is_some());
        let own = pool_of(run, line).map(|disk| disk.name.as_str());
        volumes.into_iter().any(|volume| own.is_none_or(|own| volume.device == own))
    };
    let lines = run.host.kernel_log.iter().filter(|line| line.pattern == "pool-full" && !known(line));
    let recent: Vec<&LogLine> = lines.filter(|line| facts::log::is_recent(run, line)).collect();
    let is_out = |line: &LogLine| !line.text.contains("low water mark");
    let worst = recent.iter().find(|line| is_out(line)).or_else(|| recent.first());
    worst.map(|line| told(run, line, is_out(line))).into_iter().collect()
}

/// The device that the line names by its number: `device-mapper: thin: 253:5: ...`.
fn pool_of<'a>(run: &'a Run, line: &LogLine) -> Option<&'a Disk> {
    let number = line.text.split_once("thin: ")?.1.split(": ").next()?;
    run.host.disk_by_number(number)
}

fn told(run: &Run, line: &LogLine, is_out: bool) -> Outcome {
    let ago = facts::log::ago(run, line);
    let map = pool_of(run, line).and_then(|disk| disk.dm.as_ref());
    let name = map.map_or("thin pool", |map| map.name.as_str());
    let what = if is_out { "ran out of space" } else { "ran low on space" };
    RULE.finding(name, format!("a thin pool {what}{ago}: {}", line.text))
        .severity(if is_out { Severity::Critical } else { Severity::Warning })
        .evidence(facts::log::quoted(line), "kernel log")
        .advice(
            because("A thin pool promises more space than it has; when it runs out, all its volumes fail together.")
                .run("lvs -a -o+data_percent,metadata_percent", "Shows how full it is now")
                .now("`lvextend -L +10G VG/POOL`; for the metadata `lvextend --poolmetadatasize +1G VG/POOL`")
                .persist("/etc/lvm/lvm.conf: thin_pool_autoextend_threshold = 80, thin_pool_autoextend_percent = 20; dmeventd must run")
                .expecting("less than 90 % in `lvs -o+data_percent,metadata_percent`"),
        )
        .into()
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
