//! The MTU that the files of NetworkManager or of the older network scripts set at boot. Profiles hold keys of wireless
//! networks and VPNs: only the lines with the name of the interface and its MTU are read.

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

    #[test]
    fn profiles_and_scripts_tell_it_and_no_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        };
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
}
