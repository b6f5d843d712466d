rule! {
    /// # What it checks
    /// Passes when no two SCSI disks carry the same world-wide name without a multipath map (or native NVMe multipath)
    /// above them. The multipath drivers of vendors (PowerPath, HDLM, Veritas DMP, RDAC) work without such a map:
    /// where one of their devices is there, it joins the paths.
    /// # Why it matters
    /// A program that uses one of these disks stops when its path fails, and writing through two of them destroys data.
    /// # Evidence
    /// World-wide name of each SCSI disk (`device/wwid`) and its holders.
    /// # Remedy
    /// Enable device-mapper multipath (`mpathconf --enable`, `multipathd`), and use `/dev/mapper/…` from then
    /// on.
    /// # Source
    /// Linux kernel, SCSI device attribute wwid (`drivers/scsi/scsi_sysfs.c`); multipath.conf(5), `find_multipaths`;
    /// NetApp ontap-apps-dbs, oracle-host-config-linux.adoc (multipathd). Dell PowerPath for Linux Installation and
    /// Administration Guide (`emcpower` devices on native `sd` paths); Hitachi Dynamic Link Manager Software User's Guide
    /// for Linux (`sddlm` devices); Veritas Storage Foundation Administrator's Guide (`VxDMP` devices).
    code: "multipath-not-configured",
    title: "one disk is visible over several paths without a multipath map",
    layer: Storage, severity: Critical, on: [Disk],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let mut by_wwid: BTreeMap<&str, Vec<&Disk>> = BTreeMap::new();
    let scsi: Vec<&Disk> = facts::whole_disks(host).filter(|disk| disk.scsi.is_some()).collect();
    for disk in &scsi {
        if is_identity(&disk.wwid) {
            by_wwid.entry(&disk.wwid).or_default().push(disk);
        }
    }
    if by_wwid.is_empty() && scsi.len() > 1 {
        let mut outcomes = by_places(host, &scsi);
        outcomes.push(facts::unread("the world-wide names of the SCSI disks"));
        return outcomes;
    }
    by_wwid.into_iter().map(|(wwid, disks)| judge(host, wwid, &disks)).collect()
}

/// Emulated disks often leave the identity empty or say the vendor's name alone.
fn is_identity(wwid: &str) -> bool {
    let digits = wwid.trim().trim_start_matches("naa.").trim_start_matches("eui.");
    digits.len() >= 8 && !digits.chars().all(|digit| digit == '0')
}

/// A multipath driver other than the kernel's joins paths here: its devices, or its virtual adapter, are there.
fn has_vendors_multipath(host: &Host) -> bool {
    let of_vendor = |disk: &Disk| {
        let name = disk.name.as_str();
        ["emcpower", "sddlm", "VxDMP", "VxVM", "vpath"].iter().any(|prefix| name.starts_with(prefix))
            || disk.scsi.as_ref().is_some_and(|scsi| scsi.host_driver.starts_with("mpp"))
            // UltraPath presents its devices as vendor "up", model "updisk".
            || disk.model.trim() == "updisk"
    };
    host.disks.iter().any(of_vendor)
}

/// Enclosures with two controllers show each disk twice, and ZFS keeps to the one that it imported.
fn is_for_zfs(host: &Host, disks: &[&Disk]) -> bool {
    disks.iter().all(|disk| disk.transport == "sas") && host.mounts.iter().any(|mount| mount.fs_type == "zfs")
}

fn is_mapped(host: &Host, disk: &Disk) -> bool {
    let mut paths = host.multipath.iter().flat_map(|map| &map.groups).flat_map(|group| &group.paths);
    disk.holders.iter().any(|holder| host.disk(holder).is_some_and(|above| above.kind == "multipath"))
        || paths.any(|path| path.device == disk.name)
}

/// Host, channel and target of an address, and the number of the LUN there.
fn place(address: &str) -> Option<(&str, &str)> {
    address.rsplit_once(':').filter(|(place, _)| !place.is_empty())
}

/// Where no names were read: disks of one LUN number and one size, at the very places over which a map reaches the
/// array, are paths to one disk of it. Those that nothing uses may be left out of multipath on purpose.
fn by_places(host: &Host, scsi: &[&Disk]) -> Vec<Outcome> {
    let of_map = |map: &MultipathMap| -> Option<BTreeSet<String>> {
        let paths = map.groups.iter().flat_map(|group| &group.paths);
        paths.map(|path| Some(place(&path.address)?.0.to_owned())).collect()
    };
    let maps = host.multipath.iter().filter(|map| !map.is_powerpath());
    let known: Vec<BTreeSet<String>> = maps.filter_map(of_map).filter(|places| places.len() > 1).collect();
    let mut alike: BTreeMap<(&str, u64), Vec<&Disk>> = BTreeMap::new();
    for disk in scsi.iter().filter(|disk| disk.size_bytes > 0 && !is_mapped(host, disk)) {
        let address = disk.scsi.as_ref().map(|scsi| scsi.address.as_str()).unwrap_or_default();
        if let Some((_, lun)) = place(address) {
            alike.entry((lun, disk.size_bytes)).or_default().push(disk);
        }
    }
    let used = facts::used_devices(host);
    let mut found = Vec::new();
    for ((lun, _), disks) in alike {
        let at = disks.iter().filter_map(|disk| Some(place(&disk.scsi.as_ref()?.address)?.0.to_owned()));
        let places: BTreeSet<String> = at.collect();
        let is_used = disks.iter().any(|disk| used.contains(disk.name.as_str()));
        if is_used && places.len() == disks.len() && known.contains(&places) && !has_vendors_multipath(host) {
            found.push(
                fires(&format!("LUN {lun} of the array of other maps"), &disks)
                    .severity(Severity::Warning)
                    .into(),
            );
        }
    }
    found
}

fn judge(host: &Host, wwid: &str, disks: &[&Disk]) -> Outcome {
    let mapped = |disk: &&Disk| is_mapped(host, disk);
    if disks.len() < 2 || disks.iter().any(mapped) || has_vendors_multipath(host) {
        return Outcome::Passes;
    }
    let severity = if is_for_zfs(host, disks) { Severity::Info } else { Severity::Critical };
    fires(wwid, disks).severity(severity).into()
}

fn fires(wwid: &str, disks: &[&Disk]) -> Finding {
    let names: Vec<&str> = disks.iter().map(|disk| disk.name.as_str()).collect();
    let count = names.len();
    finding!(
        Kind::Disk.named(names[0]),
        "{} are {count} paths to one disk ({wwid}), and no multipath map joins them: multipath is not configured", facts::listed(&names),
    )
    .measured(count as f64, 1.0, Unit::Count)
    .evidence(format!("{wwid}: {}", facts::listed(&names)), "identities and addresses of the SCSI disks")
    .because("A path that fails takes its users down although another one works; two users of one disk under two names destroy its data.")
    .now("Where other maps work: the disks are excluded in /etc/multipath.conf (blacklist, find_multipaths strict without an entry in /etc/multipath/wwids): take them out of the blacklist, or `multipath -a` one of them")
    .now("Red Hat and derivatives: `mpathconf --enable --with_multipathd y`; Debian: `apt install multipath-tools`; SUSE: `systemctl enable --now multipathd`").needs("no other multipath software (PowerPath, HDLM, VxDMP) claims the disks")
    .look("multipath -ll || true", "Shows the map with all its paths")
    .persist("use /dev/mapper/NAME (or the UUID) in fstab, LVM filter and database; rebuild the initramfs (dracut -f, update-initramfs -u)")
    .undo("`mpathconf --disable`, `systemctl disable --now multipathd`").unmounts("what uses the maps")
    .expecting(format!("one map with {count} paths in `multipath -ll`"))
}
