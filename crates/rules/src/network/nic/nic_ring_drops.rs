rule! {
    /// # What it checks
    /// Passes when the interface missed no packets because it ran out of receive descriptors.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// What finds no descriptor is lost before any software sees it; bursts of a fast link fill a small ring
    /// within microseconds.
    /// # Evidence
    /// Growth of `rx_missed_errors`, `rx_fifo_errors`, `rx_over_errors` over the windows; size of the ring
    /// (`ethtool -g`).
    /// # Remedy
    /// `ethtool -G X rx MAX`; interrupts spread over CPUs that have time.
    /// # Source
    /// Linux Documentation/networking/statistics.rst (`rx_missed_errors`, `rx_fifo_errors`, `rx_over_errors`);
    /// netdata health.d net (fifo errors above 0).
    code: "nic-ring-drops",
    title: "the receive ring overflowed",
    layer: Network, severity: Warning, on: [Nic], limits: [OwnQueueDrops],
    check: |run| each::nic(run, each::is_adapter, |side, nic| judge(run, side, nic)),

    /// Fewer in a window are an accident.
    const FEW: u64 = 10;
    /// Of the packets since boot, below which bursts explain what was missed: as `nic-driver-errors` has it.
    const SHARE_SINCE_BOOT: f64 = 1e-4;
}

/// A ring that is at its maximum, or whose maximum is not known, cannot be grown: the packets must be taken out faster.
pub(super) fn advice(side: &side::Side, nic: &Nic, rings: &Rings) -> Advice {
    let why = "A packet without a free descriptor is lost before any software sees it.";
    let expect = "rx_missed_errors no longer grows under the same load";
    if rings.rx > 0 && rings.rx < rings.rx_max {
        let sizes = [sh!("rx {}", rings.rx_max), sh!("rx {}", rings.rx)];
        return set_ethtool(side.host, &nic.name, "-G", sizes, why, expect);
    }
    let shows = if nic.rings.is_some() {
        "Shows that the ring is as large as the card allows"
    } else {
        "Shows the size of the ring and the most that the card allows: `ethtool -G NIC rx N` enlarges it"
    };
    because(why)
        .look(sh!("ethtool -g {}", nic.name), shows)
        .now("Spread the interrupts over more CPUs and queues (`ethtool -l`, irqbalance), or give the busy CPU less to do")
        .persist("Pause bulk senders (pacing), or move them to another interface")
        .expecting(expect)
}

/// Drivers report one event under several of these names: the largest counts.
pub(super) fn missed_of(counters: &NicCounters) -> u64 {
    counters.rx_missed_errors.max(counters.rx_fifo_errors).max(counters.rx_over_errors)
}

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let missed = side.counted_nic(&nic.name, missed_of);
    // mlx5 counts what found no buffer as missed (en_main.c, mlx5e_get_stats): `nic-out-of-buffer` tells of it.
    let without_buffer =
        side.counted(|counters| counters.nics.get(&nic.name)?.driver.get("rx_out_of_buffer").copied());
    if without_buffer.zip(missed).is_some_and(|(one, missed)| one.count >= missed.count && missed.count > 0) {
        return Outcome::Passes;
    }
    let Some(missed) = missed else { return unknown!("the ring of {at} was not counted over a window") };
    let arrived = side.counted_nic(&nic.name, |c| c.rx_packets).map_or(0, |packets| packets.count);
    let burst = missed.is_total() && (missed.count as f64) < SHARE_SINCE_BOOT * arrived as f64;
    let weight = missed.span().weight((missed.count, FEW), !burst, RULE.severity);
    let Some(severity) = weight else { return Outcome::Passes };
    let rings = nic.rings.clone().unwrap_or_default();
    // A recording of another tool does not tell the size.
    let (size, of_size) = match &nic.rings {
        Some(rings) => (
            format!(" ({} of {} descriptors)", rings.rx, rings.rx_max),
            format!("; ring {} of {}", rings.rx, rings.rx_max),
        ),
        None => (String::new(), String::new()),
    };
    let finding = finding!(
        &at,
        "the receive ring of {at}{size} missed {} packets{}",
        missed.count,
        if missed.is_total() { missed.when() } else { format!(" {}", missed.span().in_seconds()) },
    )
    .severity(severity)
    .measured(missed.count as f64, 0.0, Unit::Count)
    .evidence(
        format!("{}{of_size}", missed.span().count("rx missed, fifo or over errors", missed.count)),
        side.source(&format!("/sys/class/net/{}/statistics, ethtool -g", nic.name)),
    )
    .advice(advice(side, nic, &rings).on(side.peer));
    finding.explains(explain::arriving(run, side, &nic.name, Mechanism::OwnQueueDrops)).into()
}
