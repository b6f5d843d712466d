use super::{FailOn, value};
use clap::{ArgGroup, Args};
use std::path::PathBuf;
use std::time::Duration;

/// `fullwire export`
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("format").required(true)))]
#[command(after_help = "Examples:
  fullwire export --openmetrics -o /var/lib/prometheus/node-exporter/fullwire.prom
  fullwire export --nagios --max-age 26h
  fullwire export --zabbix | zabbix_sender -T -z ZABBIX -i -
  fullwire export --nagios --recording /var/lib/fullwire/record --max-age 5m
  fullwire export --sarif --run 0kx3 > fullwire.sarif
  fullwire export --otlp-json | curl --json @- http://COLLECTOR:4318/v1/metrics

Exports a kept run or the end of a recording, and measures nothing.
Run `fullwire check` or `assess` from a timer, or leave `fullwire record` running.

Exit status of --nagios: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN (no run, or one older than
--max-age).")]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// A run's id, its first characters or its label [default: the last run of this host]
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: in ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
    /// Judge the end of this recording (a file, or a directory of them) instead of a kept run
    #[arg(long, value_name = "FILE|DIR", conflicts_with_all = ["run", "store"])]
    pub(crate) recording: Option<PathBuf>,
    /// How much of the end of the recording is judged
    #[arg(long, value_name = "TIME", default_value = "1m", requires = "recording", value_parser = value::time)]
    pub(crate) window: Duration,
    /// Write to this file (replaced atomically) instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Report UNKNOWN if the run or recording is older than this (--nagios, --checkmk)
    #[arg(long, value_name = "TIME", default_value = "26h", value_parser = value::time_with_unit)]
    pub(crate) max_age: Duration,
    /// Every number of the run, including partitions, queues, CPUs and connections
    #[arg(long)]
    pub(crate) all: bool,
    /// Report findings of this severity or worse as failed cases (--junit)
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Critical)]
    pub(crate) fail_on: FailOn,
    /// This host's name in Zabbix [default: as configured for `zabbix_sender`] (--zabbix)
    #[arg(long, value_name = "NAME")]
    pub(crate) zabbix_host: Option<String>,
}

/// For whom.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct FormatArgs {
    /// Prometheus: for scrapers, `node_exporter`'s textfile collector and OpenMetrics parsers
    #[arg(long, group = "format", help_heading = "Format")]
    pub(crate) openmetrics: bool,
    /// Nagios, Icinga, Naemon: a plugin's output and exit status
    #[arg(long, group = "format", help_heading = "Format")]
    pub(crate) nagios: bool,
    /// Checkmk: a local check
    #[arg(long, group = "format", help_heading = "Format")]
    pub(crate) checkmk: bool,
    /// Zabbix: the input of `zabbix_sender -T`
    #[arg(long, group = "format", help_heading = "Format")]
    pub(crate) zabbix: bool,
    /// CI: the XML of JUnit
    #[arg(long, group = "format", help_heading = "Format")]
    pub(crate) junit: bool,
    /// Code scanning: SARIF 2.1.0
    #[arg(long, group = "format", help_heading = "Format")]
    pub(crate) sarif: bool,
    /// OpenTelemetry: the JSON body of a POST to /v1/metrics
    #[arg(long, group = "format", help_heading = "Format")]
    pub(crate) otlp_json: bool,
    /// Spreadsheets: every number of the run, one per line
    #[arg(long, group = "format", help_heading = "Format")]
    pub(crate) csv: bool,
}
