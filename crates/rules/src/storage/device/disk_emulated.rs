rule! {
    /// # What it checks
    /// Passes when data disks of a virtual machine use the hypervisor's own adapter (PVSCSI, virtio, storvsc) and not
    /// an emulation of old hardware.
    /// # Why it matters
    /// An emulated LSI or IDE adapter costs more CPU for each I/O and has short queues: a fast array below it is never
    /// used.
    /// # Evidence
    /// The driver of each data disk's adapter.
    /// # Remedy
    /// Another controller in the virtual machine: `VMware` Paravirtual, virtio-scsi with several queues.
    /// # Source
    /// `VMware`, "Configuring disks to use `VMware` Paravirtual SCSI controllers" (Knowledge Base 1010398); QEMU
    /// documentation, virtio-scsi.
    code: "disk-emulated",
    title: "the data disks of a virtual machine use an emulated adapter",
    layer: Storage, severity: Info, on: [Disk],
    when: |run| facts::is_guest(&run.host),
    check: |run| facts::data_disks(run).filter(|disk| disk.kind == "disk" && disk.scsi.is_some()).map(judge).collect(),
}

const EMULATED: [&str; 6] = ["mptspi", "mptsas", "mptscsih", "ata_piix", "sym53c8xx", "BusLogic"];

fn judge(disk: &Disk) -> Outcome {
    let driver = disk.scsi.as_ref().map_or("", |scsi| scsi.host_driver.as_str());
    match driver {
        "" => facts::unread(&format!("the adapter's driver of {}", disk.name)),
        driver if EMULATED.contains(&driver) => finding!(
            Kind::Disk.named(&disk.name),
            "{} is attached to an emulated adapter ({driver})",
            disk.name,
        )
        .evidence(format!("driver {driver}"), format!("/sys/block/{}/device", disk.name))
        .because(
            "The hypervisor's own adapter costs less CPU for each I/O and accepts more requests at a time.",
        )
        .now("Put the driver of the new adapter into the initramfs first (vmw_pvscsi, virtio_scsi)")
        .persist("With the machine stopped: change the controller to VMware Paravirtual or virtio-scsi")
        .reboots()
        .undo("Change the controller back")
        .reboots()
        .expecting("more IOPS at depth 32 and less CPU for each; prove it with `fullwire disk --sweep depth`")
        .into(),
        _ => Outcome::Passes,
    }
}
