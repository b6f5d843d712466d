rule! {
    /// # What it checks
    /// Passes when no connection request met a full SYN queue.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// Requests are dropped or answered with cookies, which lose window scaling where time stamps are off: such
    /// connections stay slow.
    /// # Evidence
    /// Growth of `TcpExtTCPReqQFullDrop` and `TcpExtTCPReqQFullDoCookies` over the windows.
    /// # Remedy
    /// `net.ipv4.tcp_max_syn_backlog=8192` and somaxconn to match.
    /// # Source
    /// Linux `Documentation/networking/snmp_counter.rst` (`TcpExtTCPReqQFullDrop`, `TcpExtTCPReqQFullDoCookies`);
    /// ip-sysctl.rst, `tcp_max_syn_backlog`; pmie network.tcpqfulldrops.
    code: "tcp-syn-queue",
    title: "connection requests overflow the SYN queue",
    layer: Network, severity: Warning, on: [Setting],
    check: |run| each::counters(run, &NAMES, judge),

    /// Fewer in all windows are an accident.
    const FEW: u64 = 2;
}

const NAMES: [&str; 2] = ["TcpExtTCPReqQFullDrop", "TcpExtTCPReqQFullDoCookies"];

fn judge(side: &side::Side, grown: &each::Grown) -> Outcome {
    if !grown.span.has(grown.sum(), FEW) {
        return Outcome::Passes;
    }
    finding!(
        side.subject(Kind::Setting, "net.ipv4.tcp_max_syn_backlog"),
        "the SYN queue was full for {} connection requests{}",
        grown.sum(),
        grown.span.when(grown.sum()),
    )
    .measured(grown.sum() as f64, 0.0, Unit::Count)
    .evidence(grown.text(), side.source("/proc/net/netstat"))
    .advice(
        set_sysctl(
            side.host,
            "net.ipv4.tcp_max_syn_backlog",
            "8192",
            "Requests are dropped, or answered with cookies that carry no options.",
            "the counters do not grow during the next burst of logins",
        )
        .on(side.peer),
    )
    .into()
}
