//! # What it checks
//! Steal time stays below 10 % in every window.
//!
//! # Why it matters
//! The guest stands still without knowing: every latency grows, and no tool inside shows why.
//!
//! # Evidence
//! Steal in `/proc/stat` over each window.
//!
//! # Remedy
//! Another host or instance type, reserved CPUs; not a setting of the guest.
//!
//! # Source
//! Netdata health.d/cpu.conf (steal 10 %, clears at 5 %); Linux Documentation/filesystems/proc.rst (steal).

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "cpu-steal",
    title: "the hypervisor gives this guest's CPU to others",
    layer: Layer::Host,
    severity: Severity::Warning,
    text: include_str!("cpu_steal.rs"),
    check,
};

const TOLERATED: f64 = 0.10;

fn check(run: &Run) -> Vec<Outcome> {
    let shares = facts::windows(run).filter_map(|window| {
        let time = window.to.cpu.since(&window.from.cpu);
        (time.total_ns() > 0).then(|| time.steal_ns as f64 / time.total_ns() as f64)
    });
    let Some(share) = shares.reduce(f64::max) else { return vec![facts::unread("the CPU time of a window")] };
    if share <= TOLERATED {
        return vec![Outcome::Passes];
    }
    vec![
        RULE.finding(
            "CPU",
            format!("the hypervisor takes {} of the CPU time (steal)", facts::percent(share)),
        )
        .measured(share, TOLERATED, Unit::Ratio)
        .evidence(format!("steal {share:.3} of all CPU time"), "/proc/stat")
        .limits(Cause::Starvation)
        .advice(
            because("While the hypervisor runs others, this guest does nothing at all.")
                .now("vmstat 1    # column st; ask the hypervisor's owner for ready time")
                .persist("reserved or dedicated CPUs, a less crowded host, no burstable instance")
                .expecting("steal below 5 %"),
        )
        .into(),
    ]
}
