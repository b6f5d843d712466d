//! # What it checks
//! No NFS mount carries `sync`.
//!
//! # Why it matters
//! Each write(2) goes to the server at once and is committed there before it returns: small buffered writes
//! crawl.
//!
//! # Evidence
//! Options of the mount.
//!
//! # Remedy
//! Remove `sync`.
//!
//! # Source
//! nfs(5), "The sync mount option" (significant performance cost).

use crate::advice::{AdviceExt, change_mount_option};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::Mount;

pub(super) const RULE: Rule = Rule {
    code: "nfs-sync",
    title: "NFS is mounted sync",
    layer: Layer::Storage,
    severity: Severity::Warning,
    text: include_str!("nfs_sync.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    run.host.mounts.iter().filter(|mount| mount.nfs.is_some()).map(judge).collect()
}

fn judge(mount: &Mount) -> Outcome {
    if mount.options.is_empty() {
        return facts::unread(&format!("the options of {}", mount.target));
    }
    if mount.option("sync").is_none() {
        return Outcome::Passes;
    }
    RULE.finding(
        &mount.target,
        format!("NFS mount {} carries the option sync: each write waits for the server's disk", mount.target),
    )
    .evidence(mount.options.join(","), "/proc/self/mountinfo")
    .limits(Cause::Setting)
    .advice(
        change_mount_option(
            "A database asks for durability where it needs it; sync asks for it everywhere.",
            &mount.target,
            "sync",
            "async",
        )
        .expecting("buffered writes gathered into requests of wsize"),
    )
    .into()
}
