rule! {
    /// # What it checks
    /// Applies to MySQL and MariaDB on ZFS; passes when records of the data's file system are below 128 KiB.
    /// # Why it matters
    /// InnoDB writes pages of 16 KiB. Of a record of 128 KiB each such write reads, sums and writes the whole.
    /// # Evidence
    /// The property `recordsize` as listed by `zfs get`.
    /// # Remedy
    /// `recordsize=16K`, and the data written again: existing files keep their records.
    /// # Source
    /// `OpenZFS` documentation, Workload Tuning, `InnoDB` (16K for data files).
    code: "zfs-record-size",
    title: "ZFS records are much larger than InnoDB's pages",
    layer: Storage, severity: Info, on: [Dataset],

    /// ZFS's default: eight pages of InnoDB.
    const LARGE_BYTES: u64 = 128 << 10;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let servers =
        run.host.databases.iter().filter(|database| ["mysql", "mariadb"].contains(&database.kind.as_str()));
    servers.filter_map(|database| Some(judge(dataset(&run.host, database)?))).collect()
}

/// The file system of the data directory.
fn dataset<'a>(host: &'a Host, database: &Database) -> Option<&'a ZfsDataset> {
    let (place, _) = database.locations.iter().find(|(_, kind)| *kind == "data")?;
    let mount = host.mount_of(place).filter(|mount| mount.fs_type == "zfs")?;
    host.zfs_dataset_of(mount)
}

fn judge(dataset: &ZfsDataset) -> Outcome {
    let Some(record) = dataset.record_bytes else {
        return facts::unread(&format!("recordsize of {}", dataset.name));
    };
    if record < LARGE_BYTES {
        return Outcome::Passes;
    }
    finding!(Kind::Dataset.named(&dataset.name), "{} has records of {}, InnoDB writes pages of 16 KiB", dataset.name, facts::size(record))
        .measured(record as f64, 16_384.0, Unit::Bytes)
        .evidence(format!("recordsize {record}"), &dataset.source)
        .because("A write of a part of a record reads and writes all of it.")
        .run(sh!("zfs set recordsize=16K {}", dataset.name), "Takes effect for files that are made from now on")
        .now("Write the data again: dump and load, or copy the files with the server down; logs do well with 128 KiB on a file system of their own")
        .undo_run(sh!("zfs set recordsize={} {}", record, dataset.name), "Sets it back")
        .expecting("fewer bytes written by the disks for the same pages")
        .into()
}
