use fullwire_model::assessment::Phase;

rule! {
    /// # What it checks
    /// Passes when disks of one vendor and model on one driver have the same command timeout. Applies to three and more. A virtual
    /// disk of `VMware` has 180 s; where none of them has, it is a note.
    /// # Why it matters
    /// A datastore that fails over pauses for a minute or more. Virtual disks wait 180 s for it, as `VMware` Tools sets them; one
    /// that waits 30 s reports errors, and its file system becomes read-only.
    /// # Evidence
    /// `device/timeout` of each disk.
    /// # Remedy
    /// The timeout of the others, by the udev rule that set them.
    /// # Source
    /// Broadcom (`VMware`) KB 1009465, "Increasing the disk timeout values for a Linux virtual machine" (180 s, by the udev rule
    /// of `VMware` Tools); Linux `drivers/scsi/sd.h` (`SD_TIMEOUT`, 30 s).
    code: "device-timeout-differs",
    title: "a disk has a shorter command timeout than its kind should have",
    layer: Storage, severity: Warning, on: [Disk],

    /// So many with one value show what is meant.
    const SEVERAL: usize = 2;
    /// What the udev rule of `VMware` Tools sets.
    const TOOLS_S: u64 = 180;
}

/// Vendor, model and driver.
type Kind<'a> = (&'a str, &'a str, &'a str);

fn check(run: &Facts) -> Vec<Outcome> {
    let mut alike: BTreeMap<Kind, Vec<(&Disk, u64)>> = BTreeMap::new();
    for disk in facts::whole_disks(&run.host) {
        let Some(scsi) = disk.scsi.as_ref().filter(|_| !disk.model.is_empty()) else { continue };
        let kind = (disk.vendor.as_str(), disk.model.as_str(), scsi.host_driver.as_str());
        let Some(timeout_s) = scsi.timeout_s else {
            return vec![facts::unread(&format!("the timeout of {}", disk.name))];
        };
        alike.entry(kind).or_default().push((disk, timeout_s));
    }
    alike
        .into_iter()
        .filter_map(|((vendor, ..), disks)| judge(run, vendor.trim() == "VMware", &disks))
        .collect()
}

fn judge(run: &Run, of_vmware: bool, disks: &[(&Disk, u64)]) -> Option<Outcome> {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for (_, timeout_s) in disks {
        *counts.entry(*timeout_s).or_default() += 1;
    }
    // What most of them have; with no such value nothing is meant.
    let (&usual, &most) = counts.iter().max_by_key(|(_, count)| **count)?;
    let (usual, most) = if of_vmware {
        (TOOLS_S, counts.range(TOOLS_S..).map(|(_, count)| count).sum())
    } else {
        (usual, most)
    };
    let short: Vec<(&Disk, u64)> = disks.iter().filter(|(_, own)| *own < usual).copied().collect();
    match short.first() {
        None => Some(Outcome::Passes),
        Some(first) if of_vmware => Some(fires(run, *first, &short, usual, most)),
        Some(_) if disks.len() <= SEVERAL => None,
        Some(_) if most < SEVERAL || most <= short.len() => Some(Outcome::Passes),
        Some(first) => Some(fires(run, *first, &short, usual, most)),
    }
}

fn fires(run: &Run, first: (&Disk, u64), short: &[(&Disk, u64)], usual: u64, most: usize) -> Outcome {
    let (disk, own) = first;
    let data = facts::data_devices(run);
    let is_data = short.iter().any(|(disk, _)| data.contains(disk.name.as_str()));
    let names: Vec<&str> = short.iter().map(|(disk, _)| disk.name.as_str()).collect();
    let of_vmware = disk.vendor.trim() == "VMware";
    let severity = if of_vmware && is_data && most > 0 { Severity::Warning } else { Severity::Info };
    let others = match most {
        0 => "with the rule of VMware Tools".to_owned(),
        1 => "to another of its kind".to_owned(),
        most => format!("to {most} others of its kind"),
    };
    let of_others = match most {
        0 => String::new(),
        1 => format!(", {usual} of another"),
        most => format!(", {usual} of {most} others"),
    };
    let why = "When the storage pauses, this disk reports an error before the others do.";
    let mut advice = short.iter().fold(because(why), |advice, (disk, own)| {
        let (usual, own) = (usual.to_string(), own.to_string());
        advice.and(set_disk_attribute(why, disk, "device/timeout", &usual, Some(&own)))
    });
    if of_vmware {
        // One rule of udev for all of them.
        advice.steps.retain(|step| step.phase != Phase::Persist);
        advice = advice.persist("Install open-vm-tools, whose udev rule sets it for each virtual disk; where it is there, look in /etc/udev/rules.d for a rule that takes it back");
    }
    finding!(
        subject::Kind::Disk.named(&disk.name),
        "a command to {} times out after {own} s, {others} after {usual} s",
        facts::listed(&names),
    )
    .also(names[1..].iter().copied())
    .severity(severity)
    .measured(own as f64, usual as f64, Unit::S)
    .evidence(
        format!("timeout {own} of {}{of_others}", disk.name),
        format!("/sys/block/{}/device/timeout", disk.name),
    )
    .advice(advice.expecting(format!("{usual} in device/timeout of each, also after a reboot")))
    .into()
}
