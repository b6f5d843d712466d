use crate::prelude::*;
use crate::setting::{self, Setting};

rule! {
    /// # What it checks
    /// Passes when the third value of `net.ipv4.tcp_rmem` is at least 1 MiB, and is at least what the fastest interface moves
    /// in a round trip of 1 ms.
    ///
    /// # Why it matters
    /// At most one window travels in each round trip: 256 KiB at 1 ms are 262 MB/s, at 10 ms 26 MB/s,
    /// however fast the line is.
    ///
    /// # Evidence
    /// `net.ipv4.tcp_rmem` of both ends; speeds of the physical interfaces.
    ///
    /// # Remedy
    /// Raise the third value and leave the first two: 6291456 is the kernel's default on a host with enough
    /// memory.
    ///
    /// # Source
    /// Linux Documentation/networking/ip-sysctl.rst, `tcp_rmem` (the third value between 131072 and 6 MB, by
    /// memory); tcp(7); SUSE note 2382421 (10 Gbit/s and 1 ms: 1.25 MB).
    code: "tcp-receive-buffer",
    title: "TCP receive windows are capped low",
    layer: Network, severity: Warning, on: [Setting],
    check: setting::check::<TcpReceiveBuffer>,
}

struct TcpReceiveBuffer;

impl Setting for TcpReceiveBuffer {
    const RULE: Rule = RULE;
    const NAME: &'static str = "net.ipv4.tcp_rmem";
    const WANTED: &'static str = "4096 131072 6291456";
    const SAYS: &'static str =
        "its third value limits every receive window, and at most one window is sent per round trip";
    const WHY: &'static str = "The third value is the most that autotuning may grow a receive window to.";
    const EXPECT: &'static str = "windows that grow; prove it with `fullwire net`";

    /// The first two values stay, and the third never falls.
    fn wanted(host: &Host, numbers: &[u64]) -> String {
        facts::larger_buffer(host, Self::WANTED, numbers)
    }

    fn judge(_run: &Run, host: &Host, numbers: &[u64]) -> Option<Severity> {
        facts::small_buffer(host, numbers)
    }
}
