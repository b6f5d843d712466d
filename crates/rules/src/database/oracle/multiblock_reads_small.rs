rule! {
    /// # What it checks
    /// Passes when direct reads, by which large scans go, carry at least 256 KiB each, where they are at least a tenth
    /// of all bytes read.
    /// # Why it matters
    /// A scan pays the latency of each request: at 1 MiB a request, Oracle's largest, it pays 128 times less
    /// often than at 8 KiB.
    /// # Evidence
    /// `Direct Reads` of the I/O by function: bytes per second over requests per second; the parameter
    /// `db_file_multiblock_read_count`.
    /// # Remedy
    /// Unset `db_file_multiblock_read_count`, so that Oracle reads 1 MiB at a time; check extents (small ones
    /// end a read early) and the request limit of the device (`max_sectors_kb`).
    /// # Source
    /// Worked figures: 1 MiB reads 151 MiB/s, 2 KiB reads 10.7 MiB/s of the same disk; `db_block_size` 8 KiB x 128
    /// = 1 MiB is the largest transfer (Oracle Database Reference, `DB_FILE_MULTIBLOCK_READ_COUNT`).
    code: "multiblock-reads-small",
    title: "scans read in small requests",
    layer: Database, severity: Info, on: [Report],
    check: |run| each_of_io(run, |report| vec![judge(report)]),

    /// Mean size of a multiblock read below which scans make many requests (own choice: a quarter of 1 MiB).
    const SMALL_BYTES: f64 = 262_144.0;
}

fn judge(report: &AwrReport) -> Outcome {
    let direct = report.io_functions.iter().find(|line| line.name == "Direct Reads");
    let rates = direct.and_then(|line| line.read_bytes_per_s.zip(line.read_io_per_s));
    let (Some((bytes, requests)), Some(all)) = (rates, report.read_bytes_per_s) else {
        return unknown!("{} has no I/O by function", report.source);
    };
    // Rates of less than one a second are printed with too few places to divide.
    if requests < 1.0 || bytes < all * report::WORTH_A_REMEDY || bytes / requests >= SMALL_BYTES {
        return Outcome::Passes;
    }
    let mean = bytes / requests;
    let set = report::parameter(report, "db_file_multiblock_read_count").unwrap_or_else(|| "not set".into());
    finding!(report::subject(report), "a direct read of a scan carries {:.0} KiB, where 1 MiB is possible", mean / 1024.0)
        .measured(mean, SMALL_BYTES, Unit::Bytes)
        .evidence(format!("Direct Reads: {:.2} MB/s in {requests:.1} requests/s", bytes / 1e6), &report.source)
        .evidence(format!("db_file_multiblock_read_count: {set}"), &report.source)
        .because("Each request costs a round trip to the storage.")
        .now("alter system reset db_file_multiblock_read_count;")
        .persist("`fullwire check --only storage` names devices that split large requests (max_sectors_kb)")
        .expecting("scans up to several times faster: compare fullwire disk --profile ora-directpath at 1 MiB and at this size")
        .into()
}
