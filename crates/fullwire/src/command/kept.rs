//! `fullwire history`, `show` and `report`: kept runs, judged by today's rules.

use crate::cli::{HistoryAction, HistoryArgs, ReportArgs, ShowArgs};
use crate::command::replay;
use crate::output::{Show, verbose, write_to};
use crate::session::store::{Store, read_store, read_store_if_there};
use crate::usage;
use anyhow::Result;
use fullwire_compare::Deltas;
use fullwire_compare::series::series;
use fullwire_model::Run;
use fullwire_model::history::{Entry, Series};
use fullwire_present::json::HistoryLine;
use fullwire_present::{Report, html, json, terminal};
use fullwire_store::Filter;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// So many are listed where nothing says how many.
const LISTED: u32 = 20;
/// More runs than this are listed without their verdicts: each has to be read and judged again.
const MOST_JUDGED: usize = 200;

pub(crate) fn history(args: &HistoryArgs, show: &Show) -> Result<ExitCode> {
    if let Some(action) = &args.action {
        return remove(action, args, show);
    }
    let limit = args.last.or(args.since.is_none().then_some(LISTED));
    let filter = Filter { tag: args.tag.clone(), since: args.since, limit, ..Filter::default() };
    // The user's own place, before the first run: that is no mistake.
    let store = match args.store {
        Some(_) => Some(read_store(args.store.as_deref())?),
        None => read_store_if_there(None)?,
    };
    let lines = match store {
        None => Vec::new(),
        Some(store) => {
            let entries = store.history(&filter)?.into_iter().enumerate();
            entries.map(|(place, entry)| judged(&*store, entry, place < MOST_JUDGED)).collect()
        }
    };
    let series = if args.changes { changes(args, show)? } else { Vec::new() };
    show.result(&json::history(&lines, &series), || {
        let list = terminal::history(&lines).render(true);
        if args.changes { format!("{}\n{list}", terminal::series(&series).render(true)) } else { list }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The figures of the last runs as series, one host at a time.
fn changes(args: &HistoryArgs, show: &Show) -> Result<Vec<Series>> {
    const MOST_RUNS: u32 = 100;
    let store = read_store(args.store.as_deref())?;
    let filter =
        Filter { tag: args.tag.clone(), since: args.since, limit: Some(MOST_RUNS), ..Filter::default() };
    let mut by_host: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    let mut of_experiments = 0;
    for entry in store.history(&filter)? {
        // One unreadable run is no reason to show nothing.
        if let Ok(run) = store.load(&entry.run_id) {
            of_experiments += usize::from(run.command.experiment);
            by_host.entry(entry.host).or_default().push(run);
        }
    }
    if of_experiments > 0 {
        show.note(&format!(
            "left out of the series: {of_experiments} runs of `fullwire prove`, which set what they measured"
        ));
    }
    let of_host = |runs: Vec<Run>| series(&runs.iter().collect::<Vec<_>>(), &Deltas::default());
    Ok(by_host.into_values().flat_map(of_host).collect())
}

/// An entry with what today's rules say of its run; one that cannot be read is listed all the same.
fn judged(store: &Store, entry: Entry, wanted: bool) -> HistoryLine {
    let run = wanted.then(|| store.load(&entry.run_id).ok()).flatten();
    let assessment = run.map(|run| fullwire_rules::assess(&run));
    HistoryLine::new(entry, assessment.as_ref())
}

fn remove(action: &HistoryAction, args: &HistoryArgs, show: &Show) -> Result<ExitCode> {
    let mut store = read_store(args.store.as_deref())?;
    let names = match action {
        // Each name must mean a run before any is removed.
        HistoryAction::Delete { runs } => {
            runs.iter().map(|run| store.resolve(run)).collect::<Result<BTreeSet<_>, _>>()?
        }
        HistoryAction::Prune { older, keep } => old(&*store, *older, *keep)?,
    };
    let mut deleted = Vec::new();
    for name in &names {
        deleted.push(store.delete(name)?);
    }
    if !deleted.is_empty() {
        // The runs are gone; the file may be as large as before.
        let _ = store.shrink();
    }
    let document = json::deleted(deleted);
    show.result(&document, || document.deleted.iter().map(|run| format!("deleted {run}\n")).collect())?;
    if document.deleted.is_empty() {
        show.note("no run is older than that");
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs that are too old or too many; never a baseline.
fn old(store: &Store, older: Option<Duration>, keep: Option<usize>) -> Result<BTreeSet<String>> {
    let now = Timestamp::now();
    let entries = store.history(&Filter::default())?.into_iter().enumerate();
    let is_old = |place: usize, entry: &Entry| {
        let age = Duration::try_from(now.duration_since(entry.started)).unwrap_or_default();
        keep.is_none_or(|keep| place >= keep) && older.is_none_or(|older| age > older)
    };
    Ok(entries
        .filter(|(place, entry)| !entry.baseline && is_old(*place, entry))
        .map(|(_, entry)| entry.run_id)
        .collect())
}

pub(crate) fn show(args: &ShowArgs, show: &Show) -> Result<ExitCode> {
    let run = read_store(args.store.as_deref())?.load(&args.run)?;
    let assessment = fullwire_rules::assess(&run);
    show.result(&json::assess(&run, &assessment), || {
        let report = Report::new(&run, &assessment);
        let mut text = terminal::report(&report).render(true);
        if args.why {
            text.push('\n');
            text.push_str(&terminal::why(&fullwire_rules::why(&run)).render(true));
        }
        if !show.verbose() {
            return text;
        }
        verbose::with_details(&text, &run, &assessment, &report)
    })?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn report(args: &ReportArgs, show: &Show) -> Result<ExitCode> {
    if replay::is_recording(&args.run) {
        return replay::report(args, show);
    }
    if args.from.is_some() || args.to.is_some() || args.with.with.is_some() {
        return usage::wrong(
            "--from, --to and --with are for recordings: name a .fwr file or a directory of them",
        );
    }
    let run = read_store(args.store.as_deref())?.load(&args.run)?;
    let assessment = fullwire_rules::assess(&run);
    let page = html::page(&Report::new(&run, &assessment));
    write_to(&args.output, &page)?;
    if args.output != Path::new("-") {
        show.note(&format!("wrote {}", args.output.display()));
    }
    Ok(ExitCode::SUCCESS)
}
