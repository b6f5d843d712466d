rule! {
    /// # What it checks
    /// Passes when an interface of 10 Gbit/s or more uses at least a quarter of the queues that it could, eight, or half as
    /// many as there are CPUs.
    /// # Why it matters
    /// Each queue is served by one CPU at a time: with few of them many streams share one CPU while others are idle.
    /// # Evidence
    /// `ethtool -l`, CPUs online.
    /// # Remedy
    /// `ethtool -L NIC combined N`.
    /// # Source
    /// Linux Documentation/networking/scaling.rst ("RSS Configuration": a queue for each CPU of the device's NUMA node or one
    /// for each core); the limits are our own choice.
    code: "nic-channels-few",
    title: "a fast interface uses few of its queues",
    layer: Network, severity: Info, on: [Nic],

    /// A slower link is served by one CPU.
    const FAST_MBIT_PER_S: u64 = 10_000;
    /// This many queues suffice for any link (own choice).
    const ENOUGH: u32 = 8;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let wanted = |side: &side::Side, nic: &Nic| {
        nic.speed_mbit_per_s >= Some(FAST_MBIT_PER_S) && each::in_use(side, nic)
    };
    each::nic(run, wanted, judge)
}

fn judge(side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let cpus = side.host.cpu.online;
    let Some(channels) = nic.channels.as_ref().filter(|_| cpus > 0) else {
        return unknown!("the queues of {at} or the number of CPUs could not be read");
    };
    let (now, most) = (channels.combined, channels.combined_max);
    // Drivers without combined queues count them apart.
    if most == 0 || now >= ENOUGH || now.saturating_mul(4) > most || now.saturating_mul(2) >= cpus {
        return Outcome::Passes;
    }
    let wanted = most.min(cpus).min(16);
    let sizes = [sh!("combined {}", wanted), sh!("combined {}", now)];
    finding!(&at, "{at} uses {now} of {most} queues, and {cpus} CPUs are online")
        .measured(f64::from(now), f64::from(wanted), Unit::Count)
        .evidence(format!("combined {now}, at most {most}"), side.source("ethtool -l"))
        .advice(
            set_ethtool(
                side.host,
                &nic.name,
                "-L",
                sizes,
                "Each queue is served by one CPU at a time.",
                "interrupts of the interface on several CPUs (/proc/interrupts), more throughput with several streams",
            )
            .on(side.peer),
        )
        .into()
}
