rule! {
    /// # What it checks
    /// Passes when the MTU of a bond, VLAN or bridge is not above the MTU of what carries it, a tunnel (VXLAN, Geneve) leaves
    /// room for its header, and the members of a bond have one MTU.
    /// # Why it matters
    /// What is larger than the lower interface takes is dropped without a word to the sender: small packets
    /// pass, blocks do not. With a bond it depends on the member in use. A tunnel's packet is sent in two fragments: twice the
    /// packets, and a firewall or network that drops fragments drops all large ones.
    /// # Evidence
    /// MTU of each interface and of those below it. Of a bridge the ports that lead out of the host count, not those of guests.
    /// # Remedy
    /// `ip link set BOND mtu N` (it sets the members), or the odd member to the bond's MTU; of a tunnel the smaller MTU, where its
    /// network is configured.
    /// # Source
    /// Linux `drivers/net/bonding/bond_main.c`, `bond_change_mtu` (the members follow the bond, but not the bond
    /// its members); `net/8021q/vlan_dev.c`, `vlan_dev_change_mtu`; RFC 7348, section 4.3 (the network below must take the larger
    /// frame); `include/net/vxlan.h`, `VXLAN_HEADROOM`; ip-link(8), `df` of a vxlan device.
    code: "mtu-stack",
    title: "packets of an interface do not fit the one below it",
    layer: Network, severity: Critical, on: [Nic], limits: [MtuFault],

    /// Inner Ethernet header 14, VXLAN or Geneve 8, UDP 8, IPv4 20.
    const TUNNEL_HEADER_BYTES: u64 = 50;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let upper = |side: &side::Side, nic: &Nic| interface::stack(side.host, &nic.name).len() > 1;
    each::nic(run, upper, |side, nic| judge(run, side, nic))
}

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let Some(mtu) = nic.mtu_bytes else { return unknown!("the MTU of {at} could not be read") };
    let header = if ["vxlan", "geneve"].contains(&nic.kind.as_str()) { TUNNEL_HEADER_BYTES } else { 0 };
    let needed = mtu.saturating_add(header);
    let lower =
        interface::stack(side.host, &nic.name).into_iter().skip(1).filter_map(|name| side.host.nic(name));
    let Some(small) = lower
        .filter(|lower| lower.mtu_bytes.is_some_and(|below| below < needed))
        .min_by_key(|lower| lower.mtu_bytes)
    else {
        return Outcome::Passes;
    };
    let below = small.mtu_bytes.unwrap_or(0);
    let found = format!("{at} has MTU {mtu}, {} below it {below}", small.name);
    let fits = below.saturating_sub(header);
    let (message, advice) = if header > 0 {
        (
            format!(
                "{found}, and the tunnel's header takes {header}: packets above {fits} bytes are sent as fragments or dropped"
            ),
            of_tunnel(fits),
        )
    } else {
        let why = "The upper interface sends packets that the lower one does not accept.";
        let expect = "one MTU from top to bottom; prove it with `fullwire mtu PEER`";
        (
            format!("{found}: packets above {below} bytes are dropped"),
            set_mtu(side.host, &small.name, mtu, why, expect),
        )
    };
    let finding = RULE.finding(&at, message);
    let finding = if header > 0 { finding.severity(Severity::Warning) } else { finding };
    finding
        .measured(below as f64, needed as f64, Unit::Bytes)
        .evidence(
            format!("{} mtu {mtu}, {} mtu {below}", nic.name, small.name),
            side.source("/sys/class/net/*/mtu"),
        )
        .advice(advice.on(side.peer))
        .explains(explain::paths_over(run, side, &nic.name, Mechanism::MtuFault))
        .into()
}

/// Whoever made the tunnel sets its MTU again, and that of the containers behind it.
fn of_tunnel(fits: u64) -> Advice {
    because("The header makes each full packet larger than the interface below takes.")
        .now(format!(
            "Set MTU {fits} where the overlay network is configured (the settings of the Kubernetes network plug-in, of Docker's network or of the tunnel's own connection); containers take it when they are started again"
        ))
        .restarts("what runs in the overlay network")
        .undo("Set the former MTU there")
        .restarts("what runs in the overlay network")
        .expecting("the tunnel's MTU with its header fits the interface below")
}
