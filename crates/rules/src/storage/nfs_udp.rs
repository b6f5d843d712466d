//! # What it checks
//! Every NFS mount uses TCP (or RDMA).
//!
//! # Why it matters
//! A lost fragment loses the whole 32 KiB or 1 MiB request; reassembly can mix old and new fragments on fast
//! links: corrupt data.
//!
//! # Evidence
//! `proto` of the mount.
//!
//! # Remedy
//! Mount with `proto=tcp`.
//!
//! # Source
//! nfs(5), "Using NFS over UDP on high-speed links" (silent data corruption); NetApp ontap-apps-dbs,
//! oracle-host-config-linux.adoc (proto=tcp).

use crate::advice::{AdviceExt, change_nfs_option};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::host::{Mount, NfsMount};

pub(super) const RULE: Rule = Rule {
    code: "nfs-udp",
    title: "NFS runs over UDP",
    layer: Layer::Storage,
    severity: Severity::Critical,
    text: include_str!("nfs_udp.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    run.host.mounts.iter().filter_map(|mount| Some(judge(mount, mount.nfs.as_ref()?))).collect()
}

fn judge(mount: &Mount, nfs: &NfsMount) -> Outcome {
    match nfs.protocol.as_str() {
        "" => facts::unread(&format!("the transport of {}", mount.target)),
        "udp" | "udp6" => RULE
            .finding(&mount.target, format!("NFS mount {} runs over UDP (proto=udp)", mount.target))
            .evidence("proto=udp", "/proc/self/mountstats")
            .limits(Cause::Setting)
            .advice(
                change_nfs_option(
                    "UDP has no congestion control, and a lost fragment costs the whole request.",
                    &mount.target,
                    "proto=udp",
                    "proto=tcp",
                )
                .expecting("proto=tcp in `nfsstat -m`, no fragments in `nstat`"),
            )
            .into(),
        _ => Outcome::Passes,
    }
}
