use super::value;
use clap::{Args, Subcommand, ValueEnum};
use fullwire_model::PathName;
use std::path::PathBuf;
use std::time::Duration;

/// `fullwire diff`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire diff before after                       two labels (--tag): all runs of each
  fullwire diff 0kx31,0kx32,0kx33,0kx34 last
  fullwire diff baseline last --fail-on worse      for cron: silent unless something got worse
  fullwire diff host-monday.tar.zst host-today.tar.zst    configuration only
  fullwire diff db1.fwr@2026-11-15T14:00..2026-11-15T15:00 db1.fwr@14:00..15:00  two hours
  fullwire diff fio-before.txt fio-after.txt              outputs of other tools
  fullwire diff mesh-monday.json mesh-today.json   two meshes (mesh --json-file)

A side is one of these, or several separated by commas:
  a run's id or its first characters, a label, `last`, `baseline`, `baseline:NAME`
  `rolling`: the last 30 runs like the other side
  a capture or sosreport
  an output of fio, iperf, dd or another tool that measures
  a stretch of a recording: FILE@FROM..TO

`last` is the last run that measured what the other side did. Two targets are compared
where each side measured one: two addresses, a LUN and a volume, two file systems.

The answer is one of four: better, worse, no difference that matters, cannot tell.
Fewer than four runs on a side are judged by the scatter of earlier runs or by their
own: three runs next to one are enough for a change far outside it.

Error rates: a primary figure without a change is called better or worse in at most
5 % of comparisons. Of the other figures, at most 10 % of those called better or worse
are not. `no difference` is wrong in at most 5 %.

Exit status with --fail-on worse: 0 nothing got worse, 1 a primary figure did,
3 cannot tell or cannot be compared.")]
pub(crate) struct DiffArgs {
    /// Before
    pub(crate) a: String,
    /// After
    pub(crate) b: String,
    #[command(flatten)]
    pub(crate) how: CompareArgs,
    /// A path outside the change, measured in the same runs: what it did meanwhile is subtracted
    #[arg(long, value_name = "TARGET")]
    pub(crate) control: Option<PathName>,
    /// Show both columns even if the two sides measured different things
    #[arg(long)]
    pub(crate) force: bool,
    /// Also write a self-contained HTML page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: in ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
}

/// What a comparison calls a difference.
#[derive(Debug, Clone, Args)]
pub(crate) struct CompareArgs {
    /// The smallest change that matters, in percent [default: throughput 3, p50 5, p99 10, p99.9 20]
    #[arg(long, value_name = "PERCENT", value_parser = value::percent)]
    pub(crate) delta: Option<f64>,
    /// Exit with status 1 if a primary figure is worse, 3 if that cannot be decided
    #[arg(long, value_enum, default_value_t)]
    pub(crate) fail_on: FailOnAnswer,
}

/// Which answer fails the command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOnAnswer {
    /// None does
    #[default]
    Never,
    /// A primary figure is worse
    Worse,
}

/// `fullwire baseline`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire baseline set nightly                    all runs of a label
  fullwire baseline set 0kx31 0kx32 --name jumbo
  fullwire baseline show
  fullwire baseline clear --name jumbo

Several runs of one plan show how much runs differ when nothing changes; with six or more, a
baseline can judge a single later run.")]
pub(crate) struct BaselineArgs {
    #[command(subcommand)]
    pub(crate) action: BaselineAction,
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: in ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH", global = true)]
    pub(crate) store: Option<PathBuf>,
}

/// What to do with a baseline.
#[derive(Debug, Subcommand)]
pub(crate) enum BaselineAction {
    /// Make runs the baseline of their host
    Set {
        /// Runs' ids, labels, or `last`
        #[arg(required = true)]
        runs: Vec<String>,
        /// Name of the baseline
        #[arg(long, value_name = "NAME", default_value = fullwire_store::GOLDEN)]
        name: String,
    },
    /// List the baselines
    Show,
    /// Forget a baseline, not its runs
    Clear {
        /// Its name
        #[arg(long, value_name = "NAME", default_value = fullwire_store::GOLDEN)]
        name: String,
        /// The host [default: the only one that has it]
        #[arg(long, value_name = "HOST")]
        host: Option<String>,
    },
}

/// `fullwire prove`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire prove --finding receive-window          the fix from the last run, and its undo
  fullwire prove --finding receive-window --dry-run
  fullwire prove --a 'sysctl -w net.ipv4.tcp_slow_start_after_idle=1' \\
                 --b 'sysctl -w net.ipv4.tcp_slow_start_after_idle=0' -- net standby --mode sync

Repeats the measurement with and without the change, in the order A B B A, so that drift cancels
out. The host is left in state A, also after an error and after SIGINT or SIGTERM. What is changed
is in a journal first: after kill -9 or a power loss `fullwire clean` shows it, and
`fullwire clean --undo` sets state A. Settings are read back before each run.")]
pub(crate) struct ProveArgs {
    /// Try the fix of this finding
    #[arg(long, value_name = "CODE", conflicts_with_all = ["a", "b"], required_unless_present_any = ["a", "b"])]
    pub(crate) finding: Option<String>,
    /// The run with the finding: its id, its label, or `last`, the last one of this host itself
    #[arg(long, value_name = "RUN", default_value = "last")]
    pub(crate) run: String,
    /// The command that sets the state without the change
    #[arg(long, value_name = "CMD", requires = "b")]
    pub(crate) a: Option<String>,
    /// The command that makes the change
    #[arg(long, value_name = "CMD", requires = "a")]
    pub(crate) b: Option<String>,
    /// Pairs of runs; 3 to 5 show only a change far outside their own scatter
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(2..=100))]
    pub(crate) pairs: u32,
    /// Time to wait after each change
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = value::time)]
    pub(crate) settle: Duration,
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Only show what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) how: CompareArgs,
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: in ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
    /// What to measure: `net …` or `disk …` [default: what the finding is about]
    #[arg(last = true, value_name = "net|disk …")]
    pub(crate) measurement: Vec<String>,
}
