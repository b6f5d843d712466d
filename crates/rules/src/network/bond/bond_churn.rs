rule! {
    /// # What it checks
    /// Passes when no member of an 802.3ad bond is in the state `churned`, on the own side or the partner's.
    /// # Why it matters
    /// Churn means that a port is up but actor and partner have not agreed to use it within a minute: the port
    /// does not carry.
    /// # Evidence
    /// `Actor Churn State` and `Partner Churn State` in `/proc/net/bonding/BOND`.
    /// # Remedy
    /// Compare LAG membership, key, speed and LACP mode (at least one side active) on the switch port.
    /// # Source
    /// IEEE 802.3 43.4.17, Churn Detection; Linux commit 14c9551a32eb, bonding: Implement port churn-machine
    /// (continued failure to reach agreement can be symptomatic of device failure).
    code: "bond-churn",
    title: "LACP negotiation does not settle on a member",
    layer: Network, severity: Warning, on: [Bond],
    check: |run| each::bond(run, judge),
}

fn judge(side: &side::Side, bond: &Bond) -> Outcome {
    if bond.mode != "802.3ad" {
        return Outcome::Passes;
    }
    if bond.slaves.iter().all(|slave| slave.actor_churn.is_none() && slave.partner_churn.is_none()) {
        return unknown!("the churn states of {} could not be read", side.name(&bond.name));
    }
    let churned = |state: &Option<String>| state.as_deref() == Some("churned");
    let Some(slave) =
        bond.slaves.iter().find(|slave| churned(&slave.actor_churn) || churned(&slave.partner_churn))
    else {
        return Outcome::Passes;
    };
    let at = side.subject(Kind::Bond, &bond.name);
    finding!(
        &at,
        "LACP has not settled on slave {} of {at} (churned): the port is up but carries no traffic",
        slave.name,
    )
    .evidence(
        format!(
            "{}: Actor Churn State {}, Partner Churn State {}",
            slave.name,
            words::known(slave.actor_churn.as_deref()),
            words::known(slave.partner_churn.as_deref())
        ),
        side.source(&format!("/proc/net/bonding/{}", bond.name)),
    )
    .because("Both sides must agree on a port before it is used.")
    .now(format!("compare key, speed, LAG number and LACP mode of the switch port of {}", slave.name))
    .persist("LACP active on both sides, the port in the same LAG as its siblings")
    .expecting("churn state none on both sides")
    .on(side.peer)
    .into()
}
