use crate::ceiling::network::bond::reachable_links;
use crate::ceiling::network::shaped_payload_bytes_per_s;

rule! {
    /// # What it checks
    /// Passes unless several streams to one peer run over a bond whose hash policy looks at layer 2 (or 2+3) only, or one of
    /// its links sent nearly all that they carried.
    /// # Why it matters
    /// All traffic to one peer (or to one router) then takes one link, however many streams there are: two
    /// database servers never exceed it.
    /// # Evidence
    /// Mode and `Transmit Hash Policy`, links that carry, bytes that each sent while the test ran, streams and rate.
    /// # Remedy
    /// `xmit_hash_policy=layer3+4`, and on the switch for the return traffic.
    /// # Source
    /// Linux Documentation/networking/bonding.rst, `xmit_hash_policy` (layer2 will place all traffic to a
    /// particular network peer on the same slave); `drivers/net/bonding/bond_main.c`, `bond_ip_hash` (the lowest bit is
    /// discarded because of even ports).
    code: "bond-hash-one-link",
    title: "the hash policy puts all streams on one link",
    layer: Network, severity: Warning, on: [Bond], limits: [BondLinks],
    check: |run| each::bond(run, |side, bond| judge(run, side, bond)),

    /// Share of one link that several streams must reach to be limited by it, if the links' bytes were not read.
    const REACHED: f64 = 0.85;
    /// Probability from which on streams of different ports may share a link by chance.
    const CHANCE: f64 = 0.05;
}

fn judge(run: &Run, side: &side::Side, bond: &Bond) -> Outcome {
    if !matches!(bond.mode.as_str(), "802.3ad" | "balance-xor") {
        return Outcome::Passes;
    }
    if bond.xmit_hash_policy.is_empty() {
        return unknown!("the hash policy of {} could not be read", side.name(&bond.name));
    }
    let links = interface::carrying(bond);
    if links < 2 {
        return Outcome::Passes;
    }
    let by_ports = reachable_links(&bond.mode, &bond.xmit_hash_policy, links, links) > 1;
    let paths = side.paths_over(run, &bond.name);
    let held = stream::results(run, NetMode::Async)
        .filter(|result| result.streams > 1 && paths.contains(&result.target))
        .find(|result| match side.busiest_link(bond) {
            // What a host receives, the other end has spread.
            Some((_, share)) => share >= side::ALONE && result.reverse == side.peer.is_some(),
            None => !by_ports && fills_one_link(run, result, bond),
        });
    if by_ports && held.is_none() {
        return Outcome::Passes;
    }
    let likely = held.is_some_and(|result| by_ports && by_chance(links, result.streams) >= CHANCE);
    let (at, policy) = (side.subject(Kind::Bond, &bond.name), &bond.xmit_hash_policy);
    let finding = RULE
        .finding(
            &at,
            match held {
                Some(result) => format!(
                    "{} streams to {} share one of {links} links of {at}, because its hash policy {}",
                    result.streams,
                    result.target,
                    if by_ports {
                        format!("{policy} put all their ports there")
                    } else {
                        format!("is {policy}")
                    }
                ),
                None => format!(
                    "hash policy {policy} of {at} sends all streams to one peer over one of {links} links"
                ),
            },
        )
        .severity(if held.is_some() && !likely { Severity::Warning } else { Severity::Info })
        .measured(1.0, links as f64, Unit::Count)
        .evidence(
            format!("Transmit Hash Policy: {policy}"),
            side.source(&format!("/proc/net/bonding/{}", bond.name)),
        )
        .evidence(sent(side, bond), side.source("tx_bytes of the links over the probes"))
        .advice(if by_ports { more_streams() } else { hash_ports(side, bond) });
    // Where the bytes tell which link, its speed says nothing more; what shapes it does.
    let one_link = |result: &NetResult| {
        if let Some((name, _)) = side.busiest_link(bond) {
            return shaped(run, side, name, result);
        }
        let speed = bond.slaves.iter().filter_map(|slave| slave.speed_mbit_per_s).min()?;
        Some(explain::goodput(run, result, speed))
    };
    let explained = held.map(|result| {
        let explanation = explain::result(run, result, Mechanism::BondLinks);
        let explanation = match one_link(result) {
            Some(value) => explanation.bounded(value, Unit::BytesPerS, 0.1),
            None => explanation,
        };
        match all_links(run, side, bond, result) {
            Some((value, limited_by)) => explanation.without(value, Unit::BytesPerS, limited_by),
            None => explanation,
        }
    });
    finding.explains(explained).into()
}

fn hash_ports(side: &side::Side, bond: &Bond) -> Advice {
    set_bond(
        side.host,
        &bond.name,
        ["xmit_hash_policy", "layer3+4", &bond.xmit_hash_policy],
        "A hash without ports gives all streams between two hosts the same link.",
        SUM,
    )
    .on(side.peer)
}

fn more_streams() -> Advice {
    because("A hash spreads many streams evenly, and a few of them by chance; kernels before 4.16 put all even ports on one of two links, and programs that connect get even ones.")
        .now("Measure with more streams, which get other ports: fullwire net HOST --streams 16")
        .persist("more connections than links; of a kernel before 4.16, a newer one")
        .expecting(SUM)
}

const SUM: &str = "several streams reach the sum of the links; one stream still has one link";

/// The probability that an even hash puts all streams on one link.
fn by_chance(links: u64, streams: u32) -> f64 {
    (links as f64).powi(1 - streams.min(64).cast_signed())
}

/// What the links carry together once the streams spread over them, and what limits them then: each its speed, or what its
/// queueing discipline lets through; `None`: not known of one of them.
fn all_links(run: &Run, side: &side::Side, bond: &Bond, of: &NetResult) -> Option<(f64, &'static str)> {
    let stack = stack_of(run, of);
    let carriers: Vec<_> = interface::carriers(bond).collect();
    let spread = (carriers.len() as f64).min(f64::from(of.streams));
    let each = carriers.iter().map(|slave| {
        let speed = slave.speed_mbit_per_s.filter(|_| believable(side, &slave.name));
        let wire = speed.map(|speed| stack.goodput_bytes_per_s(speed as f64 * 1e6));
        let bounds = shaped(run, side, &slave.name, of).map(|rate| (rate, "qdisc-rate")).into_iter();
        bounds.chain(wire.map(|rate| (rate, "bond-goodput"))).min_by(|one, other| one.0.total_cmp(&other.0))
    });
    let each: Vec<(f64, &str)> = each.collect::<Option<_>>()?;
    let (_, limited_by) = each.iter().copied().min_by(|one, other| one.0.total_cmp(&other.0))?;
    let sum: f64 = each.iter().map(|(rate, _)| rate).sum();
    Some((sum * spread / carriers.len() as f64, limited_by))
}

/// What the queueing discipline of a link lets through of a result; `None`: none sets a rate.
fn shaped(run: &Run, side: &side::Side, link: &str, of: &NetResult) -> Option<f64> {
    let stack = stack_of(run, of);
    let rates = interface::shapers(side.host, link).into_iter().map(|(.., rate)| rate);
    rates.map(|rate| shaped_payload_bytes_per_s(&stack, rate)).min_by(f64::total_cmp)
}

fn believable(side: &side::Side, name: &str) -> bool {
    side.host.nic(name).is_some_and(|nic| interface::believable(side.host, nic))
}

fn sent(side: &side::Side, bond: &Bond) -> String {
    let each: Vec<String> = side
        .sent_bytes(bond)
        .iter()
        .map(|(name, bytes)| format!("{name} {:.1} MB", *bytes as f64 / 1e6))
        .collect();
    if each.is_empty() { "not read over a window".into() } else { format!("sent: {}", each.join(", ")) }
}

fn fills_one_link(run: &Run, result: &NetResult, bond: &Bond) -> bool {
    let speed = bond.slaves.iter().filter_map(|slave| slave.speed_mbit_per_s).min().unwrap_or(0) as f64 * 1e6;
    let one_link = stack_of(run, result).goodput_bytes_per_s(speed);
    one_link > 0.0 && result.throughput_bytes_per_s >= REACHED * one_link
}
