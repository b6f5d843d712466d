//! `fullwire clean`: what an interrupted run left behind.

use crate::show::Show;
use anyhow::Result;
use fullwire_probe::disk;
use std::process::ExitCode;

pub(crate) fn run(show: &Show) -> Result<ExitCode> {
    let report = disk::clean(&disk::state_dir());
    for path in &report.removed {
        Show::text(&format!("removed {}\n", path.display()))?;
    }
    for (path, reason) in &report.failed {
        anstream::eprintln!("fullwire: {} is still there: {reason}", path.display());
    }
    if report.removed.is_empty() && report.failed.is_empty() {
        show.note("nothing was left behind");
    }
    Ok(ExitCode::from(if report.failed.is_empty() { 0 } else { 3 }))
}
