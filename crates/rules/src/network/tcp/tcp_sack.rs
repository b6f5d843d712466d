rule! {
    /// # What it checks
    /// Passes when `net.ipv4.tcp_sack` is 1.
    /// # Why it matters
    /// Without SACK the sender learns of one hole for each round trip and sends again what had arrived; each
    /// loss costs many times as much.
    /// # Evidence
    /// `net.ipv4.tcp_sack` of both ends.
    /// # Remedy
    /// `sysctl -w net.ipv4.tcp_sack=1`.
    /// # Source
    /// RFC 2018; NetApp ontap-apps-dbs, Ethernet settings; SUSE note 3024346.
    code: "tcp-sack",
    title: "selective acknowledgements (SACK) are off",
    layer: Network, severity: Warning, on: [Setting],
    setting: {
        name: "net.ipv4.tcp_sack",
        wanted: "1",
        says: "each loss costs a round trip for every missing segment",
        why: "With SACK the sender knows immediately which segments are missing.",
        expect: "fewer retransmissions and timeouts on lossy paths",
        judge: |_, _, numbers| (numbers.first() == Some(&0)).then_some(Severity::Warning),
    },
}
