rule! {
    /// # What it checks
    /// Passes unless a CPU often stopped polling an interface with packets left.
    /// # Why it matters
    /// Now and then it is how a busy host shares its time; often, it adds latency to every packet. Alone it is
    /// no fault.
    /// # Evidence
    /// Growth of the third column of `/proc/net/softnet_stat` over the windows.
    /// # Remedy
    /// `net.core.netdev_budget` and `netdev_budget_usecs`, where drops or latency go with it.
    /// # Source
    /// Linux Documentation/admin-guide/sysctl/net.rst, `netdev_budget`, `netdev_budget_usecs`; netdata health.d
    /// softnet (10 a minute).
    code: "softnet-squeezed",
    title: "the kernel ran out of receive budget",
    layer: Network, severity: Info, on: [Setting],

    /// Per second and CPU, host-wide; below it there is no noticeable effect.
    const A_SECOND: f64 = 20.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let sides = side::sides(run);
    let judged = sides.iter().filter_map(|side| {
        let squeezed = side.growth(|counters| {
            (!counters.softnet.is_empty())
                .then(|| counters.softnet.values().map(|cpu| cpu.time_squeeze).fold(0, u64::saturating_add))
        });
        match squeezed {
            Some(squeezed) => Some(judge(side, squeezed)),
            None if side.peer.is_none() => Some(unknown!("softnet_stat was not read over a window")),
            None => None,
        }
    });
    judged.collect()
}

fn judge(side: &side::Side, squeezed: side::Growth) -> Outcome {
    let rate = squeezed.count as f64 / squeezed.seconds.max(1.0);
    if rate < A_SECOND {
        return Outcome::Passes;
    }
    let budget = side.host.sysctl_number("net.core.netdev_budget").unwrap_or(300);
    finding!(
        side.subject(Kind::Setting, "net.core.netdev_budget"),
        "packet processing stopped with packets left {rate:.0} times per second (net.core.netdev_budget {budget})",
    )
    .measured(rate, A_SECOND, Unit::PerS)
    .evidence(
        format!("time_squeeze +{} in {:.0} s", squeezed.count, squeezed.seconds),
        side.source("/proc/net/softnet_stat"),
    )
    .advice(
        set_sysctl(
            side.host,
            "net.core.netdev_budget",
            &(budget * 2).to_string(),
            "The rest waits for the next round of the soft interrupt.",
            "fewer squeezes; keep it only if latency or drops improve",
        )
        .on(side.peer),
    )
    .into()
}
