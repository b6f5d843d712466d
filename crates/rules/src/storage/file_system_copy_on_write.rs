//! # What it checks
//! Measured or database directories are not on btrfs with data copy-on-write, ZFS or bcachefs.
//!
//! # Why it matters
//! Each overwrite of a database block goes to a new place: files fragment, writes are amplified, and a
//! benchmark of a fresh file says nothing about next year.
//!
//! # Evidence
//! File-system type and options of the mount.
//!
//! # Remedy
//! btrfs: an empty directory with `chattr +C` (nodatacow) for the data files; ZFS: recordsize equal to the
//! block size.
//!
//! # Source
//! btrfs(5), nodatacow; `OpenZFS` workload tuning guide, Databases (recordsize).

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::Mount;

pub(super) const RULE: Rule = Rule {
    code: "file-system-copy-on-write",
    title: "database files lie on a copy-on-write file system",
    layer: Layer::Storage,
    severity: Severity::Warning,
    text: include_str!("file_system_copy_on_write.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let data = facts::data_mounts(run);
    run.host
        .mounts
        .iter()
        .filter(|mount| data.contains(mount.target.as_str()))
        .map(|mount| judge(run, mount))
        .collect()
}

fn judge(run: &Run, mount: &Mount) -> Outcome {
    if mount.fs_type.is_empty() {
        return facts::unread(&format!("the type of the file system at {}", mount.target));
    }
    let copies = match mount.fs_type.as_str() {
        "btrfs" => mount.option("nodatacow").is_none(),
        // A container's root: the first write to a file copies it whole.
        "zfs" | "bcachefs" | "overlay" => true,
        _ => false,
    };
    if !copies {
        return Outcome::Passes;
    }
    // Where nobody named the directory, the root of a container is no news.
    let named = run.command.arguments.iter().any(|argument| argument.starts_with("--path"));
    let severity = if run.host.databases.is_empty() && !named { Severity::Info } else { Severity::Warning };
    RULE.finding(&mount.target, format!("{} is {} with copy-on-write: each overwrite of a database block goes to a new place", mount.target, mount.fs_type))
        .severity(severity)
        .evidence(format!("{} {}", mount.fs_type, mount.options.join(",")), "/proc/self/mountinfo")
        .advice(
            because("Database files are overwritten in place, block by block: the pattern that fragments a copy-on-write file system most.")
                .now(format!("btrfs: mkdir {0}/db && chattr +C {0}/db, copy the files in; ZFS: zfs set recordsize=8k DATASET before loading", mount.target))
                .persist("the attribute and the property are kept; or use XFS or ext4 for database files")
                .undo("chattr -C on a new directory, copy back")
                .expecting("random reads of an old table as fast as of a new one"),
        )
        .into()
}
