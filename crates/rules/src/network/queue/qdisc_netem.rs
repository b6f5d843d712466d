rule! {
    /// # What it checks
    /// Passes when no interface of either end carries the discipline `netem` with a delay or a loss.
    /// # Why it matters
    /// netem is a test tool: it delays and drops on purpose, and stays until it is removed or the host restarts.
    /// # Evidence
    /// Queueing disciplines of every interface (`tc qdisc show`).
    /// # Remedy
    /// `tc qdisc del dev DEV root`.
    /// # Source
    /// tc-netem(8): `NetEm` is an enhancement of the Linux traffic control facilities that allow one to add
    /// delay, packet loss, duplication and more other characteristics to packets outgoing from a selected
    /// network interface.
    code: "qdisc-netem",
    title: "a network emulator (netem) is active on an interface",
    layer: Network, severity: Warning, on: [Nic], limits: [Emulator, Distance],
}

fn check(run: &Facts) -> Vec<Outcome> {
    each::nic(
        run,
        |_, nic| !nic.qdiscs.is_empty(),
        |side, nic| match nic.qdiscs.iter().find(|qdisc| qdisc.kind == "netem") {
            Some(qdisc) => fires(run, side, nic, qdisc),
            None => Outcome::Passes,
        },
    )
}

fn fires(run: &Run, side: &side::Side, nic: &Nic, qdisc: &Qdisc) -> Outcome {
    let mut does = Vec::new();
    if let Some(delay) = qdisc.delay_ns.filter(|ns| *ns > 0) {
        does.push(format!("delays each packet by {}", words::time(delay as f64)));
    }
    if let Some(loss) = qdisc.loss.filter(|share| *share > 0.0) {
        does.push(format!("loses {:.2} % of the packets", loss * 100.0));
    }
    if let Some(rate) = qdisc.rate_bytes_per_s.filter(|rate| *rate > 0.0) {
        does.push(format!("limits the rate to {}", words::rate(rate)));
    }
    let idle = does.is_empty() && qdisc.tampers == Some(false);
    if idle {
        does.push("is set to do nothing".to_owned());
    }
    let does = if does.is_empty() { "tampers with packets".to_owned() } else { does.join(" and ") };
    let finding = finding!(
        side.subject(Kind::Nic, &nic.name),
        "the network emulator (qdisc netem) on {} {does}",
        side.name(&nic.name),
    )
    .evidence(
        format!("qdisc netem {}{}", qdisc.handle, parameters(qdisc)),
        side.source(&format!("tc qdisc show dev {}", nic.name)),
    )
    .advice(
        remove_qdisc(
            &nic.name,
            qdisc,
            "A test tool was left enabled: it makes a good network slow on purpose.",
        )
        .persist("Remove what sets it: `grep -r netem /etc`")
        .expecting("the round trip and the loss of the real network; repeat the measurement")
        .on(side.peer),
    );
    let unused = idle || each::serves_nothing(side, nic);
    let finding = if unused { finding.severity(Severity::Info) } else { finding };
    finding.explains(explanations(run, side, nic, qdisc)).into()
}

/// A loss bounds each stream that leaves there; a delay makes each message wait. A delay alone makes the path longer: what
/// fills a longer path badly is the cause, and the delay has its part in it. Of its rate `qdisc-shaper` tells.
fn explanations(run: &Run, side: &side::Side, nic: &Nic, qdisc: &Qdisc) -> Vec<Explanation> {
    let paths = side.paths_over(run, &nic.name);
    let over = run.net.iter().filter(|one| paths.contains(&one.target) && !one.path.loopback);
    let one = |result: &NetResult| match result.mode {
        NetMode::Async | NetMode::Udp => {
            // A loss holds what leaves there; the delay is in every round trip, also of what comes in.
            let loss = qdisc.loss.filter(|share| *share > 0.0 && explain::leaves_by(side, result));
            let delayed = qdisc.delay_ns.is_some_and(|ns| ns > 0);
            // What else it does (slots, corruption, an order of its own) holds what leaves there.
            let does_more = qdisc.tampers != Some(false) && !delayed && qdisc.rate_bytes_per_s.is_none();
            match loss {
                Some(share) => Some(explain::lossy(run, result, Mechanism::Emulator, share)),
                None if delayed => Some(explain::result(run, result, Mechanism::Distance)),
                None => (does_more && explain::leaves_by(side, result))
                    .then(|| explain::result(run, result, Mechanism::Emulator)),
            }
        }
        NetMode::Sync | NetMode::Rtt | NetMode::Interconnect => {
            let delay = qdisc.delay_ns.filter(|ns| *ns > 0)?;
            let latency = result.latency_ns.as_ref().filter(|latency| latency.count > 0)?;
            let share = delay as f64 / latency.p50.max(1) as f64;
            Some(explain::result(run, result, Mechanism::Emulator).active(share))
        }
    };
    over.filter_map(one).collect()
}

/// As `tc` would write them.
fn parameters(qdisc: &Qdisc) -> String {
    let delay = qdisc.delay_ns.map(|ns| format!(" delay {}", words::time(ns as f64)));
    let loss = qdisc.loss.map(|share| format!(" loss {:.2} %", share * 100.0));
    let rate = qdisc.rate_bytes_per_s.map(|rate| format!(" rate {}", words::rate(rate)));
    [delay, loss, rate].into_iter().flatten().collect()
}
