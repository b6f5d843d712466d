rule! {
    /// # What it checks
    /// Passes when the interrupts of an adapter with several queues, a hypervisor's too, may not all run on the same single CPU
    /// while the host has others.
    /// # Why it matters
    /// Receive-side scaling spreads streams over queues so that several CPUs share the work; with all queues on
    /// one CPU the network ends at what that CPU can handle.
    /// # Evidence
    /// `/proc/irq/N/effective_affinity_list` of the interface's interrupts; CPUs on line.
    /// # Remedy
    /// Each queue its own CPU through `smp_affinity_list`; or irqbalance, which moves the interrupts of all devices.
    /// # Source
    /// Linux Documentation/networking/scaling.rst, RSS IRQ Configuration ("spread receive interrupts between
    /// CPUs"); AWS, ENA Linux driver best practices, "IRQ affinity" (each queue its own CPU).
    code: "nic-irqs-one-cpu",
    title: "all queues of an interface interrupt one CPU",
    layer: Network, severity: Warning, on: [Nic],

    /// Fewer lines are a queue and its housekeeping.
    const SEVERAL: usize = 3;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let wanted = |side: &side::Side, nic: &Nic| {
        side.host.cpu.online > 1 && has_queues(nic) && each::is_adapter(side, nic)
    };
    each::nic(run, wanted, judge)
}

/// It could spread its work: it has queues, or interrupts for several.
fn has_queues(nic: &Nic) -> bool {
    match &nic.channels {
        Some(channels) => channels.combined.max(channels.rx) > 1,
        None => nic.irq_affinity.len() >= SEVERAL,
    }
}

/// The CPUs to spread over, from the first to the last: those of the card's own node, the first thread of each core where
/// the kernel counts these first; all where the node is not known.
fn cpus_for(host: &Host, nic: &Nic) -> [u32; 2] {
    let node = nic.numa_node.and_then(|node| u32::try_from(node).ok());
    let first = node.and_then(|node| host.cpu.numa_nodes.get(&node)?.split(',').next()).and_then(|part| {
        let (from, to) = part.split_once('-')?;
        Some([from.trim().parse().ok()?, to.trim().parse().ok()?])
    });
    first.filter(|[from, to]| from < to).unwrap_or([0, host.cpu.online.saturating_sub(1)])
}

fn judge(side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    if nic.irq_affinity.len() < SEVERAL {
        return unknown!("where the interrupts of {at} run could not be read");
    }
    let cpus: BTreeSet<u32> = nic.irq_affinity.values().flat_map(|list| cpu::cpu_list(list)).collect();
    let (1, Some(cpu)) = (cpus.len(), cpus.first()) else { return Outcome::Passes };
    let (irqs, online) = (nic.irq_affinity.len(), side.host.cpu.online);
    finding!(&at, "all {irqs} interrupts of {at} run on CPU {cpu}, {online} CPUs are online")
        .measured(1.0, f64::from(online), Unit::Count)
        .evidence(format!("{irqs} interrupts, each allowed on CPU {cpu} only"), side.source("/proc/irq"))
        .because("The queues of the interface divide the streams, but one CPU handles all of them.")
        .and(spread_interrupts(&nic.name, cpus_for(side.host, nic)))
        .persist("Or `systemctl enable --now irqbalance`: it spreads the interrupts of every device of the host, also those that somebody placed")
        .expecting("the columns of /proc/interrupts grow on several CPUs under load").on(side.peer)
        .into()
}
