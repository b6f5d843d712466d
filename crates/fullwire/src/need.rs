//! What a database needs, from whatever the user has: reports, listings, a live server.

use crate::database::{self, Sampling};
use crate::progress::Progress;
use crate::session::Session;
use crate::show::Show;
use anyhow::{Context, Result};
use fullwire_demand::{DateOrder, awr, combine, of_redo, of_report, redo};
use fullwire_model::demand::{AwrReport, Demand, RedoHistory};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A live server is read so often.
const INTERVAL: Duration = Duration::from_secs(1);

/// How sources are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    /// Added to the peak: 0.3 is 30 %.
    pub(crate) headroom: f64,
    /// The order of ambiguous dates.
    pub(crate) date_order: Option<DateOrder>,
    /// A live server is watched so long.
    pub(crate) window: Duration,
}

impl Default for Reading {
    fn default() -> Self {
        Self { headroom: redo::DEFAULT_HEADROOM, date_order: None, window: Duration::from_secs(10) }
    }
}

/// Reads files first, then each live server for its window.
pub(crate) fn read(
    session: &mut Session,
    sources: &[String],
    reading: Reading,
    show: &Show,
    stop: &AtomicBool,
) -> Result<()> {
    let (live, files): (Vec<String>, Vec<String>) =
        sources.iter().cloned().partition(|source| database::is_live(source));
    read_files(session, &files, reading)?;
    let progress = Progress::new(show, reading.window * u32::try_from(live.len()).unwrap_or(1));
    for source in &live {
        progress.doing(&format!("watching {}", name_of(source)));
        let interval = INTERVAL.min(reading.window);
        let sampling = Sampling { window: reading.window, interval, headroom: reading.headroom };
        let stopped = || {
            progress.tick();
            stop.load(Ordering::Relaxed)
        };
        let (history, demand) = database::sample(source, sampling, &stopped)?;
        let known: Vec<Demand> = session.run.demand.take().into_iter().chain([demand]).collect();
        session.run.demand = combine(&known);
        session.run.redo = Some(history);
    }
    Ok(())
}

/// A live source without its user.
fn name_of(source: &str) -> &str {
    source.rsplit_once('@').map_or(source, |(_, host)| host)
}

/// What one file turned out to be.
enum Source {
    Report(Box<AwrReport>),
    Listing(Box<RedoHistory>),
}

/// Reads files into the run: reports, the redo history of all, the demand.
pub(crate) fn read_files(session: &mut Session, files: &[String], reading: Reading) -> Result<()> {
    let mut demands: Vec<Demand> = session.run.demand.take().into_iter().collect();
    for file in files {
        match read_file(Path::new(file), reading)? {
            Source::Report(report) => session.run.reports.push(*report),
            Source::Listing(history) => {
                demands.push(of_redo(&history));
                session.run.redo = Some(*history);
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
                .map(|history| Source::Listing(Box::new(history)))
                .map_err(|no_listing| match () {
                    // The one that knew the file says what is wrong with it.
                    () if !no_report.what.starts_with("not an AWR") => no_report.into(),
                    () if !no_listing.what.starts_with("no heading") => no_listing.into(),
                    () => anyhow::anyhow!("neither a report nor a listing: {no_report}; {no_listing}"),
                })
        }
    }
}
