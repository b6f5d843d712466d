use fullwire_model::Total;

rule! {
    /// # What it checks
    /// Passes when the totals of a pasted output (`ethtool -S`, `netstat -s`, `nstat`, `nfsstat`) show no loss that is large
    /// beside what was carried. There is nothing to compare a total with: it is told as `n of m` since boot, and may be old.
    /// # Why it matters
    /// 3.9 billion dropped frames are a fact, whenever they were dropped.
    /// # Evidence
    /// The counter, and the one that it is a share of.
    /// # Remedy
    /// By the counter; read it again after a while: only if it grows the cause is still there.
    /// # Source
    /// Linux Documentation/networking/statistics.rst; the drivers' sources (mlx5 `en_stats.c`, be2net `be_ethtool.c`, ixgbe
    /// `ixgbe_ethtool.c`, i40e, ice, bnx2x, bnxt, sfc, vmxnet3, virtio, ena); net/ipv4/proc.c; nfsstat(8). The shares are ours: as `nic-ring-drops`,
    /// `nic-crc-errors`, `tcp-retransmissions` and `nfs-retransmits` have them.
    code: "counter-total",
    title: "a counter of losses is high since boot",
    layer: Network, severity: Warning, on: [File],
    when: |run| !run.totals.is_empty(),

    /// Fewer are an accident of months.
    const FEW: f64 = 1_000.0;
    /// From this number on it is many, even as a small share.
    const MANY: f64 = 1e6;
    /// TCP segments sent again from which on they are noted.
    const NOTED: f64 = 500.0;
    /// Their share from which on they are noted.
    const NOTED_SHARE: f64 = 2e-3;
    /// Share of all frames from which on an error that is not known is told.
    const UNKNOWN_SHARE: f64 = 1e-3;
}

/// Counters of the same.
struct Counter {
    /// The ends of their names.
    names: &'static [&'static str],
    /// What it is a share of: the ends of names, the first that is there; none: each is one too many.
    of: &'static [&'static str],
    /// From this share on it is felt.
    share: f64,
    layer: Layer,
    says: &'static str,
    remedy: &'static str,
}

const PACKETS: &[&str] =
    &["rx_packets", "rx packets", "rx_ucast_packets", "rx_pkts", "rx_packets_phy", "rxq0: rx_pkts"];
const SENT: &[&str] = &["tx_packets", "tx packets", "tx_packets_phy", "tx_ucast_packets"];
const SEGMENTS_OUT: &[&str] = &["segments send out", "segments sent out", "TcpOutSegs", "Segments Sent"];
const SEGMENTS_IN: &[&str] = &["segments received", "TcpInSegs"];
const DATAGRAMS: &[&str] = &["Udp: packets received", "UdpInDatagrams"];

const PASSIVE: &[&str] = &["passive connection openings", "TcpPassiveOpens"];
/// Each that is counted is a connection, a datagram or a segment that was lost, whatever it is a share of.
const EACH_IS_LOST: [&[&str]; 4] = [PASSIVE, DATAGRAMS, SEGMENTS_IN, REASSEMBLIES];
/// Scheduling periods of a control group (Linux Documentation/scheduler/sched-bwc.rst), of which those are a part in which it was
/// throttled; a few tell of a habit, too.
const PERIODS: &[&str] = &["nr_periods"];
const REASSEMBLIES: &[&str] = &["reassemblies required", "IpReasmReqds"];

const BUFFERS: [&str; 2] = [
    "arriving frames were dropped because the host had no receive buffers posted in time",
    "A larger receive ring (ethtool -g, -G), more queues (ethtool -l, -L), and a look at the CPU that serves the queue's interrupt. Neither the wire nor the switch is at fault",
];
const WIRE: [&str; 2] = [
    "frames arrived damaged: the optics, the wire or the port at its other end",
    "Compare the counters of the switch port; clean or replace the optics and the cable of this link",
];
const BACKLOG: [&str; 2] = [
    "sockets' receive buffers ran over: the programs read too slowly, or their buffers are too small",
    "Larger buffers (net.core.rmem_max, net.ipv4.tcp_rmem, SO_RCVBUF of the program), or a program that reads faster. Neither the card nor the wire lost these",
];

const DROPPED: [&str; 2] = [
    "frames were dropped after they had arrived: for lack of buffers or CPU, or because no protocol wanted them",
    "ethtool -S and /proc/net/softnet_stat tell which: the second column there grows if the CPU is too slow",
];
const PAUSED: [&str; 2] = [
    "the other end of the link told this port to pause: it could not take more frames",
    "Find what is congested behind the switch port: a slower link, or a receiver that itself sends pauses; this host only waits",
];
const AGAIN: [&str; 2] = [
    "TCP segments were sent again: the path loses packets",
    "See to which peers (ss -ti), then the counters of each link on the way",
];
const QUEUE: [&str; 2] = [
    "connections were turned away because the queue of a listening port was full",
    "A longer queue (net.core.somaxconn and the program's own), or a program that accepts faster",
];
const ALLOWANCE: [&str; 2] = [
    "the instance had more traffic than its size allows (bandwidth, packets or connections, as the name says): packets were queued or dropped",
    "A larger instance, or less traffic and larger packets; neither the ring nor a cable is at fault",
];
const REASSEMBLY: [&str; 2] = [
    "datagrams in fragments could not be put together again: a fragment of each was lost, or too many waited. RAC sends its blocks like that",
    "Jumbo frames on the private network (no fragments at all); otherwise look for the loss (ethtool -S, softnet_stat, switch ports), then raise net.ipv4.ipfrag_high_thresh",
];

/// Lines of the table: the ends of a counter's names, its layer, the share from which on it is felt and of what, what it says and
/// what to do.
macro_rules! counters {
    ($($($name:literal),+ => $layer:ident, $share:literal of $of:expr, $words:expr;)*) => {
        const COUNTERS: &[Counter] = &[$({
            const WORDS: [&str; 2] = $words;
            let (layer, [says, remedy]) = (Layer::$layer, WORDS);
            Counter { names: &[$($name),+], of: $of, share: $share, layer, says, remedy }
        }),*];
    };
}

counters! {
    "rx_out_of_buffer", "rx_drops_no_frags", "rx_drops_no_pbuf", "rx_no_buffer", "rx_no_buffer_count",
        "rx_missed_errors", "rx_no_dma_resources", "alloc_rx_buff_failed", "rx_fifo_errors",
        "port.rx_dropped", "rx_dropped.nic", "rx_discards", "brb_discards", "rx_total_discard_pkts",
        "rx_nodesc_drops", "pkts rx out of buf", "rx missed", "rx overruns", "rx overrun"
        => Network, 1e-5 of PACKETS, BUFFERS;
    "rx_dropped", "rx dropped"
        => Network, 1e-3 of PACKETS, DROPPED;
    "rx_queue_#_drops"
        => Network, 1e-3 of &["rx_queue_#_packets"], DROPPED;
    "rx_flow_control_xoff", "link_xoff_rx", "rx_pause_ctrl_phy", "rx_pause_frames", "pause_frames_received"
        => Network, 1e-3 of SENT, PAUSED;
    "packet reassembles failed", "IpReasmFails"
        => Network, 1e-4 of REASSEMBLIES, REASSEMBLY;
    "rx_crc_errors", "rx_crc_errors_phy", "rx_symbol_err_phy", "rx_fcs_errors", "rx_align_errors", "rx crc",
        "rx frame", "fcs errors", "crc errors"
        => Network, 1e-6 of PACKETS, WIRE;
    "allowance_exceeded"
        => Network, 1e-6 of PACKETS, ALLOWANCE;
    "TcpExtTCPBacklogDrop", "TCPBacklogDrop", "TcpExtTCPRcvQDrop", "TCPRcvQDrop", "TcpExtPruneCalled",
        "packets pruned from receive queue because of socket buffer overrun"
        => Network, 1e-4 of SEGMENTS_IN, BACKLOG;
    "TcpExtTCPRcvCollapsed", "packets collapsed in receive queue due to low socket buffer"
        => Network, 1e-3 of SEGMENTS_IN, BACKLOG;
    "RcvbufErrors", "UdpRcvbufErrors", "receive buffer errors"
        => Network, 1e-4 of DATAGRAMS, BACKLOG;
    "segments retransmited", "segments retransmitted", "TcpRetransSegs"
        => Network, 1e-2 of SEGMENTS_OUT, AGAIN;
    "times the listen queue of a socket overflowed", "TcpExtListenOverflows"
        => Network, 1e-3 of PASSIVE, QUEUE;
    "rx errors"
        => Network, 1e-5 of PACKETS, [
            "frames arrived with errors: damaged on the wire, or more than the adapter could take",
            "Which of both, ethtool -S of the interface tells (crc, symbol, missed); then the optics and the switch port, or the receive ring",
        ];
    "nr_throttled"
        => Host, 0.05 of &["nr_periods"], [
            "this control group used up its CPU quota, and its processes stood still until the next period",
            "A higher CPU limit, or none, for a database (cpu.max; limits.cpu of the pod): each stop delays whatever runs, commits too",
        ];
    "softnet dropped"
        => Host, 1e-5 of &["softnet processed"], [
            "frames were dropped because a CPU did not take them out of its backlog in time",
            "A larger net.core.netdev_max_backlog, and the queues' interrupts spread over more CPUs (RSS, RPS). Neither the wire nor the adapter lost these",
        ];
    "tx errors"
        => Network, 1e-5 of &["tx packets"], [
            "frames could not be sent",
            "ethtool -S of the interface tells why (carrier, underrun); look at the link and the driver",
        ];
    "tx carrier"
        => Network, 1e-6 of &["tx packets"], [
            "the link was lost while frames were sent",
            "Look at the optics, the cable's plug and the switch port",
        ];
    "rx_discards_phy"
        => Network, 1e-5 of PACKETS, [
            "frames were dropped at the port of the adapter: its buffer ran over before the host took them",
            "Pause frames or ECN on this link; look whether the PCIe slot is as wide as the adapter needs (lspci -vv)",
        ];
    "Segments Retransmitted"
        => Network, 1e-2 of SEGMENTS_OUT, [
            AGAIN[0],
            "See to which peers (Get-NetTCPConnection, a capture), then the counters of each link on the way",
        ];
    "oom_kill"
        => Host, 0.0 of &[], [
            "the kernel ended processes because no memory was left",
            "dmesg says which and when (Out of memory: Killed process); let the databases use less memory, or add some",
        ];
    "pswpout", "pages swapped out"
        => Host, 0.025 of &["pgpgout", "pages paged out", "K paged out"], [
            "a tenth or more of all that was written was memory moved to swap (pages, beside KiB in all): the host was short of memory",
            "vmstat 1: si and so say whether it still swaps; let the databases use less memory, or add some",
        ];
    "invalid_crc_count", "error_frames"
        => Storage, 0.0 of &[], [
            "frames of Fibre Channel arrived damaged: an optic, a cable or a port of this link; each costs a command its time-out",
            "The same counters of the switch port (porterrshow), and those of lost links beside it here; clean or replace the optics and the cable",
        ];
    "nfs client retrans"
        => Storage, 1e-3 of &["nfs client calls"], [
            "NFS calls were sent again. Over TCP that happens only when the server did not answer within timeo, or the connection broke: each is a long stall",
            "Look at the server and the network to it at the times in the kernel's log, and at timeo of the mounts (600 is usual over TCP); rsize and wsize do not matter here",
        ];
}

fn fewest(counter: &Counter) -> f64 {
    if counter.of.is_empty() { 1.0 } else { FEW }
}

fn check(run: &Facts) -> Vec<Outcome> {
    let wholes = wholes(&run.totals);
    let values: BTreeMap<_, _> =
        run.totals.iter().map(|one| ((one.source.as_str(), one.name.as_str()), one.value)).collect();
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut said: BTreeSet<(&str, &str)> = BTreeSet::new();
    for total in &run.totals {
        let Some(counter) = known(&total.name).filter(|_| !is_of_others(total, &values)) else {
            continue;
        };
        if let Some(outcome) = judge(total, counter, &wholes)
            && said.insert((&total.source, counter.says))
        {
            outcomes.push(outcome);
        }
    }
    outcomes.extend(unknown(&run.totals, &wholes));
    if outcomes.is_empty() { vec![Outcome::Passes] } else { outcomes }
}

/// Frames that found no buffer are counted as dropped as well, and damaged ones as errors: counted by themselves it is known why.
fn is_of_others(total: &Total, values: &BTreeMap<(&str, &str), f64>) -> bool {
    const PARTS: [(&str, &[&str]); 2] = [
        ("rx dropped", &["rx overruns", "rx missed"]),
        ("rx errors", &["rx crc", "rx frame", "rx overruns", "rx overrun", "rx missed"]),
    ];
    let own = |(name, parts): &(&str, &'static [&'static str])| {
        total.name.strip_suffix(name).map(|interface| (interface.to_owned(), *parts))
    };
    let Some((interface, parts)) = PARTS.iter().find_map(own) else { return false };
    let count = |part: &&str| values.get(&(total.source.as_str(), &*format!("{interface}{part}"))).copied();
    parts.iter().filter_map(count).sum::<f64>() * 1.1 >= total.value
}

fn known(name: &str) -> Option<&'static Counter> {
    COUNTERS.iter().find(|counter| counter.names.iter().any(|end| is(name, end)))
}

/// Errors of an adapter that no line of the table counts: what they are its driver knows. Those of a guest's own programs (XDP), of
/// flows that a table does not hold, and of checksums, which others make, are none of the path.
fn unknown(totals: &[Total], wholes: &Wholes) -> Option<Outcome> {
    const WORDS: [&str; 6] = ["err", "drop", "discard", "fail", "miss", "overrun"];
    const OTHERS: [&str; 5] = ["xdp", "csum", "checksum", "filter", "fdir_"];
    let carried = |total: &Total| {
        let all = PACKETS.iter().chain(SENT).filter_map(|name| wholes.get(&(total.source.as_str(), *name)));
        all.copied().reduce(f64::max)
    };
    let holds = |total: &Total, words: &[&str]| words.iter().any(|word| total.name.contains(word));
    let is_much = |total: &&Total| {
        let of_adapter = total.name.contains('_') && holds(total, &WORDS) && !holds(total, &OTHERS);
        let share = carried(total).map_or(0.0, |all| total.value / (all + total.value));
        of_adapter && total.value >= FEW && share >= UNKNOWN_SHARE && known(&total.name).is_none()
    };
    let total = totals.iter().find(is_much)?;
    let message = format!(
        "{} {:.0} of {:.0} frames since boot: what it counts is not known to fullwire",
        total.name,
        total.value,
        carried(total)?
    );
    let file = total.source.rsplit('/').next().unwrap_or(&total.source);
    let advice = because("A counter of errors that is large is told, not judged.").now(
        "The driver's documentation says what it counts; whether it still grows, ethtool -S a while later",
    );
    let finding = RULE.finding(Kind::File.named(file), message).severity(Severity::Info);
    let seen = format!("{} {:.0}", total.name, total.value);
    Some(finding.evidence(seen, &total.source).advice(advice.expecting("the counter does not grow")).into())
}

/// The name is this one, whatever queue or protocol stands before it, or the number of one within it.
fn is(name: &str, end: &str) -> bool {
    if let Some((start, rest)) = end.split_once("_#") {
        let own = name
            .strip_prefix(start)
            .and_then(|own| own.strip_prefix('_'))
            .and_then(|own| own.strip_suffix(rest));
        return own.is_some_and(|number| number.parse::<u32>().is_ok());
    }
    name.strip_suffix(end)
        .is_some_and(|before| before.is_empty() || before.ends_with([' ', '_', '.', ':', '>']))
}

/// Of each source the counters that others are a part of: the largest of each name.
type Wholes<'a> = BTreeMap<(&'a str, &'static str), f64>;

fn wholes(totals: &[Total]) -> Wholes<'_> {
    let names: BTreeSet<&'static str> = COUNTERS.iter().flat_map(|counter| counter.of).copied().collect();
    let mut wholes = Wholes::new();
    for total in totals {
        for name in names.iter().filter(|name| is(&total.name, name)) {
            let largest = wholes.entry((&total.source, name)).or_insert(total.value);
            *largest = largest.max(total.value);
        }
    }
    wholes
}

fn judge(total: &Total, counter: &Counter, wholes: &Wholes) -> Option<Outcome> {
    let base = |name: &&&str| wholes.get(&(total.source.as_str(), **name)).copied();
    // At the port arrives more than the host gets.
    let at_port = counter.of.iter().filter(|name| total.name.ends_with("_phy") && name.ends_with("_phy"));
    let whole = at_port.chain(counter.of).find_map(|name| base(&name));
    // Where the part is larger, it is none of that.
    let whole = whole.filter(|whole| total.value <= *whole || counter.of == SEGMENTS_OUT);
    let is_loss = counter.of.is_empty()
        || EACH_IS_LOST.contains(&counter.of)
        || total.name.ends_with("allowance_exceeded");
    if whole.is_none() && (FEW..MANY).contains(&total.value) && !is_loss {
        let what =
            format!("{}: {} {:.0} of a number that is not listed", total.source, total.name, total.value);
        return Some(Outcome::Unknown(what));
    }
    let all = |whole: f64| if counter.of == PERIODS { whole } else { whole + total.value };
    let share = whole.map(|whole| total.value / all(whole).max(1.0));
    let is_few = total.value < fewest(counter) || share.is_some_and(|share| share < counter.share);
    // Below what is felt TCP's repeats are still worth their number.
    let is_noted = match counter.of {
        SEGMENTS_OUT => total.value >= NOTED && share.is_some_and(|share| share >= NOTED_SHARE),
        PERIODS => share.is_some_and(|share| share >= counter.share),
        _ => false,
    };
    if is_few && !is_noted {
        return None;
    }
    let of = whole.map_or(String::new(), |whole| format!(" of {whole:.0}"));
    let percent = share.map_or(String::new(), |share| match share * 100.0 {
        percent if percent >= 0.1 => format!(" ({percent:.2} %)"),
        percent => format!(" ({percent:.4} %)"),
    });
    // Repeats of requests for connections are counted, and the requests are no segments with data.
    let unanswered = counter.of == SEGMENTS_OUT && whole.is_some_and(|whole| total.value > whole);
    let says = if unanswered {
        "more TCP segments were sent again than were sent for the first time: requests for connections that nobody answers (the far end is down, turns them away, or a firewall drops them)"
    } else {
        counter.says
    };
    let (of, percent) = if unanswered { (String::new(), String::new()) } else { (of, percent) };
    let message = format!("{} {:.0}{of} since boot{percent}: {says}", total.name, total.value);
    let file = total.source.rsplit('/').next().unwrap_or(&total.source);
    let mut finding = RULE.finding(Kind::File.named(file), message);
    finding.layer = counter.layer;
    if is_few {
        finding = finding.severity(Severity::Info);
    }
    if let Some(share) = share {
        finding = finding.measured(share, counter.share, Unit::Ratio);
    }
    let advice = because(
        "A total may be old: read the counter again after a while; if it grows, the cause is still there.",
    )
    .now(counter.remedy)
    .expecting("the counter does not grow over a day of the same load");
    Some(finding.evidence(format!("{} {:.0}", total.name, total.value), &total.source).advice(advice).into())
}
