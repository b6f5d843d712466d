//! # What it checks
//! Passes when `pids.max` of the own control group and its parents allows at least 16,384 tasks where a database
//! runs.
//!
//! # Why it matters
//! fork and `pthread_create` fail in the group: sessions are refused while the host is idle.
//!
//! # Evidence
//! `pids.max`.
//!
//! # Remedy
//! `TasksMax=infinity` in the unit.
//!
//! # Source
//! Linux Documentation/admin-guide/cgroup-v2.rst, PID; systemd.resource-control(5), `TasksMax`; SUSE saptune
//! note 1984787.

use crate::advice::{AdviceExt, because, sh};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::Cgroup;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "cgroup-pids",
    title: "a control group allows few tasks",
    layer: Layer::Host,
    // The group is fullwire's, not necessarily the database's.
    severity: Severity::Info,
    check,
};

/// As many as Oracle requires in limits.conf.
const LEAST: u64 = 16_384;

fn check(run: &Facts) -> Vec<Outcome> {
    if !facts::is_database_host(run) {
        return Vec::new();
    }
    if run.host.cgroups.is_empty() {
        return vec![facts::unread("the own control group")];
    }
    run.host.cgroups.iter().map(judge).collect()
}

fn judge(cgroup: &Cgroup) -> Outcome {
    match cgroup.pids_max {
        Some(most) if most < LEAST => RULE
            .finding(
                format!("pids.max of {}", cgroup.path),
                format!(
                    "control group {} may have {most} tasks, a database with many sessions needs {LEAST}",
                    cgroup.path
                ),
            )
            .measured(most as f64, LEAST as f64, Unit::Count)
            .evidence(format!("pids.max {most}"), format!("/sys/fs/cgroup{}/pids.max", cgroup.path))
            .advice(
                because("Each session is a process or a thread.")
                    .run(
                        sh!("echo max > {}", format!("/sys/fs/cgroup{}/pids.max", cgroup.path)),
                        "Removes the limit until the unit is started again",
                    )
                    .persist("`systemctl edit` the unit: [Service] TasksMax=infinity")
                    .undo_run(
                        sh!("echo {} > {}", most, format!("/sys/fs/cgroup{}/pids.max", cgroup.path)),
                        "Sets the limit again",
                    )
                    .expecting("no fork failures at the peak of sessions"),
            )
            .into(),
        _ => Outcome::Passes,
    }
}
