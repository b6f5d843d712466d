//! # What it checks
//! The memory limit of the database's control group (and of fullwire's own) is above the wanted SGA, and the
//! group did not run into it during the run.
//!
//! # Why it matters
//! At `memory.high` every allocation is slowed down, at `memory.max` processes are killed, while the host
//! has memory left.
//!
//! # Evidence
//! `memory.max`, `memory.high`, `memory.events`.
//!
//! # Remedy
//! `MemoryMax=` and `MemoryHigh=` of the unit.
//!
//! # Source
//! Linux Documentation/admin-guide/cgroup-v2.rst, memory.high, memory.max, memory.events;
//! systemd.resource-control(5).

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Finding, Layer, Severity};
use fullwire_model::counters::CgroupCounters;
use fullwire_model::host::Cgroup;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "cgroup-memory",
    title: "a control group's memory limit is too small or was hit",
    layer: Layer::Host,
    severity: Severity::Critical,
    text: include_str!("cgroup_memory.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    if run.host.cgroups.is_empty() {
        return vec![facts::unread("the own control group")];
    }
    run.host.cgroups.iter().map(|cgroup| judge(run, cgroup)).collect()
}

fn judge(run: &Run, cgroup: &Cgroup) -> Outcome {
    let grown = |pick: fn(&CgroupCounters) -> Option<u64>| {
        facts::grown_in_group(run, &cgroup.path, pick).unwrap_or(0)
    };
    let (high, most, killed) = (
        grown(|group| group.memory_high_events),
        grown(|group| group.memory_max_events),
        grown(|group| group.memory_oom_kills),
    );
    let limit = cgroup.memory_max_bytes.into_iter().chain(cgroup.memory_high_bytes).min();
    match (limit, run.command.sga_bytes) {
        _ if high + most + killed > 0 => hit(cgroup, high, most, killed),
        (Some(limit), Some(sga)) if limit < sga => fires(
            cgroup,
            format!(
                "control group {} may use {} of memory, the SGA needs {}",
                cgroup.path,
                facts::size(limit),
                facts::size(sga)
            ),
            format!("memory limit {limit}"),
        )
        .measured(limit as f64, sga as f64, Unit::Bytes)
        .into(),
        _ => Outcome::Passes,
    }
}

fn hit(cgroup: &Cgroup, high: u64, most: u64, killed: u64) -> Outcome {
    let limits = [("memory.max", cgroup.memory_max_bytes), ("memory.high", cgroup.memory_high_bytes)];
    let limit = limits.into_iter().filter_map(|(file, bytes)| Some((bytes?, file))).min();
    let limit =
        limit.map_or("its limit".to_owned(), |(bytes, file)| format!("{} ({file})", facts::size(bytes)));
    let finding = fires(
        cgroup,
        format!(
            "control group {} ran into its memory limit of {limit}: slowed down {high} times, at the limit {most} times, {killed} processes killed",
            cgroup.path
        ),
        format!("memory.events high +{high}, max +{most}, oom_kill +{killed}"),
    );
    let severity = if killed > 0 { Severity::Critical } else { Severity::Warning };
    // Page cache fills a group up to its limit without harm: that alone is not starvation.
    if high + killed > 0 {
        finding.severity(severity).limits(Cause::Starvation).into()
    } else {
        finding.severity(Severity::Info).into()
    }
}

fn fires(cgroup: &Cgroup, message: String, evidence: String) -> Finding {
    RULE.finding(format!("memory.max of {}", cgroup.path), message)
        .evidence(evidence, format!("/sys/fs/cgroup{}/memory.*", cgroup.path))
        .advice(
            because("The group is short of memory although the host is not.")
                .now(format!("echo max > /sys/fs/cgroup{}/memory.high", cgroup.path))
                .persist("systemctl set-property UNIT MemoryHigh=infinity MemoryMax=SIZE above SGA + PGA")
                .undo("systemctl set-property UNIT MemoryHigh=OLD")
                .expecting("memory.events stands still"),
        )
}
