//! Completions and man pages, from the command line's own definition.

use crate::cli::Cli;
use crate::complete::VARIABLE;
use crate::output::Show;
use crate::{man, usage};
use anyhow::Result;
use clap::CommandFactory as _;
use clap_complete::env::Shells;
use std::path::Path;
use std::process::ExitCode;

/// A script that asks this program: codes, profiles, runs and labels are offered as they are now.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<ExitCode> {
    let name = shell.to_string();
    let shells = Shells::builtins();
    let Some(completer) = shells.completer(&name) else {
        return usage::wrong(format!("no completions are known for {name}"));
    };
    let mut out = Vec::new();
    completer.write_registration(VARIABLE, "fullwire", "fullwire", "fullwire", &mut out)?;
    Show::source(std::str::from_utf8(&out)?)?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man_pages(folder: &Path) -> Result<ExitCode> {
    man::write(Cli::command(), folder)?;
    Ok(ExitCode::SUCCESS)
}
