rule! {
    /// # What it checks
    /// Applies to guests with four data disks or more on SCSI. Passes when they are on more than one virtual controller.
    /// # Why it matters
    /// Each virtual controller has its own queue and its own interrupts; one of them takes all requests of all disks.
    /// # Evidence
    /// The SCSI host of each data disk.
    /// # Remedy
    /// Data, redo and archive on separate controllers, up to four.
    /// # Source
    /// `VMware`, "Oracle Databases on `VMware` Best Practices Guide" (several PVSCSI controllers, redo apart from data);
    /// the number of disks is our own choice.
    code: "one-virtual-controller",
    title: "all data disks of a virtual machine share one controller",
    layer: Storage, severity: Info, on: [Adapter],
    when: |run| facts::is_guest(&run.host) && run.host.os.cloud.is_none(),

    /// Data disks from which on they are worth several controllers (own choice).
    const SEVERAL: usize = 4;
}

/// Controllers of hypervisors, of which a guest may have several. Cloud providers fix the number.
const DRIVERS: [&str; 4] = ["vmw_pvscsi", "mptspi", "mptsas", "mptscsih"];

fn check(run: &Facts) -> Vec<Outcome> {
    let is_virtual = |disk: &&Disk| {
        let driver = disk.scsi.as_ref().map(|scsi| scsi.host_driver.as_str());
        disk.kind == "disk" && driver.is_some_and(|driver| driver.is_empty() || DRIVERS.contains(&driver))
    };
    let disks: Vec<&Disk> = facts::data_disks(run).filter(is_virtual).collect();
    if disks.len() < SEVERAL {
        return Vec::new();
    }
    let hosts: BTreeSet<&str> =
        disks.iter().filter_map(|disk| disk.scsi.as_ref()).map(|scsi| scsi.host.as_str()).collect();
    let drivers_known =
        disks.iter().all(|disk| disk.scsi.as_ref().is_some_and(|scsi| !scsi.host_driver.is_empty()));
    match hosts.iter().next() {
        _ if !drivers_known || hosts.contains("") => vec![facts::unread("the controllers of the data disks")],
        Some(host) if hosts.len() == 1 => vec![fires(host, &disks)],
        _ => vec![Outcome::Passes],
    }
}

fn fires(host: &str, disks: &[&Disk]) -> Outcome {
    let names: Vec<&str> = disks.iter().map(|disk| disk.name.as_str()).collect();
    finding!(Kind::Adapter.named(host), "{} data disks share one virtual controller ({host}): {}", disks.len(), facts::listed(&names))
        .measured(1.0, 2.0, Unit::Count)
        .evidence(format!("{} are all on {host}", facts::listed(&names)), "/sys/block")
        .because("Redo writes queue behind the data files' requests in the same controller.")
        .now("lsscsi; the first number of each address is the controller")
        .persist("With the machine stopped: add controllers, and attach the disks of redo, data and archive to different ones")
        .reboots()
        .needs("mounts and ASM find their disks by identity, not by name")
        .undo("Attach the disks to the first controller again")
        .reboots()
        .expecting("shorter redo writes while data files are busy")
        .into()
}
