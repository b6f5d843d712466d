rule! {
    /// # What it checks
    /// Passes when the disks below a measured volume share its load: none carries far more than its part while requests
    /// wait for it.
    /// # Why it matters
    /// A concatenated (linear) volume sends everything to the disk that happens to contain the file; a stripe
    /// that does not match the access does the same. The other disks idle.
    /// # Evidence
    /// Requests and mean queue of each disk below during the step; the layout of the logical volume.
    /// # Remedy
    /// A striped volume: as many stripes as disks, stripe size times disks = 1 MiB.
    /// # Source
    /// NetApp ontap-apps-dbs, lvm-striping.adoc (concatenated volumes make hot spots); Linux
    /// Documentation/admin-guide/device-mapper/{linear,striped}.rst.
    code: "lvm-hot-leg",
    title: "one disk of a volume does most of the work",
    layer: Storage, severity: Warning, on: [Volume], limits: [UnevenLegs],

    /// Fewer requests share unevenly by chance.
    const ENOUGH_IO_PER_S: f64 = 20.0;
    /// With this many waiting on the busiest disk, the imbalance has a cost.
    const WAITING: f64 = 2.0;
    /// The busiest leg of a stripe over its fair share.
    const STRIPE_SKEW: f64 = 1.5;
    /// The share of one disk that makes a linear volume hot.
    const NEARLY_ALL: f64 = 0.9;
}

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run)
        .iter()
        .filter(|target| volume(run, target).is_some())
        .map(|target| judge(run, target))
        .collect()
}

/// The volume of several disks below a target.
fn volume<'a>(run: &'a Run, target: &facts::Target<'_>) -> Option<&'a LogicalVolume> {
    let volumes = run.host.logical_volumes.iter();
    volumes.filter(|volume| volume.physical_volumes.len() > 1).find(|volume| target.stands_on(&volume.device))
}

fn judge(run: &Run, target: &facts::Target<'_>) -> Outcome {
    // Copies and parity are not there to spread the load, nor is the mirror through which LVM moves extents.
    let copies = |volume: &LogicalVolume| volume.raid.is_some() && target.stands_on(&volume.device);
    let Some(volume) = volume(run, target).filter(|_| !run.host.logical_volumes.iter().any(copies)) else {
        return Outcome::Passes;
    };
    let mut seen = false;
    let mut worst: Option<(f64, &DiskStepResult, &LayerStats)> = None;
    for step in &target.result.steps {
        let legs = legs(volume, step);
        let total: f64 = legs.iter().map(|leg| leg.iops).sum();
        let Some(busiest) = legs.iter().copied().max_by(|a, b| a.iops.total_cmp(&b.iops)) else { continue };
        if total < ENOUGH_IO_PER_S {
            continue;
        }
        seen = true;
        let share = busiest.iops / total;
        let hot = share >= NEARLY_ALL
            || volume.layout == "striped" && share * volume.physical_volumes.len() as f64 > STRIPE_SKEW;
        if hot && busiest.queue_mean >= WAITING && worst.is_none_or(|(most, ..)| share > most) {
            worst = Some((share, step, busiest));
        }
    }
    match worst {
        Some((share, step, leg)) => fires(target, volume, share, step, leg),
        None if seen => Outcome::Passes,
        None => facts::unread(&format!("the load of each disk below {}", volume.name)),
    }
}

fn legs<'s>(volume: &LogicalVolume, step: &'s DiskStepResult) -> Vec<&'s LayerStats> {
    step.layers.iter().filter(|layer| volume.physical_volumes.contains(&layer.name)).collect()
}

fn fires(
    target: &facts::Target<'_>,
    volume: &LogicalVolume,
    share: f64,
    step: &DiskStepResult,
    leg: &LayerStats,
) -> Outcome {
    let (count, layout) = (volume.physical_volumes.len(), &volume.layout);
    finding!(
        Kind::Volume.named(&volume.name),
        "{} is a hot spot: it takes {} of the I/O of {layout} volume {} while the other {} of {count} disks are idle ({:.1} requests wait for it), because the volume is not striped over them",
        leg.name,
        facts::percent(share),
        volume.name,
        count - 1,
        leg.queue_mean,
    )
        .measured(share, 1.0 / count as f64, Unit::Ratio)
        .evidence(
            legs(volume, step).iter().map(|leg| format!("{} {:.0} I/Os per second, queue {:.1}", leg.name, leg.iops, leg.queue_mean)).collect::<Vec<_>>().join("; "),
            format!("/proc/diskstats during the {}", facts::step_name(step)),
        )
        .evidence(format!("{layout} over {}", facts::listed(&volume.physical_volumes)), "device-mapper table")
        .explains(parallel(target).map(|one| one.active(share)))
        .because("A linear volume fills one disk after the other; only a stripe spreads one file over all.")
        .now(format!("`lvcreate -i {count} -I {}k -n NEW -L SIZE {}`, then copy the data over", as_word(stripe_kib(count)), group_of(volume), count = as_word(count))).restarts("the database")
        .persist("a volume keeps its layout; lvconvert --type striped only reshapes some layouts and needs the space")
        .undo("Keep the old volume until the new one has proved itself")
        .expecting(format!("about {count} times the I/Os per second at the same latency"))
        .into()
}

/// Stripe times disks = 1 MiB, at least 64 KiB.
fn stripe_kib(count: usize) -> usize {
    (1024 / count.next_power_of_two()).max(64)
}

/// Every step with several I/Os in flight: one at a time waits for one disk, whatever the layout.
fn parallel(target: &facts::Target<'_>) -> Option<Explanation> {
    explain::steps(target.result, Mechanism::UnevenLegs, |step| facts::in_flight(step) > 1)
}
