rule! {
    /// # What it checks
    /// Passes unless the host is in a cloud, whose volumes and instances lend a higher rate for minutes, and the
    /// measurement was shorter than that and did not see the rate fall.
    /// # Why it matters
    /// A probe of seconds sees what is lent. Production sees what is left once the credits are spent: often a tenth of
    /// it.
    /// # Evidence
    /// The cloud by the host's DMI strings; the longest measured step; how each went over its time.
    /// # Remedy
    /// Measure for longer than the credits last, and compare the rate at the end with the volume's provisioned rate.
    /// # Source
    /// AWS, Amazon EBS volume types (gp2 burst credits last 30 minutes at 3,000 I/Os per second from a full bucket) and
    /// Amazon EBS-optimized instances (30 minutes of maximum performance once in 24 hours); Azure, Managed disk
    /// bursting (credits last 30 minutes).
    code: "storage-burst",
    title: "the measured rate may be a temporary burst of a cloud volume",
    layer: Storage, severity: Info, on: [Target],

    /// What both clouds lend for.
    const LENT_S: f64 = 1800.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    run.characteristics
        .iter()
        .filter_map(|(name, known)| Some(judge(run, name, known, known.longest_s?)))
        .collect()
}

fn judge(run: &Run, name: &PathName, known: &Characteristic, longest_s: f64) -> Outcome {
    if run.host.os.kernel_release.is_empty() && run.host.os.virtualization.is_none() {
        return facts::unread("whether the host is in a cloud");
    }
    let may_be_lent = longest_s < LENT_S && known.courses.iter().all(|course| course.fell.is_none());
    let Some(cloud) = run.host.os.cloud.as_ref().filter(|_| may_be_lent) else { return Outcome::Passes };
    finding!(
        Kind::Target.named(name),
        "{name} was measured for {} at most: a volume in {cloud} may deliver more than its sustained rate for up to half an hour",
        words::time(longest_s * 1e9),
    )
    .measured(longest_s, LENT_S, Unit::S)
    .path(name)
    .evidence(format!("cloud: {cloud}"), "/sys/class/dmi/id")
    .evidence(format!("longest step: {longest_s:.1} s"), "probe")
    .because("Burst credits of the volume and of the instance are spent before a busy hour is over.")
    .now(format!("In a quiet hour, because it uses up the credits and loads the volume for 40 minutes: `fullwire disk {} --size 32G --duration 40m --repeats 1`", as_word(name)))
    .persist("plan with the provisioned rate of the volume and of the instance, not with the burst")
    .expecting("a rate that is the same at the end as at the beginning")
    .into()
}
