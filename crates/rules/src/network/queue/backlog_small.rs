rule! {
    /// # What it checks
    /// Passes when `net.core.netdev_max_backlog` is not below the kernel's default of 1000 packets.
    /// # Why it matters
    /// Packets that were steered to another CPU (RPS), that come from loopback, a veth or a driver without NAPI
    /// wait in this queue; what finds it full is dropped without a trace on the wire.
    /// # Evidence
    /// `net.core.netdev_max_backlog` of both ends.
    /// # Remedy
    /// `sysctl -w net.core.netdev_max_backlog=1000`, more if `softnet-drops` recommends it.
    /// # Source
    /// Linux Documentation/admin-guide/sysctl/net.rst, `netdev_max_backlog`; net/core/dev.c (`netdev_max_backlog`
    /// is 1000).
    code: "backlog-small",
    title: "netdev_max_backlog is below the kernel's default",
    layer: Network, severity: Warning, on: [Setting],
    setting: {
        name: "net.core.netdev_max_backlog",
        wanted: "1000",
        says: "a burst of packets that arrives faster than a CPU handles it is dropped",
        why: "Packets that the interface delivered are then lost within the host.",
        expect: "the second column of softnet_stat no longer grows",
        judge: |_, _, numbers| (numbers[0] < DEFAULT).then_some(Severity::Warning),
    },

    /// The kernel's default of `netdev_max_backlog`.
    const DEFAULT: u64 = 1000;
}
