rule! {
    /// # What it checks
    /// Passes when datagrams and TCP segments of the test arrive once. A warning from one in ten on, a note below.
    /// # Why it matters
    /// A loop between switches, a bond whose switch does not know of it, or a mirror port that leads back doubles
    /// packets. They take bandwidth, and TCP takes the doubled acknowledgements for loss.
    /// # Evidence
    /// Sequence numbers of the datagrams that arrived more than once; duplicate SACKs for more segments than were sent
    /// twice.
    /// # Remedy
    /// Look for the loop: LACP on both ends of a bond, spanning tree, mirror ports; no `broadcast` bond toward one
    /// switch.
    /// # Source
    /// RFC 5560 (a one-way packet duplication metric); RFC 2883 (a duplicate SACK reports a segment that had arrived); Linux Documentation/networking/bonding.rst, "Duplicated Incoming
    /// Packets".
    code: "packet-duplication",
    title: "packets arrive more than once",
    layer: Network, severity: Warning, on: [Path], limits: [Duplication],

    /// Of the packets; a healthy path duplicates none (own choice).
    const SHARE: f64 = 1e-3;
    /// Duplicates that a rerouting explains (own choice).
    const FEW: u64 = 10;
    /// From here on they take a part of the path that is felt (own choice).
    const MANY: f64 = 0.1;
    /// How near a stream comes to a line that it fills (own choice: the noise of a probe of seconds).
    const LINE: f64 = 0.05;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let datagrams = stream::datagrams(run).map(of_datagrams);
    // A datagram of several packets arrives once, whatever became of its fragments: segments report those.
    datagrams.chain(stream::results(run, NetMode::Async).filter_map(|one| of_segments(run, one))).collect()
}

fn of_datagrams(result: &NetResult) -> Outcome {
    let Some(udp) = result.udp.as_ref().filter(|udp| udp.sent > 0) else {
        return unknown!("no datagrams to {} were counted", result.target);
    };
    judge(result, "datagrams", udp.duplicated, udp.sent, "numbers of the datagrams")
}

/// What arrived twice though it was sent once: a segment that was retransmitted without need is no duplicate of the path.
fn of_segments(run: &Facts, result: &NetResult) -> Option<Outcome> {
    let tcp = result.tcp.as_ref().filter(|tcp| tcp.segments_out > 0)?;
    let twice = tcp.dsack_dups.saturating_sub(tcp.retransmits);
    let outcome = judge(result, "segments", twice, tcp.segments_out, "TCP_INFO of the sender");
    // A line that carries each of them again carries so much less of anything else.
    let left = |line: f64| line / (1.0 + stream::copied_share(tcp));
    // Most lines carry the same both ways: what comes the other way, once, shows what fits.
    let back = stream::results(run, NetMode::Async)
        .filter(|other| other.target == result.target && other.reverse != result.reverse)
        .map(stream::steady_bytes_per_s);
    let line = run.line_bytes_per_s(result).or_else(|| back.reduce(f64::max));
    Some(match (outcome, line) {
        (Outcome::Fires(finding), Some(line)) => {
            let explanation = explain::result(run, result, Mechanism::Duplication);
            finding.explains([explanation.bounded(left(line), Unit::BytesPerS, LINE)]).into()
        }
        (outcome, _) => outcome,
    })
}

fn judge(result: &NetResult, what: &str, twice: u64, sent: u64, source: &str) -> Outcome {
    let share = twice as f64 / sent as f64;
    if twice < FEW || share < SHARE {
        return Outcome::Passes;
    }
    finding!(
        Kind::Path.named(&result.target),
        "{} of the {what} to {} arrived more than once",
        facts::percent(share),
        result.target,
    )
    .severity(if share >= MANY { Severity::Warning } else { Severity::Info })
    .measured(share, SHARE, Unit::Ratio)
    .evidence(format!("sent {sent}, duplicated {twice}"), source)
    .path(&result.target)
    .because("Something on the way sends each packet twice.")
    .look(
        "grep -H 'Bonding Mode' /proc/net/bonding/* || true",
        "Shows bonds: `broadcast` doubles every packet",
    )
    .now("Look for a loop between the switches and for a mirror port that leads back into the network")
    .persist("LACP on the switch ports of every bond; spanning tree on all others")
    .expecting("no duplicates in `fullwire net --mode udp`")
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of 7.2 MB/s carries each fifth packet twice, so that a sixth of it is lost to the stream; the queue before it stands
    /// full, and takes nothing.
    #[test]
    fn what_a_line_carries_twice_it_carries_less_of_anything_else() {
        let text = include_str!("../../../fixtures/packet-duplication.json");
        let mut run = fullwire_model::fixture::run(text, "fires/of-a-line");
        let finding = |run: &Run| {
            let outcomes = check(&Facts::of(run)).into_iter();
            let mut fired = outcomes.filter_map(|outcome| match outcome {
                Outcome::Fires(finding) => Some(*finding),
                _ => None,
            });
            fired.next().expect("a finding")
        };
        let explains = finding(&run).explains;
        let [explanation] = explains.as_slice() else { panic!("one explanation") };
        let bound = explanation.bound.expect("a bound").value;
        // 71,644 of 357,427 arrived twice.
        assert!((bound * 1.2 / 7.5e6 - 1.0).abs() < 0.05, "{bound}");
        run.command.expect_bytes_per_s = None;
        assert!(finding(&run).explains.is_empty(), "the line is not known");
        let back =
            NetResult { reverse: true, throughput_bytes_per_s: 7.5e6, tcp: None, ..run.net[1].clone() };
        run.net.push(back);
        let shown = finding(&run).explains[0].bound.expect("a bound").value;
        assert!((shown / bound - 1.0).abs() < 0.05, "{shown}");
    }

    #[test]
    fn a_few_duplicates_are_a_note_and_one_in_ten_a_warning() {
        let severity = |twice: u64| match judge(&NetResult::default(), "segments", twice, 1_000, "TCP_INFO") {
            Outcome::Fires(finding) => Some(finding.severity),
            _ => None,
        };
        assert_eq!([0, 30, 150].map(severity), [None, Some(Severity::Info), Some(Severity::Warning)]);
    }
}
