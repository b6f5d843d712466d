//! # What it checks
//! Whether a measured target answered at all: no call on it took longer than 15 s.
//!
//! # Why it matters
//! Every session that touches it hangs the same way, in a sleep that no signal ends.
//!
//! # Evidence
//! The probe's gap: which call did not come back, and after how long.
//!
//! # Remedy
//! Block device: failed paths with `queue_if_no_path`, a suspended map, a lost iSCSI or FC link. NFS: the server
//! and the way to it; a hard mount waits until it is back.
//!
//! # Source
//! nfs(5), hard and soft; multipath.conf(5), `no_path_retry queue`; dmsetup(8), suspend.

use crate::advice::{AdviceExt, because};
use crate::network::ends;
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::disk::DiskResult;

pub(super) const RULE: Rule = Rule {
    code: "target-no-answer",
    title: "the storage does not answer",
    layer: Layer::Storage,
    severity: Severity::Critical,
    text: include_str!("target_no_answer.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    run.disk.iter().map(|result| judge(run, result)).collect()
}

fn judge(run: &Run, result: &DiskResult) -> Outcome {
    let Some(gap) = result.unanswered() else {
        let tried = !result.steps.is_empty() || !result.small_files.is_empty() || result.bonnie.is_some();
        return if tried { Outcome::Passes } else { facts::unread(&format!("any I/O on {}", result.target)) };
    };
    let mount = run.host.mount_of(&result.target);
    let server = mount.and_then(|mount| mount.nfs.as_ref()).map(|nfs| nfs.server.as_str());
    let (subject, whose) = match server {
        Some(server) => (server, format!("the NFS server {server} does not answer")),
        None => (result.target.as_str(), "the storage does not answer".to_owned()),
    };
    let now = if server.is_some() {
        "ping the server; `rpcinfo -t SERVER nfs`; dmesg | grep 'not responding'"
    } else {
        "multipath -ll; dmsetup info -c    # failed paths, a suspended map; cat /sys/block/*/inflight"
    };
    let finding = RULE
        .finding(subject, format!("{whose}: {}", gap.detail))
        .path(&result.target)
        .evidence(gap.detail.clone(), "probe")
        .advice(
            because("What waits for this storage sleeps uninterruptibly until it is back.")
                .now(now)
                .persist("bring the path or server back; where waiting for ever is worse than an error, set a limit (no_path_retry 24)")
                .expecting("the same probe measures"),
        );
    // A process that is put to sleep for its memory answers as late as a dead disk.
    if facts::is_slowed_for_memory(run) {
        finding.severity(Severity::Warning).into()
    } else if is_explained(run, result) {
        finding.into()
    } else {
        finding.limits(Cause::Fault).into()
    }
}

/// A rule of its own names what it waits for.
fn is_explained(run: &Run, result: &DiskResult) -> bool {
    let targets = facts::targets(run);
    let mut same = targets.iter().filter(|target| target.name() == result.target);
    let held = same.any(|target| target.is_frozen() || target.suspended().is_some());
    held || run.mtu.iter().any(|mtu| mtu.black_hole && ends::path_of(run, mtu) == result.target)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a lab's group of 8 MiB gave: opening the file took longer than the probe waits.
    #[test]
    fn a_process_without_memory_accuses_no_disk() {
        let run = |slowed: u64| -> Run {
            let group = |events: u64| format!(r#"{{ "path": "/db", "memory_high_events": {events} }}"#);
            let text = format!(
                r#"{{ "host": {{ "cgroups": [{{ "path": "/db", "memory_high_bytes": 8388608 }}] }},
                "windows": [{{ "kind": "disk", "from": {{ "cgroups": [{}] }}, "to": {{ "monotonic_ns": 1000000000, "cgroups": [{}] }} }}],
                "disk": [{{ "target": "/data", "gaps": [{{ "subject": "/data", "reason": "timeout", "detail": "late" }}] }}] }}"#,
                group(0),
                group(slowed)
            );
            serde_json::from_str(&text).expect("a run")
        };
        let limits = |run: &Run| match check(run).as_slice() {
            [Outcome::Fires(finding)] => finding.limits,
            _ => panic!("one finding"),
        };
        assert!(limits(&run(0)) && !limits(&run(1644)));
    }
}
