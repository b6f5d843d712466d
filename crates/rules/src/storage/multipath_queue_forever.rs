//! # What it checks
//! A multipath map does not queue without end: `no_path_retry` is a number, or `fail` where the database
//! mirrors by itself.
//!
//! # Why it matters
//! With `queue_if_no_path` and no limit, a lost array hangs every process in uninterruptible sleep; ASM
//! cannot take the failed disk off-line, a cluster cannot fail over.
//!
//! # Evidence
//! Features of the map and `no_path_retry` as multipathd has it in effect.
//!
//! # Remedy
//! `no_path_retry 24` with `polling_interval 5`: I/O waits two minutes, then fails.
//!
//! # Source
//! multipath.conf(5), `no_path_retry` and features; NetApp ontap-apps-dbs, oracle-host-config-linux.adoc
//! (`polling_interval` 5, `no_path_retry` 24).

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::{Host, MultipathMap};

pub(super) const RULE: Rule = Rule {
    code: "multipath-queue-forever",
    title: "I/O waits for ever when all paths are lost",
    layer: Layer::Storage,
    severity: Severity::Warning,
    text: include_str!("multipath_queue_forever.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    run.host.multipath.iter().map(|map| judge(&run.host, map)).collect()
}

fn judge(host: &Host, map: &MultipathMap) -> Outcome {
    let queues = map.features.iter().any(|feature| feature.contains("queue_if_no_path"));
    let configured = || {
        let config = host.multipath_config.as_ref()?;
        config.settings.get("no_path_retry").cloned()
    };
    let retry = map.no_path_retry.clone().or_else(configured);
    match retry.as_deref() {
        Some("queue") => fires(map, "no_path_retry is queue"),
        Some(_) => Outcome::Passes,
        None if !queues => Outcome::Passes,
        None if host.multipath_config.is_some() => {
            fires(map, "the feature queue_if_no_path is set and no_path_retry does not end it")
        }
        None => facts::unread(&format!("no_path_retry of {}", map.name)),
    }
}

fn fires(map: &MultipathMap, why: &str) -> Outcome {
    RULE.finding(&map.name, format!("multipath map {} queues I/O for ever when its last path is lost (queue_if_no_path): {why}", map.name))
        .evidence(format!("features {}, no_path_retry {}", map.features.join(" "), map.no_path_retry.as_deref().unwrap_or("not set")), "multipathd show maps, dmsetup table")
        .advice(
            because("Processes then hang in uninterruptible sleep; neither the database's mirror nor a cluster manager can act.")
                .now(format!("multipathd disablequeueing map {}    # waiting I/O fails now if no path is left", map.name))
                .persist("/etc/multipath.conf, defaults or the device's section: no_path_retry 24, polling_interval 5 (120 s); then `multipathd reconfigure`")
                .undo(format!("multipathd restorequeueing map {}", map.name))
                .expecting("with all paths pulled, I/O fails after two minutes instead of never"),
        )
        .into()
}
