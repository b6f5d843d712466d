use super::value::{self, Expectation, Extent, Frequency};
use super::{JudgeArgs, KeepArgs};
use crate::complete;
use clap::Args;
use clap_complete::engine::ArgValueCandidates;
use fullwire_model::array::DiskArray;
use fullwire_model::disk::{Engine, Operation, Pattern, Sync};
use fullwire_model::net::NetMode;
use fullwire_model::{DiskExpectation, PathName};
use std::path::PathBuf;
use std::time::Duration;

/// `fullwire assess`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire assess                                  this host: loopback, storage here
  fullwire assess --path /u01/oradata --path /u02/redo
  fullwire assess --peer standby:5555 --expect 1Gbit --html report.html
  fullwire assess --quick --json

With no argument: this host, a private file in the current directory's file system, and a
responder that it starts itself on loopback. Leaves nothing behind and never writes to anything
that already exists.")]
pub(crate) struct AssessArgs {
    /// Measure the storage under this directory (may be repeated; default: the current one, unless --peer is given)
    #[arg(long, value_name = "DIR")]
    pub(crate) path: Vec<PathBuf>,
    /// Measure the network to this responder or ssh host (may be repeated; default: loopback, unless --path is given)
    #[arg(long, value_name = "HOST[:PORT]|ssh://…", value_parser = value::peer)]
    pub(crate) peer: Vec<PathName>,
    /// What the database needs: a report, a listing, `postgres://…` or `mysql://…` (may be repeated)
    #[arg(long, value_name = "FILE|DSN")]
    pub(crate) demand: Vec<String>,
    /// What the path should carry, for a path whose speed the host cannot see: RATE, or HOST=RATE with several peers
    #[arg(long, value_name = "[HOST=]RATE", value_parser = value::expectation)]
    pub(crate) expect: Vec<Expectation>,
    /// What the storage should deliver: iops=3000,rate=125MB of a cloud volume or a contract, or the array below a LUN: raid5:8x10k
    #[arg(long, value_name = "iops=N,rate=RATE|ARRAY", value_parser = value::disk_expectation)]
    pub(crate) expect_disk: Option<DiskExpectation>,
    /// Short measurements: about fifteen seconds for one network and one storage path
    #[arg(long, conflicts_with = "duration")]
    pub(crate) quick: bool,
    /// Duration of each measurement [default: 8s: about 70 s for one network and one storage path]
    #[arg(long, value_name = "TIME", value_parser = value::time)]
    pub(crate) duration: Option<Duration>,
    /// Number of repeats of each measurement; the median is shown with its scatter
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) repeats: u32,
    /// Time for further measurements where the figures have more than one explanation; 0s: none [default: 30s, with --quick 5s]
    #[arg(long, value_name = "TIME", value_parser = value::time)]
    pub(crate) budget: Option<Duration>,
    /// Then compare with these runs: `baseline`, `baseline:NAME`, `rolling`, a label or a run. A worse result is measured a
    /// second time; if it is worse again, the exit status is 1
    #[arg(long, value_name = "RUNS")]
    pub(crate) baseline: Option<String>,
    /// Size of the SGA planned for this host
    #[arg(long, value_name = "SIZE", value_parser = value::sga)]
    pub(crate) sga: Option<u64>,
    #[command(flatten)]
    pub(crate) key: KeyArgs,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// The key of a responder.
#[derive(Debug, Clone, Args)]
pub(crate) struct KeyArgs {
    /// The responder's key, as printed by `fullwire serve`; other local users can see it on the command line, but not in [env: `FULLWIRE_KEY`]
    #[arg(long, value_name = "KEY", conflicts_with = "key_file")]
    pub(crate) key: Option<String>,
    /// File that contains the key
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
}

/// `fullwire serve`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire serve                                   prints the key and the client's command
  fullwire serve --key-file /etc/fullwire.key --listen 10.0.0.2:5555
  fullwire serve --open --write-dir /u02/standby_redo")]
pub(crate) struct ServeArgs {
    /// Address and port
    #[arg(long, value_name = "ADDR:PORT", default_value = "[::]:5555", value_parser = value::listen)]
    pub(crate) listen: String,
    #[command(flatten)]
    pub(crate) key: KeyArgs,
    /// Accept clients without a key
    #[arg(long, conflicts_with_all = ["key", "key_file"])]
    pub(crate) open: bool,
    /// Let clients have their messages written to private files in this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) write_dir: Option<PathBuf>,
    /// Also answer iperf3 clients on this port, without a key
    #[arg(long, value_name = "PORT")]
    pub(crate) iperf3_port: Option<u16>,
    /// Also answer iperf 2 clients (TCP and UDP) on this port, without a key
    #[arg(long, value_name = "PORT")]
    pub(crate) iperf2_port: Option<u16>,
    /// Address for iperf clients, which need no key [default: 127.0.0.1; with --open the address of --listen]
    #[arg(long, value_name = "ADDR")]
    pub(crate) iperf_listen: Option<std::net::IpAddr>,
    #[command(flatten)]
    pub(crate) metrics: MetricsArgs,
    /// Exit after the first client
    #[arg(long)]
    pub(crate) once: bool,
    /// Maximum number of concurrent clients
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub(crate) max_clients: usize,
    /// Maximum number of concurrent clients from one address [default: 16 with --open, otherwise no limit]
    #[arg(long, value_name = "N")]
    pub(crate) max_clients_per_address: Option<usize>,
    /// Maximum test duration
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = value::time)]
    pub(crate) max_duration: Duration,
    /// Maximum rate of one test, over all its connections [default: no limit]
    #[arg(long, value_name = "RATE", value_parser = value::rate)]
    pub(crate) max_rate: Option<f64>,
    /// Maximum bytes of one test, over all its connections [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = value::size)]
    pub(crate) max_bytes: Option<u64>,
}

/// What `serve` reports to a monitoring system.
#[derive(Debug, Clone, Args)]
pub(crate) struct MetricsArgs {
    /// Also answer Prometheus: /metrics has the last kept run, /probe measures now; needs no key [default if given
    /// without an address: 127.0.0.1:5556]
    #[arg(
        long,
        value_name = "ADDR:PORT",
        num_args = 0..=1,
        default_missing_value = "127.0.0.1:5556",
        value_parser = value::listen,
        help_heading = "Monitoring"
    )]
    pub(crate) metrics_listen: Option<String>,
    /// The store of kept runs that /metrics exports [env: `FULLWIRE_STORE`] [default: in ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH", requires = "metrics_listen", help_heading = "Monitoring")]
    pub(crate) metrics_store: Option<PathBuf>,
    /// /metrics judges the last minute of this recording instead of a kept run
    #[arg(
        long,
        value_name = "FILE|DIR",
        requires = "metrics_listen",
        conflicts_with = "metrics_store",
        help_heading = "Monitoring"
    )]
    pub(crate) metrics_recording: Option<PathBuf>,
    /// /probe may reach this target (may be repeated) [default: none]
    #[arg(long, value_name = "HOST:PORT", requires = "metrics_listen", help_heading = "Monitoring")]
    pub(crate) probe_allow: Vec<String>,
}

/// `fullwire net`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire net standby:5555                        throughput, and what limits it
  fullwire net standby:5555 --mode sync --length 8k --write
  fullwire net standby:5555 --mode rtt --duration 5s
  fullwire net standby:5555 --streams 4 --expect 1Gbit
  fullwire net standby:5555 --mode udp --rate 500Mbit --bidir
  fullwire net node2-priv --mode interconnect --length 8k
  fullwire net ssh://oracle@standby                nothing installed there
  fullwire net iperf3://10.0.0.2                   a real iperf3 server
  fullwire net iperf2://10.0.0.2 --reverse         a real iperf 2 server")]
pub(crate) struct NetArgs {
    /// `HOST[:PORT]`, `ssh://user@host`, `iperf3://HOST[:PORT]`, `iperf2://HOST[:PORT]`
    #[arg(value_parser = value::peer)]
    pub(crate) target: PathName,
    /// Kind of measurement
    #[arg(long, value_enum, default_value_t = Mode::Async)]
    pub(crate) mode: Mode,
    /// Parallel connections
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) streams: u32,
    /// Bytes of a message [default: 1M; sync, udp and interconnect 8k; rtt 0]
    #[arg(long, value_name = "SIZE", value_parser = value::size)]
    pub(crate) length: Option<u64>,
    /// Duration (a number alone is seconds), or number of bytes
    #[arg(long, value_name = "TIME|SIZE", default_value = "10s", value_parser = value::extent)]
    pub(crate) duration: Extent,
    /// Interval between intermediate results
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = value::time)]
    pub(crate) interval: Duration,
    /// Warm-up time that is not counted
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = value::time)]
    pub(crate) warmup: Duration,
    /// Pause between messages
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = value::time)]
    pub(crate) delay: Duration,
    /// Each message has a random length from 512 bytes to --length
    #[arg(long)]
    pub(crate) random_length: bool,
    /// Each pause is random, up to --delay
    #[arg(long)]
    pub(crate) random_delay: bool,
    /// `random`, `zero`, or a file to send
    #[arg(long, value_name = "KIND|FILE", default_value = "random")]
    pub(crate) payload: String,
    /// The peer writes each message to disk before it acknowledges it (needs --write-dir there)
    #[arg(long)]
    pub(crate) write: bool,
    /// Size of the socket buffers [default: autotuning]
    #[arg(long, value_name = "SIZE", value_parser = value::size)]
    pub(crate) sockbuf: Option<u64>,
    /// Maximum segment size (MSS) [default: the path's]
    #[arg(long, value_name = "SIZE", value_parser = value::size)]
    pub(crate) mss: Option<u64>,
    /// Let the peer send
    #[arg(long, conflicts_with = "bidir")]
    pub(crate) reverse: bool,
    /// Both directions at the same time
    #[arg(long)]
    pub(crate) bidir: bool,
    /// Send no faster than this
    #[arg(long, value_name = "RATE", value_parser = value::rate)]
    pub(crate) rate: Option<f64>,
    /// Messages in flight per stream (sync)
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) depth: u32,
    /// Send this many messages per second at fixed times; latency counts from the intended start (sync)
    #[arg(long, value_name = "PER-SECOND")]
    pub(crate) open_loop: Option<f64>,
    /// Measure latency while a bulk stream runs
    #[arg(long)]
    pub(crate) under_load: bool,
    /// Local address or interface to use
    #[arg(long, value_name = "ADDR|INTERFACE", default_value = "", hide_default_value = true)]
    pub(crate) source: String,
    /// DSCP code point, 0 to 63
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=63))]
    pub(crate) dscp: Option<u8>,
    /// Congestion control algorithm
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub(crate) congestion: String,
    /// Busy polling, microseconds
    #[arg(long, value_name = "US", default_value_t = 0)]
    pub(crate) busy_poll: u32,
    /// Send without copying; reports whether the kernel really did
    #[arg(long)]
    pub(crate) zerocopy: bool,
    /// Give up after this time without progress
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = value::time)]
    pub(crate) timeout: Duration,
    /// Number of repeats; the median is shown with its scatter
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) repeats: u32,
    /// Time for further measurements where the figures have more than one explanation; 0s: none [default: 0s]
    #[arg(long, value_name = "TIME", conflicts_with_all = ["freq", "window_sweep"], value_parser = value::time)]
    pub(crate) budget: Option<Duration>,
    /// Repeat at this interval for this time: `1h/24h`
    #[arg(long, value_name = "EVERY/FOR", value_parser = value::frequency)]
    pub(crate) freq: Option<Frequency>,
    /// Try socket buffers from 64 KiB to 64 MiB: where does throughput stop growing?
    #[arg(long, conflicts_with_all = ["sockbuf", "freq"])]
    pub(crate) window_sweep: bool,
    /// Also write the printed output to a file
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What the path should carry, for a path whose speed the host cannot see
    #[arg(long, value_name = "RATE", value_parser = value::rate)]
    pub(crate) expect: Option<f64>,
    #[command(flatten)]
    pub(crate) key: KeyArgs,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

choice! {
    /// Kind of measurement.
    Mode of NetMode {
        /// One-way stream, counted when the peer has received it
        Async,
        /// One acknowledged message at a time
        Sync,
        /// Round trips of empty messages
        Rtt,
        /// Datagrams one way, at --rate or as fast as they can be sent: loss, order, jitter
        Udp,
        /// Requests and blocks by datagram, as between the nodes of a cluster: exchanges per second and their latency
        Interconnect,
    }
}

/// `fullwire mtu`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire mtu standby                             both directions, if a responder runs there
  fullwire mtu 10.0.0.254 --no-hops                without one: what ICMP and the kernel report")]
pub(crate) struct MtuArgs {
    /// Host or address, with the responder's port when it is not 5555
    #[arg(value_parser = value::peer)]
    pub(crate) target: PathName,
    /// Time to wait for an answer
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = value::time)]
    pub(crate) timeout: Duration,
    /// Do not search for the hop at which the MTU drops
    #[arg(long)]
    pub(crate) no_hops: bool,
    /// Do not measure the gain from jumbo frames (a few seconds of load if the path carries them)
    #[arg(long)]
    pub(crate) no_gain: bool,
    #[command(flatten)]
    pub(crate) key: KeyArgs,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// `fullwire disk`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire disk /u01/oradata                       the quick look: random, sequential, commit
  fullwire disk /u02/redo --profile ora-lgwr --profile pg-wal
  fullwire disk /dev/mapper/mpatha --operation read --block 1M --depth 8
  fullwire disk . --sweep depth --block 8k
  fullwire disk . --profile bonnie                 the classic table

In a directory the file is private and temporary. A device or an existing file is only read,
except with `--destroy IDENTITY` on an unused, empty device.")]
pub(crate) struct DiskArgs {
    /// A directory, a file or a block device
    pub(crate) target: Option<PathBuf>,
    /// Do I/O the way a database does (may be repeated); `list` shows all profiles
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(complete::profiles))]
    pub(crate) profile: Vec<String>,
    /// read, write or mixed
    #[arg(long, value_enum, value_name = "OPERATION")]
    pub(crate) operation: Option<OperationArg>,
    /// Percentage of reads in mixed [default: 70]
    #[arg(long, value_name = "PERCENT", value_parser = value::share)]
    pub(crate) read_share: Option<f64>,
    /// sequential or random (default: sequential, with `--sweep depth` random)
    #[arg(long, value_enum, value_name = "PATTERN")]
    pub(crate) pattern: Option<PatternArg>,
    /// Size of one I/O
    #[arg(long, value_name = "SIZE", value_parser = value::size)]
    pub(crate) block: Option<u64>,
    /// I/Os in flight per thread
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) depth: Option<u32>,
    /// Threads
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// I/O engine
    #[arg(long, value_enum, default_value_t = EngineArg::Auto)]
    pub(crate) engine: EngineArg,
    /// Go through the page cache
    #[arg(long)]
    pub(crate) buffered: bool,
    /// How writes are made durable
    #[arg(long, value_enum, default_value_t = SyncArg::None)]
    pub(crate) sync: SyncArg,
    /// Size of the private file, or of a profile's files [default: 256M; bonnie: twice the memory]
    #[arg(long, value_name = "SIZE", value_parser = value::size)]
    pub(crate) size: Option<u64>,
    /// Number of small files of the profiles fs-small and bonnie [default: 16384]; more, if the cells show ++++
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4_194_304))]
    pub(crate) files: Option<u64>,
    /// Duration of each step, or number of bytes [default: 1s for the quick look, 3s otherwise]
    #[arg(long, value_name = "TIME|SIZE", value_parser = value::extent)]
    pub(crate) duration: Option<Extent>,
    /// Number of repeats of each step
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) repeats: u32,
    /// Time for further measurements where the figures have more than one explanation; 0s: none [default: 0s]
    #[arg(long, value_name = "TIME", value_parser = value::time)]
    pub(crate) budget: Option<Duration>,
    /// Issue this many I/Os per second at random times; latency counts from the intended start
    #[arg(long, value_name = "PER-SECOND")]
    pub(crate) rate: Option<f64>,
    /// Write at most this much in total
    #[arg(long, value_name = "SIZE", value_parser = value::size)]
    pub(crate) max_bytes: Option<u64>,
    /// Sweep over block, depth, threads, working-set
    #[arg(long, value_name = "WHAT", value_delimiter = ',', add = ArgValueCandidates::new(complete::sweeps))]
    pub(crate) sweep: Vec<String>,
    /// Do not ask for confirmation before writing more than 8 GB
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// What the storage should deliver: iops=3000,rate=125MB of a cloud volume or a contract, or the array below a LUN: raid5:8x10k
    #[arg(long, value_name = "iops=N,rate=RATE|ARRAY", value_parser = value::disk_expectation)]
    pub(crate) expect_disk: Option<DiskExpectation>,
    /// Allow writing to this device, which destroys its content: type its identity (serial number or WWN)
    #[arg(long, value_name = "IDENTITY")]
    pub(crate) destroy: Option<String>,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// `fullwire array`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire array raid5:8x10k                       I/Os and MB per second of eight disks
  fullwire array raid10:12x15k --read-share 50 --depth 32
  fullwire array raid5:10k --need 5000             how many disks for 5,000 I/Os per second
  fullwire array raid6:8x20000iops                 SSDs: I/Os per second of one, from its data sheet

`--expect-disk raid5:8x10k` of `disk` and `assess` compares a measurement with the same arithmetic.")]
pub(crate) struct ArrayArgs {
    /// Level, number of disks, and speed (15k, 10k, 7.2k) or I/Os per second of one disk
    #[arg(value_name = "ARRAY", value_parser = value::array)]
    pub(crate) array: DiskArray,
    /// Percentage of reads
    #[arg(long, value_name = "PERCENT", default_value = "70", value_parser = value::share)]
    pub(crate) read_share: f64,
    /// Size of one I/O
    #[arg(long, value_name = "SIZE", default_value = "8k", value_parser = value::size)]
    pub(crate) block: u64,
    /// I/Os in flight [default: as many as keep all disks busy]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) depth: Option<u64>,
    /// I/Os per second that are needed: how many disks is that?
    #[arg(long, value_name = "PER-SECOND")]
    pub(crate) need: Option<f64>,
}

choice! {
    /// What an I/O does.
    OperationArg of Operation {
        /// Reads
        Read,
        /// Writes
        Write,
        /// Both
        Mixed,
        /// Reads a block and overwrites another with it, in turn, as dd does
        Copy,
    }
}

choice! {
    /// Where I/Os go.
    PatternArg of Pattern {
        /// One after the other
        Sequential,
        /// Anywhere
        Random,
    }
}

choice! {
    /// System calls to use.
    EngineArg of Engine {
        /// `io_uring` if the kernel supports it
        Auto,
        /// Submission and completion rings
        #[value(name = "io_uring")]
        IoUring,
        /// One system call per I/O
        Plain,
    }
}

choice! {
    /// How writes are made durable.
    SyncArg of Sync {
        /// Not at all
        None,
        /// `O_DSYNC`
        Dsync,
        /// `O_SYNC`
        Osync,
        /// `fdatasync` after each write
        Fdatasync,
        /// `fsync` after each write
        Fsync,
    }
}
