rule! {
    /// # What it checks
    /// Passes when no listening socket has as many connections waiting to be accepted as its queue has room for.
    /// # Why it matters
    /// The next login is dropped: its client waits a second, three, seven. The program does not accept fast
    /// enough, or its queue is short.
    /// # Evidence
    /// Waiting connections and backlog of each listener (`sock_diag`: the Recv-Q and Send-Q of `ss -lt`; of a captured tree its `ss -peaonmi` or `ss -nap`).
    /// # Remedy
    /// Find what keeps the program from accepting; a longer queue: `QUEUESIZE` of the Oracle listener, `back_log`
    /// of MySQL, `net.core.somaxconn`.
    /// # Source
    /// ss(8) and Linux `net/ipv4/tcp_diag.c` (of a listener rqueue is `sk_ack_backlog`, wqueue
    /// `sk_max_ack_backlog`); listen(2).
    code: "listen-queue-full",
    title: "a listener's accept queue is full",
    layer: Network, severity: Warning, on: [Socket],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(last) = run.windows.last().filter(|window| !window.to.sockets.is_empty()) else {
        return vec![unknown!("the sockets could not be listed")];
    };
    let listeners = last.to.sockets.iter().filter(|socket| socket.state == "listen" && socket.send_queue > 0);
    let full: Vec<Outcome> =
        listeners.filter(|socket| socket.receive_queue >= socket.send_queue).map(fires).collect();
    if full.is_empty() { vec![Outcome::Passes] } else { full }
}

fn fires(socket: &SocketCounters) -> Outcome {
    let (local, waiting, room) = (&socket.local, socket.receive_queue, socket.send_queue);
    finding!(Kind::Socket.named(local), "{waiting} connections wait to be accepted at {local}, whose queue has room for {room}: further logins are dropped")
        .measured(waiting as f64, room as f64, Unit::Count)
        .evidence(format!("listener {local}: Recv-Q {waiting}, Send-Q {room}"), "ss -lt")
        .because("A handshake that finds the queue full is dropped, and the client repeats it after a timeout.")
        .look(sh!("ss -ltnp {}", format!("src {local}")), "Shows which program it is; then find out what it waits for")
        .persist("A longer queue: QUEUESIZE in listener.ora, back_log in my.cnf, net.core.somaxconn = 4096; restart the listener")
        .restarts("the listener: the database itself, but for Oracle")
        .expecting("Recv-Q of the listener near 0")
        .into()
}
