rule! {
    /// # What it checks
    /// Passes when, without load from fullwire, no busy TCP connection of this host spends most of its sending time waiting
    /// for the far end's receive window or for its own send buffer.
    /// # Why it matters
    /// The kernel itself counts what limits a stream: neither the wire nor the disk, but a window or a buffer that
    /// is too small or an end that does not read.
    /// # Evidence
    /// `tcpi_busy_time`, `tcpi_rwnd_limited` and `tcpi_sndbuf_limited` of `TCP_INFO` over the window
    /// (`sock_diag`), of connections that sent 1 MB/s at least.
    /// # Remedy
    /// Limited by the receive window: `tcp_rmem` or a program that does not read at the far end. Limited by the send
    /// buffer: `tcp_wmem`, or `SEND_BUF_SIZE` that fixes it.
    /// # Source
    /// Linux include/uapi/linux/tcp.h, `struct tcp_info` (`tcpi_busy_time`, `tcpi_rwnd_limited`,
    /// `tcpi_sndbuf_limited`); `net/ipv4/tcp_output.c`, `tcp_chrono_start`; RFC 6349 section 2 (what limits a
    /// window).
    code: "socket-held",
    title: "a buffer or window limits a connection in use",
    layer: Network, severity: Warning, on: [Socket],

    /// A connection that sends less needs nothing more.
    const BUSY_BYTES_PER_S: f64 = 1e6;
    /// Of the time with something to send.
    const MOST_OF_IT: f64 = 0.5;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let idle = |window: &&Window| window.kind == WindowKind::Idle && window.seconds() >= 0.5;
    let Some(window) = run.windows.iter().find(idle).filter(|window| !window.to.sockets.is_empty()) else {
        return vec![unknown!("the sockets were not listed over a window")];
    };
    let held: Vec<Outcome> = window.to.sockets.iter().filter_map(|socket| judge(window, socket)).collect();
    if held.is_empty() { vec![Outcome::Passes] } else { held }
}

fn judge(window: &Window, socket: &SocketCounters) -> Option<Outcome> {
    let same = |other: &&SocketCounters| {
        (&other.local, &other.remote, other.inode) == (&socket.local, &socket.remote, socket.inode)
    };
    let (from, to) = (window.from.sockets.iter().find(same)?.tcp.as_ref()?, socket.tcp.as_ref()?);
    let grown = |read: fn(&SocketTcp) -> u64| read(to).saturating_sub(read(from)) as f64;
    let (rate, busy) = (grown(|tcp| tcp.acknowledged_bytes) / window.seconds(), grown(|tcp| tcp.busy_ns));
    if rate < BUSY_BYTES_PER_S || busy <= 0.0 {
        return None;
    }
    let (peer, own) = (grown(|tcp| tcp.rwnd_limited_ns) / busy, grown(|tcp| tcp.sndbuf_limited_ns) / busy);
    let share = peer.max(own);
    (share >= MOST_OF_IT).then(|| fires(socket, to, rate, (peer, own)))
}

fn fires(socket: &SocketCounters, tcp: &SocketTcp, rate: f64, (peer, own): (f64, f64)) -> Outcome {
    let (local, remote) = (&socket.local, &socket.remote);
    let (what, advice) = if peer >= own {
        (
            "the receive window of the far end",
            because("The sender may not send more than the receiver has room for.")
                .now(format!("On {remote}: `ss -tmi dst {local}`. Recv-Q above 0: the program does not read; otherwise its tcp_rmem is too small", local = as_word(local)))
                .persist("On the far end: net.ipv4.tcp_rmem with a third value of 3 x bandwidth x round trip, in /etc/sysctl.d"),
        )
    } else {
        (
            "its own send buffer",
            because("Sent data stays in the buffer until it is acknowledged; a full buffer stops the program.")
                .look(sh!("ss -tmi dst {}", remote), "Shows the buffer as it is (skmem tb)")
                .persist("net.ipv4.tcp_wmem with a third value of 3 x bandwidth x round trip; do not fix it with SEND_BUF_SIZE"),
        )
    };
    let share = peer.max(own);
    finding!(
        Kind::Socket.named(remote),
        "the connection {local} to {remote} is limited by {what} for {:.0} % of its sending time, at {:.1} MB/s", share * 100.0, rate / 1e6,
    )
    .measured(share, MOST_OF_IT, Unit::Ratio)
    .evidence(format!("rwnd_limited {:.0} %, sndbuf_limited {:.0} % of busy time, rtt {:.2} ms, mss {}", peer * 100.0, own * 100.0, tcp.rtt_ns as f64 / 1e6, tcp.mss_bytes), "sock_diag, TCP_INFO")
    .advice(advice.expecting("the share falls, the rate grows; `fullwire net` to the same host proves the path"))
    .into()
}
