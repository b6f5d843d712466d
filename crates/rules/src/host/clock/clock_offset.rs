rule! {
    /// # What it checks
    /// Passes when the clock offset that chronyd or the kernel knows is below 50 ms.
    /// # Why it matters
    /// The time daemon cannot hold the clock, or has just begun: time will jump or run at another speed.
    /// # Evidence
    /// `chronyc tracking`, System time; otherwise the offset of `adjtimex`.
    /// # Remedy
    /// `chronyc makestep` before the database starts; look at the sources.
    /// # Source
    /// node-mixin `NodeClockSkewDetected` (50 ms); adjtimex(2), offset; chronyc(1), tracking (System time).
    code: "clock-offset",
    title: "the clock is wrong by more than 50 ms",
    layer: Host, severity: Warning, on: [Clock],

    /// Offset that misleads the comparison of logs of two hosts (own choice).
    const LARGEST_NS: u64 = 50_000_000;
}

fn check(run: &Facts) -> Vec<Outcome> {
    match run.host.clock.offset_ns {
        None => vec![facts::unread("the clock's offset")],
        // chrony corrects the clock by its rate and leaves the kernel's offset at zero.
        Some(0)
            if run.host.clock.daemon.as_deref() == Some("chronyd")
                && run.host.clock.daemon_synchronised.is_none() =>
        {
            vec![facts::unread("the offset that chronyd keeps (chronyc tracking)")]
        }
        Some(offset) if offset.unsigned_abs() <= LARGEST_NS => vec![Outcome::Passes],
        Some(offset) => vec![
            finding!(Kind::Clock.only(), "the clock is off by {:.0} ms", offset as f64 / 1e6)
                .measured(offset.unsigned_abs() as f64, LARGEST_NS as f64, Unit::Ns)
                .evidence(format!("offset {offset} ns"), source(&run.host.clock))
                .because(
                "A clock that is being slewed runs too fast or too slow, so measured times are wrong by the same factor.",
            )
            .look("chronyc sources -v", "Shows which servers answer and how far they are off")
            .now("`chronyc makestep` while the database is stopped: a backward step confuses a running database").restarts("the database")
            .persist("`makestep 1.0 3` in chrony.conf, and servers that can be reached")
            .expecting("offset below 1 ms")
                .into(),
        ],
    }
}

/// Where the offset was read: chronyd's own figure replaces the kernel's, which it leaves at zero.
fn source(clock: &Clock) -> &'static str {
    match clock.daemon_synchronised {
        Some(_) => "chronyc tracking",
        None => "adjtimex(2)",
    }
}
