rule! {
    /// # What it checks
    /// Passes when mounts of one export of one server have the same version, transport, transfer sizes, hardness and
    /// attribute caching.
    /// # Why it matters
    /// They share one superblock and its caches: the first mount's options win without a word, and after a reboot
    /// another one may be first.
    /// # Evidence
    /// Options of all mounts of an export.
    /// # Remedy
    /// The same options on all of them, or `nosharecache` where they must differ.
    /// # Source
    /// nfs(5), sharecache / nosharecache.
    code: "nfs-mixed-options",
    title: "mounts of one NFS export have different options",
    layer: Storage, severity: Info, on: [Mount],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut exports: BTreeMap<&str, Vec<(&Mount, &NfsMount)>> = BTreeMap::new();
    for mount in &run.host.mounts {
        if let Some(nfs) = &mount.nfs {
            exports.entry(export(&mount.source)).or_default().push((mount, nfs));
        }
    }
    exports.iter().map(|(export, mounts)| judge(export, mounts)).collect()
}

/// A directory below an exported one is mounted from the same superblock.
fn export(source: &str) -> &str {
    source.trim_end_matches('/')
}

fn judge(export: &str, mounts: &[(&Mount, &NfsMount)]) -> Outcome {
    if mounts.iter().any(|(mount, _)| mount.options.is_empty()) {
        return facts::unread(&format!("the options of the mounts of {export}"));
    }
    let [first, others @ ..] = mounts else { return Outcome::Passes };
    let Some(other) = others.iter().find(|other| settings(other.1) != settings(first.1)) else {
        return Outcome::Passes;
    };
    let (one, two) = (&first.0.target, &other.0.target);
    finding!(
        Kind::Mount.named(one),
        "{one} and {two} are mounts of {export} with different options: {} against {}",
        settings(first.1),
        settings(other.1),
    )
    .evidence(format!("{one}: {}", first.0.options.join(",")), "/proc/self/mountstats")
    .evidence(format!("{two}: {}", other.0.options.join(",")), "/proc/self/mountstats")
    .because("Mounts of one export share caches and connection; the options of the first mount decide.")
    .now(format!(
        "Stop what uses them, `umount {one}` and `umount {two}`, and mount both with the same options",
        one = as_word(one),
        two = as_word(two)
    ))
    .unmounts("both file systems")
    .persist("/etc/fstab: the same options on both lines, or nosharecache on both")
    .expecting("equal options in /proc/mounts")
    .into()
}

fn settings(nfs: &NfsMount) -> String {
    let hard = if nfs.hard == Some(false) { "soft" } else { "hard" };
    let cache = if nfs.no_attribute_cache { ",noac" } else { "" };
    let size = |bytes: Option<u64>| bytes.map_or_else(|| "?".to_owned(), |bytes| bytes.to_string());
    format!(
        "vers={},proto={},rsize={},wsize={},{hard}{cache}",
        nfs.version,
        nfs.protocol,
        size(nfs.rsize_bytes),
        size(nfs.wsize_bytes)
    )
}
