use super::{JudgeArgs, KeepArgs, KeyArgs, value};
use crate::complete;
use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCandidates;
use fullwire_demand::DateOrder;
use fullwire_model::PathName;
use std::path::PathBuf;
use std::time::Duration;

/// `fullwire redo`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire redo --sql oracle                       the query to run in SQL*Plus
  fullwire redo archived_log.txt                   its listing
  fullwire redo awr_*.html                         a series of reports
  fullwire redo archived_log.txt --expect 200Mbit  would this line be enough?
  fullwire redo postgres://db1/app --window 60s --peer standby:5555

Passwords come from the usual files and variables only: PGPASSFILE, PGPASSWORD, .my.cnf,
MYSQL_PWD. Servers are asked over TLS where they offer it. A MySQL server on another host,
or behind a port that someone but its own user listens at, must have a certificate from a
trusted CA: ssl-ca=FILE in [client] of .my.cnf, or mysql://USER@HOST?ssl-ca=FILE;
?ssl-mode=disabled connects without TLS.")]
pub(crate) struct RedoArgs {
    /// Listings of archived logs, reports, `postgres://` and `mysql://` addresses; `-`: stdin
    #[arg(value_name = "SOURCE", required_unless_present = "sql")]
    pub(crate) sources: Vec<String>,
    /// Print the query that makes the listing
    #[arg(long, value_enum, value_name = "DATABASE")]
    pub(crate) sql: Option<SqlDialect>,
    /// How long to watch a live database
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = value::time)]
    pub(crate) window: Duration,
    /// Headroom above the peak, percent
    #[arg(long, value_name = "PERCENT", default_value_t = 30.0)]
    pub(crate) headroom: f64,
    /// Also measure the path to this responder: is it enough?
    #[arg(long, value_name = "HOST[:PORT]", value_parser = value::peer)]
    pub(crate) peer: Option<PathName>,
    /// Use the path of this kept network run instead: an id, its first characters, a label, or `last`
    #[arg(long, value_name = "RUN", add = ArgValueCandidates::new(complete::runs))]
    pub(crate) run: Option<String>,
    /// What the path is said to carry: is that enough? Measured with --peer, it is its ceiling
    #[arg(long, value_name = "RATE", value_parser = value::rate, conflicts_with = "run")]
    pub(crate) expect: Option<f64>,
    /// How long would closing a gap of this size take?
    #[arg(long, value_name = "SIZE", value_parser = value::size)]
    pub(crate) gap: Option<u64>,
    /// Order of day and month in ambiguous dates
    #[arg(long, value_enum, value_name = "ORDER")]
    pub(crate) date_order: Option<DateOrderArg>,
    #[command(flatten)]
    pub(crate) key: KeyArgs,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// Whose SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SqlDialect {
    /// `v$archived_log` and `v$log_history`.
    Oracle,
    /// `v$asm_diskgroup`, `v$asm_disk`, `v$asm_operation`: for `fullwire check --views`
    OracleAsm,
    /// Data Guard, redo logs, destinations, the recovery area: for `fullwire check --views`
    OracleStandby,
    /// `pg_stat_wal`, `pg_stat_io`.
    Postgres,
    /// Status variables.
    Mysql,
}

/// `fullwire awr`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire awr awrrpt_1_1830_1831.html
  fullwire awr awr_*.html                          several reports make a trend")]
pub(crate) struct AwrArgs {
    /// AWR (HTML or text, single, RAC, global, compare) or Statspack reports
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// `fullwire import`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire import iostat.txt sar.json fio.json
  fullwire import --spans --json sa20.txt     spans of trouble for a script
  sadf -j /var/log/sysstat/sa20 -- -A | fullwire import -")]
pub(crate) struct ImportArgs {
    /// Outputs of sar, sadf, iostat, vmstat, mpstat, nfsiostat, OSWatcher, fio, iperf3, oratcptest, bonnie++; `-`: stdin
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Order of day and month in ambiguous dates
    #[arg(long, value_enum, value_name = "ORDER")]
    pub(crate) date_order: Option<DateOrderArg>,
    /// Show only the spans of trouble
    #[arg(long)]
    pub(crate) spans: bool,
    /// What the measured network path should carry (an iperf3 or oratcptest result)
    #[arg(long, value_name = "RATE", value_parser = value::rate)]
    pub(crate) expect: Option<f64>,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// `fullwire FILE`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire file awr.html                what the database waits for
  fullwire file sar.txt iostat.txt.gz   trouble over time
  fullwire file pasted.txt              outputs and pieces of logs, several in one file
  dmesg | fullwire file -

The word `file` may be left out where the file exists.")]
pub(crate) struct FileArgs {
    /// Reports, recordings, outputs of commands, pieces of logs; also packed (gzip, xz, zstd, bzip2, ZIP); `-`: stdin
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Order of day and month in ambiguous dates
    #[arg(long, value_enum, value_name = "ORDER")]
    pub(crate) date_order: Option<DateOrderArg>,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

choice! {
    /// The order of a date's parts.
    DateOrderArg of DateOrder {
        /// Month, day, year.
        #[value(name = "mdy")]
        MonthDayYear,
        /// Day, month, year.
        #[value(name = "dmy")]
        DayMonthYear,
        /// Year, month, day.
        #[value(name = "ymd")]
        YearMonthDay,
    }
}
