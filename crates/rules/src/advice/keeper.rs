//! Who keeps the settings of an interface over a reboot.

use super::AdviceExt;
use super::condition::files_are_ours;
use fullwire_model::assessment::{Advice, ShellCommand};
use fullwire_model::host::Host;

/// Who keeps the settings of an interface over a reboot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeper {
    /// `NetworkManager`.
    NetworkManager,
    /// netplan, whoever carries it out.
    Netplan,
    /// systemd-networkd by its own files.
    Networkd,
    /// ifupdown, by `/etc/network/interfaces`.
    Ifupdown,
    /// wicked.
    Wicked,
    /// Red Hat's network scripts.
    NetworkScripts,
    /// Nothing shows it: no command is advised.
    Unknown,
}

/// Who keeps the settings of an interface. A member of a bond may be listed under the bond alone.
pub fn keeper(host: &Host, nic: &str) -> Keeper {
    match host.management.interfaces.get(nic).map(|keeper| keeper.by.as_str()) {
        Some("networkmanager") => Keeper::NetworkManager,
        Some("netplan") => Keeper::Netplan,
        Some("networkd") => Keeper::Networkd,
        Some("ifupdown") => Keeper::Ifupdown,
        Some("wicked") => Keeper::Wicked,
        Some("network-scripts") => Keeper::NetworkScripts,
        _ => Keeper::Unknown,
    }
}

/// Keep a setting where a person edits the file, and take it back there.
pub(super) fn keep_by_hand(advice: Advice, host: &Host, nic: &str, setting: &str) -> Advice {
    persist_by_hand(advice, host, nic, setting)
        .undo(format!("Take {setting} of {nic} out of that file again, or set what stood there before"))
}

/// The same where it is taken back by something else.
pub(super) fn persist_by_hand(advice: Advice, host: &Host, nic: &str, setting: &str) -> Advice {
    given_ours(advice.persist(by_hand(host, nic, setting)), host, nic)
}

/// The step before changes files that something else may write anew.
pub(super) fn given_ours(advice: Advice, host: &Host, nic: &str) -> Advice {
    match files_are_ours(keeper(host, nic)) {
        Some(condition) => advice.given(condition),
        None => advice,
    }
}

/// What to do where nothing shows who keeps an interface, or where its file must be edited.
fn by_hand(host: &Host, nic: &str, setting: &str) -> String {
    let kept = host.management.interfaces.get(nic);
    let id = kept.map_or("", |keeper| keeper.id.as_str());
    match keeper(host, nic) {
        Keeper::Ifupdown => {
            let file = kept.map(|keeper| keeper.source.as_str()).filter(|file| file.starts_with("/etc/"));
            format!("Set {setting} for {nic} in {}", file.unwrap_or("/etc/network/interfaces"))
        }
        Keeper::Wicked => format!("Set {setting} in /etc/sysconfig/network/ifcfg-{nic}"),
        Keeper::NetworkScripts => format!("Set {setting} in /etc/sysconfig/network-scripts/ifcfg-{nic}"),
        Keeper::Networkd if id.starts_with("/etc/") => format!("Set {setting} for {nic} in {id}"),
        Keeper::Networkd => format!(
            "Set {setting} for {nic} in a file of /etc/systemd/network (networkd uses {id}, which is not to be edited)"
        ),
        _ => format!(
            "Set {setting} in the configuration of {nic}: nothing that was read shows what configures it at boot \
             (`nmcli device`, `networkctl`, /etc/netplan, /etc/network/interfaces)"
        ),
    }
}

/// The shell expression for the connection of an interface: its name is often not the interface's, may be that of another
/// connection too, and `nmcli -g` writes a colon in it with a backslash (nmcli(1), `--escape`).
pub(super) fn connection(nic: &str) -> ShellCommand {
    super::sh!("\"$(nmcli -g GENERAL.CON-UUID device show {})\"", nic)
}

/// The path of an interface's entry in netplan's configuration. Its key is not always the interface's name, and `netplan
/// set` splits at each dot that no backslash stands before.
pub(super) fn netplan_path(host: &Host, name: &str) -> String {
    let kept = host.management.interfaces.get(name).map_or("", |keeper| keeper.id.as_str());
    let key = if kept.is_empty() { name } else { kept };
    format!("{}.{}", netplan_section(host, name), key.replace('.', "\\."))
}

/// The section of netplan's configuration in which an interface is listed.
pub(super) fn netplan_section(host: &Host, name: &str) -> &'static str {
    match host.nic(name).map(|nic| nic.kind.as_str()) {
        _ if host.bond(name).is_some() => "bonds",
        Some("bond") => "bonds",
        Some("vlan") => "vlans",
        Some("bridge") => "bridges",
        _ => "ethernets",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::host::InterfaceKeeper;

    fn host(by: &str, id: &str) -> Host {
        let mut host = Host::default();
        host.os.distribution = "rhel".into();
        let keeper = InterfaceKeeper { by: by.into(), id: id.into(), ..InterfaceKeeper::default() };
        host.management.interfaces.insert("eth0".into(), keeper);
        host
    }

    /// Amazon Linux 2023 is like Fedora and has networkd; SLES 16 has no wicked.
    #[test]
    fn what_was_seen_decides_and_not_the_distribution() {
        assert_eq!(
            keeper(&host("networkd", "/usr/lib/systemd/network/80-ec2.network"), "eth0"),
            Keeper::Networkd
        );
        assert_eq!(keeper(&host("netplan", "eth0"), "eth0"), Keeper::Netplan);
        assert_eq!(keeper(&host("netplan", "eth0"), "eth1"), Keeper::Unknown);
        assert!(by_hand(&host("", ""), "eth0", "MTU=9000").contains("nothing that was read shows"));
        let mut split = host("ifupdown", "eth0");
        let own = "/etc/network/interfaces.d/storage";
        split.management.interfaces.get_mut("eth0").expect("eth0").source = own.into();
        assert_eq!(by_hand(&split, "eth0", "`mtu 9000`"), format!("Set `mtu 9000` for eth0 in {own}"));
        let file = by_hand(&host("networkd", "/etc/systemd/network/10-db.network"), "eth0", "MTUBytes=9000");
        assert_eq!(file, "Set MTUBytes=9000 for eth0 in /etc/systemd/network/10-db.network");
    }

    #[test]
    fn the_dot_of_a_vlan_is_escaped() {
        assert_eq!(netplan_path(&host("netplan", "vlan.7"), "eth0"), "ethernets.vlan\\.7");
        assert_eq!(netplan_path(&Host::default(), "eth1"), "ethernets.eth1");
    }
}
