rule! {
    /// # What it checks
    /// Passes unless the sender saw segments overtake one another, or a datagram test counted more late datagrams than
    /// lost ones.
    /// # Why it matters
    /// TCP takes a hole for loss, sends again what was only late and slows down; a receiver cannot merge
    /// segments that come out of order and pays more CPU for each.
    /// # Evidence
    /// `tcpi_reord_seen`, `tcpi_dsack_dups`, at the receiver `tcpi_rcv_ooopack`; order of the numbered
    /// datagrams.
    /// # Remedy
    /// Keep one flow on one path: no per-packet balancing in routers and fabrics, no `balance-rr` bond, a hash
    /// with ports instead.
    /// # Source
    /// RFC 4737; RFC 2883 (duplicate SACK); Linux Documentation/networking/bonding.rst (balance-rr) and
    /// include/uapi/linux/tcp.h (`tcpi_reord_seen`, `tcpi_dsack_dups`, `tcpi_rcv_ooopack`).
    code: "packet-reordering",
    title: "packets arrive out of order",
    layer: Network, severity: Warning, on: [Path], limits: [Reordering],

    /// Share of datagrams out of order that is worth a word.
    const MUCH: f64 = 0.005;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut outcomes = each::result(run, NetMode::Async, |result| stream(run, result));
    outcomes.extend(each::datagrams(run, |result| datagrams(run, result)));
    outcomes
}

fn stream(run: &Run, result: &NetResult) -> Outcome {
    let Some(tcp) = &result.tcp else {
        return unknown!("TCP_INFO of the transfer to {} is missing", result.target);
    };
    if !stream::is_reordered(result) {
        return Outcome::Passes;
    }
    let arrived = result.peer_tcp.as_ref().map_or(0, |peer| peer.out_of_order_packets);
    // A window that fills a queue all the same was not made small by it.
    let innocent = stream::stands_in_queue(result);
    let explanation = explain::result(run, result, Mechanism::Reordering);
    finding!(
        Kind::Path.named(&result.target),
        "segments to {} arrive out of order: reordering was seen {}, and segments were retransmitted although the first copy had arrived: {}",
        result.target,
        words::times(tcp.reorder_seen),
        words::counted(tcp.dsack_dups, "segment"),
    )
    .measured(tcp.dsack_dups as f64, 0.0, Unit::Count)
    .evidence(
        format!(
            "reord_seen {}, dsack_dups {}, reordering {} packets",
            tcp.reorder_seen, tcp.dsack_dups, tcp.reordering_packets
        ),
        "TCP_INFO of the sender",
    )
    .evidence(format!("rcv_ooopack {arrived}"), "TCP_INFO of the receiver")
    .severity(if innocent { Severity::Info } else { Severity::Warning })
    .explains([if innocent { explanation.active(0.0) } else { explanation }])
    .advice(advice(&result.target))
    .into()
}

fn datagrams(run: &Run, result: &NetResult) -> Outcome {
    let Some(udp) = result.udp.as_ref().filter(|udp| udp.sent > 0) else {
        return unknown!("the datagram test to {} counted nothing", result.target);
    };
    let share = udp.reordered as f64 / udp.sent as f64;
    if share < MUCH || udp.reordered <= udp.lost {
        return Outcome::Passes;
    }
    finding!(
        Kind::Path.named(&result.target),
        "{:.1} % of the datagrams to {} arrive out of order",
        share * 100.0,
        result.target,
    )
    .measured(share, MUCH, Unit::Ratio)
    .evidence(
        format!("sent {}, reordered {}, lost {}", udp.sent, udp.reordered, udp.lost),
        "numbers of the datagrams",
    )
    .explains([explain::result(run, result, Mechanism::Reordering).active(share)])
    .advice(advice(&result.target))
    .into()
}

fn advice(target: &PathName) -> Advice {
    because("Parallel paths of unequal length deliver one flow out of order.")
        .now("Look for per-packet load balancing in the routers and the fabric between the ends")
        .look(
            "grep -H 'Bonding Mode' /proc/net/bonding/* || true",
            "Shows the bonds: balance-rr reorders by design",
        )
        .persist("balance by flow: ECMP hash with ports, bond 802.3ad with layer3+4")
        .expecting(format!(
            "reord_seen and duplicate SACKs stay at 0; repeat `fullwire net {target}`",
            target = as_word(target)
        ))
}
