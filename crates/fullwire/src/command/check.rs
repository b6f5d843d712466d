//! `fullwire check`: audit without load.

use crate::cli::{CheckArgs, FailOn};
use crate::session::Session;
use crate::show::{Show, exit_code};
use anyhow::Result;
use fullwire_observe::Root;
use fullwire_present::{Report, json, terminal};
use std::process::ExitCode;

pub(crate) fn run(args: &CheckArgs, show: &Show) -> Result<ExitCode> {
    let mut session = match &args.root {
        Some(path) => Session::on(Root::tree(path)?, "check", &args.keep),
        None => Session::live("check", &args.keep)?,
    };
    session.judge_by(&args.judge, &args.only)?;
    session.run.command.sga_bytes = args.sga;
    session.observe(&[]);
    match args.root {
        Some(_) => session.captured_window(),
        None if !args.window.is_zero() => session.idle(args.window),
        None => session.glance(),
    }
    let (run, assessment) = session.finish(&args.keep)?;
    let document = json::check(&run, &assessment);
    show.result(&document, || {
        let report = Report::new(&run, &assessment);
        let mut text = terminal::check(&report).render(true);
        if args.explain {
            text.push_str(&super::rules::explanations(&assessment));
        }
        text
    })?;
    Ok(exit_code(&assessment, args.judge.fail_on.unwrap_or(FailOn::Critical)))
}
