rule! {
    /// # What it checks
    /// Passes when `kernel.numa_balancing` is 0 on an Oracle host with several nodes.
    /// # Why it matters
    /// It unmaps pages to see who uses them: an SGA is used by all nodes, so it only costs faults.
    /// # Evidence
    /// `kernel.numa_balancing`, number of nodes.
    /// # Remedy
    /// `kernel.numa_balancing = 0`.
    /// # Source
    /// tuned profile oracle (`kernel.numa_balancing` 0); Linux Documentation/admin-guide/sysctl/kernel.rst,
    /// `numa_balancing`.
    code: "numa-balancing",
    title: "automatic NUMA balancing moves a database's memory",
    layer: Host, severity: Warning, on: [Setting],
    setting: {
        name: "kernel.numa_balancing",
        wanted: "0",
        says: "the SGA's pages are unmapped again and again to see who uses them",
        why: "Shared memory has no home node.",
        expect: "fewer minor faults and less system time",
        applies: |run| facts::is_oracle(run) && run.host.cpu.numa_nodes.len() != 1,
        judge: |_, host, numbers| {
            let severity = if host.cpu.numa_nodes.len() > 1 { Severity::Warning } else { Severity::Info };
            (numbers[0] != 0).then_some(severity)
        },
    },
}
