use crate::ceiling::storage::links_below;

rule! {
    /// # What it checks
    /// Passes unless one path group of a multipath map carries all I/O and its links are full (95 %), while other paths
    /// wait in reserve.
    /// # Why it matters
    /// The sum of the paths is not the ceiling: with a group for each path, or with ALUA's optimised side on one
    /// port, only the active group's links count.
    /// # Evidence
    /// Groups and their state (device-mapper), payload of the links of the active group's paths, throughput of
    /// the best sequential step.
    /// # Remedy
    /// `path_grouping_policy group_by_prio` so that all optimised paths share the load; a second port on the
    /// optimised side; units spread over both controllers.
    /// # Source
    /// multipath.conf(5), `path_grouping_policy` (failover: one path per group); SCSI SPC-4, ALUA: only the
    /// optimised port group serves without forwarding.
    code: "multipath-one-group",
    title: "the links of one path group are full while other paths are idle",
    layer: Storage, severity: Warning, on: [MultipathMap], limits: [StoragePath],

    /// Share of the I/O on one group: the others carry nothing.
    const FULL: f64 = 0.95;
}

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run)
        .iter()
        .filter(|target| !target.is_void())
        .flat_map(|target| judge(run, target))
        .collect()
}

fn judge(run: &Run, target: &facts::Target<'_>) -> Vec<Outcome> {
    let below = |map: &&MultipathMap| target.stack.iter().any(|disk| disk.name == map.device);
    let split = |map: &&MultipathMap| map.groups.len() > 1;
    run.host.multipath.iter().filter(below).filter(split).map(|map| judge_map(run, target, map)).collect()
}

fn judge_map(run: &Run, target: &facts::Target<'_>, map: &MultipathMap) -> Outcome {
    let idle: Vec<&str> = map
        .groups
        .iter()
        .flat_map(|group| &group.paths)
        .map(|path| path.device.as_str())
        .filter(|device| facts::is_idle_path(&run.host, device))
        .collect();
    if idle.is_empty() {
        return Outcome::Passes;
    }
    let large =
        |step: &&DiskStepResult| step.pattern == Pattern::Sequential && step.operation == Operation::Read;
    let best = target.result.steps.iter().filter(large);
    let Some(step) = best.max_by(|a, b| a.throughput_bytes_per_s.total_cmp(&b.throughput_bytes_per_s)) else {
        return facts::unread(&format!("sequential reads on {}", target.name()));
    };
    let links = links_below(run, target, step);
    let Some(lowest) = links.iter().min_by(|a, b| a.value.total_cmp(&b.value)) else {
        return facts::unread(&format!("the speed of the links of {}", map.name));
    };
    let share = step.throughput_bytes_per_s / lowest.value;
    if share < FULL {
        return Outcome::Passes;
    }
    let message = format!(
        "the active path group of {} is full: {:.0} MB/s over {}, which carries {:.0} MB/s; {} idle in other groups",
        map.name,
        step.throughput_bytes_per_s / 1e6,
        lowest.subject,
        lowest.value / 1e6,
        facts::listed(&idle)
    );
    let states: Vec<String> = map
        .groups
        .iter()
        .map(|group| {
            let paths: Vec<&str> = group.paths.iter().map(|path| path.device.as_str()).collect();
            format!("{}: {}", group.state, facts::listed(&paths))
        })
        .collect();
    RULE.finding(Kind::MultipathMap.named(&map.name), message)
        .measured(step.throughput_bytes_per_s, lowest.value, Unit::BytesPerS)
        .evidence(states.join("; "), "device-mapper status")
        .evidence(
            format!("{} {:.0} MB/s", lowest.kind, lowest.value / 1e6),
            lowest.derivation.formula.clone(),
        )
        .explains([explain::step(target.result, step, Mechanism::StoragePath).bounded(
            lowest.value,
            Unit::BytesPerS,
            0.1,
        )])
        .because("Paths of another group carry nothing until the active group fails.")
        .look("multipath -ll || true", "Shows prio and status of each group")
        .and(group_paths(&[map]))
        .persist(
            "Where only one port is optimised: a second port on that controller, or units spread over both",
        )
        .expecting("all optimised paths in one active group, and the sum of their links as the new ceiling")
        .into()
}
