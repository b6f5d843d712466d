rule! {
    /// # What it checks
    /// Passes when `net.ipv4.tcp_moderate_rcvbuf` is 1.
    /// # Why it matters
    /// Without autotuning every connection keeps the default receive buffer (128 KiB): at most one such window is sent
    /// per round trip.
    /// # Evidence
    /// `net.ipv4.tcp_moderate_rcvbuf` of both ends; of a measured stream also `tcpi_rwnd_limited` and the window that was
    /// offered.
    /// # Remedy
    /// `sysctl -w net.ipv4.tcp_moderate_rcvbuf=1`.
    /// # Source
    /// Linux Documentation/networking/ip-sysctl.rst, `tcp_moderate_rcvbuf` (default enabled); SUSE note 3024346.
    code: "tcp-autotuning",
    title: "TCP receive-buffer autotuning is off",
    layer: Network, severity: Warning, on: [Setting], limits: [AutotuningOff],
    setting: {
        name: "net.ipv4.tcp_moderate_rcvbuf",
        wanted: "1",
        says: "receive windows stay at their default size",
        why: "A window that cannot grow limits every stream to one default buffer per round trip.",
        expect: "the window grows with the round trip",
        explains,
        judge: |_, _, numbers| (numbers.first() == Some(&0)).then_some(Severity::Warning),
    },
}

/// Streams toward this host whose window is shut for much of the time: it would have grown.
fn explains(run: &Run, side: &side::Side) -> Vec<Explanation> {
    let receives = |result: &&NetResult| match side.peer {
        Some(peer) => !result.reverse && result.target == *peer,
        None => result.reverse,
    };
    let held = |result: &NetResult| {
        let share = stream::receiver_limited(result).filter(|share| *share >= stream::HELD)?;
        let bytes = stream::receive_window_bytes(run, result)?;
        let allowed = window::window_bytes_per_s(bytes.0 as f64, stream::rtt_ns(run, result)?);
        let explanation = explain::result(run, result, Mechanism::AutotuningOff);
        Some(explanation.bounded(allowed, Unit::BytesPerS, 0.25).active(share))
    };
    // A test that set its buffers itself had no use for autotuning.
    let tuned = stream::results(run, NetMode::Async).filter(|result| result.plan.sockbuf_bytes == 0);
    tuned.filter(receives).filter_map(held).collect()
}
