//! `fullwire baseline`: runs that later ones are compared with.

use crate::cli::{BaselineAction, BaselineArgs};
use crate::output::Show;
use crate::session::store::{Store, read_store};
use crate::usage;
use anyhow::{Result, bail};
use fullwire_store::Baseline;
use serde::Serialize;
use std::process::ExitCode;

/// So many runs show their scatter well.
const MANY: usize = 6;
/// Names with their own meaning.
const TAKEN: [&str; 2] = ["rolling", "last"];

#[derive(Serialize)]
struct Shown<'a> {
    host: &'a str,
    name: &'a str,
    runs: &'a [String],
}

pub(crate) fn run(args: &BaselineArgs, show: &Show) -> Result<ExitCode> {
    let mut store = read_store(args.store.as_deref())?;
    match &args.action {
        BaselineAction::Set { runs, name } => set(&mut *store, runs, name, show)?,
        BaselineAction::Show => {}
        BaselineAction::Clear { name, host } => clear(&mut *store, name, host.as_deref(), show)?,
    }
    let all = store.baselines()?;
    let shown = |one: &'_ Baseline| format!("{}  {}  {}\n", one.host, one.name, one.run_ids.join(" "));
    let document: Vec<Shown> =
        all.iter().map(|one| Shown { host: &one.host, name: &one.name, runs: &one.run_ids }).collect();
    show.result(&serde_json::json!({ "baselines": document }), || match all.as_slice() {
        [] => "no baseline is set; `fullwire baseline set RUN…` sets one\n".to_owned(),
        all => all.iter().map(shown).collect(),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn set(store: &mut Store, names: &[String], name: &str, show: &Show) -> Result<()> {
    if TAKEN.contains(&name) || name.contains(',') || name.is_empty() {
        return usage::wrong(format!("--name {name}: this name is reserved; choose another"));
    }
    let mut run_ids: Vec<String> = Vec::new();
    for one in names {
        for run_id in store.resolve_all(one, None)? {
            if !run_ids.contains(&run_id) {
                run_ids.push(run_id);
            }
        }
    }
    store.set_baseline(name, &run_ids)?;
    if run_ids.len() < MANY {
        show.note(&format!(
            "{} runs: 3 are enough for a large change, {MANY} for one that is near the scatter between runs",
            run_ids.len()
        ));
    }
    Ok(())
}

fn clear(store: &mut Store, name: &str, host: Option<&str>, show: &Show) -> Result<()> {
    let having: Vec<String> = store
        .baselines()?
        .into_iter()
        .filter(|one| one.name == name && host.is_none_or(|host| one.host == host))
        .map(|one| one.host)
        .collect();
    match having.as_slice() {
        [] => {
            bail!("there is no baseline {name}{}", host.map(|host| format!(" of {host}")).unwrap_or_default())
        }
        [only] => {
            store.clear_baseline(only, name)?;
            show.note(&format!("removed the baseline {name} of {only}; its runs are kept"));
            Ok(())
        }
        several => bail!("the baseline {name} is set for {}; choose one with --host", several.join(", ")),
    }
}
