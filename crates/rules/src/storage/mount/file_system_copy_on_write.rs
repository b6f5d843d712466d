rule! {
    /// # What it checks
    /// Passes when measured or database directories are not on btrfs with data copy-on-write, ZFS or bcachefs. A note: it is how
    /// distributions come, or chosen for snapshots, and what it costs is measured.
    /// # Why it matters
    /// Each overwrite of a database block goes to a new place: files fragment, writes are amplified, and a
    /// benchmark of a fresh file says nothing about next year.
    /// # Evidence
    /// File-system type and options of the mount.
    /// # Remedy
    /// btrfs: a new directory with `chattr +C` (nodatacow) beside the database's own, into which its files are copied; ZFS:
    /// recordsize equal to the block size.
    /// # Source
    /// btrfs(5), nodatacow; `OpenZFS` workload tuning guide, Databases (recordsize).
    /// SUSE Linux Enterprise Server, Storage Administration Guide, Btrfs (`/var/lib/pgsql` and `/var/lib/mysql` without
    /// copy-on-write); `OpenZFS` documentation, Workload Tuning (database record size).
    code: "file-system-copy-on-write",
    title: "database files are on a copy-on-write file system",
    layer: Storage, severity: Info, on: [Mount],
}

fn check(run: &Facts) -> Vec<Outcome> {
    // Not every file system of an idle host: SLES has subvolumes for /srv and snapper's /.snapshots.
    let data = facts::known_data_mounts(run);
    let mounts = run.host.mounts.iter().filter(|mount| data.contains(mount.target.as_str()));
    mounts.map(|mount| judge(run, mount)).collect()
}

/// All directories of databases on it have the attribute that makes new files be written in place (`chattr +C`).
fn is_in_place(run: &Run, mount: &Mount) -> bool {
    let places = run.host.databases.iter().flat_map(|database| database.locations.keys());
    let mut here = places
        .filter(|place| run.host.mount_of(place).is_some_and(|own| own.target == mount.target))
        .peekable();
    here.peek().is_some() && here.all(|place| mount.in_place.contains(place))
}

/// Attribute and property are for what is written after them: files that exist are copied.
fn remedy(run: &Run, mount: &Mount) -> Advice {
    let advice = because(
        "Database files are overwritten in place, block by block: the pattern that fragments a copy-on-write file system most.",
    );
    match mount.fs_type.as_str() {
        "btrfs" => advice
            .now(without_copies(run, mount)).restarts("the database")
            .persist("The attribute is kept")
            .undo("Copy the files back into a directory without the attribute").restarts("the database"),
        "zfs" => advice
            .now("`zfs set recordsize=SIZE DATASET`, SIZE being the block size of the database (8k for PostgreSQL and Oracle, 16k for InnoDB), before the files are loaded: those that exist keep theirs")
            .persist("The property is kept with the dataset")
            .undo("`zfs inherit recordsize DATASET`, or the value of `zfs get recordsize DATASET` before: files that were written meanwhile keep theirs"),
        _ => advice
            .now("With the database stopped: move its files to XFS or ext4 (of a container: to a volume)").restarts("the database")
            .persist("The database's configuration names the new place")
            .undo("Move the files back").restarts("the database"),
    }
}

fn without_copies(run: &Run, mount: &Mount) -> String {
    let places = run.host.databases.iter().flat_map(|database| database.locations.keys());
    let is_here = |place: &&String| run.host.mount_of(place).is_some_and(|own| own.target == mount.target);
    // A subvolume of its own cannot be renamed: its files are moved aside within it.
    let place = places.filter(is_here).find(|place| **place != mount.target);
    match place {
        Some(place) => format!(
            "With the database stopped: `mkdir {0} && chattr +C {0} && cp -a --reflink=never {1}/. {0}/`, owner and mode as {1} has them, then rename both so that {0} takes the place of {1}",
            as_word(format!("{place}.new")),
            as_word(place)
        ),
        None => format!(
            "With the database stopped: make a new directory on {} with `chattr +C` while it is empty, copy the files of the database into it (`cp -a --reflink=never`), and have the database use it in place of the old one",
            as_word(&mount.target)
        ),
    }
}

fn judge(run: &Run, mount: &Mount) -> Outcome {
    if mount.fs_type.is_empty() {
        return facts::unread(&format!("the type of the file system at {}", mount.target));
    }
    let copies = match mount.fs_type.as_str() {
        "btrfs" => mount.option("nodatacow").is_none() && !is_in_place(run, mount),
        // A container's root: the first write to a file copies it whole.
        "zfs" | "bcachefs" | "overlay" => true,
        _ => false,
    };
    if !copies {
        return Outcome::Passes;
    }
    finding!(
        Kind::Mount.named(&mount.target),
        "{} is {} with copy-on-write: each overwrite of a database block is written to a new place",
        mount.target,
        mount.fs_type,
    )
    .evidence(format!("{} {}", mount.fs_type, mount.options.join(",")), "/proc/self/mountinfo")
    .advice(remedy(run, mount).expecting("random reads of an old table as fast as of a new one"))
    .into()
}

#[cfg(test)]
mod tests {
    use fullwire_model::Run;

    #[test]
    fn a_subvolume_without_a_database_is_not_judged() {
        let run: Run = serde_json::from_str(
            r#"{ "host": { "os": { "distribution": "sles" }, "mounts": [
                { "target": "/.snapshots", "fs_type": "btrfs", "options": ["rw"] },
                { "target": "/srv", "fs_type": "btrfs", "options": ["rw"] } ] } }"#,
        )
        .expect("a run");
        let assessment = crate::assess(&run);
        assert!(assessment.findings.iter().all(|finding| finding.code != super::RULE.code));
    }
}
