rule! {
    /// # What it checks
    /// Passes when the buffer that a test requested with `SO_SNDBUF` and `SO_RCVBUF` was granted.
    /// # Why it matters
    /// The kernel silently cuts the request down to `net.core.wmem_max` or `rmem_max`, and a fixed buffer switches
    /// autotuning off: what was meant to make it faster makes it slower. `SEND_BUF_SIZE` and `RECV_BUF_SIZE` of
    /// sqlnet.ora are cut down likewise.
    /// # Evidence
    /// Bytes requested and granted (the kernel doubles what it grants).
    /// # Remedy
    /// Raise `net.core.wmem_max` and `rmem_max` to 3 x the bandwidth-delay product of the line (at least to what is
    /// requested), or do not fix the buffer.
    /// # Source
    /// socket(7), `SO_SNDBUF` and `SO_RCVBUF` (doubled, limited by `wmem_max`, `rmem_max`); tcp(7) (a fixed buffer
    /// disables autotuning); esnet/iperf issue 356.
    code: "socket-buffer-clamped",
    title: "the host clamped a socket buffer",
    layer: Network, severity: Warning, on: [Setting], limits: [SendBuffer],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let fixed = run.net.iter().filter(|result| result.plan.sockbuf_bytes > 0);
    fixed.map(|result| judge(run, result)).collect()
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let asked = result.plan.sockbuf_bytes;
    let Some(tcp) = result.tcp.as_ref().filter(|tcp| tcp.sndbuf_bytes.0 > 0) else {
        return unknown!("the buffers of the transfer to {} are not known", result.target);
    };
    // What is granted is reported doubled; without the doubling it is what a program can count on.
    let granted = tcp.sndbuf_bytes.0 / 2;
    if granted >= asked * 9 / 10 {
        return Outcome::Passes;
    }
    let name = "net.core.wmem_max";
    let max = run.host.sysctl(name).unwrap_or("not known").to_owned();
    let rtt = stream::rtt_ns(run, result);
    // What a full line needs, where line and round trip are known; at least what was requested.
    let product =
        stream::declared(run, &result.target).zip(rtt).map(|(line, rtt)| window::bdp_bytes(line, rtt));
    let wanted = product.map_or(asked, |product| window::buffer_for_bytes(product).max(asked));
    let advice = set_sysctl(
        &run.host,
        name,
        &wanted.to_string(),
        "The kernel reduces the request silently, and a fixed buffer never grows.",
        "the requested buffer; the measurement prints the granted size",
    );
    let finding = finding!(
        Kind::Setting.named(name),
        "a socket buffer of {} was requested, but {} were granted: {name} ({max}) limits it, as does net.core.rmem_max at the receiver",
        facts::size(asked),
        facts::size(granted),
    )
        .measured(granted as f64, asked as f64, Unit::Bytes)
        .evidence(three_products(product), "--expect; TCP_INFO")
        .evidence(format!("asked {asked}, SO_SNDBUF {} (doubled), SO_RCVBUF {}", tcp.sndbuf_bytes.0, tcp.rcvbuf_bytes.0), "getsockopt")
        .advice(advice.and(at_receiver(run, result, wanted)));
    // One buffer for each round trip: it limits where that is what was measured.
    let allowed = rtt.map(|rtt| granted as f64 * f64::from(result.streams.max(1)) * 1e9 / rtt);
    let held = allowed.is_some_and(|allowed| result.throughput_bytes_per_s >= 0.4 * allowed);
    let explanation = allowed.filter(|_| held).map(|allowed| {
        explain::result(run, result, Mechanism::SendBuffer).bounded(allowed, Unit::BytesPerS, 0.25)
    });
    finding.explains(explanation).into()
}

/// The receiver's limit, which the same request meets.
fn at_receiver(run: &Run, result: &NetResult, wanted: u64) -> Advice {
    const NAME: &str = "net.core.rmem_max";
    let Some(receiver) = stream::receiver(run, result) else {
        return because("")
            .now(format!("On the receiver as well: sysctl -w {NAME}={wanted}, where it is smaller"));
    };
    if receiver.sysctl_number(NAME).is_some_and(|now| now >= wanted) {
        return because("");
    }
    set_sysctl(receiver, NAME, &wanted.to_string(), "", "").on(stream::receiving_peer(run, result))
}

/// What buffer the line wants, or why that is not said.
fn three_products(product: Option<f64>) -> String {
    match product {
        Some(bytes) => format!(
            "3 x the bandwidth-delay product of {bytes:.0} bytes are {} bytes",
            window::buffer_for_bytes(bytes)
        ),
        None => "the line's rate is not declared (--expect): its bandwidth-delay product is not known".into(),
    }
}
