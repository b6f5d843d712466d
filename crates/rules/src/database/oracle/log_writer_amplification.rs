rule! {
    /// # What it checks
    /// Passes when what the log writer writes to its devices is less than 1.8 times the redo that the sessions make.
    /// # Why it matters
    /// Redo size per second is not the bandwidth of the redo path: every member of a group is written, each
    /// write is padded to whole blocks. Who sizes the path by redo size alone sizes it by half.
    /// # Evidence
    /// `LGWR` in the I/O by function against `redo size`; `redo blocks written` x 512 over `redo writes` gives
    /// what one write puts on one member.
    /// # Remedy
    /// Size the redo devices by the log writer's own figure. Where storage is mirrored below, one member in a
    /// group is enough for durability.
    /// # Source
    /// Measured in the 11.2.0.3 report of the sample set: 393,267 bytes/s of redo, 943,258 bytes/s written (two
    /// members, wastage). Oracle Database Reference, statistics "redo wastage", "redo blocks written".
    code: "log-writer-amplification",
    title: "the log writer writes far more than the redo itself",
    layer: Database, severity: Info, on: [Report],
    check: |run| each_of_io(run, |report| vec![judge(report)]),

    /// Bytes written for each byte of redo; two members write twice as much.
    const TWICE_OR_NEARLY: f64 = 1.8;
    /// Less redo than this is an idle database: control-file and header writes would count as amplification.
    const BUSY_BYTES_PER_S: f64 = 100_000.0;
}

fn judge(report: &AwrReport) -> Outcome {
    let (Some(written), Some(redo)) = (report.log_writer_bytes_per_s, report.redo_size_per_s) else {
        return unknown!("{} has no LGWR line in its I/O by function", report.source);
    };
    if redo < BUSY_BYTES_PER_S || written / redo < TWICE_OR_NEARLY {
        return Outcome::Passes;
    }
    let factor = written / redo;
    let mut finding = finding!(
        report::subject(report),
        "the log writer writes {:.2} MB/s for {:.2} MB/s of redo: {factor:.1} times",
        written / 1e6,
        redo / 1e6,
    )
    .measured(factor, TWICE_OR_NEARLY, Unit::Ratio)
    .evidence(format!("LGWR writes {written:.0} bytes/s"), &report.source)
    .evidence(format!("redo size {redo:.0} bytes/s"), &report.source);
    if let (Some(on_disk), Some(carried)) =
        (report.mean_redo_write_on_disk_bytes, report.mean_redo_write_bytes)
    {
        finding = finding.evidence(
            format!("a write contains {carried:.0} bytes of redo and occupies {on_disk:.0} on each member"),
            &report.source,
        );
    }
    finding
        .because("The redo devices carry members and padding as well as redo.")
        .now("select group#, count(*) members from v$logfile group by group#;")
        .expecting(format!(
            "size the redo path for {:.2} MB/s and its peaks, not for the redo size",
            written / 1e6
        ))
        .into()
}
