//! The command line as typed: options, their defaults and their help. Nothing here touches the system.

/// A choice on the command line and the type of the model that it stands for: each word with its help.
macro_rules! choice {
    ($(#[$about:meta])* $name:ident of $of:ident { $($(#[$help:meta])* $variant:ident,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
        pub(crate) enum $name { $($(#[$help])* $variant,)+ }

        impl From<$name> for $of {
            fn from(choice: $name) -> Self {
                match choice { $($name::$variant => Self::$variant,)+ }
            }
        }
    };
}

mod change;
mod compare;
mod database;
#[cfg(feature = "estate")]
mod estate;
mod export;
mod guess;
mod help;
mod host;
mod kept;
mod mesh;
#[cfg(test)]
mod named;
mod probe;
mod record;
mod rules;
mod suggest;
pub(crate) mod value;

pub(crate) use change::{ApplyArgs, CleanArgs, ScriptArgs, ScriptFormat};
pub(crate) use compare::{BaselineAction, BaselineArgs, CompareArgs, DiffArgs, FailOnAnswer, ProveArgs};
pub(crate) use database::{AwrArgs, FileArgs, ImportArgs, RedoArgs, SqlDialect};
#[cfg(feature = "estate")]
pub(crate) use estate::{
    AgentArgs, CoordinatorArgs, EnrolArgs, EstateCommand, EstateStatusArgs, RemoveArgs, UpArgs,
};
pub(crate) use export::ExportArgs;
pub(crate) use guess::{completed, not_built, reports};
pub(crate) use help::{FIRST_STEPS, program};
pub(crate) use host::{CaptureArgs, CheckArgs};
pub(crate) use kept::{HistoryAction, HistoryArgs, ReportArgs, ShowArgs};
pub(crate) use mesh::{MeshArgs, NodeArgs};
pub(crate) use probe::{
    ArrayArgs, AssessArgs, DiskArgs, KeyArgs, MetricsArgs, Mode, MtuArgs, NetArgs, OperationArg, ServeArgs,
};
pub(crate) use record::{RecordArgs, ReplayArgs, WatchArgs, WithArgs};

pub(crate) use rules::{ExplainArgs, RulesArgs};
pub(crate) use suggest::{examples, without_hidden};

use crate::complete;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCandidates;
use fullwire_model::assessment::Severity;
use std::path::PathBuf;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Does the I/O path of this database server run at full wire? If not, which layer is at fault, and which
/// one change fixes it?
#[derive(Debug, Parser)]
#[command(name = "fullwire", version, styles = STYLES, max_term_width = 100, propagate_version = true)]
#[command(after_help = "Examples:
  fullwire assess                          this host: audit, loopback, storage here; verdict
  fullwire assess --peer standby:5555 --path /u01/oradata
  fullwire check                           audit only, no load
  fullwire serve                           the far end of a network measurement
  fullwire explain bond-slave-down         what a finding means

Exit status: 0 done, 1 a finding at or above --fail-on (default: critical), 2 usage error, 3 could
not be done or nothing could be measured, 130 interrupted; what was measured until then is shown.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How every command speaks.
#[derive(Debug, Clone, Args)]
pub(crate) struct OutputArgs {
    /// Print the result as JSON on stdout
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) json: bool,
    /// Also write the result as JSON to a file (`-`: stdout)
    #[arg(long, global = true, value_name = "FILE", help_heading = "Output")]
    pub(crate) json_file: Option<PathBuf>,
    /// When to use colour; `NO_COLOR` is obeyed
    #[arg(long, global = true, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) color: Color,
    /// Draw with ASCII characters only (default: if the locale is not UTF-8)
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) ascii: bool,
    /// Print no progress and no notes on stderr
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Show more: checks passed, checks that could not be decided and why, how each ceiling was derived
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(crate) verbose: bool,
}

/// When to colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Where a run is kept.
#[derive(Debug, Clone, Args)]
pub(crate) struct KeepArgs {
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: in ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH", help_heading = "Keeping")]
    pub(crate) store: Option<PathBuf>,
    /// Also write the result as a self-contained HTML page (`-`: stdout)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,
    /// Do not store this run
    #[arg(long, help_heading = "Keeping")]
    pub(crate) no_store: bool,
    /// A label for this run
    #[arg(long, value_name = "NAME", help_heading = "Keeping")]
    pub(crate) tag: Option<String>,
}

/// What a judgement leaves out and when it fails the command.
#[derive(Debug, Clone, Args)]
pub(crate) struct JudgeArgs {
    /// Skip this rule (may be repeated)
    #[arg(long, value_name = "CODE", help_heading = "Judgement", value_parser = value::code,
        add = ArgValueCandidates::new(complete::codes))]
    pub(crate) ignore: Vec<String>,
    /// Skip the rules listed in this file: one code per line, `#` starts a comment
    #[arg(long, value_name = "FILE", help_heading = "Judgement")]
    pub(crate) waivers: Option<PathBuf>,
    /// Exit with status 1 on a finding of this severity or worse [default: never for net, disk and mtu, critical for others]
    #[arg(long, value_enum, value_name = "SEVERITY", help_heading = "Judgement")]
    pub(crate) fail_on: Option<FailOn>,
}

/// How bad a finding must be to fail the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// No finding does.
    Never,
    /// Any finding.
    Info,
    /// A warning or worse.
    Warning,
    /// A critical finding.
    Critical,
}

impl FailOn {
    /// Without the option: a probe measures, and what it finds is in its answer.
    pub(crate) fn of(given: Option<Self>, command: &str) -> Self {
        let probe = ["net", "disk", "mtu"].contains(&command);
        given.unwrap_or(if probe { Self::Never } else { Self::Critical })
    }

    /// True when a finding of this severity fails the command.
    pub(crate) fn reached_by(self, severity: Severity) -> bool {
        match self {
            Self::Never => false,
            Self::Info => true,
            Self::Warning => severity >= Severity::Warning,
            Self::Critical => severity >= Severity::Critical,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Audit, measure and judge this host's I/O path: the main command
    Assess(AssessArgs),
    /// Audit without load: this host, a captured tree, a sosreport or a supportconfig
    Check(CheckArgs),
    /// Collect everything `check` reads into an archive for `check --root`
    Capture(CaptureArgs),
    /// Run the responder: the far end of network measurements
    Serve(ServeArgs),
    /// Measure the network to a responder, an iperf server, or a host reached over ssh
    Net(NetArgs),
    /// Find the path MTU in both directions, and MTU black holes
    Mtu(MtuArgs),
    /// Measure storage: a directory, a file, a block device
    Disk(DiskArgs),
    /// Measure all pairs of a cluster over ssh, without collisions, and judge the matrix
    Mesh(MeshArgs),
    /// Take part in the rounds of an estate: dials out, obeys this host's limits first
    #[cfg(feature = "estate")]
    Agent(AgentArgs),
    /// Plan the rounds of an estate and keep what its hosts measure
    #[cfg(feature = "estate")]
    Coordinator(CoordinatorArgs),
    /// Set an estate up, take hosts in and out, see how it is
    #[cfg(feature = "estate")]
    Estate {
        /// What to do
        #[command(subcommand)]
        action: EstateCommand,
    },
    /// Compute what an array of disks can do, or how many disks a demand takes
    Array(ArrayArgs),
    /// Compute the required bandwidth from redo or WAL history
    Redo(RedoArgs),
    /// Read AWR and Statspack reports: what matters and what is wrong
    Awr(AwrArgs),
    /// Import the output of other tools: sar, iostat, vmstat, fio, iperf3, bonnie++, nfsiostat
    Import(ImportArgs),
    /// Judge any file: a report, a recording, an output of a command, a piece of a log (`fullwire FILE` is enough)
    File(FileArgs),
    /// Watch the I/O path live: devices, links, CPUs, memory, with the bottleneck on top
    Watch(WatchArgs),
    /// Record everything the rules read, second by second
    Record(RecordArgs),
    /// Play back a recording, or judge it
    Replay(ReplayArgs),
    /// Compare before and after: what changed, by how much, and what differs in the configuration
    Diff(DiffArgs),
    /// Manage the runs that later runs are compared with
    Baseline(BaselineArgs),
    /// Run an experiment: does a change help, and by how much? Restores the original state
    Prove(ProveArgs),
    /// List kept runs with their verdicts; delete some
    History(HistoryArgs),
    /// Show a kept run, judged by the current rules
    Show(ShowArgs),
    /// Write a kept run as one self-contained HTML page
    Report(ReportArgs),
    /// Write the advised steps of a kept run as a script for you to review, which calls `fullwire apply`
    Script(ScriptArgs),
    /// Apply the advised steps of a kept run to this host: checked, read back, taken back if they fail; --undo
    Apply(ApplyArgs),
    /// Export a kept run to Prometheus, Nagios, Checkmk, Zabbix, OpenTelemetry, CI or a spreadsheet
    Export(ExportArgs),
    /// Explain a finding: what it means, where it is read, how to fix it
    Explain(ExplainArgs),
    /// List every rule
    Rules(RulesArgs),
    /// Print the JSON schema of a document, or list all documents
    Schema {
        /// Such as fullwire.assess/1
        #[arg(add = ArgValueCandidates::new(complete::schemas))]
        name: Option<String>,
    },
    /// Remove what an interrupted run left behind, and show what an interrupted experiment or apply left changed
    Clean(CleanArgs),
    /// Drop-in replacement for `java -jar oratcptest.jar`: same single-dash options, same output
    #[command(disable_help_flag = true)]
    Oratcptest {
        /// The jar's arguments, such as `oratcptest HOST -port=5555 -mode=sync -length=8k`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Make one small I/O on a storage target: what a probe has its own process do first
    #[command(hide = true)]
    Touch {
        /// A directory, a file or a block device
        target: PathBuf,
    },
    /// Take a change back unless it is confirmed: what `fullwire apply` starts beside itself
    #[command(hide = true)]
    Watchdog,
    /// Read a database's counters: what a command has its own process do
    #[command(hide = true)]
    Client,
    /// Take part in a mesh: what `fullwire mesh` starts on each host
    #[command(hide = true)]
    Node(NodeArgs),
    /// Print shell completions
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
    /// Write the Grafana dashboard and the Prometheus alert rules
    Monitoring {
        /// Into this folder
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Write the man pages
    Man {
        /// Into this folder
        #[arg(short, long)]
        output: PathBuf,
    },
}
