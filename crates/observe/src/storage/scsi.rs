//! A SCSI disk and the host adapter that it hangs on.

use crate::Root;
use fullwire_model::host::ScsiDevice;
use std::collections::BTreeMap;

/// A vital-product-data page is shorter than that.
const VPD_BYTES: usize = 1024;

/// What a host adapter reports, read once for all its disks.
#[derive(Default)]
pub(crate) struct HostAdapters(BTreeMap<String, (String, Option<u64>)>);

impl HostAdapters {
    fn of(&mut self, root: &Root, host: &str) -> (String, Option<u64>) {
        let read = || {
            let path = format!("/sys/class/scsi_host/{host}");
            let driver = root.attribute(&format!("{path}/proc_name")).unwrap_or_default();
            (driver, root.number(&format!("{path}/can_queue")))
        };
        self.0.entry(host.to_owned()).or_insert_with(read).clone()
    }
}

/// `HOST:CHANNEL:TARGET:LUN` from a disk's place in sysfs.
pub(crate) fn address_in(place: &str) -> Option<&str> {
    let is_address = |name: &&str| {
        let parts: Vec<&str> = name.split(':').collect();
        parts.len() == 4 && parts.iter().all(|part| part.parse::<u64>().is_ok())
    };
    place.split('/').rfind(is_address)
}

/// Reads the SCSI side of a disk.
pub(crate) fn read_scsi(root: &Root, device: &str, address: &str, adapters: &mut HostAdapters) -> ScsiDevice {
    let path = format!("{device}/device");
    let mut scsi = ScsiDevice {
        state: root.attribute(&format!("{path}/state")).unwrap_or_default(),
        queue_depth: root.number(&format!("{path}/queue_depth")),
        timeout_s: root.number(&format!("{path}/timeout")),
        access_state: root.attribute(&format!("{path}/access_state")),
        ..ScsiDevice::default()
    };
    add_address(root, &mut scsi, address, adapters);
    scsi
}

/// Adds the address, and what the adapter in it reports, where they are not known yet.
pub(super) fn add_address(root: &Root, scsi: &mut ScsiDevice, address: &str, adapters: &mut HostAdapters) {
    if scsi.address.is_empty() && !address.is_empty() {
        address.clone_into(&mut scsi.address);
        scsi.host = format!("host{}", address.split(':').next().unwrap_or_default());
        (scsi.host_driver, scsi.host_can_queue) = adapters.of(root, &scsi.host);
    }
}

/// The unit's serial number: page 0x80, four bytes of head and then text.
pub(crate) fn serial(root: &Root, device: &str) -> Option<String> {
    let (page, _) = root.try_read(&format!("{device}/device/vpd_pg80"), VPD_BYTES).ok()?;
    let serial: String = page.chars().skip(4).filter(|c| !c.is_control() && *c != '\u{fffd}').collect();
    Some(serial.trim().to_owned()).filter(|serial| !serial.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_in_the_place() {
        let place = "../devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:5/block/sda";
        assert_eq!(address_in(place), Some("0:0:0:5"));
        assert_eq!(address_in("../devices/virtual/block/dm-0"), None);
    }
}
