//! `fullwire clean`: what an interrupted run left behind.

use crate::output::Show;
use anyhow::Result;
use fullwire_probe::disk;
use serde::Serialize;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// What was removed, and what could not be.
#[derive(Serialize)]
struct Document<'a> {
    removed: Vec<String>,
    failed: BTreeMap<String, &'a String>,
}

pub(crate) fn run(show: &Show) -> Result<ExitCode> {
    let report = disk::clean(&disk::state_dir());
    let document = Document {
        removed: report.removed.iter().map(|path| path.display().to_string()).collect(),
        failed: report.failed.iter().map(|(path, reason)| (path.display().to_string(), reason)).collect(),
    };
    show.result(&document, || document.removed.iter().map(|path| format!("removed {path}\n")).collect())?;
    for (path, reason) in &report.failed {
        Show::warn(&format!("{} is still there: {reason}", path.display()));
    }
    for (device, what) in &report.overwritten {
        anstream::eprintln!("fullwire: {}: {what}", device.display());
    }
    if report.removed.is_empty() && report.failed.is_empty() && report.overwritten.is_empty() {
        show.note("nothing was left behind");
    }
    let done = report.failed.is_empty() && report.overwritten.is_empty();
    Ok(ExitCode::from(if done { 0 } else { 3 }))
}
