use crate::ceiling::network::frame::pcie_bit_per_s;

rule! {
    /// # What it checks
    /// Passes when the PCI Express link of an interface runs at the width and speed that the device has, and carries
    /// more than its ports.
    /// # Why it matters
    /// A card in a narrow slot, or one that trained badly, moves less than its wire; two ports share what one
    /// slot gives.
    /// # Evidence
    /// `current_link_speed`, `current_link_width`, `max_link_speed`, `max_link_width` of the PCI device.
    /// # Remedy
    /// Another slot; reseat the card; BIOS settings of the slot.
    /// # Source
    /// Linux Documentation/ABI/testing/sysfs-bus-pci; PCI Express base specification (8b/10b up to 5 GT/s,
    /// 128b/130b above).
    code: "nic-pcie-narrow",
    title: "the PCIe slot gives an interface less than it can use",
    layer: Network, severity: Warning, on: [Nic], limits: [LinkSlow],
    check: |run| each::nic(run, each::in_use, |side, nic| judge(run, side, nic)),
}

/// The wires, bit/s, of all ports of the card that are in use: functions of one device share its slot.
fn slot_bit_per_s(side: &side::Side, nic: &Nic) -> f64 {
    let slot = |nic: &Nic| Some(nic.pci_address.as_ref()?.rsplit_once('.')?.0.to_owned());
    let own = slot(nic);
    let ports = side.host.nics.iter().filter(|port| own.is_some() && slot(port) == own);
    ports.filter(|port| each::in_use(side, port)).filter_map(|port| port.speed_mbit_per_s).sum::<u64>() as f64
        * 1e6
}

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let Some(link) = nic.pcie.as_ref().filter(|link| link.width > 0 && link.max_width > 0) else {
        // Not every physical interface sits in a slot; a virtual function shows nothing.
        return if nic.pci_address.is_none() && nic.pcie.is_none() {
            Outcome::Passes
        } else {
            unknown!("the PCI Express link of {at} could not be read")
        };
    };
    let now = pcie_bit_per_s(link.speed_gt_per_s, link.width);
    let could = pcie_bit_per_s(link.max_speed_gt_per_s, link.max_width);
    let wire = nic.speed_mbit_per_s.unwrap_or(0) as f64 * 1e6;
    if now >= could * 0.99 {
        return Outcome::Passes;
    }
    // Headers and flow control of the bus take up to a fifth.
    let short = wire > 0.0 && now * 0.8 < wire;
    // Ports of one card share its slot. That this has fewer lanes than the card is no generation of a platform.
    let whole = slot_bit_per_s(side, nic);
    let shared = link.width < link.max_width && whole > wire && now * 0.8 < whole;
    let finding = finding!(
        &at,
        "the slot of {at} runs {} lanes at {} GT/s ({:.0} Gbit/s), the card has {} at {}",
        link.width,
        link.speed_gt_per_s,
        now / 1e9,
        link.max_width,
        link.max_speed_gt_per_s,
    )
    .severity(if short || shared { Severity::Warning } else { Severity::Info })
    .measured(now / 8.0, wire / 8.0, Unit::BytesPerS)
    .evidence(
        format!(
            "current {} x{}, max {} x{}",
            link.speed_gt_per_s, link.width, link.max_speed_gt_per_s, link.max_width
        ),
        side.source(&format!("/sys/class/net/{}/device/current_link_*", nic.name)),
    )
    .because(if short || shared {
        "The slot carries less than the card could, so the link may wait for it."
    } else {
        "The slot carries less than the card could, but more than its ports in use: nothing waits for it now."
    })
    .look(
        sh!("lspci -vvs {} | grep Lnk || true", nic.pci_address.as_deref().unwrap_or("")),
        "Shows what the link can do and what was negotiated",
    )
    .persist("move the card to a slot with its full width, or reseat it; look at the slot's BIOS setting")
    .expecting("current link equals max link")
    .on(side.peer);
    let bound = |_: &NetResult| Some(0.8 * now / 8.0);
    let explained = explain::streams_over(run, side, &nic.name, Mechanism::LinkSlow, bound);
    finding.explains(explained.into_iter().filter(|_| short)).into()
}
