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
  fullwire export --sarif --run 0kx3 > fullwire.sarif
  fullwire export --otlp-json | curl --json @- http://COLLECTOR:4318/v1/metrics

It judges a kept run and measures nothing: run `fullwire check` or `assess` from a timer.

Exit status of --nagios: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN (no run, or one older than --max-age).")]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// A run's id, its beginning or its label [default: the last one that was made on this host]
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
    /// Write to this file, at once and whole, instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Of an older run nothing is known (--nagios, --checkmk)
    #[arg(long, value_name = "TIME", default_value = "26h", value_parser = value::time)]
    pub(crate) max_age: Duration,
    /// Every number of the run, also those of partitions, queues, CPUs and connections
    #[arg(long)]
    pub(crate) all: bool,
    /// A finding as bad as this is a failed case (--junit)
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Critical)]
    pub(crate) fail_on: FailOn,
    /// What Zabbix calls this host [default: as `zabbix_sender` is set up] (--zabbix)
    #[arg(long, value_name = "NAME")]
    pub(crate) zabbix_host: Option<String>,
}

/// For whom.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct FormatArgs {
    /// Prometheus: text that scrapers, `node_exporter`'s textfile collector and `OpenMetrics` parsers take
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
    /// CI: the XML of `JUnit`
    #[arg(long, group = "format", help_heading = "Format")]
    pub(crate) junit: bool,
    /// Code scanning: SARIF 2.1.0
    #[arg(long, group = "format", help_heading = "Format")]
    pub(crate) sarif: bool,
    /// `OpenTelemetry`: the JSON body of a POST to /v1/metrics
    #[arg(long, group = "format", help_heading = "Format")]
    pub(crate) otlp_json: bool,
    /// Spreadsheets: every number of the run, a line each
    #[arg(long, group = "format", help_heading = "Format")]
    pub(crate) csv: bool,
}
