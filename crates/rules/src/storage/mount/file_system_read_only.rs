rule! {
    /// # What it checks
    /// Passes when no file system that a database or a measurement uses is read-only, and none at all that the kernel
    /// log reports as remounted after an error. A mount that is meant to be read-only does not count: without database files it
    /// counts only where the kernel log names its device.
    /// # Why it matters
    /// After a journal error ext4 remounts read-only and XFS shuts down: the database cannot write and stops.
    /// # Evidence
    /// Option `ro` of the mount, and the device's own read-only state; kernel log; a measurement that was not allowed to write.
    /// # Remedy
    /// Find the I/O error in the kernel log, repair the disk or path, run fsck or `xfs_repair`, mount again.
    /// # Source
    /// ext4(5), errors=remount-ro; node-mixin `NodeFilesystemReadOnly`; node-problem-detector kernel-monitor.json.
    code: "file-system-read-only",
    title: "a file system switched to read-only",
    layer: Storage, severity: Critical, on: [Mount],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let data = facts::known_data_mounts(run);
    let own =
        |mount: &&Mount| matches!(mount.fs_type.as_str(), "ext3" | "ext4" | "xfs" | "btrfs" | "nfs" | "nfs4");
    facts::file_systems(&run.host)
        .filter(own)
        .map(|mount| {
            let used = data.contains(mount.target.as_str()) || refused(run, mount);
            let is_data = used && !is_meant(run, mount);
            judge(mount, is_data, error_of(run, mount))
        })
        .collect()
}

/// A measurement was to write there, and the kernel answered that it may not (EROFS).
fn refused(run: &Run, mount: &Mount) -> bool {
    let here = |path: &str| run.host.mount_of(path).is_some_and(|of_path| of_path.target == mount.target);
    run.gaps.iter().any(|gap| gap.detail.contains("Read-only file system") && here(&gap.subject))
}

/// The line of the kernel log in which this file system, by its device, became read-only.
fn error_of<'a>(run: &'a Run, mount: &Mount) -> Option<&'a LogLine> {
    let device = run.host.disk_by_number(&mount.number).map(|disk| disk.name.as_str());
    let source = mount.source.strip_prefix("/dev/").filter(|name| !name.contains('/'));
    let tells = |line: &&LogLine| {
        let of_all = ["Remounting filesystem read-only", "Filesystem has been shut down", "forced shutdown"];
        of_all.iter().any(|text| line.text.contains(text))
            && facts::log::names_one_of(&line.text, device.into_iter().chain(source))
    };
    run.host.kernel_log.iter().find(tells)
}

/// The fstab asks for it.
fn is_meant(run: &Run, mount: &Mount) -> bool {
    let mut entries = run.host.fstab.iter().flatten();
    entries.any(|entry| entry.target == mount.target && entry.option("ro").is_some())
}

/// By type: each file system has its own way to look first, and some have none.
fn repair(mount: &Mount) -> String {
    let (point, device) = (&mount.target, &mount.source);
    match mount.fs_type.as_str() {
        "ext3" | "ext4" => {
            format!(
                "`umount {point}`, look with `e2fsck -n {device}`, repair with `e2fsck -f {device}`, `mount {point}`",
                device = as_word(device),
                point = as_word(point)
            )
        }
        "xfs" => format!(
            "`umount {point}`, then mount and unmount it once so that the log is replayed, look with `xfs_repair -n {device}`, \
             repair with `xfs_repair {device}`. Never -L: it discards the last commits",
            device = as_word(device),
            point = as_word(point)
        ),
        "btrfs" => {
            format!(
                "`btrfs device stats {point}`, then `btrfs scrub start {point}`; fsck does nothing here",
                point = as_word(point)
            )
        }
        _ => format!(
            "{point} comes from a server: look at the export and the file system there (`mount -o remount,rw {point}` when \
             it is writable again)",
            point = as_word(point)
        ),
    }
}

fn judge(mount: &Mount, is_data: bool, error: Option<&LogLine>) -> Outcome {
    if mount.options.is_empty() {
        return facts::unread(&format!("the options of {}", mount.target));
    }
    let read_only = mount.option("ro").is_some();
    let emergency = mount.option("emergency_ro").is_some() || mount.option("shutdown").is_some();
    if !(emergency || read_only && (is_data || error.is_some())) {
        return Outcome::Passes;
    }
    let because_of = error.map_or(String::new(), |line| format!(" after an error ({})", line.text));
    let mut finding =
        finding!(Kind::Mount.named(&mount.target), "{} is mounted read-only{because_of}", mount.target)
            .evidence(mount.options.join(","), "/proc/self/mountinfo");
    if let Some(line) = error {
        finding = finding.evidence(line.text.clone(), "kernel log");
    }
    finding
        .because("Nothing can be written there; the kernel does this to stop an error from spreading.")
        .look("dmesg -T | grep -iE 'I/O error|remounting|shutdown|journal' || true", "The first error is the cause")
        .now("Repair the disk or the path first, and stop the database: a check that writes to a failing device makes it worse. On a cluster, unmount it on every node")
        .unmounts(&mount.target)
        .now(repair(mount))
        .unmounts(&mount.target)
        .needs("an image or a snapshot of the device, and all paths to it active")
        .persist("Replace the disk or repair the path that failed")
        .of_drive(OfDrive::Replaced)
        .undo("A repair cannot be undone: the image or snapshot is the only way back")
        .expecting("rw in `findmnt`, and no new error in the kernel log")
        .into()
}
