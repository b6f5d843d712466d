//! Who keeps the settings of an interface over a reboot.

use super::AdviceExt;
use super::condition::Condition;
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

/// What cloud-init wrote it writes again, unless it was told not to (cloud-init documentation, networking, disabling network
/// activity): what is changed there would be lost at a boot. `$found` lists what shows that it wrote there, and fails with 1
/// where nothing does.
macro_rules! ours {
    ($found:literal, $what:literal) => {
        (
            concat!(
                "grep -qsE 'config: *.?disabled' /etc/cloud/cloud.cfg /etc/cloud/cloud.cfg.d/*.cfg || { ",
                $found,
                "; test $? = 1; }"
            ),
            concat!(
                "cloud-init has not written ",
                $what,
                ", or is told not to do so again: else the instance's own network configuration is the place"
            ),
        )
    };
}

/// The files of who keeps an interface are ours. Each begins with a line that names cloud-init (cloud-init, `cloudinit/net/`:
/// `eni.py`, `netplan.py`, `network_manager.py`, `sysconfig.py`), those of networkd have it in their names (`networkd.py`).
/// `NetworkManager` keeps what Red Hat's network scripts hold as well.
fn files_are_ours(keeper: Keeper) -> Option<Condition> {
    Some(match keeper {
        Keeper::NetworkManager => ours!(
            "cat /etc/NetworkManager/system-connections/* /etc/sysconfig/network-scripts/ifcfg-* 2> /dev/null | grep -qE '^#.*cloud-init'",
            "the connections"
        ),
        Keeper::Netplan => ours!("grep -rqE '^#.*cloud-init' /etc/netplan", "/etc/netplan"),
        Keeper::Networkd => ours!("ls /etc/systemd/network | grep -q cloud-init", "/etc/systemd/network"),
        Keeper::Ifupdown => ours!("grep -rqE '^#.*cloud-init' /etc/network", "/etc/network"),
        Keeper::Wicked => {
            ours!("grep -rqE '^#.*cloud-init' /etc/sysconfig/network", "/etc/sysconfig/network")
        }
        Keeper::NetworkScripts => ours!(
            "grep -rqE '^#.*cloud-init' /etc/sysconfig/network-scripts",
            "/etc/sysconfig/network-scripts"
        ),
        Keeper::Unknown => return None,
    })
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

    /// By a real shell, on folders of the test: the head of a file as each of cloud-init's renderers writes it.
    #[test]
    fn what_cloud_init_wrote_is_its_own_unless_it_is_told_to_leave_it() {
        const HEAD: &str = "# Created by cloud-init automatically, do not edit.\n";
        for (keeper, own, written) in [
            (Keeper::Netplan, "netplan/01.yaml", "netplan/50-cloud-init.yaml"),
            (Keeper::Ifupdown, "network/interfaces", "network/interfaces.d/50-cloud-init"),
            (Keeper::Networkd, "systemd/network/10-db.network", "systemd/network/10-cloud-init-eth0.network"),
            (Keeper::Wicked, "sysconfig/network/ifcfg-eth1", "sysconfig/network/ifcfg-eth0"),
            (
                Keeper::NetworkScripts,
                "sysconfig/network-scripts/ifcfg-eth1",
                "sysconfig/network-scripts/ifcfg-eth0",
            ),
            (
                Keeper::NetworkManager,
                "NetworkManager/system-connections/db",
                "sysconfig/network-scripts/ifcfg-eth0",
            ),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let place = folder.path().to_str().expect("a path");
            let write = |path: &str, text: &str| {
                let path = folder.path().join(path);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                std::fs::write(path, text).expect("a file");
            };
            let (look, _) = files_are_ours(keeper).expect("it has files");
            let holds = || {
                let look = look.replace("/etc/", &format!("{place}/"));
                std::process::Command::new("sh").args(["-c", &look]).status().expect("sh").success()
            };
            write(own, "# MTU of the storage network\nmtu 9000\n");
            assert!(holds(), "{keeper:?}");
            write(written, if keeper == Keeper::Networkd { "[Match]\n" } else { HEAD });
            assert!(!holds(), "{keeper:?}");
            write("cloud/cloud.cfg.d/99.cfg", "network: {config: disabled}\n");
            assert!(holds(), "{keeper:?}");
        }
    }
}
