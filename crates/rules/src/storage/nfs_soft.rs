//! # What it checks
//! NFS mounts that can hold database files are mounted `hard`.
//!
//! # Why it matters
//! A soft mount returns an error after some retransmissions: a write that was lost is reported as failed to
//! a page cache that has no one to tell: silent corruption.
//!
//! # Evidence
//! Options of the mount.
//!
//! # Remedy
//! Mount with `hard`.
//!
//! # Source
//! nfs(5), soft / softerr / hard ("can cause silent data corruption in certain cases"); NetApp
//! ontap-apps-dbs, oracle-host-config-linux.adoc (hard).

use crate::advice::{AdviceExt, change_nfs_option};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::{Mount, NfsMount};

pub(super) const RULE: Rule = Rule {
    code: "nfs-soft",
    title: "NFS is mounted soft",
    layer: Layer::Storage,
    severity: Severity::Critical,
    text: include_str!("nfs_soft.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    run.host.mounts.iter().filter_map(|mount| Some(judge(mount, mount.nfs.as_ref()?))).collect()
}

fn judge(mount: &Mount, nfs: &NfsMount) -> Outcome {
    match nfs.hard {
        None => facts::unread(&format!("hard or soft of {}", mount.target)),
        Some(true) => Outcome::Passes,
        // Nothing is written through a read-only mount.
        Some(false) if mount.option("ro").is_some() => Outcome::Passes,
        Some(false) => RULE
            .finding(
                &mount.target,
                format!(
                    "NFS mount {} is soft: an unanswered write becomes an error or is lost",
                    mount.target
                ),
            )
            .evidence(mount.options.join(","), "/proc/self/mountstats")
            .advice(
                change_nfs_option(
                    "Only a hard mount waits until the server has the data.",
                    &mount.target,
                    "soft",
                    "hard",
                )
                .expecting("`hard` in /proc/mounts; a server restart shows as a pause, not as an error"),
            )
            .into(),
    }
}
