//! # What it checks
//! NFS mounts that hold files of a clustered Oracle database have `actimeo=0` (or `noac`).
//!
//! # Why it matters
//! One node does not see at once that another has extended a file: stale sizes, ORA-27047 and worse.
//!
//! # Evidence
//! Options of the mounts below the database's files.
//!
//! # Remedy
//! Mount with `actimeo=0`, or use dNFS for the database files.
//!
//! # Source
//! NetApp ontap-apps-dbs, oracle-host-config-linux.adoc (RAC: actimeo=0, voting disks noac).

use crate::advice::{AdviceExt, change_nfs_option};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::{Mount, NfsMount};

pub(super) const RULE: Rule = Rule {
    code: "nfs-rac-attributes",
    title: "shared database files of a cluster lie on NFS with cached attributes",
    layer: Layer::Storage,
    severity: Severity::Critical,
    text: include_str!("nfs_rac_attributes.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let host = &run.host;
    let clustered = host.databases.iter().filter(|database| database.clustered && database.kind == "oracle");
    let locations = clustered.flat_map(|database| database.locations.keys());
    locations
        .filter_map(|location| host.mount_of(location))
        .filter_map(|mount| Some(judge(mount, mount.nfs.as_ref()?)))
        .collect()
}

fn judge(mount: &Mount, nfs: &NfsMount) -> Outcome {
    if mount.options.is_empty() {
        return facts::unread(&format!("the options of {}", mount.target));
    }
    if nfs.no_attribute_cache {
        return Outcome::Passes;
    }
    RULE.finding(
        &mount.target,
        format!(
            "NFS mount {} holds files of a clustered database and caches attributes: actimeo=0 is missing",
            mount.target
        ),
    )
    .evidence(mount.options.join(","), "/proc/self/mountstats")
    .advice(
        change_nfs_option(
            "The nodes of a cluster must see a file's size and time at once.",
            &mount.target,
            "the default",
            "actimeo=0",
        )
        .expecting("actimeo=0 (acregmin=0...) in /proc/mounts on each node"),
    )
    .into()
}
