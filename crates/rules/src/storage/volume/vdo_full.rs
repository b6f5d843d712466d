rule! {
    /// # What it checks
    /// Passes when each VDO volume works normally and less than 90 % of its physical blocks are used.
    /// # Why it matters
    /// VDO promises more than it has. A full one fails writes, even those that overwrite; in read-only mode it fails all.
    /// # Evidence
    /// Status of the device-mapper target `vdo`: operating mode, physical blocks used and in total.
    /// # Remedy
    /// Extend the pool, or discard what is deleted (`fstrim`).
    /// # Source
    /// Linux Documentation/admin-guide/device-mapper/vdo.rst, "Status" and "Run-time Usage"; lvmvdo(7); Red Hat Enterprise
    /// Linux, "Deduplicating and compressing storage" (volumes out of space).
    code: "vdo-full",
    title: "a VDO volume is nearly full or read-only",
    layer: Storage, severity: Critical, on: [Volume],
    check: |run| facts::dm_targets(&run.host, "vdo").map(|(name, target)| judge(name, target)).collect(),

    /// Of the physical blocks: time to extend it, as for thin pools.
    const NEARLY: f64 = 0.90;
    /// Writes are about to fail.
    const FULL: f64 = 0.98;
}

/// Operating mode and the share that is used: `/dev/sdb normal - online online 1305446 13107200`.
fn state(status: &str) -> Option<(&str, f64)> {
    let words: Vec<&str> = status.split_whitespace().collect();
    let [_, mode, _, _, _, used, total] = words.as_slice() else { return None };
    let (used, total): (u64, u64) = (used.parse().ok()?, total.parse().ok()?);
    Some((mode, used as f64 / total.max(1) as f64))
}

fn judge(name: &str, target: &DmTarget) -> Outcome {
    let Some((mode, used)) = state(&target.status) else {
        return facts::unread(&format!("the status of the VDO volume {name}"));
    };
    let (says, severity) = match mode {
        "read-only" => ("is in read-only mode: all writes fail".to_owned(), Severity::Critical),
        _ if used >= FULL => {
            (format!("is {} full: writes are about to fail", facts::percent(used)), Severity::Critical)
        }
        _ if used >= NEARLY => {
            (format!("is {} full: writes fail when it is full", facts::percent(used)), Severity::Warning)
        }
        _ => return Outcome::Passes,
    };
    finding!(Kind::Volume.named(name), "the VDO volume {name} {says}")
        .severity(severity)
        .measured(used, NEARLY, Unit::Ratio)
        .evidence(target.status.clone(), "device-mapper status")
        .because("How much fits depends on how well the data compress, so `df` does not show that it is full.")
        .now("`fstrim -v MOUNT` gives back what was deleted in a file system without the option discard")
        .now("`lvextend -L +100G VG/VDOPOOL` extends the pool; after read-only mode Red Hat's or the distribution's support has to look first")
        .persist("lvm.conf: vdo_pool_autoextend_threshold = 80, vdo_pool_autoextend_percent = 20; dmeventd must run")
        .expecting("less than 90 % in `lvs -o+data_percent`")
        .into()
}
