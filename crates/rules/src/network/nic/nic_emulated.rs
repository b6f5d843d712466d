rule! {
    /// # What it checks
    /// Passes when a virtual machine uses the network adapter of its hypervisor (vmxnet3, virtio, netvsc) and no
    /// emulated card.
    /// # Why it matters
    /// An emulated card is a program that imitates registers of old hardware: every packet costs the hypervisor exits,
    /// and it ends far below 10 Gbit/s with a CPU used up.
    /// # Evidence
    /// The interface's driver, and what virtualization the host runs in.
    /// # Remedy
    /// Change the adapter's type in the virtual machine: VMXNET3, virtio-net.
    /// # Source
    /// `VMware`, "Choosing a network adapter for your virtual machine" (Knowledge Base 1001805); QEMU documentation,
    /// network emulation (virtio-net for performance).
    code: "nic-emulated",
    title: "a virtual machine uses an emulated network card",
    layer: Network, severity: Warning, on: [Nic],
}

const EMULATED: [&str; 7] = ["e1000", "e1000e", "8139cp", "8139too", "pcnet32", "ne2k-pci", "tulip"];

fn check(run: &Facts) -> Vec<Outcome> {
    if run.host.nics.is_empty() {
        return vec![unknown!("no interface could be read")];
    }
    let in_guest = |side: &side::Side, nic: &Nic| {
        facts::is_guest(side.host)
            && matches!(nic.kind.as_str(), "physical" | "virtual")
            && each::has_a_part(side, nic)
    };
    let severity = facts::hygiene(run);
    each::nic(run, in_guest, |side, nic| judge(side, nic, severity))
}

fn judge(side: &side::Side, nic: &Nic, severity: Severity) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    match nic.driver.as_str() {
        "" => unknown!("the driver of {at} could not be read"),
        driver if EMULATED.contains(&driver) => finding!(
            &at,
            "{at} is an emulated card ({driver}): the hypervisor emulates hardware for each packet",
        )
            .severity(severity)
            .evidence(format!("driver {driver}"), side.source(&format!("ethtool -i {}", nic.name)))
            .because("The hypervisor's paravirtual adapter passes packets on without emulating hardware.")
            .look(sh!("ethtool -i {}", nic.name), "Shows the driver")
            .persist("In the hypervisor, with the machine stopped: change the adapter type to VMXNET3 or virtio-net. The interface may get another name, so prepare its configuration first")
            .reboots()
            .undo("Change the type back")
            .reboots()
            .expecting("a multiple of the throughput at less CPU; prove it with `fullwire net`")
            .on(side.peer)
            .into(),
        _ => Outcome::Passes,
    }
}
