rule! {
    /// # What it checks
    /// Passes when the count of carrier changes of an interface in use does not grow.
    /// # Why it matters
    /// A link that comes and goes loses packets each time, and TCP waits for its timeout.
    /// # Evidence
    /// Growth of `carrier_changes` over the windows.
    /// # Remedy
    /// Cable, transceiver, switch port.
    /// # Source
    /// Linux Documentation/ABI/testing/sysfs-class-net (`carrier_changes`).
    code: "nic-link-flaps",
    title: "an interface lost its link",
    layer: Network, severity: Warning, on: [Nic], limits: [LinkFault],
    check: |run| each::nic(run, has_a_link, |side, nic| judge(run, side, nic)),
}

/// What is on other interfaces only repeats their changes.
fn has_a_link(side: &side::Side, nic: &Nic) -> bool {
    nic.kind != "loopback" && nic.lower.is_empty() && each::has_a_part(side, nic)
}

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let Some(grown) = side.growth(|counters| counters.nics.get(&nic.name)?.carrier_changes) else {
        return unknown!("the carrier changes of {at} were not counted over a window");
    };
    if grown.count == 0 {
        return Outcome::Passes;
    }
    let finding = finding!(&at, "the link of {at} changed {} times in {:.0} s", grown.count, grown.seconds)
        .measured(grown.count as f64, 0.0, Unit::Count)
        .evidence(
            format!("carrier_changes +{}", grown.count),
            side.source(&format!("/sys/class/net/{}/carrier_changes", nic.name)),
        )
        .because("Each change loses the packets in flight; TCP notices only by timeout.")
        .look(sh!("ethtool {}", nic.name), "Shows link and partner")
        .look(sh!("ethtool -m {} || true", nic.name), "Shows the light levels of the transceiver")
        .look(sh!("dmesg | grep -F {} || true", nic.name), "Shows when the link changed")
        .persist("replace cable or transceiver; look at the switch port's log")
        .expecting("carrier_changes no longer grows")
        .on(side.peer);
    finding.explains(explain::paths_over(run, side, &nic.name, Mechanism::LinkFault)).into()
}
