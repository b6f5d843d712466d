rule! {
    /// # What it checks
    /// Passes when all paths of a map have the same `max_sectors_kb`, `queue_depth` and scheduler.
    /// # Why it matters
    /// The map takes the smallest request size of its paths; a path with a shallow queue slows down the others
    /// under round robin.
    /// # Evidence
    /// Queue attributes of each path under `/sys/block`.
    /// # Remedy
    /// Set them by one udev rule for the unit's vendor and model, or by `max_sectors_kb` in multipath.conf.
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-block; multipath.conf(5), `max_sectors_kb`. Linux drivers/scsi/scsi.c
    /// (`scsi_track_queue_full`), `queue_ramp_up_period`: the depth of one path varies under load.
    code: "multipath-unequal-queues",
    title: "the paths of one disk have different queue settings",
    layer: Storage, severity: Warning, on: [MultipathMap],
    check: |run| run.host.multipath.iter().map(|map| judge(&run.host, map)).collect(),
}

fn judge(host: &Host, map: &MultipathMap) -> Outcome {
    let paths = map.groups.iter().flat_map(|group| &group.paths);
    let disks: Vec<&Disk> =
        paths.filter_map(|path| host.disk(&path.device)).filter(|disk| disk.queue.is_some()).collect();
    if disks.len() < 2 {
        return facts::unread(&format!("the queues of the paths of {}", map.name));
    }
    let differing = [
        (
            "queue/max_sectors_kb",
            differs(&disks, |disk| {
                disk.queue.as_ref()?.max_request_bytes.map(|bytes| (bytes >> 10).to_string())
            }),
        ),
        (
            "device/queue_depth",
            differs(&disks, |disk| disk.scsi.as_ref()?.queue_depth.map(|depth| depth.to_string())),
        ),
        ("queue/scheduler", differs(&disks, |disk| disk.queue.as_ref()?.scheduler.clone())),
    ];
    let first = differing.into_iter().find_map(|(attribute, values)| Some((attribute, values?)));
    match first {
        Some((attribute, values)) => fires(map, attribute, &values),
        None => Outcome::Passes,
    }
}

/// Each disk with its value, when not all are the same.
fn differs(disks: &[&Disk], read: impl Fn(&Disk) -> Option<String>) -> Option<Vec<(String, String)>> {
    let values: Vec<(String, String)> =
        disks.iter().filter_map(|disk| Some((disk.name.clone(), read(disk)?))).collect();
    let first = values.first()?.1.clone();
    values.iter().any(|(_, value)| *value != first).then_some(values)
}

fn fires(map: &MultipathMap, attribute: &str, values: &[(String, String)]) -> Outcome {
    let of_map =
        matched("ENV{ID_SERIAL}", &map.wwid).unwrap_or_else(|| "ENV{ID_SERIAL}==\"WWID\"".to_owned());
    let shown: Vec<String> = values.iter().map(|(disk, value)| format!("{disk} {value}")).collect();
    finding!(Kind::MultipathMap.named(&map.name), "the paths of {} differ in {attribute}: {}", map.name, facts::listed(&shown))
        // Adapters lower a path's depth when its port reports QUEUE FULL, and raise it again.
        .severity(if attribute == "device/queue_depth" { Severity::Info } else { Severity::Warning })
        .evidence(shown.join(", "), format!("/sys/block/*/{attribute}"))
        .because("The weakest path sets the pace of the map.")
        .now(format!("Write the same value into /sys/block/PATH/{attribute} of each path{}", if attribute == "queue/max_sectors_kb" { ": the larger one, never above what a path accepts, and never to the map" } else { "" }))
        .persist(format!("One udev rule for all paths: ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{{DEVTYPE}}==\"disk\", {of_map}, ATTR{{{attribute}}}=\"VALUE\""))
        .undo("Write the former values and remove the rule")
        .expecting("all paths show one value")
        .into()
}
