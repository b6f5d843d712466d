//! # What it checks
//! Passes when no mounted file system counts errors that it found in itself, and the kernel log has none.
//!
//! # Why it matters
//! What is damaged grows as long as the file system is written to; a check that is put off until the next boot
//! finds more, and a backup taken meanwhile may hold the damage.
//!
//! # Evidence
//! ext4's `errors_count` in `/sys/fs/ext4`, kept in the superblock until `e2fsck` clears it; the kernel log for
//! XFS, btrfs and the journal.
//!
//! # Remedy
//! Look for the first error in the kernel log, repair the disk below if it reported errors too, check the file system
//! unmounted, and the database's blocks after it.
//!
//! # Source
//! Linux fs/ext4/sysfs.c (`errors_count`) and fs/ext4/super.c, which logs the error count since the last fsck
//! once a day; ext4(5), errors=continue. Seen in a lab with `trigger_fs_error`.

use crate::advice::{AdviceExt, because, sh};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Risk, Severity};
use fullwire_model::host::{LogLine, Mount};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "file-system-errors",
    title: "a file system recorded errors",
    layer: Layer::Storage,
    severity: Severity::Critical,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    let data = facts::data_mounts(run);
    let counted = facts::file_systems(&run.host).filter_map(|mount| {
        let errors = mount.errors?;
        let severity =
            if data.contains(mount.target.as_str()) { Severity::Critical } else { Severity::Warning };
        Some(if errors == 0 { Outcome::Passes } else { counts(run, mount, errors, severity) })
    });
    let mut outcomes: Vec<Outcome> = counted.collect();
    let told = told(run).filter(|line| !of_counted(run, line));
    outcomes.extend(told.map(logged));
    if outcomes.is_empty() {
        outcomes.push(match run.kernel_log_gap() {
            Some(_) => facts::unread("the kernel log"),
            None => Outcome::Passes,
        });
    }
    outcomes
}

/// Lines of the kernel log that are not the end of the file system, which is its own finding.
fn told(run: &Run) -> impl Iterator<Item = &LogLine> {
    let ended = |line: &&LogLine| line.text.contains("read-only") || line.text.contains("hut");
    run.host.kernel_log.iter().filter(|line| line.pattern == "fs-error").filter(move |line| !ended(line))
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
    let mut finding = RULE
        .finding(
            &mount.target,
            format!("the file system {} found {times} since its last check", mount.target),
        )
        .severity(severity)
        .measured(errors as f64, 0.0, Unit::Count)
        .evidence(format!("errors_count {errors}"), "/sys/fs/ext4/DEVICE/errors_count");
    if let Some(line) = told(run).find(|line| is_of(run, mount, line)) {
        finding = finding.evidence(line.text.clone(), "kernel log");
    }
    finding
        .advice(
            because("With errors=continue ext4 keeps running after an error; the damage remains.")
                .run("grep -s . /sys/fs/ext4/*/errors_count /sys/fs/ext4/*/first_error_* /sys/fs/ext4/*/last_error_* || true", "Shows when, and where in the kernel")
                .now(format!("Stop the database and `umount {0}`; check first: `e2fsck -n {1}`. Repair with `e2fsck -f {1}` only once the disk and its paths are sound", mount.target, mount.source)).risk(Risk::Downtime).needs("a backup or a snapshot of the device: a repair writes")
                .persist_run(sh!("tune2fs -e remount-ro {}", mount.source), "The next error stops the damage instead of spreading it")
.undo_run(sh!("tune2fs -e continue {}", mount.source), "Continues after errors again")
                .expecting("errors_count 0 after the check; a check of the database's own blocks that finds nothing"),
        )
        .into()
}

fn logged(line: &LogLine) -> Outcome {
    RULE.finding("kernel log", format!("a file system reported an error: {}", line.text))
        .evidence(facts::log::quoted(line), "kernel log")
        .advice(
            because("The damage spreads as long as the file system is written to.")
                .run("dmesg -T | grep -iE 'EXT4-fs|XFS|BTRFS|JBD2|I/O error' || true", "The first error is the cause")
                .persist("Repair the disk or path if it reports errors too; then check the file system, unmounted and without writing first: e2fsck -n, xfs_repair -n, btrfs check").risk(Risk::Downtime)
                .expecting("no such line after the check"),
        )
        .into()
}
