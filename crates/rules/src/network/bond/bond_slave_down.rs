rule! {
    /// # What it checks
    /// Passes when every member of a bond has a link, as the bonding driver's own monitor sees it; where a bond monitors
    /// none, as the interface itself tells it.
    /// # Why it matters
    /// Speed may be as ever, but the next failure takes the database off the network; in the modes that share
    /// load, the lost member's capacity is missing as well.
    /// # Evidence
    /// `MII Status` of each slave in `/proc/net/bonding/BOND` (or `bonding_slave/mii_status` in sysfs), on both ends if
    /// the peer shares it; `carrier` of the slave.
    /// # Remedy
    /// Look at the cable, the transceiver and the switch port of the named slave; `ethtool SLAVE` shows its state.
    /// # Source
    /// Linux Documentation/networking/bonding.rst, "Querying Bonding Configuration"; node-mixin alert
    /// `NodeBondingDegraded` (slaves - active != 0).
    code: "bond-slave-down",
    title: "a member of a bond has no link",
    layer: Network, severity: Critical, on: [Bond], limits: [BondLinks],
    check: |run| each::member(run, |side, bond, slave| judge(run, side, bond, slave)),
}

/// Modes in which a lost member takes its share of the bandwidth along.
const SHARING: [&str; 3] = ["balance-rr", "balance-xor", "802.3ad"];

fn judge(run: &Facts, side: &side::Side, bond: &Bond, slave: &BondSlave) -> Outcome {
    match slave.mii_status.as_str() {
        "up" if is_unwatched(side, bond, slave) => unwatched(side, bond, slave),
        "up" => Outcome::Passes,
        "" => unknown!("the MII status of {} in {} could not be read", slave.name, side.name(&bond.name)),
        status => down(run, side, bond, slave, status),
    }
}

/// The bond watches no link, and takes a member without a carrier for one that is up.
fn is_unwatched(side: &side::Side, bond: &Bond, slave: &BondSlave) -> bool {
    let off = |interval_ms: Option<u64>| interval_ms.unwrap_or(0) == 0;
    let is_watched = !off(bond.miimon_ms) || !off(bond.arp_interval_ms);
    let known = bond.miimon_ms.is_some() || bond.arp_interval_ms.is_some();
    let nic = side.host.nics.iter().find(|nic| nic.name == slave.name);
    known && !is_watched && nic.is_some_and(|nic| nic.carrier == Some(false))
}

fn unwatched(side: &side::Side, bond: &Bond, slave: &BondSlave) -> Outcome {
    let (name, at) = (&slave.name, side.subject(Kind::Bond, &bond.name));
    finding!(
        &at,
        "slave {name} of {at} has no link, and the bond, which monitors none, takes it for up: what goes through it is lost",
    )
    .evidence(format!("{name}: no carrier"), side.source(&format!("/sys/class/net/{name}/carrier")))
    .evidence(
        format!("Slave Interface: {name}, MII Status: up, MII Polling Interval (ms): 0"),
        side.source(&format!("/proc/net/bonding/{}", bond.name)),
    )
    .because("The bond has lost redundancy and does not know it: it sends to this member, or fails over to it.")
    .look(sh!("ethtool {}", name), "Shows link, partner and speed")
    .persist("Replace the cable or transceiver, or enable the switch port; set miimon=100 (see `bond-no-monitoring`)")
    .expecting("`Link detected: yes` on all slaves")
    .on(side.peer)
    .into()
}

fn down(run: &Facts, side: &side::Side, bond: &Bond, slave: &BondSlave, status: &str) -> Outcome {
    let up = bond.slaves.iter().filter(|slave| slave.mii_status == "up").count();
    let (name, total, at) = (&slave.name, bond.slaves.len(), side.subject(Kind::Bond, &bond.name));
    let advice = because("The bond has lost redundancy; in the modes that share load, bandwidth too.")
        .look(sh!("ethtool {}", name), "Shows link, partner and speed");
    // One that is set up and has no carrier lacks its link alone: to take the step back would set it down.
    let nic = side.host.nics.iter().find(|nic| nic.name == *name);
    let advice = if nic.is_some_and(|nic| nic.up == Some(true)) {
        advice
    } else {
        advice
            .run(sh!("ip link set dev {} up", name), "Sets it up, if it was set down by hand")
            .undo_run(sh!("ip link set dev {} down", name), "Sets it down again")
    };
    let finding = finding!(&at, "slave {name} of {at} is {status}: {up} of {total} links are left")
        .evidence(
            format!("Slave Interface: {name}, MII Status: {status}"),
            side.source(&format!("/proc/net/bonding/{}", bond.name)),
        )
        .advice(
            advice
                .persist("Replace the cable or transceiver, or enable the switch port")
                .expecting(format!("all {total} slaves up; run `fullwire check --only network` again"))
                .on(side.peer),
        );
    let goodput = |result: &NetResult| run.ceiling_of(result, "bond-goodput").map(|ceiling| ceiling.value);
    let explained = explain::streams_over(run, side, &bond.name, Mechanism::BondLinks, goodput);
    let shares = SHARING.contains(&bond.mode.as_str());
    finding.explains(explained.into_iter().filter(|_| shares)).into()
}
