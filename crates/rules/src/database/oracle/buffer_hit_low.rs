rule! {
    /// # What it checks
    /// Passes when the buffer hit ratio of the report is at least 90 %.
    /// # Why it matters
    /// As context: with a low ratio the load reads much from storage, so that storage latency counts. A high
    /// ratio proves nothing, for a bad statement raises it.
    /// # Evidence
    /// `Buffer Hit %` among the instance efficiency figures; physical reads per second.
    /// # Remedy
    /// Judge by the wait events; ask `v$db_cache_advice` what a larger cache would save.
    /// # Source
    /// Founding notes: above 95 % for OLTP, above 90 % for decision support. Context only (diagnosis notes,
    /// section 4.3).
    code: "buffer-hit-low",
    title: "the buffer cache serves few reads",
    layer: Database, severity: Info, on: [Report],
    check: |run| each_of_io(run, |report| vec![judge(report)]),

    /// A customary floor of the buffer hit ratio; alone it proves nothing.
    const HIT_PCT: f64 = 90.0;
}

fn judge(report: &AwrReport) -> Outcome {
    let Some(hit) = report.buffer_hit_pct else {
        return unknown!("{} has no buffer hit ratio", report.source);
    };
    if hit >= HIT_PCT {
        return Outcome::Passes;
    }
    let reads = report
        .physical_reads_per_s
        .map_or(String::new(), |reads| format!(", {reads:.0} blocks read per second"));
    finding!(report::subject(report), "buffer hit {hit:.2} %, below {HIT_PCT} %{reads}")
        .measured(hit / 100.0, HIT_PCT / 100.0, Unit::Ratio)
        .evidence(format!("Buffer Hit %: {hit:.2}"), &report.source)
        .because("Context for the waits; not a problem on its own.")
        .now("select size_for_estimate, estd_physical_reads from v$db_cache_advice where name = 'DEFAULT';")
        .expecting("the value that the advisory recommends; reads that a larger cache avoids need no storage")
        .into()
}
