use crate::prelude::*;
use crate::setting::{self, Setting};

rule! {
    /// # What it checks
    /// Passes when `net.ipv4.ip_no_pmtu_disc` is 0 (or 3, which only hardens it).
    ///
    /// # Why it matters
    /// In mode 1 one ICMP message that says "too big" takes the path down to `min_pmtu` (552 bytes); in mode 2
    /// such messages are ignored, and packets that are too large are lost.
    ///
    /// # Evidence
    /// `net.ipv4.ip_no_pmtu_disc` of both ends.
    ///
    /// # Remedy
    /// `sysctl -w net.ipv4.ip_no_pmtu_disc=0`.
    ///
    /// # Source
    /// Linux Documentation/networking/ip-sysctl.rst, `ip_no_pmtu_disc` (modes 0 to 3); RFC 1191.
    code: "path-mtu-discovery",
    title: "path MTU discovery is off",
    layer: Network, severity: Warning, on: [Setting],
    check: setting::check::<PathMtuDiscovery>,
}

struct PathMtuDiscovery;

impl Setting for PathMtuDiscovery {
    const RULE: Rule = RULE;
    const NAME: &'static str = "net.ipv4.ip_no_pmtu_disc";
    const WANTED: &'static str = "0";
    const SAYS: &'static str = "packets are sent without DF or at the smallest MTU";
    const WHY: &'static str = "Path MTU discovery finds the largest packet the path carries; without it routers fragment, or packets are limited to 552 bytes.";
    const EXPECT: &'static str = "full segments, and none of them fragmented";

    fn judge(_run: &Run, _host: &Host, numbers: &[u64]) -> Option<Severity> {
        (numbers[0] == 1 || numbers[0] == 2).then_some(Severity::Warning)
    }
}
