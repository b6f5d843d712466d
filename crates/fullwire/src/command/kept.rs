//! `fullwire history`, `show` and `report`: kept runs, judged by today's rules.

use crate::cli::{HistoryArgs, ReportArgs, ShowArgs};
use crate::session::{read_store, store_path};
use crate::show::{Show, write_to};
use anyhow::Result;
use fullwire_compare::Deltas;
use fullwire_compare::series::series;
use fullwire_model::Run;
use fullwire_model::history::Series;
use fullwire_present::{Report, html, json, terminal};
use fullwire_store::{Filter, Store, StoreError};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn history(args: &HistoryArgs, show: &Show) -> Result<ExitCode> {
    let limit = u32::try_from(args.last).ok();
    let filter = Filter { tag: args.tag.clone(), limit, ..Filter::default() };
    let entries = match Store::open_existing(store_path(args.store.as_deref())) {
        // The user's own place, before the first run: that is no mistake.
        Err(StoreError::Missing { .. }) if args.store.is_none() => Vec::new(),
        opened => opened?.history(&filter)?,
    };
    let series = if args.changes { changes(args)? } else { Vec::new() };
    show.result(&json::history(&entries, &series), || {
        let list = terminal::history(&entries).render(true);
        if args.changes { format!("{list}\n{}", terminal::series(&series).render(true)) } else { list }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The figures of the last runs as series, one host at a time.
fn changes(args: &HistoryArgs) -> Result<Vec<Series>> {
    const MOST_RUNS: u32 = 100;
    let store = read_store(args.store.as_deref())?;
    let filter = Filter { tag: args.tag.clone(), limit: Some(MOST_RUNS), ..Filter::default() };
    let mut by_host: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    for entry in store.history(&filter)? {
        // One unreadable run is no reason to show nothing.
        if let Ok(run) = store.load(&entry.run_id) {
            by_host.entry(entry.host).or_default().push(run);
        }
    }
    let of_host = |runs: Vec<Run>| series(&runs.iter().collect::<Vec<_>>(), &Deltas::default());
    Ok(by_host.into_values().flat_map(of_host).collect())
}

pub(crate) fn show(args: &ShowArgs, show: &Show) -> Result<ExitCode> {
    let run = read_store(args.store.as_deref())?.load(&args.run)?;
    let assessment = fullwire_rules::assess(&run);
    show.result(&json::assess(&run, &assessment), || {
        terminal::assess(&Report::new(&run, &assessment)).render(true)
    })?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn report(args: &ReportArgs, show: &Show) -> Result<ExitCode> {
    let run = read_store(args.store.as_deref())?.load(&args.run)?;
    let assessment = fullwire_rules::assess(&run);
    let page = html::page(&Report::new(&run, &assessment));
    write_to(&args.output, page.as_bytes())?;
    if args.output != Path::new("-") {
        show.note(&format!("wrote {}", args.output.display()));
    }
    Ok(ExitCode::SUCCESS)
}
