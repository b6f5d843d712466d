//! # What it checks
//! Passes when a small random read, and a small random write without a flush, with nothing else in flight takes
//! less than 10 ms (14.2 ms on a disk that rotates), unless something above the device takes the time.
//!
//! # Why it matters
//! Each single-block read of the database waits this long, each write of its log at least: 100 a second for one
//! session at 10 ms. No setting of host or database makes up for it.
//!
//! # Evidence
//! Median of the step at depth 1, and the device's own mean time per request (`/proc/diskstats`).
//!
//! # Remedy
//! A faster medium, or the array's own view of the unit: a busy back end, a lost cache battery, a tier of
//! slow disks, a distant replica.
//!
//! # Source
//! Founding disk arithmetic: latency 4.2 ms + seek 9 ms + 1 ms = 14.2 ms for 7,200 rpm; Oracle's customary
//! 10 ms for `db file sequential read` on disks.

use crate::advice::{AdviceExt, because};
use crate::explain;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Explanation, Layer, Mechanism, Severity};
use fullwire_model::disk::{DiskStepResult, Operation, Pattern};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "device-slow",
    title: "the device itself responds slowly",
    layer: Layer::Storage,
    severity: Severity::Warning,
    check,
};

/// For anything without heads.
const SLOW_MS: f64 = 10.0;
/// Half a turn, a seek and 1 ms of a 7,200 rpm disk.
pub(crate) const SLOWEST_SPINDLE_MS: f64 = 4.2 + 9.0 + 1.0;
/// I/Os of which a median is one: a second of them at 100 ms.
const FEWEST: u64 = 10;
/// Share of the program's time that the device must account for.
const OWN_SHARE: f64 = 0.7;

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run)
        .iter()
        .filter(|target| !target.stack.is_empty() && !target.is_void())
        .map(judge)
        .collect()
}

fn judge(target: &facts::Target<'_>) -> Outcome {
    let single = target.result.steps.iter().filter(|step| {
        step.operation != Operation::Mixed
            && !facts::is_synced(step)
            && step.pattern == Pattern::Random
            && facts::in_flight(step) == 1
            && step.block_bytes <= 64 << 10
            && step.latency_ns.count >= FEWEST
    });
    let Some(step) = single.max_by_key(|step| step.latency_ns.p50) else {
        return facts::unread(&format!("the time of single random I/Os on {}", target.name()));
    };
    let whole_ms = step.latency_ns.p50 as f64 / 1e6;
    let layers = facts::leaf_layers(target, step);
    let own_ms =
        layers.iter().filter(|layer| layer.iops > 0.0).map(|layer| layer.await_ns / 1e6).reduce(f64::max);
    let spindles = target.leaves().any(|disk| {
        disk.nvme.is_none()
            && !matches!(disk.transport.as_str(), "virtio" | "xen")
            && disk.queue.as_ref().is_some_and(|queue| queue.rotational == Some(true))
    });
    let limit = if spindles { SLOWEST_SPINDLE_MS } else { SLOW_MS };
    match own_ms {
        _ if whole_ms < limit => Outcome::Passes,
        None => facts::unread(&format!("the time per request of the disks below {}", target.name())),
        Some(own_ms) if own_ms < OWN_SHARE * whole_ms => Outcome::Passes,
        Some(own_ms) => fires(target, step, whole_ms, own_ms, limit),
    }
}

fn fires(
    target: &facts::Target<'_>,
    step: &DiskStepResult,
    whole_ms: f64,
    own_ms: f64,
    limit: f64,
) -> Outcome {
    let disks = facts::listed(&target.leaf_names());
    let what = facts::step_name(step);
    let message = format!(
        "the device is slow: a single {} takes {whole_ms:.1} ms, {own_ms:.1} ms of it in {disks}: {:.0} {}s a second for one session",
        what.split(',').next().unwrap_or(&what),
        1e3 / whole_ms,
        if step.operation == Operation::Read { "read" } else { "write" }
    );
    RULE.finding(target.leaf_names().first().copied().unwrap_or(target.name()), message)
        .measured(whole_ms * 1e6, limit * 1e6, Unit::Ns)
        .evidence(format!("median {whole_ms:.2} ms at depth 1"), "probe")
        .evidence(format!("{disks}: await {own_ms:.2} ms, nothing else in flight"), "/proc/diskstats over the step")
        .explains(single_steps(target, limit).map(|one| one.active(own_ms / whole_ms)))
        .advice(
            because("With one request in flight there is no queue on the host: the time is spent in or behind the device.")
                .now("Read the array's own latency for this unit: equal means the back end, lower means the fabric between")
                .look("multipath -ll || true", "Shows whether all paths are alike")
.look("iostat -x 1 5", "Shows the latency of each path")
                .persist("a faster tier, or a cache with a working battery")
                .expecting("below 1 ms on flash, 5 to 9 ms on 15,000 to 10,000 rpm disks"),
        )
        .into()
}

/// Every step with one I/O in flight, and those whose I/Os take as long: a queue in front of a slow disk helps no one.
fn single_steps(target: &facts::Target<'_>, limit_ms: f64) -> Option<Explanation> {
    explain::steps(target.result, Mechanism::DeviceLatency, |step| {
        !facts::is_synced(step) && step.latency_ns.p50 as f64 / 1e6 >= limit_ms
    })
}

#[cfg(test)]
mod tests {
    use super::SLOWEST_SPINDLE_MS;

    /// Rotational latency, seek and 1 ms of transfer and controller, ms; the rate; its bytes at 8 KiB.
    fn spindle(latency_ms: f64, seek_ms: f64) -> (f64, f64, f64) {
        let ms = latency_ms + seek_ms + 1.0;
        (ms, 1e3 / ms, 1e3 / ms * 8.0 / 1024.0)
    }

    /// The founding table of 15,000, 10,000 and 7,200 rpm; for the last the source prints 13.2 ms and 75 IOPS,
    /// which leaves out its own 1 ms.
    #[test]
    fn disk_arithmetic_follows_the_formula() {
        let (ms, iops, mib_per_s) = spindle(2.0, 3.8);
        assert!((ms - 6.8).abs() < 1e-9 && (iops - 147.0).abs() < 0.1 && (mib_per_s - 1.15).abs() < 0.005);
        let (ms, iops, mib_per_s) = spindle(3.0, 4.9);
        assert!(
            (ms - 8.9).abs() < 1e-9 && (iops - 112.4).abs() < 0.1 && (mib_per_s * 1024.0 - 899.0).abs() < 1.0
        );
        let (ms, iops, _) = spindle(4.2, 9.0);
        assert!(
            (ms - 14.2).abs() < 1e-9 && (ms - SLOWEST_SPINDLE_MS).abs() < 1e-9 && (iops - 70.4).abs() < 0.1
        );
    }
}
