rule! {
    /// # What it checks
    /// Passes when no connection was dropped because the accept queue of a listening socket was full.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// Clients see logins that hang for one, three, seven seconds: the dropped handshake is repeated by timeout
    /// only.
    /// # Evidence
    /// Growth of `TcpExtListenOverflows` and `TcpExtListenDrops` over the windows; `net.core.somaxconn`.
    /// # Remedy
    /// net.core.somaxconn=4096 and a larger backlog of the program (QUEUESIZE of the Oracle listener).
    /// # Source
    /// Linux `Documentation/networking/snmp_counter.rst` (`TcpExtListenOverflows`, `TcpExtListenDrops`); pmie
    /// network.tcplistenoverflows; netdata health.d (accept queue overflow).
    /// Linux `net/ipv4/tcp_ipv4.c` (`tcp_v4_syn_recv_sock`: an overflow counts `ListenOverflows` and `ListenDrops`).
    code: "tcp-listen-overflows",
    title: "connections are refused because an accept queue is full",
    layer: Network, severity: Warning, on: [Setting],
    check: |run| each::counters(run, &NAMES, judge),

    /// Of the connections since boot, below which one storm of logins explains the overflows (own choice).
    const SHARE_SINCE_BOOT: f64 = 1e-3;
    /// Fewer in all windows are an accident.
    const FEW: u64 = 2;
    /// What the kernel lets a listener have is ample here: then the listener itself requested less.
    const AMPLE: u64 = 4096;
}

const NAMES: [&str; 2] = ["TcpExtListenOverflows", "TcpExtListenDrops"];

fn judge(side: &side::Side, grown: &each::Grown) -> Outcome {
    // The kernel counts each overflow among the drops as well.
    let overflows = grown.of(NAMES[0]);
    // An attempt that found no room never became a connection.
    let opened = side.counted(|counters| counters.snmp.get("TcpPassiveOpens").copied());
    let attempts = opened.map_or(0, |opened| opened.count).saturating_add(overflows);
    let of_few = grown.span.is_total() && (overflows as f64) < SHARE_SINCE_BOOT * attempts as f64;
    let weight = grown.span.weight((overflows, FEW), !of_few, RULE.severity);
    let Some(severity) = weight else { return Outcome::Passes };
    finding!(
        side.subject(Kind::Setting, "net.core.somaxconn"),
        "the accept queue of a listener overflowed {overflows} times{} (net.core.somaxconn {})",
        grown.span.when(overflows),
        side.host.sysctl("net.core.somaxconn").unwrap_or("not known"),
    )
    .severity(severity)
    .measured(overflows as f64, 0.0, Unit::Count)
    .evidence(grown.text(), side.source("/proc/net/netstat"))
    .advice(advice(side).on(side.peer))
    .into()
}

const WHY: &str = "A handshake that finds no room is repeated by the client after a second, three, seven.";

fn advice(side: &side::Side) -> Advice {
    if side.host.sysctl_number("net.core.somaxconn").is_some_and(|most| most >= AMPLE) {
        return because(WHY)
            .look("ss -ltn", "Shows the listeners: Recv-Q waits, Send-Q is the room that each requested")
            .persist("Enlarge the backlog of the listener whose room is small: back_log of MySQL, QUEUESIZE of Oracle's listener, then restart it")
            .restarts("the listener: the database itself, but for Oracle")
            .expecting("ListenOverflows stops growing");
    }
    let expect =
        "ListenOverflows stops growing; the listener's own backlog (QUEUESIZE, back_log) must be as large";
    set_sysctl(side.host, "net.core.somaxconn", "4096", WHY, expect)
}
