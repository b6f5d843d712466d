//! `fullwire clean`: what an interrupted run left behind.

use crate::output::Show;
use anyhow::Result;
use fullwire_present::json::CleanDocument;
use fullwire_probe::disk;
use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) fn run(show: &Show) -> Result<ExitCode> {
    let report = disk::clean(&disk::state_dir());
    let told = |entries: &[(PathBuf, String)]| {
        entries.iter().map(|(path, what)| (path.display().to_string(), what.clone())).collect()
    };
    let document = CleanDocument {
        schema: "fullwire.clean/1",
        removed: report.removed.iter().map(|path| path.display().to_string()).collect(),
        failed: told(&report.failed),
        overwritten: told(&report.overwritten),
    };
    show.result(&document, || document.removed.iter().map(|path| format!("removed {path}\n")).collect())?;
    for (path, reason) in &report.failed {
        Show::warn(&format!("{} is still there: {reason}", path.display()));
    }
    for (device, what) in &report.overwritten {
        Show::warn(&format!("{}: {what}", device.display()));
    }
    if report.removed.is_empty() && report.failed.is_empty() && report.overwritten.is_empty() {
        show.note("nothing was left behind");
    }
    let done = report.failed.is_empty() && report.overwritten.is_empty();
    Ok(ExitCode::from(if done { 0 } else { 3 }))
}
