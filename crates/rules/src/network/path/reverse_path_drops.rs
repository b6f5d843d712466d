rule! {
    /// # What it checks
    /// Passes when the kernel throws no packets away because they arrived through another interface than the one it
    /// would answer through.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// With strict reverse-path filtering such packets are dropped silently: a standby, a cluster interconnect or a
    /// second storage network looks dead or loses packets, while every counter of the interface is clean.
    /// # Evidence
    /// Growth of `IPReversePathFilter` (`TcpExtIPReversePathFilter`, `nstat`) over the windows, on both ends.
    /// # Remedy
    /// Find the interface (`net.ipv4.conf.*.log_martians` names it), then loose filtering (2) on it or routing that is
    /// symmetric.
    /// # Source
    /// Linux Documentation/networking/ip-sysctl.rst, `rp_filter` (RFC 3704); `net/ipv4/ip_input.c`
    /// (`LINUX_MIB_IPRPFILTER`).
    code: "reverse-path-drops",
    title: "packets are dropped by reverse-path filtering",
    layer: Network, severity: Warning, on: [Setting],
    check: |run| each::counters(run, &NAMES, judge),

    /// Broadcasts that reach a host over two interfaces come more seldom.
    const A_SECOND: f64 = 1.0;
    /// Packets that a stray sender explains (own choice).
    const FEW: u64 = 10;
}

const NAMES: [&str; 1] = ["TcpExtIPReversePathFilter"];

fn judge(side: &side::Side, grown: &each::Grown) -> Outcome {
    let dropped = grown.of(NAMES[0]);
    let rate = dropped as f64 / grown.span.seconds.max(1.0);
    if dropped < FEW || rate < A_SECOND {
        return Outcome::Passes;
    }
    finding!(
        side.subject(Kind::Setting, "rp_filter"),
        "{dropped} packets were dropped{} because they arrived through a different interface than replies would use", grown.span.when(dropped),
    )
    .measured(rate, A_SECOND, Unit::PerS)
    .evidence(grown.text(), side.source("/proc/net/netstat"))
    .because("Strict filtering treats a packet on an unexpected interface as forged.")
    .look("grep . /proc/sys/net/ipv4/conf/*/rp_filter", "Shows where filtering is strict (1)")
    .look("ip route show table all | head -n 40", "Shows by which interface each network is answered")
    .look("nstat -az TcpExtIPReversePathFilter", "Shows the counter: it must stop growing once the cause is removed")
    .persist("Where two interfaces are meant to carry the traffic: net.ipv4.conf.NAME.rp_filter=2 for each of them. Otherwise correct the route that makes replies leave through another interface")
    .expecting("IPReversePathFilter no longer grows")
    .on(side.peer)
    .into()
}
