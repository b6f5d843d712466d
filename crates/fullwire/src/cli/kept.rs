use super::{WithArgs, value};
use crate::complete;
use clap::{Args, Subcommand};
use clap_complete::engine::ArgValueCandidates;
use jiff::Timestamp;
use std::path::PathBuf;
use std::time::Duration;

/// `fullwire history`
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  fullwire history --last 5
  fullwire history --since 7d --changes
  fullwire history delete 0kx3
  fullwire history prune --older 90d               baselines are kept"
)]
pub(crate) struct HistoryArgs {
    #[command(subcommand)]
    pub(crate) action: Option<HistoryAction>,
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: in ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH", global = true)]
    pub(crate) store: Option<PathBuf>,
    /// Maximum number of runs, newest first [default: 20; with --since: all]
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<u32>,
    /// Only runs with this label
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(complete::labels))]
    pub(crate) tag: Option<String>,
    /// Only runs that began since then (7d: as long ago; 2026-11-22, 2026-11-22T14:02 in UTC, as listed; RFC 3339)
    #[arg(long, value_name = "TIME", value_parser = value::since)]
    pub(crate) since: Option<Timestamp>,
    /// Show the main figure of each path over the last 100 runs: its noise, its best, when it changed and what changed then
    #[arg(long)]
    pub(crate) changes: bool,
}

/// What else is done with kept runs.
#[derive(Debug, Subcommand)]
pub(crate) enum HistoryAction {
    /// Delete runs permanently
    Delete {
        /// Ids, their first characters, labels, or `last`
        #[arg(required = true, value_name = "RUN", add = ArgValueCandidates::new(complete::runs))]
        runs: Vec<String>,
    },
    /// Delete old runs permanently; baselines are kept
    Prune {
        /// Delete runs that began longer ago than this
        #[arg(long, value_name = "TIME", value_parser = value::time, required_unless_present = "keep")]
        older: Option<Duration>,
        /// Keep this many of the newest
        #[arg(long, value_name = "N")]
        keep: Option<usize>,
    },
}

/// `fullwire show`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire show last
  fullwire show last --why                         what speaks for and against each explanation
  fullwire show 0kx3                               any unique prefix of a run's id")]
pub(crate) struct ShowArgs {
    /// A run's id, its first characters, its label, or `last`
    #[arg(add = ArgValueCandidates::new(complete::runs))]
    pub(crate) run: String,
    /// Then print which figure excluded which explanation, what was tried, and what would settle the rest
    #[arg(long)]
    pub(crate) why: bool,
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: in ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
}

/// `fullwire report`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire report last -o report.html
  fullwire report load-test.fwr -o load-test.html    a recording: charts, trouble and events
  fullwire report /var/lib/fullwire/record --from 2026-11-01T00:00 -o november.html")]
pub(crate) struct ReportArgs {
    /// A run's id, its first characters, its label, or `last`; or a recording: its file, or a directory of them
    #[arg(add = ArgValueCandidates::new(complete::runs))]
    pub(crate) run: String,
    /// The page to write; `-`: stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Of a recording: only from here on (14:02, 2026-11-22T14:02, RFC 3339, or -10m: before its end)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// Of a recording: only up to here
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) to: Option<String>,
    #[command(flatten)]
    pub(crate) with: WithArgs,
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: in ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
}
