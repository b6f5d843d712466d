rule! {
    /// # What it checks
    /// Passes when the third value of `net.ipv4.tcp_rmem` is at least 1 MiB, and is at least what the fastest interface moves
    /// in a round trip of 1 ms.
    /// # Why it matters
    /// At most one window travels in each round trip: 256 KiB at 1 ms are 262 MB/s, at 10 ms 26 MB/s,
    /// however fast the line is.
    /// # Evidence
    /// `net.ipv4.tcp_rmem` of both ends; speeds of the physical interfaces.
    /// # Remedy
    /// Raise the third value and leave the first two: 6291456 is the kernel's default on a host with enough
    /// memory.
    /// # Source
    /// Linux Documentation/networking/ip-sysctl.rst, `tcp_rmem` (the third value between 131072 and 6 MB, by
    /// memory); tcp(7); SUSE note 2382421 (10 Gbit/s and 1 ms: 1.25 MB).
    code: "tcp-receive-buffer",
    title: "TCP receive windows are capped low",
    layer: Network, severity: Warning, on: [Setting],
    setting: {
        name: "net.ipv4.tcp_rmem",
        wanted: "4096 131072 6291456",
        says: "its third value limits every receive window, and at most one window is sent per round trip",
        why: "The third value is the most that autotuning may grow a receive window to.",
        expect: "windows that grow; prove it with `fullwire net`",
        // The first two values stay, and the third never falls.
        advice: |own, host, numbers| {
            set_sysctl(host, own.name, &facts::larger_buffer(host, own.wanted, numbers), own.why, own.expect)
        },
        judge: |_, host, numbers| facts::small_buffer(host, numbers),
    },
}
