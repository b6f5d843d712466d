use super::{JudgeArgs, KeepArgs, value};
use crate::complete;
use clap::Args;
use clap_complete::engine::ArgValueCandidates;
use fullwire_model::assessment::Layer;
use std::path::PathBuf;
use std::time::Duration;

/// `fullwire check`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire check                                   this host; counters compared over two seconds
  fullwire check --sga 24G --only host             will an SGA of 24 GiB start here?
  fullwire check --root sosreport-db1.tar.xz       a colleague's sosreport
  fullwire check --ignore clock-source --fail-on warning
  fullwire redo --sql oracle-asm > asm.sql         the query about ASM; `oracle-standby`: Data Guard
  fullwire check --views asm.csv                   its listing, judged with the host

Causes no load and changes nothing. What cannot be read is listed as a gap.")]
pub(crate) struct CheckArgs {
    /// A captured tree, a sosreport or supportconfig (unpacked or packed) or a `fullwire capture` archive instead of this host (`-`: stdin)
    #[arg(long, value_name = "DIR|ARCHIVE")]
    pub(crate) root: Option<PathBuf>,
    /// Size of the SGA planned for this host
    #[arg(long, value_name = "SIZE", value_parser = value::sga)]
    pub(crate) sga: Option<u64>,
    /// A listing of Oracle's views about ASM or Data Guard (may be repeated; `-`: stdin)
    #[arg(long, value_name = "FILE")]
    pub(crate) views: Vec<String>,
    /// Only this layer: network, storage, host, database (may be repeated)
    #[arg(long, value_name = "AREA", value_parser = value::layer, add = ArgValueCandidates::new(complete::layers))]
    pub(crate) only: Vec<Layer>,
    /// Time over which counters are compared; 0s skips them
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = value::time)]
    pub(crate) window: Duration,
    /// Print what each finding means below it
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// `fullwire capture`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire capture                                 fullwire-HOST-TIME.tar.zst in this directory
  fullwire capture -o db1.tar.zst --anonymise
  fullwire check --root db1.tar.zst                on another machine
  ssh db1 fullwire capture -o - | fullwire check --root -

Keys and passwords are never collected.")]
pub(crate) struct CaptureArgs {
    /// The archive to write; it must not exist (`-`: stdout)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace host and user names, home directories, addresses, MACs, serial numbers and WWNs with pseudonyms;
    /// names of databases, processes, devices and mount points stay
    #[arg(long)]
    pub(crate) anonymise: bool,
}
