rule! {
    /// # What it checks
    /// Passes when `db_file_multiblock_read_count` is not set to less than 1 MiB of blocks; before 10.2, where Oracle
    /// does not choose it itself, it is set to 1 MiB of blocks.
    /// # Why it matters
    /// Left alone, Oracle reads 1 MiB at a time. A value of old (8, 16) cuts every scan into small requests, and
    /// makes the optimizer think that scans are dear.
    /// # Evidence
    /// `db_file_multiblock_read_count` in the report's parameters, the block size.
    /// # Remedy
    /// Reset the parameter; before 10.2 set it.
    /// # Source
    /// NetApp, Oracle databases on ONTAP, `db_file_multiblock_read_count`: leave it unset; worked figures: 8 KiB
    /// x 128 = 1 MiB. Oracle Database Reference 9.2: the default is 8; 10.2: the default is the largest transfer.
    code: "multiblock-read-count-set",
    title: "db_file_multiblock_read_count is set by hand",
    layer: Database, severity: Warning, on: [Report],
    check: |run| each_of_io(run, |report| vec![judge(report)]),

    /// The largest request that Oracle makes on most platforms.
    const LARGEST_BYTES: u64 = 1 << 20;
    /// Its default before that, blocks.
    const DEFAULT_BEFORE: u64 = 8;
}

/// The release since which Oracle chooses the largest transfer when nothing is set.
const AUTOMATIC_SINCE: [u32; 2] = [10, 2];

fn judge(report: &AwrReport) -> Outcome {
    if report.init_parameters.is_empty() {
        return unknown!("{} lists no parameters", report.source);
    }
    let automatic = report::at_least(report, &AUTOMATIC_SINCE).unwrap_or(true);
    let set = match report::parameter(report, "db_file_multiblock_read_count") {
        Some(set) => set,
        None if automatic => return Outcome::Passes,
        None => DEFAULT_BEFORE.to_string(),
    };
    let Ok(blocks) = set.parse::<u64>() else {
        return unknown!("db_file_multiblock_read_count is \"{set}\"");
    };
    let block = report.block_bytes.unwrap_or(8192);
    let bytes = blocks.saturating_mul(block);
    if bytes >= LARGEST_BYTES {
        return Outcome::Passes;
    }
    let (now, persist) = if automatic {
        ("alter system reset db_file_multiblock_read_count;".to_owned(), "the same with scope = spfile")
    } else {
        let best = LARGEST_BYTES / block.max(1);
        (
            format!("alter system set db_file_multiblock_read_count = {best};"),
            "the same in the parameter file",
        )
    };
    finding!(
        report::subject(report),
        "db_file_multiblock_read_count = {blocks} limits scans to {} KiB, where 1 MiB is possible",
        bytes / 1024,
    )
    .measured(bytes as f64, LARGEST_BYTES as f64, Unit::Bytes)
    .evidence(format!("db_file_multiblock_read_count: {blocks}, block {block} bytes"), &report.source)
    .because("Each scan is cut into small requests.")
    .now(now)
    .persist(persist)
    .expecting("scans read 1 MiB at a time; execution plans may change, so check them")
    .into()
}
