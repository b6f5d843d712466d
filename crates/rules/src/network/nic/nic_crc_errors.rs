use crate::facts::driver;

rule! {
    /// # What it checks
    /// Passes when frames with a bad checksum or bad framing do not arrive: ten and more, and more than one in a
    /// million. Bad lengths do not count, for many drivers count harmless frames there (802.3 LLC, padding); nor do
    /// symbols that forward error correction put right.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time. Where they are
    /// the text of `ip -s link`, which has one sum of all errors, and that sum is no accident, it is unknown.
    /// # Why it matters
    /// Each damaged frame is a lost packet; they come from a bad cable or transceiver, dirt in a fibre, or a
    /// duplex mismatch, and grow with load.
    /// # Evidence
    /// Growth of `rx_crc_errors` and `rx_frame_errors` over the windows against packets received; the driver's own count of
    /// bad checksums (`ethtool -S`) where it is larger.
    /// # Remedy
    /// Clean or replace cable and transceiver; duplex alike on both sides.
    /// # Source
    /// Linux Documentation/networking/statistics.rst (`rx_crc_errors`, `rx_frame_errors`, `rx_length_errors`);
    /// IEEE 802.3 clause 91 (errors are corrected before the frame check); node-mixin (1 % of packets).
    code: "nic-crc-errors",
    title: "frames arrive damaged",
    layer: Network, severity: Critical, on: [Nic], limits: [LinkFault],
    check: |run| each::nic(run, each::in_use, |side, nic| judge(run, side, nic)),

    /// A share of the packets from which a wire is bad, and a count that is no accident.
    const SHARE: f64 = 1e-6;
    /// Damaged frames from which on it is no accident (own choice).
    const ENOUGH: u64 = 10;
}

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let standard = side.counted_nic(&nic.name, |c| c.rx_crc_errors.saturating_add(c.rx_frame_errors));
    let own = of_driver(side, nic);
    let is_of_driver =
        own.as_ref().zip(standard.as_ref()).is_some_and(|(own, standard)| own.0.count > standard.count);
    let (bad, called) = match own.filter(|_| is_of_driver) {
        Some((own, name)) => (Some(own), Some(name)),
        None => (standard, None),
    };
    let (Some(bad), Some(all)) = (bad, side.counted_nic(&nic.name, |c| c.rx_packets)) else {
        return unknown!("the errors of {at} were not counted over a window");
    };
    let share = bad.count as f64 / (all.count.saturating_add(bad.count)).max(1) as f64;
    let weight = bad.span().weight((bad.count, ENOUGH), share >= SHARE, RULE.severity);
    let Some(severity) = weight else { return passes_unless_summed(side, nic, all) };
    let finding = finding!(
        &at,
        "{} of {} frames arrived damaged at {at}{} (CRC, framing)",
        bad.count,
        all.count.saturating_add(bad.count),
        bad.when(),
    )
    .severity(severity)
    .measured(share, SHARE, Unit::Ratio)
    .evidence(
        format!(
            "{}, {} {}",
            bad.span().count(called.as_deref().unwrap_or("damaged"), bad.count),
            all.span().count("packets", all.count),
            bad.span().in_seconds()
        ),
        side.source(&match called {
            Some(_) => format!("ethtool -S {}", nic.name),
            None => format!("/sys/class/net/{}/statistics", nic.name),
        }),
    )
    .because("The link corrupts frames: each one is lost and must be sent again.")
    .look(
        sh!("ethtool -S {} | grep -iE 'crc|fcs|align|symbol' || true", nic.name),
        "Shows the error counters of the card",
    )
    .look(sh!("ethtool -m {} || true", nic.name), "Shows the light levels of the transceiver")
    .persist("clean or replace fibre, cable, transceiver; same duplex on both sides")
    .expecting("the counters no longer grow under load")
    .on(side.peer);
    let paths = side.paths_over(run, &nic.name);
    let streams = stream::results(run, NetMode::Async).filter(|one| paths.contains(&one.target));
    // What arrives damaged is lost to the stream that this end receives.
    let arriving = streams.filter(|one| !explain::leaves_by(side, one));
    finding.explains(arriving.map(|one| explain::lossy(run, one, Mechanism::LinkFault, share))).into()
}

/// The driver's own count of frames with a bad checksum, and its name: where the standard counters are the text of
/// `ip -s link`, which has one sum of all errors, it is the only one.
fn of_driver(side: &side::Side, nic: &Nic) -> Option<(side::Growth, String)> {
    let last = side.windows.last()?.to.nics.get(&nic.name)?;
    let names = last.driver.keys().filter(|name| driver::is_of_checksums(name));
    let counted = names.filter_map(|name| {
        let grown = side.counted(|counters| counters.nics.get(&nic.name)?.driver.get(name).copied())?;
        Some((grown, name.clone()))
    });
    counted.max_by_key(|(grown, _)| grown.count)
}

/// No damaged frame was counted. But the text of `ip -s link` has nothing but a sum of errors of all kinds.
fn passes_unless_summed(side: &side::Side, nic: &Nic, all: side::Growth) -> Outcome {
    let count =
        |read: fn(&NicCounters) -> u64| side.counted_nic(&nic.name, read).map_or(0, |growth| growth.count);
    let kinds = count(|c| {
        let damaged = [c.rx_crc_errors, c.rx_frame_errors, c.rx_length_errors];
        let lost = [c.rx_fifo_errors, c.rx_over_errors];
        damaged.into_iter().chain(lost).fold(0, u64::saturating_add)
    });
    let errors = count(|c| c.rx_errors);
    let share = errors as f64 / all.count.max(1) as f64;
    let is_summed = side.is_read_once() && kinds == 0;
    if is_summed && all.span().weight((errors, ENOUGH), share >= SHARE, RULE.severity).is_some() {
        return unknown!(
            "{errors} of the frames that arrived at {} had an error; of which kind was not read",
            side.name(&nic.name)
        );
    }
    Outcome::Passes
}
