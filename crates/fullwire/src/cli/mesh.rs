use super::value;
use super::{FailOn, KeepArgs, KeyArgs};
use clap::Args;
use fullwire_mesh::limits::Between;
use fullwire_model::mesh::MeshMode;
use std::path::PathBuf;
use std::time::Duration;

/// `fullwire mesh`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire mesh root@db1 root@db2 root@db3         every pair, both ways, nothing installed
  fullwire mesh @cluster.txt --html mesh.html      one host per line
  fullwire mesh db1=root@db1,public=192.0.2.1,private=10.1.0.1 …
  fullwire mesh @hosts --topology racks.txt --duration 5s --max-rate 1Gbit
  fullwire mesh @hosts --mode round                does the fabric carry half of the hosts at once?
  fullwire mesh @hosts --disk /u01/oradata         also run the same disk plan on each host
  fullwire mesh @hosts --json-file today.json --against last-week.json

A host is [NAME=][USER@]HOST[:PORT][,NETWORK=ADDRESS]…: how ssh reaches it, and its address on
each network that is to be measured. ssh uses your configuration, keys and agent, and never asks
for a password. A topology file names hosts behind one uplink: `rack1 tests=2: db1 db2`, `site1:
rack1 rack2`. The program is copied to a private directory on each host and removed at the end,
even if it is interrupted or the connection breaks.")]
pub(crate) struct MeshArgs {
    /// Hosts, or @FILE with one host per line
    #[arg(required = true, value_name = "HOST|@FILE")]
    pub(crate) hosts: Vec<String>,
    #[command(flatten)]
    pub(crate) order: StreamsArgs,
    /// Seed for choosing pairs when there are more than 40 hosts; the same seed gives the same pairs [default: random]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Also run the quick disk plan in this directory of each host (may be repeated)
    #[arg(long, value_name = "DIR")]
    pub(crate) disk: Vec<String>,
    /// Run only the disk plan
    #[arg(long, requires = "disk")]
    pub(crate) no_network: bool,
    /// Size of the private file of the disk plan
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = value::size)]
    pub(crate) disk_size: u64,
    /// Load the storage of all hosts simultaneously, even if it is shared
    #[arg(long, requires = "disk")]
    pub(crate) together: bool,
    /// Maximum rate that a host sends or receives, all its streams together; enforced by the hosts themselves
    #[arg(long, value_name = "RATE", value_parser = value::rate, help_heading = "Limits")]
    pub(crate) max_rate: Option<f64>,
    /// Maximum bytes that all tests together may move through a host; enforced by the hosts themselves
    #[arg(long, value_name = "SIZE", value_parser = value::size, help_heading = "Limits")]
    pub(crate) budget: Option<u64>,
    /// Run only in this part of the day, such as 22:00-05:00, by each host's clock; enforced by the hosts themselves
    #[arg(long, value_name = "FROM-TO", value_parser = between, help_heading = "Limits")]
    pub(crate) between: Option<Between>,
    /// Port of the measurement on each host [default: any free port]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true,
        help_heading = "Connection"
    )]
    pub(crate) port: u16,
    /// Reach the hosts through this jump host, like ssh -J
    #[arg(long, value_name = "[USER@]HOST", help_heading = "Connection")]
    pub(crate) jump: Option<String>,
    /// Option for ssh, like its -o (may be repeated)
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Connection")]
    pub(crate) ssh_option: Vec<String>,
    /// Also report what changed since an earlier mesh, given as its JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<PathBuf>,
    /// Exit with status 1 on a finding of this severity or worse
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Critical, help_heading = "Judgement")]
    pub(crate) fail_on: FailOn,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// The streams between hosts, of a mesh and of the rounds of an estate.
#[derive(Debug, Args)]
pub(crate) struct StreamsArgs {
    /// Which question the streams answer
    #[arg(long, value_enum, default_value_t = MeshModeArg::Pairs)]
    pub(crate) mode: MeshModeArg,
    /// Which hosts share an uplink: `NAME [tests=N]: MEMBER…`, one group per line
    #[arg(long, value_name = "FILE")]
    pub(crate) topology: Option<PathBuf>,
    /// Maximum number of concurrent streams [default: as many as hosts and uplinks allow]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) parallel: Option<u32>,
    /// Duration of each stream
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = value::time)]
    pub(crate) duration: Duration,
    /// Connections of each stream
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=128))]
    pub(crate) streams: u32,
    /// What every path should carry
    #[arg(long, value_name = "RATE", value_parser = value::rate)]
    pub(crate) expect: Option<f64>,
}

choice! {
    /// Which question the streams answer.
    MeshModeArg of MeshMode {
        /// Is each path good? No two streams share a host or a known uplink
        Pairs,
        /// Does the fabric carry half of the hosts sending to the other half together?
        Round,
        /// What does each path reach when every host sends to every other?
        All,
    }
}

/// `fullwire node`
#[derive(Debug, Args)]
pub(crate) struct NodeArgs {
    /// Address and port
    #[arg(long, value_name = "ADDR:PORT", value_parser = value::listen)]
    pub(crate) listen: String,
    #[command(flatten)]
    pub(crate) key: KeyArgs,
}

pub(super) fn between(text: &str) -> Result<Between, String> {
    Between::parse(text).ok_or_else(|| "expected FROM-TO, such as 22:00-05:00".into())
}
