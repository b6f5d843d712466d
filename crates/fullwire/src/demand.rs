//! What a database needs, from whatever the user has: reports, listings, a live server.

use crate::database::{self, ANSWER_WITHIN, Sampling};
use crate::output::Show;
use crate::output::progress::Progress;
use crate::session::Session;
use anyhow::{Context, Result, bail};
use fullwire_demand::{
    DateOrder, Needs, ReadError, ReadErrorKind, awr, combine, of_redo, of_reports, redo, views,
};
use fullwire_model::demand::{AwrReport, Demand, OracleViews, RedoHistory};
use fullwire_model::{Gap, GapReason, Run};
use fullwire_observe::{Unpacking, ZipFiles, unpacked};
use std::io::{BufReader, Read as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A live server is read this often.
const INTERVAL: Duration = Duration::from_secs(1);

/// What the readers of reports and listings take at most.
const LARGEST_BYTES: u64 = 256 << 20;

/// How sources are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    /// Added to the peak: 0.3 is 30 %.
    pub(crate) headroom: f64,
    /// The order of ambiguous dates.
    pub(crate) date_order: Option<DateOrder>,
    /// A live server is watched this long.
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
        let sampling = Sampling {
            window: reading.window,
            interval,
            headroom: reading.headroom,
            answer_within: ANSWER_WITHIN,
        };
        let stopped = || {
            progress.tick();
            stop.load(Ordering::Relaxed)
        };
        let (history, demand) = database::sample(source, sampling, &stopped)?;
        let known: Vec<Demand> = session.run.demand.take().into_iter().chain([demand]).collect();
        session.run.demand = combine(&known);
        keep_history(session, history);
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
    Views(Box<OracleViews>),
}

/// Reads files into the run: reports, the redo history of all, the demand. One bad file of many is a gap.
pub(crate) fn read_files(session: &mut Session, files: &[String], reading: Reading) -> Result<()> {
    let mut demands: Vec<Demand> = session.run.demand.take().into_iter().collect();
    let mut failed: Option<anyhow::Error> = None;
    for file in files {
        match read_file(Path::new(file), reading) {
            Ok(Source::Report(report)) => session.run.reports.push(*report),
            Ok(Source::Listing(history)) => {
                demands.push(of_redo(&history));
                keep_history(session, *history);
            }
            Ok(Source::Views(views)) => keep_views(session, *views),
            Err(error) => {
                session.gap(file, GapReason::Malformed, crate::sentence(&error));
                failed.get_or_insert(error);
            }
        }
    }
    let run = &session.run;
    let nothing = run.reports.is_empty() && run.redo.is_none() && run.views.is_none();
    if let Some(error) = failed.filter(|_| nothing) {
        return Err(error);
    }
    conclude(session, demands, reading);
    Ok(())
}

/// A message that stands for a redo write when nothing tells its size: a common one.
const REDO_WRITE_BYTES: u64 = 8 << 10;

/// What the database writes at a time, on average.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a mean write is at most some MiB"
)]
pub(crate) fn redo_write_bytes(run: &Run) -> u64 {
    let mean = run.demand.as_ref().and_then(|demand| demand.redo_write_mean_bytes);
    mean.map_or(REDO_WRITE_BYTES, |bytes| bytes.clamp(1.0, 16_777_216.0).round() as u64)
}

/// What the reports of a run and these listings come to.
pub(crate) fn conclude(session: &mut Session, mut demands: Vec<Demand>, reading: Reading) {
    let needs = of_reports(&session.run.reports, reading.headroom);
    demands.extend(needs.iter().map(|needs| needs.demand.clone()));
    // A listing tells more of the redo than the means of reports.
    if session.run.redo.is_none() {
        session.run.redo = needs.into_iter().next().map(|Needs { redo, .. }| redo);
    }
    session.run.demand = combine(&demands);
}

/// A run has one redo history: of several the one that requires most, with a gap for each other.
pub(crate) fn keep_history(session: &mut Session, history: RedoHistory) {
    let weight = |history: &RedoHistory| history.required_bytes_per_s.unwrap_or(0.0);
    let Some(known) = session.run.redo.take() else {
        session.run.redo = Some(history);
        return;
    };
    let (mut kept, other) =
        if weight(&history) > weight(&known) { (history, known) } else { (known, history) };
    let detail = format!("its redo is not in the history, which belongs to {}", kept.source);
    kept.gaps.push(Gap::new(other.source, GapReason::Skipped, detail));
    session.run.redo = Some(kept);
}

/// A file as a whole, and at most this many bytes of it: a device or a pipe has no end.
fn read_limited(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut reader = if path == Path::new("-") {
        unpacked(std::io::stdin().lock())?
    } else {
        unpacked(BufReader::new(crate::output::open(path)?))?
    };
    reader.by_ref().take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        bail!("it has more than {most} bytes, more than any report or listing");
    }
    only_member(bytes, &reader, most)
}

/// The file that a ZIP archive holds, which may come to `most` bytes, or the bytes themselves, read whole from here.
pub(crate) fn only_member(bytes: Vec<u8>, from: &Unpacking<'_>, most: u64) -> Result<Vec<u8>> {
    let Some(ZipFiles { mut files, left_out }) = from.zip_members(&bytes, most) else { return Ok(bytes) };
    match (files.len(), left_out.first()) {
        (1, None) => Ok(files.remove(0).1),
        (0 | 1, Some((member, why))) => bail!("{member} in the ZIP archive: {why}"),
        (count, _) => bail!("a ZIP archive of {count} files: `fullwire file` reads them all"),
    }
}

/// A report says what it is in its first lines; whatever is none is tried as a listing of views, then of logs.
fn read_file(path: &Path, reading: Reading) -> Result<Source> {
    let name = if path == Path::new("-") { "stdin".to_owned() } else { path.display().to_string() };
    let bytes = read_limited(path, LARGEST_BYTES).with_context(|| format!("read {name}"))?;
    match awr::read(&bytes, &name) {
        Ok(report) => Ok(Source::Report(Box::new(report))),
        Err(no_report) => {
            let text = String::from_utf8_lossy(&bytes);
            if let Ok(views) = views::read(&text, &name) {
                return Ok(Source::Views(Box::new(views)));
            }
            redo::read(&text, &name, reading.headroom, reading.date_order)
                .map(|history| Source::Listing(Box::new(history)))
                .map_err(|no_listing| neither(no_report, no_listing))
        }
    }
}

/// Listings of Oracle's views, as `fullwire redo --sql oracle-asm` and `oracle-standby` make them.
pub(crate) fn read_views(session: &mut Session, files: &[String]) -> Result<()> {
    for file in files {
        let path = Path::new(file);
        let bytes = read_limited(path, LARGEST_BYTES).with_context(|| format!("read {file}"))?;
        keep_views(session, views::read(&String::from_utf8_lossy(&bytes), file)?);
    }
    Ok(())
}

pub(crate) fn keep_views(session: &mut Session, views: OracleViews) {
    session.run.gaps.extend(views.gaps.iter().cloned());
    session.run.views.get_or_insert_with(OracleViews::default).extend(views);
}

/// A file that must be a report.
pub(crate) fn report_of(path: &Path) -> Result<AwrReport> {
    match read_file(path, Reading::default())? {
        Source::Report(report) => Ok(*report),
        Source::Listing(_) | Source::Views(_) => {
            bail!("{} is a listing, not an AWR or Statspack report", path.display())
        }
    }
}

/// The reader that knew the file says what is wrong with it.
fn neither(no_report: ReadError, no_listing: ReadError) -> anyhow::Error {
    match (no_report.kind, no_listing.kind) {
        (ReadErrorKind::Unreadable, _) => no_report.into(),
        (_, ReadErrorKind::Unreadable) => no_listing.into(),
        _ => {
            let both = format!("neither a report nor a listing: {no_report}; {no_listing}");
            anyhow::Error::new(no_listing).context(both)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_an_end_is_left_after_its_limit() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let endless = pipe.clone();
        let writer = std::thread::spawn(move || {
            std::io::copy(&mut std::io::repeat(b'a'), &mut std::fs::File::create(endless).unwrap())
        });
        let error = read_limited(&pipe, 1 << 20).unwrap_err().to_string();
        assert!(error.contains("more than 1048576 bytes"), "{error}");
        assert!(writer.join().unwrap().is_err(), "the reader is gone");
        let file = dir.path().join("f");
        std::fs::write(&file, [7; 1000]).unwrap();
        assert_eq!(read_limited(&file, 1000).unwrap().len(), 1000);
        assert!(read_limited(&file, 999).is_err());
    }
}
