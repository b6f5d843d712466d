rule! {
    /// # What it checks
    /// Passes when this host and every measured peer use the same congestion control.
    /// # Why it matters
    /// Two directions of one path then behave differently under loss and competing traffic; what is measured
    /// one way does not hold for the other.
    /// # Evidence
    /// `net.ipv4.tcp_congestion_control` of both ends; `TCP_CONGESTION` of the test.
    /// # Remedy
    /// The same on both; cubic unless a test on this path says otherwise.
    /// # Source
    /// RFC 9438 (CUBIC); Linux Documentation/networking/ip-sysctl.rst, `tcp_congestion_control`.
    code: "tcp-congestion",
    title: "the two ends use different congestion controls",
    layer: Network, severity: Info, on: [Setting],
}

const NAME: &str = "net.ipv4.tcp_congestion_control";

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(own) = run.host.sysctl(NAME).map(str::trim) else {
        return vec![unknown!("{NAME} could not be read")];
    };
    let peers = run.peers.iter().filter(|peer| !peer.loopback);
    let told = peers.filter_map(|peer| Some((&peer.target, peer.host.as_ref()?.sysctl(NAME)?.trim())));
    let judged = told.map(|(target, theirs)| {
        if own == theirs {
            return Outcome::Passes;
        }
        finding!(
            Kind::Setting.named(NAME),
            "this host uses {own}, {target} uses {theirs}: the two directions behave differently under loss"
        )
        .evidence(format!("{own} here, {theirs} there"), "/proc/sys/net/ipv4/tcp_congestion_control")
        .advice(remedy(run, target, own, theirs))
        .into()
    });
    let outcomes: Vec<Outcome> = judged.collect();
    if outcomes.is_empty() { vec![Outcome::Passes] } else { outcomes }
}

/// Which of the two is right is not known: neither is set for the whole host.
fn remedy(run: &Facts, target: &PathName, own: &str, theirs: &str) -> Advice {
    let path = run.net_of(target).next();
    let remote = path.map_or(target.as_str(), |result| result.path.remote.as_str());
    let advice = because(
        "The path behaves differently in each direction: a measurement in one does not apply to the other.",
    )
    .now(format!(
        "Decide which of {own} and {theirs} suits this path: measure with each (`fullwire net {} --congestion NAME`)",
        as_word(target.as_str())
    ));
    let one_path = set_route_congestion(&run.host, remote, theirs);
    let how = match one_path.as_ref().and_then(|advice| advice.steps.first()?.run.clone()) {
        Some(command) => format!(
            "For this path alone, if it is {theirs}: `modprobe {}` where the kernel has it as a module, then `{command}`",
            as_word(format!("tcp_{theirs}"))
        ),
        None => {
            format!(
                "For this path alone, if it is {theirs}: `ip route change ... congctl {}`",
                as_word(theirs)
            )
        }
    };
    advice.now(how).expecting("comparable results in both directions")
}
