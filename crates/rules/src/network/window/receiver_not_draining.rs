rule! {
    /// # What it checks
    /// Passes unless the peer's window was shut for much of the transfer though its buffer is large enough for the path,
    /// no CPU is used up, and the kernel pruned or dropped what it could not hand over.
    /// # Why it matters
    /// The wire and both kernels would carry more; the program at the far end (or the disk below it) takes its
    /// time.
    /// # Evidence
    /// `tcpi_rwnd_limited` over busy time, window over round trip against the measured rate, CPU of the
    /// responder; `TCPRcvQDrop`, `PruneCalled`, `RcvPruned`, `TCPZeroWindowDrop` of the receiving kernel.
    /// # Remedy
    /// Look at the receiver: what it waits for (`/proc/PID/wchan`, `pidstat -t`), whether it is throttled,
    /// whether it writes to a slow disk.
    /// # Source
    /// Linux `Documentation/networking/snmp_counter.rst` (`PruneCalled`, `TCPRcvQDrop`, zero window);
    /// include/uapi/linux/tcp.h (`tcpi_rwnd_limited`).
    code: "receiver-not-draining",
    title: "the receiving program does not read fast enough",
    layer: Host, severity: Warning, on: [Protocol], limits: [ReceiverNotReading],

    /// Shut for this share of the time it is the limit.
    const SHUT: f64 = 0.3;
    /// A receiver that spends this share of the time on a CPU does read; the window is closed because it is too slow.
    const READING: f64 = 0.3;
    /// If window over round trip exceeds the measured rate by this factor, the window was large enough.
    const ROOM: f64 = 2.5;
    /// Fewer segments dropped or queues pruned are a moment of a busy host, not a receiver that does not read (own choice).
    const FEW: u64 = 10;
}

const PRUNED: [&str; 4] =
    ["TcpExtTCPRcvQDrop", "TcpExtPruneCalled", "TcpExtRcvPruned", "TcpExtTCPZeroWindowDrop"];

fn check(run: &Facts) -> Vec<Outcome> {
    let mut outcomes = each::result(run, NetMode::Async, |result| judge(run, result));
    outcomes.extend(each::counters(run, &PRUNED, pruned));
    outcomes
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let (Some(shut), Some(rtt)) = (stream::receiver_limited(result), stream::rtt_ns(run, result)) else {
        return unknown!("the limits of the transfer to {} are not in TCP_INFO", result.target);
    };
    let Some(offered) = result.tcp.as_ref().and_then(|tcp| tcp.snd_wnd_bytes) else { return Outcome::Passes };
    if result.bytes == 0 {
        // What never arrived cannot be read: something else is wrong.
        return Outcome::Passes;
    }
    // A queue on the way limits the window as well, and takes the round trip with it: what a receiver does not read is
    // acknowledged immediately.
    let rtt = result.tcp.as_ref().map_or(rtt, |tcp| rtt.max(tcp.rtt_ns as f64));
    let allowed = window::window_bytes_per_s(offered.0 as f64, rtt);
    // Nor does it let a queue on the way grow.
    let queued = stream::round_trips(run, result).is_some_and(|(idle, _)| stream::is_queued(idle, rtt));
    let had_room = allowed >= ROOM * result.throughput_bytes_per_s && !queued;
    let (receiver, cpu_s) = if result.reverse {
        ("this host", result.cpu.client_s)
    } else {
        (result.target.as_str(), result.cpu.server_s)
    };
    let reads = cpu_s >= READING * result.duration_s;
    // While autotuning still opens the window, the largest one says nothing about the others.
    let grows = stream::is_growing(result);
    if shut < SHUT || !had_room || reads || grows {
        return Outcome::Passes;
    }
    finding!(
        Kind::Protocol.named("receiver").at(At::peer(stream::receiving_peer(run, result))),
        "the receiver on {receiver} does not read fast enough: its window was closed for {:.0} % of the time, although {} KiB {}",
        shut * 100.0,
        offered.0 / 1024,
        room(allowed, result.throughput_bytes_per_s),
    )
    .measured(shut, SHUT, Unit::Ratio)
    .evidence(format!("rwnd_limited {:.0} %, largest window {} bytes, round trip {}", shut * 100.0, offered.0, words::time(rtt)), "TCP_INFO of the sender")
    .evidence(format!("the receiver used {cpu_s:.2} s of CPU in {:.1} s", result.duration_s), "CPU time of its threads")
    .explains([explain::result(run, result, Mechanism::ReceiverNotReading).active(shut)])
    .advice(advice(stream::receiving_peer(run, result)))
    .into()
}

/// What the window would allow. With a round trip of a microsecond that figure means nothing.
fn room(allowed: f64, measured: f64) -> String {
    const ANY: f64 = 100.0;
    if allowed < ANY * measured {
        format!("would allow {}", words::rate(allowed))
    } else {
        "would allow far more".into()
    }
}

/// The kernel had to throw away what no program took. Queues that were only pruned lost nothing: at most a note.
fn pruned(side: &side::Side, grown: &each::Grown) -> Outcome {
    if !grown.span.has(grown.sum(), FEW) {
        return Outcome::Passes;
    }
    finding!(
        side.subject(Kind::Protocol, "TCP receive queues"),
        "receive queues overflowed {}{}: programs {} fast enough",
        words::times(grown.sum()),
        grown.span.when(grown.sum()),
        if grown.span.is_total() { "did not read" } else { "do not read" },
    )
    .severity(if grown.span.has(grown.of("TcpExtTCPRcvQDrop"), FEW) {
        Severity::Warning
    } else {
        Severity::Info
    })
    .measured(grown.sum() as f64, 0.0, Unit::Count)
    .evidence(grown.text(), side.source("/proc/net/netstat"))
    .advice(advice(side.peer))
    .into()
}

fn advice(peer: Option<&PathName>) -> Advice {
    because("Data that has arrived waits for a program that is not running or is waiting for something else.")
        .now("`pidstat -t -u -d -p PID 1 5` and /proc/PID/task/*/wchan of the receiving program show what it waits for")
        .look("grep -rs throttled /sys/fs/cgroup --include=cpu.stat || true", "Shows which groups were throttled")
        .persist("give the receiver CPU (quota, priority), a faster disk, or more receiving processes")
        .on(peer)
        .expecting("rwnd_limited falls to zero; repeat the measurement")
}
