//! Speed against peers: both by turns in one run, the medians of their ratios with the spread. Nothing is asserted and
//! no figure is a claim about other machines: a ratio on one machine is what two programs can be compared by.

mod accuracy;
mod day;
mod disk;
mod experiments;
mod net;
mod parse;
mod place;
mod process;
mod record;
mod samples;
mod table;

pub(crate) use accuracy::RESULTS as DRAWS;
pub(crate) use experiments::RESULTS;
pub(crate) use process::json as json_of;

use crate::{cargo, succeed, target_dir};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use table::Table;

const USAGE: &str =
    "usage: cargo xtask bench net|disk|parse|record|experiments|accuracy [--pairs N] [--seconds N] [--mb N] [--fullwire FILE]
  net    against iperf3, a bare send loop, sockperf and qperf, on loopback and over a veth pair (as root)
  disk   against fio on the same file, in the target directory
  record a sample of synthetic hosts of 20, 200 and 1,000 disks, by turns with sadc and atop on the same disks (as root);
         then a day of 1,000 disks opened and judged
  experiments [--count N] [--binary FILE]
         how often `prove` is right on real paths (as root): docs/experiments.json
  accuracy --seeds A-B --kind disk|net --bench FOLDER
         first answers to fresh draws of the fault bench: docs/draws.json, docs/accuracy.md
  parse  reading AWR reports of 2 MB, and sadf -j of --mb megabytes
  --pairs N    how often each side runs (5)
  --seconds N  how long each run lasts (3)
  --mb N       size of the sadf -j file (1000)
  --fullwire FILE  of record: measure this executable
  --day FILE   of record: open and judge this recording instead of making one of a day with 1,000 disks
Without it builds the release profile first: run it on an otherwise idle machine, after the build has cooled down.";

const MOST_PAIRS: usize = 100;
const LONGEST_SECONDS: u64 = 60;
const LARGEST_MB: u64 = 4000;

/// How much to measure.
struct BenchPlan {
    pairs: usize,
    seconds: u64,
    mb: u64,
    /// The executable to measure, where it is there already.
    fullwire: Option<PathBuf>,
    /// A recording of a day, where it is there already.
    day: Option<PathBuf>,
}

pub(crate) fn run(words: &[&str]) -> Result<()> {
    let (name, options) = words.split_first().context(USAGE)?;
    match *name {
        "experiments" => return experiments::run(options),
        "accuracy" => return accuracy::run(options),
        _ => {}
    }
    let plan = BenchPlan::read(options)?;
    let mut table = Table::default();
    match *name {
        "net" => net::run(&plan, &mut table)?,
        "disk" => disk::run(&plan, &mut table)?,
        "parse" => parse::run(&plan, &mut table)?,
        "record" => record::run(&plan, &mut table)?,
        _ => bail!(USAGE),
    }
    print!("{table}");
    Ok(())
}

impl BenchPlan {
    fn read(options: &[&str]) -> Result<Self> {
        let mut plan = Self { pairs: 5, seconds: 3, mb: 1000, fullwire: None, day: None };
        for option in options.chunks(2) {
            let [name, value] = option else { bail!(USAGE) };
            if *name == "--fullwire" {
                plan.fullwire = Some(value.into());
                continue;
            }
            if *name == "--day" {
                plan.day = Some(value.into());
                continue;
            }
            let number: u64 = value.parse().with_context(|| format!("{name} {value}: not a number"))?;
            match *name {
                "--pairs" => plan.pairs = usize::try_from(number)?.clamp(1, MOST_PAIRS),
                "--seconds" => plan.seconds = number.clamp(1, LONGEST_SECONDS),
                "--mb" => plan.mb = number.clamp(1, LARGEST_MB),
                _ => bail!(USAGE),
            }
        }
        Ok(plan)
    }
}

/// What is measured of each side.
struct Metric {
    name: &'static str,
    unit: &'static str,
}

/// One program doing the work once: a figure for each metric.
type Measure<'a> = Box<dyn FnMut() -> Result<Vec<f64>> + 'a>;

/// Who fullwire is compared with, and what the project wants of each metric's ratio (empty: nothing is said).
struct Peer<'a> {
    name: &'static str,
    aims: &'a [&'static str],
    measure: Measure<'a>,
}

/// Runs all sides by turns, each turn begun by another, so that none owns the quiet half of the machine's time.
fn compare(
    table: &mut Table,
    (what, pairs): (&str, usize),
    metrics: &[Metric],
    mut ours: Measure<'_>,
    peers: &mut [Peer<'_>],
) -> Result<()> {
    let sides = peers.len() + 1;
    let mut figures: Vec<Vec<Vec<f64>>> = vec![Vec::new(); sides];
    for turn in 0..pairs {
        eprintln!("{what}: {} of {pairs}", turn + 1);
        for place in 0..sides {
            let side = (turn + place) % sides;
            let seen = match side.checked_sub(1) {
                None => ours().context("fullwire")?,
                Some(index) => (peers[index].measure)().context(peers[index].name)?,
            };
            figures[side].push(seen);
        }
    }
    let column = |side: usize, metric: usize| figures[side].iter().map(|row| row[metric]).collect();
    for (index, metric) in metrics.iter().enumerate() {
        for (side, peer) in peers.iter().enumerate() {
            let label = format!("{what}: {}", metric.name);
            let aim = peer.aims.get(index).copied().unwrap_or_default();
            table.ratio(&label, metric.unit, (column(0, index), peer.name, column(side + 1, index)), aim);
        }
    }
    Ok(())
}

/// The executables under test.
struct Built {
    fullwire: PathBuf,
    floor: PathBuf,
}

/// The release build of fullwire.
pub(crate) fn built() -> Result<PathBuf> {
    build().map(|built| built.fullwire)
}

/// One cargo call for all of them: the same features, hence nothing is built twice.
fn build() -> Result<Built> {
    succeed(
        cargo()
            .args(["build", "--locked", "--release", "--package", "fullwire", "--bin", "fullwire"])
            .args(["--package", "fullwire-probe", "--example", "floor"]),
    )?;
    let release = target_dir().join("release");
    Ok(Built { fullwire: release.join("fullwire"), floor: release.join("examples/floor") })
}
