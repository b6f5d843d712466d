//! `fullwire awr`: read reports, judge them, show what matters.

use super::file::or_of_another_kind;
use crate::cli::AwrArgs;
use crate::demand::{self, Reading};
use crate::output::Show;
use crate::session::Session;
use crate::usage;
use anyhow::{Context, Result};
use fullwire_present::{json, terminal};
use std::process::ExitCode;

pub(crate) fn run(args: &AwrArgs, show: &Show) -> Result<ExitCode> {
    let mut session = Session::live("awr", &args.keep)?;
    session.judge_by(&args.judge, &[])?;
    let files = args.files.iter().map(|path| usage::utf8(path)).collect::<Result<Vec<_>>>()?;
    demand::read_files(&mut session, &files, Reading::default())
        .map_err(|error| or_of_another_kind(error, &args.files))?;
    let outcome = session.finish();
    let text = || terminal::report(&outcome.report()).render(true);
    let document = json::awr(&outcome.run, &outcome.assessment)
        .context("none of the files is an AWR or Statspack report; for listings use `fullwire redo`")?;
    outcome.show(show, &document, text)?;
    outcome.keep(&args.keep, show);
    Ok(outcome.exit_code(args.judge.fail_on))
}
