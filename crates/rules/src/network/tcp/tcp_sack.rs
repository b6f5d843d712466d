use crate::prelude::*;
use crate::setting::{self, Setting};

rule! {
    /// # What it checks
    /// Passes when `net.ipv4.tcp_sack` is 1.
    ///
    /// # Why it matters
    /// Without SACK the sender learns of one hole for each round trip and sends again what had arrived; each
    /// loss costs many times as much.
    ///
    /// # Evidence
    /// `net.ipv4.tcp_sack` of both ends.
    ///
    /// # Remedy
    /// `sysctl -w net.ipv4.tcp_sack=1`.
    ///
    /// # Source
    /// RFC 2018; NetApp ontap-apps-dbs, Ethernet settings; SUSE note 3024346.
    code: "tcp-sack",
    title: "selective acknowledgements (SACK) are off",
    layer: Network, severity: Warning, on: [Setting],
    check: setting::check::<TcpSack>,
}

struct TcpSack;

impl Setting for TcpSack {
    const RULE: Rule = RULE;
    const NAME: &'static str = "net.ipv4.tcp_sack";
    const WANTED: &'static str = "1";
    const SAYS: &'static str = "each loss costs a round trip for every missing segment";
    const WHY: &'static str = "With SACK the sender knows immediately which segments are missing.";
    const EXPECT: &'static str = "fewer retransmissions and timeouts on lossy paths";

    fn judge(_run: &Run, _host: &Host, numbers: &[u64]) -> Option<Severity> {
        (numbers.first() == Some(&0)).then_some(Severity::Warning)
    }
}
