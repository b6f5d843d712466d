//! The way from a disk to the machine: what its place in sysfs shows of link, adapter and slot.

use crate::Root;
use crate::pci::{self, leading_number};
use fullwire_model::host::Controller;
use std::collections::BTreeMap;

/// Reads adapters once each, however many disks hang on them.
#[derive(Default)]
pub(crate) struct Controllers(BTreeMap<String, Controller>);

impl Controllers {
    /// The PCI device that a sysfs path leads through last.
    pub(crate) fn of(&mut self, root: &Root, place: &str) -> Option<Controller> {
        let address = place.split('/').rfind(|name| is_pci_address(name))?;
        let controller = self.0.entry(address.to_owned()).or_insert_with(|| controller(root, address));
        Some(controller.clone())
    }
}

fn controller(root: &Root, address: &str) -> Controller {
    let path = format!("/sys/bus/pci/devices/{address}");
    Controller {
        address: address.to_owned(),
        driver: root.link_name(&format!("{path}/driver")).unwrap_or_default(),
        pcie: pci::link(root, &path).or_else(|| pci::listed(root, address)),
    }
}

/// `0000:05:00.0`
fn is_pci_address(name: &str) -> bool {
    let hex = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut parts = name.split([':', '.']);
    name.len() >= 12 && name.matches(':').count() == 2 && parts.by_ref().all(hex)
}

/// The kind of link, from a disk's name and its place below `/sys/devices`. NVMe: see its controllers.
pub(crate) fn transport(name: &str, place: &str) -> &'static str {
    let through = |part: &str| place.contains(part);
    if through("/usb") {
        "usb"
    } else if through("/rport-") {
        "fc"
    } else if through("/session") {
        "iscsi"
    } else if through("/end_device-") {
        "sas"
    } else if through("/ata") {
        "sata"
    } else if through("/virtio") {
        "virtio"
    } else if through("/vbd-") || name.starts_with("xvd") {
        "xen"
    } else if through("/pseudo") || through("/tcm_loop") || through("/virtual/") || !through("/devices/") {
        "none"
    } else if through("/host") {
        "scsi"
    } else if through("/pci") {
        "pcie"
    } else {
        "none"
    }
}

/// Speed now and at best, Gbit/s, of a SATA link or a SAS port.
pub(crate) fn link_speed(root: &Root, place: &str) -> (Option<f64>, Option<f64>) {
    let names: Vec<&str> = place.split('/').collect();
    if let Some(number) = names.iter().find_map(|name| digits_behind(name, "ata")) {
        let path = format!("/sys/class/ata_link/link{number}");
        let speed = |name: &str| leading_number(&root.attribute(&format!("{path}/{name}"))?);
        return (speed("sata_spd"), speed("hw_sata_spd_limit").or_else(|| speed("sata_spd_limit")));
    }
    if let Some(port) = names.iter().find(|name| name.starts_with("port-") && place.contains("/end_device-"))
    {
        return sas_port_speed(root, port);
    }
    (None, None)
}

fn digits_behind<'a>(name: &'a str, start: &str) -> Option<&'a str> {
    name.strip_prefix(start).filter(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// All lanes of a port together.
fn sas_port_speed(root: &Root, port: &str) -> (Option<f64>, Option<f64>) {
    let entries = root.list(&format!("/sys/class/sas_port/{port}/device"));
    let sum = |attribute: &str| {
        let lanes = entries.iter().filter(|name| name.starts_with("phy-"));
        let speeds = lanes.filter_map(|phy| {
            leading_number(&root.attribute(&format!("/sys/class/sas_phy/{phy}/{attribute}"))?)
        });
        Some(speeds.sum()).filter(|sum| *sum > 0.0)
    };
    (sum("negotiated_linkrate"), sum("maximum_linkrate"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_in_sysfs_tells_the_link() {
        let cases = [
            ("sda", "../devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda", "sata"),
            (
                "sdb",
                "../devices/pci0000:00/0000:03:00.0/host1/port-1:0/end_device-1:0/target1:0:0/1:0:0:0/block/sdb",
                "sas",
            ),
            (
                "sdc",
                "../devices/pci0000:00/0000:05:00.0/host5/rport-5:0-2/target5:0:0/5:0:0:1/block/sdc",
                "fc",
            ),
            ("sdd", "../devices/platform/host6/session1/target6:0:0/6:0:0:0/block/sdd", "iscsi"),
            ("vda", "../devices/pci0000:00/0000:00:0b.0/virtio7/block/vda", "virtio"),
            ("sde", "../devices/pseudo_0/adapter0/host0/target0:0:0/0:0:0:0/block/sde", "none"),
            ("sdf", "../devices/pci0000:00/0000:00:15.0/host2/target2:0:0/2:0:0:0/block/sdf", "scsi"),
            ("dm-0", "../devices/virtual/block/dm-0", "none"),
        ];
        for (name, place, expected) in cases {
            assert_eq!(transport(name, place), expected, "{place}");
        }
    }

    #[test]
    fn numbers_and_addresses() {
        assert_eq!(leading_number("8.0 GT/s PCIe"), Some(8.0));
        assert_eq!(leading_number("Unknown"), None);
        assert_eq!(leading_number("<unknown>"), None);
        assert!(is_pci_address("0000:05:00.0") && is_pci_address("10000:e1:00.0"));
        assert!(
            !is_pci_address("pci0000:00") && !is_pci_address("1:0:0:0") && !is_pci_address("target0:0:0")
        );
    }
}
