use clap::Args;
use std::path::PathBuf;

/// `fullwire history`
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// The store of kept runs
    #[arg(long, value_name = "PATH", env = "FULLWIRE_STORE")]
    pub(crate) store: Option<PathBuf>,
    /// At most so many, newest first
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) last: usize,
    /// Only runs with this label
    #[arg(long, value_name = "NAME")]
    pub(crate) tag: Option<String>,
}

/// `fullwire show`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire show last
  fullwire show 0kx3                               any unique beginning of a run's id")]
pub(crate) struct ShowArgs {
    /// A run's id, its beginning, its label, or `last`
    pub(crate) run: String,
    /// The store of kept runs
    #[arg(long, value_name = "PATH", env = "FULLWIRE_STORE")]
    pub(crate) store: Option<PathBuf>,
}

/// `fullwire report`
#[derive(Debug, Args)]
#[command(after_help = "Example:
  fullwire report last -o report.html")]
pub(crate) struct ReportArgs {
    /// A run's id, its beginning, its label, or `last`
    pub(crate) run: String,
    /// The page to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The store of kept runs
    #[arg(long, value_name = "PATH", env = "FULLWIRE_STORE")]
    pub(crate) store: Option<PathBuf>,
}
