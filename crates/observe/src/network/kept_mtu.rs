//! The MTU that the files of NetworkManager, netplan, systemd-networkd, ifupdown or the older network scripts set at boot: of each
//! interface the files of the one that keeps it alone, for others are often left behind. Profiles hold keys of wireless networks
//! and VPNs: only the lines that name the interface and its MTU, and those that tell whether they count, are read.

use crate::Root;
use fullwire_model::host::{Host, InterfaceKeeper, Nic};
use std::collections::BTreeMap;

const PROFILES: &str = "/etc/NetworkManager/system-connections";
const RED_HAT: &str = "/etc/sysconfig/network-scripts";
const SUSE: &str = "/etc/sysconfig/network";

const FILES_LIMIT: usize = 512;
const FILE_BYTES: usize = 1 << 16;

/// Completes the interfaces, of which it is known by now who keeps them.
pub(super) fn complete(root: &Root, host: &mut Host) {
    let (nics, keepers) = (&mut host.nics, &host.management.interfaces);
    let mut profiles: Vec<Profile> = Vec::new();
    for directory in [PROFILES, RED_HAT, SUSE] {
        for name in root.list(directory).into_iter().take(FILES_LIMIT) {
            // `ifcfg-eth0.bak` names an interface that there is not.
            let stem = if directory == PROFILES {
                name.strip_suffix(".nmconnection")
            } else {
                name.strip_prefix("ifcfg-")
            };
            profiles.extend(stem.and_then(|stem| Profile::read(root, &format!("{directory}/{name}"), stem)));
        }
    }
    for nic in nics.iter_mut() {
        of_profiles(nic, keepers.get(&nic.name), &profiles);
    }
    complete_others(root, nics, keepers);
    name_unset(root, nics, keepers);
}

type Keepers = BTreeMap<String, InterfaceKeeper>;

/// Files of a directory count for an interface: nobody else keeps it.
fn counts(keeper: Option<&InterfaceKeeper>, directory: &str) -> bool {
    let Some(keeper) = keeper else { return true };
    let by: &[&str] = match directory {
        PROFILES => &["networkmanager"],
        // NetworkManager reads them as well (nm-settings-ifcfg-rh(5)).
        RED_HAT => &["networkmanager", "network-scripts"],
        SUSE => &["wicked"],
        NETPLAN => &["netplan"],
        LINKS => &["networkd"],
        _ => &["ifupdown"],
    };
    by.contains(&keeper.by.as_str())
}

/// A file with one interface each: a profile of `NetworkManager` or a network script.
struct Profile {
    path: String,
    interface: String,
    uuid: Option<String>,
    /// It is not activated at boot.
    waits: bool,
    mtu: Option<u64>,
    /// A DHCP server may set the MTU.
    by_dhcp: bool,
}

impl Profile {
    /// The name inside the file counts; a file of wicked has it in its own name alone.
    fn read(root: &Root, path: &str, stem: &str) -> Option<Self> {
        let text = root.read_settings(path, FILE_BYTES, None, kept).ok()?;
        let value = |names: &[&str]| {
            let mut lines = text.lines().filter_map(|line| line.split_once('='));
            lines.find(|(name, _)| names.contains(name)).map(|(_, value)| value.to_owned())
        };
        // A profile without a method uses DHCP, a script without a protocol does not.
        let by_dhcp = match value(&["BOOTPROTO", "method"]) {
            Some(how) => how.starts_with("dhcp") || how == "auto",
            None => path.starts_with(PROFILES),
        };
        let starts = value(&["autoconnect", "ONBOOT"]);
        Some(Self {
            path: path.to_owned(),
            interface: value(&["interface-name", "DEVICE"]).unwrap_or_else(|| stem.to_owned()),
            uuid: value(&["uuid", "UUID"]),
            waits: starts.is_some_and(|starts| ["no", "false"].contains(&starts.to_lowercase().as_str())),
            mtu: value(&["mtu", "MTU"]).and_then(|mtu| mtu.parse().ok()).filter(|mtu| *mtu > 0),
            by_dhcp,
        })
    }
}

/// Of several profiles of an interface the one that is active counts; where that is not known, each that starts at boot.
fn of_profiles(nic: &mut Nic, keeper: Option<&InterfaceKeeper>, profiles: &[Profile]) {
    let directory =
        |profile: &Profile| profile.path.rsplit_once('/').map_or("", |(directory, _)| directory).to_owned();
    let own = |profile: &&Profile| profile.interface == nic.name && counts(keeper, &directory(profile));
    let active = |profile: &Profile| {
        keeper.is_some_and(|keeper| !keeper.id.is_empty() && profile.uuid.as_deref() == Some(&keeper.id))
    };
    let own: Vec<&Profile> = profiles.iter().filter(own).collect();
    let is_known = own.iter().any(|profile| active(profile));
    for profile in own {
        if if is_known { !active(profile) } else { profile.waits } || profile.mtu.is_none() && profile.by_dhcp
        {
            continue;
        }
        if profile.mtu.is_some() || nic.mtu_kept_bytes.is_none() {
            nic.mtu_kept_bytes = profile.mtu;
            profile.path.clone_into(&mut nic.mtu_kept_in);
        }
    }
}

/// Files of others, by the directory and the end of their names, and how they tell an interface's MTU.
type Told = fn(&str) -> Vec<(String, u64)>;
const OTHERS: [(&str, &str, Told); 4] = [
    (NETPLAN, ".yaml", of_netplan),
    (LINKS, ".network", of_networkd),
    ("/etc/network", "interfaces", of_ifupdown),
    ("/etc/network/interfaces.d", "", of_ifupdown),
];

/// Only an MTU that is there: what is left out may come from a DHCP server or from what is below.
fn complete_others(root: &Root, nics: &mut [Nic], keepers: &Keepers) {
    for (directory, end, told) in OTHERS {
        for name in root.list(directory).into_iter().filter(|name| name.ends_with(end)).take(FILES_LIMIT) {
            let path = format!("{directory}/{name}");
            let lines = |text: &str| -> String {
                told(text).into_iter().map(|(name, mtu)| format!("{name}={mtu}\n")).collect()
            };
            let Ok(text) = root.read_settings(&path, FILE_BYTES, None, lines) else { continue };
            for (name, mtu) in text.lines().filter_map(|line| line.split_once('=')) {
                // networkd takes the first file that fits, the others what is said last.
                let is_told = |nic: &Nic| directory == LINKS && nic.mtu_kept_in.starts_with(LINKS);
                let own = |nic: &&mut Nic| {
                    let keeper = keepers.get(&nic.name);
                    is_called(nic, keeper, directory, name) && counts(keeper, directory) && !is_told(nic)
                };
                if let Some(nic) = nics.iter_mut().find(own) {
                    nic.mtu_kept_bytes = mtu.parse().ok();
                    path.clone_into(&mut nic.mtu_kept_in);
                }
            }
        }
    }
}

/// Under its own name, or of netplan under the key of its entry.
fn is_called(nic: &Nic, keeper: Option<&InterfaceKeeper>, directory: &str, name: &str) -> bool {
    let key = keeper.filter(|keeper| directory == NETPLAN && keeper.by == "netplan" && !keeper.id.is_empty());
    key.map_or(nic.name.as_str(), |keeper| &keeper.id) == name
}

const NETPLAN: &str = "/etc/netplan";
/// A file of it may give a link its MTU whoever gives it the address (systemd.link(5)).
const LINKS: &str = "/etc/systemd/network";

/// Interfaces with an address of netplan's own and no MTU in any of its files: no server gives them another.
fn name_unset(root: &Root, nics: &mut [Nic], keepers: &Keepers) {
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
        let unset = |nic: &&mut Nic| {
            let keeper = keepers.get(&nic.name);
            is_called(nic, keeper, NETPLAN, &name)
                && counts(keeper, NETPLAN)
                && nic.mtu_kept_bytes.is_none()
                && nic.mtu_kept_in.is_empty()
        };
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

/// `mtu=9000`, `MTU='9000'`, without what is around the value.
fn kept(text: &str) -> String {
    const NAMES: [&str; 10] = [
        "interface-name", "DEVICE", "uuid", "UUID", "autoconnect", "ONBOOT", "mtu", "MTU", "BOOTPROTO",
        "method",
    ];
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
    use crate::tests::written;
    use std::path::Path;

    /// The interfaces of a tree of which these keep some: interface, who, and its profile.
    fn completed(tree: &Path, names: &[&str], keepers: &[[&str; 3]]) -> Vec<Nic> {
        let nic = |name: &&str| Nic { name: (*name).into(), ..Nic::default() };
        let mut host = Host { nics: names.iter().map(nic).collect(), ..Host::default() };
        for [name, by, id] in keepers {
            let keeper = InterfaceKeeper { by: (*by).into(), id: (*id).into(), ..InterfaceKeeper::default() };
            host.management.interfaces.insert((*name).into(), keeper);
        }
        complete(&Root::tree(tree).expect("a tree"), &mut host);
        host.nics
    }

    /// What was left behind sets nothing: a profile that is not in use, another manager's file.
    #[test]
    fn the_file_of_the_one_that_keeps_the_interface_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| written(folder.path(), path, text);
        let profile = |uuid: &str, more: &str| {
            format!("[connection]\nuuid={uuid}\ninterface-name=eth0\n{more}\n[ethernet]\n")
        };
        let connection = |name: &str| format!("etc/NetworkManager/system-connections/{name}.nmconnection");
        write(&connection("new"), &(profile("u-2", "") + "mtu=9000\n"));
        write(&connection("old"), &(profile("u-1", "autoconnect=false\n") + "mtu=1400\n"));
        write("etc/sysconfig/network-scripts/ifcfg-eth0", "DEVICE=eth0\nONBOOT=no\nMTU=1300\n");
        write("etc/netplan/50.yaml", "network:\n  ethernets:\n    db:\n      mtu: 4000\n");
        write("etc/systemd/network/10-db.network", "[Match]\nName=eth0\n[Link]\nMTUBytes=2000\n");
        write("etc/systemd/network/20-all.network", "[Match]\nName=eth0\n[Link]\nMTUBytes=2100\n");
        let kept = |by: &str, id: &str| {
            let nics = completed(folder.path(), &["eth0"], &[["eth0", by, id]]);
            nics[0].mtu_kept_bytes
        };
        assert_eq!(kept("networkmanager", "u-2"), Some(9000));
        assert_eq!(kept("networkmanager", "u-1"), Some(1400), "it is active, however it was started");
        assert_eq!(kept("networkmanager", ""), Some(9000), "the only one that starts at boot");
        assert_eq!(kept("netplan", "db"), Some(4000), "by the key of its entry");
        assert_eq!(kept("networkd", "/etc/systemd/network/10-db.network"), Some(2000), "the first that fits");
        assert_eq!([kept("ifupdown", "eth0"), kept("wicked", "eth0")], [None; 2]);
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
        let nics = completed(folder.path(), &["eth0", "eth1", "eth2", "eth3", "eth4", "eth5"], &[]);
        let kept: Vec<_> = nics.iter().map(|nic| nic.mtu_kept_bytes).collect();
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
            let nics = completed(folder.path(), &["eth0", "eth1", "eth2"], &[]);
            nics.into_iter().map(|nic| (nic.mtu_kept_bytes, nic.mtu_kept_in)).collect::<Vec<_>>()
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
