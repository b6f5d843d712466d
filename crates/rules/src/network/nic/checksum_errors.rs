rule! {
    /// # What it checks
    /// Passes when no segments or datagrams arrive with a wrong TCP or UDP checksum.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// The link's own check (Ethernet CRC) had passed or was made again behind the damage: memory, firmware or an offload
    /// of a NIC, switch or firewall changes packets. TCP takes them for lost; one in 65,536 goes unnoticed.
    /// # Evidence
    /// Growth of `TcpInCsumErrors` and `UdpInCsumErrors` of the receiving host over the windows.
    /// # Remedy
    /// Switch checksum offload off on both ends to see whether it is the NIC; otherwise replace the device that re-sends.
    /// # Source
    /// RFC 1624 and RFC 9293 section 3.1 (16-bit checksum); Stone and Partridge, When the CRC and TCP Checksum
    /// Disagree, SIGCOMM 2000; Linux `Documentation/networking/snmp_counter.rst`.
    code: "checksum-errors",
    title: "packets arrive damaged",
    layer: Network, severity: Critical, on: [Protocol], limits: [LinkFault],
    check: |run| each::counters(run, &NAMES, |side, grown| judge(run, side, grown)),

    /// Fewer in all windows are an accident.
    const FEW: u64 = 5;
    /// Of what was received since boot: the share from which a wire counts as bad (`nic-crc-errors`).
    const SHARE_SINCE_BOOT: f64 = 1e-6;
}

const NAMES: [&str; 2] = ["TcpInCsumErrors", "UdpInCsumErrors"];
/// What the checksums were of.
const RECEIVED: [&str; 2] = ["TcpInSegs", "UdpInDatagrams"];

fn judge(run: &Run, side: &side::Side, grown: &each::Grown) -> Outcome {
    let all = RECEIVED.iter().filter_map(|name| side.counted(|counters| counters.snmp.get(*name).copied()));
    let all = all.map(|counted| counted.count).fold(0, u64::saturating_add);
    let stray = grown.span.is_total() && (grown.sum() as f64) < SHARE_SINCE_BOOT * all as f64;
    let weight = grown.span.weight((grown.sum(), FEW), !stray, RULE.severity);
    let Some(severity) = weight else { return Outcome::Passes };
    let host = side.peer.map_or("this host", PathName::as_str);
    let finding = finding!(
        Kind::Protocol.named("received packets").at(side.at()),
        "{} packets reached {host} with a wrong checksum{}: something on the path corrupts them", grown.sum(), grown.span.when(grown.sum()),
    )
        .severity(severity)
        .measured(grown.sum() as f64, 0.0, Unit::Count)
        .evidence(grown.text(), side.source("/proc/net/snmp"))
        .because("For TCP a corrupted packet is a lost packet, and some corruption passes the checksum.")
        .now("Disable checksum offload on one end, then the other (`ethtool -K NIC rx off tx off`), and see whether the counter stops growing")
        .persist("replace or update (firmware, driver) the device behind which the counter rises")
        .undo("`ethtool -K NIC rx on tx on`")
        .expecting("the counters stop growing; repeat the measurement").on(side.peer);
    let measured = run.net.iter().filter(|result| !result.path.loopback);
    match side.peer {
        Some(peer) => finding.explains([Explanation::of_path(peer, Mechanism::LinkFault)]).into(),
        None => finding.explains(measured.map(|one| explain::result(run, one, Mechanism::LinkFault))).into(),
    }
}
