use fullwire_model::GapReason;

rule! {
    /// # What it checks
    /// Passes when every requested peer gave a result, and bytes arrived.
    /// # Why it matters
    /// A path that cannot be measured cannot carry redo either.
    /// # Evidence
    /// The gap that the probe left; bytes that the receiver counted.
    /// # Remedy
    /// Name resolution, route, firewall, a responder that listens: in this order.
    /// # Source
    /// RFC 1122 section 3.2.2.1 (destination unreachable); the probe's own record.
    code: "peer-unreachable",
    title: "a peer could not be reached",
    layer: Network, severity: Critical, on: [Path], limits: [Unreachable],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let results = run.net.iter().filter(|result| !result.path.loopback).map(|result| judge(run, result));
    let missing = run.peers.iter().filter(|peer| !run.net.iter().any(|result| result.target == peer.target));
    results.chain(missing.map(|peer| absent(run, &peer.target))).collect()
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    // A connection that another tool made was answered, whatever came through it.
    let answered = ["import", "file"].contains(&run.command.name.as_str()) && !result.path.remote.is_empty();
    let carries = result.mode != NetMode::Rtt && result.payload_bytes > 0 && !result.mode.is_datagrams();
    if !carries || result.bytes > 0 || answered {
        return Outcome::Passes;
    }
    let way = if result.reverse { "from" } else { "to" };
    fires(
        &result.target,
        format!("nothing of the transfer {way} {} arrived", result.target),
        "0 bytes counted".into(),
    )
    .explains([explain::result(run, result, Mechanism::Unreachable).active(1.0)])
    .into()
}

/// No result: a gap that names the peer says why; without one no one tried.
fn absent(run: &Run, target: &PathName) -> Outcome {
    let host = route::host_of(target.as_str());
    let gap = run.gaps.iter().find(|gap| gap.subject.contains(target.as_str()) || gap.subject.contains(host));
    match gap {
        // Interrupted, or left out on purpose: nobody knows whether it would have answered.
        Some(gap) if gap.reason == GapReason::Skipped => {
            unknown!("{target} was not measured: {}", gap.detail)
        }
        // It answers, and wants a key: nothing is wrong with the path.
        Some(gap) if gap.reason == GapReason::Denied => {
            unknown!("{target} was not measured: {}", gap.detail)
        }
        Some(gap) => fires(
            target,
            format!("{target} could not be measured: {}", gap.detail),
            format!("{}: {}", gap.reason, gap.detail),
        )
        .explains([Explanation::of_path(target, Mechanism::Unreachable).active(1.0)])
        .into(),
        None => unknown!("no measurement of {target} and no reason for it"),
    }
}

fn fires(target: &PathName, message: String, evidence: String) -> Finding {
    let host = route::host_of(target.as_str());
    RULE.finding(Kind::Path.named(target), message)
        .evidence(evidence, "probe")
        .because("Without an answer nothing is known about the path.")
        .look(sh!("getent hosts {}", host), "Shows whether the name resolves")
        .look(route_to(host), "Shows the way there")
        .look(sh!("ping -c 3 {}", host), "Shows whether it answers")
        .now(format!(
            "On the peer: start `fullwire serve`, and open its port, {}, in the firewall",
            route::port_of(target.as_str()).unwrap_or(5555)
        ))
        .expecting("the peer answers; repeat the measurement")
}

/// `ip route get` takes no names.
fn route_to(host: &str) -> ShellCommand {
    if host.parse::<IpAddr>().is_ok() {
        return sh!("ip route get {}", host);
    }
    sh!("ip route get $(getent ahosts {} | awk '{{print $1; exit}}')", host)
}
