//! What a line means by who writes it and what it says of itself: any driver of a kind of device, with any verb of failure.
//! What has a meaning of its own stands in the other tables, which come first.

mod adapters;
pub(super) mod general;
mod host;
mod volumes;

use super::Entry;

/// A slot whose device is gone.
#[rustfmt::skip]
pub(super) const SLOT_EMPTY: Entry = entry! { source: "Linux drivers/pci/hotplug",
    says: "a PCIe slot lost its device: it was pulled, a volume of a cloud was detached, or a disk or adapter is gone",
    now: "Was it on purpose? Otherwise, which device was in that slot (lspci before and after), its seat, power and firmware" };

/// Every one, the more special before the more general.
pub(super) fn entries() -> impl Iterator<Item = &'static Entry> {
    [adapters::LINES, volumes::LINES, host::LINES].into_iter().flatten()
}
