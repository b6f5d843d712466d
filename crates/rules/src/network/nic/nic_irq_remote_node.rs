rule! {
    /// # What it checks
    /// Applies on a host with several NUMA nodes; passes when the interrupts of a physical interface in use may run on
    /// its own node.
    /// # Why it matters
    /// Every packet then crosses the link between the sockets: fasterdata measured up to half the throughput of
    /// one stream lost from 40 Gbit/s on.
    /// # Evidence
    /// `/sys/class/net/X/device/numa_node`; `/proc/irq/N/effective_affinity_list` of the interface's interrupts;
    /// CPUs of each node.
    /// # Remedy
    /// irqbalance with `IRQBALANCE_ARGS=--hintpolicy`, the vendor's affinity script, or `smp_affinity_list` by
    /// hand.
    /// # Source
    /// fasterdata.es.net, Interrupt Binding ("large performance penalty if either the interrupts or the
    /// application is on the wrong socket"); Linux Documentation/core-api/irq/irq-affinity.rst; irqbalance(1).
    code: "nic-irq-remote-node",
    title: "an interface's interrupts run on the other socket",
    layer: Network, severity: Info, on: [Nic],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let on_a_node = |nic: &Nic| nic.numa_node.is_some_and(|node| node >= 0);
    let wanted = |side: &side::Side, nic: &Nic| {
        side.host.cpu.numa_nodes.len() > 1 && each::in_use(side, nic) && on_a_node(nic)
    };
    each::nic(run, wanted, judge)
}

fn judge(side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let own = nic.numa_node.and_then(|node| u32::try_from(node).ok());
    let Some((node, local)) = own.and_then(|node| Some((node, local_cpus(side.host, node)?))) else {
        return unknown!("the CPUs of the NUMA node of {at} are not known");
    };
    if nic.irq_affinity.is_empty() {
        return unknown!("where the interrupts of {at} run could not be read");
    }
    let is_remote = |list: &&String| cpu::cpu_list(list).is_disjoint(&local);
    let remote = nic.irq_affinity.values().filter(is_remote).count();
    if remote * 2 <= nic.irq_affinity.len() {
        return Outcome::Passes;
    }
    let all = nic.irq_affinity.len();
    let places: Vec<String> =
        nic.irq_affinity.iter().take(4).map(|(irq, cpus)| format!("{irq}: {cpus}")).collect();
    finding!(
        &at,
        "{remote} of {all} interrupts of {at} run on CPUs of another NUMA node than its own ({node})",
    )
    .evidence(
        format!("numa_node {node}, CPUs {}; {}", side.host.cpu.numa_nodes[&node], places.join(", ")),
        side.source("/proc/irq"),
    )
    .because("Interrupts on the other NUMA node send every packet across the socket interconnect.")
    .and(move_interrupts(&nic.name, &side.host.cpu.numa_nodes[&node]))
    .expecting("the same throughput with less CPU; more of it from 25 Gbit/s on")
    .on(side.peer)
    .into()
}

fn local_cpus(host: &Host, node: u32) -> Option<BTreeSet<u32>> {
    host.cpu.numa_nodes.get(&node).map(|list| cpu::cpu_list(list))
}
