rule! {
    /// # What it checks
    /// Passes when an mlx5 or mlx4 adapter found a receive buffer for every packet.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// The adapter drops what finds no buffer although the wire delivered it, and no standard counter of the interface
    /// shows it: the sender sees loss.
    /// # Evidence
    /// Growth of `rx_out_of_buffer` (`ethtool -S`) over the windows.
    /// # Remedy
    /// Larger receive rings, more queues on the CPUs of the adapter's own NUMA node; look for a CPU that is used up by
    /// interrupts.
    /// # Source
    /// Linux `Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst`, `rx_out_of_buffer` ("Number
    /// of times receive queue had no software buffers allocated for the adapter's incoming traffic").
    code: "nic-out-of-buffer",
    title: "the adapter had no buffer for arriving packets",
    layer: Network, severity: Warning, on: [Nic], limits: [OwnQueueDrops],

    /// Fewer in the windows, or a smaller share of the packets, are an accident.
    const FEW: u64 = 10;
    /// Of the packets, below which a burst explains the drops (own choice).
    const SHARE: f64 = 1e-5;
}

const NAME: &str = "rx_out_of_buffer";

fn check(run: &Facts) -> Vec<Outcome> {
    if run.host.nics.is_empty() {
        return vec![unknown!("no interface could be read")];
    }
    let wanted = |side: &side::Side, nic: &Nic| nic.driver.starts_with("mlx") && each::in_use(side, nic);
    each::nic(run, wanted, |side, nic| judge(run, side, nic))
}

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let dropped = side.counted(|counters| counters.nics.get(&nic.name)?.driver.get(NAME).copied());
    let (Some(dropped), Some(packets)) =
        (dropped, side.counted_nic(&nic.name, |counters| counters.rx_packets))
    else {
        return unknown!("{NAME} of {at} was not counted over a window");
    };
    let share = dropped.count as f64 / packets.count.saturating_add(dropped.count).max(1) as f64;
    let weight = dropped.span().weight((dropped.count, FEW), share >= SHARE, RULE.severity);
    let Some(severity) = weight else { return Outcome::Passes };
    let rings = nic.rings.clone().unwrap_or_default();
    let finding = finding!(
        &at,
        "{at} dropped {} arriving packets{} for lack of a receive buffer",
        dropped.count,
        dropped.when(),
    )
    .severity(severity)
    .measured(share, SHARE, Unit::Ratio)
    .evidence(
        format!(
            "{} in {} packets {}; ring {} of {}",
            dropped.span().count(NAME, dropped.count),
            packets.count,
            dropped.span().over_seconds(),
            rings.rx,
            rings.rx_max
        ),
        side.source(&format!("ethtool -S {}", nic.name)),
    )
    .because("The CPUs that empty the receive queues were too slow, or the queues too short for the bursts.")
    .look(
        sh!("ethtool -g {}; ethtool -l {}", nic.name, nic.name),
        "Shows rings and queues: is there room for more?",
    )
    .persist("Set a larger receive ring, and queues on the adapter's own NUMA node")
    .resets_link(&nic.name)
    .expecting(format!("{NAME} no longer grows under load"))
    .on(side.peer);
    finding.explains(explain::arriving(run, side, &nic.name, Mechanism::OwnQueueDrops)).into()
}
