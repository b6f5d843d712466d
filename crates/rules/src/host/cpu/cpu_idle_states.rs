rule! {
    /// # What it checks
    /// Passes when a database host enters no idle state with an exit latency above 100 µs: none is allowed, or none was entered
    /// while fullwire measured.
    /// # Why it matters
    /// Each wake-up of the log writer from such a state costs that much: as much as a flash write.
    /// # Evidence
    /// Names and exit latencies of the idle states that are not disabled; how often all CPUs together entered them in each
    /// window. A request through `/dev/cpu_dma_latency` (`force_latency` of tuned) disables no state, and none is entered.
    /// # Remedy
    /// `force_latency` of tuned, or `processor.max_cstate` where the microseconds matter.
    /// # Source
    /// tuned profiles postgresql (`force_latency=1`) and saptune (70 µs); Linux
    /// Documentation/admin-guide/pm/cpuidle.rst (`usage`; PM `QoS`).
    code: "cpu-idle-states",
    title: "CPUs may enter deep idle states",
    layer: Host, severity: Info, on: [Setting],
    when: |run| facts::is_database_host(run) && !facts::is_virtual(&run.host),

    /// Time to wake that a commit over a fast network feels (own choice).
    const LONGEST_US: u64 = 100;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let states = &run.host.cpu.idle_states;
    let Some((name, us)) = states.iter().max_by_key(|(_, us)| **us) else {
        return vec![facts::unread("the CPU's idle states")];
    };
    let entered = entered_per_s(run);
    if *us <= LONGEST_US || entered == Some(0.0) {
        return vec![Outcome::Passes];
    }
    let mut finding = finding!(
        Kind::Setting.named("cpuidle"),
        "idle state {name} takes {us} µs to leave: as long as a flash write",
    )
    .measured(*us as f64 * 1e3, LONGEST_US as f64 * 1e3, Unit::Ns)
    .evidence(format!("{name} {us} µs"), "/sys/devices/system/cpu/cpu0/cpuidle");
    if let Some(per_s) = entered {
        finding = finding.evidence(
            format!("CPUs entered states of more than {LONGEST_US} µs {per_s:.0} times a second"),
            "/sys/devices/system/cpu/cpu*/cpuidle/state*/usage",
        );
    }
    let advice = because("The log writer sleeps between commits, and so does its CPU.")
        .now("`cpupower idle-set -D 100` disables the states that take longer than 100 µs to leave (package kernel-tools or linux-cpupower)")
        .persist("A tuned profile with [cpu] force_latency=70")
        .undo("`cpupower idle-set -E` enables all of them")
        .expecting("lower latency at low load; more power");
    vec![finding.advice(advice).into()]
}

/// How often all CPUs together entered states that take long to leave, in the window where they did so most; `None`: not
/// counted in any.
fn entered_per_s(run: &Facts) -> Option<f64> {
    let long = |name: &str| run.host.cpu.idle_states.get(name).is_some_and(|us| *us > LONGEST_US);
    let rate = |window, wanted: &dyn Fn(&str) -> bool| {
        facts::rate(window, |counters| {
            let entries =
                counters.idle_states.iter().filter(|(name, _)| wanted(name)).map(|(_, entries)| *entries);
            entries.reduce(u64::saturating_add)
        })
    };
    // A recorder reads these counters once a minute: where none moved, none was read again.
    let counted =
        facts::windows(run).filter(|window| rate(window, &|_| true).is_some_and(|per_s| per_s > 0.0));
    counted.filter_map(|window| rate(window, &long)).reduce(f64::max)
}
