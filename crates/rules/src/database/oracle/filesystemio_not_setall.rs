//! # What it checks
//! Applies with data files on a file system; passes when `filesystemio_options` is `SETALL` (direct and
//! asynchronous).
//!
//! # Why it matters
//! Without it every block is cached twice and written one at a time: the database writer waits for each
//! write, and the page cache takes the memory that the buffer cache should have.
//!
//! # Evidence
//! `filesystemio_options` in the report's parameters, and the names of the data files (ASM names begin with
//! `+`).
//!
//! # Remedy
//! Set it in the spfile and restart; give the memory that the page cache used to the SGA.
//!
//! # Source
//! NetApp, Oracle databases on ONTAP, `filesystemio_options`: SETALL, no effect with ASM or Direct NFS.

use crate::advice::{AdviceExt, because};
use crate::database::report::{self, each};
use crate::{Facts, FindingExt, Outcome, Rule};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::demand::AwrReport;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "filesystemio-not-setall",
    title: "data files on a file system without direct and asynchronous I/O (filesystemio_options)",
    layer: Layer::Database,
    severity: Severity::Warning,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    each(run, |report| vec![judge(report)])
}

fn judge(report: &AwrReport) -> Outcome {
    if report.init_parameters.is_empty() {
        return Outcome::Unknown(format!("{} lists no parameters", report.source));
    }
    let Some(on_file_system) = on_file_system(report) else {
        return Outcome::Unknown(format!("{} does not say where the data files are", report.source));
    };
    let set = report::parameter(report, "filesystemio_options");
    if !on_file_system || set.as_deref() == Some("setall") {
        return Outcome::Passes;
    }
    let shown = set.unwrap_or_else(|| "not set".into());
    RULE.finding(
        report::subject(report),
        format!("filesystemio_options is {shown} with data files on a file system"),
    )
    .measured(0.0, 1.0, Unit::Count)
    .evidence(format!("filesystemio_options: {shown}"), &report.source)
    .advice(
        because("Blocks are cached twice and written one by one.")
            .now("alter system set filesystemio_options = setall scope = spfile;")
            .persist("restart the instance, then give the memory of the page cache to the SGA")
            .expecting("fewer waits of the database writer; no effect when the files are on Direct NFS"),
    )
    .into()
}

/// ASM names begin with `+`; the report lists data files, or at least control files and the place of new files.
fn on_file_system(report: &AwrReport) -> Option<bool> {
    let parameters =
        ["control_files", "db_create_file_dest"].iter().filter_map(|&name| report::parameter(report, name));
    let files = report.files.iter().filter_map(|line| line.file.clone());
    let names: Vec<String> = files.chain(parameters).filter(|name| !name.is_empty()).collect();
    let first = names.first()?;
    Some(!first.starts_with('+'))
}
