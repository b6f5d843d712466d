rule! {
    /// # What it checks
    /// Passes when waits for a log switch, for the checkpoint behind it, for the archiver, or for the writer to free
    /// buffers take less than 2 % of DB time together.
    /// # Why it matters
    /// When all logs are full and the database writer or the archiver is behind, every session that changes data waits:
    /// short, total stalls that a mean hides.
    /// # Evidence
    /// `log file switch (checkpoint incomplete)`, `log file switch (archiving needed)`, `log file switch
    /// completion`, `free buffer waits`, `write complete waits` in the report.
    /// # Remedy
    /// More or larger log groups; for checkpoint and free buffers a faster path for the data files (`fullwire
    /// disk --profile ora-dbwr`); for the archiver a faster archive destination.
    /// # Source
    /// Oracle Database Performance Tuning Guide, wait events "log file switch" and "free buffer waits". 2 % of
    /// DB time is ours: these waits come as stalls of seconds, so that a small mean share is much at the time.
    code: "log-switch-waits",
    title: "sessions wait for a log switch: checkpoint or archiver is late",
    layer: Database, severity: Warning, on: [Report],
    check: |run| each_of_io(run, |report| vec![judge(report)]),

    /// Of DB time, from which on a remedy is worth its effort (own choice).
    const SHARE: f64 = 0.02;
}

const EVENTS: [&str; 5] = [
    "log file switch (checkpoint incomplete)",
    "log file switch (archiving needed)",
    "log file switch completion",
    "free buffer waits",
    "write complete waits",
];

fn judge(report: &AwrReport) -> Outcome {
    if report.waits.is_empty() || report.db_time_min.is_none() {
        return unknown!("{} lists no waits or no DB time", report.source);
    }
    let found: Vec<_> =
        EVENTS.iter().filter_map(|&event| Some((event, report::wait(report, event)?))).collect();
    let share: f64 = found.iter().filter_map(|(_, wait)| report::share(report, wait)).sum();
    if share < SHARE {
        return Outcome::Passes;
    }
    let worst = found.iter().max_by(|a, b| a.1.time_s.unwrap_or(0.0).total_cmp(&b.1.time_s.unwrap_or(0.0)));
    let worst = worst.map_or("", |(event, _)| event);
    let mut finding = finding!(
        report::subject(report),
        "{:.1} % of DB time is spent waiting for the writers, most of it in {worst}",
        share * 100.0,
    )
    .measured(share, SHARE, Unit::Ratio)
    .of_db_time(share);
    for (event, wait) in &found {
        finding = finding.evidence(report::text(event, wait), &report.source);
    }
    let (now, persist) = if worst.contains("archiving") {
        (
            "fullwire disk ARCHIVE-DESTINATION --profile ora-arch",
            "more archiver processes (log_archive_max_processes) or a faster destination",
        )
    } else if worst.contains("buffer") || worst.contains("write complete") {
        (
            "fullwire disk DIRECTORY-OF-THE-DATA-FILES --profile ora-dbwr",
            "asynchronous direct I/O (filesystemio_options = setall) or faster storage for the data files",
        )
    } else {
        ("select group#, bytes from v$log;", "more and larger redo log groups")
    };
    finding
        .because("Sessions that change data stop until a writer has caught up.")
        .now(now)
        .persist(persist)
        .expecting(format!("saves {:.1} % of DB time, and the stalls disappear", share * 100.0))
        .into()
}
