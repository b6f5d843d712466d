//! # What it checks
//! Passes when the kernel logged no NFS server as not responding within the last day.
//!
//! # Why it matters
//! A hard mount waits for its server: the database waited until the server or the network came back.
//!
//! # Evidence
//! Kernel log, `nfs: server NAME not responding`; servers of the mounts.
//!
//! # Remedy
//! The filer's own log at that time (failover, full aggregate), and the network to it.
//!
//! # Source
//! Linux net/sunrpc/clnt.c (`rpc_check_timeout`: logged after a major timeout, timeo x retrans); nfs(5), timeo and
//! retrans.

use crate::advice::{AdviceExt, because};
use crate::explain;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Mechanism, Severity};
use fullwire_model::host::{LogLine, Mount};

pub(super) const RULE: Rule = Rule {
    code: "nfs-not-responding",
    title: "an NFS server did not respond",
    layer: Layer::Storage,
    severity: Severity::Critical,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    if run.host.mounts.iter().all(|mount| mount.nfs.is_none()) {
        return Vec::new();
    }
    if run.kernel_log_gap().is_some() && run.host.kernel_log.is_empty() {
        return vec![facts::unread("the kernel log")];
    }
    let lines = run.host.kernel_log.iter().filter(|line| line.pattern == "nfs-timeout");
    let findings: Vec<Outcome> = lines.filter_map(|line| judge(run, line)).collect();
    if findings.is_empty() { vec![Outcome::Passes] } else { findings }
}

fn judge(run: &Run, line: &LogLine) -> Option<Outcome> {
    let server = line.text.split("server ").nth(1)?.split_whitespace().next()?.trim_end_matches(',');
    let of_server =
        |mount: &&Mount| mount.nfs.as_ref().is_some_and(|nfs| nfs.server == server || nfs.address == server);
    let mounts: Vec<&Mount> = run.host.mounts.iter().filter(of_server).collect();
    let data = facts::data_mounts(run);
    let of_data = mounts.iter().any(|mount| data.contains(mount.target.as_str()));
    let of_the_run = facts::log::is_of_the_run(run, line);
    let severity = match facts::log::age_s(run, line) {
        Some(_) if !facts::log::is_recent(run, line) => return None,
        Some(_) if of_data && of_the_run => Severity::Critical,
        Some(_) if of_data => Severity::Warning,
        // A filer of home directories, one that is mounted no more, or a line without a time.
        _ => Severity::Info,
    };
    let ago = facts::log::ago(run, line);
    let acted = mounts.iter().filter(|_| of_the_run);
    let finding = RULE
        .finding(server, format!("NFS server {server} did not respond{ago}: its mounts had to wait"))
        .severity(severity)
        .evidence(facts::log::quoted(line), "kernel log")
        .explains(acted.flat_map(|mount| explain::targets_in(run, &mount.target, Mechanism::NfsServer)))
        .advice(
            because("The kernel logs this after all retransmissions went unanswered.")
                .now(format!("dmesg -T | grep -i 'nfs: server'; rpcinfo -T tcp {server} nfs"))
                .persist("check the logs of the filer and the network for that time, and fix the cause")
                .expecting("no further line; `server OK` was the last one"),
        );
    Some(finding.into())
}
