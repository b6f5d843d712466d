rule! {
    /// # What it checks
    /// Passes when the mean single-block read (`db file sequential read`, on Exadata `cell single block physical read`)
    /// stays below 10 ms where it takes at least a tenth of DB time; below 2 ms where the report is of this host and all its disks are flash.
    /// Critical from 20 ms and 40 % of DB time of a database that is never idle: no medium takes as long, the requests queue.
    /// # Why it matters
    /// These reads follow an index block by block, each waiting for the one before: their latency is the query's
    /// speed.
    /// # Evidence
    /// Waits, time and mean (total time over waits) of the event, and its histogram: many reads below 1 ms among slow
    /// ones are hits in the storage's or the file system's cache, so that the device itself is slower than the mean.
    /// # Remedy
    /// Measure the storage alone with `fullwire disk --profile ora-seqread`: if it is fast when idle, it is
    /// overloaded; if it is slow when idle, it is slow. A larger buffer cache takes reads away.
    /// # Source
    /// Oravision and other published AWR analysers warn above 10 ms, the random-read time of a spinning disk
    /// (worked figures: 6.8 to 14.2 ms); the founding Statspack report shows 10.2 ms. Wait Event Histogram:
    /// Oracle Database Reference, `V$EVENT_HISTOGRAM`.
    code: "single-block-read-slow",
    title: "single-block reads take as long as a disk",
    layer: Database, severity: Critical, on: [Report],

    /// The random read of a fast spinning disk, ms.
    const SPINNING_DISK_MS: f64 = 10.0;
    /// A read that takes this many times what a spinning disk takes waits in a queue.
    const QUEUE: f64 = 2.0;
    /// A wait that takes this much of DB time is what the database does.
    const MOST: f64 = 0.4;
    /// A read within this time did not come from a spinning disk, µs.
    const CACHE_HIT_US: f64 = 1000.0;
    /// A read from flash with a queue before it, ms; without one it takes well below 1 ms (own choice).
    const FLASH_MS: f64 = 2.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let on_flash = is_on_flash(run);
    let limit_ms = |report: &AwrReport| {
        if on_flash && is_of_this_host(run, report) { FLASH_MS } else { SPINNING_DISK_MS }
    };
    report::each(run, |report| vec![judge(report, limit_ms(report))])
}

/// The report names this host, or a database of it: the disks of another host are not known.
fn is_of_this_host(run: &Run, report: &AwrReport) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let here = |host: &String| short(host) == short(&run.host.hostname);
    let named = |own: &str| report.db_name.as_ref().is_some_and(|name| own.eq_ignore_ascii_case(name));
    let runs = || run.host.databases.iter().any(|own| named(&own.name));
    report.host.as_ref().map_or_else(runs, here)
}

/// At least one session was active all the time: a few slow reads of an idle database are no emergency.
fn is_loaded(report: &AwrReport) -> bool {
    let load =
        report.db_time_min.zip(report.elapsed_min).map(|(db_time, elapsed)| db_time / elapsed.max(1e-9));
    load.is_some_and(|load| load >= 1.0)
}

/// All disks that the host has data on are flash, by what the kernel says of them. A report alone tells nothing of it.
fn is_on_flash(run: &Facts) -> bool {
    let mut rotational =
        facts::data_disks(run).map(|disk| disk.queue.as_ref().and_then(|queue| queue.rotational)).peekable();
    rotational.peek().is_some() && rotational.all(|one| one == Some(false))
}

fn judge(report: &AwrReport, limit_ms: f64) -> Outcome {
    let event = report::single_block_event(report);
    let Some(wait) = report::wait(report, event) else {
        return unknown!("{} lists no single-block reads", report.source);
    };
    let (Some(mean_ms), Some(share)) = (wait.mean_ms, report::share(report, wait)) else {
        return unknown!("{} gives no mean or no DB time for {event}", report.source);
    };
    if mean_ms <= limit_ms || share < report::WORTH_A_REMEDY {
        return Outcome::Passes;
    }
    let times = mean_ms / SPINNING_DISK_MS;
    let like = if times >= QUEUE {
        format!("{times:.0} times as long as a spinning disk: requests queue, the storage is overloaded")
    } else if limit_ms < SPINNING_DISK_MS {
        "on flash".to_owned()
    } else {
        "as long as a spinning disk".to_owned()
    };
    let severity = if times >= QUEUE && share >= MOST && is_loaded(report) {
        Severity::Critical
    } else {
        Severity::Warning
    };
    let mut finding = finding!(
        report::subject(report),
        "a single-block read takes {mean_ms:.1} ms, {like}; this is {:.1} % of DB time",
        share * 100.0,
    )
    .severity(severity)
    .measured(mean_ms * 1e6, limit_ms * 1e6, Unit::Ns)
    .of_db_time(share)
    .evidence(report::text(event, wait), &report.source)
    .evidence(format!("{event}: {:.1} % of DB time", share * 100.0), &report.source);
    if let Some(hits) = cache_hits(report, event) {
        let text = format!(
            "{:.0} % of the reads took less than 1 ms: hits in a cache below; the others are slower than the mean",
            hits * 100.0
        );
        finding = finding.evidence(text, "wait event histogram");
    }
    finding
        .because("Each of these reads waits for the previous one, so their latency determines the speed of the query.")
        .now("fullwire disk DIRECTORY-OF-THE-DATA-FILES --profile ora-seqread")
        .persist("faster or less loaded storage for the data files, or a larger buffer cache (v$db_cache_advice)")
        .expecting(format!("flash answers well below 1 ms: saves up to {:.0} % of DB time", share * 90.0))
        .into()
}

/// The share of reads that something faster than a disk answered.
fn cache_hits(report: &AwrReport, event: &str) -> Option<f64> {
    let histogram = report.histograms.get(event)?;
    let below =
        histogram.buckets.iter().filter(|bucket| bucket.upto_us.is_some_and(|upto| upto <= CACHE_HIT_US));
    let share = below.map(|bucket| bucket.pct).sum::<f64>() / 100.0;
    (share > 0.0).then_some(share)
}
