rule! {
    /// # What it checks
    /// Passes when waits for room in the log buffer take less than 2 % of DB time.
    /// # Why it matters
    /// Sessions that change data stop until the log writer has made room: either it writes too slowly, or the buffer is
    /// small for the bursts.
    /// # Evidence
    /// `log buffer space` in the report, and the mean of `log file parallel write`.
    /// # Remedy
    /// A faster device for the redo logs where a write is slow; otherwise a larger `log_buffer`.
    /// # Source
    /// Oracle Database Performance Tuning Guide, "log buffer space". 2 % of DB time is ours: the wait comes in bursts.
    code: "log-buffer-waits",
    title: "sessions wait for space in the log buffer",
    layer: Database, severity: Warning, on: [Report],
    check: |run| each_of_io(run, |report| vec![judge(report)]),

    /// Of DB time, from which on a remedy is worth its effort (own choice).
    const SHARE: f64 = 0.02;
    /// A write that takes longer is what keeps the buffer full.
    const SLOW_WRITE_MS: f64 = 5.0;
}

const EVENT: &str = "log buffer space";

fn judge(report: &AwrReport) -> Outcome {
    if report.waits.is_empty() || report.db_time_min.is_none() {
        return unknown!("{} lists no waits or no DB time", report.source);
    }
    let Some(wait) = report::wait(report, EVENT) else { return Outcome::Passes };
    let share = report::share(report, wait).unwrap_or(0.0);
    if share < SHARE {
        return Outcome::Passes;
    }
    let write_ms = report::wait(report, "log file parallel write").and_then(|write| write.mean_ms);
    let slow = write_ms.is_some_and(|ms| ms >= SLOW_WRITE_MS);
    let advice = because("The buffer empties only as fast as the log writer writes.")
        .now("fullwire disk DIRECTORY-OF-THE-REDO-LOGS --profile ora-lgwr");
    let advice = if slow {
        advice.persist("Put the redo logs on a device with a lower write latency")
    } else {
        advice
            .persist("alter system set log_buffer=... scope=spfile (64 to 256 MB), then restart the instance")
            .restarts("the database")
            .undo("alter system reset log_buffer scope=spfile, then restart")
            .restarts("the database")
    };
    finding!(report::subject(report), "{:.1} % of DB time waits for room in the log buffer", share * 100.0)
        .measured(share, SHARE, Unit::Ratio)
        .evidence(report::text(EVENT, wait), &report.source)
        .evidence(
            format!(
                "a log write takes {}",
                write_ms.map_or("an unknown time".to_owned(), |ms| format!("{ms:.1} ms"))
            ),
            &report.source,
        )
        .advice(advice.expecting(format!("saves {:.1} % of DB time", share * 100.0)))
        .into()
}
