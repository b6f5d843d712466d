use crate::ceiling::network::bond::expected_links;

rule! {
    /// # What it checks
    /// Passes unless a single stream over a bond that shares load reaches the speed of one member.
    /// # Why it matters
    /// One TCP connection never exceeds one member in any mode but balance-rr. It is not a fault, but explains why the
    /// bond's sum is not seen.
    /// # Evidence
    /// Streams, rate, mode, speed of the members.
    /// # Remedy
    /// Several connections: parallel RMAN channels, several redo transport or NFS (nconnect) connections.
    /// # Source
    /// Linux Documentation/networking/bonding.rst (balance-rr is the only mode that permits a single TCP/IP
    /// connection to utilize more than one interface's worth of throughput).
    code: "bond-one-stream",
    title: "one stream can use only one link of the bond",
    layer: Network, severity: Info, on: [Bond],
    check: |run| each::bond(run, |side, bond| judge(run, side, bond)),

    /// As many streams as the advice names.
    const STREAMS: u64 = 16;
    /// Of one link that the stream must reach.
    const REACHED: f64 = 0.85;
}

fn judge(run: &Run, side: &side::Side, bond: &Bond) -> Outcome {
    let speed = bond.slaves.iter().filter_map(|slave| slave.speed_mbit_per_s).min();
    let Some(speed) = speed else {
        return unknown!("the speeds of the slaves of {} are not known", side.name(&bond.name));
    };
    let shares = matches!(bond.mode.as_str(), "802.3ad" | "balance-xor" | "balance-tlb" | "balance-alb");
    let paths = side.paths_over(run, &bond.name);
    let full = stream::results(run, NetMode::Async).find(|result| {
        let one_link = stack_of(run, result).goodput_bytes_per_s(speed as f64 * 1e6);
        result.streams <= 1
            && paths.contains(&result.target)
            && result.throughput_bytes_per_s >= REACHED * one_link
    });
    let Some(result) = full.filter(|_| shares && interface::carrying(bond) > 1) else {
        return Outcome::Passes;
    };
    let at = side.subject(Kind::Bond, &bond.name);
    finding!(
        &at,
        "one stream to {} fills one of {} links of {at}; higher throughput needs more streams",
        result.target,
        interface::carrying(bond),
    )
    .measured(result.throughput_bytes_per_s, speed as f64 * 125e3, Unit::BytesPerS)
    .evidence(
        format!(
            "mode {}, {} Mbit/s a link, {}",
            bond.mode,
            speed,
            words::rate(result.throughput_bytes_per_s)
        ),
        side.source(&format!("/proc/net/bonding/{}", bond.name)),
    )
    .evidence(
        format!(
            "{STREAMS} streams reach {:.1} of {} links on average when a hash with ports spreads them evenly",
            expected_links(interface::carrying(bond), STREAMS),
            interface::carrying(bond)
        ),
        "k (1 - (1 - 1/k)^n)",
    )
    .because("A stream is pinned to one member; only several can share the bond.")
    .now(format!(
        "`fullwire net {} --streams 16` uses the others: at least eight streams for each link",
        as_word(&result.target)
    ))
    .persist("several RMAN channels, NFS nconnect, parallel redo transport")
    .expecting("the sum of the links with hash layer3+4")
    .on(side.peer)
    .into()
}
