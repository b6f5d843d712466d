rule! {
    /// # What it checks
    /// Passes when no local file system is used to more than 90 %, and none that could be filled up by a few hours'
    /// logs to more than 98 %. One that contains only data files of Oracle is as full as its files were created: a
    /// note, and from 98 % a warning.
    /// # Why it matters
    /// A database that cannot extend a file or write an archived log stops; and a nearly full file system
    /// fragments what it still takes.
    /// # Evidence
    /// statfs of each mount: used / (used + available), as `df` prints it.
    /// # Remedy
    /// Remove or move what is not needed, but files of a database only by the database's own means: RMAN for archived
    /// logs, `PURGE BINARY LOGS`, the archiver or the replication slot that keeps WAL. Or make room by the word of what is
    /// below: `lvextend -r` for a logical volume, the server's export, the ZFS quota or pool, the LUN of a multipath map.
    /// # Source
    /// Oracle Database Administrator's Guide, "Creating Datafiles and Adding Datafiles to a Tablespace" (SIZE is
    /// allocated at once); Oracle Backup and Recovery User's Guide, "Deleting Archived Redo Log Files"; PostgreSQL
    /// documentation, "WAL Configuration" (what keeps segments); MySQL Reference Manual, "PURGE BINARY LOGS"; Netdata
    /// health.d/disks.conf (90 and 98 %); node-mixin `NodeFilesystemAlmostOutOfSpace`;
    /// df(1).
    code: "file-system-full",
    title: "a file system is nearly full",
    layer: Storage, severity: Critical, on: [Mount],

    /// Of the space (own choice).
    const NEARLY: f64 = 0.90;
    /// Of the space: the next extension may fail.
    const FULL: f64 = 0.98;
    /// Free space that is enough whatever its share: 10 % of a 100 TB volume is no emergency.
    const PLENTY_BYTES: u64 = 500 << 30;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let real = |mount: &&Mount| {
        !matches!(
            mount.fs_type.as_str(),
            "tmpfs"
                | "devtmpfs"
                | "squashfs"
                | "iso9660"
                | "overlay"
                | "efivarfs"
                | "ramfs"
                | "udf"
                | "rootfs"
                | "hostfs"
                | "proc"
                | "nsfs"
                | "sysfs"
                | "cgroup2"
                | "cgroup"
                | "devpts"
                | "mqueue"
                | "debugfs"
                | "tracefs"
                | "configfs"
                | "securityfs"
                | "selinuxfs"
                | "pstore"
                | "bpf"
                | "autofs"
                | "hugetlbfs"
                | "fusectl"
                | "binfmt_misc"
                | "rpc_pipefs"
                | "nfsd"
                | "fuse"
        ) && mount.option("ro").is_none()
    };
    facts::file_systems(&run.host).filter(real).map(|mount| judge(run, mount)).collect()
}

fn judge(run: &Run, mount: &Mount) -> Outcome {
    let Some(space) = mount.space.as_ref().filter(|space| space.total_bytes > 0) else {
        return facts::unread(&format!("the free space of {}", mount.target));
    };
    let used = space.used();
    if used < NEARLY || space.available_bytes >= PLENTY_BYTES {
        return Outcome::Passes;
    }
    let is_data = facts::holds_data(run, mount);
    let severity = match (used >= FULL, is_data) {
        (true, _) if is_preallocated(run, mount) => Severity::Warning,
        (false, _) if is_preallocated(run, mount) => Severity::Info,
        (true, _) => Severity::Critical,
        (false, true) => Severity::Warning,
        // Three kernels and their images fill it, and nothing else is written there.
        (false, false) if mount.target == "/boot" => Severity::Info,
        (false, false) if facts::is_database_host(run) => Severity::Warning,
        (false, false) => Severity::Info,
    };
    fires(run, mount, space, used, severity)
}

/// What is on it as far as it is known: the kinds of places that databases have there, with the kind of the database.
fn contents<'a>(run: &'a Run, mount: &Mount) -> BTreeSet<(&'a str, &'a str)> {
    let here = |location: &str| run.host.mount_of(location).is_some_and(|own| own.target == mount.target);
    let databases = run.host.databases.iter();
    let of_databases = databases.flat_map(|database| {
        database.locations.iter().map(|(location, kind)| (location, database.kind.as_str(), kind.as_str()))
    });
    of_databases.filter(|(location, ..)| here(location)).map(|(_, database, kind)| (database, kind)).collect()
}

/// How to make room. Files of a database go by its own means alone: a WAL segment or a binary log that is deleted by
/// hand leaves a server that does not start, or a standby that cannot follow.
fn make_room(run: &Run, mount: &Mount) -> Advice {
    let contents = contents(run, mount);
    let has = |databases: &[&str], kinds: &[&str]| {
        contents.iter().any(|(database, kind)| databases.contains(database) && kinds.contains(kind))
    };
    let name = mount.target.to_ascii_lowercase();
    let parts: Vec<&str> = name.split(['/', '_', '.']).collect();
    let named = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let archives = || parts.iter().any(|part| part.starts_with("arch") || ["fra", "recovery"].contains(part));
    let runs =
        |kinds: &[&str]| run.host.databases.iter().any(|database| kinds.contains(&database.kind.as_str()));
    let mysql = ["mysql", "mariadb"];
    let mut advice = because("");
    if has(&["postgresql"], &["wal"]) || named(&["pg_wal", "pg_xlog", "pgwal"]) {
        advice = advice
            .now("Delete nothing in pg_wal: without its segments the cluster does not start. See what keeps them: select * from pg_stat_archiver (archiving fails?), select slot_name, active, wal_status, restart_lsn from pg_replication_slots (a slot that nobody reads?), wal_keep_size, max_wal_size")
            .now("Repair archive_command, or drop the slot if its standby is gone for good: the next checkpoint removes what is no longer needed")
            .persist("max_wal_size well below the volume, max_slot_wal_keep_size for slots; an alarm on a failing archiver");
    }
    if has(&mysql, &["binlog"]) || (runs(&mysql) && named(&["binlog", "mysql-bin", "bin-log"])) {
        advice = advice
            .now("Delete no binary log by hand: the index would name files that are gone. Once every replica has read them: PURGE BINARY LOGS BEFORE NOW() - INTERVAL 1 DAY")
            .persist("binlog_expire_logs_seconds (MariaDB and before 8.0: expire_logs_days) so that the logs of that time fit");
    }
    if has(&["oracle"], &["archive"]) || (runs(&["oracle"]) && archives()) {
        advice = advice
            .now("Delete no archived log by hand: the control file would still list it. Back them up and delete by RMAN: backup archivelog all delete input; or, where they are backed up and applied on every standby: delete archivelog all backed up 1 times to device type disk (or sbt)")
            .persist("RMAN deletes archived logs after each backup; `configure archivelog deletion policy` keeps what a standby still needs");
    }
    if advice.steps.is_empty() && !contents.is_empty() {
        advice = advice
            .now("Delete or move no file of the database by hand: drop or shrink what is not needed in the database, or grow the volume");
    } else if advice.steps.is_empty() {
        return advice.persist("delete or move old logs by a timer; grow the volume before 90 %");
    }
    advice.persist("grow the volume before 90 %")
}

/// Oracle writes its data files to their full size when they are made; archived logs are what fills a file system.
fn is_preallocated(run: &Run, mount: &Mount) -> bool {
    let here = |location: &str| run.host.mount_of(location).is_some_and(|own| own.target == mount.target);
    let databases = &run.host.databases;
    let kinds = |oracle: bool| {
        let chosen = databases.iter().filter(move |database| database.kind.starts_with("oracle") == oracle);
        chosen.flat_map(|database| &database.locations).filter(|(location, _)| here(location))
    };
    let mut of_oracle = kinds(true).peekable();
    kinds(false).next().is_none()
        && of_oracle.peek().is_some()
        && of_oracle.all(|(_, kind)| kind != "archive")
}

/// kubelet mounts it for a pod (Kubernetes, "Expanding Persistent Volumes Claims": the driver of the volume grows both).
fn is_of_a_pod(mount: &Mount) -> bool {
    mount.target.starts_with("/var/lib/kubelet/")
}

/// How to make it larger, by what it is on; nothing where that is not known.
fn grow(host: &Host, mount: &Mount) -> Advice {
    let text = match mount.fs_type.as_str() {
        _ if is_of_a_pod(mount) => Some(
            "Raise the size where its PersistentVolumeClaim is defined (with CloudNativePG storage.size of the Cluster), if the storage class has allowVolumeExpansion: the cluster does not learn of a volume that is grown on the host".to_owned(),
        ),
        "nfs" | "nfs4" => Some(format!("Have the export {} made larger on its server", mount.source)),
        "zfs" => Some(format!(
            "`zfs list -o space {0}` and `zfs get quota,refquota {0}` show what limits it: raise the quota, or add disks to the pool",
            as_word(&mount.source)
        )),
        kind => grow_device(host, mount, kind),
    };
    text.map_or_else(|| because(""), |text| because("").now(text))
}

fn grow_device(host: &Host, mount: &Mount, kind: &str) -> Option<String> {
    let disk =
        host.disk_by_number(&mount.number).or_else(|| host.disk(mount.source.strip_prefix("/dev/")?))?;
    if host.logical_volumes.iter().any(|volume| volume.device == disk.name) {
        return Some(format!(
            "While mounted: `lvextend -r -L +SIZE {}`, with no more than `vgs` shows as free in its volume group; where that is too little, add a disk with `vgextend` first",
            as_word(&mount.source)
        ));
    }
    let map = host.multipath.iter().find(|map| map.device == disk.name)?;
    let file_system = match kind {
        "xfs" => format!("`xfs_growfs {}`", as_word(&mount.target)),
        "ext3" | "ext4" => format!("`resize2fs {}`", as_word(&mount.source)),
        _ => return None,
    };
    Some(format!(
        "Grow the LUN on the array, rescan each of its paths, then `multipathd resize map {}` and {file_system}",
        as_word(&map.name)
    ))
}

fn fires(run: &Run, mount: &Mount, space: &Space, used: f64, severity: Severity) -> Outcome {
    finding!(
        Kind::Mount.named(&mount.target),
        "{} is {:.1} % full: {} of free space is left of {}",
        mount.target,
        used * 100.0,
        facts::size(space.available_bytes),
        facts::size(space.total_bytes),
    )
    .severity(severity)
    .measured(used, NEARLY, Unit::Ratio)
    .evidence(
        format!(
            "total {} free {} available {} bytes",
            space.total_bytes, space.free_bytes, space.available_bytes
        ),
        format!("statfs {}", mount.target),
    )
    .because("Once it is full, the database cannot extend a file or archive a log and stops.")
    .look(sh!("du -xh --max-depth=2 {} | sort -h | tail", mount.target), "Shows what fills it")
    .and(make_room(run, mount))
    .and(grow(&run.host, mount))
    .expecting("less than 90 % used in `df -h`")
    .into()
}
