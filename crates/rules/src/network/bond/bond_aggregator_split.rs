rule! {
    /// # What it checks
    /// Passes when all members of an 802.3ad bond are in the one active aggregator.
    /// # Why it matters
    /// A member in another aggregator has a link and carries nothing: half of the bandwidth is missing, and the
    /// redundancy only seems to be there.
    /// # Evidence
    /// `Aggregator ID` of the bond and of each slave, `Number of ports`; the partner's address as each port
    /// sees it.
    /// # Remedy
    /// Put the switch ports of all members into the same LAG, of the same switch or of a pair that acts as one
    /// (MLAG, vPC); equal speed and duplex.
    /// # Source
    /// Linux Documentation/networking/bonding.rst (802.3ad groups share speed and duplex; only one aggregator
    /// is active); capture of a lab bond whose second port is not in the LAG.
    code: "bond-aggregator-split",
    title: "a member is outside the active LACP aggregator",
    layer: Network, severity: Critical, on: [Bond], limits: [BondLinks],
    check: |run| each::bond(run, |side, bond| judge(run, side, bond)),
}

fn judge(run: &Facts, side: &side::Side, bond: &Bond) -> Outcome {
    let linked: Vec<_> = bond.slaves.iter().filter(|slave| slave.mii_status == "up").collect();
    // Without a partner each port is alone, and `bond-no-partner` says so.
    let alone = bond.partner_mac.as_deref() == Some("00:00:00:00:00:00");
    if bond.mode != "802.3ad" || linked.len() < 2 || alone {
        return Outcome::Passes;
    }
    let active = bond.aggregator_id.or_else(|| linked.first()?.aggregator_id);
    let Some(active) = active else {
        return unknown!("the aggregators of {} could not be read", side.name(&bond.name));
    };
    let outside: Vec<&str> = linked
        .iter()
        .filter(|slave| slave.aggregator_id.is_some_and(|id| id != active))
        .map(|slave| slave.name.as_str())
        .collect();
    if outside.is_empty() {
        return Outcome::Passes;
    }
    let (at, inside) = (side.subject(Kind::Bond, &bond.name), linked.len() - outside.len());
    let partners: Vec<String> = linked
        .iter()
        .map(|s| {
            format!(
                "{} aggregator {} partner {}",
                s.name,
                words::known(s.aggregator_id),
                s.partner_mac.as_deref().unwrap_or("?")
            )
        })
        .collect();
    let finding = finding!(
        &at,
        "{} of 802.3ad bond {at} is outside the active LACP aggregator {active}: {inside} of {} links carry",
        outside.join(", "),
        linked.len(),
    )
    .measured(inside as f64, linked.len() as f64, Unit::Count)
    .evidence(partners.join("; "), side.source(&format!("/proc/net/bonding/{}", bond.name)))
    .because("A port that the switch does not group with the others has a link but carries no traffic.")
    .now(format!("on the switch: put the port of {} into the same LAG as the others", outside.join(", ")))
    .persist("keep all members on one switch or on one MLAG pair, with the same speed")
    .expecting(format!("Number of ports: {}; several streams reach the sum of the links", linked.len()))
    .on(side.peer);
    let goodput = |result: &NetResult| run.ceiling_of(result, "bond-goodput").map(|ceiling| ceiling.value);
    let explained = explain::streams_over(run, side, &bond.name, Mechanism::BondLinks, goodput);
    finding.explains(explained).into()
}
