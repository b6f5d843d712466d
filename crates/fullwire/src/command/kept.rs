//! `fullwire history`, `show` and `report`: kept runs, judged by today's rules.

use crate::cli::{HistoryArgs, ReportArgs, ShowArgs};
use crate::session::open_store;
use crate::show::Show;
use anyhow::{Context, Result};
use fullwire_present::{Report, html, json, terminal};
use fullwire_store::Filter;
use std::process::ExitCode;

pub(crate) fn history(args: &HistoryArgs, show: &Show) -> Result<ExitCode> {
    let store = open_store(args.store.as_deref())?;
    let limit = u32::try_from(args.last).ok();
    let entries = store.history(&Filter { tag: args.tag.clone(), limit, ..Filter::default() })?;
    show.result(&json::history(&entries), || terminal::history(&entries).render(true))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn show(args: &ShowArgs, show: &Show) -> Result<ExitCode> {
    let run = open_store(args.store.as_deref())?.load(&args.run)?;
    let assessment = fullwire_rules::assess(&run);
    show.result(&json::assess(&run, &assessment), || {
        terminal::assess(&Report::new(&run, &assessment)).render(true)
    })?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn report(args: &ReportArgs, show: &Show) -> Result<ExitCode> {
    let run = open_store(args.store.as_deref())?.load(&args.run)?;
    let assessment = fullwire_rules::assess(&run);
    let page = html::page(&Report::new(&run, &assessment));
    std::fs::write(&args.output, page).with_context(|| format!("write {}", args.output.display()))?;
    show.note(&format!("wrote {}", args.output.display()));
    Ok(ExitCode::SUCCESS)
}
