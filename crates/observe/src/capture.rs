//! `fullwire capture`: a host's files and answers, exactly those that the readers read, packed so that a root
//! reads them again elsewhere. Secrets stay behind (see `root/scrub.rs`).

use crate::network::netstat::watched_window;
use crate::root::{NOTES_FORMAT, NOTES_PATH, Pseudonyms, Recording, member};
use crate::{Ask, CountersAsk, CpuTimes, Root};
use fullwire_model::counters::Counters;
use fullwire_model::host::Host;
use fullwire_model::{Window, WindowKind, json};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::Duration;

/// Where a capture keeps counters at both ends of a span.
const WINDOW_PATH: &str = "fullwire/window.json";

/// zstd's own default: most of the gain at a fraction of the time.
const ZSTD_LEVEL: i32 = 3;

/// How to capture.
#[derive(Debug, Clone, Default)]
pub struct CaptureOptions {
    /// Replace names of hosts and users, addresses, MACs, serial numbers and world-wide names by pseudonyms.
    pub anonymise: bool,
    /// Read the counters again after this time, so that their change can be judged. Zero: not.
    pub window: Duration,
    /// What the readers should request beyond the usual.
    pub ask: Ask,
    /// What the counters' readers should request.
    pub counters_ask: CountersAsk,
}

/// What was captured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CaptureReport {
    /// The host's records, as a reader of the capture will see them (except for [`Host::captured`]).
    pub host: Host,
    /// Its counters, likewise.
    pub counters: Counters,
    /// Files kept.
    pub files: usize,
    /// Their bytes before compression.
    pub bytes: u64,
    /// Files that were left out because the capture grew too large.
    pub skipped: usize,
}

/// Why a capture could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The archive could not be written.
    #[error("cannot write the capture: {0}; is the disk full?")]
    Write(#[from] io::Error),
    /// The notes could not be encoded.
    #[error("cannot encode the capture's notes: {0}")]
    Encode(#[from] serde_json::Error),
}

/// Reads a host through all readers and writes what they read as a tar archive, compressed by zstd.
pub fn capture(
    root: &Root,
    options: &CaptureOptions,
    out: &mut dyn Write,
) -> Result<CaptureReport, CaptureError> {
    let recorder = root.recorder();
    let mut host = crate::host(&recorder, &options.ask);
    let mut counters = crate::counters(&recorder, &options.counters_ask);
    let window = (!options.window.is_zero()).then(|| window(root, options, &counters));
    let mut window = window.as_ref().map(json::tree).transpose()?;

    let mut recording = recorder.into_recording();
    if options.anonymise {
        let pseudonyms = Pseudonyms::of(root, &host, host_names(root), &recording);
        pseudonyms.apply(&mut recording);
        window = window.map(|window| pseudonyms.json(window));
    }
    NOTES_FORMAT.clone_into(&mut recording.notes.format);
    env!("CARGO_PKG_VERSION").clone_into(&mut recording.notes.tool_version);
    recording.notes.anonymised = options.anonymise;
    let packed = pack(&recording, window.as_ref())?;
    out.write_all(&packed)?;
    out.flush()?;
    if options.anonymise {
        // What is in it for the names is known by reading it.
        let back = Root::archive(&packed).map_err(|error| io::Error::other(error.to_string()))?;
        host = crate::host(&back, &options.ask);
        counters = crate::counters(&back, &options.counters_ask);
    }
    let bytes = recording.files.values().map(|(content, _)| content.len() as u64).sum();
    Ok(CaptureReport { host, counters, files: recording.files.len(), bytes, skipped: recording.skipped })
}

impl Root {
    /// The span over which a tree's counters were read twice: by a capture, or by OSWatcher.
    pub fn window(&self) -> Option<Window> {
        let captured = self.try_read(WINDOW_PATH, crate::MAX_READ_BYTES).ok();
        captured
            .and_then(|(text, _)| fullwire_model::json::read(text.as_bytes()).ok())
            .or_else(|| watched_window(self))
    }
}

/// Waits, and reads the counters again.
fn window(root: &Root, options: &CaptureOptions, from: &Counters) -> Window {
    let busy_since = Some(CpuTimes::read(root));
    std::thread::sleep(options.window);
    let to = crate::counters(root, &CountersAsk { busy_since, ..options.counters_ask.clone() });
    Window { kind: WindowKind::Idle, from: from.clone(), to, ..Window::default() }
}

/// The names by which a host and those it talks to are known.
fn host_names(root: &Root) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for path in ["/proc/sys/kernel/hostname", "/etc/hostname", "/proc/sys/kernel/domainname"] {
        names.extend(root.attribute(path));
    }
    let hosts = root.attribute("/etc/hosts").unwrap_or_default();
    for line in hosts.lines().filter(|line| !line.trim_start().starts_with('#')) {
        names.extend(line.split_whitespace().skip(1).map(str::to_owned));
    }
    let mounts = crate::storage::read_mounts(root, &mut Vec::new());
    names.extend(mounts.into_iter().filter_map(|mount| Some(mount.nfs?.server)));
    let short: Vec<String> =
        names.iter().filter_map(|name| Some(name.split_once('.')?.0.to_owned())).collect();
    names.extend(short);
    names.retain(|name| name.parse::<std::net::IpAddr>().is_err() && !name.starts_with("ip6-"));
    names
}

/// The archive: a few MB, of the largest hosts some twenty.
fn pack(recording: &Recording, window: Option<&Value>) -> Result<Vec<u8>, CaptureError> {
    let mut archive = tar::Builder::new(zstd::stream::write::Encoder::new(Vec::new(), ZSTD_LEVEL)?);
    for (path, (content, _)) in &recording.files {
        append(&mut archive, member(path).trim_start_matches('/'), content)?;
    }
    append(&mut archive, NOTES_PATH, json::pretty(&recording.notes)?.as_bytes())?;
    if let Some(window) = window {
        append(&mut archive, WINDOW_PATH, &serde_json::to_vec(window)?)?;
    }
    Ok(archive.into_inner()?.finish()?)
}

fn append(archive: &mut tar::Builder<impl Write>, path: &str, content: &[u8]) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    archive.append_data(&mut header, path, content)
}
