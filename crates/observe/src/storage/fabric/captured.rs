//! Fibre Channel classes of sysfs as commands printed them: `systool -vc CLASS` (supportconfig, older sosreports) and
//! `udevadm info -a /sys/class/CLASS/NAME` (sosreport since 4.0), where a tree has no copy of sysfs.

use crate::Root;
use std::collections::BTreeMap;

const DIRECTORY: &str = "/sos_commands/fibrechannel";

/// Devices of one class.
const DEVICES_LIMIT: usize = 4096;

/// Attributes by device.
pub(super) type Devices = BTreeMap<String, BTreeMap<String, String>>;

/// The devices of a class: `fc_host`, `fc_remote_ports`.
pub(super) fn read(root: &Root, class: &str) -> Devices {
    let mut devices = Devices::new();
    if root.is_live() {
        return devices;
    }
    let start = format!("udevadm_info_-a_.sys.class.{class}.");
    for name in root.list(DIRECTORY).iter().take(DEVICES_LIMIT) {
        let of_all = name.starts_with("systool_") && name.split('_').count() > 2 && name.contains(class);
        if !of_all && !name.starts_with(&start) {
            continue;
        }
        let Ok((text, _)) = root.try_read(&format!("{DIRECTORY}/{name}"), crate::MAX_READ_BYTES) else {
            continue;
        };
        if of_all {
            devices.extend(systool(&text));
        } else {
            devices.extend(udevadm(&text));
        }
    }
    devices
}

/// `Class Device = "host7"`, then `port_state = "Linkdown"` for each attribute; the device behind it follows.
fn systool(text: &str) -> Devices {
    let mut devices = Devices::new();
    let mut current: Option<String> = None;
    for line in text.lines() {
        let Some((name, value)) = line.split_once('=') else { continue };
        let (name, value) = (name.trim(), value.trim().trim_matches('"').trim());
        match name {
            "Class Device" => current = Some(value.to_owned()).filter(|_| devices.len() < DEVICES_LIMIT),
            "Device" => current = None,
            _ => {
                if let Some(device) = &current {
                    devices.entry(device.clone()).or_default().insert(name.to_owned(), value.to_owned());
                }
            }
        }
    }
    devices
}

/// `KERNEL=="host3"` and `ATTR{port_state}=="Linkdown"` of the first device; its parents follow.
fn udevadm(text: &str) -> Option<(String, BTreeMap<String, String>)> {
    let own = text.split("looking at parent device").next()?;
    let mut name = None;
    let mut attributes = BTreeMap::new();
    for line in own.lines() {
        let Some((key, value)) = line.trim().split_once("==") else { continue };
        let value = value.trim_matches('"').trim();
        if key == "KERNEL" {
            name = Some(value.to_owned());
        } else if let Some(key) = key.strip_prefix("ATTR{").and_then(|key| key.strip_suffix('}')) {
            attributes.insert(key.to_owned(), value.to_owned());
        }
    }
    Some((name?, attributes))
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use crate::tests::rooted;

    const HOSTS: &str = "Class = \"fc_host\"\n\n  Class Device = \"host7\"\n  Class Device path = \"/sys/x\"\n\
        \x20   port_name           = \"0x100000109bde3169\"\n    port_state          = \"Linkdown\"\n\
        \x20   speed               = \"unknown\"\n    supported_speeds    = \"8 Gbit, 16 Gbit, 32 Gbit\"\n\n\
        \x20   Device = \"host7\"\n      port_state          = \"of another\"\n\n\
        \x20 Class Device = \"host8\"\n    port_state          = \"Online\"\n    speed               = \"32 Gbit\"\n";
    const PORT: &str = "  looking at device '/devices/vio/x':\n    KERNEL==\"rport-3:0-0\"\n\
        \x20   ATTR{port_state}==\"Not Present\"\n    ATTR{roles}==\"FCP Target\"\n\n\
        \x20 looking at parent device '/devices/vio':\n    KERNELS==\"host3\"\n    ATTRS{port_state}==\"x\"\n";

    #[test]
    fn ports_that_only_commands_tell_of() {
        let text = format!("\n#==[ Command ]===#\n# /usr/bin/systool -vc fc_host\n{HOSTS}");
        let (_tree, root) = rooted(&[("basic-environment.txt", "\n"), ("sysfs.txt", &text)]);
        let hosts = read_fc_hosts(&root);
        let seen: Vec<_> = hosts
            .iter()
            .map(|host| {
                (
                    host.name.as_str(),
                    host.port_state.as_str(),
                    host.speed_gbit_per_s,
                    host.supported_gbit_per_s,
                )
            })
            .collect();
        assert_eq!(seen, [("host7", "Linkdown", None, Some(32.0)), ("host8", "Online", Some(32.0), None)]);

        let port = "sos_commands/fibrechannel/udevadm_info_-a_.sys.class.fc_remote_ports.rport-3_0-0";
        let (_tree, root) = rooted(&[(port, PORT)]);
        let ports = read_fc_remote_ports(&root);
        assert_eq!(
            (ports[0].name.as_str(), ports[0].host.as_str(), ports[0].port_state.as_str()),
            ("rport-3:0-0", "host3", "Not Present")
        );
    }
}
