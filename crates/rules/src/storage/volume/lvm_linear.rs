rule! {
    /// # What it checks
    /// Passes when data volumes over several physical volumes are striped.
    /// # Why it matters
    /// A linear volume uses its disks one after the other: one file, one disk.
    /// # Evidence
    /// The device-mapper table of the volume.
    /// # Remedy
    /// `lvcreate -i DISKS -I SIZE` for a new volume, and copy.
    /// # Source
    /// NetApp ontap-apps-dbs, lvm-striping.adoc; lvmraid(7), lvcreate(8) -i and -I.
    code: "lvm-linear",
    title: "a volume is concatenated, not striped",
    layer: Storage, severity: Info, on: [Volume],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let data = facts::data_devices(run);
    let wanted = |volume: &&LogicalVolume| {
        volume.physical_volumes.len() > 1 && (data.is_empty() || data.contains(volume.device.as_str()))
    };
    run.host.logical_volumes.iter().filter(wanted).map(judge).collect()
}

fn judge(volume: &LogicalVolume) -> Outcome {
    match volume.layout.as_str() {
        "" => facts::unread(&format!("the layout of {}", volume.name)),
        "linear" | "mixed" => {
            let count = volume.physical_volumes.len();
            let how = if volume.layout == "mixed" {
                "made of parts with different layouts"
            } else {
                "concatenated"
            };
            let then = if volume.layout == "mixed" {
                "not every file is on all of them"
            } else {
                "a file is on one of them, not on all"
            };
            finding!(
                Kind::Volume.named(&volume.name),
                "volume {} is {how} over {count} disks ({}): {then}",
                volume.name,
                facts::listed(&volume.physical_volumes),
            )
            .measured(1.0, count as f64, Unit::Count)
            .evidence(
                format!("layout {}, disks {}", volume.layout, facts::listed(&volume.physical_volumes)),
                "device-mapper table",
            )
            .because("What is appended to a volume adds space, not speed.")
            .now(format!(
                "`lvcreate -i {count} -I 256k -n NEW -L SIZE {}`, then copy the data over",
                group_of(volume),
                count = as_word(count)
            ))
            .restarts("the database")
            .persist("the layout is kept in the volume group")
            .expecting("the load spread evenly over the disks in `iostat -x`")
            .into()
        }
        _ => Outcome::Passes,
    }
}
