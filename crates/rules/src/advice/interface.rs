//! Settings of network interfaces, kept by what keeps the network's settings on the distribution at hand.

use super::condition::{NO_CLUSTER, PATHS_READY};
use super::keeper::{Keeper, connection, given_ours, keep_by_hand, keeper, netplan_path, netplan_section};
use super::lines::Lines;
use super::{AdviceExt, RULES, as_word, because, sh};
use fullwire_model::assessment::{Advice, Check, Phase, ShellCommand, is_plain_word};
use fullwire_model::host::{Host, Nic, levels};

/// Where `NetworkManager` keeps what it is told.
pub(super) const CONNECTIONS: &str = "/etc/NetworkManager/system-connections/";
/// The same by its plugin for the files of Red Hat's network scripts (nm-settings-ifcfg-rh(5)).
pub(super) const IFCFG: &str = "/etc/sysconfig/network-scripts/";

/// Set something with `ethtool`: flag and arguments (`-G`, `rx 4096`), what takes it back (`rx 512`).
pub fn set_ethtool(
    host: &Host,
    nic: &str,
    flag: &'static str,
    [arguments, back]: [impl Into<ShellCommand>; 2],
    why: &str,
    expect: &str,
) -> Advice {
    // What most drivers do for it: reset the link, which takes seconds. For LRO Linux drivers/net/ethernet: ixgbe_main.c
    // (ixgbe_set_features), bnx2x_cmn.c (bnx2x_set_features); for the checksums of what arrives intel/e1000e/netdev.c and
    // intel/e1000/e1000_main.c (e1000_set_features); for these and for large sends ibm/ibmveth.c (ibmveth_set_csum_offload
    // and ibmveth_set_tso close the device and open it again).
    let (arguments, back): (ShellCommand, ShellCommand) = (arguments.into(), back.into());
    let driver = host.nic(nic).map_or("", |own| own.driver.as_str());
    let resets = match flag {
        "-G" | "-L" | "-A" | "-s" => true,
        "-K" => {
            let of_driver: &[&str] = match driver {
                "e1000" | "e1000e" => &["rx on"],
                "ibmveth" => &["tso ", "rx "],
                _ => &[],
            };
            arguments.starts_with("lro ") || of_driver.iter().any(|one| arguments.contains(one))
        }
        _ => false,
    };
    let command =
        |arguments: &ShellCommand| sh!("ethtool {} {} {}", ShellCommand::from(flag), nic, arguments);
    let advice =
        because(why).expecting(expect).run(command(&arguments), format!("Sets {arguments} on {nic}"));
    let advice = if resets { interrupting(advice, host, nic) } else { advice };
    let advice = keep_ethtool(advice, host, nic, &command(&arguments), flag, &arguments);
    let advice = advice.undo_run(command(&back), format!("Sets {back} on {nic}"));
    if resets { interrupting(advice, host, nic) } else { advice }
}

/// Have an interface negotiate that was fixed by hand, and back to what was fixed. One that negotiates already needs no
/// command: the fault is on the other side or between.
pub fn negotiate(host: &Host, nic: &Nic, why: &str, expect: &str) -> Advice {
    let name = nic.name.as_str();
    let duplex = nic.duplex.as_deref().filter(|duplex| matches!(*duplex, "half" | "full"));
    match (nic.autonegotiation, nic.speed_mbit_per_s, duplex) {
        (Some(true), ..) => because(why).expecting(expect),
        (Some(false), Some(speed), Some(duplex)) => {
            let fixed = sh!("speed {} duplex {} autoneg off", speed, duplex);
            set_ethtool(host, name, "-s", ["autoneg on".into(), fixed], why, expect)
        }
        _ => because(why).expecting(expect).now(format!(
            "If `ethtool {0}` shows that autonegotiation is off, write down the speed and the duplex that it shows, and \
             enable it with `ethtool -s {0} autoneg on` and in the configuration of the network",
            as_word(name)
        )),
    }
}

fn interrupting(advice: Advice, host: &Host, nic: &str) -> Advice {
    let mut advice = reset(advice, host, nic);
    if let Some(step) = advice.steps.last_mut() {
        step.text += ": it may lose its link for up to 10 s, which time-outs of iSCSI and NFS must tolerate";
    }
    advice
}

/// The step before resets a link: done while another one carries what it carries, and over once it is back.
fn reset(advice: Advice, host: &Host, nic: &str) -> Advice {
    let mut advice = advice.resets_link(nic).given(NO_CLUSTER);
    // evs.suspect_timeout is 5 s, and a member of a group is suspected after 5 s (Galera documentation, evs; MySQL
    // Reference Manual, Group Replication, failure detection).
    let expels = |name: &&str| crate::facts::is_managed_by(host, name);
    if let Some(name) = ["galera", "group-replication"].iter().copied().find(expels) {
        advice = advice.needs(format!("this member of {name} is taken out of its group meanwhile: it is expelled after 5 s without a link"));
    }
    if let Some(how) = carries_root(host, nic) {
        advice = advice.needs(format!(
            "the root file system comes over {nic} by {how}: no program is read from it until the link is back, and a link that does not come back needs a reset of the host"
        ));
    }
    let bond = host.bonds.iter().find(|bond| bond.slaves.iter().any(|slave| slave.name == nic));
    if let Some(bond) = bond.filter(|bond| bond.slaves.len() > 1) {
        // Its own line, this member's and another's.
        advice = advice.check(
            sh!("test \"$(grep -cx 'MII Status: up' /proc/net/bonding/{})\" -ge 3", bond.name),
            format!("another member of {} is up", bond.name),
        );
    }
    if !host.iscsi_sessions.is_empty() && !host.multipath.is_empty() {
        advice = advice.given(PATHS_READY);
    }
    let carries = sh!("grep -qx 1 /sys/class/net/{}/carrier", nic);
    if let Some(step) = advice.steps.last_mut() {
        step.read_back = step.read_back.take().map(|told| sh!("{} && {}", told, carries));
    }
    advice
}

/// The host runs from a server that it reaches through this interface, and how. A disk with paths over several goes on by another.
fn carries_root(host: &Host, nic: &str) -> Option<&'static str> {
    let root = host.mounts.iter().find(|mount| mount.target == "/")?;
    let leads = |address: &str| {
        let way = host.way_to(address);
        way.is_some_and(|way| crate::facts::interface::stack(host, way.interface).contains(&nic))
    };
    if let Some(nfs) = &root.nfs {
        return leads(&nfs.address).then_some("NFS");
    }
    let sessions: Vec<_> =
        host.iscsi_sessions.iter().filter(|session| crate::facts::carries_root(host, session)).collect();
    (!sessions.is_empty() && sessions.iter().all(|session| leads(&session.portal))).then_some("iSCSI")
}

/// What runs an `ethtool` command again after each start of the interface.
fn keep_ethtool(
    advice: Advice,
    host: &Host,
    nic: &str,
    command: &ShellCommand,
    flag: &str,
    arguments: &ShellCommand,
) -> Advice {
    let program = format!("/usr/sbin/{command}");
    match keeper(host, nic) {
        Keeper::Ifupdown => keep_by_hand(advice, host, nic, &format!("`post-up {command}`")),
        Keeper::Wicked => {
            keep_by_hand(advice, host, nic, &format!("ETHTOOL_OPTIONS='{flag} iface {arguments}'"))
        }
        Keeper::NetworkManager => by_udev(advice, nic, &program).persist(format!(
            "If the connection of {nic} has ethtool.* properties, a speed or a duplex (`nmcli connection show`), change \
             them there: NetworkManager applies them later"
        )),
        Keeper::NetworkScripts => {
            let own = sh!("grep -q ^ETHTOOL_OPTS= /etc/sysconfig/network-scripts/ifcfg-{}; test $? = 1", nic);
            let text = format!("ifcfg-{nic} has no ETHTOOL_OPTS, which are applied later: else write it there");
            let mut advice = by_udev(advice, nic, &program);
            let kept = advice.steps.iter_mut().filter(|step| step.phase == Phase::Persist && step.run.is_some());
            kept.for_each(|step| step.checks.push(Check { run: own.clone(), text: text.clone() }));
            advice
        }
        // A udev rule needs no one else: no file of theirs has a place for each of ethtool's settings. What a .link file
        // sets is set before it (net_setup_link, 80-net-setup-link.rules).
        Keeper::Netplan | Keeper::Networkd | Keeper::Unknown => by_udev(advice, nic, &program),
    }
}

/// Longest name of an interface, bytes, without the zero that ends it (include/uapi/linux/if.h, `IFNAMSIZ`).
const NAME_LONGEST: usize = 15;

/// udev's rules have their own quotes and substitutions, and no way to write them plainly: a name that has any goes to a
/// person. A name that the kernel gave comes with `add` and one that udev gave with `move`; `NAME` has a value only where
/// an earlier rule set it (udev(7)), which none does with `net.ifnames=0`.
pub(crate) fn by_udev(advice: Advice, nic: &str, program: &str) -> Advice {
    if !is_plain_word(nic, NAME_LONGEST) {
        return advice.persist(format!(
            "Have `{program}` run whenever {nic} appears: a udev rule or the start script of the network"
        ));
    }
    let escaped = program.replace('$', "$$");
    let line = format!("ACTION==\"add|move\", SUBSYSTEM==\"net\", KERNEL==\"{nic}\", RUN+=\"{escaped}\"");
    let begins: Vec<&str> = program.split_whitespace().take(2).collect();
    let rule = Lines::of(RULES, "\\|KERNEL==\"{}\", RUN+=\"{} |d", &[nic, &begins.join(" ")]);
    advice
        .persist_run(rule.put(&line), format!("A udev rule that repeats it whenever {nic} appears"))
        .undo_persist_run(rule.remove(), "Removes the udev rule")
}

/// Set the MTU of an interface: what is below it first, after a reboot, and back. A member of a bond or a team gets it
/// from that, whose driver sets all members (`bond_change_mtu`, `team_change_mtu`).
pub fn set_mtu(host: &Host, nic: &str, mtu_bytes: u64, why: &str, expect: &str) -> Advice {
    let needs = format!(
        "every switch port and every host of this network accepts frames of {mtu_bytes} bytes: any that does not drops large packets silently"
    );
    // A bond that has this MTU passes nothing on: a member that differs needs its own command.
    let has = |name: &str| host.nic(name).and_then(|nic| nic.mtu_bytes) == Some(mtu_bytes);
    let bond = crate::facts::interface::bonded(host, nic);
    let nic = if has(bond) { nic } else { bond };
    let mut below = lower(host, nic, mtu_bytes);
    below.retain(|name| host.nic(name).and_then(|nic| nic.mtu_bytes).is_some_and(|now| now < mtu_bytes));
    if is_of_switch(host, nic) {
        return mtu_by_switch(nic, mtu_bytes, because(why).expecting(expect), needs);
    }
    let set = |name: &str, mtu: u64| sh!("ip link set dev {} mtu {}", name, mtu);
    let order = below.iter().map(String::as_str).chain([nic]);
    let mut advice = order.fold(because(why).expecting(expect), |advice, name| {
        let advice = advice.run(set(name, mtu_bytes), format!("Sets the MTU of {name}"));
        let advice = reset(advice, host, name).needs(needs.clone());
        if is_infiniband(host, name) && mtu_bytes > DATAGRAM_MTU { connected(advice, name) } else { advice }
    });
    // Whatever lies below must come up with it too: a VLAN cannot have more than its parent.
    advice = below
        .iter()
        .map(String::as_str)
        .chain([nic])
        .fold(advice, |advice, name| keep_mtu(advice, host, name, mtu_bytes));
    let back = std::iter::once(nic).chain(below.iter().rev().map(String::as_str));
    for name in back {
        let before = host.nic(name).and_then(|nic| nic.mtu_bytes);
        advice = match before {
            Some(before) => advice
                .undo_run(set(name, before), format!("Sets the MTU of {name} back"))
                .resets_link(name)
                .given(NO_CLUSTER),
            None => advice.undo(format!("Set the MTU of {name} back to what it was")),
        };
    }
    advice
}

/// Open vSwitch made the interface: it gives it the smallest MTU of its bridge's ports, over whatever else sets it, until
/// its own database asks for another (ovs-vswitchd.conf.db(5), table Interface, `mtu_request`).
fn is_of_switch(host: &Host, nic: &str) -> bool {
    host.nic(nic).is_some_and(|nic| nic.kind == "openvswitch")
}

/// What to do about an interface that Open vSwitch made. Which ports are of the same bridge, only its own tools tell.
fn mtu_by_switch(nic: &str, mtu_bytes: u64, advice: Advice, needs: String) -> Advice {
    let name = as_word(nic);
    advice
        .now(format!(
            "Open vSwitch sets the MTU of {nic} and overrides `ip link`. Raise the ports of its bridge first (`ovs-vsctl show` \
             lists them), then: `ovs-vsctl set Interface {name} mtu_request={mtu_bytes}`"
        ))
        .resets_link(nic)
        .needs(needs)
        .persist(format!("Open vSwitch keeps the mtu_request of {nic} in its database"))
        .undo(clear_request(nic))
        .resets_link(nic)
}

/// The kernel shows the datapath as the master of each port that Open vSwitch did not make (net/openvswitch/vport-netdev.c).
fn port_of_switch(host: &Host, nic: &str) -> bool {
    let master = host.nic(nic).and_then(|nic| nic.master.as_deref());
    master.is_some_and(|master| is_of_switch(host, master))
}

fn clear_request(nic: &str) -> String {
    format!(
        "`ovs-vsctl clear Interface {0} mtu_request`, or the value that `ovs-vsctl get Interface {0} mtu_request` showed before",
        as_word(nic)
    )
}

/// The most that IP over `InfiniBand` sends in datagram mode: the largest MTU of a link, 4096, less its header of 4
/// (Linux Documentation/infiniband/ipoib.rst; RFC 4391, section 3).
const DATAGRAM_MTU: u64 = 4092;

fn is_infiniband(host: &Host, nic: &str) -> bool {
    host.nic(nic).is_some_and(|nic| nic.kind == "infiniband")
}

/// Only in connected mode an interface of `InfiniBand` takes the MTU of the step before.
fn connected(advice: Advice, nic: &str) -> Advice {
    advice.check(
        sh!("grep -qx connected /sys/class/net/{}/mode", nic),
        format!("{nic} is in connected mode, on every node: datagram mode ends at {DATAGRAM_MTU} bytes, and some adapters have no other"),
    )
}

/// Everything below an interface that needs a command of its own, the lowest first: the parent of a VLAN, the ports of a
/// bridge. The members of a bond follow it when it changes.
fn lower(host: &Host, nic: &str, mtu_bytes: u64) -> Vec<String> {
    let below = |name: &str| {
        let sets_members = |record: &&Nic| {
            let is_bond = host.bond(name).is_some() || matches!(record.kind.as_str(), "bond" | "team");
            is_bond && record.mtu_bytes != Some(mtu_bytes)
        };
        let record = host.nic(name).filter(|record| !sets_members(record)).into_iter();
        record.flat_map(|record| record.lower.iter().map(String::as_str)).collect()
    };
    levels(nic, below).into_iter().skip(1).rev().map(str::to_owned).collect()
}

/// Keeps the MTU of one layer.
fn keep_mtu(advice: Advice, host: &Host, nic: &str, mtu: u64) -> Advice {
    let before = host.nic(nic).and_then(|nic| nic.mtu_kept_bytes);
    match keeper(host, nic) {
        Keeper::NetworkManager => {
            // A connection has the settings of its own type (nm-settings-nmcli(5)).
            let property = if is_infiniband(host, nic) { "infiniband.mtu" } else { "802-3-ethernet.mtu" };
            let modify = |mtu: u64| {
                sh!("nmcli connection modify {} {} {}", connection(nic), ShellCommand::from(property), mtu)
            };
            let kept = advice
                .persist_run(modify(mtu), format!("Keeps it in the connection of {nic}, whatever its name"))
                .reads_back(sh!(
                    "test \"$(nmcli -g {} connection show {})\" = {}",
                    ShellCommand::from(property),
                    connection(nic),
                    mtu
                ));
            given_ours(kept, host, nic)
                .writes(CONNECTIONS)
                .writes(IFCFG)
                // 0 leaves it to the interface (nm-settings(5)).
                .undo_persist_run(modify(before.unwrap_or(0)), format!("Sets the connection of {nic} back"))
        }
        Keeper::Netplan => {
            let path = netplan_path(host, nic);
            let back = before.map_or("NULL".to_owned(), |mtu| mtu.to_string());
            let kept = advice
                .persist_run(
                    sh!("netplan set {}", format!("{path}.mtu={mtu}")),
                    "Takes effect at the next boot; `netplan apply` would restart the interfaces now",
                )
                .check(
                    sh!("netplan get {} | grep -qvx null", path),
                    format!("`netplan get` shows {nic} in section {}", netplan_section(host, nic)),
                );
            given_ours(kept, host, nic).undo_persist_run(
                sh!("netplan set {}", format!("{path}.mtu={back}")),
                format!("Sets netplan's entry of {nic} back"),
            )
        }
        Keeper::Ifupdown => keep_by_hand(advice, host, nic, &format!("`mtu {mtu}`")),
        Keeper::Wicked => keep_by_hand(advice, host, nic, &format!("MTU='{mtu}'")),
        Keeper::NetworkScripts => keep_by_hand(advice, host, nic, &format!("MTU={mtu}")),
        Keeper::Networkd => keep_by_hand(advice, host, nic, &format!("MTUBytes={mtu} in section [Link]")),
        // A port of its own bridge, of whatever kind, has what its database asks for.
        Keeper::Unknown if port_of_switch(host, nic) => advice
            .persist(format!(
                "Keep it in Open vSwitch: `ovs-vsctl set Interface {} mtu_request={mtu}`",
                as_word(nic)
            ))
            .undo(clear_request(nic)),
        Keeper::Unknown => keep_by_hand(advice, host, nic, &format!("an MTU of {mtu}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::Risk;
    use fullwire_model::host::{InterfaceKeeper, IscsiSession};

    fn host(by: &str) -> Host {
        let mut host: Host = serde_json::from_str(
            r#"{ "nics": [
                { "name": "bond0.100", "kind": "vlan", "mtu_bytes": 1500, "lower": ["bond0"] },
                { "name": "bond0", "kind": "bond", "mtu_bytes": 1500, "lower": ["eth0", "eth1"] },
                { "name": "eth0", "kind": "physical", "mtu_bytes": 1500 },
                { "name": "eth1", "kind": "physical", "mtu_bytes": 9000 } ] }"#,
        )
        .expect("a host");
        for nic in host.nics.iter().filter(|_| !by.is_empty()) {
            let keeper = InterfaceKeeper { by: by.to_owned(), ..InterfaceKeeper::default() };
            host.management.interfaces.insert(nic.name.clone(), keeper);
        }
        host
    }

    fn runs(advice: &Advice, phase: Phase) -> Vec<&str> {
        advice.phase(phase).filter_map(|step| step.run.as_deref()).collect()
    }

    #[test]
    fn what_lies_below_gets_the_mtu_first() {
        let advice = set_mtu(&host("networkmanager"), "bond0.100", 9000, "", "");
        assert_eq!(
            runs(&advice, Phase::Now),
            ["ip link set dev bond0 mtu 9000", "ip link set dev bond0.100 mtu 9000"],
            "bond0 sets its members"
        );
        let undo = runs(&advice, Phase::Undo);
        let links: Vec<&&str> = undo.iter().filter(|run| run.starts_with("ip link")).collect();
        assert_eq!(*links[0], "ip link set dev bond0.100 mtu 1500");
        assert!(
            advice.phase(Phase::Now).all(|step| step.risk() == Risk::Interrupts && !step.needs.is_empty())
        );
    }

    #[test]
    fn a_member_gets_its_mtu_from_the_bond() {
        let mut host = host("networkmanager");
        host.nics[2].master = Some("bond0".into());
        let advice = set_mtu(&host, "eth0", 9000, "", "");
        assert_eq!(runs(&advice, Phase::Now), ["ip link set dev bond0 mtu 9000"]);
        assert!(runs(&advice, Phase::Persist)[0].contains("show bond0)"));
        // A bridge takes the least of its ports, and its ports need their own command (net/bridge/br_device.c).
        host.nics[1].kind = "bridge".into();
        assert_eq!(
            runs(&set_mtu(&host, "bond0", 9000, "", ""), Phase::Now),
            ["ip link set dev eth0 mtu 9000", "ip link set dev bond0 mtu 9000"]
        );
    }

    #[test]
    fn open_vswitch_keeps_the_mtu_of_its_own_interfaces() {
        let mut host = host("");
        host.nics[3].master = Some("ovs-system".into());
        for name in ["ovs-system", "br-ex"] {
            host.nics.push(Nic { name: name.into(), kind: "openvswitch".into(), ..Nic::default() });
        }
        let own = set_mtu(&host, "br-ex", 9000, "", "");
        assert!(own.steps.iter().all(|step| step.run.is_none()));
        assert!(own.steps[0].text.contains("ovs-vsctl set Interface br-ex mtu_request=9000"));
        let kept = |name: &str| {
            let advice = set_mtu(&host, name, 9000, "", "");
            advice.phase(Phase::Persist).any(|step| step.text.contains("mtu_request=9000"))
        };
        assert!(kept("eth1") && !kept("eth0"));
        let keeper = InterfaceKeeper { by: "networkmanager".into(), ..InterfaceKeeper::default() };
        host.management.interfaces.insert("eth1".into(), keeper);
        let by_profile = set_mtu(&host, "eth1", 9000, "", "");
        assert!(runs(&by_profile, Phase::Persist)[0].starts_with("nmcli"));
    }

    #[test]
    fn infiniband_has_its_own_property_and_needs_connected_mode() {
        let mut host = host("networkmanager");
        host.nics[3].kind = "infiniband".into();
        let advice = set_mtu(&host, "eth1", 65_520, "", "");
        assert!(runs(&advice, Phase::Persist)[0].ends_with(" infiniband.mtu 65520"));
        let asks = |mtu| {
            let advice = set_mtu(&host, "eth1", mtu, "", "");
            advice.steps.iter().flat_map(|step| &step.checks).any(|check| check.run.contains("eth1/mode"))
        };
        assert!(asks(65_520), "datagram mode refuses it");
        assert!(!asks(4092), "either mode takes it");
    }

    #[test]
    fn the_connection_and_the_section_are_those_of_the_interface() {
        let keeps = |by: &str| {
            let advice = set_mtu(&host(by), "bond0.100", 9000, "", "");
            let steps = advice.phase(Phase::Persist);
            steps.map(|step| step.run.as_deref().unwrap_or(&step.text).to_owned()).collect::<Vec<_>>()
        };
        // Each layer, the lower first: the VLAN alone would come up above a bond of 1500.
        assert_eq!(
            keeps("networkmanager"),
            ["bond0", "bond0.100"].map(|name| format!(
                "nmcli connection modify \"$(nmcli -g GENERAL.CON-UUID device show {name})\" 802-3-ethernet.mtu 9000"
            ))
        );
        // netplan splits the key at each dot, but not at `\.`.
        assert_eq!(
            keeps("netplan"),
            ["netplan set bonds.bond0.mtu=9000", "netplan set 'vlans.bond0\\.100.mtu=9000'"]
        );
        assert!(keeps("ifupdown").iter().all(|text| text.contains("/etc/network/interfaces")));
        assert!(keeps("wicked")[1].contains("ifcfg-bond0.100"));
        // What a person writes into a file a person takes out of it.
        let by_hand = set_mtu(&host("wicked"), "bond0.100", 9000, "", "");
        let undone = by_hand.phase(Phase::Undo).filter(|step| step.run.is_none());
        assert!(undone.map(|step| &step.text).all(|text| text.contains("MTU='9000'")));
        assert_eq!(by_hand.phase(Phase::Undo).filter(|step| step.run.is_none()).count(), 2);
        assert!(keeps("")[0].contains("nothing that was read shows"), "no command is guessed");
    }

    #[test]
    fn what_was_fixed_comes_back_by_command() {
        let fixed = |autonegotiation, speed_mbit_per_s, duplex: Option<&str>| Nic {
            name: "eth0".into(),
            autonegotiation,
            speed_mbit_per_s,
            duplex: duplex.map(str::to_owned),
            ..Nic::default()
        };
        let of = |by: &str, nic: &Nic| negotiate(&host(by), nic, "", "");
        let known = fixed(Some(false), Some(100), Some("half"));
        let advice = of("networkd", &known);
        assert_eq!(runs(&advice, Phase::Now), ["ethtool -s eth0 autoneg on"]);
        assert!(runs(&advice, Phase::Persist)[0].contains("ethtool -s eth0 autoneg on"));
        let undo = runs(&advice, Phase::Undo);
        assert!(undo[0].starts_with("test ! -f /etc/udev") && undo.len() == 2, "{undo:?}");
        assert_eq!(undo[1], "ethtool -s eth0 speed 100 duplex half autoneg off");
        // Nothing to take back is left to a person, in either half; and it is known when it is done.
        let undone = |phase| advice.phase(Phase::Undo).filter(move |undo| undo.undoes.contains(&phase));
        assert!([Phase::Now, Phase::Persist].iter().all(|phase| undone(*phase).count() > 0));
        assert!(advice.steps.iter().all(|step| step.run.is_some()));
        assert_eq!(
            advice.steps.last().and_then(|step| step.read_back.as_deref()),
            Some("ethtool eth0 | grep -qE 'Auto-negotiation: off' && grep -qx 1 /sys/class/net/eth0/carrier")
        );
        // What the network's scripts apply later is asked for first.
        let scripts = of("network-scripts", &known);
        let checks: Vec<&Check> = scripts.phase(Phase::Persist).flat_map(|step| &step.checks).collect();
        assert!(checks[0].run.contains("ifcfg-eth0; test $? = 1"), "{checks:?}");
        // What is not known is no command, and what negotiates already is no step.
        for unknown in [fixed(Some(false), Some(100), None), fixed(None, Some(100), Some("full"))] {
            assert!(of("networkd", &unknown).steps.iter().all(|step| step.run.is_none()));
        }
        assert!(of("networkd", &fixed(Some(true), Some(100), Some("half"))).steps.is_empty());
    }

    #[test]
    fn the_link_to_the_root_file_system_is_not_reset_unasked() {
        let mut host = host("networkmanager");
        let root = r#"{ "target": "/", "fs_type": "nfs", "nfs": { "address": "10.0.0.9" } }"#;
        host.mounts = vec![serde_json::from_str(root).expect("a mount")];
        host.nics[0].addresses = vec!["10.0.0.1/24".into()];
        let asks = |nic| {
            let advice = set_ethtool(&host, nic, "-G", ["rx 1024", "rx 512"], "", "");
            advice.steps[0].needs.iter().any(|needs| needs.contains("the root file system"))
        };
        assert!(asks("eth0") && asks("bond0.100"), "the VLAN leads there, over both members");
        let mut by_disk = host.clone();
        by_disk.mounts[0] = serde_json::from_str(r#"{ "target": "/", "number": "8:0" }"#).expect("a mount");
        by_disk.disks = vec![serde_json::from_str(r#"{ "name": "sda", "number": "8:0" }"#).expect("a disk")];
        let session = r#"{ "name": "session1", "portal": "10.0.0.9:3260", "disks": ["sda"] }"#;
        by_disk.iscsi_sessions = vec![serde_json::from_str(session).expect("a session")];
        assert_eq!(carries_root(&by_disk, "eth0"), Some("iSCSI"));
        by_disk
            .iscsi_sessions
            .push(IscsiSession { portal: "10.9.0.9:3260".into(), ..by_disk.iscsi_sessions[0].clone() });
        assert_eq!(carries_root(&by_disk, "eth0"), None, "another network leads to it as well");
        host.nics[0].addresses.clear();
        assert!(
            !set_ethtool(&host, "eth0", "-G", ["rx 1", "rx 2"], "", "").steps[0]
                .needs
                .concat()
                .contains("root")
        );
    }

    #[test]
    fn what_resets_a_link_says_so() {
        let risk = |flag: &'static str| {
            set_ethtool(&host("networkmanager"), "eth0", flag, ["rx 1024", "rx 512"], "", "").steps[0].risk()
        };
        assert_eq!(["-G", "-L", "-A", "-s"].map(risk), [Risk::Interrupts; 4]);
        assert_eq!(["-C", "-K"].map(risk), [Risk::Online; 2]);
        let lro = set_ethtool(&host("networkmanager"), "eth0", "-K", ["lro off", "lro on"], "", "");
        assert_eq!(lro.steps[0].risk(), Risk::Interrupts, "several drivers reset the port for it");
        let checksums = |driver: &str| {
            let mut host = host("networkmanager");
            host.nics[2].driver = driver.into();
            set_ethtool(&host, "eth0", "-K", ["tso on rx on", "tso off rx off"], "", "").steps[0].risk()
        };
        assert_eq!(
            ["e1000e", "ibmveth", "igb"].map(checksums),
            [Risk::Interrupts, Risk::Interrupts, Risk::Online]
        );
        let mut member = host("networkmanager");
        member.management.availability.insert("galera".into(), "wsrep_on".into());
        let advice = set_mtu(&member, "eth0", 9000, "", "");
        assert!(advice.steps[0].needs.iter().any(|needs| needs.contains("galera")), "{advice:?}");
    }
}
