rule! {
    /// # What it checks
    /// Passes when receive interrupts of an interface in use are not delayed by more than 100 µs without adaptation.
    /// # Why it matters
    /// Coalescing saves CPU and costs latency: a commit that waits for one small packet waits the whole delay,
    /// in each direction.
    /// # Evidence
    /// rx-usecs and adaptive-rx (`ethtool -c`).
    /// # Remedy
    /// `ethtool -C X adaptive-rx on`, or a lower rx-usecs; measure the round trip before and after.
    /// # Source
    /// Linux Documentation/networking/ethtool-netlink.rst, `COALESCE_GET`; `Documentation/networking/net_dim.rst`
    /// (adaptive moderation).
    code: "nic-coalescing-high",
    title: "interrupt coalescing delays received packets",
    layer: Network, severity: Info, on: [Nic],
    check: |run| each::nic(run, each::in_use, judge),

    /// A delay that is noticeable for a commit on a local network, µs.
    const LONG_US: u32 = 100;
}

fn judge(side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let Some(coalesce) = &nic.coalesce else { return unknown!("the coalescing of {at} could not be read") };
    if coalesce.adaptive_rx || coalesce.rx_usecs <= LONG_US {
        return Outcome::Passes;
    }
    finding!(&at, "{at} waits up to {} µs before it reports a received packet", coalesce.rx_usecs)
        .measured(f64::from(coalesce.rx_usecs) * 1e3, f64::from(LONG_US) * 1e3, Unit::Ns)
        .evidence(
            format!("rx-usecs {}, adaptive-rx off", coalesce.rx_usecs),
            side.source(&format!("ethtool -c {}", nic.name)),
        )
        .advice(
            set_ethtool(
                side.host,
                &nic.name,
                "-C",
                ["adaptive-rx on".into(), sh!("adaptive-rx off rx-usecs {}", coalesce.rx_usecs)],
                "A single small packet, such as a commit's, waits for the whole delay.",
                "a shorter round trip; prove it with `fullwire net PEER --mode rtt`",
            )
            .on(side.peer),
        )
        .into()
}
