rule! {
    /// # What it checks
    /// Passes unless a bond that carries a measured path is in mode balance-rr with several links.
    /// # Why it matters
    /// Round robin is the only mode in which one stream can use several links, and it pays with reordering: TCP
    /// takes late segments for lost ones. Many switches never spread the return traffic.
    /// # Evidence
    /// Bonding mode, members; reordering that TCP saw.
    /// # Remedy
    /// 802.3ad with layer3+4 and several streams, or active-backup.
    /// # Source
    /// Linux Documentation/networking/bonding.rst, balance-rr (out-of-order delivery, `tcp_reordering`);
    /// ip-sysctl.rst, `tcp_max_reordering`.
    code: "bond-balance-rr",
    title: "balance-rr delivers one stream out of order",
    layer: Network, severity: Warning, on: [Bond], limits: [BondLinks],
    check: |run| each::bond(run, |side, bond| judge(run, side, bond)),
}

fn judge(run: &Run, side: &side::Side, bond: &Bond) -> Outcome {
    if bond.mode.is_empty() {
        return unknown!("the mode of {} could not be read", side.name(&bond.name));
    }
    if bond.mode != "balance-rr" || bond.slaves.len() < 2 {
        return Outcome::Passes;
    }
    let paths = side.paths_over(run, &bond.name);
    let seen = run.net.iter().any(|result| paths.contains(&result.target) && stream::is_reordered(result));
    let at = side.subject(Kind::Bond, &bond.name);
    let finding = finding!(
        &at,
        "{at} is in mode balance-rr over {} links: segments of one stream overtake one another{}",
        bond.slaves.len(),
        if seen { ", and TCP sees it" } else { "" },
    )
    .severity(if seen {
        Severity::Warning
    } else if is_a_cable(side, bond) {
        Severity::Info
    } else {
        facts::hygiene(run)
    })
    .evidence(
        format!("Bonding Mode: load balancing (round-robin), {} slaves", bond.slaves.len()),
        side.source(&format!("/proc/net/bonding/{}", bond.name)),
    )
    .advice(remedy(side, bond).on(side.peer));
    let explained = explain::paths_over(run, side, &bond.name, Mechanism::BondLinks);
    finding.explains(explained.into_iter().filter(|_| seen)).into()
}

/// Its network has room for the two ends of a cable and for nothing else (RFC 3021): no switch is between, and a replication
/// of one stream has no other way to use both links (bonding.rst, "Maximum Throughput in a Multiple Switch Topology").
fn is_a_cable(side: &side::Side, bond: &Bond) -> bool {
    let own = side.host.nic(&bond.name).map(|nic| nic.addresses.as_slice()).unwrap_or_default();
    let v4 = |own: &&String| !own.contains(':');
    let of_two = |own: &String| own.ends_with("/30") || own.ends_with("/31");
    own.iter().any(|own| v4(&own)) && own.iter().filter(v4).all(of_two)
}

fn remedy(side: &side::Side, bond: &Bond) -> Advice {
    let why = "TCP treats late segments as lost and slows down, and the receiver spends CPU on every gap.";
    if is_a_cable(side, bond) {
        return because(why)
            .persist("Only if a stream is slower over both links than over one: active-backup or 802.3ad at both ends")
            .expecting("no reordering; one stream has one link");
    }
    set_bond(
        side.host,
        &bond.name,
        ["mode", "802.3ad", "balance-rr"],
        why,
        "no reordering; several streams share the links (layer3+4), one stream has one link",
    )
}
