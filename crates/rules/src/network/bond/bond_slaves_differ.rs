rule! {
    /// # What it checks
    /// Passes when all linked members of a bond have one speed and one duplex. A slower stand-by of an active-backup bond
    /// is a note: nothing is shared, and it counts only after a failover.
    /// # Why it matters
    /// 802.3ad groups only equal ports: the different one carries no traffic. In other modes the slower link limits the
    /// streams that it is given.
    /// # Evidence
    /// `Speed` and `Duplex` of each slave.
    /// # Remedy
    /// The same speed on all members and their switch ports.
    /// # Source
    /// Linux Documentation/networking/bonding.rst, 802.3ad (aggregation groups that share the same speed and
    /// duplex settings).
    code: "bond-slaves-differ",
    title: "members of a bond differ in speed or duplex",
    layer: Network, severity: Warning, on: [Bond],
    check: |run| each::bond(run, judge),
}

fn judge(side: &side::Side, bond: &Bond) -> Outcome {
    let linked = bond.slaves.iter().filter(|slave| slave.mii_status == "up");
    let known: Vec<_> = linked.filter(|slave| slave.speed_mbit_per_s.is_some()).collect();
    if known.len() < 2 {
        return if bond.slaves.len() < 2 {
            Outcome::Passes
        } else {
            unknown!("the speeds of the slaves of {} are not known", side.name(&bond.name))
        };
    }
    let first = known[0];
    let odd = known
        .iter()
        .find(|slave| slave.speed_mbit_per_s != first.speed_mbit_per_s || slave.duplex != first.duplex);
    let Some(odd) = odd else { return Outcome::Passes };
    if bond.mode == "active-backup" && known.iter().all(|slave| slave.duplex == first.duplex) {
        return stands_by(side, bond, &known);
    }
    let at = side.subject(Kind::Bond, &bond.name);
    let speed = |slave: &BondSlave| {
        format!(
            "{} {} Mbit/s {}",
            slave.name,
            slave.speed_mbit_per_s.unwrap_or(0),
            slave.duplex.as_deref().unwrap_or("?")
        )
    };
    finding!(&at, "the slaves of {at} differ: {}, {}", speed(first), speed(odd))
        .evidence(
            known.iter().map(|slave| speed(slave)).collect::<Vec<_>>().join("; "),
            side.source(&format!("/proc/net/bonding/{}", bond.name)),
        )
        .because("Only equal ports share a load well; the different one idles or slows down its streams.")
        .look(
            sh!("ethtool {} && ethtool {}", first.name, odd.name),
            "Shows the modes offered by each member and its partner",
        )
        .persist("equal transceivers and switch ports, autonegotiation on both sides")
        .expecting("one speed on all members")
        .on(side.peer)
        .into()
}

/// One member carries everything, the others wait: what a failover leaves is what the slowest of them has.
fn stands_by(side: &side::Side, bond: &Bond, known: &[&BondSlave]) -> Outcome {
    let speed = |slave: &BondSlave| slave.speed_mbit_per_s.unwrap_or(0);
    let Some(slowest) = known.iter().min_by_key(|slave| speed(slave)) else { return Outcome::Passes };
    let at = side.subject(Kind::Bond, &bond.name);
    let left = speed(slowest);
    let fastest = known.iter().map(|slave| speed(slave)).max().unwrap_or(left);
    let seen: Vec<String> =
        known.iter().map(|slave| format!("{} {} Mbit/s", slave.name, speed(slave))).collect();
    finding!(
        &at,
        "a failover of {at} to {} leaves {left} Mbit/s instead of {fastest} (active-backup)", slowest.name,
    )
    .severity(Severity::Info)
    .measured(left as f64 * 1e6 / 8.0, fastest as f64 * 1e6 / 8.0, Unit::BytesPerS)
    .evidence(seen.join("; "), side.source(&format!("/proc/net/bonding/{}", bond.name)))
    .because("A slower stand-by keeps the host reachable; it does not carry the full load.")
    .look(sh!("cat {}", format!("/proc/net/bonding/{}", bond.name)), "Shows the active member and the primary")
    .now("Compare the load of the bond with the slower port: is it enough while the faster one is repaired?")
    .persist("primary= the faster port, with primary_reselect always or better; a faster port as stand-by where the load needs it")
    .expecting("the bond runs over the faster port whenever that has a link")
    .on(side.peer)
    .into()
}
