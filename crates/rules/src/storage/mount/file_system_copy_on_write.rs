use crate::prelude::*;

rule! {
    /// # What it checks
    /// Passes when measured or database directories are not on btrfs with data copy-on-write, ZFS or bcachefs.
    ///
    /// # Why it matters
    /// Each overwrite of a database block goes to a new place: files fragment, writes are amplified, and a
    /// benchmark of a fresh file says nothing about next year.
    ///
    /// # Evidence
    /// File-system type and options of the mount.
    ///
    /// # Remedy
    /// btrfs: an empty directory with `chattr +C` (nodatacow) for the data files; ZFS: recordsize equal to the
    /// block size.
    ///
    /// # Source
    /// btrfs(5), nodatacow; `OpenZFS` workload tuning guide, Databases (recordsize).
    /// SUSE Linux Enterprise Server, Storage Administration Guide, Btrfs (`/var/lib/pgsql` and `/var/lib/mysql` without
    /// copy-on-write); `OpenZFS` documentation, Workload Tuning (database record size).
    code: "file-system-copy-on-write",
    title: "database files are on a copy-on-write file system",
    layer: Storage, severity: Warning, on: [Mount],
}

fn check(run: &Facts) -> Vec<Outcome> {
    // Not every file system of an idle host: SLES has subvolumes for /srv and snapper's /.snapshots.
    let data = facts::known_data_mounts(run);
    run.host
        .mounts
        .iter()
        .filter(|mount| data.contains(mount.target.as_str()))
        .map(|mount| judge(run, mount))
        .collect()
}

/// All directories of databases on it have the attribute that makes new files be written in place (`chattr +C`).
fn is_in_place(run: &Run, mount: &Mount) -> bool {
    let places = run.host.databases.iter().flat_map(|database| database.locations.keys());
    let mut here = places
        .filter(|place| run.host.mount_of(place).is_some_and(|own| own.target == mount.target))
        .peekable();
    here.peek().is_some() && here.all(|place| mount.in_place.contains(place))
}

fn is_suse(run: &Run) -> bool {
    let distribution = run.host.os.distribution.as_str();
    distribution.starts_with("sles") || distribution.starts_with("opensuse")
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
    // Where no one named the directory, the root of a container is no news.
    let named = run.command.arguments.iter().any(|argument| argument.starts_with("--path"));
    // SLES makes the directories of its databases with `chattr +C`, which no mount option shows; ZFS is chosen for
    // snapshots, with its own record size.
    let per_file = mount.fs_type == "btrfs" && is_suse(run);
    let by_design = per_file || mount.fs_type == "zfs";
    let severity =
        if by_design || run.host.databases.is_empty() && !named { Severity::Info } else { Severity::Warning };
    RULE.finding(Kind::Mount.named(&mount.target), format!("{} is {} with copy-on-write: each overwrite of a database block is written to a new place", mount.target, mount.fs_type))
        .severity(severity)
        .evidence(format!("{} {}", mount.fs_type, mount.options.join(",")), "/proc/self/mountinfo")
        .advice(
            because("Database files are overwritten in place, block by block: the pattern that fragments a copy-on-write file system most.")
                .now(format!("btrfs: `mkdir {0}/db && chattr +C {0}/db`, then copy the files into it; ZFS: `zfs set recordsize=8k DATASET` before loading", as_word(&mount.target))).restarts("the database")
                .persist("the attribute and the property are kept; or use XFS or ext4 for database files")
                .undo("Copy the files back into a directory without the attribute").restarts("the database")
                .expecting("random reads of an old table as fast as of a new one"),
        )
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
