rule! {
    /// # What it checks
    /// Passes when no mounted file system, no swap area, no volume and no array is directly on a disk that is a path of a
    /// multipath map, or on a partition of one.
    /// # Why it matters
    /// The mount bypasses the map: when this path fails, the file system fails although the map still works;
    /// access over both corrupts data.
    /// # Evidence
    /// Mounted devices, what is on the paths of every map (holders of sysfs, tables of device-mapper).
    /// # Remedy
    /// Mount the map (`/dev/mapper/…` or its UUID) instead, and rebuild the initramfs with multipath in it. For LVM
    /// `multipath_component_detection = 1`, or a filter without the paths.
    /// # Source
    /// multipath.conf(5), `find_multipaths`; Red Hat Enterprise Linux, Configuring device mapper multipathing
    /// (multipath devices in LVM and fstab); lvm.conf(5), `multipath_component_detection`.
    code: "multipath-path-mounted",
    title: "a file system is mounted on a single path of a multipath disk",
    layer: Storage, severity: Critical, on: [Mount, Volume],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    if host.multipath.is_empty() {
        return Vec::new();
    }
    if host.mounts.is_empty() {
        return vec![facts::unread("the list of mounts")];
    }
    host.multipath.iter().map(|map| judge(host, map)).collect()
}

fn judge(host: &Host, map: &MultipathMap) -> Outcome {
    let is_path = |disk: &Disk| {
        let whole = disk.parent().unwrap_or(&disk.name);
        map.groups.iter().any(|group| group.paths.iter().any(|path| path.device == whole))
    };
    let mounted = host.mounts.iter().find_map(|mount| {
        let disk = host.disk_by_number(&mount.number)?;
        is_path(disk).then_some((mount, disk))
    });
    let Some((mount, disk)) = mounted else {
        return held(host, map).map_or(Outcome::Passes, |(path, holder)| holds(host, map, path, holder));
    };
    finding!(Kind::Mount.named(&mount.target), "{} is mounted from {}, a single path of multipath map {}", mount.target, disk.name, map.name)
        .evidence(format!("{} on {}", mount.source, mount.target), "/proc/self/mountinfo")
        .because("The file system does not follow the map when this path fails.")
        .now(format!("Stop what uses {0}, `umount {0}`, then `mount /dev/mapper/{1} {0}`", as_word(&mount.target), as_word(&map.name))).unmounts(&mount.target)
        .persist(format!("In /etc/fstab: UUID= or /dev/mapper/{}; in LVM: a filter that leaves the paths out; then `dracut -f` or `update-initramfs -u`", map.name))
        .undo("Mount it as it was").unmounts(&mount.target)
        .expecting("`lsblk` shows the mount point below the map, not below the path")
        .into()
}

/// A path of the map, or a partition of one, with a device on it that is not the map.
fn held<'a>(host: &'a Host, map: &MultipathMap) -> Option<(&'a Disk, &'a Disk)> {
    // Devices of other multipath drivers are above their paths in their own way.
    if map.is_powerpath() {
        return None;
    }
    let paths = map.groups.iter().flat_map(|group| &group.paths);
    let parts = |path: &Disk| {
        let name = path.name.clone();
        host.disks.iter().filter(move |disk| disk.parent() == Some(name.as_str()))
    };
    let disks = paths.filter_map(|path| host.disk(&path.device));
    let mut own = disks.flat_map(|disk| std::iter::once(disk).chain(parts(disk)));
    own.find_map(|disk| {
        let on_it = disk.holders.iter().filter_map(|name| host.disk(name));
        let is_other = |holder: &&Disk| holder.name != map.device && holder.kind != "multipath";
        let bypasses = |holder: &&Disk| is_other(holder) && (holder.dm.is_some() || holder.md.is_some());
        Some((disk, on_it.filter(bypasses).find(|holder| reads_from(holder, disk))?))
    })
}

/// The table of the device names the disk; where the table was not read, that it is listed below it is enough.
fn reads_from(holder: &Disk, disk: &Disk) -> bool {
    let targets = holder.dm.as_ref().map_or(&[][..], |dm| &dm.targets);
    let names = |parameters: &str| parameters.split_whitespace().any(|word| word == disk.number);
    targets.is_empty() || targets.iter().any(|target| names(&target.parameters))
}

fn holds(host: &Host, map: &MultipathMap, path: &Disk, holder: &Disk) -> Outcome {
    let name = holder.dm.as_ref().map(|dm| dm.name.as_str()).filter(|name| !name.is_empty());
    let name = name.unwrap_or(&holder.name);
    let is_it = |disk: &Disk| {
        disk.name == holder.name || host.stack(&disk.name).iter().any(|one| one.name == holder.name)
    };
    let mount = host.mounts.iter().find(|mount| host.disk_by_number(&mount.number).is_some_and(is_it));
    let of = mount.map_or(String::new(), |mount| format!(" (mounted on {})", mount.target));
    let seen = holder
        .dm
        .iter()
        .flat_map(|dm| &dm.targets)
        .map(|target| format!("{} {}", target.kind, target.parameters));
    let seen: Vec<String> = seen.take(4).collect();
    finding!(
        Kind::Volume.named(name),
        "{name}{of} is on {}, a single path of multipath map {}", path.name, map.name,
    )
    .evidence(format!("{name} is on {} ({}) {}", path.name, path.number, seen.join("; ")), "device-mapper tables, holders of the path")
    .because("The volume does not follow the map when this path fails, and access over both corrupts data.")
    .now(format!("Stop what uses {name}, deactivate it (`vgchange -an VG`, `mdadm --stop`), and activate it again once it finds {} alone", map.name)).unmounts(name)
    .persist("In /etc/lvm/lvm.conf: multipath_component_detection = 1, and a filter (or the devices file, `lvmdevices`) that leaves the paths out; in /etc/mdadm.conf: DEVICE with the maps; then `dracut -f` or `update-initramfs -u`")
    .undo("Activate it as it was").unmounts(name)
    .expecting(format!("`lsblk` shows {name} below {}, not below {}; `pvs` warns of nothing", map.name, path.name))
    .into()
}
