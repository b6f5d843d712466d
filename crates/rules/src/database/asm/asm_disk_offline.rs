rule! {
    /// # What it checks
    /// Passes when all disks of a mounted disk group are online.
    /// # Why it matters
    /// The data of an offline disk has one mirror less. After `DISK_REPAIR_TIME` (3.6 hours by default) ASM drops the
    /// disk and copies all of its data again.
    /// # Evidence
    /// `MODE_STATUS` and `MOUNT_STATUS` of `V$ASM_DISK`, `OFFLINE_DISKS` of `V$ASM_DISKGROUP`.
    /// # Remedy
    /// Bring the device back, then `alter diskgroup NAME online all`.
    /// # Source
    /// Oracle Automatic Storage Management Administrator's Guide, "Oracle ASM Fast Mirror Resync" (`DISK_REPAIR_TIME`);
    /// Oracle Database Reference, `V$ASM_DISK` (`MODE_STATUS`, `MOUNT_STATUS`).
    code: "asm-disk-offline",
    title: "an ASM disk group has lost a disk",
    layer: Database, severity: Critical, on: [AsmGroup],
    check: |run| views::each_group(run, judge),
}

fn is_offline(disk: &AsmDisk) -> bool {
    matches!(disk.mode_status.as_str(), "OFFLINE" | "SYNCING") || disk.mount_status == "MISSING"
}

fn judge(views: &OracleViews, group: &AsmGroup) -> Outcome {
    let name = &group.name;
    let own = views.asm_disks.iter().flatten().filter(|disk| group.number == Some(disk.group));
    let offline: Vec<&AsmDisk> = own.filter(|disk| is_offline(disk)).collect();
    let count = (offline.len() as u64).max(group.offline_disks.unwrap_or(0));
    if count == 0 {
        return match (group.offline_disks, &views.asm_disks) {
            (None, None) => {
                unknown!("{} does not list the disks of +{name}", views.source())
            }
            _ => Outcome::Passes,
        };
    }
    // It is back and copies what it missed.
    let syncing = !offline.is_empty() && offline.iter().all(|disk| disk.mode_status == "SYNCING");
    let names: Vec<String> = offline.iter().map(|disk| views::disk_name(disk)).collect();
    let which = if names.is_empty() { String::new() } else { format!(": {}", facts::listed(&names)) };
    let what = if syncing { "catching up" } else { "offline" };
    finding!(Kind::AsmGroup.named(format!("+{name}")), "{} of disk group +{name} {what}{which}", facts::words::counted(count, "disk"))
        .severity(if syncing { Severity::Info } else { Severity::Critical })
        .measured(count as f64, 0.0, Unit::Count)
        .evidence(
            format!(
                "OFFLINE_DISKS {}{which}, redundancy {}",
                facts::words::known(group.offline_disks),
                group.redundancy
            ),
            views.source(),
        )
        .because("The data of that disk has one mirror less, and the next failure may lose it.")
        .now("select name, path, failgroup, mode_status, mount_status, repair_timer from v$asm_disk where mode_status <> 'ONLINE';")
        .now(format!("Bring the device back (paths, cabling, array), then: alter diskgroup {name} online all;"))
        .now(format!("If the repair takes longer than REPAIR_TIMER shows: alter diskgroup {name} set attribute 'disk_repair_time' = '8h'; then bring it online again, because the timer of a disk that is offline already stays"))
        .persist("Watch OFFLINE_DISKS of v$asm_diskgroup")
        .expecting("OFFLINE_DISKS 0 when the resynchronisation is done (v$asm_operation)")
        .into()
}
