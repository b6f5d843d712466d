rule! {
    /// # What it checks
    /// Passes when an 802.3ad bond has `lacp_rate` fast.
    /// # Why it matters
    /// With slow rate the partner sends every 30 s and a silent failure (link up, port dead) is seen after
    /// three of them.
    /// # Evidence
    /// `LACP rate` in `/proc/net/bonding/BOND`.
    /// # Remedy
    /// `lacp_rate=fast`, on the switch port as well.
    /// # Source
    /// Linux Documentation/networking/bonding.rst, `lacp_rate` (slow: every 30 seconds, fast: every 1 second);
    /// IEEE 802.1AX (timeout of three periods).
    code: "bond-lacp-slow",
    title: "LACP needs 90 seconds to notice a dead partner",
    layer: Network, severity: Info, on: [Bond],
    check: |run| each::bond(run, judge),
}

fn judge(side: &side::Side, bond: &Bond) -> Outcome {
    let at = side.subject(Kind::Bond, &bond.name);
    match (bond.mode.as_str(), bond.lacp_rate.as_deref()) {
        ("802.3ad", Some("slow")) => finding!(
            &at,
            "{at} has lacp_rate slow: a partner that fails silently is noticed after up to 90 s",
        )
        .evidence("LACP rate: slow", side.source(&format!("/proc/net/bonding/{}", bond.name)))
        .advice(
            set_bond(
                side.host,
                &bond.name,
                ["lacp_rate", "fast", "slow"],
                "Only LACP notices a port that is up but does not work.",
                "such a failure is noticed within 3 s",
            )
            .on(side.peer),
        )
        .into(),
        ("802.3ad", None) => unknown!("the LACP rate of {at} could not be read"),
        _ => Outcome::Passes,
    }
}
