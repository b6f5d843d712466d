rule! {
    /// # What it checks
    /// Passes when no path of a map takes more than twice the time per request of its siblings, and at least 1 ms more,
    /// for requests of one operation and size, over 100 of them or more on the path (four times the time over eight or more).
    /// # Why it matters
    /// The whole map is as slow as the share that takes the bad path: a degrading transceiver or a congested
    /// switch port shows here before it fails.
    /// # Evidence
    /// Mean time per request of each path in the steps of one operation and size (`/proc/diskstats`).
    /// # Remedy
    /// Compare the port's error counters, speed and route with its siblings'; take the path out (`offline` to the state of its
    /// SCSI device) until it is repaired. `multipathd fail path` holds until the next check only, which finds the path well.
    /// # Source
    /// Perseus (FAST '23): fail-slow is found by comparison with siblings, not by an absolute bound; Linux
    /// Documentation/admin-guide/iostats.rst. multipath-tools multipathd/main.c, `check_path` (a path whose checker says up is
    /// reinstated); Linux `drivers/scsi/scsi_sysfs.c` (`state`).
    code: "multipath-slow-path",
    title: "one path is slower than the others",
    layer: Storage, severity: Warning, on: [Disk], limits: [StoragePath],

    /// I/Os of which a mean time means something.
    const ENOUGH_IOS: f64 = 100.0;
    /// Times the usual path's time (own choice).
    const SLOWER: f64 = 2.0;
    /// Fewer say nothing of a path (as of a leg).
    const FEWEST_IOS: f64 = 8.0;
    /// Of fewer than enough the mean scatters, and this many times is more than that (as of a leg).
    const FAR_SLOWER: f64 = 4.0;
    /// And this much longer, ms; less is scatter (own choice).
    const SLOWER_MS: f64 = 1.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    run.host
        .multipath
        .iter()
        .flat_map(|map| {
            map.groups.iter().filter(|group| group.paths.len() > 1).map(|group| judge(run, map, group))
        })
        .collect()
}

fn judge(run: &Run, map: &MultipathMap, group: &PathGroup) -> Outcome {
    let kinds = by_kind(run, map, group);
    if kinds.is_empty() {
        return unknown!("too little I/O on the paths of {} to compare their times", map.name);
    }
    let slow = kinds.iter().filter(|one| one.is_slow());
    let slowest = slow.max_by(|one, other| one.times().total_cmp(&other.times()));
    slowest.map_or(Outcome::Passes, |slow| fires(run, map, group, slow))
}

/// The time of a path for one kind of request, beside its siblings'.
struct Compared<'a> {
    path: &'a str,
    what: String,
    /// Requests of the path.
    ios: f64,
    own_ms: f64,
    usual_ms: f64,
}

impl Compared<'_> {
    fn times(&self) -> f64 {
        self.own_ms / self.usual_ms
    }

    /// Fewer requests scatter more, and must differ by more.
    fn is_slow(&self) -> bool {
        let slower = if self.ios >= ENOUGH_IOS { SLOWER } else { FAR_SLOWER };
        self.times() > slower && self.own_ms > self.usual_ms + SLOWER_MS
    }
}

/// Each path beside its siblings, in the steps of one operation and size: a path may be slow for large requests alone, and of
/// one that was not always there the mix of requests is another one. Empty: no step counts its paths.
fn by_kind<'a>(run: &Run, map: &MultipathMap, group: &'a PathGroup) -> Vec<Compared<'a>> {
    let targets = facts::targets(run).into_iter().filter(|target| target.stands_on(&map.device));
    let steps: Vec<&DiskStepResult> = targets.flat_map(|target| &target.result.steps).collect();
    let kind = |step: &DiskStepResult| (step.operation, step.block_bytes);
    let firsts = steps
        .iter()
        .enumerate()
        .filter(|(at, step)| !steps[..*at].iter().any(|earlier| kind(earlier) == kind(step)));
    let compare = |first: &DiskStepResult, path: &'a str| {
        let (mut ios, mut own_ns, mut usual_ns) = (0.0, 0.0, 0.0);
        for step in steps.iter().filter(|step| kind(step) == kind(first)) {
            let parts = paths_in(map, step);
            let own = parts.iter().find(|part| part.name == path);
            if let Some((own, others_ns)) = own.zip(others_ns(step, &parts, path)) {
                let (requests, await_ns) = own.of(step.operation);
                let weight = requests * step.duration_s;
                ios += weight;
                own_ns += weight * await_ns;
                usual_ns += weight * others_ns;
            }
        }
        let each_ms = |sum_ns: f64| sum_ns / ios / 1e6;
        let way = if first.operation == Operation::Write { "writes" } else { "reads" };
        let what = format!(" ({way} of {} KiB)", first.block_bytes >> 10);
        (ios >= FEWEST_IOS).then(|| Compared {
            path,
            what,
            ios,
            own_ms: each_ms(own_ns),
            usual_ms: each_ms(usual_ns),
        })
    };
    firsts.flat_map(|(_, first)| group.paths.iter().filter_map(|path| compare(first, &path.device))).collect()
}

/// What a step counted of the paths of a map that it used.
fn paths_in<'a>(map: &MultipathMap, step: &'a DiskStepResult) -> Vec<&'a LayerStats> {
    let is_path =
        |name: &str| map.groups.iter().flat_map(|group| &group.paths).any(|path| path.device == name);
    step.layers.iter().filter(|layer| layer.iops > 0.0 && is_path(&layer.name)).collect()
}

/// What the slow path costs each step, by how much of it goes that way.
fn explanations(run: &Run, map: &MultipathMap, slow: &str) -> Vec<Explanation> {
    let targets = facts::targets(run).into_iter().filter(|target| target.stands_on(&map.device));
    let of_steps = targets.flat_map(|target| {
        let each = target.result.steps.iter().filter_map(|step| {
            let explanation = explain::step(target.result, step, Mechanism::StoragePath);
            let parts = paths_in(map, step);
            let usual_ns = others_ns(step, &parts, slow);
            match usual_ns.and_then(|usual_ns| residence::lost_to(&target, step, &parts, slow, usual_ns)) {
                Some(share) => Some(explanation.active(share).without(
                    step.iops / (1.0 - share),
                    Unit::IoPerS,
                    "device-latency",
                )),
                None => parts.is_empty().then_some(explanation),
            }
        });
        each.collect::<Vec<_>>()
    });
    of_steps.collect()
}

/// What a request takes on the other paths of a step; `None`: there were too few. A path that is offline turns down at once what
/// is sent to it until the map has noticed.
fn others_ns(step: &DiskStepResult, parts: &[&LayerStats], slow: &str) -> Option<f64> {
    let others = parts.iter().filter(|part| part.name != slow).map(|part| part.of(step.operation));
    let rate: f64 = others.clone().map(|(requests, _)| requests).sum();
    (rate * step.duration_s >= FEWEST_IOS)
        .then(|| others.map(|(requests, await_ns)| requests * await_ns).sum::<f64>() / rate)
}

/// Takes a path out so that it stays out, while another one of its group works: a group of lower priority would have the
/// array move the unit to its other controller.
fn take_out(group: &PathGroup, path: &str) -> Advice {
    let why = because("Every request on this path waits for it and slows down the whole map.");
    if !path.starts_with("sd") {
        return why.now(format!(
            "Take {path} out of the map (marginal_path_* of multipath.conf does so by itself)"
        ));
    }
    let others = group.paths.iter().filter(|other| other.device != path);
    let ready = others.map(|other| {
        sh!("multipathd show paths raw format '%d %T' | grep -qxF {}", format!("{} ready", other.device))
    });
    let set = |state: &str| sh!("echo {} > /sys/block/{}/device/state", state, path);
    why.run(set("offline"), "Takes the path out; measure again without it")
        .check(ShellCommand::joined(ready, " || "), "another path of its group works")
        .undo_run(set("running"), "Uses it again; multipathd reinstates it at its next check")
}

fn fires(run: &Run, map: &MultipathMap, group: &PathGroup, slow: &Compared<'_>) -> Outcome {
    let Compared { path, what, own_ms: await_ms, usual_ms: usual, .. } = slow;
    finding!(Kind::Disk.named(*path), "path {path} of {} is slow: {await_ms:.1} ms a request{what} against {usual:.1} ms on its siblings", map.name)
        .measured(await_ms * 1e6, SLOWER * usual * 1e6, Unit::Ns)
        .evidence(format!("{path} await {await_ms:.2} ms, siblings {usual:.2} ms"), "/proc/diskstats over the steps")
        .explains(explanations(run, map, path))
        .advice(
            take_out(group, path)
                .now("Compare error counters and speed of its port: /sys/class/fc_host/*/statistics, switch port, array port")
                .persist("Replace the transceiver or cable, then use the path again. A state that is set by hand is gone after a reboot")
                .expecting("without the path the map's latency falls to its siblings'"),
        )
        .into()
}
