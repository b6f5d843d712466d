use crate::facts::{side::Side, stream::INGRESS};

rule! {
    /// # What it checks
    /// Passes when no filter of an interface (`tc filter`, on `ingress` or `clsact`) drops what arrives or leaves there.
    /// # Why it matters
    /// A policer drops what is above its rate instead of delaying it: TCP takes that for congestion and falls far below the
    /// rate. The interface's own counters are clean, and the other end only sees loss.
    /// # Evidence
    /// Growth of the drops of the ingress discipline, next to the packets that it saw.
    /// # Remedy
    /// Remove the filter, or let the sender shape to the rate instead.
    /// # Source
    /// tc(8) and tc-police(8): a policer discards or passes, it has no queue. Linux Documentation/networking/
    /// (`net/sched/sch_ingress.c`): the ingress disciplines count what their filters drop.
    code: "ingress-filter-drops",
    title: "a filter on this interface drops packets",
    layer: Network, severity: Warning, on: [Nic], limits: [OwnShaper],

    /// Fewer are a stray packet that a filter is meant to drop (own choice).
    const FEW: u64 = 10;
    /// Of the packets: a filter that drops less holds no stream back (own choice).
    const SHARE: f64 = 0.001;
    /// Of what a filter drops of a stream at least a quarter is sent again while the stream is measured (own choice: 1 to 0.4
    /// in the lab; of acknowledgements at most 0.14).
    const FEWER: u64 = 4;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let filters = |nic: &Nic| nic.qdiscs.iter().any(|qdisc| qdisc.parent == INGRESS);
    each::nic(run, |_, nic| nic.up != Some(false) && filters(nic), |side, nic| judge(run, side, nic))
}

fn judge(run: &Run, side: &Side, nic: &Nic) -> Outcome {
    let counted = side.windows.iter().filter_map(|window| {
        let (before, after) = (of_ingress(&window.from, &nic.name)?, of_ingress(&window.to, &nic.name)?);
        let grown = (after.0.saturating_sub(before.0), after.1.saturating_sub(before.1));
        Some((window.probe, grown))
    });
    // The discipline counts a packet before its filters see it.
    let share = |(drops, packets): (u64, u64)| drops as f64 / packets.max(1) as f64;
    let counted: Vec<_> = counted.collect();
    let Some(&(probe, worst)) = counted.iter().max_by(|one, other| share(one.1).total_cmp(&share(other.1)))
    else {
        return unknown!("the filters of {} were not counted over a window", side.name(&nic.name));
    };
    if worst.0 < FEW || share(worst) < SHARE {
        return Outcome::Passes;
    }
    let paths = side.paths_over(run, &nic.name);
    let streams = || stream::results(run, NetMode::Async).filter(|result| paths.contains(&result.target));
    // The discipline counts both ways together: what was dropped while a stream ran is counted as its data.
    let explained = streams().filter_map(|result| {
        let (_, own) = counted.iter().find(|(probe, _)| *probe == result.probe)?;
        let lost = share(*own);
        // The sender's TCP is told of it at once and holds back, at the rate of the filter.
        let told = explain::leaves_by(side, result);
        if own.0 < FEW || lost < SHARE || (!told && sent_again(result) * FEWER < own.0) {
            return None;
        }
        let rate = stream::steady_bytes_per_s(result);
        Some(if told {
            explain::result(run, result, Mechanism::OwnShaper).inferred(rate, Unit::BytesPerS)
        } else {
            explain::lossy(run, result, Mechanism::OwnShaper, lost)
        })
    });
    let leaves = streams().any(|result| result.probe == probe && explain::leaves_by(side, result));
    let (way, what) = if leaves { ("egress", "leaves") } else { ("ingress", "arrives") };
    let at = side.subject(Kind::Nic, &nic.name);
    finding!(
        &at,
        "a filter on the {way} of {at} drops {:.1} % of what {what} ({} of {})",
        share(worst) * 100.0,
        worst.0,
        worst.1,
    )
    .measured(share(worst), SHARE, Unit::Ratio)
    .evidence(
        format!("drops +{}, packets +{}", worst.0, worst.1),
        side.source(&format!("tc -s qdisc show dev {}", nic.name)),
    )
    .explains(explained)
    .advice(remedy(&nic.name, way).on(side.peer))
    .into()
}

/// Segments of a stream that were sent again, since it began. Where a filter drops more, these are acknowledgements and
/// what others send.
fn sent_again(result: &NetResult) -> u64 {
    result.tcp.as_ref().map_or(u64::MAX / FEWER, |tcp| tcp.retransmits + tcp.warmup_retransmits)
}

/// Drops and packets of the ingress discipline of an interface.
fn of_ingress(counters: &Counters, nic: &str) -> Option<(u64, u64)> {
    let ingress = counters.qdiscs.get(nic)?.iter().find(|qdisc| qdisc.parent == INGRESS)?;
    Some((ingress.drops, ingress.packets))
}

fn remedy(nic: &str, way: &'static str) -> Advice {
    because("A policer drops what exceeds its rate instead of delaying it, and TCP slows down far below that rate.")
        .look(sh!("tc -s filter show dev {} {}", nic, way), "Shows the filter and its policer; keep the output, because nothing else brings it back")
        .now(format!("Find out who set it (a container network, a cloud agent, a QoS script); then remove it: `tc filter del dev {nic} {way}`", nic = as_word(nic)))
        .pauses(nic)
        .persist("Remove it from what sets it at boot; where the rate is meant, shape on the sender's interface instead")
        .expecting("no drops by the filter, and the stream at the rate of the path")
}
