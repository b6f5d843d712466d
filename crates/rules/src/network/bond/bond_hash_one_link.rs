use crate::advice::set_bond;
use crate::ceiling::network::{bond::reachable_links, stack_of};
use crate::facts::interface;
use crate::network::each;
use crate::prelude::*;
use fullwire_model::host::Bond;

rule! {
    /// # What it checks
    /// Passes unless several streams to one peer run over a bond whose hash policy looks at layer 2 (or 2+3) only.
    ///
    /// # Why it matters
    /// All traffic to one peer (or to one router) then takes one link, however many streams there are: two
    /// database servers never exceed it.
    ///
    /// # Evidence
    /// Mode and `Transmit Hash Policy`, links that carry, bytes that each sent while the test ran, streams and rate.
    ///
    /// # Remedy
    /// `xmit_hash_policy=layer3+4`, and on the switch for the return traffic.
    ///
    /// # Source
    /// Linux Documentation/networking/bonding.rst, `xmit_hash_policy` (layer2 will place all traffic to a
    /// particular network peer on the same slave).
    code: "bond-hash-one-link",
    title: "the hash policy puts all streams on one link",
    layer: Network, severity: Warning, on: [Bond], limits: [BondLinks],

    /// Share of one link that several streams must reach to be limited by it, if the links' bytes were not read.
    const REACHED: f64 = 0.85;
    /// Share of what all links sent: one that sent more had the streams to itself.
    const ALONE: f64 = 0.95;
}

fn check(run: &Facts) -> Vec<Outcome> {
    each::bond(run, |side, bond| judge(run, side, bond))
}

fn judge(run: &Run, side: &side::Side, bond: &Bond) -> Outcome {
    if !matches!(bond.mode.as_str(), "802.3ad" | "balance-xor") {
        return Outcome::Passes;
    }
    if bond.xmit_hash_policy.is_empty() {
        return Outcome::Unknown(format!("the hash policy of {} could not be read", side.name(&bond.name)));
    }
    let links = interface::carrying(bond);
    if links < 2 || reachable_links(&bond.mode, &bond.xmit_hash_policy, links, links) > 1 {
        return Outcome::Passes;
    }
    let paths = side.paths_over(run, &bond.name);
    let busiest = busiest_share(side, bond);
    let held = stream::results(run, NetMode::Async)
        .filter(|result| result.streams > 1 && paths.contains(&result.target))
        .find(|result| match busiest {
            // What a host receives, the other end has spread.
            Some(share) => share >= ALONE && result.reverse == side.peer.is_some(),
            None => fills_one_link(run, result, bond),
        });
    let (at, policy) = (side.subject(Kind::Bond, &bond.name), &bond.xmit_hash_policy);
    let finding = RULE
        .finding(
            &at,
            match held {
                Some(result) => format!(
                    "{} streams to {} share one of {links} links of {at}, because its hash policy is {policy}",
                    result.streams, result.target
                ),
                None => format!(
                    "hash policy {policy} of {at} sends all streams to one peer over one of {links} links"
                ),
            },
        )
        .severity(if held.is_some() { Severity::Warning } else { Severity::Info })
        .measured(1.0, links as f64, Unit::Count)
        .evidence(
            format!("Transmit Hash Policy: {policy}"),
            side.source(&format!("/proc/net/bonding/{}", bond.name)),
        )
        .evidence(sent(side, bond), side.source("tx_bytes of the links over the probes"))
        .advice(
            set_bond(
                side.host,
                &bond.name,
                ["xmit_hash_policy", "layer3+4", policy],
                "A hash without ports gives all streams between two hosts the same link.",
                "several streams reach the sum of the links; one stream still has one link",
            )
            .on(side.peer),
        );
    let one_link = |result: &NetResult| {
        let speed = bond.slaves.iter().filter_map(|slave| slave.speed_mbit_per_s).min()?;
        Some(explain::goodput(run, result, speed)).filter(|_| busiest.is_none())
    };
    let explained = held.map(|result| {
        let explanation = explain::result(run, result, Mechanism::BondLinks);
        match one_link(result) {
            Some(value) => explanation.bounded(value, Unit::BytesPerS, 0.1),
            None => explanation,
        }
    });
    finding.explains(explained).into()
}

/// Bytes that each carrying link sent over the windows.
fn sent_bytes<'a>(side: &side::Side, bond: &'a Bond) -> Vec<(&'a str, u64)> {
    let grown = |name: &str| side.nic(name, |counters| counters.tx_bytes).map(|growth| growth.count);
    bond.slaves.iter().filter_map(|slave| Some((slave.name.as_str(), grown(&slave.name)?))).collect()
}

/// The share of the busiest link; `None`: not read of two links at least, or too little to tell.
fn busiest_share(side: &side::Side, bond: &Bond) -> Option<f64> {
    const ENOUGH_BYTES: u64 = 4 << 20;
    let sent = sent_bytes(side, bond);
    let all: u64 = sent.iter().map(|(_, bytes)| *bytes).fold(0, u64::saturating_add);
    let most = sent.iter().map(|(_, bytes)| *bytes).max()?;
    (sent.len() > 1 && all >= ENOUGH_BYTES).then(|| most as f64 / all as f64)
}

fn sent(side: &side::Side, bond: &Bond) -> String {
    let each: Vec<String> = sent_bytes(side, bond)
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
