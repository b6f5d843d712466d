use super::mesh::{StreamsArgs, between};
use super::value;
use clap::{Args, Subcommand};
use fullwire_mesh::limits::Between;
use std::path::PathBuf;
use std::time::Duration;

/// `fullwire agent`
#[derive(Debug, Args)]
#[command(after_help = "Example:
  fullwire agent --credential /etc/fullwire/agent.json --between 22:00-05:00 --max-rate 1Gbit

The agent dials out and listens on a port of its own only while a round runs. Its limits come
first, whatever the coordinator asks. Results stay in its store until PostgreSQL has them.")]
pub(crate) struct AgentArgs {
    /// The file that `fullwire estate enrol` wrote
    #[arg(long, value_name = "FILE")]
    pub(crate) credential: PathBuf,
    /// File in which results wait until they are acknowledged [default: agent.db next to the store of runs]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
    /// Where other hosts measure to while a round runs
    #[arg(long, value_name = "ADDR:PORT", default_value = "[::]:5557", value_parser = value::listen)]
    pub(crate) listen: String,
    /// Address of this host on a network (may be repeated) [default: the host's name]
    #[arg(long, value_name = "[NETWORK=]ADDRESS")]
    pub(crate) address: Vec<String>,
    /// Highest rate of one test
    #[arg(long, value_name = "RATE", value_parser = value::rate, help_heading = "Limits of this host")]
    pub(crate) max_rate: Option<f64>,
    /// Bytes that all tests of a day may move through this host
    #[arg(long, value_name = "SIZE", value_parser = value::size, help_heading = "Limits of this host")]
    pub(crate) budget: Option<u64>,
    /// Only in this part of the day, such as 22:00-05:00
    #[arg(long, value_name = "FROM-TO", value_parser = between, help_heading = "Limits of this host")]
    pub(crate) between: Option<Between>,
    /// Storage that may be loaded (may be repeated) [default: none]
    #[arg(long, value_name = "DIR", help_heading = "Limits of this host")]
    pub(crate) allow_disk: Vec<PathBuf>,
}

/// `fullwire coordinator`
#[derive(Debug, Args)]
#[command(after_help = "Example:
  fullwire coordinator --credential coordinator.json --every 6h --listen 127.0.0.1:5556

Several may run: one leads, the others wait. The page and /metrics only read.")]
pub(crate) struct CoordinatorArgs {
    /// The file that `fullwire estate up` wrote
    #[arg(long, value_name = "FILE")]
    pub(crate) credential: PathBuf,
    /// Time between rounds
    #[arg(long, value_name = "TIME", default_value = "6h", value_parser = value::time)]
    pub(crate) every: Duration,
    /// One round now, then end
    #[arg(long)]
    pub(crate) once: bool,
    /// Time to wait for agents before the first round
    #[arg(long, value_name = "TIME", default_value = "15s", value_parser = value::time)]
    pub(crate) gather: Duration,
    /// The page of the estate and /metrics
    #[arg(long, value_name = "ADDR:PORT", value_parser = value::listen)]
    pub(crate) listen: Option<String>,
    /// Name by which browsers ask for the page, next to addresses and this host's own (may be repeated)
    #[arg(long, value_name = "HOST", requires = "listen")]
    pub(crate) name: Vec<String>,
    /// Runs and points older than this are dropped, whole months at a time [default: none are]
    #[arg(long, value_name = "TIME", value_parser = value::time)]
    pub(crate) retain: Option<Duration>,
    #[command(flatten)]
    pub(crate) order: StreamsArgs,
    /// Highest rate of each stream
    #[arg(long, value_name = "RATE", value_parser = value::rate)]
    pub(crate) max_rate: Option<f64>,
    /// Also run the quick disk plan in this directory of each host that allows it (may be repeated)
    #[arg(long, value_name = "DIR")]
    pub(crate) disk: Vec<String>,
    /// Size of the private file of the disk plan
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = value::size)]
    pub(crate) disk_size: u64,
}

/// `fullwire estate`
#[derive(Debug, Subcommand)]
pub(crate) enum EstateCommand {
    /// Make keys, the NATS server's configuration, units, and the schema in PostgreSQL
    Up(UpArgs),
    /// Take a host in: one command with --ssh
    Enrol(EnrolArgs),
    /// Take a host out
    Remove(RemoveArgs),
    /// Hosts, paths that are bad now and since when, rounds
    Status(EstateStatusArgs),
}

/// `fullwire estate up`
#[derive(Debug, Args)]
#[command(after_help = "Example:
  fullwire estate up --database postgres://fullwire@db9/fullwire --server tls://nats1:4222 \\
      --tls-cert /etc/nats/nats1.pem --tls-key /etc/nats/nats1.key --tls-ca /etc/nats/ca.pem

Several servers (--server tls://nats1:4222 --server tls://nats2:4222 ...) are one cluster:
each gets its own configuration, and of three one may die. They reach each other 2000
ports above their own, and each finds its certificate and key under the same path.

Nothing is started and nothing is installed. Doing it again changes what is said, keeps all keys,
and brings the schema up to date.")]
pub(crate) struct UpArgs {
    /// What the estate is called
    #[arg(long, value_name = "NAME", default_value = "estate")]
    pub(crate) name: String,
    /// Its files
    #[arg(long, value_name = "DIR", default_value = "/etc/fullwire/estate")]
    pub(crate) dir: PathBuf,
    /// The database, without a password: that is in ~/.pgpass
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
    /// Where agents find the NATS server: tls://HOST:PORT (may be repeated: a cluster)
    #[arg(long, value_name = "URL")]
    pub(crate) server: Vec<String>,
    /// Where the NATS server listens [default: 0.0.0.0:4222]
    #[arg(long, value_name = "ADDR:PORT", value_parser = value::listen)]
    pub(crate) listen: Option<String>,
    /// Where JetStream keeps its files [default: /var/lib/nats/fullwire]
    #[arg(long, value_name = "DIR")]
    pub(crate) jetstream: Option<PathBuf>,
    /// Certificate of the NATS server, PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Its key
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Who signed it, PEM [default: the system's certificates]
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_ca: Option<PathBuf>,
    /// Allow a bus in clear (nats://) beyond this host: others on the network read addresses, figures and keys of responders
    #[arg(long)]
    pub(crate) insecure: bool,
}

/// `fullwire estate enrol`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire estate enrol db1 --ssh root@db1         brings program, credential and unit; starts it
  fullwire estate enrol db1 -o db1.json            to be brought there by other means")]
pub(crate) struct EnrolArgs {
    /// What the host is called in the estate
    pub(crate) host: String,
    /// The files of the estate
    #[arg(long, value_name = "DIR", default_value = "/etc/fullwire/estate")]
    pub(crate) dir: PathBuf,
    /// Install the agent there
    #[arg(long, value_name = "[USER@]HOST", conflicts_with = "output")]
    pub(crate) ssh: Option<String>,
    /// Write the credential here [default: HOST.json]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Address of the host on a network (may be repeated) [default: the host's name]
    #[arg(long, value_name = "[NETWORK=]ADDRESS")]
    pub(crate) address: Vec<String>,
    /// The credential expires after this time [default: never]
    #[arg(long, value_name = "TIME", value_parser = value::time)]
    pub(crate) valid: Option<Duration>,
}

/// `fullwire estate remove`
#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// Which host
    pub(crate) host: String,
    /// The files of the estate
    #[arg(long, value_name = "DIR", default_value = "/etc/fullwire/estate")]
    pub(crate) dir: PathBuf,
}

/// `fullwire estate status`
#[derive(Debug, Args)]
pub(crate) struct EstateStatusArgs {
    /// The database [default: as the files of the estate have it]
    #[arg(long, value_name = "URL", env = "FULLWIRE_STORE")]
    pub(crate) database: Option<String>,
    /// The files of the estate
    #[arg(long, value_name = "DIR", default_value = "/etc/fullwire/estate")]
    pub(crate) dir: PathBuf,
}
