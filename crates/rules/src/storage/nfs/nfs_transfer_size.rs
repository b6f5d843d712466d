//! # What it checks
//! Passes when `rsize` and `wsize`, as negotiated, are at least 32 KiB, better 256 KiB.
//!
//! # Why it matters
//! Each piece is a round trip's worth of work at both ends: 1 MiB takes 256 requests of 4 KiB.
//!
//! # Evidence
//! `rsize`, `wsize` in `/proc/self/mountstats`: the negotiated values. The client cannot see what the server would
//! allow; a value below the requested one is the server's limit.
//!
//! # Remedy
//! Mount with `rsize=262144,wsize=262144` or more; raise the server's maximum if it is what limits.
//!
//! # Source
//! NetApp ontap-apps-dbs, oracle-host-config-linux.adoc (262144) and nfs-transfer-sizes.adoc; Oracle
//! installation guide, NFS buffer size (at least 32768); nfs(5), rsize and wsize (1048576 at most).

use crate::advice::{AdviceExt, change_nfs_option};
use crate::explain;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Finding, Layer, Mechanism, Severity};
use fullwire_model::host::{Mount, NfsMount};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "nfs-transfer-size",
    title: "NFS uses a small transfer size",
    layer: Layer::Storage,
    severity: Severity::Warning,
    check,
};

/// Oracle's least for data files over NFS.
const LEAST_BYTES: u64 = 32 << 10;
/// From here on larger calls gain little (own choice).
const WANTED_BYTES: u64 = 256 << 10;

fn check(run: &Facts) -> Vec<Outcome> {
    run.host.mounts.iter().filter_map(|mount| Some(judge(run, mount, mount.nfs.as_ref()?))).collect()
}

fn judge(run: &Run, mount: &Mount, nfs: &NfsMount) -> Outcome {
    let (Some(rsize), Some(wsize)) = (nfs.rsize_bytes, nfs.wsize_bytes) else {
        return facts::unread(&format!("rsize and wsize of {}", mount.target));
    };
    let smallest = rsize.min(wsize);
    if smallest >= WANTED_BYTES {
        return Outcome::Passes;
    }
    let finding = fires(mount, rsize, wsize);
    if smallest >= LEAST_BYTES {
        return finding.severity(Severity::Info).into();
    }
    let explained = explain::targets_in(run, &mount.target, Mechanism::RequestSize);
    finding.severity(facts::slow_mount(run, mount)).explains(explained).into()
}

fn fires(mount: &Mount, rsize: u64, wsize: u64) -> Finding {
    let smallest = rsize.min(wsize);
    RULE.finding(
        &mount.target,
        format!("NFS mount {} transfers {} at a time (rsize={rsize}, wsize={wsize}): a read of 1 MiB costs {} requests", mount.target, facts::size(smallest), (1u64 << 20).div_ceil(smallest.max(1))),
    )
    .measured(smallest as f64, WANTED_BYTES as f64, Unit::Bytes)
    .evidence(format!("rsize={rsize},wsize={wsize}"), "/proc/self/mountstats")
    .advice(
        change_nfs_option("Each request costs CPU and a slot at both ends, large or small.", mount, Some(&format!("rsize={rsize},wsize={wsize}")), "rsize=262144,wsize=262144")
            .expecting("kB/op of `nfsiostat` near 256, and the sequential rate near the network's"),
    )
}
