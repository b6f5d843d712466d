use super::owner;
use fullwire_model::format::value;

rule! {
    /// # What it checks
    /// Passes unless the control group that fullwire runs in, or one above it, limits I/Os or bytes per second on a device
    /// below the target, and the measurement runs at that limit (one that a step far exceeds does not act); and unless the group of a database does so on a device below
    /// its data (a warning where it is less than nearly any such device gives).
    /// # Why it matters
    /// The disk could do more; the kernel delays the requests. No change to the disk, the file system or the
    /// database helps.
    /// # Evidence
    /// `io.max` of the own control group and its parents under `/sys/fs/cgroup`; I/Os and bytes per second of the
    /// probe.
    /// # Remedy
    /// Raise or remove the limit of the group that the database runs in, `IOReadIOPSMax=` and related settings in the
    /// systemd unit.
    /// # Source
    /// Linux Documentation/admin-guide/cgroup-v2.rst, "IO Interface Files", io.max; systemd.resource-control(5).
    code: "cgroup-io-max",
    title: "a control group's io.max caps the I/O of the device under the target",
    layer: Host, severity: Warning, on: [Cgroup], limits: [IoLimit],

    /// From this share of a limit on, the limit is what was measured.
    const AT_LIMIT: f64 = 0.80;
    /// A group that was idle has as much at once as its limit gives in a slice of the throttle
    /// (`block/blk-throttle.c`, `throtl_slice`).
    const AT_ONCE_S: f64 = 0.1;
    /// An interval that begins no more than this before a repeat, or before what it has at once is used up, begins with it, s.
    const APART_S: f64 = 0.02;
    /// Below its limit a group is not held back, except for what a probe of a second loses at its ends.
    const BELOW: f64 = 0.1;
    /// No further beyond a limit the figure is that of the limit; from there on it is that of a burst (own choice).
    const NEAR: f64 = 0.25;
    /// I/Os a second that nearly any solid-state disk gives (own choice: a tenth of a SATA SSD's random reads).
    const FLASH_IO_PER_S: f64 = 5_000.0;
    /// Bytes a second that it gives (own choice: half of SATA's 500 MB/s).
    const FLASH_BYTES_PER_S: f64 = 250e6;
    /// I/Os a second of one spinning disk of 7,200 rpm (worked figures: 75).
    const SPINNING_IO_PER_S: f64 = 70.0;
    /// Bytes a second that it gives on its inner tracks (own choice).
    const SPINNING_BYTES_PER_S: f64 = 50e6;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let targets = facts::targets(run);
    let measured = targets.iter().filter(|target| !target.stack.is_empty());
    let judged = measured.flat_map(|target| judge(run, target));
    judged.chain(unmeasured(run, &targets)).collect()
}

/// Limits of the databases' groups on devices below their data that no measurement was made on.
fn unmeasured(run: &Run, targets: &[facts::Target<'_>]) -> Vec<Outcome> {
    let host = &run.host;
    let data = facts::data_devices(run);
    let of_database = |group: &&Cgroup| host.databases.iter().any(|database| facts::holds(group, database));
    let groups: Vec<&Cgroup> = host.cgroups.iter().filter(of_database).collect();
    if groups.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for group in groups {
        for (number, max) in &group.io_max {
            let disk = host.disk_by_number(number).filter(|disk| data.contains(disk.name.as_str()));
            let Some(disk) = disk.filter(|disk| !targets.iter().any(|target| target.stands_on(&disk.name)))
            else {
                continue;
            };
            found.extend(kept(group, disk, max));
        }
    }
    if found.is_empty() { vec![Outcome::Passes] } else { found }
}

/// What the four limits are called, with their values.
fn named(max: &IoMax) -> impl Iterator<Item = (&'static str, u64, Unit)> {
    [
        ("riops", max.read_io_per_s, Unit::IoPerS),
        ("wiops", max.write_io_per_s, Unit::IoPerS),
        ("rbps", max.read_bytes_per_s, Unit::BytesPerS),
        ("wbps", max.write_bytes_per_s, Unit::BytesPerS),
    ]
    .into_iter()
    .filter_map(|(word, limit, unit)| Some((word, limit?, unit)))
}

/// A limit is a warning where nearly any device of its kind does more, and worth knowing elsewhere.
fn kept(group: &Cgroup, disk: &Disk, max: &IoMax) -> Option<Outcome> {
    let (io_per_s, bytes_per_s) = match disk.queue.as_ref().and_then(|queue| queue.rotational) {
        Some(false) => (FLASH_IO_PER_S, FLASH_BYTES_PER_S),
        _ => (SPINNING_IO_PER_S, SPINNING_BYTES_PER_S),
    };
    let any = |unit| if unit == Unit::IoPerS { io_per_s } else { bytes_per_s };
    let nearest = named(max).min_by(|a, b| (a.1 as f64 / any(a.2)).total_cmp(&(b.1 as f64 / any(b.2))))?;
    let (_, most, unit) = nearest;
    let limits: Vec<String> = named(max).map(|(word, most, _)| format!("{word}={most}")).collect();
    let severity = if (most as f64) < any(unit) { Severity::Warning } else { Severity::Info };
    Some(
        finding!(
            Kind::Cgroup.named(&group.path).aspect("io.max"),
            "control group {} of the database limits {} to io.max {} per second",
            group.path,
            disk.name,
            limits.join(" "),
        )
        .severity(severity)
        .measured(most as f64, any(unit), unit)
        .evidence(
            format!("{} {}", disk.number, limits.join(" ")),
            format!("/sys/fs/cgroup{}/io.max", group.path),
        )
        .advice(advice(
            group,
            disk,
            &named(max).map(|(word, most, _)| (word, most as f64)).collect::<Vec<_>>(),
        ))
        .into(),
    )
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
    /// A step went beyond it by more than a burst: what it counts does not come this way. Of a multipath map the requests, not
    /// the I/Os, go to the paths (Linux block/blk-mq.c, `blk_insert_cloned_request`), and no throttle sees them there.
    beyond: bool,
}

fn limits_of(target: &facts::Target<'_>, disk: &Disk, max: &IoMax) -> Vec<Limit> {
    let one = |(word, limit, unit): (&'static str, u64, Unit)| {
        let most = limit as f64;
        let operation = if word.starts_with('r') { Operation::Read } else { Operation::Write };
        let steps = target.result.steps.iter().filter(|step| step.operation == operation);
        let counted = |step: &DiskStepResult| of_one(target, step, disk, most, unit) * rate(step, unit);
        let settled = |step: &DiskStepResult| of_one(target, step, disk, most, unit) * settled(step, unit);
        let beyond = steps.clone().any(|step| settled(step) > most * (1.0 + NEAR));
        let seen = steps.map(counted).fold(0.0, f64::max);
        Limit { word, operation, unit, most, seen, beyond }
    };
    named(max).map(one).collect()
}

/// What a step did, in I/Os or bytes of the program.
fn rate(step: &DiskStepResult, unit: Unit) -> f64 {
    if unit == Unit::IoPerS { step.iops } else { step.throughput_bytes_per_s }
}

/// How often a limit on a device counts one I/O, or one byte.
fn of_one(target: &facts::Target<'_>, step: &DiskStepResult, disk: &Disk, most: f64, unit: Unit) -> f64 {
    match unit {
        Unit::IoPerS => residence::throttled_as(target, step, &disk.name, most),
        _ => residence::bytes_at(target, step, &disk.name),
    }
}

/// How often a step begins after a pause: with each repeat.
fn begins(step: &DiskStepResult) -> f64 {
    step.repeats_bytes_per_s.len().max(1) as f64
}

/// What a step gets beyond a limit, as a share of what the limit gives it.
fn at_once(step: &DiskStepResult) -> f64 {
    if step.duration_s > 0.0 { begins(step) * AT_ONCE_S / step.duration_s } else { 0.0 }
}

/// The rate of a step once a group has used up what it has at once, by what slices of the throttle let through: as much at the
/// begin of each, so that a time of one and a half has that of two. Reckoned from the whole where nothing shows how it went.
fn settled(step: &DiskStepResult, unit: Unit) -> f64 {
    let each_s = step.duration_s / begins(step);
    let (mut sum, mut seconds, mut since_s) = (0.0, 0.0, 0.0);
    for slice in &step.intervals {
        let length_s = slice.t_s - since_s;
        if (since_s + APART_S) % each_s >= AT_ONCE_S {
            let rate = if unit == Unit::IoPerS { slice.iops } else { slice.throughput_bytes_per_s };
            sum += rate * length_s;
            seconds += length_s;
        }
        since_s = slice.t_s;
    }
    let slices = (seconds / begins(step) / AT_ONCE_S).floor() + 1.0;
    if seconds > 0.0 {
        // Never more than the whole: an I/O of more bytes than a slice has waits for several, and is counted where it ends.
        (sum / (begins(step) * slices * AT_ONCE_S)).min(rate(step, unit))
    } else {
        rate(step, unit) / (1.0 + at_once(step))
    }
}

/// What a limit lets through of a step, in I/Os or bytes of the program, and how far the figure may be from it: each repeat
/// begins after a pause.
fn allowed(step: &DiskStepResult, most: f64, unit: Unit) -> (f64, f64) {
    let rate = rate(step, unit);
    let near = at_once(step).clamp(BELOW, NEAR);
    if rate <= most {
        (most, BELOW)
    } else if rate <= most * (1.0 + near) {
        (most, near)
    } else if settled(step, unit) <= most * (1.0 + NEAR) {
        (rate, BELOW)
    } else {
        (most, BELOW)
    }
}

fn limited(target: &facts::Target<'_>, cgroup: &Cgroup, disk: &Disk, max: &IoMax) -> Outcome {
    let (beyond, mut limits): (Vec<Limit>, Vec<Limit>) =
        limits_of(target, disk, max).into_iter().partition(|limit| limit.beyond);
    let acts = !limits.is_empty();
    if !acts {
        limits = beyond;
    }
    let Some(nearest) = limits.iter().max_by(|a, b| (a.seen / a.most).total_cmp(&(b.seen / b.most))) else {
        return Outcome::Passes;
    };
    let reached = acts && nearest.most > 0.0 && nearest.seen >= AT_LIMIT * nearest.most;
    let (what, seen) = (format!("{}={:.0}", nearest.word, nearest.most), value(nearest.seen, nearest.unit));
    let (group, name) = (&cgroup.path, &disk.name);
    let message = if reached {
        format!(
            "control group {group} throttles {name}: io.max {what} per second, and {} gets {seen}",
            target.name()
        )
    } else if acts {
        format!(
            "control group {group} limits {name} to io.max {what} per second; the measurement stayed below it"
        )
    } else {
        format!(
            "control group {group} limits {name} to io.max {what} per second; {} gets {seen}: it does not act there",
            target.name()
        )
    };
    let finding = RULE
        .finding(Kind::Cgroup.named(&cgroup.path).aspect("io.max"), message)
        .measured(nearest.seen, nearest.most, nearest.unit)
        .evidence(format!("{} {what}", disk.number), format!("/sys/fs/cgroup{}/io.max", cgroup.path))
        .advice(advice(cgroup, disk, &[(nearest.word, nearest.most)]));
    let explained = limits.iter().filter(|limit| !limit.beyond).flat_map(|limit| {
        let steps = target.result.steps.iter().filter(|step| step.operation == limit.operation);
        steps.map(|step| {
            let most = limit.most / of_one(target, step, disk, limit.most, limit.unit);
            let (bound, tolerance) = allowed(step, most, limit.unit);
            explain::step(target.result, step, Mechanism::IoLimit).bounded(bound, limit.unit, tolerance)
        })
    });
    let finding = finding.explains(explained);
    if reached { finding.into() } else { finding.severity(Severity::Info).into() }
}

/// Lifts these limits: the one that was reached, or all where none was measured.
fn advice(cgroup: &Cgroup, disk: &Disk, limits: &[(&str, f64)]) -> Advice {
    let file = format!("/sys/fs/cgroup{}/io.max", cgroup.path);
    let why = because("The kernel delays every request beyond the limit, while the disk is idle.")
        .expecting("the same probe runs at the speed of the disk; `fullwire diff` shows the step");
    if let Some(elsewhere) = owner::instead(cgroup) {
        return why.and(elsewhere);
    }
    let set = |word: &str, value: &str| sh!("echo {} > {}", format!("{} {word}={value}", disk.number), file);
    let mut advice = why;
    for (word, _) in limits {
        advice =
            advice.run(set(word, "max"), format!("Removes the limit {}", owner::UNTIL)).needs(owner::AGREES);
    }
    let settings: Vec<&str> = limits.iter().map(|(word, _)| directive(word)).collect();
    advice = advice.persist(format!(
        "in the unit or slice that sets it: remove {}, then `systemctl daemon-reload`",
        facts::listed(&settings)
    ));
    limits.iter().fold(advice, |advice, (word, most)| {
        advice.undo_run(set(word, &format!("{most:.0}")), "Sets the limit again")
    })
}

/// What systemd calls it (systemd.resource-control(5)).
fn directive(word: &str) -> &'static str {
    match word {
        "riops" => "IOReadIOPSMax=",
        "wiops" => "IOWriteIOPSMax=",
        "rbps" => "IOReadBandwidthMax=",
        _ => "IOWriteBandwidthMax=",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 330 I/Os a second as a kernel let them through: of eight in flight 150 in each quarter of a second, of which 90 went in
    /// the first 100 ms; of 32 in flight a slice's worth at the begin of each.
    #[test]
    fn what_a_group_has_at_once_refutes_no_limit() {
        let settled_of = |each: &[f64]| {
            let rates = [each, each, each].concat();
            let slice = |(at, rate): (usize, &f64)| fullwire_model::disk::DiskInterval {
                t_s: 0.05 * (at + 1) as f64,
                iops: *rate,
                ..Default::default()
            };
            let step = DiskStepResult {
                intervals: rates.iter().enumerate().map(slice).collect(),
                duration_s: 0.75,
                iops: rates.iter().sum::<f64>() / rates.len() as f64,
                repeats_bytes_per_s: vec![1.0; 3],
                ..DiskStepResult::default()
            };
            settled(&step, Unit::IoPerS)
        };
        let at_its_end = [0.0, 0.0, 0.0, 0.0, 1700.0];
        for rates in [[1120.0, 700.0, 320.0, 340.0, 453.0], [180.0, 660.0, 0.0, 660.0, 472.0], at_its_end] {
            let settled = settled_of(&rates);
            assert!(settled < 330.0 * (1.0 + NEAR), "{settled}");
        }
        assert!(settled_of(&[1000.0; 5]) > 330.0 * (1.0 + NEAR));
    }

    /// Reads of a multipath map pass the limit of its path at ten times what it says: no figure is held by it.
    #[test]
    fn a_limit_that_a_step_exceeds_explains_no_other() {
        let text = include_str!("../../../fixtures/cgroup-io-max.json");
        let explained = |name: &str| {
            let mut run = fullwire_model::fixture::run(text, name);
            let scan = DiskStepResult { iops: 250.0, block_bytes: 1 << 20, ..run.disk[0].steps[0].clone() };
            run.disk[0].steps.push(scan);
            let outcomes = check(&Facts::of(&run));
            let [Outcome::Fires(finding)] = outcomes.as_slice() else { panic!("one finding") };
            (finding.severity, finding.explains.len())
        };
        assert_eq!(explained("fires/plain"), (Severity::Warning, 2));
        assert_eq!(explained("info/beyond-it"), (Severity::Info, 0));
    }
}
