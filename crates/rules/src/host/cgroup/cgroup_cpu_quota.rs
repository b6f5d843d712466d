use super::owner;
use crate::facts::Since;

rule! {
    /// # What it checks
    /// Passes unless the kernel stopped the control group, because its `cpu.max` quota was used up, while fullwire was
    /// measuring (or in the idle window of an audit). Counters that were read once are judged by what they came to since the
    /// group was made: more than a twentieth of an hour's periods and more.
    /// # Why it matters
    /// A throttled program waits for its next period with the disk and the network idle: latency gains tens of
    /// milliseconds at random, and neither disk nor wire is to blame. The host's CPU may look idle.
    /// # Evidence
    /// Growth of `nr_throttled`, `nr_periods` and `throttled_usec` in `cpu.stat` of the own group and its
    /// parents over each window; `cpu.max`.
    /// # Remedy
    /// Raise or remove `CPUQuota=` (`cpu.max`) of the group that the database runs in.
    /// # Source
    /// Linux Documentation/scheduler/sched-bwc.rst (`nr_periods`, `nr_throttled`, `throttled_time`);
    /// Documentation/admin-guide/cgroup-v2.rst, cpu.max and cpu.stat.
    code: "cgroup-cpu-quota",
    title: "a CPU quota throttled this control group during a probe",
    layer: Host, severity: Warning, on: [Cgroup], limits: [CpuStarved],

    /// Throttled in more than this share of the periods: no accident.
    const OFTEN: f64 = 0.05;
    /// Periods of an hour, of 100 ms each unless set otherwise: what came while the group started weighs little then.
    const LASTING: u64 = 36_000;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut paths: Vec<&str> =
        run.windows.iter().flat_map(|w| w.to.cgroups.iter().map(|c| c.path.as_str())).collect();
    paths.sort_unstable();
    paths.dedup();
    if paths.is_empty() {
        return vec![facts::unread("cpu.stat of the own control group")];
    }
    paths.into_iter().map(|path| judge(run, path)).collect()
}

fn judge(run: &Run, path: &str) -> Outcome {
    let total = facts::side::own(run).is_read_once();
    let read = |pick: fn(&CgroupCounters) -> Option<u64>| {
        let of = move |counters: &Counters| {
            counters.cgroups.iter().find(|cgroup| cgroup.path == path).and_then(pick)
        };
        if total { of(&run.windows.last()?.to) } else { facts::grown_in_all(run, of) }
    };
    let Some(throttled) = read(|cgroup| cgroup.nr_throttled) else {
        // A group without the cpu controller has no quota.
        return Outcome::Passes;
    };
    let periods = read(|cgroup| cgroup.nr_periods).unwrap_or(0);
    let share = if periods == 0 { 0.0 } else { throttled as f64 / periods as f64 };
    if throttled < 2 || share <= OFTEN {
        return Outcome::Passes;
    }
    if total && periods < LASTING {
        return unknown!(
            "control group {path} was throttled in {throttled} of {periods} periods since it was made: too few to judge"
        );
    }
    let stopped_s = read(|cgroup| cgroup.throttled_us).unwrap_or(0) as f64 / 1e6;
    fires(run, path, (throttled, periods), stopped_s, total)
}

fn fires(run: &Run, path: &str, (throttled, periods): (u64, u64), stopped_s: f64, total: bool) -> Outcome {
    let cpus = run.host.cgroups.iter().find(|cgroup| cgroup.path == path).and_then(|cgroup| cgroup.cpu_quota);
    let quota = cpus.map_or("its quota".to_owned(), |cpus| format!("cpu.max of {cpus:.2} CPUs"));
    let share = throttled as f64 / periods as f64;
    let paused = if total {
        format!("paused for {stopped_s:.0} s since it was made")
    } else {
        format!("paused for {stopped_s:.1} s of the measurement")
    };
    let span = if total { Span { seconds: 0.0, since: Since::Boot } } else { Span::default() };
    finding!(
        Kind::Cgroup.named(path).aspect("cpu.max"),
        "control group {path} was throttled in {throttled} of {periods} periods by {quota}: it was {paused}",
    )
    .measured(share, OFTEN, Unit::Ratio)
    .evidence(
        format!(
            "{}, {}, throttled {}{stopped_s:.3} s",
            span.count("nr_throttled", throttled),
            span.count("nr_periods", periods),
            if total { "" } else { "+" },
        ),
        format!("/sys/fs/cgroup{path}/cpu.stat"),
    )
    .explains(
        explain::paths_of_windows(run, Mechanism::CpuStarved, |window| throttled_in(window, path))
            .into_iter()
            .flat_map(|one| felt(run, one, share)),
    )
    .advice(advice(run, path, cpus))
    .into()
}

/// What of the throttled periods a path's measurements can have felt: of a storage step no more than the time that its
/// I/Os spend above the devices, nor than its threads were ready and stopped; of a stream nothing while a queue was full.
fn felt(run: &Run, whole: Explanation, share: f64) -> Vec<Explanation> {
    let targets = facts::targets(run).into_iter().filter(|target| *target.name() == whole.path);
    let of_steps = targets.flat_map(|target| {
        let each = target.result.steps.iter().map(|step| {
            let most = residence::above_devices(&target, step).into_iter().chain(step.thread_wait);
            explain::step(target.result, step, whole.mechanism).active(most.fold(share, f64::min))
        });
        each.collect::<Vec<_>>()
    });
    let of_streams = run.net_of(&whole.path).map(|result| explain::throttled(run, result, share));
    let each: Vec<Explanation> = of_steps.chain(of_streams).collect();
    if each.is_empty() { vec![whole.active(share)] } else { each }
}

/// No quota. The file keeps the period while it says `max`, and the quota is CPUs times the period.
fn advice(run: &Run, path: &str, cpus: Option<f64>) -> Advice {
    let file = format!("/sys/fs/cgroup{path}/cpu.max");
    let why = because(
        "In each period the group runs until its quota is used up and then waits for the next, even with I/O pending.",
    )
    .expecting("nr_throttled no longer grows, and the measurement reaches the speed of disk or network");
    let group = run.host.cgroups.iter().find(|group| group.path == path);
    let group = group.cloned().unwrap_or_else(|| Cgroup { path: path.to_owned(), ..Cgroup::default() });
    if let Some(elsewhere) = owner::instead(&group) {
        return why.and(elsewhere);
    }
    let advice = why
        .run(sh!("echo max > {}", file.clone()), format!("Removes the quota {}", owner::UNTIL))
        .needs(owner::AGREES)
        .persist("systemctl set-property UNIT CPUQuota=  with an empty value: no quota");
    match cpus {
        Some(cpus) => {
            let both = format!("{{ printf \"%.0f %s\", {cpus} * $2, $2 }}");
            advice.undo_run(
                sh!("echo $(awk {} {}) > {}", both, file.clone(), file),
                "Writes the quota back, in the period of the file",
            )
        }
        None => advice.undo(format!("Write the quota and period back into {file}")),
    }
}

/// The group was stopped within the window.
fn throttled_in(window: &Window, path: &str) -> bool {
    let read = |counters: &Counters| counters.cgroups.iter().find(|group| group.path == path)?.nr_throttled;
    facts::grown(window, read).is_some_and(|count| count > 0)
}
