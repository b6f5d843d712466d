//! What a database needs, from whatever the user has: reports, listings, a live server.

use crate::session::Session;
use anyhow::{Context, Result};
use fullwire_demand::{DateOrder, awr, combine, of_redo, of_report, redo};
use fullwire_model::demand::{AwrReport, Demand, RedoHistory};
use std::path::Path;

/// How sources are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    /// Added to the peak: 0.3 is 30 %.
    pub(crate) headroom: f64,
    /// The order of ambiguous dates.
    pub(crate) date_order: Option<DateOrder>,
}

impl Default for Reading {
    fn default() -> Self {
        Self { headroom: redo::DEFAULT_HEADROOM, date_order: None }
    }
}

/// What one file turned out to be.
enum Source {
    Report(Box<AwrReport>),
    Listing(RedoHistory),
}

/// Reads files into the run: reports, the redo history of all, the demand.
pub(crate) fn read_files(session: &mut Session, files: &[String], reading: Reading) -> Result<()> {
    let mut demands: Vec<Demand> = session.run.demand.take().into_iter().collect();
    for file in files {
        match read_file(Path::new(file), reading)? {
            Source::Report(report) => session.run.reports.push(*report),
            Source::Listing(history) => {
                demands.push(of_redo(&history));
                session.run.redo = Some(history);
            }
        }
    }
    demands.extend(session.run.reports.iter().map(of_report));
    if session.run.redo.is_none() && !session.run.reports.is_empty() {
        let history = redo::from_reports(&session.run.reports, reading.headroom);
        if history.peak_bytes_per_s.is_some() {
            demands.push(of_redo(&history));
        }
        session.run.redo = Some(history);
    }
    session.run.demand = combine(&demands);
    Ok(())
}

/// A report says what it is in its first lines; whatever is none is tried as a listing.
fn read_file(path: &Path, reading: Reading) -> Result<Source> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).with_context(|| format!("read {name}"))?;
    match awr::read(&bytes, &name) {
        Ok(report) => Ok(Source::Report(Box::new(report))),
        Err(no_report) => {
            let text = String::from_utf8_lossy(&bytes);
            redo::read(&text, &name, reading.headroom, reading.date_order)
                .map(Source::Listing)
                .map_err(|no_listing| anyhow::anyhow!("neither a report nor a listing: {no_report}; {no_listing}"))
        }
    }
}
