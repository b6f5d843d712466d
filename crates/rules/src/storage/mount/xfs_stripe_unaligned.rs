rule! {
    /// # What it checks
    /// Applies to XFS with a database's files on md or LVM stripes. Passes when the file system knows the stripe (`sunit`).
    /// # Why it matters
    /// With the stripe known, large extents and the log begin at its boundaries: a parity array writes whole stripes, without
    /// reading first.
    /// # Evidence
    /// Mount options `sunit` and `swidth` (shown only when set), the array's level and chunk below.
    /// # Remedy
    /// mkfs.xfs finds md and LVM stripes by itself; an existing file system can be told by the mount option.
    /// # Source
    /// xfs(5), `sunit` and `swidth`; mkfs.xfs(8), su and sw.
    code: "xfs-stripe-unaligned",
    title: "XFS does not know the stripe of its array",
    layer: Storage, severity: Info, on: [Mount],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mounts = facts::mounts_of_data(run).filter(|mount| mount.fs_type == "xfs");
    mounts.filter_map(|mount| judge(&run.host, mount)).collect()
}

/// Chunk and data members of the first striped layer below a device.
fn stripe(host: &Host, top: &Disk) -> Option<(String, Option<u64>, u64)> {
    host.stack(&top.name).into_iter().find_map(|disk| {
        if let Some(md) = &disk.md {
            let parity = match md.level.as_str() {
                "raid0" => 0,
                "raid4" | "raid5" => 1,
                "raid6" => 2,
                _ => return None,
            };
            return Some((
                format!("{} ({})", disk.name, md.level),
                md.chunk_bytes,
                md.raid_disks.saturating_sub(parity),
            ));
        }
        let volume = host.logical_volumes.iter().find(|volume| volume.device == disk.name)?;
        (volume.layout == "striped" && volume.stripes > 1)
            .then(|| (volume.name.clone(), volume.stripe_bytes, u64::from(volume.stripes)))
    })
}

fn judge(host: &Host, mount: &Mount) -> Option<Outcome> {
    let top = host.disk_by_number(&mount.number)?;
    let (name, chunk, members) = stripe(host, top)?;
    let target = &mount.target;
    let Some(chunk) = chunk else { return Some(facts::unread(&format!("the chunk of {name}"))) };
    if mount.option("sunit").is_some() {
        return Some(Outcome::Passes);
    }
    let (sunit, swidth) = (chunk / 512, (chunk / 512).saturating_mul(members));
    let found = finding!(
        Kind::Mount.named(target),
        "XFS on {target} does not know the stripe of {name}: {} on {members} disks", facts::size(chunk),
    )
        .evidence(format!("no sunit among the mount options; chunk {chunk} bytes, {members} data members"), "/proc/self/mountinfo, /sys/block")
        .because("Extents that begin at a stripe's boundary are written without reading first.")
        .now(format!("xfs_info {target}: sunit and swidth are 0"))
        .persist(format!("In a maintenance window: umount {target} && mount -o sunit={sunit},swidth={swidth} {target}; XFS keeps it. New files are aligned, existing ones stay as they are"))
        .unmounts(target)
        .needs("the file system's own log and allocation groups begin at boundaries that fit; XFS refuses the option otherwise")
        .undo("xfs(5): the alignment cannot be taken away again; it does no harm")
        .expecting("faster large writes on parity arrays");
    Some(found.into())
}
