rule! {
    /// # What it checks
    /// Passes unless any I/O of the probe on a target failed with an error of the medium, the path or the server.
    /// # Why it matters
    /// The database meets the same error: a failed log write stops the instance, a failed read marks the block
    /// corrupt.
    /// # Evidence
    /// The probe's failed call and the kernel's error.
    /// # Remedy
    /// The kernel's log names the device and sector; the path, cable or disk behind it. Restore what cannot be
    /// read.
    /// # Source
    /// Linux `block/blk-core.c` (what each status becomes: `EIO`, `ENODATA` for the medium, `ENOLINK` for the
    /// transport); errno(3).
    code: "target-io-error",
    title: "reads or writes of the measurement failed",
    layer: Storage, severity: Critical, on: [Disk, Target], limits: [IoErrors],
    check: |run| run.disk.iter().map(judge).collect(),
}

fn judge(result: &DiskResult) -> Outcome {
    let Some(first) = result.io_errors.first() else {
        let tried = !result.steps.is_empty() || !result.small_files.is_empty() || result.bonnie.is_some();
        return if tried { Outcome::Passes } else { facts::unread(&format!("any I/O on {}", result.target)) };
    };
    let whole = result.device.is_empty();
    let subject = if whole { Kind::Target.named(&result.target) } else { Kind::Disk.named(&result.device) };
    let count = result.io_errors.len();
    finding!(subject, "I/O errors on {}: {first}", result.target)
        .measured(count as f64, 0.0, Unit::Count)
        .evidence(first.clone(), "probe")
        .explains([Explanation::of_path(&result.target, Mechanism::IoErrors).active(1.0)])
        .because("The device, the path to it or the server failed a valid request.")
        .look("dmesg -T | grep -iE 'I/O error|sense key|not responding' | tail", "Shows which device and which sector")
        .look("multipath -ll || true", "Shows the state of the paths")
        .look("cat /proc/mdstat", "Shows the state of RAID arrays")
        .now("`smartctl -x` of the disk that the log names")
        .of_drive(OfDrive::Asked)
        .persist("replace the disk, cable or transceiver; then check the file system and the database's files (rman validate, pg_amcheck)")
        .of_drive(OfDrive::Replaced)
        .expecting("the same probe without a failed call")
        .into()
}
