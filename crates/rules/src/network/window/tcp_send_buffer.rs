use crate::prelude::*;
use crate::setting::{self, Setting};

rule! {
    /// # What it checks
    /// Passes when the third value of `net.ipv4.tcp_wmem` is at least 1 MiB, and is at least what the fastest interface moves
    /// in a round trip of 1 ms.
    ///
    /// # Why it matters
    /// What was sent stays in the buffer until it is acknowledged: one buffer in each round trip is all that a
    /// stream moves.
    ///
    /// # Evidence
    /// `net.ipv4.tcp_wmem` of both ends; speeds of the physical interfaces.
    ///
    /// # Remedy
    /// Raise the third value and leave the first two: 4194304 is the kernel's default on a host with enough
    /// memory.
    ///
    /// # Source
    /// Linux Documentation/networking/ip-sysctl.rst, `tcp_wmem` (the third value between 64 KB and 4 MB, by
    /// memory); tcp(7); SUSE note 2382421 (10 Gbit/s and 1 ms: 1.25 MB).
    code: "tcp-send-buffer",
    title: "TCP send buffers are capped low",
    layer: Network, severity: Warning, on: [Setting],
    check: setting::check::<TcpSendBuffer>,
}

struct TcpSendBuffer;

impl Setting for TcpSendBuffer {
    const RULE: Rule = RULE;
    const NAME: &'static str = "net.ipv4.tcp_wmem";
    const WANTED: &'static str = "4096 16384 4194304";
    const SAYS: &'static str = "a sender can have no more than that in flight";
    const WHY: &'static str = "The third value is the most that autotuning may grow a send buffer to.";
    const EXPECT: &'static str = "buffers that grow; prove it with `fullwire net`";

    /// The first two values stay, and the third never falls.
    fn wanted(host: &Host, numbers: &[u64]) -> String {
        facts::larger_buffer(host, Self::WANTED, numbers)
    }

    fn judge(_run: &Run, host: &Host, numbers: &[u64]) -> Option<Severity> {
        facts::small_buffer(host, numbers)
    }
}
