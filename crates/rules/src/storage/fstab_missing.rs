//! # What it checks
//! Each file system with database files or a measured target is in `/etc/fstab`.
//!
//! # Why it matters
//! What was mounted by hand is gone after a reboot, and the database does not start.
//!
//! # Evidence
//! `/etc/fstab` beside the mounts. Mounts by a cluster manager, an automounter or a systemd unit of their own
//! are in order; they are listed because fstab cannot tell.
//!
//! # Remedy
//! A line in `/etc/fstab`, unless something else mounts it.
//!
//! # Source
//! fstab(5); systemd.mount(5).

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::Mount;

pub(super) const RULE: Rule = Rule {
    code: "fstab-missing",
    title: "a mount with database files is in no fstab",
    layer: Layer::Storage,
    severity: Severity::Info,
    text: include_str!("fstab_missing.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let data = facts::data_mounts(run);
    if data.is_empty() {
        return Vec::new();
    }
    let host = &run.host;
    let Some(fstab) = host.fstab.as_ref() else { return vec![facts::unread("/etc/fstab")] };
    let kept = |mount: &Mount| fstab.iter().any(|entry| entry.target == mount.target);
    let by_hand: Vec<Outcome> = host
        .mounts
        .iter()
        .filter(|mount| data.contains(mount.target.as_str()) && !kept(mount))
        .filter(|mount| {
            !matches!(mount.fs_type.as_str(), "overlay" | "tmpfs" | "autofs" | "rootfs")
                && mount.target != "/"
        })
        .map(fires)
        .collect();
    if by_hand.is_empty() { vec![Outcome::Passes] } else { by_hand }
}

fn fires(mount: &Mount) -> Outcome {
    let (target, source, fs_type) = (&mount.target, &mount.source, &mount.fs_type);
    RULE.finding(target, format!("{target} ({source}) is in no line of /etc/fstab: does something mount it after a reboot?"))
        .evidence(format!("{source} on {target} type {fs_type}"), "/proc/self/mountinfo, /etc/fstab")
        .advice(
            because("A mount made by hand is forgotten at the next reboot.")
                .now("systemctl list-units --type=mount --all; crsctl stat res -t    # does a unit or the cluster mount it?")
                .persist(format!("echo '{source} {target} {fs_type} {} 0 0' >> /etc/fstab", kept_options(mount)))
                .undo("take the line out again")
                .expecting("`findmnt --verify` finds nothing, the mount is there after a reboot"),
        )
        .into()
}

/// The first options are those of mount(8); the rest is what the kernel filled in.
fn kept_options(mount: &Mount) -> String {
    let first: Vec<&str> = mount.options.iter().take(3).map(String::as_str).collect();
    if first.is_empty() { "defaults".to_owned() } else { first.join(",") }
}
