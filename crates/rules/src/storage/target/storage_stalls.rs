use crate::characteristic::course::{LONG_NS, STALL_NS, tells_stalls};
use fullwire_model::characteristic::Stalls;

rule! {
    /// # What it checks
    /// Passes when no I/O of a step waits 200 ms and more, and fifty times as long as half of them do (ten times where none
    /// was completed meanwhile), for one part in twenty of the measured time together; no single one waits half a second.
    /// What fullwire itself was late by meanwhile, because the host or its hypervisor did not run it, does not count.
    /// # Why it matters
    /// While storage does not respond, no session commits and no block is read; a mean over seconds hides it, and the
    /// users see a database that hangs.
    /// # Evidence
    /// The longest I/O of each slice of a step, and the step's median. Of another tool's result, which has no slices, the
    /// longest I/O of the whole step, unless the page cache took the I/O.
    /// # Remedy
    /// The layer that stops: a path that fails over, a controller that restarts, a map that is suspended, a thin volume
    /// that grows, a snapshot that is made, a medium that cleans up.
    /// # Source
    /// Oracle's log writer warns in its trace of a write of 500 ms and more (`log write elapsed time`); in the lab a
    /// device that is suspended for half a second is detected, and no slice of healthy devices paused for 100 ms.
    code: "storage-stalls",
    title: "the storage stops responding at times",
    layer: Storage, severity: Warning, on: [Target], limits: [Stalls],

    /// Of the measured time.
    const SHARE: f64 = 0.05;
    /// Fewest stalls of a step from which the share of all its time is known: one more or less changes it by a third at most.
    const FEWEST: u64 = 3;
    /// How near a promise comes: the number of stalls that come by chance scatters by its root, and what is gained without them by
    /// the share that they took over that root.
    const NEAR: f64 = 0.25;
}

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run)
        .iter()
        .filter(|target| !target.says_nothing())
        .map(|target| judge(run, target))
        .collect()
}

fn judge(run: &Facts, target: &facts::Target<'_>) -> Outcome {
    let steps = &target.result.steps;
    if !steps.iter().any(tells_stalls) {
        return facts::unread(&format!("how the steps on {} developed over time", target.name()));
    }
    let stalled: Vec<(&DiskStepResult, Stalls)> = target
        .result
        .measurements()
        .filter_map(|(id, step)| Some((step, run.course(target.name(), &id)?.stalls?)))
        .collect();
    let Some((worst, _)) = stalled.iter().max_by_key(|(step, _)| step.latency_ns.max) else {
        return Outcome::Passes;
    };
    let measured_s: f64 = steps.iter().map(|step| step.duration_s).sum();
    let stood_s: f64 = stalled.iter().map(|(_, stalls)| stalls.stood_s).sum();
    let longest_ns = stalled.iter().map(|(_, stalls)| stalls.longest_ns).max().unwrap_or(0);
    let count: u64 = stalled.iter().map(|(_, stalls)| stalls.count).sum();
    if longest_ns < LONG_NS && stood_s < SHARE * measured_s {
        return Outcome::Passes;
    }
    let longest = words::time(longest_ns as f64);
    let stalls = match count {
        1 => format!("one stall of {longest} in {measured_s:.1} s"),
        _ => format!("{count} stalls of up to {longest}, {stood_s:.1} s of {measured_s:.1} s"),
    };
    finding!(
        Kind::Target.named(target.name()),
        "{} stops responding at times: {stalls} measured",
        target.name(),
    )
    .measured(longest_ns as f64, STALL_NS as f64, Unit::Ns)
    .evidence(
        format!(
            "{}: median {}, longest {}",
            facts::step_name(worst),
            words::time(worst.latency_ns.p50 as f64),
            words::time(worst.latency_ns.max as f64)
        ),
        if worst.intervals.is_empty() { "latencies of the step" } else { "probe, intervals" },
    )
    .explains(stalled.iter().map(|(step, stalls)| explained(target.result, step, stalls)))
    .because("Every session that reads or commits waits until the storage responds again.")
    .look("dmesg -T | tail -n 50", "Shows paths, resets and timeouts at these moments")
    .look("iostat -xt 1 5", "Shows which layer has requests in flight and completes none")
    .look("dmsetup info -c", "Shows suspended maps")
    .look("multipath -ll || true", "Shows paths that come and go")
    .persist("fix the layer that stops; check the array's event log for its part")
    .expecting("no I/O above 200 ms; prove it with a longer run: --duration 60s")
    .into()
}

/// What is left of a step's time is what it would get without its stalls. Without slices it is not known how many there were;
/// of a few it is chance how much of the step they took.
fn explained(result: &DiskResult, step: &DiskStepResult, stalls: &Stalls) -> Explanation {
    let explanation = explain::step(result, step, Mechanism::Stalls);
    if step.intervals.is_empty() {
        return explanation;
    }
    let share = lost(step, stalls);
    let explanation = explanation.active(share.min(1.0));
    let left = step.iops / (1.0 - share);
    if share < 1.0 && stalls.count >= FEWEST && stalls.count as f64 >= (share / NEAR).powi(2) {
        explanation.without(left, Unit::IoPerS, "device-latency")
    } else {
        explanation
    }
}

/// The share of its time that a step lost. While one I/O stands still the others may go on: then the mean of all is beyond what
/// half of them take by what was lost, and their rate is less by as much (Little's law).
fn lost(step: &DiskStepResult, stalls: &Stalls) -> f64 {
    let stood = stalls.stood_s / step.duration_s;
    let [median, mean] = [step.latency_ns.p50 as f64, step.latency_ns.mean];
    if median > 0.0 && mean > 0.0 { stood.min((1.0 - median / mean).max(0.0)) } else { stood }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::disk::DiskInterval;

    /// One pause of 0.8 s in 1.4 s: how often it comes is not known, nor what is left without it.
    #[test]
    fn a_few_stalls_explain_and_promise_nothing() {
        let step = DiskStepResult {
            iops: 60.0,
            duration_s: 1.4,
            intervals: vec![DiskInterval::default()],
            ..DiskStepResult::default()
        };
        let told = |count: u64, stood_s: f64| {
            let stalls = Stalls { count, longest_ns: 800_000_000, stood_s };
            explained(&DiskResult::default(), &step, &stalls)
        };
        let one = told(1, 0.8);
        assert!(one.active_share.is_some_and(|share| (share - 0.571).abs() < 1e-3) && one.without.is_none());
        // 60 ÷ (1 - 0.7 ÷ 1.4) = 120.
        assert!(told(4, 0.7).without.is_some_and(|left| (left.value - 120.0).abs() < 1e-9));
        // By chance there may have been as many as make three times the difference.
        assert!(told(3, 1.2).without.is_none() && told(12, 1.2).without.is_some());
    }

    /// Of eight in flight each fiftieth read takes 300 ms more than 5; the others go on.
    #[test]
    fn one_io_that_stands_still_costs_its_own_part() {
        let mut step = DiskStepResult { iops: 720.0, duration_s: 2.0, ..DiskStepResult::default() };
        step.latency_ns.p50 = 5_000_000;
        step.latency_ns.mean = 11_100_000.0;
        let stalls = Stalls { count: 6, longest_ns: 305_000_000, stood_s: 1.83 };
        // 8 ÷ 5 ms = 1,600 a second, of which 720 are left.
        assert!((lost(&step, &stalls) - 0.55).abs() < 0.01, "{}", lost(&step, &stalls));
        let all_wait = Stalls { stood_s: 0.6, ..stalls };
        assert!((lost(&step, &all_wait) - 0.3).abs() < 1e-9);
    }
}
