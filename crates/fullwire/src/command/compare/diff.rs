//! `fullwire diff`: before and after, with the differences of the configuration next to the numbers.

use super::stretch;
use crate::cli::{CompareArgs, DiffArgs, FailOnAnswer};
use crate::command::mesh;
use crate::output::{Show, write_to};
use crate::session::alike::alike;
use crate::session::store::{Store, read_store_if_there};
use crate::sides;
use anyhow::{Result, bail};
use fullwire_compare::{Options, compare};
use fullwire_model::Run;
use fullwire_model::comparison::{Comparison, Design};
use fullwire_present::{ComparisonReport, html, json, terminal};
use std::process::ExitCode;

/// Undecided or not comparable.
pub(crate) const OPEN: u8 = 3;

pub(crate) fn run(args: &DiffArgs, show: &Show) -> Result<ExitCode> {
    if let Some(code) = mesh::diff(args, show)? {
        return Ok(code);
    }
    if let Some(comparison) = stretch::compared(&args.a, &args.b, args.how.delta)? {
        return told(&comparison, &[], &[], args, show);
    }
    // Captures need no store.
    let store = read_store_if_there(args.store.as_deref())?;
    let (a, b) = load(store.as_deref(), args)?;
    let history = history(store.as_deref(), &a, &b)?;
    let mut comparison = compare(
        &refs(&a),
        &refs(&b),
        &Options {
            design: Design::Blocks,
            deltas: sides::deltas(&args.how),
            history: &refs(&history),
            control: args.control.as_ref(),
            force: args.force,
            conclude: Some(&sides::conclusions),
        },
    );
    (comparison.a_name, comparison.b_name) = (args.a.clone(), args.b.clone());
    told(&comparison, &a, &b, args, show)
}

fn told(comparison: &Comparison, a: &[Run], b: &[Run], args: &DiffArgs, show: &Show) -> Result<ExitCode> {
    let report = ComparisonReport::new(comparison);
    if speaks(comparison, &args.how, show) {
        show.result(&json::diff(comparison), || terminal::diff(&report).render(true))?;
    }
    if let Some(path) = &args.html {
        let page = html::comparison(&report, &refs(a), &refs(b));
        write_to(path, &page)?;
    }
    Ok(exit_code(comparison, &args.how))
}

/// Runs of today next to earlier ones.
pub(crate) fn with_earlier(store: &Store, name: &str, runs: &[&Run]) -> Result<Comparison> {
    let b: Vec<Run> = runs.iter().map(|run| (*run).clone()).collect();
    let mut a = sides::load(Some(store), name, &b)?;
    a.retain(|earlier| b.iter().all(|run| earlier.run_id != run.run_id));
    let history = history(Some(store), &a, &b)?;
    let mut comparison = compare(
        &refs(&a),
        &refs(&b),
        &Options { history: &refs(&history), conclude: Some(&sides::conclusions), ..Options::default() },
    );
    let names: Vec<&str> = b.iter().map(|run| run.run_id.as_str()).collect();
    (comparison.a_name, comparison.b_name) = (name.to_owned(), names.join(", "));
    Ok(comparison)
}

fn refs(runs: &[Run]) -> Vec<&Run> {
    runs.iter().collect()
}

/// `baseline` and `rolling` mean those of the other side's host: that side comes first.
fn load(store: Option<&Store>, args: &DiffArgs) -> Result<(Vec<Run>, Vec<Run>)> {
    let relative = |name: &str| name.starts_with("baseline") || name == "rolling";
    if relative(&args.a) && !relative(&args.b) {
        let named = sides::load(store, &args.b, &[])?;
        let mut a = sides::load(store, &args.a, &named)?;
        // The last run that measured what the baseline did; `named` told whose baseline that is.
        let b = if args.b == "last" { sides::load(store, &args.b, &a)? } else { named };
        if args.b == "last"
            && let Some(run) = b.first().filter(|last| a.iter().any(|one| one.run_id == last.run_id))
        {
            Show::warn(&format!(
                "`last` is {}, one of the baseline's own runs: measure again first",
                run.run_id
            ));
        }
        // A baseline that holds the run itself must not judge it.
        if a.len() > b.len() {
            a.retain(|run| b.iter().all(|other| other.run_id != run.run_id));
        }
        return Ok((a, b));
    }
    let a = sides::load(store, &args.a, &[])?;
    let b = sides::load(store, &args.b, &a)?;
    if let ([one], [other]) = (a.as_slice(), b.as_slice())
        && one.run_id == other.run_id
        && !one.run_id.is_empty()
    {
        bail!("{} and {} are one run, {}: measure again, then compare", args.a, args.b, one.run_id);
    }
    Ok((a, b))
}

/// Where a side has too few runs to show its own scatter, earlier ones lend theirs.
fn history(store: Option<&Store>, a: &[Run], b: &[Run]) -> Result<Vec<Run>> {
    const ENOUGH: usize = 4;
    let (Some(store), Some(like)) = (store, a.last()) else { return Ok(Vec::new()) };
    if a.len().min(b.len()) >= ENOUGH || like.command.name.is_empty() {
        return Ok(Vec::new());
    }
    alike(store, like, &[a, b].concat())
}

/// In cron no one wants a letter that says that nothing happened.
fn speaks(comparison: &Comparison, how: &CompareArgs, show: &Show) -> bool {
    let silent = how.fail_on == FailOnAnswer::Worse && !show.json_wanted();
    if silent && !comparison.is_worse() {
        if comparison.may_be_worse() {
            let first = ComparisonReport::new(comparison).headline.into_iter().next();
            Show::warn(&first.unwrap_or_else(|| "nothing could be compared".into()));
        }
        return false;
    }
    true
}

/// The status that `--fail-on` asks for.
pub(crate) fn exit_code(comparison: &Comparison, how: &CompareArgs) -> ExitCode {
    match how.fail_on {
        FailOnAnswer::Worse if comparison.is_worse() => ExitCode::from(1),
        FailOnAnswer::Worse if comparison.may_be_worse() => ExitCode::from(OPEN),
        // Asked to compare, and nothing was.
        _ if comparison.is_refused() => ExitCode::from(OPEN),
        _ => ExitCode::SUCCESS,
    }
}
