rule! {
    /// # What it checks
    /// Passes unless blocks that need several IP fragments are lost while datagrams of one packet arrive.
    /// # Why it matters
    /// One lost fragment loses the block. A firewall that drops fragments, which carry no ports, lets ping, TCP
    /// and small messages pass and stops every 8 KiB block of an interconnect.
    /// # Evidence
    /// Loss of the test's datagrams compared with the loss of small ones sent along; IP reassemblies that failed on
    /// both ends.
    /// # Remedy
    /// Let IP fragments through (iptables -f, nft `ip frag-off`), or an MTU that takes the block whole (9000
    /// for 8 KiB); enough memory and time for reassembly (`net.ipv4.ipfrag_high_thresh`, `ipfrag_time`).
    /// # Source
    /// RFC 8900 section 3 (fragments are dropped by middleboxes); Linux
    /// `Documentation/networking/snmp_counter.rst` and ip-sysctl.rst (ipfrag_*).
    code: "udp-fragments-lost",
    title: "fragments are lost, small datagrams are not",
    layer: Network, severity: Critical, on: [Path], limits: [FragmentLoss],

    /// Lost of the large datagrams, and the factor over the loss of small ones, that make it the fragments.
    const MUCH: f64 = 0.01;
    /// Times the loss of small datagrams: fragments are lost, not packets (own choice).
    const FACTOR: f64 = 4.0;
    /// Share and number of lost datagrams from which their size is evidence without a failed reassembly.
    const TELLING: f64 = 0.05;
    /// Number of lost datagrams below which nothing is reported (own choice).
    const FEW: u64 = 10;
    /// As good as all: no chance explains that.
    const ALL: f64 = 0.95;
    /// A loss this many times above chance is caused by fragmentation.
    const BEYOND_CHANCE: f64 = 2.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let large = |result: &NetResult| stream::packets_of(run, result) > 1;

    each::datagrams(run, |result| if large(result) { judge(run, result) } else { Outcome::Passes })
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let Some(udp) = result.udp.as_ref().filter(|udp| udp.sent > 0) else {
        return unknown!("the datagram test to {} counted nothing", result.target);
    };
    let count = stream::lost_datagrams(udp);
    let lost = count as f64 / udp.sent as f64;
    if lost < MUCH {
        return Outcome::Passes;
    }
    let small = udp.small_loss;
    // Sent faster than a stream gets through: the queue drops what is large, and that says nothing of fragments.
    let too_fast = stream::is_flood(result) || exceeds_path(run, result);
    if lost < ALL && udp.reassembly_failures == 0 && too_fast {
        return Outcome::Passes;
    }
    if lost < ALL && lost <= BEYOND_CHANCE * by_chance(run, result, small.unwrap_or(0.0)) {
        return Outcome::Passes;
    }
    // Few small datagrams go as well: that none of them was lost says little of a small share.
    let tells = lost >= TELLING && count >= FEW;
    let by_size = tells && small.is_some_and(|small| lost >= FACTOR * small);
    let by_count = udp.reassembly_failures * 10 >= count;
    if !by_size && !by_count {
        return match small {
            Some(_) => Outcome::Passes,
            None => unknown!("no small datagrams were sent to {} along with the large ones", result.target),
        };
    }
    let beside = small.map_or("was not measured".into(), |small| format!("is {:.1} %", small * 100.0));
    finding!(
        Kind::Path.named(&result.target).aspect("IP fragments"),
        "{:.1} % of the {}-byte datagrams to {} are lost, loss of datagrams in one packet {beside}: IP fragments are \
             dropped or not reassembled",
            lost * 100.0,
            result.payload_bytes,
            result.target,
    )
    .measured(lost, small.unwrap_or(0.0), Unit::Ratio)
    .evidence(format!("sent {}, lost {count}; loss of datagrams in one packet {beside}", udp.sent), "numbers of the datagrams")
    .evidence(format!("reassembly failures {}", udp.reassembly_failures), "/proc/net/snmp, Ip ReasmFails of both ends")
    .explains([explain::result(run, result, Mechanism::FragmentLoss).active(lost)])
    .because("A block arrives only if all of its fragments do; fragments carry no ports, so filters drop them.")
    .look("nft list ruleset", "Look for rules that drop fragments, on both ends and between")
    .look("iptables-save -c", "The same for iptables")
    .now(format!("`fullwire net {} --mode interconnect --length 1400` sends one packet for each message: it should lose none", as_word(&result.target)))
    .persist("allow fragments between the nodes, or MTU 9000 on every hop, so that 8 KiB blocks need none")
    .expecting("no lost datagram and no reassembly failure")
    .into()
}

/// The datagrams were sent faster than the best stream on the same way went.
fn exceeds_path(run: &Run, result: &NetResult) -> bool {
    let streams = streams_beside(run, result).map(|stream| stream.throughput_bytes_per_s);
    let sent = result.udp.as_ref().map_or(0, |udp| udp.sent) as f64 * result.payload_bytes as f64;
    streams.reduce(f64::max).is_some_and(|best| sent / result.duration_s > best)
}

fn streams_beside<'a>(run: &'a Run, result: &'a NetResult) -> impl Iterator<Item = &'a NetResult> {
    stream::results(run, NetMode::Async).filter(|stream| stream.target == result.target && !stream.reverse)
}

/// Share of the datagrams that are lost when each of their packets is, independently, as often as small datagrams and
/// the segments of a stream on the same path: 1 - (1 - p)^n. That is loss on the way, not of fragments.
fn by_chance(run: &Run, result: &NetResult, small: f64) -> f64 {
    let packet = streams_beside(run, result).filter_map(stream::resent_share).fold(small, f64::max).min(1.0);
    1.0 - (1.0 - packet).powf(stream::packets_of(run, result) as f64)
}
