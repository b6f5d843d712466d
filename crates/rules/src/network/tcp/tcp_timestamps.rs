rule! {
    /// # What it checks
    /// Passes when `net.ipv4.tcp_timestamps` is not 0.
    /// # Why it matters
    /// Without time stamps TCP measures the round trip once a window and cannot tell old segments from new ones
    /// when sequence numbers wrap, which takes 3.4 s at 10 Gbit/s.
    /// # Evidence
    /// `net.ipv4.tcp_timestamps` of both ends.
    /// # Remedy
    /// `sysctl -w net.ipv4.tcp_timestamps=1`.
    /// # Source
    /// RFC 7323 sections 4 and 5 (round-trip measurement, protection against wrapped sequence numbers); NetApp
    /// ontap-apps-dbs, Ethernet settings; SUSE SAP notes.
    code: "tcp-timestamps",
    title: "TCP timestamps are off",
    layer: Network, severity: Warning, on: [Setting],
    setting: {
        name: "net.ipv4.tcp_timestamps",
        wanted: "1",
        says: "TCP has no protection against wrapped sequence numbers and poor round-trip samples",
        why: "For 12 bytes per segment, time stamps give round-trip samples and safety at high rates.",
        expect: "new connections carry time stamps",
        judge: |_, host, numbers| {
            // Azure asks to switch them off.
            let azure = host.os.cloud.as_deref() == Some("azure");
            let severity = if azure { Severity::Info } else { Severity::Warning };
            (numbers.first() == Some(&0)).then_some(severity)
        },
    },
}
