//! The PCI Express link of a device: lanes, transfers, payload of a packet.

use crate::Root;
use fullwire_model::Gap;
use fullwire_model::host::PcieLink;
use std::io::Read;

/// A PCI Express link, now and at best; `None` for a device without one (virtual, or on the old bus). `device` is its
/// directory in sysfs.
pub(crate) fn link(root: &Root, device: &str) -> Option<PcieLink> {
    let speed = |name: &str| leading_number(&root.attribute(&format!("{device}/{name}"))?);
    let width = |name: &str| root.number(&format!("{device}/{name}")).filter(|&width| width > 0);
    let link = PcieLink {
        speed_gt_per_s: speed("current_link_speed")?,
        width: width("current_link_width")?,
        max_speed_gt_per_s: speed("max_link_speed")?,
        max_width: width("max_link_width")?,
        max_payload_bytes: None,
    };
    // 255: the bridge does not know
    (link.max_width < 255).then(|| PcieLink { max_payload_bytes: max_payload(root, device), ..link })
}

/// What `lspci -vv` of a captured tree says of the devices that sysfs has no link of.
const LISTED: [&str; 4] = [
    "/sos_commands/pci/lspci_-nnvv",
    "/sos_commands/pci/lspci_-nvv",
    "/sos_commands/pci/lspci_-vvv",
    "/sos_commands/pci/lspci_-vv",
];

/// The link of the device with an address (`0000:31:00.0`), as a captured tree lists it.
pub(crate) fn listed(root: &Root, address: &str) -> Option<PcieLink> {
    if root.is_live() {
        return None;
    }
    let texts = LISTED.iter().filter_map(|path| root.try_read(path, crate::MAX_READ_BYTES).ok());
    texts.map(|(text, _)| text).find_map(|text| listed_link(&text, address))
}

/// A device begins with its address, without the domain where that is 0, and what is said of it is indented:
/// `LnkCap: Port #0, Speed 16GT/s, Width x16, …`, `LnkSta: Speed 8GT/s (downgraded), Width x4 (downgraded)`.
fn listed_link(text: &str, address: &str) -> Option<PcieLink> {
    let short = address.strip_prefix("0000:").unwrap_or(address);
    let begins = |line: &&str| {
        let own = line.split(' ').next().unwrap_or_default();
        own == address || own == short
    };
    let mut own = text.lines().skip_while(|line| !begins(line)).skip(1);
    let own: Vec<&str> = own.by_ref().take_while(|line| line.starts_with([' ', '\t'])).collect();
    let line = |name: &str| own.iter().find_map(|line| line.trim_start().strip_prefix(name));
    let (now, best) = (line("LnkSta:")?, line("LnkCap:")?);
    let speed = |line: &str| leading_number(line.split("Speed ").nth(1)?);
    let width = |line: &str| {
        let digits = line.split("Width x").nth(1)?.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok().filter(|width| *width > 0)
    };
    let link = PcieLink {
        speed_gt_per_s: speed(now)?,
        width: width(now)?,
        max_speed_gt_per_s: speed(best)?,
        max_width: width(best)?,
        max_payload_bytes: None,
    };
    (link.max_width < 255).then_some(link)
}

/// The number that `8.0 GT/s PCIe`, `12.0 Gbit` or `16 Gbit` begins with.
pub(crate) fn leading_number(text: &str) -> Option<f64> {
    let number = text.split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
    number.parse().ok().filter(|number| *number > 0.0)
}

/// As much of the configuration space as has capabilities of the old list.
const CONFIG_BYTES: usize = 256;

/// The payload that the device puts in a packet; only root sees more than the first 64 bytes of the space.
fn max_payload(root: &Root, device: &str) -> Option<u32> {
    let path = format!("{device}/config");
    let ask = || {
        let mut bytes = Vec::new();
        let read = std::fs::File::open(&path)
            .and_then(|file| file.take(CONFIG_BYTES as u64).read_to_end(&mut bytes));
        match read {
            Ok(_) => Ok(max_payload_of(&bytes)),
            Err(error) => Err(crate::root::gap_of(&path, &error)),
        }
    };
    let answer: Result<Option<u32>, Gap> = root.answer(&format!("pci max payload {device}"), ask);
    answer.ok().flatten()
}

/// Bits 7:5 of Device Control in the PCI Express capability (PCI Express base specification, 7.5.3.4).
fn max_payload_of(config: &[u8]) -> Option<u32> {
    const EXPRESS: u8 = 0x10;
    let mut place = usize::from(*config.get(0x34)? & 0xfc);
    // No more capabilities than fit: a list that leads back to itself ends.
    for _ in 0..CONFIG_BYTES / 4 {
        if place < 0x40 {
            return None;
        }
        if *config.get(place)? == EXPRESS {
            let size = (*config.get(place + 8)? >> 5) & 7;
            return (size <= 5).then(|| 128 << size);
        }
        place = usize::from(*config.get(place + 1)? & 0xfc);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Power management at 0x40, PCI Express at 0x70 with Device Control 0x2936: payload of 256, read requests of 512.
    fn config() -> Vec<u8> {
        let mut bytes = vec![0; CONFIG_BYTES];
        bytes[0x34] = 0x40;
        bytes[0x40..0x42].copy_from_slice(&[0x01, 0x70]);
        bytes[0x70..0x72].copy_from_slice(&[0x10, 0x00]);
        bytes[0x78..0x7a].copy_from_slice(&0x2936_u16.to_le_bytes());
        bytes
    }

    #[test]
    fn a_listing_tells_links_that_sysfs_lacks() {
        let text = "00:00.0 Host bridge [0600]: Example\n\tControl: I/O-\n\n\
                    31:00.0 Ethernet controller [0200]: Example\n\tCapabilities: [60] Express (v2) Endpoint\n\
                    \t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM not supported\n\
                    \t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x4 (downgraded)\n\n\
                    31:00.1 Ethernet controller [0200]: Example\n\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16\n\
                    \t\tLnkSta:\tSpeed unknown, Width x0\n";
        let link = listed_link(text, "0000:31:00.0").expect("a link");
        assert_eq!(
            (link.speed_gt_per_s, link.width, link.max_speed_gt_per_s, link.max_width),
            (8.0, 4, 16.0, 16)
        );
        assert_eq!(listed_link(text, "0000:31:00.1"), None);
        assert_eq!(listed_link(text, "0000:00:00.0"), None, "the next device's is not its own");
    }

    #[test]
    fn the_payload_of_a_packet_is_in_device_control() {
        assert_eq!(max_payload_of(&config()), Some(256));
        // What a user who is not root sees ends before the capability.
        assert_eq!(max_payload_of(&config()[..64]), None);
        let mut reserved = config();
        reserved[0x78] = 0xe0;
        assert_eq!(max_payload_of(&reserved), None);
    }

    #[test]
    fn a_list_of_capabilities_that_leads_back_to_itself_ends() {
        let mut bytes = config();
        bytes[0x41] = 0x40;
        assert_eq!(max_payload_of(&bytes), None);
        assert_eq!(max_payload_of(&[]), None);
    }
}
