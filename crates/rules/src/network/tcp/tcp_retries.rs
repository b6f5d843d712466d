rule! {
    /// # What it checks
    /// Passes when `net.ipv4.tcp_retries2` is at least 8.
    /// # Why it matters
    /// With less, a connection that hears nothing is broken within seconds: redo transport and NFS reconnect when
    /// a spanning tree or a firewall pair changes over.
    /// # Evidence
    /// `net.ipv4.tcp_retries2` of both ends.
    /// # Remedy
    /// `sysctl -w net.ipv4.tcp_retries2=15` (the default), unless a cluster manager requires less.
    /// # Source
    /// RFC 1122 section 4.2.3.5; Linux Documentation/networking/ip-sysctl.rst, `tcp_retries2` (15; at least 8 for
    /// RFC 1122).
    code: "tcp-retries",
    title: "TCP gives up a connection within seconds",
    layer: Network, severity: Info, on: [Setting],
    setting: {
        name: "net.ipv4.tcp_retries2",
        wanted: "15",
        says: "connections break while a switch or a firewall fails over",
        why: "RFC 1122 requires at least 100 seconds before a connection is given up, which takes 8 retries.",
        expect: "sessions survive a failover of the network",
        judge: |_, _, numbers| (numbers[0] < LEAST).then_some(Severity::Info),
    },

    /// RFC 1122 requires at least 100 s, which is a value of 8 (ip-sysctl.rst, `tcp_retries2`).
    const LEAST: u64 = 8;
}
