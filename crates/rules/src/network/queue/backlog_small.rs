use crate::prelude::*;
use crate::setting::{self, Setting};

rule! {
    /// # What it checks
    /// Passes when `net.core.netdev_max_backlog` is not below the kernel's default of 1000 packets.
    ///
    /// # Why it matters
    /// Packets that were steered to another CPU (RPS), that come from loopback, a veth or a driver without NAPI
    /// wait in this queue; what finds it full is dropped without a trace on the wire.
    ///
    /// # Evidence
    /// `net.core.netdev_max_backlog` of both ends.
    ///
    /// # Remedy
    /// `sysctl -w net.core.netdev_max_backlog=1000`, more if `softnet-drops` recommends it.
    ///
    /// # Source
    /// Linux Documentation/admin-guide/sysctl/net.rst, `netdev_max_backlog`; net/core/dev.c (`netdev_max_backlog`
    /// is 1000).
    code: "backlog-small",
    title: "netdev_max_backlog is below the kernel's default",
    layer: Network, severity: Warning, on: [Setting],
    check: setting::check::<BacklogSmall>,

    /// The kernel's default of `netdev_max_backlog`.
    const DEFAULT: u64 = 1000;
}

struct BacklogSmall;

impl Setting for BacklogSmall {
    const RULE: Rule = RULE;
    const NAME: &'static str = "net.core.netdev_max_backlog";
    const WANTED: &'static str = "1000";
    const SAYS: &'static str = "a burst of packets that arrives faster than a CPU handles it is dropped";
    const WHY: &'static str = "Packets that the interface delivered are then lost within the host.";
    const EXPECT: &'static str = "the second column of softnet_stat no longer grows";

    fn judge(_run: &Run, _host: &Host, numbers: &[u64]) -> Option<Severity> {
        (numbers[0] < DEFAULT).then_some(Severity::Warning)
    }
}
