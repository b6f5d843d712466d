rule! {
    /// # What it checks
    /// Passes when fewer than 2 % of the packets that an interface received were dropped by the kernel.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// The counter also includes packets of unknown VLANs and protocols, which do no harm; a large share is worth
    /// finding the place.
    /// # Evidence
    /// Growth of `rx_dropped` over the windows against `rx_packets`, where there were more than 10,000.
    /// # Remedy
    /// Find the drop point first (`dropwatch`, `perf trace -e skb:kfree_skb`, `ethtool -S`). Never change the
    /// MTU because of it.
    /// # Source
    /// netdata health.d net (inbound drops at or above 2 % with more than 10,000 packets in 10 minutes); Linux
    /// Documentation/networking/statistics.rst (`rx_dropped`).
    code: "nic-rx-dropped",
    title: "many received packets are dropped",
    layer: Network, severity: Warning, on: [Nic],
    check: |run| each::nic(run, each::in_use, judge),

    /// Share of the packets, where there were enough of them.
    const SHARE: f64 = 0.02;
    /// Packets from which on a share means something (own choice).
    const ENOUGH: u64 = 10_000;
    /// Drops per second of a recording above which applications are affected (fullwire's own bound).
    const FLOW_PER_S: f64 = 10.0;
}

fn judge(side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let (Some(dropped), Some(all)) =
        (side.counted_nic(&nic.name, |c| c.rx_dropped), side.counted_nic(&nic.name, |c| c.rx_packets))
    else {
        return unknown!("the drops of {at} were not counted over a window");
    };
    let share = dropped.count as f64 / all.count.max(1) as f64;
    // A quiet host's drops are mostly broadcasts that it has no use for: over a recording, or since boot, only a flow of them is trouble.
    let recorded = side.windows.iter().all(|window| window.kind == WindowKind::Recorded);
    let trickle = (recorded || dropped.is_total()) && (dropped.count as f64) < FLOW_PER_S * dropped.seconds;
    if all.count < ENOUGH || share < SHARE || trickle {
        return Outcome::Passes;
    }
    finding!(
        &at,
        "{:.1} % of the packets received on {at} were dropped{} ({} of {})",
        share * 100.0,
        dropped.when(),
        dropped.count,
        all.count,
    )
    .measured(share, SHARE, Unit::Ratio)
    .evidence(
        format!(
            "{}, {} {}",
            dropped.span().count("rx_dropped", dropped.count),
            all.span().count("rx_packets", all.count),
            dropped.span().in_seconds()
        ),
        side.source(&format!("/sys/class/net/{}/statistics", nic.name)),
    )
    .because("Unknown VLANs and protocols also count here, so find the cause before you change anything.")
    .look(
        sh!("ethtool -S {} | grep -iE 'drop|disc' || true", nic.name),
        "Shows the drop counters of the card",
    )
    .now("`perf record -e skb:kfree_skb -a sleep 10` shows where in the kernel packets are dropped")
    .persist("remove VLANs and protocols that this host does not use from its switch port")
    .expecting("the share falls below 2 %")
    .on(side.peer)
    .into()
}
