//! Anyone makes a network namespace of their own, with a bond, a link's name and a table of connections in it, and the kernel
//! logs what becomes of them in the words that it has for the host's. Only what the host's own counters bear out is the host's.
//!
//! Source: Linux `drivers/net/bonding/bond_main.c` (`bond_miimon_commit`), `bond_procfs.c`, `bond_sysfs_slave.c`;
//! `net/netfilter/nf_conntrack_core.c` (`__nf_conntrack_alloc`; `nf_conntrack_in` counts what it drops in `drop`),
//! `nf_conntrack_standalone.c` (`ct_cpu_seq_show`).

use crate::Root;

/// A line of the log is of another network namespace than the host's.
pub(super) fn is_foreign(root: &Root, pattern: &str, text: &str) -> bool {
    match pattern {
        "conntrack-full" => text.contains(" in netns ") || dropped(root) == Some(0),
        "link-down" => member(text).is_some_and(|(bond, nic)| failures(root, bond, nic) == Some(0)),
        _ => interface(text).is_some_and(|name| is_absent(root, name)),
    }
}

/// The bond, bridge or interface that a line is about of the code that tells of those of each namespace (`bond_main.c`;
/// `net/bridge/br_{fdb,stp,stp_if}.c`; `net/ipv6/addrconf.c`, `addrconf_dad_failure`).
fn interface(text: &str) -> Option<&str> {
    const SAID: [&str; 6] = [
        "(slave ",
        "now running without any active",
        "Warning: No 802.3ad",
        "received packet on ",
        "port ",
        "IPv6 duplicate address ",
    ];
    let text = ["IPv6: ", "bonding: "].iter().find_map(|part| text.strip_prefix(part)).unwrap_or(text);
    let (name, said) = text.split_once(": ")?;
    let words = SAID.iter().find(|words| said.starts_with(**words))?;
    let is_own = *words != "port " || said[words.len()..].split(' ').next()?.ends_with(')');
    (is_own && !name.contains([' ', '/'])).then_some(name)
}

/// The host has interfaces, and none of this name.
fn is_absent(root: &Root, name: &str) -> bool {
    let nics = root.list("/sys/class/net");
    !nics.is_empty() && !nics.iter().any(|nic| nic == name)
}

/// Packets that the host dropped: a row for each CPU, in hexadecimal, below the names.
fn dropped(root: &Root) -> Option<u64> {
    let (text, _) = root.try_read("/proc/net/stat/nf_conntrack", 1 << 20).ok()?;
    let mut lines = text.lines();
    let column = lines.next()?.split_whitespace().position(|name| name == "drop")?;
    lines.map(|line| u64::from_str_radix(line.split_whitespace().nth(column)?, 16).ok()).sum()
}

/// Bond and interface of `bond0: (slave eth0): link status definitely down, ...`, and of `bond0: link status definitely down
/// for interface eth0, disabling it` (before Linux 5.3).
fn member(text: &str) -> Option<(&str, &str)> {
    let (bond, rest) = text.split_once(": ").filter(|_| text.contains("link status definitely down"))?;
    let nic =
        rest.strip_prefix("(slave ").or_else(|| rest.split_once(" for interface ").map(|(_, nic)| nic))?;
    let nic = nic.split([')', ',', ' ']).next()?;
    [bond, nic].iter().all(|name| !name.contains('/')).then_some((bond, nic))
}

/// How often the host's own bond lost an interface; one that the host does not have never did.
fn failures(root: &Root, bond: &str, nic: &str) -> Option<u64> {
    if is_absent(root, bond) {
        return Some(0);
    }
    let master = root.link(&format!("/sys/class/net/{nic}/master"))?;
    let is_own = master.rsplit('/').next() == Some(bond);
    root.number(&format!("/sys/class/net/{nic}/bonding_slave/link_failure_count")).filter(|_| is_own)
}

#[cfg(test)]
mod tests {
    use super::is_foreign;
    use crate::Root;
    use crate::tests::written;

    #[test]
    fn what_the_hosts_own_counters_do_not_bear_out_is_another_namespaces() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| written(folder.path(), path, text);
        let foreign = |pattern: &str, text: &str| {
            is_foreign(&Root::tree(folder.path()).expect("a tree"), pattern, text)
        };
        let full = "nf_conntrack: nf_conntrack: table full, dropping packet";
        let down = "bond0: (slave eth0): link status definitely down, disabling slave";
        let before = "bond0: link status definitely down for interface eth0, disabling it";
        assert!(
            !foreign("conntrack-full", full) && !foreign("link-down", down),
            "what is not known is the host's"
        );
        assert!(foreign("conntrack-full", "nf_conntrack: table full in netns 4026532211, dropping packet"));

        let rows = |drop: &str| {
            format!(
                "entries  found insert_failed drop early_drop\n0000000a 00 00 00 00\n0000000a 00 00 {drop} 00\n"
            )
        };
        write("proc/net/stat/nf_conntrack", &rows("00000000"));
        assert!(foreign("conntrack-full", full));
        write("proc/net/stat/nf_conntrack", &rows("0000001f"));
        assert!(!foreign("conntrack-full", full));

        write("sys/class/net/eth0/bonding_slave/link_failure_count", "2\n");
        assert!(foreign("link-down", down) && foreign("link-down", before), "the host has no such bond");
        let told = |name: &str| {
            [
                format!("{name}: now running without any active interface!"),
                format!(
                    "bonding: {name}: Warning: No 802.3ad response from the link partner for any adapters in the bond"
                ),
                format!(
                    "{name}: received packet on veth0 with own address as source address (addr:7a:e1, vlan:0)"
                ),
                format!("{name}: port 1(veth0) neighbor 8000.7a:e1:a6:19:1e:bc lost"),
                format!("IPv6: {name}: IPv6 duplicate address fd00::1 used by 7a:e1:a6:19:1e:bc detected!"),
            ]
        };
        for line in told("br0") {
            assert!(foreign("trouble", &line), "{line}");
        }
        for line in told("eth0") {
            assert!(!foreign("trouble", &line), "{line}");
        }
        for line in ["mlx4_core 0000:07:00.0: port 1 link down", "nvmet: port 7 failed", "TCP: out of memory"]
        {
            assert!(!foreign("trouble", line), "{line}");
        }
        assert!(!foreign("link-down", "mlx5_core 0000:b1:00.0 eth0: Link down"));
        write("sys/class/net/bond0/bonding/mode", "active-backup 1\n");
        std::os::unix::fs::symlink("../bond0", folder.path().join("sys/class/net/eth0/master"))
            .expect("linked");
        assert!(!foreign("link-down", down) && !foreign("link-down", before));
        write("sys/class/net/eth0/bonding_slave/link_failure_count", "0\n");
        assert!(
            foreign("link-down", down) && foreign("link-down", before),
            "the host's own has lost nothing"
        );
    }
}
