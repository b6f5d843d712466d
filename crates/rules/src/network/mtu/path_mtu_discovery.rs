rule! {
    /// # What it checks
    /// Passes when `net.ipv4.ip_no_pmtu_disc` is 0 (or 3, which only hardens it).
    /// # Why it matters
    /// In mode 1 one ICMP message that says "too big" takes the path down to `min_pmtu` (552 bytes); in mode 2
    /// such messages are ignored, and packets that are too large are lost.
    /// # Evidence
    /// `net.ipv4.ip_no_pmtu_disc` of both ends.
    /// # Remedy
    /// `sysctl -w net.ipv4.ip_no_pmtu_disc=0`.
    /// # Source
    /// Linux Documentation/networking/ip-sysctl.rst, `ip_no_pmtu_disc` (modes 0 to 3); RFC 1191.
    code: "path-mtu-discovery",
    title: "path MTU discovery is off",
    layer: Network, severity: Warning, on: [Setting],
    setting: {
        name: "net.ipv4.ip_no_pmtu_disc",
        wanted: "0",
        says: "packets are sent without DF or at the smallest MTU",
        why: "Path MTU discovery finds the largest packet the path carries; without it routers fragment, or packets are limited to 552 bytes.",
        expect: "full segments, and none of them fragmented",
        judge: |_, _, numbers| (numbers[0] == 1 || numbers[0] == 2).then_some(Severity::Warning),
    },
}
