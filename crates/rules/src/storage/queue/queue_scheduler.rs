rule! {
    /// # What it checks
    /// Passes when devices that sort or share by themselves (flash, arrays behind multipath, virtual disks) use `none`
    /// or `mq-deadline`.
    /// # Why it matters
    /// bfq and cfq hold requests back and idle between processes: on fast devices they cost IOPS and CPU and
    /// delay commits.
    /// # Evidence
    /// `queue/scheduler` of each disk and multipath map. A map that passes requests on passes by the schedulers of its paths:
    /// theirs is a note.
    /// # Remedy
    /// `none` (NVMe, virtual, multipath) or `mq-deadline`.
    /// # Source
    /// NetApp ontap-apps-dbs, oracle-host-config-linux.adoc; SUSE saptune note 1984787; Linux
    /// Documentation/block/{bfq-iosched,deadline-iosched}.rst (bfq's own cost per I/O); block/blk-mq.c and blk-core.c
    /// (`blk_insert_cloned_request`: "bypass a potential scheduler on the bottom device").
    code: "queue-scheduler",
    title: "an I/O scheduler for single disks is used for an array, flash or virtual disk",
    layer: Storage, severity: Warning, on: [Disk],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let data = facts::data_devices(run);
    let mut wrong: Vec<(&Disk, &str)> = Vec::new();
    let mut read = 0;
    for disk in run.host.disks.iter().filter(|disk| matches!(disk.kind.as_str(), "disk" | "multipath")) {
        if let Some(scheduler) = disk.queue.as_ref().and_then(|queue| queue.scheduler.as_deref()) {
            read += 1;
            if matches!(scheduler, "bfq" | "cfq") && !is_single(disk) {
                wrong.push((disk, scheduler));
            }
        }
    }
    if read == 0 {
        return if run.host.disks.is_empty() { Vec::new() } else { vec![facts::unread("queue/scheduler")] };
    }
    if wrong.is_empty() {
        return vec![Outcome::Passes];
    }
    let is_known = !facts::known_data_mounts(run).is_empty() || facts::uses_raw_devices(&run.host);
    vec![fires(run, &wrong, &data, is_known || !run.disk.is_empty())]
}

/// A path whose map passes requests on, and not bios (`queue_mode bio`; Linux drivers/md/dm-mpath.c): its scheduler sees none.
fn is_passed_by(host: &Host, disk: &Disk) -> bool {
    let of_bios =
        |map: &MultipathMap| map.is_powerpath() || map.features.iter().any(|one| one == "queue_mode bio");
    host.multipath.iter().any(|map| !of_bios(map) && disk.holders.contains(&map.device))
}

/// Before a single disk that turns, sorting is what these schedulers are for; one of an unknown kind may be one. SATA says "ATA" as its vendor where
/// sysfs of an older kernel does not show the port (SAT-4, 10.1.2).
fn is_single(disk: &Disk) -> bool {
    turns(disk)
        && (matches!(disk.transport.as_str(), "" | "sata" | "sas" | "usb") || disk.vendor.trim() == "ATA")
}

fn turns(disk: &Disk) -> bool {
    disk.queue.as_ref().and_then(|queue| queue.rotational) == Some(true)
}

/// Each disk gets the nearest to nothing that its kernel offers: `none`, or `noop` where requests do not pass blk-mq.
fn advice(wrong: &[(&Disk, &str)]) -> Advice {
    const WHY: &str =
        "The device orders requests better than the host can; delaying them here only adds latency.";
    wrong.iter().fold(because(WHY), |advice, (disk, scheduler)| {
        let offered = disk.queue.as_ref().map_or(&[][..], |queue| &queue.schedulers);
        let offers = |name: &str| offered.iter().any(|one| one == name);
        // cfq exists only where requests do not pass blk-mq; there is no `none` for SCSI disks then.
        let legacy = *scheduler == "cfq" || offers("noop");
        let wanted = if legacy && !offers("none") { "noop" } else { "none" };
        advice.and(set_disk_attribute(WHY, disk, "queue/scheduler", wanted, Some(*scheduler)))
    })
}

/// Whose data is on a local volume of disks that turn is not known where no database was seen (`is_known`): a note there.
fn fires(run: &Run, wrong: &[(&Disk, &str)], data: &BTreeSet<&str>, is_known: bool) -> Outcome {
    let names: Vec<&str> = wrong.iter().map(|(disk, _)| disk.name.as_str()).collect();
    let (first, scheduler) = wrong[0];
    // Of what kind the disk is was not read: a path of a map is no single disk, and of others that is not known.
    let is_unknown = |disk: &Disk| {
        let is_map = |name: &String| run.host.disk(name).is_some_and(|above| above.kind == "multipath");
        let is_of_map = disk.kind == "multipath" || disk.holders.iter().any(is_map);
        run.disk.is_empty() && disk.transport.is_empty() && !is_of_map
    };
    let is_slow = |disk: &Disk| {
        !is_unknown(disk)
            && !is_passed_by(&run.host, disk)
            && data.contains(disk.name.as_str())
            && (is_known || !turns(disk) || disk.transport != "scsi")
    };
    let severity =
        if wrong.iter().any(|(disk, _)| is_slow(disk)) { Severity::Warning } else { Severity::Info };
    finding!(
        Kind::Disk.named(&first.name),
        "I/O scheduler {scheduler} on {}: none or mq-deadline suits arrays, flash and virtual disks",
        facts::listed(&names),
    )
    .also(names[1..].iter().copied())
    .severity(severity)
    .evidence(format!("{} {scheduler}", first.name), format!("/sys/block/{}/queue/scheduler", first.name))
    .advice(unless_tuned(
        &run.host,
        "elevator",
        advice(wrong).expecting("more I/Os per second at depth, lower p99 of commits during reads"),
    ))
    .into()
}
