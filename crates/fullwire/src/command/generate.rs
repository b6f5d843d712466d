//! Completions and man pages, from the command line's own definition.

use crate::cli::Cli;
use anyhow::{Context, Result};
use clap::CommandFactory;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn completions(shell: clap_complete::Shell) -> Result<ExitCode> {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "fullwire", &mut out);
    crate::output::Show::text(std::str::from_utf8(&out)?)?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man_pages(folder: &Path) -> Result<ExitCode> {
    // No date in the pages: the same source makes the same file.
    clap_mangen::generate_to(Cli::command(), folder)
        .with_context(|| format!("write into {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
