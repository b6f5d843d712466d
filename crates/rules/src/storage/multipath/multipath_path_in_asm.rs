rule! {
    /// # What it checks
    /// Passes when ASM and databases without a file system use the multipath map, not one of its paths.
    /// # Why it matters
    /// A disk that was opened by the name of a path is lost with that path, although the map has others; and two names
    /// of one disk in a disk string make ASM refuse it or use both.
    /// # Evidence
    /// Devices that the instances have open, those that `ASMLib` (`/dev/oracleasm/disks`) or the
    /// filter driver (`/dev/oracleafd/disks`) has bound, and the paths of each map.
    /// # Remedy
    /// `asm_diskstring` that matches the maps alone (`/dev/mapper/asm*`); `ASMLib`: `ORACLEASM_SCANORDER="dm"` and
    /// `ORACLEASM_SCANEXCLUDE="sd"`; the filter driver: its disk string, by `asmcmd afd_dsset`.
    /// # Source
    /// Oracle Automatic Storage Management Administrator's Guide, "ASM and Multipathing" and "Configuring Oracle ASMLIB
    /// to Use Multipath Disks", "Administering Oracle ASM Filter Driver" (`afd_dsset`).
    code: "multipath-path-in-asm",
    title: "ASM uses a single path instead of the multipath disk",
    layer: Storage, severity: Critical, on: [Disk],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut used = facts::raw_devices(&run.host);
    let is_bound =
        |link: &String| ["oracleasm/", "oracleafd/"].iter().any(|library| link.starts_with(library));
    let of_library = run.host.disks.iter().filter(|disk| disk.links.iter().any(is_bound));
    used.extend(of_library.map(|disk| disk.parent().unwrap_or(&disk.name)));
    if run.host.multipath.is_empty() || used.is_empty() && !facts::uses_raw_devices(&run.host) {
        return Vec::new();
    }
    let paths = |map: &'_ MultipathMap| -> Option<(String, String)> {
        let mut paths = map.groups.iter().flat_map(|group| &group.paths);
        let path = paths.find(|path| used.contains(path.device.as_str()))?;
        Some((path.device.clone(), map.name.clone()))
    };
    let single: Vec<(String, String)> = run.host.multipath.iter().filter_map(paths).collect();
    match (single.is_empty(), facts::unresolved_device(&run.host)) {
        (false, _) => vec![fires(&single)],
        (true, Some(device)) => vec![facts::unread(&format!("which disk /dev/{device} is"))],
        (true, None) => vec![Outcome::Passes],
    }
}

fn fires(single: &[(String, String)]) -> Outcome {
    let (names, maps): (Vec<&str>, Vec<&str>) =
        single.iter().map(|(path, map)| (path.as_str(), map.as_str())).unzip();
    let message = match single {
        [(path, map)] => format!("a database uses /dev/{path}, a single path of multipath map {map}"),
        _ => format!(
            "a database uses single paths ({}) of the multipath maps {}",
            facts::listed(&names),
            facts::listed(&maps)
        ),
    };
    RULE.finding(Kind::Disk.named(names[0]), message)
        .also(names[1..].iter().copied())
        .evidence(
            format!("in use: {}; paths of: {}", facts::listed(&names), facts::listed(&maps)),
            "open files of the database, /dev/oracleasm/disks, /dev/oracleafd/disks, multipath maps",
        )
        .because("When this path fails the disk is gone, although the map still works.")
        .now(format!("Let asm_diskstring (or the disk string of ASMLib or of the filter driver) match /dev/mapper/{} and not the paths", maps[0]))
        .persist("ASMLib: ORACLEASM_SCANORDER=\"dm\" and ORACLEASM_SCANEXCLUDE=\"sd\" in /etc/sysconfig/oracleasm. Filter driver: `asmcmd afd_dsset` with the maps alone. Restart the instance, one node after the other")
        .restarts("the database")
        .undo("Set the former disk string and restart")
        .restarts("the database")
        .expecting("v$asm_disk.path shows the maps")
        .into()
}
