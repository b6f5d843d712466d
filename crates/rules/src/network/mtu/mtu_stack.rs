use crate::advice::set_mtu;
use crate::facts::interface;
use crate::network::each;
use crate::prelude::*;

rule! {
    /// # What it checks
    /// Passes when the MTU of a bond, VLAN or bridge is not above the MTU of what carries it, and the members of a bond
    /// have one MTU.
    ///
    /// # Why it matters
    /// What is larger than the lower interface takes is dropped without a word to the sender: small packets
    /// pass, blocks do not. With a bond it depends on the member in use.
    ///
    /// # Evidence
    /// MTU of each interface and of those below it.
    ///
    /// # Remedy
    /// `ip link set BOND mtu N` (it sets the members), or the odd member to the bond's MTU.
    ///
    /// # Source
    /// Linux `drivers/net/bonding/bond_main.c`, `bond_change_mtu` (the members follow the bond, but not the bond
    /// its members); `net/8021q/vlan_dev.c`, `vlan_dev_change_mtu`.
    code: "mtu-stack",
    title: "an interface has a larger MTU than the one below it",
    layer: Network, severity: Critical, on: [Nic], limits: [MtuFault],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let upper = |side: &side::Side, nic: &Nic| interface::stack(side.host, &nic.name).len() > 1;
    each::nic(run, upper, |side, nic| judge(run, side, nic))
}

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let Some(mtu) = nic.mtu_bytes else {
        return Outcome::Unknown(format!("the MTU of {at} could not be read"));
    };
    let lower =
        interface::stack(side.host, &nic.name).into_iter().skip(1).filter_map(|name| side.host.nic(name));
    let Some(small) = lower
        .filter(|lower| lower.mtu_bytes.is_some_and(|below| below < mtu))
        .min_by_key(|lower| lower.mtu_bytes)
    else {
        return Outcome::Passes;
    };
    let below = small.mtu_bytes.unwrap_or(0);
    let finding = RULE
        .finding(
            &at,
            format!(
                "{at} has MTU {mtu}, {} below it {below}: packets above {below} bytes are dropped",
                small.name
            ),
        )
        .measured(below as f64, mtu as f64, Unit::Bytes)
        .evidence(
            format!("{} mtu {mtu}, {} mtu {below}", nic.name, small.name),
            side.source("/sys/class/net/*/mtu"),
        )
        .advice(
            set_mtu(
                side.host,
                &small.name,
                mtu,
                "The upper interface sends packets that the lower one does not accept.",
                "one MTU from top to bottom; prove it with `fullwire mtu PEER`",
            )
            .on(side.peer),
        );
    finding.explains(explain::paths_over(run, side, &nic.name, Mechanism::MtuFault)).into()
}
