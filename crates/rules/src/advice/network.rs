//! Remedies of the network, kept by what keeps the network's settings on the distribution at hand.

use fullwire_model::assessment::Advice;
use fullwire_model::host::Host;

/// Who keeps the network's settings over a reboot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeper {
    /// `NetworkManager`: Red Hat, Oracle Linux, Fedora and their kin.
    NetworkManager,
    /// netplan: Ubuntu.
    Netplan,
    /// ifupdown: Debian.
    Ifupdown,
    /// wicked: SUSE.
    Wicked,
}

/// Who keeps the network's settings on a distribution; `NetworkManager` where it is not known.
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

/// Set something with `ethtool`: flag and arguments (`-G`, `rx 4096`), what takes it back (`rx 512`).
pub fn set_ethtool(
    host: &Host,
    nic: &str,
    [flag, arguments, back]: [&str; 3],
    why: &str,
    expect: &str,
) -> Advice {
    Advice {
        why: why.to_owned(),
        now: vec![format!("ethtool {flag} {nic} {arguments}")],
        persist: vec![keep_ethtool(host, nic, flag, arguments)],
        undo: vec![format!("ethtool {flag} {nic} {back}")],
        expect: expect.to_owned(),
    }
}

/// What runs an `ethtool` command again after each start of the interface.
fn keep_ethtool(host: &Host, nic: &str, flag: &str, arguments: &str) -> String {
    let command = format!("ethtool {flag} {nic} {arguments}");
    match keeper(host) {
        Keeper::NetworkManager => format!(
            "echo 'ACTION==\"add\", SUBSYSTEM==\"net\", NAME==\"{nic}\", RUN+=\"/usr/sbin/{command}\"' > \
             /etc/udev/rules.d/97-fullwire-{nic}.rules    # or nmcli connection modify {nic} ethtool.*"
        ),
        Keeper::Ifupdown => format!("add `post-up {command}` to {nic} in /etc/network/interfaces"),
        Keeper::Netplan => format!(
            "echo 'ACTION==\"add\", SUBSYSTEM==\"net\", NAME==\"{nic}\", RUN+=\"/usr/sbin/{command}\"' > \
             /etc/udev/rules.d/97-fullwire-{nic}.rules"
        ),
        Keeper::Wicked => {
            format!("ETHTOOL_OPTIONS='{flag} iface {arguments}' in /etc/sysconfig/network/ifcfg-{nic}")
        }
    }
}

/// Set the MTU of an interface: now, after a reboot, and back.
pub fn set_mtu(host: &Host, nic: &str, mtu_bytes: u64, why: &str, expect: &str) -> Advice {
    let before = host.nic(nic).and_then(|nic| nic.mtu_bytes);
    Advice {
        why: why.to_owned(),
        now: vec![format!("ip link set dev {nic} mtu {mtu_bytes}")],
        persist: vec![keep_mtu(host, nic, mtu_bytes)],
        undo: before.map(|before| format!("ip link set dev {nic} mtu {before}")).into_iter().collect(),
        expect: expect.to_owned(),
    }
}

fn keep_mtu(host: &Host, nic: &str, mtu: u64) -> String {
    match keeper(host) {
        Keeper::NetworkManager => {
            format!("nmcli connection modify {nic} 802-3-ethernet.mtu {mtu}")
        }
        Keeper::Netplan => format!("netplan set ethernets.{nic}.mtu={mtu} && netplan apply"),
        Keeper::Ifupdown => format!("add `mtu {mtu}` to {nic} in /etc/network/interfaces"),
        Keeper::Wicked => format!("MTU='{mtu}' in /etc/sysconfig/network/ifcfg-{nic}"),
    }
}

/// Set an option of a bond: now where the driver allows it, after a reboot, and back.
pub fn set_bond(
    host: &Host,
    bond: &str,
    [option, value, before]: [&str; 3],
    why: &str,
    expect: &str,
) -> Advice {
    let undo = if before.is_empty() { Vec::new() } else { vec![sysfs(bond, option, before)] };
    Advice {
        why: why.to_owned(),
        now: vec![sysfs(bond, option, value)],
        persist: vec![keep_bond(host, bond, option, value)],
        undo,
        expect: expect.to_owned(),
    }
}

fn sysfs(bond: &str, option: &str, value: &str) -> String {
    format!("echo {value} > /sys/class/net/{bond}/bonding/{option}")
}

fn keep_bond(host: &Host, bond: &str, option: &str, value: &str) -> String {
    match keeper(host) {
        Keeper::NetworkManager => format!("nmcli connection modify {bond} +bond.options {option}={value}"),
        Keeper::Netplan => {
            format!(
                "set `{option}: {value}` (netplan's spelling) below bonds.{bond}.parameters in /etc/netplan"
            )
        }
        Keeper::Ifupdown => {
            format!("set `bond-{} {value}` for {bond} in /etc/network/interfaces", option.replace('_', "-"))
        }
        Keeper::Wicked => {
            format!("{option}={value} in BONDING_MODULE_OPTS of /etc/sysconfig/network/ifcfg-{bond}")
        }
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
