//! Which device a command sets something of: names are given anew at each start of the host.

use fullwire_rules::advice::effect::{interface, setting};
use std::fs;
use std::path::PathBuf;

/// What a device, a map, a session or a port says of itself (`Documentation/ABI`, `sysfs-block`, `sysfs-block-dm`,
/// `sysfs-class-fc_remote_ports`).
const IDENTITIES: [&str; 7] =
    ["dm/uuid", "wwid", "device/wwid", "serial", "device/serial", "targetname", "port_name"];

/// What tells the device apart that a command sets something of: what it says of itself, else the place where it is
/// plugged in. Empty: the command names no device, or one that is not there.
pub(super) fn device(run: &str) -> String {
    let Some(folder) = folder(run) else { return String::new() };
    let said = |name: &str| fs::read_to_string(folder.join(name)).map(|text| text.trim().to_owned());
    let says = IDENTITIES.iter().filter_map(|name| said(name).ok()).find(|text| !text.is_empty());
    let place = || fs::canonicalize(&folder).map(|place| place.display().to_string());
    says.or_else(|| place().ok()).unwrap_or_default()
}

/// The folder of a device in sysfs: `/sys/block/sda`, `/sys/class/net/eth0`.
fn folder(run: &str) -> Option<PathBuf> {
    if let Some(name) = interface(run) {
        return Some(PathBuf::from("/sys/class/net").join(name));
    }
    let file = setting(run)?;
    let depth = match file.strip_prefix("/sys/")?.split('/').next()? {
        "block" => 2,
        "class" => 3,
        _ => return None,
    };
    Some(file.split('/').take(depth + 2).collect::<Vec<_>>().join("/").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_device_is_found() {
        let of = |run: &str| folder(run).map(|path| path.display().to_string()).unwrap_or_default();
        assert_eq!(of("echo none > /sys/block/sda/queue/scheduler"), "/sys/block/sda");
        assert_eq!(
            of("echo 120 > /sys/class/iscsi_session/session1/recovery_tmo"),
            "/sys/class/iscsi_session/session1"
        );
        assert_eq!(of("ethtool -K eth0 tso on"), "/sys/class/net/eth0");
        assert_eq!(of("echo never > /sys/kernel/mm/transparent_hugepage/enabled"), "");
        assert!(device("ip link set dev lo mtu 1500").ends_with("/lo"));
    }
}
