//! The MTU that the files of NetworkManager, netplan, systemd-networkd, ifupdown or the older network scripts set at boot.
//! Profiles hold keys of wireless networks and VPNs: only the lines with the name of the interface and its MTU are read.

use crate::Root;
use fullwire_model::host::Nic;

const PROFILES: &str = "/etc/NetworkManager/system-connections";
/// Red Hat's, then SUSE's (wicked).
const SCRIPTS: [&str; 2] = ["/etc/sysconfig/network-scripts", "/etc/sysconfig/network"];

const FILES_LIMIT: usize = 512;
const FILE_BYTES: usize = 1 << 16;

/// Completes the interfaces.
pub(super) fn complete(root: &Root, nics: &mut [Nic]) {
    for name in root.list(PROFILES).into_iter().take(FILES_LIMIT) {
        if let Some(stem) = name.strip_suffix(".nmconnection") {
            set(root, nics, &format!("{PROFILES}/{name}"), stem);
        }
    }
    for directory in SCRIPTS {
        for name in root.list(directory).into_iter().take(FILES_LIMIT) {
            // `ifcfg-eth0.bak` names an interface that there is not.
            if let Some(stem) = name.strip_prefix("ifcfg-") {
                set(root, nics, &format!("{directory}/{name}"), stem);
            }
        }
    }
    complete_others(root, nics);
    name_unset(root, nics);
}

/// Files of others, by the directory and the end of their names, and how they tell an interface's MTU.
type Told = fn(&str) -> Vec<(String, u64)>;
const OTHERS: [(&str, &str, Told); 4] = [
    ("/etc/netplan", ".yaml", of_netplan),
    ("/etc/systemd/network", ".network", of_networkd),
    ("/etc/network", "interfaces", of_ifupdown),
    ("/etc/network/interfaces.d", "", of_ifupdown),
];

/// Only an MTU that is there: what is left out may come from a DHCP server or from what is below.
fn complete_others(root: &Root, nics: &mut [Nic]) {
    for (directory, end, told) in OTHERS {
        for name in root.list(directory).into_iter().filter(|name| name.ends_with(end)).take(FILES_LIMIT) {
            let path = format!("{directory}/{name}");
            let lines = |text: &str| -> String {
                told(text).into_iter().map(|(name, mtu)| format!("{name}={mtu}\n")).collect()
            };
            let Ok(text) = root.read_settings(&path, FILE_BYTES, None, lines) else { continue };
            for (name, mtu) in text.lines().filter_map(|line| line.split_once('=')) {
                if let Some(nic) = nics.iter_mut().find(|nic| nic.name == name) {
                    nic.mtu_kept_bytes = mtu.parse().ok();
                    path.clone_into(&mut nic.mtu_kept_in);
                }
            }
        }
    }
}

const NETPLAN: &str = "/etc/netplan";
/// A file of it may give a link its MTU whoever gives it the address (systemd.link(5)).
const LINKS: &str = "/etc/systemd/network";

/// Interfaces with an address of netplan's own and no MTU in any of its files: no server gives them another.
fn name_unset(root: &Root, nics: &mut [Nic]) {
    let names = |directory: &str, end: &str| -> Vec<String> {
        let all = root.list(directory).into_iter().filter(|name| name.ends_with(end)).take(FILES_LIMIT);
        all.map(|name| format!("{directory}/{name}")).collect()
    };
    let has_mtu = |text: &str| if text.contains("MTUBytes") { "MTUBytes".to_owned() } else { String::new() };
    let sets = |path: &String| {
        root.read_settings(path, FILE_BYTES, None, has_mtu).map_or(true, |text| !text.is_empty())
    };
    if names(LINKS, ".link").iter().any(sets) {
        return;
    }
    let keys = |text: &str| -> String {
        let own = lines_of_netplan(text)
            .into_iter()
            .filter(|line| ["ethernets", "bonds"].contains(&line.section.as_str()));
        own.map(|line| format!("{} {}={}\n", line.name, line.word, line.value)).collect()
    };
    let (mut fixed, mut by_server) = (Vec::new(), Vec::new());
    for path in names(NETPLAN, ".yaml") {
        let Ok(text) = root.read_settings(&path, FILE_BYTES, None, keys) else { return };
        for (name, key, value) in text.lines().filter_map(|line| {
            let (name, rest) = line.split_once(' ')?;
            let (key, value) = rest.split_once('=')?;
            Some((name.to_owned(), key, value))
        }) {
            match key {
                "addresses" => fixed.push((name, path.clone())),
                "dhcp4" | "dhcp6" if !["no", "false"].contains(&value) => by_server.push(name),
                _ => {}
            }
        }
    }
    for (name, path) in fixed.into_iter().filter(|(name, _)| !by_server.contains(name)) {
        let unset =
            |nic: &&mut Nic| nic.name == name && nic.mtu_kept_bytes.is_none() && nic.mtu_kept_in.is_empty();
        if let Some(nic) = nics.iter_mut().find(unset) {
            nic.mtu_kept_in = path;
        }
    }
}

fn number(text: &str) -> Option<u64> {
    text.trim().trim_matches(['"', '\'']).parse().ok().filter(|mtu| *mtu > 0)
}

/// A line below an interface of netplan.
struct Line {
    section: String,
    name: String,
    word: String,
    value: String,
}

/// `mtu: 9000` below `network: bonds: bond0:`, or `{mtu: 9000}` behind the name (netplan-yaml(5)).
fn lines_of_netplan(text: &str) -> Vec<Line> {
    let bare = |word: &str| word.trim().trim_matches(['"', '\'']).to_owned();
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let indent = line.len() - line.trim_start().len();
        let Some((key, value)) = line.trim().split_once(':') else { continue };
        open.retain(|(depth, _)| *depth < indent);
        match &open[..] {
            [_, (_, section)] => {
                let flow = value.trim().strip_prefix('{').unwrap_or_default().split([',', '}']);
                found.extend(flow.filter_map(|pair| pair.split_once(':')).map(|(inner, value)| Line {
                    section: section.clone(),
                    name: bare(key),
                    word: bare(inner),
                    value: bare(value),
                }));
            }
            [_, (_, section), (_, name)] => found.push(Line {
                section: section.clone(),
                name: name.clone(),
                word: bare(key),
                value: bare(value),
            }),
            _ => {}
        }
        if value.trim().is_empty() {
            open.push((indent, bare(key)));
        }
    }
    found
}

fn of_netplan(text: &str) -> Vec<(String, u64)> {
    let lines = lines_of_netplan(text).into_iter().filter(|line| line.word == "mtu");
    lines.filter_map(|line| Some((line.name, number(&line.value)?))).collect()
}

/// `Name=` and `MTUBytes=` of a file (systemd.network(5)).
fn of_networkd(text: &str) -> Vec<(String, u64)> {
    let value = |key: &str| text.lines().find_map(|line| line.trim().strip_prefix(key)?.strip_prefix('='));
    let mtu = value("MTUBytes").and_then(number);
    let names = value("Name").unwrap_or("").split_whitespace().map(str::to_owned);
    mtu.map_or(Vec::new(), |mtu| names.map(|name| (name, mtu)).collect())
}

/// `mtu 9000` in the stanza of an interface (interfaces(5)).
fn of_ifupdown(text: &str) -> Vec<(String, u64)> {
    let mut stanza: Option<&str> = None;
    let mut told = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (&words[..], stanza) {
            (["iface", name, ..], _) => stanza = Some(name),
            (["auto" | "allow-hotplug" | "source" | "mapping", ..], _) => stanza = None,
            (["mtu", mtu], Some(name)) => told.extend(number(mtu).map(|mtu| (name.to_owned(), mtu))),
            _ => {}
        }
    }
    told
}

/// The name inside the file counts; a file of wicked has it in its own name alone.
fn set(root: &Root, nics: &mut [Nic], path: &str, stem: &str) {
    let Ok(text) = root.read_settings(path, FILE_BYTES, None, kept) else { return };
    let value = |names: &[&str]| {
        let mut lines = text.lines().filter_map(|line| line.split_once('='));
        lines.find(|(name, _)| names.contains(name)).map(|(_, value)| value.to_owned())
    };
    let name = value(&["interface-name", "DEVICE"]).unwrap_or_else(|| stem.to_owned());
    let mtu = value(&["mtu", "MTU"]).and_then(|mtu| mtu.parse().ok()).filter(|mtu| *mtu > 0);
    // A DHCP server may set the MTU. A profile without a method uses one, a script without a protocol does not.
    let by_dhcp = match value(&["BOOTPROTO", "method"]) {
        Some(how) => how.starts_with("dhcp") || how == "auto",
        None => path.starts_with(PROFILES),
    };
    if mtu.is_none() && by_dhcp {
        return;
    }
    let nic = nics.iter_mut().find(|nic| nic.name == name && (mtu.is_some() || nic.mtu_kept_bytes.is_none()));
    if let Some(nic) = nic {
        nic.mtu_kept_bytes = mtu;
        path.clone_into(&mut nic.mtu_kept_in);
    }
}

/// `mtu=9000`, `MTU='9000'`, without what is around the value.
fn kept(text: &str) -> String {
    const NAMES: [&str; 6] = ["interface-name", "DEVICE", "mtu", "MTU", "BOOTPROTO", "method"];
    let line = |line: &str| {
        let (name, value) = line.split_once('=')?;
        let (name, value) = (name.trim(), value.trim().trim_matches(['"', '\'']));
        NAMES.contains(&name).then(|| format!("{name}={value}\n"))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn written(folder: &Path, path: &str, text: &str) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    #[test]
    fn profiles_and_scripts_tell_it_and_no_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| written(folder.path(), path, text);
        write(
            "etc/NetworkManager/system-connections/stor.nmconnection",
            "[connection]\nid=stor\ninterface-name=eth1\n\n[wifi-security]\npsk=hidden\n\n[ethernet]\nmtu=9000\n",
        );
        write("etc/sysconfig/network-scripts/ifcfg-eth2", "DEVICE=\"eth2\"\nMTU='9000'\n");
        write("etc/sysconfig/network/ifcfg-eth3", "BOOTPROTO='static'\nMTU='1500'\n");
        write(
            "etc/sysconfig/network-scripts/ifcfg-eth4",
            "DEVICE=eth4\nBOOTPROTO=none\nIPADDR=192.168.10.1\n",
        );
        write("etc/sysconfig/network-scripts/ifcfg-eth5", "DEVICE=eth5\nBOOTPROTO=dhcp\n");
        let mut nics = ["eth0", "eth1", "eth2", "eth3", "eth4", "eth5"]
            .map(|name| Nic { name: name.into(), ..Nic::default() });
        complete(&Root::tree(folder.path()).expect("a tree"), &mut nics);
        let kept = nics.each_ref().map(|nic| nic.mtu_kept_bytes);
        assert_eq!(kept, [None, Some(9000), Some(9000), Some(1500), None, None]);
        assert!(nics[4].mtu_kept_in.ends_with("ifcfg-eth4"), "a file without the line");
        assert!(nics[5].mtu_kept_in.is_empty(), "a DHCP server may set it");
        assert!(nics[1].mtu_kept_in.ends_with("stor.nmconnection"));
        assert!(!super::kept("psk=hidden\nmtu = 9000\n").contains("psk"));
    }

    #[test]
    fn an_address_of_netplan_without_an_mtu_keeps_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| written(folder.path(), path, text);
        let stanza = |name: &str, line: &str| format!("    {name}:\n      addresses: [10.0.0.1/24]\n{line}");
        let head = "network:\n  version: 2\n  ethernets:\n";
        let dhcp = stanza("eth2", "      dhcp4: true\n");
        write("etc/netplan/50.yaml", &format!("{head}{}{}{dhcp}", stanza("eth0", ""), stanza("eth1", "")));
        write("etc/netplan/60.yaml", &format!("{head}    eth1:\n      mtu: 9000\n"));
        let read = || {
            let mut nics = ["eth0", "eth1", "eth2"].map(|name| Nic { name: name.into(), ..Nic::default() });
            complete(&Root::tree(folder.path()).expect("a tree"), &mut nics);
            nics.map(|nic| (nic.mtu_kept_bytes, nic.mtu_kept_in))
        };
        let (none, file) = (String::new(), |name: &str| format!("/etc/netplan/{name}.yaml"));
        assert_eq!(read(), [(None, file("50")), (Some(9000), file("60")), (None, none.clone())]);
        write("etc/systemd/network/10-jumbo.link", "[Match]\nOriginalName=eth0\n[Link]\nMTUBytes=9000\n");
        assert_eq!(read()[0], (None, none), "a link file may set it");
    }

    #[test]
    fn files_of_other_managers_tell_it_each_in_its_way() {
        let netplan = "network:\n  version: 2\n  ethernets:\n    enp1s0: {mtu: 9000, dhcp4: no}\n    enp2s0:\n      dhcp4: true\n\
                       \n  bonds:\n    bond0:\n      interfaces: [enp1s0]\n      mtu: 9000\n      parameters:\n        mode: 802.3ad\n";
        let told = |name: &str, mtu| (name.to_owned(), mtu);
        assert_eq!(of_netplan(netplan), [told("enp1s0", 9000), told("bond0", 9000)]);
        assert_eq!(
            of_networkd("[Match]\nName=eth0 eth1\n\n[Link]\nMTUBytes=9000\n"),
            [told("eth0", 9000), told("eth1", 9000)]
        );
        assert_eq!(of_networkd("[Match]\nName=eth0\n"), []);
        let interfaces = "auto eth0\niface eth0 inet static\n  address 10.0.0.1/24\n  mtu 9000\n\nauto eth1\nmtu 1\niface eth1 inet dhcp\n";
        assert_eq!(of_ifupdown(interfaces), [told("eth0", 9000)]);
    }
}
