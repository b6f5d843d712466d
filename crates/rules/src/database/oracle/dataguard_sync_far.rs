rule! {
    /// # What it checks
    /// Applies where `log_archive_dest_N` ships redo synchronously. Passes when the round trip to its service's host is
    /// below 5 ms; if that host was not measured, the round trip to the nearest measured host.
    /// # Why it matters
    /// A commit returns when both the local log and the standby have the redo. They are written at the same time, so
    /// that a commit takes the longer of the two: what the standby adds is its time less the local write's.
    /// # Evidence
    /// The destination among the report's init parameters, the smallest round trip that the network probes saw.
    /// # Remedy
    /// ASYNC, or NOAFFIRM, or a far sync instance nearby; or accept the delay.
    /// # Source
    /// Oracle Data Guard Concepts and Administration, "Redo Transport Services" (SYNC, AFFIRM; far sync instances); the
    /// 5 ms are those of database-heartbeat.com/2022/05/02/latency_dg.
    code: "dataguard-sync-far",
    title: "a distant standby is part of every commit",
    layer: Database, severity: Warning, on: [Report],
    check: |run| report::each(run, |report| judge(run, report).into_iter().collect()),

    /// From this round trip on, SYNC delays commits noticeably.
    const FAR_NS: f64 = 5e6;
}

/// No outcome where nothing is shipped synchronously.
fn judge(run: &Run, report: &AwrReport) -> Option<Outcome> {
    let (name, value) = report.init_parameters.iter().find(|(name, value)| is_synchronous(name, value))?;
    let named = run.net.iter().any(|result| demand::names_standby(value, &result.target));
    let of_standby = run.net.iter().filter(|one| !named || demand::names_standby(value, &one.target));
    let measured = of_standby.filter_map(|result| Some((stream::rtt_ns(run, result)?, &result.target)));
    // If the standby is not named, the nearest host is a lower bound.
    let Some((rtt, target)) = measured.min_by(|one, other| one.0.total_cmp(&other.0)) else {
        return Some(unknown!("{name} is synchronous, and no round trip to a standby was measured"));
    };
    if rtt < FAR_NS {
        return Some(Outcome::Passes);
    }
    let found = finding!(
        report::subject(report),
        "{name} ships redo synchronously, and {target} is {} away: {}", words::time(rtt), added(report, rtt),
    )
        .measured(rtt, FAR_NS, Unit::Ns)
        .evidence(format!("{name}: {value}"), &report.source)
        .evidence(format!("smallest round trip to {target}: {}", words::time(rtt)), "the network probe")
        .because("SYNC returns to the session when the standby has acknowledged the redo.")
        .now(format!("`fullwire net {target} --mode sync --length 8k` measures what a commit waits", target = as_word(target)))
        .now("Find out what may be lost: SYNC protects the last commits (RPO 0). Without a synchronous destination zero data loss is no longer guaranteed, and Maximum Protection refuses the change or shuts down the primary")
        .persist("Keep RPO 0 and wait less: Maximum Availability with FASTSYNC (SYNC NOAFFIRM) leaves the standby's disk out; a far sync instance nearby takes the redo synchronously and passes it on")
        .needs("the protection mode is Maximum Availability: select protection_mode from v$database")
        .persist(format!("If losing seconds of redo is accepted: ASYNC. With the broker (show parameter dg_broker_start): edit database STANDBY set property LogXptMode='ASYNC'; otherwise alter system set {name} with ASYNC NOAFFIRM"))
        .needs("the owner of the data accepts an RPO above 0")
        .undo(format!("With the broker: edit database STANDBY set property LogXptMode='SYNC'; otherwise {name} = '{}'", value.trim()))
        .expecting("log file sync falls by the round trip");
    Some(found.into())
}

/// What the distance adds to a commit: the local log write runs at the same time.
fn added(report: &AwrReport, rtt_ns: f64) -> String {
    let local = report::wait(report, "log file parallel write").and_then(|wait| wait.mean_ms);
    match local.map(|ms| ms * 1e6) {
        Some(local) => format!(
            "it adds at least {} to a commit, whose local log write takes {}",
            words::time((rtt_ns - local).max(0.0)),
            words::time(local)
        ),
        None => "a commit waits for it or for the local log write, whichever takes longer".to_owned(),
    }
}

fn is_synchronous(name: &str, value: &str) -> bool {
    let mut words = value.split_whitespace().map(str::to_ascii_uppercase);
    name.starts_with("log_archive_dest_")
        && value.to_ascii_uppercase().contains("SERVICE=")
        && words.any(|word| word == "SYNC")
}
