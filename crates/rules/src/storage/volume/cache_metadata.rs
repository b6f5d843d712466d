rule! {
    /// # What it checks
    /// Passes when the metadata of each dm-cache (lvmcache) can be written, need no check and are used to less than 90 %.
    /// # Why it matters
    /// A cache whose metadata failed refuses to start at the next boot, or allows no I/O at all; with write-back it holds
    /// the only copy of what was written last.
    /// # Evidence
    /// Status of the device-mapper target `cache`: metadata blocks used, their mode, `needs_check`.
    /// # Remedy
    /// Take the cache off (`lvconvert --splitcache`) while it still writes back, check its device, set it up again.
    /// # Source
    /// Linux Documentation/admin-guide/device-mapper/cache.rst, "Status"; lvmcache(7).
    code: "cache-metadata",
    title: "the metadata of a dm-cache failed or are nearly full",
    layer: Storage, severity: Critical, on: [Volume],
    check: |run| facts::dm_targets(&run.host, "cache").map(|(name, target)| judge(name, target)).collect(),

    /// Of the metadata (own choice).
    const NEARLY: f64 = 0.90;
}

/// What the status says of the metadata: the share that is used and, where something is wrong, what; `None`: it is
/// empty, or of another form.
fn state(status: &str) -> Option<(f64, Option<(String, Severity)>)> {
    let words: Vec<&str> = status.split_whitespace().collect();
    if matches!(words.as_slice(), ["Fail" | "Error"]) {
        return Some((1.0, Some(("allows no I/O any more".to_owned(), Severity::Critical))));
    }
    let (used, total) = words.get(1)?.split_once('/')?;
    let (used, total): (u64, u64) = (used.parse().ok()?, total.parse().ok()?);
    let share = used as f64 / total.max(1) as f64;
    let flaw = if words.contains(&"needs_check") {
        let says = "has damaged metadata (needs_check): it will not start at the next boot";
        Some((says.to_owned(), Severity::Critical))
    } else if words.iter().rev().take(2).any(|word| *word == "ro") {
        Some(("cannot write its metadata (ro)".to_owned(), Severity::Critical))
    } else if share >= NEARLY {
        Some((format!("has used {} of its metadata", facts::percent(share)), Severity::Warning))
    } else {
        None
    };
    Some((share, flaw))
}

fn judge(name: &str, target: &DmTarget) -> Outcome {
    let Some((share, flaw)) = state(&target.status) else {
        return facts::unread(&format!("the status of the cache {name}"));
    };
    let Some((says, severity)) = flaw else { return Outcome::Passes };
    finding!(Kind::Volume.named(name), "the cache {name} {says}")
        .severity(severity)
        .measured(share, NEARLY, Unit::Ratio)
        .evidence(target.status.clone(), "device-mapper status")
        .because("The cache's metadata say which blocks are newer on the fast device than on the slow one.")
        .now("Back up what is on it. `lvs -a -o+cache_dirty_blocks,lv_health_status` shows what has not been written back")
        .now("`lvconvert --splitcache VG/LV` writes it back and takes the cache off").pauses("I/O to the volume")
        .persist("Check the device of the cache, then `lvconvert --type cache` with larger metadata (--poolmetadatasize)")
        .expecting("rw and no needs_check in `dmsetup status`")
        .into()
}
