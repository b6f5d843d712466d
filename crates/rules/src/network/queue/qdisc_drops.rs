use crate::facts::stream::INGRESS;

rule! {
    /// # What it checks
    /// Passes when the queueing disciplines of an interface drop less than 1 % of what they pass, a plain queue in
    /// front of a transfer less than would explain its rate. A shaper at its rate drops on purpose: that is the rule of
    /// the shaper.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// A queue that overflows before the interface loses what the program had sent; TCP sends it again and
    /// slows down.
    /// # Evidence
    /// Growth of drops against packets of each discipline over the windows (`tc -s qdisc`).
    /// # Remedy
    /// A longer queue (`ip link set X txqueuelen`), fq or `fq_codel` instead of pfifo; or a slower sender.
    /// # Source
    /// tc(8), tc-fq_codel(8), tc-pfifo_fast(8); `node_exporter` qdisc collector (`node_qdisc_drops_total`).
    code: "qdisc-drops",
    title: "a transmit queue on this host drops packets",
    layer: Network, severity: Warning, on: [Nic], limits: [OwnQueueDrops],

    /// Drops are how a managed queue (`fq_codel`, CAKE) speaks; beyond this share it is more than speech.
    const SHARE: f64 = 0.01;
    /// A queue that only overflows loses for TCP what a bad cable would: it takes the less, the longer the round trip.
    /// Below this share and count it is how a stream finds its rate.
    const SHARE_OF_PLAIN: f64 = 0.0002;
    /// Drops of a plain queue that are how a stream finds its rate.
    const FEW_OF_PLAIN: u64 = 5;
    /// A transfer that reaches more than this many times Reno's rate at this loss is not limited by the loss.
    const MATHIS_MARGIN: f64 = 3.0;
    /// Drops of any other queue below which a share means nothing (own choice).
    const FEW: u64 = 100;
    /// Share of a shaper's rate that a transfer reaches when the shaper limits it.
    const AT_RATE: f64 = 0.75;
}

const PLAIN: [&str; 5] = ["pfifo", "bfifo", "pfifo_fast", "tbf", "sfq"];

fn check(run: &Facts) -> Vec<Outcome> {
    each::nic(
        run,
        |_, nic| nic.up != Some(false) && nic.kind != "loopback",
        |side, nic| judge(run, side, nic),
    )
}

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let slowed = slowed(run, side, nic);
    let rate = nic.qdiscs.iter().filter_map(|qdisc| qdisc.rate_bytes_per_s).min_by(f64::total_cmp);
    // A discipline that sets a rate drops what exceeds it, and an emulator drops what it is set to drop: that is what they
    // are for. Below its rate a shaper has no reason to.
    let at_rate = |result: &NetResult, rate: f64| result.throughput_bytes_per_s >= AT_RATE * rate;
    let by_rate = rate.is_some_and(|rate| slowed.is_none_or(|result| at_rate(result, rate)));
    if by_rate || nic.qdiscs.iter().any(|qdisc| qdisc.kind == "netem") {
        return Outcome::Passes;
    }
    // What one transfer lost explains that transfer, and no other.
    let own = slowed.and_then(|result| worst_window(side, nic, |window| window.probe == result.probe));
    let lossy = own.filter(|(drops, _)| *drops >= FEW_OF_PLAIN);
    let slowed = slowed.filter(|_| lossy.is_some());
    if slowed.is_none() && rate.is_some() {
        return Outcome::Passes;
    }
    let counted = lossy.or_else(|| worst_window(side, nic, |_| true)).or_else(|| since_boot(side, nic));
    let Some((drops, packets)) = counted else {
        return unknown!("the queues of {} were not counted over a window", side.name(&nic.name));
    };
    let share = drops as f64 / packets.max(1) as f64;
    let plain = leaves(nic).all(|qdisc| PLAIN.contains(&qdisc.kind.as_str()));
    let explained = plain && slowed.is_some_and(|result| explains(result, share));
    let (few, allowed) = if explained { (FEW_OF_PLAIN, SHARE_OF_PLAIN) } else { (FEW, SHARE) };
    let span = side.since_boot().unwrap_or_default();
    if !span.has(drops, few) || share < allowed {
        return Outcome::Passes;
    }
    let at = side.subject(Kind::Nic, &nic.name);
    let finding = finding!(
        &at,
        "the queue of {at} {} {:.1} % of what it {}{} ({drops} of {packets})",
        if span.is_total() { "dropped" } else { "drops" },
        share * 100.0,
        if span.is_total() { "sent" } else { "sends" },
        span.when(drops),
    )
    .measured(share, allowed, Unit::Ratio)
    .evidence(
        format!(
            "{}, {}, txqueuelen {}",
            span.count("drops", drops),
            span.count("packets", packets),
            words::known(nic.tx_queue_packets)
        ),
        side.source(&format!("tc -s qdisc show dev {}", nic.name)),
    )
    .advice(own_queue(side, nic).expecting("drops below 1 % under the same load").on(side.peer));
    match slowed {
        Some(result) => {
            finding.explains([explain::lossy(run, result, Mechanism::OwnQueueDrops, share)]).into()
        }
        None => finding.into(),
    }
}

/// Disciplines that hold packets: not those that hand them to the ones below (tc(8), "classful qdiscs").
fn leaves(nic: &Nic) -> impl Iterator<Item = &Qdisc> {
    const CLASSFUL: [&str; 6] = ["htb", "hfsc", "prio", "drr", "qfq", "ets"];
    let holds = |qdisc: &&Qdisc| !CLASSFUL.contains(&qdisc.kind.as_str()) && qdisc.kind != "mq";
    nic.qdiscs.iter().filter(holds).filter(|qdisc| qdisc.parent != INGRESS)
}

/// A fair queue for the interface. Below the classes of another discipline the classes stay, and only the queue that
/// overflows is replaced.
fn own_queue(side: &side::Side, nic: &Nic) -> Advice {
    const WHY: &str = "Packets dropped before the NIC cost CPU and must be sent again.";
    let below = leaves(nic)
        .find(|qdisc| qdisc.parent.contains(':') && !nic.qdiscs.iter().any(|one| one.kind == "mq"));
    let bucket = leaves(nic).find(|qdisc| qdisc.kind == "tbf");
    if let Some(bucket) = bucket {
        return lengthen_bucket(&nic.name, bucket, WHY).unwrap_or_else(|| {
            because(WHY).now("Raise the limit of the shaper, at the same rate (tc-tbf(8), `limit`)")
        });
    }
    match below {
        Some(leaf) => replace_leaf(&nic.name, leaf, WHY),
        None => fair_queue(side.host, nic, WHY),
    }
}

/// Drops and packets of the interface's disciplines in the window with the largest share of drops: one transfer's
/// loss must not disappear among the packets of others. `None`: counted in none.
fn worst_window(side: &side::Side, nic: &Nic, wanted: impl Fn(&Window) -> bool) -> Option<(u64, u64)> {
    let grown = |window: &Window, read: fn(&QdiscCounters) -> u64| {
        Some(most(&window.to, nic, read)?.saturating_sub(most(&window.from, nic, read)?))
    };
    let counted =
        side.windows.iter().filter(|window| !facts::is_glance(window) && wanted(window)).filter_map(
            |window| Some((grown(window, |qdisc| qdisc.drops)?, grown(window, |qdisc| qdisc.packets)?)),
        );
    let share = |(drops, packets): &(u64, u64)| *drops as f64 / (*packets).max(1) as f64;
    counted.max_by(|one, other| share(one).total_cmp(&share(other)))
}

/// The largest figure of the interface's disciplines that send.
fn most(counters: &Counters, nic: &Nic, read: fn(&QdiscCounters) -> u64) -> Option<u64> {
    let sends = |qdisc: &&QdiscCounters| qdisc.parent != INGRESS;
    counters.qdiscs.get(&nic.name).map(|qdiscs| qdiscs.iter().filter(sends).map(read).max().unwrap_or(0))
}

/// The same since boot, where they were read once.
fn since_boot(side: &side::Side, nic: &Nic) -> Option<(u64, u64)> {
    let counted = |read| side.counted(|counters| most(counters, nic, read)).map(|counted| counted.count);
    side.since_boot()?;
    Some((counted(|qdisc| qdisc.drops)?, counted(|qdisc| qdisc.packets)?))
}

/// This much loss limits a stream to the rate that was measured.
fn explains(result: &NetResult, share: f64) -> bool {
    let Some(tcp) = &result.tcp else { return false };
    let reno = loss::mathis_bytes_per_s(tcp.mss_bytes, tcp.rtt_min_ns as f64, share);
    result.throughput_bytes_per_s <= MATHIS_MARGIN * reno * f64::from(result.streams.max(1))
}

/// A transfer that leaves by this interface and stays below its wire and below what was declared.
fn slowed<'a>(run: &'a Run, side: &side::Side, nic: &Nic) -> Option<&'a NetResult> {
    let paths = side.paths_over(run, &nic.name);
    stream::results(run, NetMode::Async)
        .filter(|result| paths.contains(&result.target) && explain::leaves_by(side, result))
        .find(|result| {
            let declared = stream::declared(run, &result.target);
            let as_declared = declared.is_some_and(|rate| result.throughput_bytes_per_s >= GOOD * rate);
            stream::is_flat_out(result) && !as_declared
        })
}
