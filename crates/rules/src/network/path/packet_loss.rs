use crate::attribution::FAR;
use fullwire_model::rfc6349::Rfc6349;

rule! {
    /// # What it checks
    /// Passes unless TCP sent at least 0.1 % of the segments of a bulk transfer again that stayed below its wire, and
    /// neither a queue of this host nor reordering explains it; or datagrams of one packet were lost.
    /// # Why it matters
    /// A stream halves its window (CUBIC: takes 30 % off) for each loss event. On a LAN 0.1 % is already a
    /// fault; the longer the round trip, the less it takes: 0.0046 % cost a factor of 17 at 90 ms.
    /// # Evidence
    /// `tcpi_total_retrans` over `tcpi_segs_out`, duplicate SACKs, `tcpi_reord_seen` of `TCP_INFO`; drops of
    /// the queueing disciplines on the way out; Reno's rate at this loss by the formula of Mathis.
    /// # Remedy
    /// Find the lossy hop: error counters of both NICs and of every switch port between them, a duplex
    /// mismatch, a bad transceiver, an overloaded link; the ends cannot fix it.
    /// # Source
    /// RFC 6349 section 4.2 (TCP efficiency); fasterdata.es.net, Packet Loss (0.0046 % at 90 ms); Mathis and
    /// others 1997; Linux include/uapi/linux/tcp.h.
    code: "packet-loss",
    title: "TCP segments are lost on the path",
    layer: Network, severity: Critical, on: [Path], limits: [Loss],

    /// And that no path may exceed.
    const TOO_MUCH: f64 = 0.01;
    /// A transfer that reaches more than this many times what TCP keeps at this loss, or less than its inverse, is not limited
    /// by the loss: a short test sees a part of the cycle that the formula is the mean of.
    const MARGIN: f64 = 3.0;
    /// The same where datagrams at half the rate were lost as well: a stream of a second lives on the window that it began with.
    const MARGIN_OF_RANDOM: f64 = 10.0;
    /// Of the loss of a large datagram's packets that small ones must have, too: few of these are sent.
    const SHARED_FATE: f64 = 0.5;
    /// Fewer lost datagrams are an incident.
    const FEW: u64 = 10;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut outcomes = each::result(run, NetMode::Async, |result| judge(run, result));
    outcomes.extend(stream::datagrams(run).filter_map(|result| judge_datagrams(run, result)));
    outcomes
}

/// Datagrams that left and did not arrive, nor were dropped at a full socket of the peer. Of several packets each: those
/// that small ones next to them share the fate of; otherwise it is their fragments, and a separate rule reports that.
fn judge_datagrams(run: &Run, result: &NetResult) -> Option<Outcome> {
    let udp = result.udp.as_ref().filter(|udp| udp.sent > 0)?;
    let at_socket = udp.receive_buffer_drops;
    let lost = stream::lost_datagrams(udp);
    let share = lost as f64 / udp.sent as f64;
    let packets = stream::packets_of(run, result);
    let of_packets = 1.0 - (1.0 - share).powf(1.0 / packets as f64);
    let own_fate = packets > 1 && udp.small_loss.is_none_or(|small| small < SHARED_FATE * of_packets);
    if of_packets < TOO_MUCH || lost < FEW || own_fate {
        return Some(Outcome::Passes);
    }
    if stream::is_flood(result) {
        return Some(unknown!(
            "datagrams to {} were sent at {}, as fast as they could be: what is lost at a rate that the path carries was \
             not measured (`--rate`)",
            result.target,
            words::rate(udp.sent_bytes_per_s)
        ));
    }
    let size =
        if result.payload_bytes > 0 { format!("{}-byte ", result.payload_bytes) } else { String::new() };
    let finding = finding!(
        Kind::Path.named(&result.target),
        "{:.1} % of the {size}datagrams to {} were lost on the way ({lost} of {}, sent at {})",
        share * 100.0,
        result.target,
        udp.sent,
        words::rate(if udp.sent_bytes_per_s > 0.0 {
        udp.sent_bytes_per_s
        } else {
        result.throughput_bytes_per_s
        }),
    )
        .measured(share, TOO_MUCH, Unit::Ratio)
        .evidence(
            format!("sent {}, lost {}, at a full socket {at_socket}: {:.1} % of the packets", udp.sent, udp.lost, of_packets * 100.0),
            "numbers of the datagrams",
        )
        .explains([explain::result(run, result, Mechanism::Loss).active(share)])
        .because("Only the program itself can repair a lost datagram, after a timeout; an interconnect reports lost blocks.")
        .now(format!("`fullwire net {} --mode udp --rate RATE` with lower and lower rates until none is lost: that is the rate of the path", as_word(&result.target)))
        .now("Read `ethtool -S` on both ends and the discard counters of every switch port between them")
        .persist("replace the port whose counters rise, or have the line or its shaper raised")
        .expecting("no lost datagram at the rate that is needed");
    Some(finding.into())
}

fn judge(run: &Facts, result: &NetResult) -> Outcome {
    let (Some(tcp), Some(share)) = (&result.tcp, stream::lost_share(run, result)) else {
        return unknown!("TCP_INFO of the transfer to {} is missing", result.target);
    };
    let own_drops = stream::own_drops(run, result);
    let Some(keeps) = explain::loss_bound(run, result, share).filter(|_| share >= stream::MUCH_LOST) else {
        return Outcome::Passes;
    };
    let follows_rate = run.loss_follows_rate(result);
    let margin = if follows_rate == Some(false) { MARGIN_OF_RANDOM } else { MARGIN };
    let rate = stream::fallen_to(result).unwrap_or(result.throughput_bytes_per_s);
    if rate > margin * keeps {
        return Outcome::Passes;
    }
    // Losses that TCP would bear at a higher rate are no reason for a lower one, nor are those of a queue that stays full all
    // the same: a window that losses keep small leaves no queue. Those of a rate are the path's, unless that carries more.
    let bursts = follows_rate == Some(true) && run.path_carries_more(result);
    let innocent = stream::stands_in_queue(result) || follows_rate == Some(true) && !bursts;
    let felt = rate * MARGIN >= keeps && !innocent;
    let terms = Rfc6349::of(result, []).and_then(|terms| terms.tcp_efficiency_percent);
    let efficiency =
        terms.map(|percent| format!("TCP efficiency {percent:.2} % (RFC 6349), ")).unwrap_or_default();
    let finding = finding!(
        Kind::Path.named(&result.target),
        "{:.2} % of the segments to {} were lost and retransmitted ({} of {}; a LAN stays below 0.1 %): the \
             congestion window shrinks each time",
            share * 100.0,
            result.target,
            tcp.retransmits,
            tcp.segments_out,
    )
    .severity(match felt {
        false => Severity::Info,
        true if share >= TOO_MUCH => Severity::Critical,
        true => Severity::Warning,
    })
    .measured(share, stream::MUCH_LOST, Unit::Ratio)
    .evidence(
        format!("retransmits {}, segments out {}, duplicate SACKs {}", tcp.retransmits, tcp.segments_out, tcp.dsack_dups),
        "TCP_INFO of the sender",
    )
    .evidence(format!("{efficiency}drops in own queues {own_drops}"), "TCP_INFO, tc -s")
    .evidence(
        format!(
            "CUBIC keeps {} at this loss and a round trip of {}; measured {}",
            // A bound that is so far away says only that loss is not it.
            if keeps > FAR * rate { "far more".to_owned() } else { format!("about {}", words::rate(keeps)) },
            words::time(tcp.rtt_ns.max(tcp.rtt_min_ns) as f64),
            words::rate(rate)
        ),
        "RFC 9438, section 5: MSS / RTT x 1.05 (RTT / p)^0.75, at least MSS / RTT x 1.22 / sqrt(p), p: share of loss events",
    )
    .evidence(tolerable(run, result, tcp), "MSS / RTT x 1.22 / sqrt(p), solved for the loss");
    let told = match follows_rate {
        Some(true) if bursts => {
            "were not lost, and several streams carry more: a queue or policer on the way drops bursts"
        }
        Some(true) => "were not lost: these losses come with the rate",
        Some(false) => "were lost as well: these losses do not come with the rate",
        None => "",
    };
    let told = (!told.is_empty()).then(|| format!("datagrams at half the rate {told}"));
    let finding = told.into_iter().fold(finding, |finding, told| finding.evidence(told, "experiment"));
    finding
    .explains([if innocent {
        explain::result(run, result, Mechanism::Loss).active(0.0)
    } else if rate > MARGIN * keeps {
        // Random, and beyond what the formula of a long stream allows: a sign without a bound.
        explain::result(run, result, Mechanism::Loss)
    } else {
        explain::lossy(run, result, Mechanism::Loss, share)
    }])
    .because("TCP treats loss as a sign of a full queue and slows down; the longer the round trip, the longer it takes to recover.")
    .now("Read `ethtool -S` on both ends and the error and discard counters of every switch port between them")
    .look(sh!("mtr --report --report-wide --report-cycles 100 {}", route::host_of(route::remote(result))), "Shows at which hop the loss begins")
    .persist("replace the cable, transceiver or port whose counters rise")
    .expecting(format!("below 0.1 % retransmitted; repeat `fullwire net {}`", as_word(&result.target)))
    .into()
}

/// The loss at which Reno would still fill the line.
fn tolerable(run: &Run, result: &NetResult, tcp: &TcpSummary) -> String {
    let line = stream::declared(run, &result.target).or_else(|| {
        let nic = interface::nic_toward(run, result).filter(|nic| interface::believable(&run.host, nic))?;
        Some(explain::goodput(run, result, nic.speed_mbit_per_s?))
    });
    let Some(line) = line.filter(|line| *line > 0.0) else {
        return "the rate of the line is not known".into();
    };
    let each = line / f64::from(result.streams.max(1));
    let loss = loss::mathis_loss_for(tcp.mss_bytes, tcp.rtt_min_ns as f64, each);
    if loss >= 1.0 {
        return format!("at so short a round trip no loss limits {}", words::rate(line));
    }
    format!("{} needs a loss below {:.5} %", words::rate(line), loss * 100.0)
}
