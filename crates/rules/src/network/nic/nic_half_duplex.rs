rule! {
    /// # What it checks
    /// Passes when every linked physical interface is in full duplex. Where the duplex cannot be read, collisions tell: a
    /// full-duplex line has none.
    /// # Why it matters
    /// In half duplex both directions share the wire and collide; nearly always one side is fixed by hand and
    /// the other negotiates, which causes late collisions and bad frames under any load.
    /// # Evidence
    /// `/sys/class/net/X/duplex`; collisions over the windows.
    /// # Remedy
    /// Autonegotiation on both sides.
    /// # Source
    /// IEEE 802.3 clause 28 (parallel detection results in half duplex); Linux
    /// Documentation/ABI/testing/sysfs-class-net (duplex); netcraftsmen.com on duplex mismatch.
    code: "nic-half-duplex",
    title: "an interface runs in half duplex",
    layer: Network, severity: Critical, on: [Nic], limits: [LinkFault],
}

fn check(run: &Facts) -> Vec<Outcome> {
    each::nic(
        run,
        |side, nic| each::in_use(side, nic) && nic.carrier != Some(false),
        |side, nic| judge(run, side, nic),
    )
}

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let collisions = side.nic(&nic.name, |counters| counters.collisions).map_or(0, |grown| grown.count);
    let message = match nic.duplex.as_deref() {
        Some("half") => format!(
            "{at} runs in half duplex at {} Mbit/s: both directions share the wire",
            nic.speed_mbit_per_s.unwrap_or(0)
        ),
        Some("full") => return Outcome::Passes,
        _ if collisions > 0 => {
            format!(
                "{at} counted {collisions} collisions: its line runs in half duplex, and both directions share the wire"
            )
        }
        _ => return unknown!("the duplex of {at} could not be read"),
    };
    let finding = RULE
        .finding(&at, message)
        .evidence(
            format!(
                "duplex {}, collisions +{collisions}, autonegotiation {}",
                nic.duplex.as_deref().unwrap_or("not known"),
                words::switch(nic.autonegotiation)
            ),
            side.source(&format!("/sys/class/net/{}/duplex", nic.name)),
        )
        .because("")
        .now("Enable autonegotiation on the switch port, where it is fixed")
        .and(negotiate(
            side.host,
            nic,
            "One side was fixed by hand; the other cannot negotiate and falls back to half duplex.",
            "full duplex, no collisions",
        ))
        .on(side.peer);
    finding.explains(explain::paths_over(run, side, &nic.name, Mechanism::LinkFault)).into()
}
