//! # What it checks
//! In no window the CPUs were more than 90 % busy while more tasks were ready to run than there are CPUs.
//!
//! # Why it matters
//! Whoever is ready waits for a turn: network and storage look slow, and iowait vanishes. A busy CPU without
//! a queue is no fault.
//!
//! # Evidence
//! CPU time of `/proc/stat` over each window, runnable tasks at both ends; CPU pressure where the kernel
//! keeps it.
//!
//! # Remedy
//! Find the consumer; more CPUs, or fewer at once.
//!
//! # Source
//! PCP pmieconf cpu.util (90 %) with load; Linux Documentation/accounting/psi.rst; use and saturation are
//! judged apart (USE method).

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::quantity::Unit;
use fullwire_model::{Run, Window, WindowKind};

pub(super) const RULE: Rule = Rule {
    code: "cpu-saturated",
    title: "more tasks want the CPUs than there are",
    layer: Layer::Host,
    severity: Severity::Warning,
    text: include_str!("cpu_saturated.rs"),
    check,
};

const BUSY: f64 = 0.90;
/// Some task waited for a CPU for so much of the time.
const WAITED: f64 = 0.50;
/// Runnable tasks for each CPU, where the kernel keeps no pressure.
const QUEUED: f64 = 2.0;

fn check(run: &Run) -> Vec<Outcome> {
    let cpus = f64::from(run.host.cpu.online.max(1));
    let windows: Vec<&Window> =
        facts::windows(run).filter(|window| window.to.cpu.total_ns() > window.from.cpu.total_ns()).collect();
    if windows.is_empty() {
        return vec![facts::unread("the CPU time of a window")];
    }
    // Our own probes may use what there is; only the idle span tells of the others.
    let judged: Vec<&Window> =
        windows.iter().copied().filter(|window| window.kind == WindowKind::Idle).collect();
    let judged = if judged.is_empty() { windows } else { judged };
    match judged.into_iter().find_map(|window| saturation(window, cpus)) {
        Some((busy, evidence)) => vec![fires(run, busy, evidence)],
        None => vec![Outcome::Passes],
    }
}

/// How busy the CPUs were and what shows that tasks queued for them.
fn saturation(window: &Window, cpus: f64) -> Option<(f64, String)> {
    let time = window.to.cpu.since(&window.from.cpu);
    let busy = (time.busy_ns() + time.steal_ns) as f64 / time.total_ns() as f64;
    if busy <= BUSY {
        return None;
    }
    // One of them is the thread that reads.
    let running = window.from.procs_running?.min(window.to.procs_running?).saturating_sub(1) as f64;
    let waited =
        facts::rate(window, |counters| Some(counters.pressure.as_ref()?.cpu_some_us)).map(|us| us / 1e6);
    let queued = match waited {
        Some(waited) => waited > WAITED && running >= cpus,
        None => running > QUEUED * cpus,
    };
    let waited = waited
        .map_or(String::new(), |waited| format!(", tasks waited {} of the time", facts::percent(waited)));
    queued.then(|| {
        (busy, format!("busy {}, {running:.0} runnable on {cpus:.0} CPUs{waited}", facts::percent(busy)))
    })
}

fn fires(run: &Run, busy: f64, evidence: String) -> Outcome {
    let cpus = run.host.cpu.online;
    RULE.finding("CPU", format!("the {cpus} CPUs are saturated: {evidence}"))
        .measured(busy, BUSY, Unit::Ratio)
        .evidence(evidence, "/proc/stat, /proc/pressure/cpu")
        .limits(Cause::Starvation)
        .advice(
            because("A task that is ready but does not run delays each commit and each packet that needs it.")
                .now("pidstat -u 1 5; top -H    # which threads")
                .persist("move batch work to other hours or hosts, limit it (systemctl set-property UNIT CPUWeight=20), or add CPUs")
                .expecting("fewer runnable tasks than CPUs at the peak"),
        )
        .into()
}
