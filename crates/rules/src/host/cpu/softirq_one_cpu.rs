rule! {
    /// # What it checks
    /// Passes when no CPU spends more than 90 % of a window in soft interrupts while the host is less than half busy. Over a probe
    /// through a network adapter, `nic-softirq-one-cpu` says it of the adapter.
    /// # Why it matters
    /// That CPU is the ceiling of the network or of the storage's completions; the others idle.
    /// # Evidence
    /// Per-CPU soft-interrupt time of `/proc/stat` over each window.
    /// # Remedy
    /// Spread the queues' interrupts (irqbalance, `ethtool -L`), receive packet steering.
    /// # Source
    /// PCP pmieconf `cpu.low_util` (one CPU against the mean); Linux Documentation/networking/scaling.rst.
    code: "softirq-one-cpu",
    title: "one CPU handles all interrupt work",
    layer: Host, severity: Warning, on: [Cpu], limits: [InterruptCpu],

    /// Share of one CPU that interrupts use.
    const FULL: f64 = 0.90;
    /// Mean use of all CPUs: the load could be spread.
    const IDLE_HOST: f64 = 0.50;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut seen = false;
    for window in facts::windows(run).filter(|window| window.to.cpus.len() > 1) {
        let time = window.cpu();
        // A recording of another tool may have single CPUs and no sum: how busy the host was is not known.
        if window.kind == WindowKind::Recorded && time.total_ns() == 0 {
            continue;
        }
        seen = true;
        if is_of_an_adapter(run, window) {
            continue;
        }
        let busy = time.busy_ns() as f64 / time.total_ns().max(1) as f64;
        for (cpu, to) in &window.to.cpus {
            let own = to.since(window.from.cpus.get(cpu).unwrap_or(&CpuTime::default()));
            let soft = own.softirq_ns as f64 / own.total_ns().max(1) as f64;
            if soft > FULL && busy < IDLE_HOST {
                return vec![fires(run, window, *cpu, soft, busy)];
            }
        }
    }
    if seen { vec![Outcome::Passes] } else { vec![facts::unread("the time of each CPU over a window")] }
}

/// The packets of a probe arrive by an adapter, whose own rule knows its queues.
fn is_of_an_adapter(run: &Run, window: &Window) -> bool {
    let is_adapter = |name: &str| run.host.nics.iter().any(|nic| nic.name == name && nic.kind == "physical");
    let through_one = |result: &NetResult| {
        interface::nic_toward(run, result)
            .is_some_and(|nic| interface::stack(&run.host, &nic.name).into_iter().any(is_adapter))
    };
    let mut measured = run.net.iter().filter(|one| !one.probe.is_none() && one.probe == window.probe);
    window.kind == WindowKind::Net && measured.any(through_one)
}

fn fires(run: &Run, window: &Window, cpu: u32, soft: f64, busy: f64) -> Outcome {
    finding!(
        Kind::Cpu.named(cpu.to_string()),
        "CPU {cpu} spends {} of its time in soft interrupts while the host is {} busy",
        facts::percent(soft),
        facts::percent(busy),
    )
    .measured(soft, FULL, Unit::Ratio)
    .evidence(format!("cpu{cpu} softirq {soft:.3}, host busy {busy:.3}"), "/proc/stat")
    .explains(
        explain::paths_of_windows(run, Mechanism::InterruptCpu, |other| other == window)
            .into_iter()
            .map(|one| one.active(soft)),
    )
    .because("One CPU cannot carry what several queues could.")
    .and(start_irqbalance())
    .now("If one interface has fewer queues than CPUs (`ethtool -l NIC`), raise them: `ethtool -L NIC combined N` resets the link on most drivers").resets_link("the interface")
    .persist("Keep the number of queues by a udev rule")
    .expecting("soft interrupts on several CPUs in `mpstat -P ALL`")
    .into()
}
