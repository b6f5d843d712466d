use super::owner;
use crate::prelude::*;
use fullwire_model::disk::{DiskStepResult, Operation};
use fullwire_model::host::{Cgroup, IoMax};

rule! {
    /// # What it checks
    /// Passes unless the control group that fullwire runs in, or one above it, limits I/Os or bytes per second on a device
    /// below the target, and the measurement runs at that limit.
    ///
    /// # Why it matters
    /// The disk could do more; the kernel delays the requests. No change to the disk, the file system or the
    /// database helps.
    ///
    /// # Evidence
    /// `io.max` of the own control group and its parents under `/sys/fs/cgroup`; I/Os and bytes per second of the
    /// probe.
    ///
    /// # Remedy
    /// Raise or remove the limit of the group that the database runs in, `IOReadIOPSMax=` and related settings in the
    /// systemd unit.
    ///
    /// # Source
    /// Linux Documentation/admin-guide/cgroup-v2.rst, "IO Interface Files", io.max; systemd.resource-control(5).
    code: "cgroup-io-max",
    title: "a control group's io.max caps the I/O of the device under the target",
    layer: Host, severity: Warning, on: [Cgroup], limits: [IoLimit],

    /// From this share of a limit on, the limit is what was measured.
    const AT_LIMIT: f64 = 0.80;
    /// The kernel lets a group that was idle go beyond its limit for a slice of time (`block/blk-throttle.c`): of a probe of
    /// seconds up to a fifth.
    const BURST: f64 = 0.2;
    /// Below its limit a group is not held back, except for what a probe of a second loses at its ends.
    const BELOW: f64 = 0.1;
}

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run)
        .iter()
        .filter(|target| !target.stack.is_empty())
        .flat_map(|target| judge(run, target))
        .collect()
}

fn judge(run: &Run, target: &facts::Target<'_>) -> Vec<Outcome> {
    if run.host.cgroups.is_empty() {
        return vec![facts::unread("the own control group")];
    }
    let mut outcomes = Vec::new();
    for cgroup in &run.host.cgroups {
        for disk in &target.stack {
            if let Some(max) = cgroup.io_max.get(&disk.number) {
                outcomes.push(limited(target, cgroup, disk, max));
            }
        }
    }
    if outcomes.is_empty() { vec![Outcome::Passes] } else { outcomes }
}

/// One of the four limits next to the rate that was seen.
struct Limit {
    word: &'static str,
    operation: Operation,
    unit: Unit,
    most: f64,
    seen: f64,
}

fn limits_of(target: &facts::Target<'_>, max: &IoMax) -> Vec<Limit> {
    let seen = |operation: Operation, unit: Unit| {
        let steps = target.result.steps.iter().filter(|step| step.operation == operation);
        steps.map(|step| rate(step, unit)).fold(0.0, f64::max)
    };
    let one = |word, limit: Option<u64>, operation, unit| {
        limit.map(|limit| Limit { word, operation, unit, most: limit as f64, seen: seen(operation, unit) })
    };
    [
        one("riops", max.read_io_per_s, Operation::Read, Unit::IoPerS),
        one("wiops", max.write_io_per_s, Operation::Write, Unit::IoPerS),
        one("rbps", max.read_bytes_per_s, Operation::Read, Unit::BytesPerS),
        one("wbps", max.write_bytes_per_s, Operation::Write, Unit::BytesPerS),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What a step did of what a limit counts.
fn rate(step: &DiskStepResult, unit: Unit) -> f64 {
    match unit {
        Unit::IoPerS => step.iops * step.requests_per_io.unwrap_or(1.0).max(1.0),
        _ => step.throughput_bytes_per_s,
    }
}

fn limited(target: &facts::Target<'_>, cgroup: &Cgroup, disk: &Disk, max: &IoMax) -> Outcome {
    let limits = limits_of(target, max);
    let Some(nearest) = limits.iter().max_by(|a, b| (a.seen / a.most).total_cmp(&(b.seen / b.most))) else {
        return Outcome::Passes;
    };
    let reached = nearest.most > 0.0 && nearest.seen >= AT_LIMIT * nearest.most;
    let what = format!("{}={:.0}", nearest.word, nearest.most);
    let message = if reached {
        format!(
            "control group {} throttles {}: io.max {what} per second, and {:.0} were measured on {}",
            cgroup.path,
            disk.name,
            nearest.seen,
            target.name()
        )
    } else {
        format!(
            "control group {} limits {} to io.max {what} per second; the measurement stayed below it",
            cgroup.path, disk.name
        )
    };
    let finding = RULE
        .finding(Kind::Cgroup.named(&cgroup.path).aspect("io.max"), message)
        .measured(nearest.seen, nearest.most, nearest.unit)
        .evidence(format!("{} {what}", disk.number), format!("/sys/fs/cgroup{}/io.max", cgroup.path))
        .advice(advice(cgroup, disk, nearest));
    let explained = limits.iter().flat_map(|limit| {
        let steps = target.result.steps.iter().filter(|step| step.operation == limit.operation);
        steps.map(|step| {
            let tolerance = if rate(step, limit.unit) > limit.most { BURST } else { BELOW };
            explain::step(target.result, step, Mechanism::IoLimit).bounded(limit.most, limit.unit, tolerance)
        })
    });
    let finding = finding.explains(explained);
    if reached { finding.into() } else { finding.severity(Severity::Info).into() }
}

fn advice(cgroup: &Cgroup, disk: &Disk, limit: &Limit) -> fullwire_model::assessment::Advice {
    let file = format!("/sys/fs/cgroup{}/io.max", cgroup.path);
    let why = because("The kernel delays every request beyond the limit, while the disk is idle.")
        .expecting("the same probe runs at the speed of the disk; `fullwire diff` shows the step");
    if let Some(elsewhere) = owner::instead(cgroup) {
        return why.and(elsewhere);
    }
    why.run(sh!("echo {} > {}", format!("{} {}=max", disk.number, limit.word), file), "Removes the limit until the unit is started again")
        .persist("in the unit or slice that sets it: remove IOReadIOPSMax=, IOWriteIOPSMax=, IOReadBandwidthMax=, IOWriteBandwidthMax=, then `systemctl daemon-reload`")
        .undo_run(sh!("echo {} > {}", format!("{} {}={:.0}", disk.number, limit.word, limit.most), file), "Sets the limit again")
}
