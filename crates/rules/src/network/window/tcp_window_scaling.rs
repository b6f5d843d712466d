rule! {
    /// # What it checks
    /// Passes when `net.ipv4.tcp_window_scaling` is 1 on both ends, and a measured connection negotiated it.
    /// # Why it matters
    /// Without scaling no window exceeds 65,535 bytes: at most one such window is sent per round trip, 52 Mbit/s at 10 ms,
    /// however fast the line is. One end that refuses is enough.
    /// # Evidence
    /// `net.ipv4.tcp_window_scaling`; `TCPI_OPT_WSCALE` of `TCP_INFO`; round trip and throughput.
    /// # Remedy
    /// `sysctl -w net.ipv4.tcp_window_scaling=1`; connections made before keep their small window.
    /// # Source
    /// RFC 7323 section 2; Linux Documentation/networking/ip-sysctl.rst, `tcp_window_scaling` (default on).
    code: "tcp-window-scaling",
    title: "TCP window scaling is off",
    layer: Network, severity: Critical, on: [Setting], limits: [UnscaledWindow],

    /// Of an unscaled window over the round trip that must be reached to blame it.
    const REACHED: f64 = 0.3;
}

const NAME: &str = "net.ipv4.tcp_window_scaling";

fn check(run: &Facts) -> Vec<Outcome> {
    each::setting(run, NAME, |side, numbers| {
        if numbers.first() != Some(&0) {
            return Outcome::Passes;
        }
        let held = held(run, side);
        let finding = RULE
            .finding(
                side.subject(Kind::Setting, NAME),
                match held.first() {
                    Some((result, allowed)) => format!(
                        "{} is 0: without window scaling no window exceeds 64 KiB, which allows {} to {}; measured {}",
                        side.name(NAME),
                        words::rate(*allowed),
                        result.target,
                        words::rate(result.throughput_bytes_per_s)
                    ),
                    None => format!("{} is 0: without window scaling no window exceeds 64 KiB", side.name(NAME)),
                },
            )
            .evidence(format!("{NAME} = 0"), side.source("/proc/sys/net/ipv4/tcp_window_scaling"))
            .advice(set_sysctl(
                side.host,
                NAME,
                "1",
                "Without RFC 7323 window scaling no stream can send more than 64 KiB per round trip.",
                "throughput is no longer tied to the round trip; new connections only",
            ).on(side.peer));
        limiting(run, finding, &held).into()
    })
}

/// Worst where a transfer shows it, a warning where none does.
fn limiting(run: &Run, finding: Finding, held: &[(&NetResult, f64)]) -> Finding {
    let Some((result, allowed)) = held.first() else { return finding.severity(Severity::Warning) };
    finding.measured(result.throughput_bytes_per_s, *allowed, Unit::BytesPerS).explains(held.iter().map(
        |(result, allowed)| {
            let explanation = explain::result(run, result, Mechanism::UnscaledWindow);
            explanation.bounded(*allowed, Unit::BytesPerS, 0.25)
        },
    ))
}

/// The transfers that an unscaled window explains, with what it allows.
fn held<'a>(run: &'a Run, side: &side::Side) -> Vec<(&'a NetResult, f64)> {
    let about = |result: &&NetResult| side.peer.is_none_or(|peer| *peer == result.target);
    let allowed = |result: &'a NetResult| {
        let rtt = stream::rtt_ns(run, result)?;
        let window = window::UNSCALED_WINDOW_BYTES as f64 * f64::from(result.streams.max(1));
        let allowed = window::window_bytes_per_s(window, rtt);
        let reached = result.throughput_bytes_per_s / allowed;
        (REACHED..1.5).contains(&reached).then_some((result, allowed))
    };
    stream::results(run, NetMode::Async).filter(about).filter_map(allowed).collect()
}
