use crate::ceiling::network::rfc6349;

rule! {
    /// # What it checks
    /// Passes unless a bulk transfer makes the round trip 3 times as long and at least 5 ms longer (buffer delay of RFC
    /// 6349).
    /// # Why it matters
    /// Bulk traffic fills a queue on the path and keeps it full: throughput is all there, but every commit,
    /// every block of the interconnect waits behind it.
    /// # Evidence
    /// Round trip of a separate connection idle and under load, or of the stream itself.
    /// # Remedy
    /// Smaller queues or queue management (`fq_codel`, CAKE) where the line begins; or pace the bulk transfer a
    /// little below the line, so that the queue stays with the sender.
    /// # Source
    /// RFC 6349 section 4.3 (buffer delay); RFC 7567 (active queue management); RFC 8290 (FQ-CoDel).
    code: "bufferbloat",
    title: "the round trip grows many times under load (bufferbloat)",
    layer: Network, severity: Warning, on: [Path], limits: [PathQueue],

    /// Delay added by load that affects commits on any path; below it the finding is only information.
    const WAITS_NS: f64 = 50e6;
    /// On a long path TCP queues a few round trips while it searches for the rate; a tenfold growth means an unmanaged queue.
    const BLOATS: f64 = 10.0;
    /// Added by load that is worth a word, and the factor over the idle round trip that makes it a queue.
    const NOTICED_NS: f64 = 5e6;
    /// Times the idle round trip, from which on a queue is felt (own choice).
    const GROWS: f64 = 3.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    each::result(run, NetMode::Async, |result| judge(run, result))
}

fn judge(run: &Run, result: &NetResult) -> Outcome {
    let Some((idle, loaded)) = stream::round_trips(run, result) else {
        return unknown!("the round trip to {} was not measured", result.target);
    };
    let loaded = longest_smoothed(result).map_or(loaded, |longest| loaded.min(longest));
    let added = loaded - idle;
    if added < NOTICED_NS || loaded < GROWS * idle {
        return Outcome::Passes;
    }
    let delay = rfc6349::shown_buffer_delay_percent(loaded, idle);
    // Beyond that, how many times it grows tells more than a percentage.
    let delay = delay
        .filter(|percent| *percent < 1_000.0)
        .map(|percent| format!("buffer delay (RFC 6349) {percent:.0} %: "));
    let delay = delay.unwrap_or_default();
    let waits = added >= WAITS_NS && loaded >= BLOATS * idle;
    let finding = finding!(
        Kind::Path.named(&result.target).aspect("round trip"),
        "the round trip to {} grows from {} to {} under load (90th percentile, {:.0} times): a queue on the path stays full, and \
                 every commit waits behind it",
                result.target,
                words::time(idle),
                words::time(loaded),
                loaded / idle,
    )
        .severity(if waits { Severity::Warning } else { Severity::Info })
        .measured(loaded, idle + WAITS_NS, Unit::Ns)
        .evidence(
            format!("{delay}idle {}, loaded {}", words::time(idle), words::time(loaded)),
            "round trips of the probe: idle median, loaded 90th percentile or the stream's own longest",
        )
        .because("The queue before the slowest link is larger than a round trip needs, and TCP fills it.")
        .now(format!("`fullwire net {} --rate {:.0}Mbit` sends at 95 % of the rate: the round trip should stay low", as_word(&result.target), result.throughput_bytes_per_s * 8e-6 * 0.95))
        .now("On the router before the slow link: `tc qdisc replace dev DEV root cake bandwidth RATE`, or fq_codel")
        .persist("pace bulk transfers (backup, gap resolution) below the line: SO_MAX_PACING_RATE, tc fq maxrate")
        .expecting("a round trip under load that is close to the idle one, for 5 % of the throughput");
    let explanation = explain::result(run, result, Mechanism::PathQueue);
    finding.explains(waits.then_some(explanation)).into()
}

/// The longest that the stream itself waited, by its kernel's clock: what a process waits beyond that, it waits for a CPU.
fn longest_smoothed(result: &NetResult) -> Option<f64> {
    let longest = result.intervals.iter().filter_map(|slice| slice.rtt_ns).max();
    // Only the sender's kernel times a stream.
    longest.filter(|_| !result.reverse).map(|ns| ns as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shaper with a queue of 30 ms, on a machine that paused now and then: a tenth of the probe's answers came after
    /// 82 ms, the stream's own round trip was never above 37 ms.
    #[test]
    fn what_a_process_waits_for_its_cpu_is_no_queue() {
        let text = include_str!("../../../fixtures/bufferbloat.json");
        let run = fullwire_model::fixture::run(text, "fires/mildly-stalled-host");
        let outcomes = check(&Facts::of(&run));
        let [Outcome::Fires(finding)] = outcomes.as_slice() else { panic!("one finding") };
        assert!(finding.severity == Severity::Info && finding.explains.is_empty(), "{finding:?}");
        assert_eq!(finding.measured, Some(36_599_000.0));
    }
}
