//! `fullwire record`: this host's counters, second by second, in a file.

use crate::cli::RecordArgs;
use crate::output::Show;
use crate::recorder::{Cost, Feed, Keeper, begin, own_event, rss_peak_bytes};
use crate::signals;
use anyhow::{Context as _, Result};
use fullwire_observe::SamplerAsk;
use fullwire_present::format;
use fullwire_present::json::{RecordingCost, RecordingDocument};
use fullwire_store::recording::{Begin, Limits, ShardWriter};
use jiff::Timestamp;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Threads that a sample keeps.
const THREADS_KEPT: usize = 16;

pub(crate) fn run(args: &RecordArgs, show: &Show) -> Result<ExitCode> {
    let stop = signals::on_signals()?;
    let ask = SamplerAsk { threads: THREADS_KEPT, ..SamplerAsk::default() };
    let shards = open(args)?;
    let mut feed = Feed::begin(args.root.as_deref(), args.interval, ask)?;
    let mut keeper = Keeper::start(shards)?;
    let kept = std::sync::Arc::clone(keeper.kept());
    show.note(&format!(
        "recording every {} to {}; stop with Ctrl-C",
        format::time(args.interval.as_secs_f64() * 1e9),
        place(args)?.display()
    ));
    let (from, begun) = (Timestamp::now(), Instant::now());
    let (mut first, mut costs, cost) = (true, RecordingCost::default(), Cost::new());
    let mut host = String::new();
    while args.length.is_none_or(|length| begun.elapsed() < length) && feed.wait(&stop) {
        let mut tick = feed.tick();
        costs.slowest_sample_ns = costs.slowest_sample_ns.max(tick.sample.took_ns);
        host = tick.host.as_ref().map_or(host, |host| host.hostname.clone());
        if std::mem::take(&mut first) {
            tick.events.push(own_event(&tick.sample, "the recorder began"));
        }
        keeper.keep(tick)?;
    }
    keeper.end()?;
    costs.cpu_s = cost.cpu_s();
    costs.rss_peak_bytes = rss_peak_bytes();
    // The log of the file is gone once it is closed: what is there now is what there is.
    let file = kept.path().filter(|_| args.output.is_some()).and_then(|path| std::fs::metadata(path).ok());
    let bytes = file.map_or_else(|| kept.bytes(), |file| file.len());
    let document = RecordingDocument {
        schema: RecordingDocument::SCHEMA,
        path: kept.path().map_or_else(|| place(args), Ok)?.display().to_string(),
        host,
        from,
        to: Timestamp::now(),
        samples: kept.samples(),
        interval_ns: u64::try_from(args.interval.as_nanos()).ok(),
        events: &[],
        damage: &[],
        lost: Some(kept.lost()),
        bytes: Some(bytes),
        cost: Some(costs),
    };
    show.result(&document, || text(&document))?;
    Ok(ExitCode::SUCCESS)
}

fn text(document: &RecordingDocument) -> String {
    let lost = match document.lost {
        None | Some(0) => String::new(),
        Some(lost) => format!(", {lost} lost: the disk was too slow or nearly full"),
    };
    let kilobytes = document.bytes.unwrap_or(0) / 1000;
    format!("{} samples, {kilobytes} kB in {}{lost}\n", document.samples, document.path)
}

fn open(args: &RecordArgs) -> Result<ShardWriter> {
    let limits = Limits {
        total_bytes: args.max_size,
        age_s: args.keep.as_secs(),
        // Of small directories several files, so that removing the oldest does not remove all.
        file_bytes: Limits::default().file_bytes.min(args.max_size / 4),
        ..Limits::default()
    };
    let begin = begin(args.interval);
    Ok(match &args.output {
        Some(file) => ShardWriter::file(&real(file)?, begin, Limits { file_bytes: u64::MAX, ..limits })?,
        None => directory(&place(args)?, begin, limits)?,
    })
}

/// A recorder that writes to a directory.
pub(super) fn directory(path: &Path, begin: Begin, limits: Limits) -> Result<ShardWriter> {
    Ok(ShardWriter::directory(&real(path)?, begin, limits)?)
}

fn real(path: &Path) -> Result<PathBuf> {
    fullwire_way::real(path).with_context(|| format!("record to {}", path.display()))
}

/// Where the recording goes.
fn place(args: &RecordArgs) -> Result<PathBuf> {
    args.output.clone().or_else(|| args.dir.clone()).map_or_else(own_recordings, Ok)
}

/// Recordings of whoever runs this, in a state directory that is theirs alone.
pub(super) fn own_recordings() -> Result<PathBuf> {
    let state = fullwire_probe::state::state_dir();
    fullwire_probe::state::check(&state)?;
    Ok(state.join("record"))
}
