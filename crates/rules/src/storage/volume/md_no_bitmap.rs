rule! {
    /// # What it checks
    /// Applies to md arrays with redundancy, of 100 GB and more, below data. Passes when a bitmap, a journal or a log of
    /// parity tells what a crash left unfinished.
    /// # Why it matters
    /// Without one the whole array is read and written again after each crash, while the database recovers.
    /// # Evidence
    /// `md/consistency_policy`, on older kernels `md/bitmap/location`.
    /// # Remedy
    /// An internal bitmap with large chunks: small ones make writes slower.
    /// # Source
    /// md(4), "Bitmap write-intent logging"; mdadm(8) (a bitmap by default from 100 GB on); Linux
    /// Documentation/admin-guide/md.rst, `consistency_policy`.
    code: "md-no-bitmap",
    title: "an array is copied as a whole after each crash",
    layer: Storage, severity: Info, on: [Disk],

    /// From this size on mdadm makes a bitmap by itself.
    const LARGE_BYTES: u64 = 100 << 30;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let redundant =
        |md: &&MdArray| matches!(md.level.as_str(), "raid1" | "raid4" | "raid5" | "raid6" | "raid10");
    let arrays = facts::data_disks(run).filter(|disk| disk.size_bytes >= LARGE_BYTES);
    arrays.filter_map(|disk| Some(judge(disk, disk.md.as_ref().filter(redundant)?))).collect()
}

fn judge(disk: &Disk, md: &MdArray) -> Outcome {
    let name = &disk.name;
    match md.consistency_policy.as_str() {
        "" => return facts::unread(&format!("consistency_policy of {name}")),
        "resync" => {}
        _ => return Outcome::Passes,
    }
    finding!(
        Kind::Disk.named(name),
        "{name} ({}) has no bitmap: after a crash all {} are copied again", md.level, facts::size(disk.size_bytes),
    )
    .evidence("consistency_policy resync", format!("/sys/block/{name}/md"))
    .because("The copy competes with the recovery of the database and with everything after it.")
    .now(format!("`mdadm --grow --bitmap=internal --bitmap-chunk=128M /dev/{name}` adds a bitmap while the array is in use", name = as_word(name)))
    .persist("The members' superblocks keep it")
    .undo(format!("`mdadm --grow --bitmap=none /dev/{name}`", name = as_word(name)))
    .expecting("a line `bitmap:` in /proc/mdstat; prove with `fullwire prove` that writes are as fast as before")
    .into()
}
