rule! {
    /// # What it checks
    /// Passes when the measured file is at least twice as large as a cache that may answer in place of the medium.
    /// # Why it matters
    /// Blocks in the memory of an array, a filer or a RAID controller are read at memory speed. A database's working
    /// set is larger than that cache.
    /// # Evidence
    /// Size of the file that was used; the caches between the host and the medium. Arrays, filers and controllers do
    /// not report how large their caches are: 64 GiB is assumed for an array or filer, 8 GiB for a controller.
    /// # Remedy
    /// Measure a file of twice the cache if there is room; otherwise regard reads as cache reads.
    /// # Source
    /// SNIA Solid State Storage Performance Test Specification (the active range must exceed the caches); Broadcom
    /// `MegaRAID` 9600 and Dell PERC 12 (8 GB of cache on the controller). The 64 GiB are the memory of one processor
    /// of a small array (Dell Unity XT 380).
    code: "working-set-small",
    title: "the measured file fits in a cache",
    layer: Storage, severity: Info, on: [Target],

    /// A cache that arrays and filers commonly have (vendors' data sheets: 32 to 1,024 GiB).
    const ARRAY_BYTES: u64 = 64 << 30;
    /// A cache that RAID controllers have at most (vendors' data sheets).
    const CONTROLLER_BYTES: u64 = 8 << 30;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let targets = facts::targets(run);
    let measured = targets.iter().filter(|target| !target.is_void() && target.result.working_set_bytes > 0);
    measured.map(judge).collect()
}

fn judge(target: &facts::Target<'_>) -> Outcome {
    let is_nfs = target.mount.is_some_and(|mount| mount.nfs.is_some());
    if target.stack.is_empty() && !is_nfs {
        return unknown!("the devices under {} are not known", target.name());
    }
    let cache = if is_nfs { Some((ARRAY_BYTES, "a filer")) } else { target.leaves().find_map(behind) };
    let size = target.result.working_set_bytes;
    let Some((cache, owner)) = cache.filter(|(bytes, _)| size < 2 * bytes) else { return Outcome::Passes };
    let name = target.name();
    finding!(
        Kind::Target.named(name),
        "{} was measured on {name}: the cache of {owner} may have answered", facts::size(size),
    )
    .measured(size as f64, 2.0 * cache as f64, Unit::Bytes)
    .path(name)
    .evidence(format!("working set: {}", facts::size(size)), "probe")
    .evidence(
        format!("{owner} may have {} of cache", facts::size(cache)),
        "typical size; the host cannot read it",
    )
    .because("Reads served by a cache say nothing about the media behind it.")
    .now(format!("In a quiet hour, because it loads the storage for ten minutes: `fullwire disk {} --size {}G --duration 10m --repeats 1`", as_word(name), (2 * cache) >> 30))
    .persist("the same size for each comparison")
    .expecting("a lower rate if a cache answered, the same rate if not")
    .into()
}

/// The cache that may be behind a disk, and whose it is.
fn behind(disk: &Disk) -> Option<(u64, &'static str)> {
    if facts::is_of_network(disk) {
        return Some((ARRAY_BYTES, "the array"));
    }
    facts::is_raid_volume(disk).then_some((CONTROLLER_BYTES, "the RAID controller"))
}
