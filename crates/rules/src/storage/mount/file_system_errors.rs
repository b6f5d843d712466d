rule! {
    /// # What it checks
    /// Passes when no mounted file system counts errors that it found in itself, the kernel log has none, and XFS shut none
    /// down. An error that was logged before the file system was mounted again, or of one that is not mounted any more, is
    /// a note; so is a single read or write that failed more than a day ago.
    /// # Why it matters
    /// What is damaged grows as long as the file system is written to; a check that is put off until the next boot
    /// finds more, and a backup taken meanwhile may hold the damage.
    /// # Evidence
    /// ext4's `errors_count` in `/sys/fs/ext4`, kept in the superblock until `e2fsck` clears it; the kernel log for
    /// XFS, btrfs and the journal.
    /// # Remedy
    /// Look for the first error in the kernel log, repair the disk below if it reported errors too, check the file system
    /// unmounted, and the database's blocks after it.
    /// # Source
    /// Linux fs/ext4/sysfs.c (`errors_count`) and fs/ext4/super.c, which logs the error count since the last fsck
    /// once a day; ext4(5), errors=continue; Linux `fs/xfs/xfs_fsops.c` (`xfs_do_force_shutdown`: the mount stays "rw") and
    /// `fs/xfs/xfs_log.c` ("Mounting V5 Filesystem"). Seen in a lab with `trigger_fs_error`.
    code: "file-system-errors",
    title: "a file system recorded errors",
    layer: Storage, severity: Critical, on: [Disk, Mount, KernelLog],

    /// Lines that are quoted.
    const QUOTED: usize = 6;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let data = facts::data_mounts(run);
    let counted = facts::file_systems(&run.host).filter_map(|mount| {
        let errors = mount.errors?;
        let severity =
            if data.contains(mount.target.as_str()) { Severity::Critical } else { Severity::Warning };
        Some(if errors == 0 { Outcome::Passes } else { counts(run, mount, errors, severity) })
    });
    let mut outcomes: Vec<Outcome> = counted.collect();
    // One failure writes a line for each layer that it passes: one finding for each file system.
    let mut told_of: Vec<(Option<&str>, Severity, Vec<&LogLine>)> = Vec::new();
    for line in told(run).filter(|line| !of_counted(run, line)) {
        let (device, severity) = (device_of(&line.text), severity(run, line));
        let same = |one: &&mut (Option<&str>, Severity, Vec<&LogLine>)| {
            device.is_some() && (one.0, one.1) == (device, severity)
        };
        match told_of.iter_mut().find(same) {
            Some((.., lines)) => lines.push(line),
            None => told_of.push((device, severity, vec![line])),
        }
    }
    outcomes.extend(told_of.iter().map(|(device, severity, lines)| logged(run, *device, *severity, lines)));
    outcomes.extend(shut_down(run));
    if outcomes.is_empty() {
        outcomes.push(match run.kernel_log_gap() {
            Some(_) => facts::unread("the kernel log"),
            None => Outcome::Passes,
        });
    }
    outcomes
}

/// Lines of the kernel log that are not the end of the file system: a shutdown, and a remount as read-only, which
/// `file-system-read-only` reports.
fn told(run: &Run) -> impl Iterator<Item = &LogLine> {
    let ended = |line: &&LogLine| line.text.contains("read-only") || is_shutdown(line);
    run.host.kernel_log.iter().filter(|line| line.pattern == "fs-error").filter(move |line| !ended(line))
}

/// XFS says several things as it shuts a file system down; each marks the end of it until it is mounted again.
fn is_shutdown(line: &LogLine) -> bool {
    let words = [
        "hutting down filesystem",
        "has been shut down",
        "xfs_do_force_shutdown",
        "Please unmount the filesystem",
        "log I/O error",
    ];
    line.pattern == "fs-error"
        && line.text.contains("XFS (")
        && words.iter().any(|word| line.text.contains(word))
}

/// `dm-2` of `XFS (dm-2): ...`, `sda1` of `EXT4-fs error (device sda1): ...`. The device that btrfs names is one of
/// several, not always the mounted one.
fn device_of(text: &str) -> Option<&str> {
    if let Some((_, journal)) =
        text.split_once("journal on device ").or_else(|| text.split_once("superblock for "))
    {
        return of_journal(journal);
    }
    // `dm-2: writeback error on inode ...`
    let plain = text.split_once(": writeback error on ").map(|(device, _)| device);
    if let Some(device) = plain.filter(|device| !device.contains(' ')) {
        return Some(device);
    }
    let (head, rest) = text.split_once('(')?;
    let known = head.contains("XFS") || head.contains("EXT4");
    let (device, _) = rest.split_once(')').filter(|_| known)?;
    Some(device.trim_start_matches("device "))
}

/// `dm-2` of `dm-2-8.`, the device and the inode of its journal.
fn of_journal(text: &str) -> Option<&str> {
    let name = text.split_whitespace().next()?.trim_end_matches('.');
    name.rsplit_once('-')
        .filter(|(_, inode)| inode.bytes().all(|byte| byte.is_ascii_digit()))
        .map(|one| one.0)
}

/// The file system that the line names, if it is mounted.
fn mount_of<'a>(run: &'a Run, device: &str) -> Option<&'a Mount> {
    let by_name = |mount: &Mount| {
        let name = mount.source.trim_start_matches("/dev/");
        facts::devices_of(&run.host, name).iter().any(|disk| disk.name == device)
    };
    let by_number =
        |mount: &Mount| run.host.disk_by_number(&mount.number).map(|disk| disk.name.as_str()) == Some(device);
    let is_own = |mount: &&Mount| {
        mount.source.trim_start_matches("/dev/") == device || by_number(mount) || by_name(mount)
    };
    run.host.mounts.iter().find(is_own)
}

/// The file system was mounted after the line was logged: the log keeps such a line after an error.
fn is_mounted_again(run: &Run, line: &LogLine) -> bool {
    let device = device_of(&line.text);
    let later = run.host.kernel_log.iter().skip_while(|other| *other != line);
    device.is_some()
        && later.filter(|other| other.pattern == "fs-mounted").any(|other| device_of(&other.text) == device)
}

/// The error is of a file system as it is no more: mounted again since, or a known disk's that is not mounted now.
fn is_past(run: &Run, line: &LogLine) -> bool {
    // A disk that is not there any more and was not lost today: what it held is mounted nowhere.
    let is_known = |device: &str| run.host.disks.iter().any(|disk| disk.name == device);
    let left = || !run.host.disks.is_empty() && !facts::log::is_recent(run, line);
    let gone = |device: &str| mount_of(run, device).is_none() && (is_known(device) || left());
    is_mounted_again(run, line) || device_of(&line.text).is_some_and(gone)
}

/// One finding for each file system that XFS shut down and that is mounted.
fn shut_down(run: &Run) -> Vec<Outcome> {
    let mut devices: Vec<(&str, Vec<&LogLine>)> = Vec::new();
    for line in run.host.kernel_log.iter().filter(|line| is_shutdown(line) && !is_past(run, line)) {
        let Some(device) = device_of(&line.text) else { continue };
        match devices.iter_mut().find(|(name, _)| *name == device) {
            Some((_, lines)) => lines.push(line),
            None => devices.push((device, vec![line])),
        }
    }
    devices.iter().map(|(device, lines)| is_down(run, device, lines)).collect()
}

fn is_down(run: &Run, device: &str, lines: &[&LogLine]) -> Outcome {
    let mount = mount_of(run, device);
    let subject = mount.map_or_else(|| Kind::Disk.named(device), |mount| Kind::Mount.named(&mount.target));
    let name = &subject.name;
    let source = mount.map_or_else(|| format!("/dev/{device}"), |mount| mount.source.clone());
    let ago = facts::log::ago(run, lines[0]);
    let mut finding = finding!(
        &subject,
        "XFS shut the file system {name} down{ago}; every access to it fails: {}",
        lines[0].text,
    );
    for line in lines {
        finding = finding.evidence(facts::log::quoted(line), "kernel log");
    }
    finding
        .because("Mount options still say rw after a shutdown; only the kernel log tells of it.")
        .look("dmesg -T | grep -iE 'XFS|I/O error|sense key' || true", "The first error is the cause")
        .now(format!(
            "Repair the disk or path first and stop the database; then `umount {name}` and mount it again, which replays \
             the log; unmount once more and look with `xfs_repair -n {source}`. Never -L: it discards the last commits", name = as_word(name), source = as_word(&source)
        ))
        .unmounts(name)
        .needs("a snapshot of the device where a repair is to write")
        .persist("Replace the disk or repair the path that failed")
        .of_drive(OfDrive::Replaced)
        .expecting("a later line \"Mounting V5 Filesystem\", and no further shutdown")
        .into()
}

/// The line concerns a file system whose error count shows the same.
fn of_counted(run: &Run, line: &LogLine) -> bool {
    let mut counted = run.host.mounts.iter().filter(|mount| mount.errors > Some(0));
    counted.any(|mount| is_of(run, mount, line))
}

/// ext4 writes `(device sda1)` or `(sda1)`.
fn is_of(run: &Run, mount: &Mount, line: &LogLine) -> bool {
    let disk = run.host.disk_by_number(&mount.number);
    let device = disk.map_or_else(|| mount.source.trim_start_matches("/dev/"), |disk| disk.name.as_str());
    line.text.contains(&format!("device {device})")) || line.text.contains(&format!("({device})"))
}

fn counts(run: &Run, mount: &Mount, errors: u64, severity: Severity) -> Outcome {
    let times = if errors == 1 { "an error".to_owned() } else { format!("{errors} errors") };
    let mut finding = finding!(
        Kind::Mount.named(&mount.target),
        "the file system {} found {times} since its last check",
        mount.target,
    )
    .severity(severity)
    .measured(errors as f64, 0.0, Unit::Count)
    .evidence(format!("errors_count {errors}"), "/sys/fs/ext4/DEVICE/errors_count");
    if let Some(line) = told(run).find(|line| is_of(run, mount, line)) {
        finding = finding.evidence(line.text.clone(), "kernel log");
    }
    finding
        .because("With errors=continue ext4 keeps running after an error; the damage remains.")
        .look("grep -s . /sys/fs/ext4/*/errors_count /sys/fs/ext4/*/first_error_* /sys/fs/ext4/*/last_error_* || true", "Shows when, and where in the kernel")
        .now(format!("Stop the database and `umount {0}`; check first: `e2fsck -n {1}`. Repair with `e2fsck -f {1}` only once the disk and its paths are sound", as_word(&mount.target), as_word(&mount.source))).unmounts(&mount.target).needs("a backup or a snapshot of the device: a repair writes")
        .persist_run(sh!("tune2fs -e remount-ro {}", mount.source), "At the next error the file system becomes read-only: the damage does not spread, and the database on it stops")
        .needs("a database that stops at the next error is better than one that goes on with damaged files")
        .undo_run(sh!("tune2fs -e continue {}", mount.source), "Continues after errors again")
        .expecting("errors_count 0 after the check; a check of the database's own blocks that finds nothing")
        .into()
}

fn severity(run: &Run, line: &LogLine) -> Severity {
    let is_old = facts::log::age_s(run, line).is_some() && !facts::log::is_recent(run, line);
    let mount = device_of(&line.text).and_then(|device| mount_of(run, device));
    let of_data = mount.is_none_or(|mount| facts::holds_data(run, mount));
    match () {
        () if is_past(run, line) || is_old && is_of_one_request(&line.text) => Severity::Info,
        () if line.text.contains("error count since last fsck") && !of_data => Severity::Warning,
        () => Severity::Critical,
    }
}

/// A read or write that failed, which damages what it was of; the file system itself stays whole.
fn is_of_one_request(text: &str) -> bool {
    let words = ["writeback error on ", "writing to inode", "csum failed", "metadata I/O error"];
    words.iter().any(|word| text.contains(word))
}

fn logged(run: &Run, device: Option<&str>, severity: Severity, lines: &[&LogLine]) -> Outcome {
    let mount = device.and_then(|device| mount_of(run, device)).map(|mount| Kind::Mount.named(&mount.target));
    let known = mount.or(device.map(|device| Kind::Disk.named(device)));
    let of =
        known.as_ref().map_or("a file system".to_owned(), |subject| format!("the file system {subject}"));
    let subject = known.unwrap_or(Kind::KernelLog.only());
    let ago = facts::log::ago(run, lines[0]);
    let mut finding = finding!(subject, "{of} reported an error{ago}: {}", lines[0].text).severity(severity);
    for line in lines.iter().take(QUOTED) {
        finding = finding.evidence(facts::log::quoted(line), "kernel log");
    }
    finding
        .because("The damage spreads as long as the file system is written to.")
        .look("dmesg -T | grep -iE 'EXT4-fs|XFS|BTRFS|JBD2|I/O error' || true", "The first error is the cause")
        .persist("Repair the disk or path if it reports errors too; then check the file system, unmounted and without writing first: e2fsck -n, xfs_repair -n, btrfs check").unmounts("the file system")
        .expecting("no such line after the check")
        .into()
}
