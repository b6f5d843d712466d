rule! {
    /// # What it checks
    /// Passes when a bond has link monitoring: `miimon` or `arp_interval` above 0.
    /// # Why it matters
    /// Without it a failed link is not noticed, and what goes through it is lost.
    /// # Evidence
    /// `MII Polling Interval`, `ARP Polling Interval` in `/proc/net/bonding/BOND`.
    /// # Remedy
    /// miimon=100.
    /// # Source
    /// Linux Documentation/networking/bonding.rst: "It is critical that either the miimon or `arp_interval` and
    /// `arp_ip_target` parameters be specified".
    code: "bond-no-monitoring",
    title: "a bond does not monitor its links",
    layer: Network, severity: Critical, on: [Bond],
    check: |run| each::bond(run, judge),
}

fn judge(side: &side::Side, bond: &Bond) -> Outcome {
    let at = side.subject(Kind::Bond, &bond.name);
    // A team watches its ports by its own runner, and has no such numbers.
    match (bond.miimon_ms, bond.arp_interval_ms) {
        (Some(0) | None, Some(0)) | (Some(0), None) => {
            finding!(&at, "{at} has no link monitoring (miimon 0, arp_interval 0): a dead link stays in use")
                .measured(0.0, 100.0, Unit::Count)
                .evidence(
                    "MII Polling Interval (ms): 0",
                    side.source(&format!("/proc/net/bonding/{}", bond.name)),
                )
                .advice(
                    set_bond(
                        side.host,
                        &bond.name,
                        ["miimon", "100", "0"],
                        "Without monitoring, traffic sent over a failed link is lost.",
                        "a pulled cable is noticed within 0.1 s",
                    )
                    .on(side.peer),
                )
                .into()
        }
        (None, None) => unknown!("the link monitoring of {at} could not be read"),
        _ => Outcome::Passes,
    }
}
