rule! {
    /// # What it checks
    /// Passes when every physical interface that is up and has an address has a carrier.
    /// # Why it matters
    /// Its addresses are not reachable; where routes point there, packets wait for nothing.
    /// # Evidence
    /// `/sys/class/net/X/carrier`, addresses.
    /// # Remedy
    /// Cable and switch port; or take the address off an interface that is not used.
    /// # Source
    /// Linux Documentation/ABI/testing/sysfs-class-net (carrier: current physical link state).
    code: "nic-no-carrier",
    title: "a configured interface has no link",
    layer: Network, severity: Warning, on: [Nic],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let wanted = |_: &side::Side, nic: &Nic| {
        nic.kind == "physical"
            && nic.up == Some(true)
            && nic.addresses.iter().any(|own| !own.starts_with("fe80"))
    };
    each::nic(run, wanted, judge)
}

fn judge(side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    match nic.carrier {
        Some(true) => Outcome::Passes,
        None => unknown!("the carrier of {at} could not be read"),
        Some(false) => finding!(&at, "{at} has address {} but no link", nic.addresses.join(", "))
            .evidence(
                "carrier 0, operstate ".to_owned() + &nic.operstate,
                side.source(&format!("/sys/class/net/{}/carrier", nic.name)),
            )
            .because("Nothing on this network is reachable over it.")
            .look(sh!("ethtool {}", nic.name), "Shows link and partner")
            .look(sh!("ethtool -m {} || true", nic.name), "Shows the light levels of the transceiver")
            .look(sh!("dmesg | grep -F {} || true", nic.name), "Shows when the link changed")
            .persist("plug in the cable and enable the switch port, or remove the address")
            .expecting("carrier 1")
            .on(side.peer)
            .into(),
    }
}
