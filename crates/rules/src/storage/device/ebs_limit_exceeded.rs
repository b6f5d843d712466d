rule! {
    /// # What it checks
    /// Passes when the load on an Amazon EBS volume stayed within the limits of the volume and the instance.
    /// # Why it matters
    /// What exceeds the provisioned IOPS or throughput waits in a queue: latency rises, and the device looks slow
    /// although it does what was bought. The instance has a separate limit for all its volumes together.
    /// # Evidence
    /// Growth of the microseconds that the volume's own log counts (NVMe log 0xD0) over the windows.
    /// # Remedy
    /// More IOPS or throughput for the volume (`aws ec2 modify-volume`), or an instance type with a larger EBS limit.
    /// # Source
    /// Amazon EBS User Guide, "Amazon EBS detailed performance statistics" (time in which demand exceeded the
    /// performance of the volume or of the attached instance).
    code: "ebs-limit-exceeded",
    title: "an EBS volume or its instance reached its limit",
    layer: Storage, severity: Warning, on: [Disk], limits: [ProvisionedRate],

    /// Shorter bursts are what a queue is for.
    const SHARE: f64 = 0.05;
}

pub(super) const MODEL: &str = "Amazon Elastic Block Store";
/// The counters and whose limit each is.
const LIMITS: [(&str, &str); 4] = [
    ("ebs_volume_iops_exceeded_us", "the volume's IOPS"),
    ("ebs_volume_throughput_exceeded_us", "the volume's throughput"),
    ("ebs_instance_iops_exceeded_us", "the instance's EBS IOPS"),
    ("ebs_instance_throughput_exceeded_us", "the instance's EBS throughput"),
];

fn check(run: &Facts) -> Vec<Outcome> {
    let volumes = facts::whole_disks(&run.host).filter(|disk| disk.model == MODEL && disk.nvme.is_some());
    volumes.map(|disk| judge(run, disk)).collect()
}

fn judge(run: &Run, disk: &Disk) -> Outcome {
    let controller =
        disk.nvme.as_ref().and_then(|nvme| nvme.controllers.first()).map_or("", |one| one.name.as_str());
    let seconds: f64 = facts::windows(run).map(fullwire_model::Window::seconds).sum();
    let exceeded = LIMITS.iter().filter_map(|(name, whose)| {
        let key = format!("{controller}/{name}");
        let grown_us = facts::grown_in_all(run, |counters| counters.errors.get(&key).copied())?;
        Some((grown_us, *name, *whose))
    });
    let Some((grown_us, name, whose)) = exceeded.max_by_key(|(grown_us, ..)| *grown_us) else {
        return facts::unread(&format!("the exceeded-limit counters of {} over a window", disk.name));
    };
    let share = grown_us as f64 / 1e6 / seconds.max(1.0);
    if share < SHARE {
        return Outcome::Passes;
    }
    let felt = |explanation: Explanation| explanation.active(share.min(1.0));
    finding!(
        Kind::Disk.named(&disk.name),
        "the load on {} exceeded {whose} for {} of the time, so requests wait", disk.name, facts::percent(share),
    )
    .measured(share, SHARE, Unit::Ratio)
    .evidence(format!("{name} +{grown_us} µs in {seconds:.0} s"), format!("NVMe log 0xd0 of {controller}"))
    .explains(explain::targets_on(run, &disk.name, Mechanism::ProvisionedRate).into_iter().map(felt))
    .because("The limit is part of what was ordered; no setting on this host changes it.")
    .look(sh!("nvme id-ctrl -o json /dev/{} | grep -w sn || true", controller), "Shows the volume's id (vol...)")
    .persist("Raise IOPS or throughput of the volume (`aws ec2 modify-volume`); where the instance is the limit, take a type with a larger EBS limit")
    .expecting(format!("{name} no longer grows under the same load"))
    .into()
}
