rule! {
    /// # What it checks
    /// Passes when a multipath map has at least two paths, and as many as most of its siblings.
    /// # Why it matters
    /// One failed port or a switch update takes the database's disk away; load cannot be shared.
    /// # Evidence
    /// Number of paths in each map.
    /// # Remedy
    /// Zone or log in the second path, then `rescan-scsi-bus.sh` or `iscsiadm -m node --login`.
    /// # Source
    /// Red Hat Enterprise Linux, Configuring device mapper multipathing, "Overview of DM Multipath"
    /// (active/passive and active/active over several paths); NetApp ontap-apps-dbs,
    /// oracle-host-config-linux.adoc.
    code: "multipath-single-path",
    title: "a multipath disk has only one path",
    layer: Storage, severity: Warning, on: [MultipathMap],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let maps = &run.host.multipath;
    // Another array has other ports.
    let most = |of: &MultipathMap| {
        maps.iter().filter(|map| map.product == of.product).map(paths_of).max().unwrap_or(0)
    };
    maps.iter().map(|map| judge(&run.host, map, most(map))).collect()
}

fn paths_of(map: &MultipathMap) -> usize {
    map.groups.iter().map(|group| group.paths.len()).sum()
}

fn judge(host: &Host, map: &MultipathMap, most: usize) -> Outcome {
    match paths_of(map) {
        0 => facts::unread(&format!("the paths of {}", map.name)),
        1 if super::is_local(host, map) => local(map),
        // A guest's other paths are the hypervisor's.
        1 if facts::is_virtual(host) => fires(map, 1, most.max(2), "a single path", Severity::Info),
        1 => fires(map, 1, most.max(2), "a single path", Severity::Warning),
        count if count < most => fires(map, count, most, "fewer paths than its siblings", Severity::Info),
        _ => Outcome::Passes,
    }
}

/// Nothing is missing: the controller has one path to it.
fn local(map: &MultipathMap) -> Outcome {
    let path =
        map.groups.iter().flat_map(|group| &group.paths).next().map_or("", |path| path.device.as_str());
    finding!(Kind::MultipathMap.named(&map.name), "multipath map {} is over {path}, a disk of a local controller, which has one path", map.name)
        .severity(Severity::Info)
        .evidence(format!("{} over {path}", map.product), map.source.clone())
        .because("A local disk has no second path: multipathd adds a layer and takes nothing over.")
        .persist(format!(
            "In /etc/multipath.conf, section blacklist: wwid \"{}\"; rebuild the initramfs. It takes effect at the next boot",
            map.wwid
        ))
        .needs(format!(
            "nothing names /dev/mapper/{} or a partition of it, neither /etc/fstab nor the boot loader nor a database: what does is not found at the next boot, and the host does not start. By UUID all find it under either name",
            map.name
        ))
        .undo("Remove the line from the blacklist and rebuild the initramfs")
        .expecting(format!("no map {} in `multipath -ll`", map.name))
        .into()
}

fn fires(map: &MultipathMap, count: usize, wanted: usize, what: &str, severity: Severity) -> Outcome {
    let paths: Vec<&str> =
        map.groups.iter().flat_map(|group| group.paths.iter().map(|path| path.device.as_str())).collect();
    finding!(
        Kind::MultipathMap.named(&map.name),
        "multipath map {} has {what}: {count} instead of {}",
        map.name,
        wanted,
    )
    .severity(severity)
    .measured(count as f64, wanted as f64, Unit::Count)
    .evidence(format!("paths: {}", facts::listed(&paths)), map.source.clone())
    .because(
        "A single path gives no protection: the next fault in a port, cable or switch stops the database.",
    )
    .look("multipath -ll || true", "Shows the map")
    .look("ls /sys/class/fc_host /sys/class/iscsi_session || true", "Shows which ports could see the unit")
    .now("`rescan-scsi-bus.sh`, or `iscsiadm -m node -T TARGET -p PORTAL --login` for iSCSI")
    .persist("zone the second HBA port to the array's second controller")
    .expecting(format!("{wanted} paths in `multipath -ll {}`", as_word(&map.name)))
    .into()
}
