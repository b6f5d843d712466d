//! # What it checks
//! No file system that a database or a measurement uses is read-only, and none at all that the kernel log
//! says was remounted for an error.
//!
//! # Why it matters
//! After a journal error ext4 remounts read-only and XFS shuts down: the database cannot write and stops.
//!
//! # Evidence
//! Option `ro` of the mount beside the device's own read-only state; kernel log.
//!
//! # Remedy
//! Find the I/O error in the kernel log, mend the disk or path, run fsck or `xfs_repair`, mount anew.
//!
//! # Source
//! ext4(5), errors=remount-ro; node-mixin `NodeFilesystemReadOnly`; node-problem-detector kernel-monitor.json.

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::{LogLine, Mount};

pub(super) const RULE: Rule = Rule {
    code: "file-system-read-only",
    title: "a file system went read-only",
    layer: Layer::Storage,
    severity: Severity::Critical,
    text: include_str!("file_system_read_only.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let data = facts::data_mounts(run);
    let errors = run.host.kernel_log.iter().find(|line| {
        line.text.contains("Remounting filesystem read-only")
            || line.text.contains("Filesystem has been shut down")
            || line.text.contains("forced shutdown")
    });
    let own =
        |mount: &&Mount| matches!(mount.fs_type.as_str(), "ext3" | "ext4" | "xfs" | "btrfs" | "nfs" | "nfs4");
    facts::file_systems(&run.host)
        .filter(own)
        .map(|mount| judge(mount, data.contains(mount.target.as_str()) && !is_meant(run, mount), errors))
        .collect()
}

/// The fstab asks for it.
fn is_meant(run: &Run, mount: &Mount) -> bool {
    let mut entries = run.host.fstab.iter().flatten();
    entries.any(|entry| entry.target == mount.target && entry.option("ro").is_some())
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
    let mut finding = RULE
        .finding(&mount.target, format!("{} is mounted read-only{because_of}", mount.target))
        .evidence(mount.options.join(","), "/proc/self/mountinfo");
    if let Some(line) = error {
        finding = finding.evidence(line.text.clone(), "kernel log");
    }
    finding
        .advice(
            because("Nothing can be written there; the kernel does this to stop an error from spreading.")
                .now("dmesg | grep -iE 'I/O error|remounting|shutdown|journal'    # the first error is the cause")
                .now(format!("umount {0}; fsck -f {1} (xfs_repair {1} for XFS); mount {0}", mount.target, mount.source))
                .persist("replace the disk or mend the path that failed")
                .expecting("rw in `findmnt`, and no new error in the kernel log"),
        )
        .into()
}
