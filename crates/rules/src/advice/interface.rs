//! Settings of network interfaces, kept by what keeps the network's settings on the distribution at hand.

use super::condition::NO_CLUSTER;
use super::keeper::{Keeper, by_hand, connection, keeper, netplan_path, netplan_section};
use super::{AdviceExt, because, sh};
use fullwire_model::assessment::{Advice, Phase, ShellCommand};
use fullwire_model::host::Host;

/// Where `NetworkManager` keeps what it is told.
pub(super) const CONNECTIONS: &str = "/etc/NetworkManager/system-connections/";
const RULES: &str = "/etc/udev/rules.d/99-z-fullwire.rules";

/// Set something with `ethtool`: flag and arguments (`-G`, `rx 4096`), what takes it back (`rx 512`).
pub fn set_ethtool(
    host: &Host,
    nic: &str,
    flag: &'static str,
    [arguments, back]: [impl Into<ShellCommand>; 2],
    why: &str,
    expect: &str,
) -> Advice {
    // What most drivers do for it: reset the link, which takes seconds.
    let resets = matches!(flag, "-G" | "-L" | "-A" | "-s");
    let (arguments, back): (ShellCommand, ShellCommand) = (arguments.into(), back.into());
    let command =
        |arguments: &ShellCommand| sh!("ethtool {} {} {}", ShellCommand::from(flag), nic, arguments);
    let advice =
        because(why).expecting(expect).run(command(&arguments), format!("Sets {arguments} on {nic}"));
    let advice = if resets { interrupting(advice, nic) } else { advice };
    let advice = keep_ethtool(advice, host, nic, &command(&arguments), flag, &arguments);
    let advice = advice.undo_run(command(&back), format!("Sets {back} on {nic}"));
    if resets { interrupting(advice, nic) } else { advice }
}

fn interrupting(advice: Advice, nic: &str) -> Advice {
    let mut advice = advice.resets_link(nic).given(NO_CLUSTER);
    if let Some(step) = advice.steps.last_mut() {
        step.text += ": it may lose its link for up to 10 s, which time-outs of iSCSI and NFS must bear";
    }
    advice
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
        Keeper::Ifupdown => advice.persist(by_hand(host, nic, &format!("`post-up {command}`"))),
        Keeper::Wicked => {
            advice.persist(by_hand(host, nic, &format!("ETHTOOL_OPTIONS='{flag} iface {arguments}'")))
        }
        Keeper::NetworkManager => by_udev(advice, nic, &program).persist(format!(
            "If the connection of {nic} has ethtool.* properties (`nmcli connection show`), change them there: \
             NetworkManager applies them later"
        )),
        // A udev rule needs no one else: no file of theirs has a place for each of ethtool's settings.
        Keeper::Netplan | Keeper::Networkd | Keeper::NetworkScripts | Keeper::Unknown => {
            by_udev(advice, nic, &program)
        }
    }
}

/// udev's rules have their own quotes and substitutions, and no way to write them plainly: a name that has any goes to a
/// person. A name that the kernel gave comes with `add` and one that udev gave with `move`; `NAME` has a value only where
/// an earlier rule set it (udev(7)), which none does with `net.ifnames=0`.
pub(crate) fn by_udev(advice: Advice, nic: &str, program: &str) -> Advice {
    if !nic.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)) {
        return advice.persist(format!(
            "Have `{program}` run whenever {nic} appears: a udev rule or the start script of the network"
        ));
    }
    let escaped = program.replace('$', "$$");
    let line = format!("ACTION==\"add|move\", SUBSYSTEM==\"net\", KERNEL==\"{nic}\", RUN+=\"{escaped}\"");
    let begins: Vec<&str> = program.split_whitespace().take(2).collect();
    let delete = ShellCommand::sed("\\|KERNEL==\"{}\", RUN+=\"{} |d", &[nic, &begins.join(" ")]);
    advice
        .persist_run(
            sh!("touch {} && sed -i {} {} && echo {} >> {}", RULES, delete, RULES, line, RULES),
            format!("A udev rule that repeats it whenever {nic} appears"),
        )
        .undo_persist_run(sh!("test ! -f {} || sed -i {} {}", RULES, delete, RULES), "Removes the udev rule")
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
    let set = |name: &str, mtu: u64| sh!("ip link set dev {} mtu {}", name, mtu);
    let order = below.iter().map(String::as_str).chain([nic]);
    let mut advice = order.fold(because(why).expecting(expect), |advice, name| {
        let advice = advice.run(set(name, mtu_bytes), format!("Sets the MTU of {name}"));
        advice.resets_link(name).needs(needs.clone())
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
            Some(before) => {
                advice.undo_run(set(name, before), format!("Sets the MTU of {name} back")).resets_link(name)
            }
            None => advice.undo(format!("Set the MTU of {name} back to what it was")),
        };
    }
    debug_assert!(advice.phase(Phase::Now).count() > 0);
    advice
}

/// Everything below an interface that needs a command of its own, the lowest first: the parent of a VLAN, the ports of a
/// bridge. The members of a bond follow it when it changes.
fn lower(host: &Host, nic: &str, mtu_bytes: u64) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open = vec![nic.to_owned()];
    while let Some(name) = open.pop() {
        let Some(record) = host.nic(&name) else { continue };
        let is_bond = host.bond(&name).is_some() || matches!(record.kind.as_str(), "bond" | "team");
        let sets_members = is_bond && record.mtu_bytes != Some(mtu_bytes);
        for below in record.lower.iter().filter(|_| !sets_members) {
            if below != nic && !found.contains(below) {
                found.push(below.clone());
                open.push(below.clone());
            }
        }
    }
    found.reverse();
    found
}

/// Keeps the MTU of one layer.
fn keep_mtu(advice: Advice, host: &Host, nic: &str, mtu: u64) -> Advice {
    let before = host.nic(nic).and_then(|nic| nic.mtu_kept_bytes);
    match keeper(host, nic) {
        Keeper::NetworkManager => {
            let modify =
                |mtu: u64| sh!("nmcli connection modify {} 802-3-ethernet.mtu {}", connection(nic), mtu);
            advice
                .persist_run(modify(mtu), format!("Keeps it in the connection of {nic}, whatever its name"))
                .reads_back(sh!(
                    "test \"$(nmcli -g 802-3-ethernet.mtu connection show {})\" = {}",
                    connection(nic),
                    mtu
                ))
                .writes(CONNECTIONS)
                // 0 leaves it to the interface (nm-settings(5)).
                .undo_persist_run(modify(before.unwrap_or(0)), format!("Sets the connection of {nic} back"))
        }
        Keeper::Netplan => {
            let path = netplan_path(host, nic);
            let back = before.map_or("NULL".to_owned(), |mtu| mtu.to_string());
            advice
                .persist_run(
                    sh!("netplan set {}", format!("{path}.mtu={mtu}")),
                    "Takes effect at the next boot; `netplan apply` would restart the interfaces now",
                )
                .check(
                    sh!("netplan get {} | grep -qvx null", path),
                    format!("`netplan get` shows {nic} in section {}", netplan_section(host, nic)),
                )
                .undo_persist_run(
                    sh!("netplan set {}", format!("{path}.mtu={back}")),
                    format!("Sets netplan's entry of {nic} back"),
                )
        }
        Keeper::Ifupdown => advice.persist(by_hand(host, nic, &format!("`mtu {mtu}`"))),
        Keeper::Wicked => advice.persist(by_hand(host, nic, &format!("MTU='{mtu}'"))),
        Keeper::NetworkScripts => advice.persist(by_hand(host, nic, &format!("MTU={mtu}"))),
        Keeper::Networkd => advice.persist(by_hand(host, nic, &format!("MTUBytes={mtu} in section [Link]"))),
        Keeper::Unknown => advice.persist(by_hand(host, nic, &format!("an MTU of {mtu}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::Risk;
    use fullwire_model::host::InterfaceKeeper;

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
        assert!(keeps("")[0].contains("nothing that was read shows"), "no command is guessed");
    }

    #[test]
    fn what_resets_a_link_says_so() {
        let risk = |flag: &'static str| {
            set_ethtool(&host("networkmanager"), "eth0", flag, ["rx 1024", "rx 512"], "", "").steps[0].risk()
        };
        assert_eq!(["-G", "-L", "-A", "-s"].map(risk), [Risk::Interrupts; 4]);
        assert_eq!(["-C", "-K"].map(risk), [Risk::Online; 2]);
    }
}
