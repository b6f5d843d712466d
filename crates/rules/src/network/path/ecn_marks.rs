rule! {
    /// # What it checks
    /// Passes unless the path marked at least 0.1 % of a bulk transfer's packets by ECN and the transfer left no queue.
    /// # Why it matters
    /// A mark asks the sender to slow down as a loss does, and nothing is sent again: no counter of losses tells of it. A
    /// switch that marks from a few packets on, with thresholds made for DCTCP, holds CUBIC far below the line.
    /// # Evidence
    /// Marks that the receiver reported in `TCP_INFO`; marked packets that its host counted; the round trip, which stays
    /// where it was.
    /// # Remedy
    /// The thresholds of RED, WRED or `CoDel` on the ports of the way; or no ECN for this traffic.
    /// # Source
    /// RFC 3168, 6.1.2 (the sender reacts to a mark as to a loss); RFC 8257, 3 (thresholds of DCTCP); Linux
    /// include/uapi/linux/tcp.h, `tcpi_delivered_ce`.
    code: "ecn-marks",
    title: "the path marks packets by ECN, and TCP slows down",
    layer: Network, severity: Warning, on: [Path], limits: [CongestionWindow],
    check: |run| each::result(run, NetMode::Async, |result| judge(run, result)),
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let Some(tcp) = &result.tcp else {
        return unknown!("TCP_INFO of the transfer to {} is missing", result.target);
    };
    let share = stream::marked_share(result).unwrap_or(0.0);
    // Where the queue is there, its marks do what they are for.
    if share < stream::MUCH_LOST || stream::stands_in_queue(result) || !stream::slows_at_loss(result) {
        return Outcome::Passes;
    }
    let direction = if result.reverse { "from" } else { "to" };
    let counted = stream::marks_received(run, result);
    let finding = finding!(
        Kind::Path.named(&result.target).aspect("ECN"),
        "a switch or router marks packets {direction} {} by ECN, and TCP slows down for each mark as for a loss: {}",
        result.target,
        words::rate(result.throughput_bytes_per_s),
    )
        .measured(share, stream::MUCH_LOST, Unit::Ratio)
        .evidence(
            format!("{} of {} segments reported as marked", tcp.ecn_marked, tcp.segments_out),
            "TCP_INFO of the sender",
        )
        .evidence(
            format!("round trip {} at least, {} under load", words::time(tcp.rtt_min_ns as f64), words::time(tcp.rtt_ns as f64)),
            "TCP_INFO of the sender",
        );
    let finding = match counted {
        Some(marks) => {
            finding.evidence(format!("{marks} marked packets received"), "/proc/net/netstat, IpExt InCEPkts")
        }
        None => finding,
    };
    // Each mark that arrives cuts the window once; the sender hears of it until it has answered, which is more often.
    let explained = match counted.filter(|marks| *marks > 0 && tcp.segments_out > 0) {
        Some(marks) => {
            let events = marks as f64 / tcp.segments_out as f64;
            explain::lossy(run, result, Mechanism::CongestionWindow, events)
        }
        None => explain::result(run, result, Mechanism::CongestionWindow),
    };
    finding
        .explains([explained])
        .because("The queue that marks is short or nearly empty: it asks for less than the line carries.")
        .now("Compare the marking thresholds (RED, WRED, CoDel) of every port of the way with what the line carries in a round trip")
        .look("nstat -az IpExtInCEPkts TcpExtTCPDeliveredCE", "Counts marked packets, on both ends")
        .persist("raise the thresholds of the port that marks, or take this traffic out of the class that it marks")
        .expecting("no mark without a queue, and the rate of the line")
        .into()
}
