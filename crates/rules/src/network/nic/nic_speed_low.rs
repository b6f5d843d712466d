rule! {
    /// # What it checks
    /// Passes when the negotiated speed is the best that the interface supports and its partner offers, and a link of InfiniBand
    /// has all four lanes. Two lanes from HDR on may be a split cable: a note.
    /// # Why it matters
    /// A broken pair in the cable or a fixed port results in 100 Mbit/s on a gigabit port, 1 Gbit/s on a ten
    /// gigabit one: everything works, a tenth as fast.
    /// # Evidence
    /// `/sys/class/net/X/speed`; supported and partner's link modes (`ethtool X`).
    /// # Remedy
    /// Cable, transceiver, switch port; autonegotiation on both sides.
    /// # Source
    /// Linux Documentation/networking/ethtool-netlink.rst, `LINKMODES_GET` (ours, peer); IEEE 802.3 clause 28
    /// (highest common denominator). Linux drivers/infiniband/core/sysfs.c, `rate_show`; NVIDIA MLNX-OS user manual, "InfiniBand
    /// Interface", break-out cables (a port of four lanes becomes two of two, on switches of HDR and later alone).
    code: "nic-speed-low",
    title: "an interface negotiated a lower speed than both sides support",
    layer: Network, severity: Critical, on: [Nic], limits: [LinkSlow],

    /// A port of this speed and more takes modules or cables of its own; at 10 Gbit/s over twisted pair a switch of
    /// 1 Gbit/s is no fault.
    const NOT_TWISTED_PAIR_MBIT_PER_S: u64 = 25_000;
    /// Lanes of a port and of a cable.
    const ALL_LANES: u64 = 4;
}

fn check(run: &Facts) -> Vec<Outcome> {
    each::nic(
        run,
        |side, nic| (each::in_use(side, nic) || has_lanes(side, nic)) && nic.carrier != Some(false),
        |side, nic| judge(run, side, nic),
    )
}

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let Some(speed) = nic.speed_mbit_per_s.filter(|speed| *speed > 0) else {
        return unknown!("the speed of {at} is not known");
    };
    if let Some((lanes, rate)) = nic.lanes.split_once("X ") {
        return narrow(run, side, nic, speed, lanes, rate);
    }
    if nic.supported_modes.is_empty() {
        return unknown!("the link modes of {at} could not be read");
    }
    let able = fastest(&nic.supported_modes, |_| true);
    // Without the partner's word the interface's own best is only a hint.
    let common = fastest(&nic.supported_modes, |mode| nic.partner_modes.contains(mode));
    let (limit, sure) = if nic.partner_modes.is_empty() { (able, false) } else { (common, true) };
    if speed >= limit {
        return Outcome::Passes;
    }
    let finding = finding!(
        &at,
        "{at} runs at {speed} Mbit/s although {} {limit} Mbit/s",
        if sure { "both sides can do" } else { "it can do" },
    )
    .severity(match sure {
        true => Severity::Critical,
        false if speed < 1000 || is_far_below(side, nic, speed, able) => Severity::Warning,
        false => Severity::Info,
    })
    .measured(speed as f64, limit as f64, Unit::Count)
    .evidence(
        format!("speed {speed} Mbit/s, supported up to {able} Mbit/s, {}", offer(nic)),
        side.source(&format!("ethtool {}", nic.name)),
    )
    .advice(
        negotiate(
            side.host,
            nic,
            "A link falls back when a pair of the cable is broken or a side is fixed by hand.",
            &format!("{limit} Mbit/s; repeat the measurement"),
        )
        .now(format!(
            "`ethtool --cable-test {}` tests the pairs of a copper cable; the link is down during the test",
            as_word(&nic.name)
        ))
        .resets_link(&nic.name)
        .persist("Replace the cable or transceiver; autonegotiation on the switch port")
        .on(side.peer),
    );
    let bound = |result: &NetResult| Some(explain::goodput(run, result, speed));
    let explained = explain::streams_over(run, side, &nic.name, Mechanism::LinkSlow, bound);
    finding.explains(explained.into_iter().filter(|_| sure || speed < 1000)).into()
}

/// An interface over `InfiniBand` in use.
fn has_lanes(side: &side::Side, nic: &Nic) -> bool {
    !nic.lanes.is_empty() && nic.up != Some(false) && each::has_a_part(side, nic)
}

/// Rates that had no splitter cables.
const NEVER_SPLIT: [&str; 6] = ["SDR", "DDR", "QDR", "FDR", "FDR10", "EDR"];

/// A link of `InfiniBand` that came up on some of its lanes.
fn narrow(run: &Run, side: &side::Side, nic: &Nic, speed: u64, lanes: &str, rate: &str) -> Outcome {
    let Some(lanes) = lanes.parse::<u64>().ok().filter(|lanes| (1..ALL_LANES).contains(lanes)) else {
        return Outcome::Passes;
    };
    let at = side.subject(Kind::Nic, &nic.name);
    let sure = lanes == 1 || NEVER_SPLIT.contains(&rate);
    let full = speed * ALL_LANES / lanes;
    let finding = finding!(
        &at,
        "the InfiniBand link of {at} has {lanes} of {ALL_LANES} lanes: {speed} of {full} Mbit/s",
    )
        .severity(if sure { Severity::Critical } else { Severity::Info })
        .measured(speed as f64, full as f64, Unit::Count)
        .evidence(format!("rate {}", nic.lanes), side.source("/sys/class/infiniband/*/ports/*/rate"))
        .because("A link leaves out lanes that do not come up: a cable that is damaged or not seated, a dirty connector, or a splitter cable.")
        .look("grep -H . /sys/class/infiniband/*/ports/*/rate", "Shows the rate of each port; `ibdiagnet` or `iblinkinfo` on the subnet manager's host shows the other links")
        .now("Seat the cable again at both ends, then replace it; try another port of the switch")
        .resets_link(&nic.name)
        .expecting("4X in the rate of the port; repeat the measurement")
        .on(side.peer);
    let bound = |result: &NetResult| Some(explain::goodput(run, result, speed));
    let explained = explain::streams_over(run, side, &nic.name, Mechanism::LinkSlow, bound);
    finding.explains(explained.into_iter().filter(|_| sure)).into()
}

/// What the partner is known to offer.
fn offer(nic: &Nic) -> String {
    if nic.partner_modes.is_empty() {
        "what the partner offers is not known".to_owned()
    } else {
        format!("partner offers {}", nic.partner_modes.join(" "))
    }
}

/// A tenth of what the card can do, and not by the network's design: of a card that is not for such a network, or
/// beside a port of the same bond that is faster.
fn is_far_below(side: &side::Side, nic: &Nic, speed: u64, able: u64) -> bool {
    let bonded = side.host.nics.iter().filter(|other| nic.master.is_some() && other.master == nic.master);
    let mut others = bonded.filter_map(|other| other.speed_mbit_per_s);
    10 * speed <= able && (able >= NOT_TWISTED_PAIR_MBIT_PER_S || others.any(|other| other >= 10 * speed))
}

/// The fastest of the link modes (`10000baseT/Full`) that are wanted, Mbit/s.
fn fastest(modes: &[String], wanted: impl Fn(&String) -> bool) -> u64 {
    let speed = |mode: &String| mode.split("base").next().and_then(|digits| digits.parse().ok());
    modes.iter().filter(|mode| wanted(mode)).filter_map(speed).max().unwrap_or(0)
}
