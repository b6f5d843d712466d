//! What configures each interface at boot: by what runs and what it claims, else by the one file that names the interface.
//!
//! Sources: netplan's generated units (`10-netplan-ID.network`) and connections (`netplan-ID`); systemd-networkd's
//! `/run/systemd/netif/links/INDEX`; NetworkManager's `/run/NetworkManager/devices/INDEX`; ifupdown's `/run/network/ifstate`;
//! wicked's `ifcfg-NAME`; Red Hat's network scripts (`NM_CONTROLLED`).

use crate::Root;
use crate::system::is_elsewhere;
use fullwire_model::host::{Host, InterfaceKeeper};

const NETPLAN: [&str; 3] = ["/etc/netplan", "/run/netplan", "/usr/lib/netplan"];
const RED_HAT: &str = "/etc/sysconfig/network-scripts";
const SUSE: &str = "/etc/sysconfig/network";
const DEBIAN: &str = "/etc/network/interfaces";
const IFSTATE: &str = "/run/network/ifstate";

const FILE_BYTES: usize = 1 << 18;
const FILES_LIMIT: usize = 256;

/// Completes who keeps the interfaces; the processes are known by now.
pub(crate) fn complete(root: &Root, host: &mut Host) {
    let found = host.nics.iter().filter(|nic| nic.kind != "loopback").filter_map(|nic| {
        let keeper = by_claim(root, nic.index, &nic.name).or_else(|| by_file(root, host, &nic.name))?;
        Some((nic.name.clone(), keeper))
    });
    host.management.interfaces = found.collect();
}

fn keeper(by: &str, id: &str, source: String) -> InterfaceKeeper {
    InterfaceKeeper { by: by.to_owned(), id: id.to_owned(), source }
}

/// A running manager says that it configured the interface.
fn by_claim(root: &Root, index: u32, name: &str) -> Option<InterfaceKeeper> {
    let networkd = format!("/run/systemd/netif/links/{index}");
    let device = format!("/run/NetworkManager/devices/{index}");
    let state = |path: &str, key: &str| {
        let text = root.try_read(path, FILE_BYTES).ok()?.0;
        text.lines().find_map(|line| Some(line.strip_prefix(key)?.strip_prefix('=')?.to_owned()))
    };
    if index > 0 {
        let managed = state(&networkd, "ADMIN_STATE").is_some_and(|state| state != "unmanaged");
        if let Some(file) = state(&networkd, "NETWORK_FILE").filter(|_| managed) {
            return Some(match netplan_id(&file) {
                Some(id) => keeper("netplan", id, file.clone()),
                None => keeper("networkd", &file.clone(), networkd),
            });
        }
        if let Some(uuid) = state(&device, "connection-uuid") {
            return Some(match netplan_key(root, name) {
                Some((key, file)) => keeper("netplan", &key, file),
                None => keeper("networkmanager", &uuid, device),
            });
        }
    }
    let ifstate = root.try_read(IFSTATE, FILE_BYTES).ok()?.0;
    let is_up = |line: &str| line.split_once('=').is_some_and(|(left, _)| left == name);
    // A NetworkManager beside it leaves alone what the file lists.
    let file = || interfaces_file(root, name).unwrap_or_else(|| IFSTATE.to_owned());
    ifstate.lines().any(is_up).then(|| keeper("ifupdown", name, file()))
}

/// `eth0` of `/run/systemd/network/10-netplan-eth0.network`.
fn netplan_id(file: &str) -> Option<&str> {
    file.rsplit('/').next()?.strip_prefix("10-netplan-")?.strip_suffix(".network")
}

/// A file that names the interface, of a manager that is there. In a captured tree the state of the managers is absent.
fn by_file(root: &Root, host: &Host, name: &str) -> Option<InterfaceKeeper> {
    let runs =
        |process: &str| host.processes.iter().any(|one| one.name == process && !is_elsewhere(root, one.pid));
    if let Some((key, file)) = netplan_key(root, name) {
        return Some(keeper("netplan", &key, file));
    }
    if let Some(file) = interfaces_file(root, name) {
        return Some(keeper("ifupdown", name, file));
    }
    let suse = format!("{SUSE}/ifcfg-{name}");
    if (runs("wickedd") || root.exists("/run/wicked")) && root.exists(&suse) {
        return Some(keeper("wicked", name, suse));
    }
    let red_hat = format!("{RED_HAT}/ifcfg-{name}");
    let runs_manager = runs("NetworkManager");
    if root.exists(&red_hat) {
        let kept =
            |text: &str| text.lines().filter(|line| line.trim_start().starts_with("NM_CONTROLLED")).collect();
        let controlled = root.read_settings(&red_hat, FILE_BYTES, None, kept).unwrap_or_default();
        let by_script =
            controlled.to_ascii_lowercase().contains("no") || (!runs_manager && !host.processes.is_empty());
        let by = if by_script { "network-scripts" } else { "networkmanager" };
        return Some(keeper(by, "", red_hat));
    }
    // The only manager that runs has whatever no file names.
    let only = runs_manager && !runs("systemd-network") && !runs("wickedd");
    only.then(|| keeper("networkmanager", "", "NetworkManager runs".to_owned()))
}

/// Under which key netplan's files have an interface: its own name, or an entry that sets that name.
fn netplan_key(root: &Root, name: &str) -> Option<(String, String)> {
    for directory in NETPLAN {
        let files = root
            .list(directory)
            .into_iter()
            .filter(|file| file.strip_suffix(".yaml").is_some())
            .take(FILES_LIMIT);
        for file in files {
            let path = format!("{directory}/{file}");
            let Ok(text) = root.read_settings(&path, FILE_BYTES, None, keys_and_names) else { continue };
            if let Some(key) = key_of(&text, name) {
                return Some((key, path));
            }
        }
    }
    None
}

/// Of a YAML file the lines that open a mapping or set a name: nothing else is needed, secrets of radio networks least.
fn keys_and_names(text: &str) -> String {
    let kept = |line: &str| {
        // `eth0: {mtu: 9000}` opens a mapping as well.
        let opens = line.split_once(": {").map(|(key, _)| format!("{key}:\n"));
        let whole = line.trim_end().ends_with(':') || line.trim_start().starts_with("set-name:");
        opens.or_else(|| whole.then(|| format!("{line}\n")))
    };
    text.lines().filter_map(kept).collect()
}

fn key_of(text: &str, name: &str) -> Option<String> {
    let plain = |word: &str| word.trim().trim_matches(['"', '\'']).to_owned();
    let mut open: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        open.retain(|(depth, _)| *depth < indent);
        if let Some(value) = line.trim_start().strip_prefix("set-name:") {
            if plain(value) == name {
                return open.get(2).map(|(_, key)| key.clone());
            }
            continue;
        }
        let key = plain(line.trim().trim_end_matches(':'));
        open.push((indent, key.clone()));
        // network: ethernets: eth0:
        if open.len() == 3 && key == name {
            return Some(key);
        }
    }
    None
}

/// The file of ifupdown that has a stanza of the interface.
fn interfaces_file(root: &Root, name: &str) -> Option<String> {
    let names = |text: &str| {
        let mut stanzas = text.lines().map(str::split_whitespace);
        stanzas.any(|mut words| words.next() == Some("iface") && words.next() == Some(name))
    };
    let kept = |text: &str| {
        let stanza = |line: &&str| line.trim_start().starts_with("iface ");
        text.lines().filter(stanza).map(|line| format!("{line}\n")).collect()
    };
    let more = root.list("/etc/network/interfaces.d").into_iter().take(FILES_LIMIT);
    let files = std::iter::once(DEBIAN.to_owned()).chain(more.map(|file| format!("{DEBIAN}.d/{file}")));
    files
        .into_iter()
        .find(|file| root.read_settings(file, FILE_BYTES, None, kept).is_ok_and(|text| names(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rooted;
    use fullwire_model::host::{Nic, Process};

    fn kept(files: &[(&str, &str)], runs: &[&str]) -> Vec<(String, String, String)> {
        let (_tree, root) = rooted(files);
        let nic = |name: &str, index| Nic { name: name.into(), index, ..Nic::default() };
        let process = |name: &&str| Process { name: (*name).into(), ..Process::default() };
        let mut host = Host {
            nics: vec![nic("eth0", 2), nic("bond0.100", 3)],
            processes: runs.iter().map(process).collect(),
            ..Host::default()
        };
        complete(&root, &mut host);
        let kept = host.management.interfaces.into_iter();
        kept.map(|(name, keeper)| (name, keeper.by, keeper.id)).collect()
    }

    fn of(name: &str, by: &str, id: &str) -> (String, String, String) {
        (name.into(), by.into(), id.into())
    }

    /// Amazon Linux 2023 is like Fedora, and networkd configures it.
    #[test]
    fn networkd_and_netplan_are_told_apart_by_the_file_that_networkd_used() {
        let own = (
            "run/systemd/netif/links/2",
            "ADMIN_STATE=configured\nNETWORK_FILE=/usr/lib/systemd/network/80-ec2.network\n",
        );
        let netplan = (
            "run/systemd/netif/links/3",
            "ADMIN_STATE=configured\nNETWORK_FILE=/run/systemd/network/10-netplan-vlan100.network\n",
        );
        assert_eq!(
            kept(&[own, netplan], &["systemd-network"]),
            [
                of("bond0.100", "netplan", "vlan100"),
                of("eth0", "networkd", "/usr/lib/systemd/network/80-ec2.network")
            ]
        );
        let unmanaged = ("run/systemd/netif/links/2", "ADMIN_STATE=unmanaged\n");
        let device = ("run/NetworkManager/devices/2", "[device]\nmanaged=true\nconnection-uuid=5fb0-11\n");
        assert_eq!(kept(&[unmanaged, device], &[]), [of("eth0", "networkmanager", "5fb0-11")]);
    }

    #[test]
    fn netplan_may_know_an_interface_by_another_key() {
        let text = "network:\n  version: 2\n  renderer: NetworkManager\n  ethernets:\n    lan:\n      match:\n        macaddress: aa\n      set-name: eth0\n  vlans:\n    bond0.100:\n      id: 100\n";
        let device = ("run/NetworkManager/devices/2", "[device]\nconnection-uuid=5fb0-11\n");
        assert_eq!(
            kept(&[("etc/netplan/50-cloud-init.yaml", text), device], &["NetworkManager"]),
            [of("bond0.100", "netplan", "bond0.100"), of("eth0", "netplan", "lan")]
        );
    }

    #[test]
    fn files_tell_where_a_captured_tree_has_no_state() {
        let script = |text| ("etc/sysconfig/network-scripts/ifcfg-eth0", text);
        let run = |text| kept(&[script(text)], &["NetworkManager", "sshd"]).pop().expect("eth0 is kept");
        assert_eq!(run("NM_CONTROLLED=no\n"), of("eth0", "network-scripts", ""));
        assert_eq!(run("BOOTPROTO=none\n"), of("eth0", "networkmanager", ""));
        assert_eq!(kept(&[script("")], &["sshd"])[0], of("eth0", "network-scripts", ""));
        let debian = ("etc/network/interfaces.d/50-cloud-init", "auto eth0\niface eth0 inet dhcp\n");
        assert_eq!(kept(&[debian], &["NetworkManager", "systemd-network"]), [of("eth0", "ifupdown", "eth0")]);
        let wicked = ("etc/sysconfig/network/ifcfg-eth0", "MTU=''\n");
        assert_eq!(kept(&[wicked], &["wickedd"]), [of("eth0", "wicked", "eth0")]);
        // A container's manager keeps the container's network.
        let status = |numbers| ("proc/0/status", numbers);
        assert_eq!(kept(&[status("Pid:\t812\nNSpid:\t812\n")], &["NetworkManager"]).len(), 2);
        assert_eq!(kept(&[status("Pid:\t812\nNSpid:\t812\t41\n")], &["NetworkManager"]), []);
        // Nobody is known who does it: no guess.
        assert_eq!(kept(&[wicked], &["NetworkManager", "systemd-network"]), []);
        assert_eq!(kept(&[], &[]), []);
    }
}
