rule! {
    /// # What it checks
    /// Passes when less than half of the bytes read go by direct path, past the buffer cache.
    /// # Why it matters
    /// Direct reads are scans: they load the storage's bandwidth, not its latency, and no larger buffer cache
    /// will take them away. The storage must be sized and measured for throughput.
    /// # Evidence
    /// `Direct Reads` (and on Exadata `Smart Scan`) in the I/O by function against all bytes read.
    /// # Remedy
    /// Size and test the path for large sequential reads (`fullwire disk --profile ora-directpath`); if the load should
    /// be OLTP, look for the statements that scan.
    /// # Source
    /// Oracle Database Reference, "direct path read"; AWR section "`IOStat` by Function summary". Until 11.1 only
    /// parallel scans went by direct path, since then serial ones of large tables as well: My Oracle Support
    /// 793845.1.
    code: "direct-path-reads",
    title: "most bytes are read by direct path, past the buffer cache",
    layer: Database, severity: Info, on: [Report],
    check: |run| each_of_io(run, |report| vec![judge(report)]),

    /// Of all bytes read, from which on direct reads set the pace.
    const HALF: f64 = 0.5;
    /// A report of an idle database (less than 1 MB/s) says nothing.
    const BUSY_BYTES_PER_S: f64 = 1e6;
}

/// Serial scans of large tables go by direct path since this release.
const SERIAL_SINCE: [u32; 2] = [11, 1];

fn judge(report: &AwrReport) -> Outcome {
    let scans = ["Direct Reads", "Smart Scan"];
    let rates = report.io_functions.iter().filter(|line| scans.contains(&line.name.as_str()));
    let direct = rates.filter_map(|line| line.read_bytes_per_s).reduce(|a, b| a + b);
    let (Some(direct), Some(all)) = (direct, report.read_bytes_per_s) else {
        return unknown!("{} has no I/O by function", report.source);
    };
    if all < BUSY_BYTES_PER_S || direct / all < HALF {
        return Outcome::Passes;
    }
    let share = (direct / all).min(1.0);
    let who = match report::at_least(report, &SERIAL_SINCE) {
        Some(false) => "before 11.1 only parallel queries read this way",
        _ => "since 11.1 serial scans of large tables read this way as well as parallel ones",
    };
    finding!(
        report::subject(report),
        "{:.0} % of the bytes read are scans past the buffer cache: {:.1} MB/s",
        share * 100.0,
        direct / 1e6,
    )
    .measured(share, HALF, Unit::Ratio)
    .evidence(
        format!("direct and smart scans {:.1} MB/s of {:.1} MB/s", direct / 1e6, all / 1e6),
        &report.source,
    )
    .evidence(who, "Oracle release")
    .because("Scans need bandwidth; a larger buffer cache does not help them.")
    .now("fullwire disk DIRECTORY-OF-THE-DATA-FILES --profile ora-directpath")
    .expecting(format!("the storage carries at least {:.1} MB/s of large reads", all / 1e6))
    .into()
}
