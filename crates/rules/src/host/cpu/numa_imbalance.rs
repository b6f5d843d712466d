rule! {
    /// # What it checks
    /// Passes when no node has less than 2 % of its memory free while another has more than 20 %.
    /// # Why it matters
    /// What is allocated on the full node comes from the other: remote memory for a part of the SGA.
    /// # Evidence
    /// Each node's `MemTotal` and `MemFree`.
    /// # Remedy
    /// `numactl --interleave=all` for the start of the database, or huge pages spread over the nodes.
    /// # Source
    /// numactl(8), --interleave; Linux Documentation/admin-guide/mm/numa_memory_policy.rst.
    code: "numa-imbalance",
    title: "one NUMA node has no free memory while another has",
    layer: Host, severity: Info, on: [NumaNode],

    /// Free share of a node that has nothing left.
    const FULL: f64 = 0.02;
    /// Free share of a node that has plenty, while another has nothing.
    const EMPTY: f64 = 0.20;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let nodes = &run.host.memory.numa_nodes;
    if nodes.len() == 1 {
        return Vec::new();
    }
    let free: Vec<(u32, f64)> =
        nodes.iter().map(|(node, [total, free])| (*node, *free as f64 / (*total).max(1) as f64)).collect();
    let (Some(least), Some(most)) =
        (free.iter().min_by(|a, b| a.1.total_cmp(&b.1)), free.iter().max_by(|a, b| a.1.total_cmp(&b.1)))
    else {
        return vec![facts::unread("the memory of the NUMA nodes")];
    };
    if least.1 >= FULL || most.1 <= EMPTY {
        return vec![Outcome::Passes];
    }
    vec![
        finding!(
            Kind::NumaNode.named(format!("node{}", least.0)),
            "NUMA node {} has {:.1} % of its memory free, node {} has {:.0} %",
            least.0,
            least.1 * 100.0,
            most.0,
            most.1 * 100.0,
        )
        .measured(least.1, FULL, Unit::Ratio)
        .evidence(format!("free share by node: {free:.3?}"), "/sys/devices/system/node/node*/meminfo")
        .because("A full node's programs get remote memory, and reclaim starts early.")
        .look("numastat -m", "Shows how full each node is")
        .now("Start the program that fills the node with `numactl --interleave=all` next time")
        .restarts("that program")
        .persist("`systemctl edit` its unit: NUMAPolicy=interleave, NUMAMask=all")
        .undo("Remove the drop-in")
        .expecting("evenly filled nodes in `numastat -m`")
        .into(),
    ]
}
