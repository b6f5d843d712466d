//! Who keeps the network's settings over a reboot.

use fullwire_model::host::Host;

/// Who keeps the network's settings over a reboot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeper {
    /// NetworkManager: Red Hat, Oracle Linux, Fedora and similar ones.
    NetworkManager,
    /// netplan: Ubuntu.
    Netplan,
    /// ifupdown: Debian.
    Ifupdown,
    /// wicked: SUSE.
    Wicked,
}

/// Who keeps the network's settings on a distribution; NetworkManager where it is not known.
pub fn keeper(host: &Host) -> Keeper {
    let names = || std::iter::once(&host.os.distribution).chain(&host.os.like);
    let is = |wanted: &[&str]| names().any(|name| wanted.iter().any(|word| name.contains(word)));
    if is(&["ubuntu"]) {
        Keeper::Netplan
    } else if is(&["debian"]) {
        Keeper::Ifupdown
    } else if is(&["sles", "suse"]) {
        Keeper::Wicked
    } else {
        Keeper::NetworkManager
    }
}

/// The shell expression for the name of the connection of an interface: it is often not the interface's.
pub(super) fn connection(nic: &str) -> String {
    format!("\"$(nmcli -g GENERAL.CONNECTION device show {})\"", super::quote(nic))
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

    fn host(distribution: &str, like: &[&str]) -> Host {
        let mut host = Host::default();
        host.os.distribution = distribution.into();
        host.os.like = like.iter().map(|word| (*word).into()).collect();
        host
    }

    #[test]
    fn the_distribution_decides_who_keeps_it() {
        assert_eq!(keeper(&host("ol", &["fedora"])), Keeper::NetworkManager);
        assert_eq!(keeper(&host("ubuntu", &["debian"])), Keeper::Netplan);
        assert_eq!(keeper(&host("debian", &[])), Keeper::Ifupdown);
        assert_eq!(keeper(&host("sles", &["suse"])), Keeper::Wicked);
    }
}
