//! Options of a bond: some change while it carries traffic, some only while it is down.

use super::interface::{CONNECTIONS, IFCFG};
use super::keeper::{Keeper, connection, given_ours, keeper, netplan_path, persist_by_hand};
use super::{AdviceExt, because, sh};
use fullwire_model::assessment::{Advice, ShellCommand};
use fullwire_model::host::Host;

/// Set an option of a bond: now where the driver allows it, after a reboot, and back.
pub fn set_bond(
    host: &Host,
    bond: &str,
    [option, value, before]: [&str; 3],
    why: &str,
    expect: &str,
) -> Advice {
    let advice = because(why).expecting(expect);
    // The kernel refuses these while the bond is up (BOND_OPTFLAG_IFDOWN, BOND_OPTFLAG_NOSLAVES).
    if matches!(option, "mode" | "lacp_rate") {
        return when_down(advice, host, bond, [option, value, before]);
    }
    let advice = advice.run(sysfs(bond, option, value), format!("Sets {option} of {bond}"));
    let advice = keep(advice, host, bond, option, value);
    if before.is_empty() {
        return advice.undo(format!("Remove {option} of {bond} in the network configuration"));
    }
    let advice = advice.undo_run(sysfs(bond, option, before), format!("Sets {option} of {bond} back"));
    forget(advice, host, bond, [option, before])
}

/// Takes back what is kept: to the value that the bond has now.
fn forget(advice: Advice, host: &Host, bond: &str, [option, before]: [&str; 2]) -> Advice {
    let text = format!("Sets {option} of {bond} back for the next boot");
    match keeper(host, bond) {
        Keeper::NetworkManager => advice.undo_persist_run(
            sh!(
                "nmcli connection modify {} +bond.options {}",
                connection(bond),
                format!("{option}={before}")
            ),
            text,
        ),
        Keeper::Netplan => {
            let path = format!("{}.parameters.{}={before}", netplan_path(host, bond), netplan_word(option));
            advice.undo_persist_run(sh!("netplan set {}", path), text)
        }
        _ => advice,
    }
}

fn when_down(advice: Advice, host: &Host, bond: &str, [option, value, before]: [&str; 3]) -> Advice {
    let advice = if option == "mode" && value == "802.3ad" {
        advice
            .now(format!(
                "First on the switch: put the ports of all members of {bond} into one LACP group. Without it 802.3ad \
                 cuts the host off; active-backup needs no switch configuration"
            ))
            .takes_down(bond)
    } else {
        advice
    };
    let advice = keep(advice, host, bond, option, value).takes_down(bond);
    advice
        .persist(format!(
            "Restart {bond} from the console (not over {bond}): the driver refuses {option} while it is up"
        ))
        .takes_down(bond)
        .needs("everything that uses this network is stopped, and the console works without it")
        .undo(format!(
            "Set {option}={before} in the network configuration, then restart {bond} from the console"
        ))
        .takes_down(bond)
}

fn sysfs(bond: &str, option: &str, value: &str) -> ShellCommand {
    sh!("echo {} > /sys/class/net/{}/bonding/{}", value, bond, option)
}

/// Keeps it at the next boot. What needs the bond to be down is downtime also when it comes with a reboot: the file alone
/// decides whether the host is reachable afterwards.
fn keep(advice: Advice, host: &Host, bond: &str, option: &str, value: &str) -> Advice {
    let setting = match keeper(host, bond) {
        Keeper::NetworkManager => {
            let kept = advice
                .persist_run(
                    sh!(
                        "nmcli connection modify {} +bond.options {}",
                        connection(bond),
                        format!("{option}={value}")
                    ),
                    format!("Keeps it in the connection of {bond}"),
                )
                .reads_back(sh!(
                    "nmcli -g bond.options connection show {} | tr , '\\n' | grep -qxF {}",
                    connection(bond),
                    format!("{option}={value}")
                ));
            return given_ours(kept, host, bond).writes(CONNECTIONS).writes(IFCFG);
        }
        Keeper::Netplan => {
            let path = format!("{}.parameters.{}={value}", netplan_path(host, bond), netplan_word(option));
            let kept = advice.persist_run(
                sh!("netplan set {}", path),
                "Takes effect at the next boot; `netplan apply` would restart the interfaces now",
            );
            return given_ours(kept, host, bond);
        }
        Keeper::Networkd => {
            return advice.persist(format!(
                "Set it in section [Bond] of the file of /etc/systemd/network that creates {bond} (systemd.netdev(5))"
            ));
        }
        Keeper::Ifupdown => format!("`bond-{} {value}`", option.replace('_', "-")),
        Keeper::Wicked => format!("{option}={value} in BONDING_MODULE_OPTS"),
        Keeper::NetworkScripts => format!("{option}={value} in BONDING_OPTS"),
        Keeper::Unknown => format!("{option}={value}"),
    };
    persist_by_hand(advice, host, bond, &setting)
}

/// What netplan calls an option of the driver.
fn netplan_word(option: &str) -> String {
    match option {
        "xmit_hash_policy" => "transmit-hash-policy".to_owned(),
        "miimon" => "mii-monitor-interval".to_owned(),
        other => other.replace('_', "-"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::{Phase, Risk};
    use fullwire_model::host::InterfaceKeeper;

    #[test]
    fn what_the_driver_refuses_while_up_needs_downtime_and_the_switch_first() {
        let advice = set_bond(&Host::default(), "bond0", ["mode", "802.3ad", "balance-rr"], "", "");
        assert!(advice.steps[0].text.starts_with("First on the switch"));
        assert!(advice.phase(Phase::Now).all(|step| step.run.is_none() && step.risk() == Risk::Downtime));
        let advice = set_bond(&Host::default(), "bond0", ["lacp_rate", "fast", "slow"], "", "");
        assert!(advice.steps.iter().any(|step| step.risk() == Risk::Downtime));
        assert!(advice.steps.iter().all(|step| !step.run.as_deref().unwrap_or("").contains("/sys/")));
        // The file alone decides whether the host is reachable after the next boot.
        let mut host = Host::default();
        let keeper = InterfaceKeeper { by: "networkmanager".into(), ..InterfaceKeeper::default() };
        host.management.interfaces.insert("bond0".into(), keeper);
        let advice = set_bond(&host, "bond0", ["mode", "802.3ad", "balance-rr"], "", "");
        let kept = advice.steps.iter().find(|step| step.run.is_some()).expect("a command keeps it");
        assert_eq!((kept.phase, kept.risk()), (Phase::Persist, Risk::Downtime));
    }

    #[test]
    fn what_changes_live_is_a_command() {
        let policy = ["xmit_hash_policy", "layer3+4", "layer2"];
        let advice = set_bond(&Host::default(), "bond0", policy, "", "");
        let run = "echo layer3+4 > /sys/class/net/bond0/bonding/xmit_hash_policy";
        assert_eq!(advice.steps[0].run.as_deref(), Some(run));
        assert_eq!(advice.steps[0].risk(), Risk::Online);
    }
}
