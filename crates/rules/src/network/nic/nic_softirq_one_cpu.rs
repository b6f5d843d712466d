//! # What it checks
//! Passes when the soft interrupts of the network do not use up one CPU while others idle.
//!
//! # Why it matters
//! Every packet of a queue is handled on one CPU. With one queue, or all interrupts on one CPU, the network
//! ends there, far below the wire, on a host that looks idle.
//!
//! # Evidence
//! Soft and hard interrupt time of each CPU over the probe; queues (`ethtool -l`); affinity of the
//! interrupts.
//!
//! # Remedy
//! `ethtool -L X combined N`, irqbalance or `smp_affinity`; where the interface has one queue only: RPS
//! (`rps_cpus`).
//!
//! # Source
//! Linux Documentation/networking/scaling.rst (RSS, RPS: the bottleneck is a CPU at 100 % in softirq).

use crate::advice::{AdviceExt, because, set_ethtool, sh};
use crate::explain;
use crate::facts::side;
use crate::network::each;
use crate::{Facts, FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Advice, Layer, Mechanism, Severity};
use fullwire_model::host::Nic;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "nic-softirq-one-cpu",
    title: "one CPU handles all received packets",
    layer: Layer::Network,
    severity: Severity::Warning,
    check,
};

/// Share of one CPU spent in interrupts, and of the rest of the host that is idle.
const USED_UP: f64 = 0.9;
/// The other CPUs together are idle for at least this share: work could be spread.
const IDLE: f64 = 0.3;

fn check(run: &Facts) -> Vec<Outcome> {
    each::nic(
        run,
        |side, nic| each::in_use(side, nic) && !side.paths_over(run, &nic.name).is_empty(),
        |side, nic| judge(run, side, nic),
    )
}

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let Some((cpu, share, idle)) =
        side.windows.iter().filter_map(|window| busiest(window)).max_by(|a, b| a.1.total_cmp(&b.1))
    else {
        return Outcome::Unknown(format!(
            "the CPUs of {} were not counted over a probe",
            side.peer.unwrap_or("this host")
        ));
    };
    if share < USED_UP || idle < IDLE {
        return Outcome::Passes;
    }
    let channels = nic.channels.clone().unwrap_or_default();
    let at = side.name(&nic.name);
    let finding = RULE
        .finding(&at, format!("CPU {cpu} spends {:.0} % of its time in network interrupts of {at} ({} of {} queues) while {:.0} % of the host is idle", share * 100.0, channels.combined, channels.combined_max, idle * 100.0))
        .measured(share, USED_UP, Unit::Ratio)
        .evidence(format!("CPU {cpu}: softirq and irq {:.0} %, idle of all {:.0} %", share * 100.0, idle * 100.0), side.source("/proc/stat"))
        .advice(advice(side, nic).on(side.peer));
    let explained = explain::paths_over(run, side, &nic.name, Mechanism::InterruptCpu);
    finding.explains(explained.into_iter().map(|one| one.active(share))).into()
}

/// More queues up to what card and CPUs have; at that, the packets are handed on by software (RPS).
fn advice(side: &side::Side, nic: &Nic) -> Advice {
    let why = "The packets of one queue are handled by one CPU; more queues, or RPS, use more of them.";
    let expect = "the load spreads over the CPUs; throughput grows";
    let channels = nic.channels.clone().unwrap_or_default();
    let wanted = channels.combined_max.min(side.host.cpu.online);
    if channels.combined > 0 && channels.combined < wanted {
        let sizes = [format!("combined {wanted}"), format!("combined {}", channels.combined)];
        return set_ethtool(side.host, &nic.name, ["-L", &sizes[0], &sizes[1]], why, expect);
    }
    because(why)
        .run(
            sh!("for f in /sys/class/net/{}/queues/rx-*/rps_cpus; do printf %x $(((1 << $(nproc)) - 1)) > $f; done", nic.name),
            "Hands packets to all CPUs after the queue (hosts of up to 62 CPUs)",
        )
        .persist(format!("Set it for {} by a udev rule or the network's start script", nic.name))
        .undo_run(
            sh!("for f in /sys/class/net/{}/queues/rx-*/rps_cpus; do echo 0 > $f; done", nic.name),
            "Leaves packets on the CPU of their queue",
        )
        .expecting(expect)
}

/// The CPU with the most interrupt time in a window, its share, and the idle share of all.
fn busiest(window: &fullwire_model::Window) -> Option<(u32, f64, f64)> {
    let shares = window.to.cpus.iter().filter_map(|(cpu, to)| {
        let grown = to.since(window.from.cpus.get(cpu)?);
        let total = grown.total_ns();
        (total > 0).then(|| {
            (
                *cpu,
                grown.softirq_ns.saturating_add(grown.irq_ns) as f64 / total as f64,
                grown.idle_ns as f64 / total as f64,
            )
        })
    });
    let shares: Vec<(u32, f64, f64)> = shares.collect();
    let idle = shares.iter().map(|(_, _, idle)| idle).sum::<f64>() / shares.len().max(1) as f64;
    shares.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(cpu, share, _)| (cpu, share, idle))
}
