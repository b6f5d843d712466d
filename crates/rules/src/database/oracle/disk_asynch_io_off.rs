use super::parameter_file::{self, Flaw};

rule! {
    /// # What it checks
    /// Passes when `disk_asynch_io` is not FALSE.
    /// # Why it matters
    /// Every process that writes or reads ahead then waits for one request at a time; the database writer falls
    /// behind on any storage.
    /// # Evidence
    /// `disk_asynch_io` in the report's parameters.
    /// # Remedy
    /// Set it to TRUE in the spfile and restart.
    /// # Source
    /// NetApp, Oracle databases on ONTAP, asynchronous I/O; Oracle Database Reference, `DISK_ASYNCH_IO` (default
    /// TRUE).
    code: "disk-asynch-io-off",
    title: "asynchronous I/O is off",
    layer: Database, severity: Warning, on: [Database, Report],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut outcomes = each_of_io(run, |report| vec![judge(report)]);
    outcomes.extend(parameter_file::each(run, &RULE, advice, flaw));
    outcomes
}

fn judge(report: &AwrReport) -> Outcome {
    if report.init_parameters.is_empty() {
        return unknown!("{} lists no parameters", report.source);
    }
    if report::parameter(report, "disk_asynch_io").as_deref() != Some("false") {
        return Outcome::Passes;
    }
    finding!(report::subject(report), "disk_asynch_io is FALSE: one request at a time")
        .measured(0.0, 1.0, Unit::Count)
        .evidence("disk_asynch_io: FALSE", &report.source)
        .advice(advice())
        .into()
}

fn advice() -> Advice {
    because("Each process waits for one request before it sends the next.")
        .now("alter system set disk_asynch_io = true scope = spfile;")
        .persist("restart the instance")
        .expecting("the database writer keeps many writes in flight")
}

/// Of the parameter file.
fn flaw(database: &Database) -> Option<Flaw> {
    let off = parameter_file::value(database, "disk_asynch_io").as_deref() == Some("false");
    off.then(|| Flaw {
        name: "disk_asynch_io",
        severity: Severity::Warning,
        says: "one request at a time".into(),
    })
}
