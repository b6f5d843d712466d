use crate::characteristic::waits_for_a_rate;
use crate::facts::legs::{self, SLOWER, SLOWER_NS, Volume};
use crate::facts::residence;

rule! {
    /// # What it checks
    /// Passes unless one disk of a stripe, mirror or array takes at least four times as long for a request as the others
    /// (and 2 ms more), with one I/O in flight: in most of what was measured, or for one kind and size of I/O alone. With several in
    /// flight as well, where each disk gets as many requests and the others are as quick as with one: a limit that is set for one
    /// disk holds them all. Where a host was read once its means since boot are compared, for
    /// requests of like size.
    /// # Why it matters
    /// Every large read and every mirrored write waits for the slowest leg; of random reads, a share goes at its
    /// pace.
    /// # Evidence
    /// Mean time of a request on each leg over the steps: at depth 1 no queue can explain a difference, and deeper none but that leg's
    /// own. Since boot
    /// also the share of the time with a request in flight: it must be larger on the slow leg, for the kernel's sums of
    /// times wrap at 2^32 ms.
    /// # Remedy
    /// Look at that disk: error counters, a rebuild, its path, its tier. Replace it, or take it out of the array.
    /// # Source
    /// Linux Documentation/admin-guide/iostats.rst (time over requests = await); `diskstats_show` in block/genhd.c (times
    /// are unsigned 32-bit ms); md(4): a mirror's write is
    /// done when all members have it.
    code: "leg-slow",
    title: "one disk of a stripe, mirror or array is slower than the others",
    layer: Storage, severity: Warning, on: [Disk], limits: [UnevenLegs],

    /// Fewer requests of a leg say nothing of it.
    const FEWEST_IOS: f64 = 4.0;
    /// Fewer than this scatter more, and must differ by more (own choice).
    const ENOUGH_IOS: f64 = 8.0;
    /// Times the others' time, of so few.
    const FAR_SLOWER: f64 = 10.0;
    /// Of a leg's mean time: an I/O in ten that takes as long goes to it, and is no single pause (own choice).
    const WAITED: f64 = 0.5;
    /// A leg that gets more than this many times the requests of another is a hot spot (own choice).
    const AS_MANY: f64 = 1.5;
    /// Legs that take no longer than this many times what they take for one I/O alone have no queue (own choice).
    const QUICK: f64 = 2.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let targets = facts::targets(run);
    let measured = targets.iter().filter(|target| !target.is_void()).filter_map(|target| judge(run, target));
    measured.chain(legs::volumes(&run.host).into_iter().filter_map(|legs| since_boot(run, &legs))).collect()
}

/// The means of the legs of a volume since boot.
fn since_boot(run: &Run, volume: &Volume<'_>) -> Option<Outcome> {
    let (span, parts) = legs::of(run, volume)?;
    let Some(slow) = legs::slowest(&parts) else { return Some(Outcome::Passes) };
    let message = format!(
        "{} is the slowest disk of {}: a {} takes {:.1} ms on average {}, on the others at most {:.2} ms",
        slow.name,
        volume.name,
        slow.what,
        slow.await_ms,
        span.text(),
        slow.others_ms
    );
    let busy: Vec<String> = parts
        .iter()
        .map(|leg| format!("{} busy {} of the time", leg.name, facts::percent(leg.busy)))
        .collect();
    let finding = RULE
        .finding(Kind::Disk.named(slow.name), message)
        .measured(slow.await_ms * 1e6, SLOWER * slow.others_ms * 1e6, Unit::Ns)
        .evidence(busy.join("; "), "/proc/diskstats");
    Some(advised(finding, slow.name).into())
}

/// What shares the load below a target: the parts of the topmost device that has several and is no multipath map.
fn legs_of<'a>(target: &facts::Target<'a>) -> Option<&'a Disk> {
    target.stack.iter().copied().find(|disk| disk.slaves.len() > 1 && disk.kind != "multipath")
}

fn judge(run: &Facts, target: &facts::Target<'_>) -> Option<Outcome> {
    let whole = legs_of(target)?;
    // Where a rate is let through, the leg that gets most requests waits for it, however quick it is.
    let known = run.characteristics.get(target.name());
    let waits =
        |step| known.and_then(|known| waits_for_a_rate(known, &target.result.name_of(step))).is_some();
    let apart = target.result.steps.iter().filter(|step| !step.concurrent && !waits(step));
    let compared: Vec<(&DiskStepResult, Option<Slow<'_>>)> = apart
        .filter_map(|step| {
            let legs = busy_legs(whole, step);
            let slow = slowest(step, &legs);
            // Several in flight say something of a leg only where they wait for it alone.
            let told = facts::in_flight(step) == 1
                || slow.as_ref().is_some_and(|slow| waits_for_it(target, whole, step, slow));
            (legs.len() > 1 && told).then_some((step, slow))
        })
        .collect();
    if compared.is_empty() {
        return Some(unknown!("no step with one I/O in flight used several disks of {}", whole.name));
    }
    let slow: Vec<(&DiskStepResult, &Slow<'_>)> =
        compared.iter().filter_map(|(step, slow)| Some((*step, slow.as_ref()?))).collect();
    // A pause may hit any leg once; a slow one is slow in most of what was done of a kind, or one I/O in ten waits for it.
    let kind = |step: &DiskStepResult| (step.operation, step.block_bytes);
    let stays = |(step, found): &&(&DiskStepResult, &Slow<'_>)| {
        let of_leg = slow.iter().filter(|(_, own)| own.leg.name == found.leg.name);
        let alike = compared.iter().filter(|(other, _)| kind(other) == kind(step)).count();
        let waits = step.latency_ns.p90 as f64 >= WAITED * found.own_ns;
        2 * of_leg.clone().count() >= compared.len()
            || waits && 2 * of_leg.filter(|(other, _)| kind(other) == kind(step)).count() >= alike
    };
    let worst = slow.iter().filter(stays).max_by(|a, b| a.1.own_ns.total_cmp(&b.1.own_ns));
    Some(worst.map_or(Outcome::Passes, |(step, found)| fires(target, whole, step, found)))
}

struct Slow<'s> {
    leg: &'s LayerStats,
    /// Of a request of the step's kind.
    own_ns: f64,
    others_ns: f64,
}

/// All that are in flight wait in this leg, and in no queue that the host set: of as many requests as each of the others gets, which
/// are as quick as ever.
fn waits_for_it(target: &facts::Target<'_>, whole: &Disk, step: &DiskStepResult, slow: &Slow<'_>) -> bool {
    let alone = target.singles().filter(|other| facts::is_alike(other, step));
    let alone_ns =
        alone.filter_map(|other| usual_ns(other, &busy_legs(whole, other), &slow.leg.name)).reduce(f64::max);
    let disk = target.stack.iter().find(|disk| disk.name == slow.leg.name);
    let room =
        disk.and_then(|disk| disk.scsi.as_ref()?.queue_depth).map_or(f64::INFINITY, |depth| depth as f64);
    busy_legs(whole, step).iter().all(|leg| slow.leg.iops <= AS_MANY * leg.iops)
        && alone_ns.is_some_and(|alone_ns| slow.others_ns <= QUICK * alone_ns)
        && slow.leg.queue_mean <= room
}

fn busy_legs<'s>(whole: &Disk, step: &'s DiskStepResult) -> Vec<&'s LayerStats> {
    let is_leg = |layer: &&LayerStats| whole.slaves.contains(&layer.name);
    // A mirror may read from one half alone: what it writes to the other, such as a bitmap, is no measure of a read.
    let of_step = |leg: &LayerStats| match (step.operation, leg.read_iops) {
        (Operation::Read, Some(reads)) => reads,
        _ => leg.iops,
    };
    step.layers.iter().filter(is_leg).filter(|leg| of_step(leg) * step.duration_s >= FEWEST_IOS).collect()
}

/// The leg that takes far longer than the slowest of the others. In a durable write flushes are compared with flushes, and writes
/// with writes: of a stripe one leg may take nothing but the flushes.
fn slowest<'s>(step: &DiskStepResult, legs: &[&'s LayerStats]) -> Option<Slow<'s>> {
    let durable = |leg: &&'s LayerStats| Some((*leg, residence::Durable::of(leg)?));
    let parts: Vec<_> = legs.iter().filter(|_| facts::is_synced(step)).filter_map(durable).collect();
    if parts.len() < legs.len() {
        let times: Vec<_> = legs.iter().map(|leg| (*leg, leg.of(step.operation).1)).collect();
        return far_slower(step, &times);
    }
    let writes: Vec<_> = parts.iter().filter_map(|(leg, one)| Some((*leg, one.write_ns?))).collect();
    let flushes: Vec<_> = parts.iter().map(|(leg, one)| (*leg, one.flush_ns)).collect();
    let slow = [far_slower(step, &writes), far_slower(step, &flushes)].into_iter().flatten();
    slow.max_by(|one, other| one.own_ns.total_cmp(&other.own_ns))
}

fn far_slower<'s>(step: &DiskStepResult, times: &[(&'s LayerStats, f64)]) -> Option<Slow<'s>> {
    let fewest = times.iter().map(|(leg, _)| leg.iops * step.duration_s).fold(f64::INFINITY, f64::min);
    let slower = if fewest >= ENOUGH_IOS { SLOWER } else { FAR_SLOWER };
    let (leg, own_ns) = times.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let others = times.iter().filter(|(other, _)| other.name != leg.name);
    let others_ns = others.map(|(_, ns)| *ns).reduce(f64::max)?;
    let slow = own_ns >= slower * others_ns && own_ns >= others_ns + SLOWER_NS;
    slow.then_some(Slow { leg, own_ns, others_ns })
}

fn fires(target: &facts::Target<'_>, whole: &Disk, step: &DiskStepResult, slow: &Slow<'_>) -> Outcome {
    let name = &slow.leg.name;
    let message = format!(
        "{name} is the slowest disk of {}: {:.1} ms per request, the others at most {:.2} ms ({})",
        whole.name,
        slow.own_ns / 1e6,
        slow.others_ns / 1e6,
        facts::step_name(step)
    );
    let all = busy_legs(whole, step);
    let times: Vec<String> = all
        .iter()
        .map(|leg| format!("{} await {:.2} ms", leg.name, leg.of(step.operation).1 / 1e6))
        .collect();
    let finding = RULE
        .finding(Kind::Disk.named(name), message)
        .measured(slow.own_ns, SLOWER * slow.others_ns, Unit::Ns)
        .evidence(times.join("; "), "/proc/diskstats over the step")
        .explains(explanations(target, whole, slow));
    advised(finding, name).into()
}

/// What the slow leg costs each step, by how much of it goes there.
fn explanations(target: &facts::Target<'_>, whole: &Disk, slow: &Slow<'_>) -> Vec<Explanation> {
    let (name, others_ns) = (&slow.leg.name, slow.others_ns);
    let each = target.result.steps.iter().map(|step| {
        let explanation = explain::step(target.result, step, Mechanism::UnevenLegs);
        let parts: Vec<&LayerStats> =
            step.layers.iter().filter(|layer| whole.slaves.contains(&layer.name)).collect();
        match residence::lost_to(
            target,
            step,
            &parts,
            name,
            usual_ns(step, &parts, name).unwrap_or(others_ns),
        ) {
            Some(share) => {
                explanation.active(share).without(step.iops / (1.0 - share), Unit::IoPerS, "device-latency")
            }
            None => explanation.active(1.0 - others_ns / slow.own_ns),
        }
    });
    each.collect()
}

/// The longest time that another leg of a step takes.
fn usual_ns(step: &DiskStepResult, parts: &[&LayerStats], slow: &str) -> Option<f64> {
    let others = parts.iter().filter(|part| part.name != slow && part.iops > 0.0);
    others.map(|part| part.of(step.operation).1).reduce(f64::max)
}

fn advised(finding: Finding, name: &str) -> Finding {
    finding
        .because("A stripe's large I/O and a mirror's write finish when the slowest leg does.")
        .look(sh!("smartctl -x {} || true", format!("/dev/{name}")), "Shows the disk's own counters")
        .of_drive(OfDrive::Asked)
        .look(sh!("dmesg | grep -F {} || true", name), "Shows resets and timeouts")
        .now("Read the array's view of that unit: its tier, its limits, a rebuild, its port")
        .persist("replace the disk, or move its extents: `pvmove`, `mdadm --replace`")
        .expecting("the same await on every leg in `iostat -x`")
}
