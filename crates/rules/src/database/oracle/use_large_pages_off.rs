use super::parameter_file::{self, Flaw};

rule! {
    /// # What it checks
    /// Passes when `use_large_pages` is not FALSE.
    /// # Why it matters
    /// The instance then starts with small pages, even if huge pages are reserved.
    /// # Evidence
    /// `use_large_pages` in the report's parameters; TRUE by default.
    /// # Remedy
    /// Huge pages first, then TRUE and a restart. Not ONLY: with it the instance does not start unless the whole SGA fits,
    /// which is found out at a failover.
    /// # Source
    /// Oracle Database Reference, `USE_LARGE_PAGES` (TRUE, FALSE, ONLY).
    code: "use-large-pages-off",
    title: "the instance is configured not to use huge pages",
    layer: Database, severity: Warning, on: [Database, Report],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut outcomes = report::each(run, |report| vec![judge(report)]);
    outcomes.extend(parameter_file::each(run, &RULE, advice, flaw));
    outcomes
}

fn judge(report: &AwrReport) -> Outcome {
    if !report::is_linux(report) {
        return Outcome::Passes;
    }
    if report.init_parameters.is_empty() {
        return unknown!("{} lists no parameters", report.source);
    }
    if report::parameter(report, "use_large_pages").as_deref() != Some("false") {
        return Outcome::Passes;
    }
    finding!(
        report::subject(report),
        "use_large_pages is FALSE: the SGA uses small pages even if huge pages are reserved",
    )
    .evidence("use_large_pages: FALSE", &report.source)
    .advice(advice())
    .into()
}

fn advice() -> Advice {
    because("Small pages cost page tables in every session, and can be swapped out.")
        .now("Reserve huge pages for the whole SGA first (`HugePages_Free` in /proc/meminfo), let the owner lock that much memory (memlock), and have memory_target = 0")
        .now("alter system set use_large_pages = TRUE scope = spfile;")
        .persist("restart the instance")
        .restarts("the database")
        .needs("the huge pages that are free hold the whole SGA on every host where the instance may start")
        .undo("alter system reset use_large_pages scope = spfile; then restart the instance")
        .restarts("the database")
        .expecting("the alert log's table of page sizes shows the SGA in large pages; ONLY, later, if an instance in small pages is worse than none")
}

/// Of the parameter file.
fn flaw(database: &Database) -> Option<Flaw> {
    let off = parameter_file::value(database, "use_large_pages").as_deref() == Some("false");
    let says = "the SGA uses small pages even if huge pages are reserved".into();
    off.then_some(Flaw { name: "use_large_pages", severity: Severity::Warning, says })
}
