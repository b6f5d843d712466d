//! `fullwire awr`: read reports, judge them, show what matters.

use crate::cli::{AwrArgs, FailOn};
use crate::need::{self, Reading};
use crate::session::Session;
use crate::show::{Show, exit_code};
use anyhow::Result;
use fullwire_present::{Report, json, terminal};
use std::process::ExitCode;

pub(crate) fn run(args: &AwrArgs, show: &Show) -> Result<ExitCode> {
    let mut session = Session::live("awr", &args.keep)?;
    session.judge_by(&args.judge, &[])?;
    let files: Vec<String> = args.files.iter().map(|path| path.display().to_string()).collect();
    need::read_files(&mut session, &files, Reading::default())?;
    let (run, assessment) = session.finish(&args.keep)?;
    let documents = json::awr(&run, &assessment);
    let text = || terminal::demand(&Report::new(&run, &assessment)).render(true);
    match documents.as_slice() {
        [document] => show.result(document, text)?,
        several => show.result(&several, text)?,
    }
    Ok(exit_code(&assessment, args.judge.fail_on.unwrap_or(FailOn::Never)))
}
