//! `fullwire history`, `show` and `report`: kept runs, judged by today's rules.

use crate::cli::{HistoryArgs, ReportArgs, ShowArgs};
use crate::output::{Show, write_to};
use crate::session::store::{read_store, store_path};
use anyhow::Result;
use fullwire_present::{Report, html, json, terminal};
use fullwire_store::{Filter, Store, StoreError};
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
    show.result(&json::history(&entries), || terminal::history(&entries).render(true))?;
    Ok(ExitCode::SUCCESS)
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
