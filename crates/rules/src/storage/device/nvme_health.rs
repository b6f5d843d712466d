rule! {
    /// # What it checks
    /// Passes when no NVMe drive reports a warning: spare blocks, temperature, reliability, read-only mode, the backup
    /// of its cache; its rated endurance is not used up.
    /// # Why it matters
    /// A drive that runs out of spare blocks becomes read-only without further notice; one that is too hot slows itself
    /// down; one whose cache is no longer backed up loses committed transactions with the power.
    /// # Evidence
    /// The drive's SMART / health log: critical warning, available spare, percentage used, media errors.
    /// # Remedy
    /// Replace the drive, or cool it.
    /// # Source
    /// NVM Express Base Specification 2.0, "SMART / Health Information" (critical warning bits; percentage used may
    /// exceed 100).
    code: "nvme-health",
    title: "an NVMe drive reports a health warning",
    layer: Storage, severity: Critical, on: [Disk],
}

/// Bits of the critical warning, worst first, and what each says.
const WARNINGS: [(u8, Severity, &str); 5] = [
    (8, Severity::Critical, "has become read-only"),
    (4, Severity::Critical, "is no longer reliable"),
    (16, Severity::Critical, "can no longer save its write cache when the power fails"),
    (1, Severity::Critical, "has too few spare blocks left"),
    (2, Severity::Warning, "is too hot and slows itself down"),
];
const WORN_OUT_PERCENT: u8 = 100;

fn check(run: &Facts) -> Vec<Outcome> {
    let disks = facts::whole_disks(&run.host);
    let controllers = disks.filter_map(|disk| Some((disk, disk.nvme.as_ref()?.controllers.first()?)));
    // `lsblk` of a support bundle says `nvme` of a drive and of an array alike: there what was reported counts.
    let is_drive = |disk: &Disk, controller: &NvmeController| {
        disk.transport == "pcie"
            || (matches!(disk.transport.as_str(), "nvme" | "") && controller.health.is_some())
    };
    let drives = controllers.filter(|(disk, controller)| is_drive(disk, controller));
    drives.map(|(disk, controller)| judge(disk, controller)).collect()
}

fn judge(disk: &Disk, controller: &NvmeController) -> Outcome {
    let name = &controller.name;
    let Some(health) = &controller.health else { return facts::unread(&format!("the health log of {name}")) };
    let warned = WARNINGS.iter().find(|(bit, ..)| health.critical_warning & bit != 0);
    let (severity, what) = match warned {
        Some((_, severity, what)) => (*severity, (*what).to_owned()),
        None if health.percentage_used >= WORN_OUT_PERCENT => {
            (Severity::Warning, format!("has used {} % of its rated endurance", health.percentage_used))
        }
        None => return Outcome::Passes,
    };
    finding!(Kind::Disk.named(&disk.name), "the NVMe drive {} ({}) {what}", disk.name, disk.model)
        .severity(severity)
        .measured(f64::from(health.percentage_used), f64::from(WORN_OUT_PERCENT), Unit::Count)
        .evidence(text(health), format!("SMART / health log of {name}"))
        .because("The drive's warning comes before the I/O errors.")
        .look(sh!("nvme smart-log /dev/{} || smartctl -a /dev/{}", name, name), "Shows the whole log")
        .of_drive(OfDrive::Asked)
        .persist("Plan to replace the drive; when it is too hot, look at fans and air flow first")
        .of_drive(OfDrive::Replaced)
        .expecting("critical_warning 0")
        .into()
}

fn text(health: &NvmeHealth) -> String {
    format!(
        "critical warning {:#x}, spare {} % (threshold {} %), used {} %, media errors {}, minutes too hot {}",
        health.critical_warning,
        health.available_spare_percent,
        health.spare_threshold_percent,
        health.percentage_used,
        health.media_errors,
        health.warning_temperature_minutes
    )
}
