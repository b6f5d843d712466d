use super::nic_ring_drops;
use crate::facts::driver;

rule! {
    /// # What it checks
    /// Passes when counters of the driver whose names speak of errors, drops or missing buffers do not grow with more
    /// than one packet in ten thousand.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// Drivers tell losses apart that the standard counters add up, and know of some that those do not show: no buffer,
    /// discards in the hardware, bad symbols.
    /// # Evidence
    /// Growth of the driver's statistics (`ethtool -S`): of known drivers the counters of lost and damaged packets, of
    /// others the names that xsos lists, without those that count normal work. Bad checksums (`nic-crc-errors`) and
    /// packets that `nic-ring-drops` counts are told there.
    /// # Remedy
    /// The name shows where to look: no buffer: rings; CRC, FCS, symbol: cable; discards: the host or `PCIe` is
    /// too slow.
    /// # Source
    /// ryran/xsos, list of suspicious ethtool statistics; Linux Documentation/networking/statistics.rst
    /// (driver-defined statistics); mlx5, `Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst`
    /// (`rx_err_lane_[l]_phy`, `rx_corrected_bits_phy`: before and by error correction).
    code: "nic-driver-errors",
    title: "the driver counts errors",
    layer: Network, severity: Warning, on: [Nic],
    check: |run| each::nic(run, each::is_adapter, judge),

    /// One in this many packets.
    const SHARE: f64 = 1e-4;
}

/// Parts of names that speak of trouble, and of names that only sound like it: every link of 25 Gbit/s and more has symbols that
/// forward error correction put right (`_lane_`, `corrected`). The last two have rules of their own.
const TROUBLE: [&str; 11] =
    ["drop", "discard", "err", "fifo", "miss", "crc", "fcs", "no_buf", "nobuf", "overrun", "timeout"];
const HARMLESS: [&str; 12] = [
    "fdir_miss", "steer_missed", "veb.", "cache_full", "csum_", "xdp", "tx_deferred", "interrupt", "_lane_",
    "corrected", "out_of_buffer", "allowance_exceeded",
];

fn judge(side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    if side.counted_nic(&nic.name, |c| c.rx_packets).is_none() {
        return unknown!("the driver of {at} was not counted over a window");
    }
    let counted = names(side, nic).into_iter().filter_map(|name| {
        let grown = side.counted(|counters| counters.nics.get(&nic.name)?.driver.get(&name).copied())?;
        let (packets, which) = packets_of(&name);
        Some((grown.count, name, side.counted_nic(&nic.name, packets)?, which))
    });
    // What the standard counters say of the ring is told by its own rule.
    let missed = side.counted_nic(&nic.name, nic_ring_drops::missed_of).map_or(0, |missed| missed.count);
    let counted = counted.filter(|(count, name, ..)| *count > missed || !driver::is_of_the_ring(name));
    let many = counted
        .filter(|(count, ..)| !has_its_own_rule(side, nic, *count))
        .filter(|(count, _, all, _)| all.span().has(*count, 10) && *count as f64 >= SHARE * all.count as f64);
    let Some((count, name, all, which)) = many.max_by_key(|(count, ..)| *count) else {
        return Outcome::Passes;
    };
    finding!(
        &at,
        "the driver of {at} counts {} in {} {which}packets{}{}",
        all.span().count(&name, count),
        all.count,
        all.span().when(count),
        ring_of(nic, &name),
    )
    .measured(count as f64, SHARE * all.count as f64, Unit::Count)
    .evidence(
        format!("{} {}", all.span().count(&name, count), all.span().in_seconds()),
        side.source(&format!("ethtool -S {}", nic.name)),
    )
    .advice(advice(side, nic, &name).on(side.peer))
    .into()
}

/// The same count is the interface's own of missed or damaged packets, of which other rules speak.
fn has_its_own_rule(side: &side::Side, nic: &Nic, count: u64) -> bool {
    let own: [fn(&NicCounters) -> u64; 5] = [
        |nic| nic.rx_missed_errors,
        |nic| nic.rx_fifo_errors,
        |nic| nic.rx_over_errors,
        |nic| nic.rx_crc_errors,
        |nic| nic.rx_frame_errors,
    ];
    let same = |read: fn(&NicCounters) -> u64| {
        side.counted_nic(&nic.name, read).map(|grown| grown.count) == Some(count)
    };
    each::in_use(side, nic) && own.into_iter().any(same)
}

/// The size of the ring, where that is what ran out.
fn ring_of(nic: &Nic, name: &str) -> String {
    match nic.rings.as_ref().filter(|_| driver::is_of_the_ring(name)) {
        Some(rings) => {
            format!(": no free buffer in the receive ring ({} of {} descriptors)", rings.rx, rings.rx_max)
        }
        None => String::new(),
    }
}

fn advice(side: &side::Side, nic: &Nic, name: &str) -> Advice {
    let look = because("The driver's own counters tell where packets are lost.")
        .look(sh!("ethtool -S {} | grep -F {} || true", nic.name, name), "Shows the counter; run it twice");
    let expect = format!("{name} no longer grows under load");
    if driver::is_of_the_ring(name) {
        let mut larger = nic_ring_drops::advice(side, nic, &nic.rings.clone().unwrap_or_default());
        larger.expect = String::new();
        return look.and(larger).expecting(expect);
    }
    look.look(sh!("ethtool -i {}", nic.name), "Names the driver whose documentation says what it means")
        .persist("symbol: cable; discard: PCIe slot, interrupts, CPU; no buffer: larger rings")
        .expecting(expect)
}

/// The packets that a counter is a share of: what is lost while it comes in of the received, by its name.
fn packets_of(name: &str) -> (fn(&NicCounters) -> u64, &'static str) {
    let lower = name.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    match words.find(|word| word.starts_with("rx") || word.starts_with("tx")) {
        Some(word) if word.starts_with("rx") => (|nic| nic.rx_packets, "received "),
        Some(_) => (|nic| nic.tx_packets, "sent "),
        None => (|nic| nic.rx_packets.saturating_add(nic.tx_packets), ""),
    }
}

fn names(side: &side::Side, nic: &Nic) -> Vec<String> {
    // An interface that is in use has its checksums judged by `nic-crc-errors`.
    let is_told = |name: &str| driver::is_of_checksums(name) && each::in_use(side, nic);
    let sounds = |name: &str| {
        let lower = name.to_lowercase();
        TROUBLE.iter().any(|part| lower.contains(part)) && !HARMLESS.iter().any(|part| lower.contains(part))
    };
    let speaks = |name: &&String| {
        !is_told(name) && driver::counts_a_loss(&nic.driver, name).unwrap_or_else(|| sounds(name))
    };
    let last = side.windows.last().and_then(|window| window.to.nics.get(&nic.name));
    last.map(|counters| counters.driver.keys().filter(speaks).cloned().collect()).unwrap_or_default()
}
