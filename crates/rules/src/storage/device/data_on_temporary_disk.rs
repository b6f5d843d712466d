rule! {
    /// # What it checks
    /// Passes when no database keeps its files on a cloud host's temporary disk. On one that is sold for data it is a note, unless
    /// nothing shows a copy elsewhere: neither a standby of PostgreSQL's nor what manages one.
    /// # Why it matters
    /// Such a disk belongs to the machine below. It comes back empty when the host is stopped, resized or moved, and
    /// nothing but a standby or a backup then has the data.
    /// # Evidence
    /// The model or the links of the disks below a database's directories; the line of fstab that Azure's tools write.
    /// # Remedy
    /// Move the files to a persistent volume; keep temporary files and caches here.
    /// # Source
    /// Azure, "Introduction to Azure managed disks", temporary disk, and "Disk identification" of azure-vm-utils
    /// (`/dev/disk/azure/resource`, `/dev/disk/azure/local`); Amazon EC2 User Guide, "Instance store temporary block
    /// storage for EC2 instances"; Google Compute Engine, "About Local SSD disks" (data persistence).
    code: "data-on-temporary-disk",
    title: "a database's files are on a disk that comes back empty",
    layer: Storage, severity: Warning, on: [Disk],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    if host.os.cloud.is_none() {
        return Vec::new();
    }
    let mut told = BTreeSet::new();
    host.databases
        .iter()
        .flat_map(|database| database.locations.iter().map(move |place| (database, place)))
        .filter_map(|(database, (place, kind))| {
            let Some(below) = disks_below(host, place) else {
                return Some(facts::unread(&format!("which disk {place} is on")));
            };
            let Some((disk, what)) = below.into_iter().find_map(|disk| Some((disk, temporary(host, disk)?)))
            else {
                return Some(Outcome::Passes);
            };
            told.insert(&disk.name).then(|| fires(place, kind, disk, &what, is_alone(host, database)))
        })
        .collect()
}

/// Devices below a directory, none for a share; `None`: they are not known.
fn disks_below<'a>(host: &'a Host, place: &str) -> Option<Vec<&'a Disk>> {
    let mount = host.mount_of(place)?;
    if mount.nfs.is_some() {
        return Some(Vec::new());
    }
    Some(host.stack(&host.disk_by_number(&mount.number)?.name))
}

/// What a disk that loses its data is called; `None`: a persistent one, or not known.
fn temporary(host: &Host, disk: &Disk) -> Option<Temporary> {
    let linked = |start: &str| disk.links.iter().any(|link| link.starts_with(start));
    // What cloud-init writes where it formats the disk; a captured tree may have no link of udev.
    let by_cloud_init = host.os.cloud.as_deref() == Some("azure")
        && host.fstab.iter().flatten().any(|entry| {
            entry.source.contains("/azure_resource")
                && host.mounts.iter().any(|mount| mount.target == entry.target && mount.number == disk.number)
        });
    let of_azure =
        ["disk/azure/resource", "disk/cloud/azure_resource"].into_iter().any(linked) || by_cloud_init;
    if of_azure {
        return Some(Temporary { name: "Azure's temporary disk", offered_for_data: false });
    }
    let name = match disk.model.as_str() {
        "Amazon EC2 NVMe Instance Storage" => "an EC2 instance-store disk",
        "Microsoft NVMe Direct Disk" | "Microsoft NVMe Direct Disk v2" => "a local disk of an Azure host",
        // A persistent disk is `nvme_card-pd`.
        "nvme_card" | "EphemeralDisk" => "a local SSD of Google Cloud",
        _ => return None,
    };
    Some(Temporary { name, offered_for_data: true })
}

/// No other host has its data, as far as its processes and what manages them tell: a server that sends nothing to a standby and
/// is none.
fn is_alone(host: &Host, database: &Database) -> bool {
    let replicates = |title: &String| ["walsender", "walreceiver", "startup"].contains(&title.as_str());
    let titles = database.background.as_ref().filter(|_| database.kind == "postgresql");
    titles.is_some_and(|titles| !titles.iter().any(replicates))
        && host.management.availability.is_empty()
        && !facts::has_kubelet(host)
}

/// A kind of disk that comes back empty.
struct Temporary {
    name: &'static str,
    /// Sold for databases that keep copies elsewhere; the other is for swap and scratch files alone.
    offered_for_data: bool,
}

fn fires(place: &str, kind: &str, disk: &Disk, what: &Temporary, is_alone: bool) -> Outcome {
    let finding = finding!(
        Kind::Disk.named(&disk.name),
        "{place} is on {}, which comes back empty when the host is stopped or moved",
        what.name,
    );
    // A replicated database may be there on purpose, for its speed.
    let finding = match (what.offered_for_data, is_alone) {
        (true, false) => finding.severity(Severity::Info),
        (true, true) => finding.evidence("no walsender: no standby has its data", "ps"),
        (false, _) => finding,
    };
    finding
        .evidence(format!("{place} ({kind}) is on {}, {}", disk.name, what.name), format!("/sys/block/{}", disk.name))
        .because("Only a standby or a backup has the data once this disk is gone.")
        .now("Move the files to a persistent volume with the database stopped").restarts("the database")
        .persist("Keep only temporary files, caches and swap here; where the database is here for its speed, see that a standby in another zone has every commit")
        .undo("Keep the old files until the database runs on the new volume: it can be started on them again")
        .expecting("the database's directories are on a persistent volume")
        .into()
}
