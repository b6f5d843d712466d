rule! {
    /// # What it checks
    /// Passes when `vm.zone_reclaim_mode` is 0.
    /// # Why it matters
    /// With it on, page cache of a node is dropped, and programs wait, while other nodes have free memory.
    /// # Evidence
    /// `vm.zone_reclaim_mode`.
    /// # Remedy
    /// `vm.zone_reclaim_mode = 0`, the default.
    /// # Source
    /// Linux Documentation/admin-guide/sysctl/vm.rst, `zone_reclaim_mode` (should be left off where caching
    /// matters more than locality); PostgreSQL and MySQL hosts are such.
    code: "zone-reclaim",
    title: "zone reclaim frees local memory instead of using another node's",
    layer: Host, severity: Warning, on: [Setting],
    setting: {
        name: "vm.zone_reclaim_mode",
        wanted: "0",
        says: "a node frees its cache while others have memory left",
        why: "Memory of another node is nearer than the disk.",
        expect: "no reclaim while any node has free memory",
        judge: |run, host, numbers| {
            let severity = if host.cpu.numa_nodes.len() > 1 { facts::hygiene(run) } else { Severity::Info };
            (numbers[0] != 0).then_some(severity)
        },
    },
}
