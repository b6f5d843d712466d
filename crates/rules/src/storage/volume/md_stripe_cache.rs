rule! {
    /// # What it checks
    /// Applies to md arrays with parity below data. Passes when the stripe cache has more than its 256 default entries.
    /// # Why it matters
    /// Only a stripe that is complete in the cache is written without reading first: with a small cache sequential writes
    /// are slowed down.
    /// # Evidence
    /// `md/stripe_cache_size`.
    /// # Remedy
    /// 4096 entries; each takes a page of every member.
    /// # Source
    /// Linux Documentation/admin-guide/md.rst (`stripe_cache_size`: 256 by default, 17 to 32768; memory is the page size
    /// times the members times the entries).
    code: "md-stripe-cache",
    title: "a parity array has a small stripe cache",
    layer: Storage, severity: Info, on: [Disk],

    /// The kernel's default.
    const DEFAULT: u64 = 256;
    /// A usual value: 16 MiB for each member (own choice).
    const ADVISED: u64 = 4096;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let parity = |md: &&MdArray| matches!(md.level.as_str(), "raid4" | "raid5" | "raid6");
    facts::data_disks(run).filter_map(|disk| Some(judge(disk, disk.md.as_ref().filter(parity)?))).collect()
}

fn judge(disk: &Disk, md: &MdArray) -> Outcome {
    let name = &disk.name;
    let Some(entries) = md.stripe_cache_entries else {
        return facts::unread(&format!("stripe_cache_size of {name}"));
    };
    if entries > DEFAULT {
        return Outcome::Passes;
    }
    let file = format!("/sys/block/{name}/md/stripe_cache_size");
    let memory = ADVISED.saturating_mul(md.raid_disks).saturating_mul(4096);
    finding!(Kind::Disk.named(name), "{name} ({}) has {entries} entries of stripe cache: large writes read first what they overwrite", md.level)
        .measured(entries as f64, ADVISED as f64, Unit::Count)
        .evidence(format!("stripe_cache_size {entries}"), &file)
        .because("A stripe that is complete in the cache is written without reading.")
        .run(sh!("echo {} > {}", ADVISED, file), format!("Takes {} of memory", facts::size(memory)))
        .persist(format!("a udev rule: SUBSYSTEM==\"block\", KERNEL==\"md*\", ENV{{MD_UUID}}==\"...\" (mdadm --detail --export /dev/{name}), ATTR{{md/stripe_cache_size}}=\"{ADVISED}\""))
        .undo_run(sh!("echo {} > {}", entries, file), "Sets the former value")
        .expecting("faster sequential writes; prove it with `fullwire prove`")
        .into()
}
