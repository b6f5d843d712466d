use crate::prelude::*;
use crate::setting::{self, Setting};

rule! {
    /// # What it checks
    /// Passes when `net.ipv4.tcp_timestamps` is not 0.
    ///
    /// # Why it matters
    /// Without time stamps TCP measures the round trip once a window and cannot tell old segments from new ones
    /// when sequence numbers wrap, which takes 3.4 s at 10 Gbit/s.
    ///
    /// # Evidence
    /// `net.ipv4.tcp_timestamps` of both ends.
    ///
    /// # Remedy
    /// `sysctl -w net.ipv4.tcp_timestamps=1`.
    ///
    /// # Source
    /// RFC 7323 sections 4 and 5 (round-trip measurement, protection against wrapped sequence numbers); NetApp
    /// ontap-apps-dbs, Ethernet settings; SUSE SAP notes.
    code: "tcp-timestamps",
    title: "TCP timestamps are off",
    layer: Network, severity: Warning, on: [Setting],
    check: setting::check::<TcpTimestamps>,
}

struct TcpTimestamps;

impl Setting for TcpTimestamps {
    const RULE: Rule = RULE;
    const NAME: &'static str = "net.ipv4.tcp_timestamps";
    const WANTED: &'static str = "1";
    const SAYS: &'static str =
        "TCP has no protection against wrapped sequence numbers and poor round-trip samples";
    const WHY: &'static str =
        "For 12 bytes per segment, time stamps give round-trip samples and safety at high rates.";
    const EXPECT: &'static str = "new connections carry time stamps";

    fn judge(_run: &Run, host: &Host, numbers: &[u64]) -> Option<Severity> {
        // Azure asks to switch them off.
        let azure = host.os.cloud.as_deref() == Some("azure");
        let severity = if azure { Severity::Info } else { Severity::Warning };
        (numbers.first() == Some(&0)).then_some(severity)
    }
}
