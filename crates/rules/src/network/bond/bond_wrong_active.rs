rule! {
    /// # What it checks
    /// Passes when the active member of an active-backup bond is the configured primary, if that has a link,
    /// and no member with a link is faster. A member as fast as the primary is a deliberate choice
    /// (`primary_reselect=failure` avoids a second failover): a note.
    /// # Why it matters
    /// All traffic passes through the active member: after a failover it may stay on the slow one forever, and
    /// every other link idles.
    /// # Evidence
    /// `Currently Active Slave`, `Primary Slave`, speed and MII status of each member.
    /// # Remedy
    /// Make the fast member the primary (`primary`, `primary_reselect always`).
    /// # Source
    /// Linux Documentation/networking/bonding.rst, `primary` ("one slave is preferred over another, e.g., when
    /// one slave has higher throughput") and `primary_reselect`.
    code: "bond-wrong-active",
    title: "an active-backup bond runs over the wrong member",
    layer: Network, severity: Warning, on: [Bond], limits: [LinkSlow, StandbyLink],

    /// For a stream that gets less than this share of the declared rate, a wrong route is a possible cause: the path behind a link may be slower than the link, and nothing on the host shows it.
    const SHORT: f64 = 0.7;
}

fn check(run: &Facts) -> Vec<Outcome> {
    each::bonds(run, |side, bond| match bond.mode.as_str() {
        "active-backup" if bond.slaves.len() > 1 => vec![judge(run, side, bond)],
        _ => Vec::new(),
    })
}

fn judge(run: &Facts, side: &side::Side, bond: &Bond) -> Outcome {
    let at = side.subject(Kind::Bond, &bond.name);
    let member = |name: &str| bond.slaves.iter().find(|slave| slave.name == name);
    let Some(active) = bond.active_slave.as_deref().and_then(member) else {
        return unknown!("the active slave of {at} could not be read");
    };
    let Some((better, why)) = better(side, bond, active) else { return Outcome::Passes };
    let primary = bond.primary.as_deref().unwrap_or_default();
    let finding = finding!(&at, "{at} runs over {}, though {} {why}", active.name, better.name)
        .evidence(
            format!(
                "Currently Active Slave: {}, Primary Slave: {}",
                active.name,
                if primary.is_empty() { "None" } else { primary }
            ),
            side.source(&format!("/proc/net/bonding/{}", bond.name)),
        )
        .advice(advice(side, bond, active, better).on(side.peer));
    let speed = explain::speed_of(side, &active.name);
    let slower = explain::speed_of(side, &better.name) > speed;
    let as_fast = speed.is_some() && explain::speed_of(side, &better.name) <= speed;
    // `failure` and `better`: someone asked that a repaired primary does not interrupt the traffic a second time.
    let stays = matches!(bond.primary_reselect.as_deref(), Some("failure" | "better")) && !slower;
    let finding = if as_fast || stays { finding.severity(Severity::Info) } else { finding };
    let goodput = |result: &NetResult| Some(explain::goodput(run, result, speed?));
    let explained = if slower {
        explain::streams_over(run, side, &bond.name, Mechanism::LinkSlow, goodput)
    } else {
        short_streams(run, side, &bond.name)
    };
    finding.explains(explained).into()
}

/// Streams through the bond that fall short of the rate that the path was said to carry.
fn short_streams(run: &Facts, side: &side::Side, bond: &str) -> Vec<Explanation> {
    let short = |result: &&NetResult| {
        stream::declared(run, &result.target)
            .is_some_and(|declared| result.throughput_bytes_per_s < SHORT * declared)
    };
    let paths = side.paths_over(run, bond);
    let streams = stream::results(run, NetMode::Async).filter(|one| paths.contains(&one.target));
    streams.filter(short).map(|one| explain::result(run, one, Mechanism::StandbyLink)).collect()
}

/// Makes the better member the active one, and the primary where it is not yet that.
fn advice(side: &side::Side, bond: &Bond, active: &BondSlave, better: &BondSlave) -> Advice {
    const WHY: &str = "All traffic of the bond goes through its active member; without a configured primary it does not move back.";
    const EXPECT: &str = "the better member is the active one, also after the next failover";
    let name = &bond.name;
    let primary = bond.primary.as_deref().unwrap_or_default();
    let advice = if primary == better.name {
        because(WHY)
            .expecting("the primary is the active one again")
            .persist(format!("To return {name} to its primary automatically: primary_reselect=always, where the bond is configured"))
    } else {
        set_bond(side.host, name, ["primary", &better.name, primary], WHY, EXPECT)
    };
    let activate = |member: &str| sh!("echo {} > /sys/class/net/{}/bonding/active_slave", member, name);
    advice
        .run(activate(&better.name), format!("Moves the traffic to {} immediately", better.name))
        .undo_run(activate(&active.name), format!("Moves it back to {}", active.name))
}

/// A member with a link that should carry the traffic instead, and why.
fn better<'a>(side: &side::Side, bond: &'a Bond, active: &BondSlave) -> Option<(&'a BondSlave, String)> {
    let linked = || bond.slaves.iter().filter(|slave| slave.mii_status == "up" && slave.name != active.name);
    let primary = linked().find(|slave| bond.primary.as_deref() == Some(&slave.name));
    if let Some(primary) = primary {
        return Some((primary, "is the configured primary and has a link".into()));
    }
    let speed = |slave: &BondSlave| {
        slave.speed_mbit_per_s.or_else(|| side.host.nic(&slave.name)?.speed_mbit_per_s).unwrap_or(0)
    };
    let own = speed(active);
    let faster = linked().max_by_key(|slave| speed(slave)).filter(|slave| own > 0 && speed(slave) > own)?;
    Some((faster, format!("is linked at {} Mbit/s, the active one at {own}", speed(faster))))
}
