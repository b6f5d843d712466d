rule! {
    /// # What it checks
    /// Passes unless datagrams arrived at a host and found the receive buffer of their socket full.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// The interconnect of RAC, and every other protocol over UDP, loses the block though the network delivered
    /// it.
    /// # Evidence
    /// Growth of `UdpRcvbufErrors` over the windows; drops of the test's own sockets.
    /// # Remedy
    /// Raise `net.core.rmem_default` and `rmem_max` (Oracle: 262144 and 4194304 at least), and look why the
    /// receiver does not keep up.
    /// # Source
    /// Linux `Documentation/networking/snmp_counter.rst`; netdata health.d `udp_errors` (more than 10 a minute);
    /// Oracle preinstall (`rmem_default` 262144, `rmem_max` 4194304).
    code: "udp-receive-drops",
    title: "UDP datagrams are dropped: socket receive buffer full",
    layer: Network, severity: Warning, on: [Protocol], limits: [OwnQueueDrops],

    /// Per minute: loss that an interconnect tolerates without noticeable effect.
    const A_MINUTE: f64 = 10.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut outcomes = each::counters(run, &["UdpRcvbufErrors"], |side, grown| {
        let a_minute = grown.sum() as f64 * 60.0 / grown.span.seconds.max(1.0);
        if grown.sum() < 2 || a_minute <= A_MINUTE {
            return Outcome::Passes;
        }
        fires(
            run,
            side,
            (grown.sum(), grown.span.when(grown.sum())),
            grown.text(),
            side.source("/proc/net/snmp"),
        )
    });
    let of_tests = each::datagrams(run, |result| own(run, result));
    // The kernel of the same host counted them already.
    let told = |outcome: &Outcome| {
        let subject = |one: &Outcome| match one {
            Outcome::Fires(finding) => Some(finding.subject.clone()),
            _ => None,
        };
        subject(outcome).is_some_and(|own| outcomes.iter().any(|one| subject(one).as_ref() == Some(&own)))
    };
    let of_tests: Vec<Outcome> = of_tests.into_iter().filter(|one| !told(one)).collect();
    outcomes.extend(of_tests);
    outcomes
}

/// Drops of the test's own sockets, where they received, beyond a share that a burst explains.
fn own(run: &Run, result: &NetResult) -> Outcome {
    let Some(udp) = result.udp.as_ref().filter(|udp| udp.sent > 0) else { return Outcome::Passes };
    if udp.receive_buffer_drops * 1_000 < udp.sent.max(1) {
        return Outcome::Passes;
    }
    let text = format!("{} of {} datagrams found the buffer full", udp.receive_buffer_drops, udp.sent);
    let receiver = stream::receiving_peer(run, result);
    let unknown = Host::default();
    let side = side::sides(run).into_iter().find(|side| side.peer == receiver);
    let side = side.unwrap_or(side::Side { host: &unknown, windows: Vec::new(), peer: receiver });
    fires(
        run,
        &side,
        (udp.receive_buffer_drops, String::new()),
        text,
        "SO_RXQ_OVFL of the test's sockets".into(),
    )
}

/// Twice the limit, and a default with room for a burst; neither is ever lowered.
fn settings(host: &Host) -> Vec<(&'static str, String)> {
    let now = |name: &str| host.sysctl_number(name).unwrap_or(0);
    let mut settings = vec![(
        "net.core.rmem_max",
        facts::core_buffer(host, "net.core.rmem_max", 4_194_304.max(2 * now("net.core.rmem_max")))
            .to_string(),
    )];
    if now("net.core.rmem_default") < 262_144 {
        settings.push(("net.core.rmem_default", "262144".to_owned()));
    }
    settings
}

fn fires(
    run: &Run,
    side: &side::Side,
    (drops, when): (u64, String),
    text: String,
    source: String,
) -> Outcome {
    let now = side.host.sysctl("net.core.rmem_max").unwrap_or("not known");
    let finding = finding!(
        side.subject(Kind::Protocol, "UDP receive buffer"),
        "{drops} datagrams were dropped{when} at a full receive buffer (net.core.rmem_max {now})",
    )
        .measured(drops as f64, 0.0, Unit::Count)
        .evidence(text, source)
        .advice(
            set_sysctls(side.host, &settings(side.host), "The network delivered them, but the socket buffer was full or the program was too slow to empty it.", "UdpRcvbufErrors no longer grows").on(side.peer),
        );
    let explained = stream::datagrams(run);
    finding.explains(explained.map(|one| explain::result(run, one, Mechanism::OwnQueueDrops))).into()
}
