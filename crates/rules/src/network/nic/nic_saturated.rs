rule! {
    /// # What it checks
    /// Passes when an interface with a believable speed carries less than 85 % of it, in either direction, in the
    /// window without load.
    /// # Why it matters
    /// What comes next waits or is dropped; a measurement then only shows what is left.
    /// # Evidence
    /// Bytes over the idle window against the speed.
    /// # Remedy
    /// More capacity, a bond, another network for the bulk traffic.
    /// # Source
    /// pmie `network.per_interface` util (85 %); netdata health.d net; atop(1) (90 % critical).
    code: "nic-saturated",
    title: "an interface is saturated by other traffic",
    layer: Network, severity: Warning, on: [Nic],
    check: |run| each::nic(run, |side, nic| each::in_use(side, nic) && interface::believable(side.host, nic), judge),

    /// Of its speed in one direction.
    const FULL: f64 = 0.85;
}

fn judge(side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let without_ours = |kind| matches!(kind, WindowKind::Idle | WindowKind::Recorded);
    let idle = side.windows.iter().find(|window| without_ours(window.kind) && window.seconds() > 0.2);
    let counted = idle.and_then(|window| {
        Some((window.from.nics.get(&nic.name)?, window.to.nics.get(&nic.name)?, window.seconds()))
    });
    let Some((from, to, seconds)) = counted else {
        return unknown!("{at} was not counted over a window without load");
    };
    let most = to.tx_bytes.saturating_sub(from.tx_bytes).max(to.rx_bytes.saturating_sub(from.rx_bytes));
    let speed = nic.speed_mbit_per_s.unwrap_or(0) as f64 * 125e3;
    let share = most as f64 / seconds / speed;
    if share < FULL {
        return Outcome::Passes;
    }
    finding!(
        &at,
        "{at} is {:.0} % full{}: {} of {} Mbit/s",
        share * 100.0,
        if idle.is_some_and(|window| window.kind == WindowKind::Idle) { " without our load" } else { "" },
        words::rate(most as f64 / seconds),
        nic.speed_mbit_per_s.unwrap_or(0),
    )
    .measured(share, FULL, Unit::Ratio)
    .evidence(
        format!("{most} bytes in {seconds:.1} s"),
        side.source(&format!("/sys/class/net/{}/statistics", nic.name)),
    )
    .because(
        "A full interface queues and drops packets; the database waits behind the traffic that fills it.",
    )
    .look("ss -tinp state established", "Shows who sends: bytes_sent, delivery_rate")
    .persist("another network for bulk traffic, a faster interface, or a bond")
    .expecting("below 85 % in the busiest minute")
    .on(side.peer)
    .into()
}
