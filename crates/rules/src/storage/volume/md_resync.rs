use crate::prelude::*;
use fullwire_model::host::{LogicalVolume, LvmRaid, MdArray};

rule! {
    /// # What it checks
    /// Passes when no md array and no RAID volume of LVM runs a resync, recovery or check.
    ///
    /// # Why it matters
    /// It reads (and writes) the members in competition with the database: what is measured meanwhile is too
    /// low.
    ///
    /// # Evidence
    /// `md/sync_action` and the share that is done; the status of LVM's `raid` targets.
    ///
    /// # Remedy
    /// Measure again when it has ended, or slow it down (`sync_speed_max`).
    ///
    /// # Source
    /// Linux Documentation/admin-guide/md.rst, `sync_action` and `sync_speed_max`; device-mapper/dm-raid.rst, sync action;
    /// lvmraid(7), `--maxrecoveryrate`.
    code: "md-resync",
    title: "an array or RAID volume is rebuilding or checking",
    layer: Storage, severity: Warning, on: [Disk], limits: [Rebuild],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let arrays = run.host.disks.iter().filter_map(|disk| Some(judge_array(run, disk, disk.md.as_ref()?)));
    // The kernel runs md below these, too.
    let volumes = run.host.logical_volumes.iter().filter_map(|volume| {
        let raid = volume.raid.as_ref().filter(|raid| !raid.sync_action.is_empty())?;
        Some(judge_volume(run, volume, raid))
    });
    arrays.chain(volumes).collect()
}

fn judge_array(run: &Run, disk: &Disk, md: &MdArray) -> Outcome {
    match md.sync_action.as_str() {
        // RAID 0 and linear arrays have nothing to rebuild.
        "" if matches!(md.level.as_str(), "raid0" | "linear") => Outcome::Passes,
        "" => facts::unread(&format!("sync_action of {}", disk.name)),
        action if !facts::is_syncing(action) => Outcome::Passes,
        action => {
            let name = &disk.name;
            let advice = why()
                .run(
                    sh!("echo 20000 > /sys/block/{}/md/sync_speed_max", name),
                    "Slows the resync down to 20 MB/s, until the database is quiet",
                )
                .needs("the longer time without redundancy is acceptable")
                .persist("dev.raid.speed_limit_max in /etc/sysctl.d for all arrays")
                .undo_run(
                    sh!("echo system > /sys/block/{}/md/sync_speed_max", name),
                    "Restores the host's limit",
                )
                .expecting("sync_action idle; then measure again");
            let finding = finding(&format!("array {name}"), name, action, md.sync_done)
                .evidence(format!("sync_action {action}"), format!("/sys/block/{name}/md/sync_action"))
                .advice(advice);
            limits(run, finding, name)
        }
    }
}

fn judge_volume(run: &Run, volume: &LogicalVolume, raid: &LvmRaid) -> Outcome {
    match raid.sync_action.as_str() {
        action if !facts::is_syncing(action) => Outcome::Passes,
        action => {
            let name = &volume.name;
            let advice = why()
                .run(
                    sh!("lvchange --maxrecoveryrate 20M {}", format!("/dev/mapper/{name}")),
                    "Slows the resync down, until the database is quiet",
                )
                .needs("the longer time without redundancy is acceptable")
                .undo_run(
                    sh!("lvchange --maxrecoveryrate 0 {}", format!("/dev/mapper/{name}")),
                    "Removes the limit again",
                )
                .expecting(format!(
                    "idle in `lvs -o raid_sync_action /dev/mapper/{name}`; then measure again",
                    name = as_word(name)
                ));
            let finding = finding(&format!("volume {name}"), name, action, raid.sync_done)
                .evidence(format!("sync action {action}"), "device-mapper status")
                .advice(advice);
            limits(run, finding, &volume.device)
        }
    }
}

fn why() -> Advice {
    because("The rebuild uses the same disks; the measurement shows what it leaves.")
}

fn finding(what: &str, subject: &str, action: &str, done: Option<f64>) -> Finding {
    let done = done.map_or(String::new(), |done| format!(", {} done", facts::percent(done)));
    RULE.finding(
        Kind::Disk.named(subject),
        format!("{what} runs a {action}{done}: it competes with the database's I/O"),
    )
}

/// Below what was measured it explains the figure; below a database's files it is a warning; elsewhere worth knowing.
fn limits(run: &Run, finding: Finding, device: &str) -> Outcome {
    if facts::data_devices(run).contains(device) {
        finding.explains(explain::targets_on(run, device, Mechanism::Rebuild)).into()
    } else {
        finding.severity(Severity::Info).into()
    }
}
