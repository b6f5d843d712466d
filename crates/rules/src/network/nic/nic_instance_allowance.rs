rule! {
    /// # What it checks
    /// Passes when an Amazon EC2 instance stayed within its network allowances: bandwidth in and out, packets per second,
    /// tracked connections, traffic to local services.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// What exceeds an allowance is queued or dropped by the hypervisor. It looks like loss or a shaper on the way, and
    /// no cable or switch is at fault. Small instances have a burst for minutes and far less after it.
    /// # Evidence
    /// Growth of `bw_in_allowance_exceeded`, `bw_out_allowance_exceeded`, `pps_allowance_exceeded`,
    /// `conntrack_allowance_exceeded`, `linklocal_allowance_exceeded` of the ENA driver (`ethtool -S`) over the
    /// windows.
    /// # Remedy
    /// An instance type with a larger baseline; fewer packets (jumbo frames within the VPC); for tracked connections,
    /// security groups that allow all traffic of the database's port in both directions.
    /// # Source
    /// Amazon EC2 User Guide, "Monitor network performance for ENA settings on your EC2 instance" and "Amazon EC2
    /// instance network bandwidth".
    code: "nic-instance-allowance",
    title: "the cloud instance exceeded its network allowance",
    layer: Network, severity: Warning, on: [Nic], limits: [OwnShaper],

    /// A burst of microseconds exceeds an allowance as well: below this share of the packets it has no noticeable effect.
    const SHARE: f64 = 1e-4;
    /// An hour on average since boot; fewer are not mentioned (own choice).
    const FEW_SINCE_BOOT: u64 = 10;
}

/// The counters, and what each is of.
const ALLOWANCES: [(&str, &str); 5] = [
    ("bw_in_allowance_exceeded", "incoming bandwidth"),
    ("bw_out_allowance_exceeded", "outgoing bandwidth"),
    ("pps_allowance_exceeded", "packets per second"),
    ("conntrack_allowance_exceeded", "tracked connections"),
    ("linklocal_allowance_exceeded", "packets to local services"),
];

fn check(run: &Facts) -> Vec<Outcome> {
    let of_ena = |side: &side::Side, nic: &Nic| {
        nic.driver == "ena" && nic.up != Some(false) && each::has_a_part(side, nic)
    };
    if side::sides(run).iter().all(|side| side.host.nics.iter().all(|nic| nic.driver != "ena")) {
        return if run.host.nics.is_empty() {
            vec![unknown!("no interface could be read")]
        } else {
            Vec::new()
        };
    }
    each::nic(run, of_ena, |side, nic| judge(run, side, nic))
}

/// Of these a new connection fails, which is worse than any delay.
const CONNECTIONS: &str = "conntrack_allowance_exceeded";

fn told((count, name, what): &(u64, &str, &str)) -> String {
    let fails = if *name == CONNECTIONS { ": new connections fail" } else { "" };
    format!("{what} ({count} packets{fails})")
}

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let grown = ALLOWANCES.iter().filter_map(|(name, what)| {
        let grown = side.counted(|counters| counters.nics.get(&nic.name)?.driver.get(*name).copied())?;
        Some((grown.count, *name, *what))
    });
    let packets =
        side.counted_nic(&nic.name, |counters| counters.rx_packets.saturating_add(counters.tx_packets));
    let (mut all, Some(packets)) = (grown.collect::<Vec<_>>(), packets) else {
        return unknown!("the packets of {at} were not counted");
    };
    all.sort_by_key(|(count, name, _)| (*name != CONNECTIONS, std::cmp::Reverse(*count)));
    let Some(count) = all.iter().map(|(count, ..)| *count).max() else {
        return unknown!("the driver of {at} does not count packets beyond the instance's allowances");
    };
    let share = count as f64 / packets.count.max(1) as f64;
    // What a burst at boot exceeded is no news months later.
    all.retain(|(count, ..)| {
        *count > 0 && (!packets.is_total() || packets.span().has(*count, FEW_SINCE_BOOT))
    });
    let Some((first, name, _)) = all.first() else { return Outcome::Passes };
    let exceeded: Vec<String> = all.iter().map(told).collect();
    let evidence: Vec<String> =
        all.iter().map(|(count, name, _)| packets.span().count(name, *count)).collect();
    // A connection that fails is felt, however small its packet's share is.
    let felt = share >= SHARE || *name == CONNECTIONS && packets.span().has(*first, FEW_SINCE_BOOT);
    let finding = finding!(
        &at,
        "the hypervisor queued or dropped packets on {at} beyond the instance's allowance of {}{}",
        exceeded.join(", "),
        packets.span().when(count),
    )
    .severity(if felt { Severity::Warning } else { Severity::Info })
    .measured(count as f64, SHARE * packets.count as f64, Unit::Count)
    .evidence(
        format!("{} in {} packets {}", evidence.join(", "), packets.count, packets.span().over_seconds()),
        side.source(&format!("ethtool -S {}", nic.name)),
    )
    .because("The hypervisor enforces the allowance of the instance type, however fast the network is.")
    .look(
        sh!("ethtool -S {} | grep allowance_exceeded || true", nic.name),
        "Shows the counters: run it twice to see which grow",
    )
    .persist("Choose an instance type with a larger baseline, or fewer packets and connections")
    .expecting(format!("{name} no longer grows under the same load"))
    .on(side.peer);
    let explained = explain::paths_over(run, side, &nic.name, Mechanism::OwnShaper);
    finding.explains(explained.into_iter().filter(|_| felt)).into()
}
