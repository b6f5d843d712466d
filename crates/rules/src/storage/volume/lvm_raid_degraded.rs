rule! {
    /// # What it checks
    /// Passes when each mirrored or RAID volume of LVM has all its legs.
    /// # Why it matters
    /// It may be no slower for that; the next failure loses the data.
    /// # Evidence
    /// The health characters in the status of the device-mapper target.
    /// # Remedy
    /// `lvconvert --repair VG/LV` where the group has room, or a new disk and `vgextend` first; `vgreduce --removemissing`.
    /// # Source
    /// Linux Documentation/admin-guide/device-mapper/dm-raid.rst (health characters: `D` dead or failed); lvmraid(7),
    /// replacing devices. Seen in a lab: a leg's disk deleted under a mirror.
    code: "lvm-raid-degraded",
    title: "a mirrored or RAID volume of LVM has lost a disk",
    layer: Storage, severity: Critical, on: [Volume],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let volumes =
        run.host.logical_volumes.iter().filter(|volume| volume.layout == "raid" && volume.stripes <= 1);
    volumes
        .map(|volume| match &volume.raid {
            None => facts::unread(&format!("the status of {}", volume.name)),
            Some(raid) if raid.failed.is_empty() => Outcome::Passes,
            Some(raid) => fires(volume, raid),
        })
        .collect()
}

fn fires(volume: &LogicalVolume, raid: &LvmRaid) -> Outcome {
    let name = &volume.name;
    let failed: Vec<String> = raid.failed.iter().map(|leg| format!("leg {leg}")).collect();
    let left = u64::from(raid.legs).saturating_sub(raid.failed.len() as u64);
    finding!(
        Kind::Volume.named(name),
        "{} volume {name} is degraded: {} failed, it runs on {left} of {} legs",
        raid.level,
        facts::listed(&failed),
        raid.legs,
    )
    .measured(left as f64, f64::from(raid.legs), Unit::Count)
    .evidence(format!("{} of {} failed (counted from 0)", facts::listed(&failed), raid.legs), "device-mapper status")
    .because("The volume has used up its redundancy.")
    .look(sh!("lvs -a -o +devices,lv_health_status {}", volume.volume_group), "Shows which disk the leg was on")
    .now(format!("If the disk was away for a moment and has no errors: `lvchange --refresh /dev/mapper/{name}` brings its leg up to date", name = as_word(name)))
    .now(format!("If it is broken: `vgextend {0} /dev/NEW`, `lvconvert --repair /dev/mapper/{name} /dev/NEW`; then `vgreduce {0} /dev/BROKEN`, or `vgreduce --removemissing {0}` once the disk is gone", as_word(&volume.volume_group), name = as_word(name)))
    .persist("raid_fault_policy = \"allocate\" in lvm.conf, with a spare disk in the group: the failed disk is replaced automatically")
    .expecting("an empty health status in `lvs` once the copy is done")
    .into()
}
