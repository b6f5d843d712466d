use super::database::DateOrderArg;
use super::{FailOn, value};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// `fullwire record`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire record                                  one file per day in the state directory
  fullwire record --for 1h -o load-test.fwr
  fullwire record --dir /var/lib/fullwire/record --keep 30d --max-size 10GB
  fullwire replay load-test.fwr --judge            what was wrong, and when

Causes no load and changes nothing. Stop it with Ctrl-C; everything recorded so far is kept.")]
pub(crate) struct RecordArgs {
    /// Record for this time [default: until interrupted]
    #[arg(long = "for", alias = "duration", value_name = "TIME", value_parser = value::time)]
    pub(crate) length: Option<Duration>,
    /// Time between samples
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = value::interval)]
    pub(crate) interval: Duration,
    /// File to record to; it must not exist
    #[arg(short, long, value_name = "FILE", conflicts_with = "dir")]
    pub(crate) output: Option<PathBuf>,
    /// Directory to record to: one file per day, the oldest removed by the limits below [default: in ~/.local/state/fullwire]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Remove the oldest files when the directory exceeds this size
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = value::size)]
    pub(crate) max_size: u64,
    /// Remove files older than this
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = value::time)]
    pub(crate) keep: Duration,
    /// Read this tree instead of the host's /proc and /sys: for measuring what recording costs
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) root: Option<PathBuf>,
}

/// `fullwire watch`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire watch                                   the live I/O path; q quits, ? shows help
  fullwire watch --record                          the same, and keep every sample
  fullwire watch --once                            one screen as text
  fullwire watch --json --count 60 | jq .headline  one JSON object per sample

Causes no load and changes nothing.")]
pub(crate) struct WatchArgs {
    /// Time between samples
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = value::interval)]
    pub(crate) interval: Duration,
    /// Print one screen as text (or JSON) and exit
    #[arg(long, conflicts_with = "count")]
    pub(crate) once: bool,
    /// Print this many screens as text (or JSON) and exit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: Option<u64>,
    /// Also record, as `fullwire record` does
    #[arg(long)]
    pub(crate) record: bool,
    /// Directory to record to [default: in ~/.local/state/fullwire]
    #[arg(long, value_name = "DIR", requires = "record")]
    pub(crate) dir: Option<PathBuf>,
    /// Read this tree instead of the host's /proc and /sys
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) root: Option<PathBuf>,
}

/// `fullwire replay`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire replay load-test.fwr                    the screen of `watch`; ← → step, ? shows help
  fullwire replay /var/lib/fullwire/record --at 14:02
  fullwire replay load-test.fwr --judge            what was wrong, and when
  fullwire replay load-test.fwr --awr awr_1300.html
  fullwire replay load-test.fwr --with iostat.txt  iostat's figures and trouble on the same axis
  fullwire replay load-test.fwr --from -10m --json  one JSON object per sample

Times: 14:02, 14:02:31, 2026-11-22T14:02, RFC 3339, or -10m for ten minutes before the end of the
recording. Times without a zone are the recorded host's.")]
pub(crate) struct ReplayArgs {
    /// A recording, or a directory of them
    pub(crate) recording: PathBuf,
    /// Show this moment
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with_all = ["from", "to"])]
    pub(crate) at: Option<String>,
    /// Start here
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// End here
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) to: Option<String>,
    /// Print the spans of trouble, judged by the same rules as a live run
    #[arg(long)]
    pub(crate) judge: bool,
    /// Judge the time that this AWR or Statspack report covers, and compare its figures with those of the devices
    #[arg(long, value_name = "FILE", conflicts_with_all = ["at", "from", "to"])]
    pub(crate) awr: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) with: WithArgs,
    /// With --judge: exit with status 1 on a span of this severity or worse
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Never)]
    pub(crate) fail_on: FailOn,
}

/// Another tool's file beside a recording.
#[derive(Debug, Args)]
pub(crate) struct WithArgs {
    /// Show this file of sar, sadf, iostat, vmstat or OSWatcher on the same time axis, and say whether its clock is right
    #[arg(long, value_name = "FILE")]
    pub(crate) with: Option<PathBuf>,
    /// Add this to the times in that file: 1h, -90s
    #[arg(long, value_name = "TIME", requires = "with", allow_hyphen_values = true)]
    pub(crate) shift: Option<String>,
    /// The order of that file's dates, where they are ambiguous
    #[arg(long, value_enum, value_name = "ORDER", requires = "with")]
    pub(crate) date_order: Option<DateOrderArg>,
}
