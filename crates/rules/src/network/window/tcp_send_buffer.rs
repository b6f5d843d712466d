rule! {
    /// # What it checks
    /// Passes when the third value of `net.ipv4.tcp_wmem` is at least 1 MiB, and is at least what the fastest interface moves
    /// in a round trip of 1 ms.
    /// # Why it matters
    /// What was sent stays in the buffer until it is acknowledged: one buffer in each round trip is all that a
    /// stream moves.
    /// # Evidence
    /// `net.ipv4.tcp_wmem` of both ends; speeds of the physical interfaces.
    /// # Remedy
    /// Raise the third value and leave the first two: 4194304 is the kernel's default on a host with enough
    /// memory.
    /// # Source
    /// Linux Documentation/networking/ip-sysctl.rst, `tcp_wmem` (the third value between 64 KB and 4 MB, by
    /// memory); tcp(7); SUSE note 2382421 (10 Gbit/s and 1 ms: 1.25 MB).
    code: "tcp-send-buffer",
    title: "TCP send buffers are capped low",
    layer: Network, severity: Warning, on: [Setting],
    setting: {
        name: "net.ipv4.tcp_wmem",
        wanted: "4096 16384 4194304",
        says: "a sender can have no more than that in flight",
        why: "The third value is the most that autotuning may grow a send buffer to.",
        expect: "buffers that grow; prove it with `fullwire net`",
        // The first two values stay, and the third never falls.
        advice: |own, host, numbers| {
            set_sysctl(host, own.name, &facts::larger_buffer(host, own.wanted, numbers), own.why, own.expect)
        },
        judge: |_, host, numbers| facts::small_buffer(host, numbers),
    },
}
