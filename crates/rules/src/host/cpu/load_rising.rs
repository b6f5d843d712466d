rule! {
    /// # What it checks
    /// Passes when the load average over one minute is less than three times that over fifteen, or small for the number
    /// of CPUs.
    /// # Why it matters
    /// What is measured now is the beginning of something: 182.53, 92.02, 37.95 is a host on its way down.
    /// # Evidence
    /// `/proc/loadavg`; tasks that run and tasks in uninterruptible sleep.
    /// # Remedy
    /// See what is new; tasks in state D wait for storage, not for CPU.
    /// # Source
    /// Linux Documentation/filesystems/proc.rst, loadavg; the founding example (1 minute five times the 15
    /// minutes).
    code: "load-rising",
    title: "the load average is rising steeply",
    layer: Host, severity: Info, on: [Tasks],

    /// Times the load of 15 minutes ago (own choice).
    const RISING: f64 = 3.0;
    /// Tasks for each CPU from which on a rise matters.
    const NOTABLE_PER_CPU: f64 = 2.0;
}

/// The 1-minute figure over the 15-minute one.
pub(crate) fn rise([one, _, fifteen]: [f64; 3]) -> f64 {
    if fifteen > 0.0 { one / fifteen } else { 0.0 }
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(load) = run.windows.first().and_then(|window| window.from.load.or(window.to.load)) else {
        return vec![facts::unread("/proc/loadavg")];
    };
    let blocked = run.windows.first().and_then(|window| window.to.procs_blocked).unwrap_or(0);
    let cpus = f64::from(run.host.cpu.online.max(1));
    if rise(load) < RISING || load[0] < NOTABLE_PER_CPU * cpus {
        return vec![Outcome::Passes];
    }
    let [one, five, fifteen] = load;
    vec![
        finding!(
            Kind::Tasks.named("load"),
            "the load rises: {one:.2} over one minute, {:.1} times the {fifteen:.2} over fifteen",
            rise(load),
        )
        .measured(rise(load), RISING, Unit::Ratio)
        .evidence(
            format!("{one:.2} {five:.2} {fifteen:.2}, {blocked} tasks in uninterruptible sleep"),
            "/proc/loadavg, /proc/stat",
        )
        .because("Load counts tasks that run or wait for storage; a steep rise has a recent cause.")
        .look(
            "ps -eo state,pid,wchan:20,comm | grep '^[RD]' | sort | uniq -c | sort -rn | head",
            "Shows what runs or waits for storage",
        )
        .persist("measure again when it has settled")
        .expecting("three figures alike")
        .into(),
    ]
}

#[cfg(test)]
mod tests {
    /// The founding figures: the 1-minute load is about five times that of 15 minutes.
    #[test]
    fn the_founding_load_is_rising() {
        let rise = super::rise([182.53, 92.02, 37.95]);
        assert!((rise - 4.81).abs() < 0.005 && rise > super::RISING);
    }
}
