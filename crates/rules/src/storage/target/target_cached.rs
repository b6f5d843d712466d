rule! {
    /// # What it checks
    /// Passes when a loop device without direct I/O, an overlay, or a caveat of the measurement that voids it is not between
    /// the program and the disk.
    /// # Why it matters
    /// The page cache of the file system below answers reads and takes writes: the figures are the memory's.
    /// # Evidence
    /// The probe's caveats; `loop/dio` of the loop devices in the stack.
    /// # Remedy
    /// `losetup --direct-io=on`; a directory on the disk itself; `O_DIRECT`.
    /// # Source
    /// losetup(8), --direct-io; Linux Documentation/filesystems/overlayfs.rst. [M] 4 KiB reads at depth 32 over
    /// a buffered loop: 10,800 a second, with direct I/O 47,700; 1 MiB sequential: 3,028 against 980 MiB/s.
    code: "target-cached",
    title: "a cache may have answered instead of the device",
    layer: Storage, severity: Warning, on: [Disk, Target],
}

fn check(run: &Facts) -> Vec<Outcome> {
    // Of another tool's result its caveats tell, and nobody saw the stack below it.
    let own = |target: &&facts::Target<'_>| {
        target.result.imported_from.is_empty() || !target.result.caveats.is_empty()
    };
    facts::targets(run).iter().filter(own).map(judge).collect()
}

/// Separate rules report these.
fn told_elsewhere(kind: &str) -> bool {
    matches!(kind, "memory-file-system" | "foreign-load")
}

fn judge(target: &facts::Target<'_>) -> Outcome {
    let buffered = target
        .stack
        .iter()
        .find(|disk| disk.loop_device.as_ref().is_some_and(|device| device.direct_io == Some(false)));
    let void = target.result.caveats.iter().find(|caveat| caveat.void && !told_elsewhere(&caveat.kind));
    let unknown = target
        .stack
        .iter()
        .find(|disk| disk.loop_device.as_ref().is_some_and(|device| device.direct_io.is_none()));
    match (buffered, void, unknown) {
        (Some(disk), _, _) => through_memory(target, disk),
        (None, Some(caveat), _) => {
            finding!(Kind::Target.named(target.name()), "{}: {}", target.name(), caveat.text)
                .path(target.name())
                .evidence(caveat.kind.clone(), "probe")
                .advice(instead(&caveat.kind))
                .into()
        }
        (None, None, Some(disk)) => facts::unread(&format!("loop/dio of {}", disk.name)),
        (None, None, None) => Outcome::Passes,
    }
}

fn through_memory(target: &facts::Target<'_>, disk: &Disk) -> Outcome {
    let file = disk.loop_device.as_ref().map_or("", |device| device.backing_file.as_str());
    finding!(
        Kind::Disk.named(&disk.name),
        "{} is on {}, a loop device without direct I/O: the page cache of the file system below serves it",
        target.name(),
        disk.name,
    )
    .path(target.name())
    .evidence(format!("dio 0, backing file {file}"), format!("/sys/block/{}/loop", disk.name))
    .because(WHY)
    .now("`losetup --direct-io=on` of the loop device, or measure a directory on the disk itself")
    .persist("Set up loop devices with --direct-io=on")
    .undo("`losetup --direct-io=off` of the loop device")
    .expecting("device bytes over program bytes near 1")
    .into()
}

const WHY: &str = "A figure that a cache produced says nothing about the device.";

/// What to measure in place of a target that something else answers for.
fn instead(kind: &str) -> Advice {
    let what = if kind == "unwritten" {
        "Measure a volume that holds data, or a directory on it: fullwire writes the file that it reads there"
    } else {
        "Measure a directory on the disk itself"
    };
    because(WHY).now(what).expecting("device bytes over program bytes near 1")
}
