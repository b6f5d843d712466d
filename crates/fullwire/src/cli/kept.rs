use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `fullwire history`
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
    /// At most so many, newest first
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) last: usize,
    /// Only runs with this label
    #[arg(long, value_name = "NAME")]
    pub(crate) tag: Option<String>,
    /// The main figure of each path over the last 100 runs: its noise, its best, where it changed and what changed then
    #[arg(long)]
    pub(crate) changes: bool,
}

/// `fullwire show`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire show last
  fullwire show 0kx3                               any unique beginning of a run's id")]
pub(crate) struct ShowArgs {
    /// A run's id, its beginning, its label, or `last`
    pub(crate) run: String,
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
}

/// `fullwire report`
#[derive(Debug, Args)]
#[command(after_help = "Example:
  fullwire report last -o report.html")]
pub(crate) struct ReportArgs {
    /// A run's id, its beginning, its label, or `last`
    pub(crate) run: String,
    /// The page to write; `-`: stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
}

/// `fullwire script`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire script last > plan.sh                   read it, then: sh plan.sh [--apply]
  fullwire script last --finding receive-window
  fullwire script last --format ansible > plan.yml

fullwire changes nothing itself, and the script does nothing without --apply.")]
pub(crate) struct ScriptArgs {
    /// A run's id, its beginning, its label, or `last`
    pub(crate) run: String,
    /// Only the steps of this finding
    #[arg(long, value_name = "CODE")]
    pub(crate) finding: Option<String>,
    /// A POSIX shell script, or an Ansible playbook
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ScriptFormat,
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
}

/// What a script is written in.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum ScriptFormat {
    /// Shell.
    #[default]
    Sh,
    /// Ansible playbook.
    Ansible,
}
