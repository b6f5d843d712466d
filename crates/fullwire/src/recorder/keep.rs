//! Writing what is sampled, on its own thread: a slow disk must not make the sampler late.

use super::{Tick, own_event};
use anyhow::{Context, Result, anyhow};
use fullwire_model::host::Host;
use fullwire_store::recording::{Begin, RecordingError, ShardWriter};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Samples that wait for a slow disk; later ones are lost and reported.
const WAITING: usize = 10;

/// Writing that fails this often in a row is given up.
const GIVE_UP_AFTER: u32 = 60;

/// What is recorded so far.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    samples: AtomicU64,
    bytes: AtomicU64,
    lost: AtomicU64,
    path: Mutex<Option<PathBuf>>,
}

impl Kept {
    /// Samples written.
    pub(crate) fn samples(&self) -> u64 {
        self.samples.load(Ordering::Relaxed)
    }

    /// Bytes of all files.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Samples that were lost because the disk is slow or full.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// The file that is written.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        self.path.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The writer's thread.
pub(crate) struct Keeper {
    ticks: Option<SyncSender<Tick>>,
    thread: Option<JoinHandle<Result<(), RecordingError>>>,
    kept: Arc<Kept>,
}

impl Keeper {
    /// Starts it.
    pub(crate) fn start(shards: ShardWriter) -> Result<Self> {
        let (ticks, receiver) = sync_channel(WAITING);
        let kept = Arc::new(Kept::default());
        let shared = Arc::clone(&kept);
        let thread = std::thread::Builder::new()
            .name("recorder".into())
            .spawn(move || write(shards, &receiver, &shared))
            .context("start the thread that writes the recording")?;
        Ok(Self { ticks: Some(ticks), thread: Some(thread), kept })
    }

    /// What is recorded so far.
    pub(crate) fn kept(&self) -> &Arc<Kept> {
        &self.kept
    }

    /// Hands over a look. An error: the writer gave up.
    pub(crate) fn keep(&mut self, tick: Tick) -> Result<()> {
        let Some(ticks) = &self.ticks else { return Ok(()) };
        match ticks.try_send(tick) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => {
                self.kept.lost.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Err(TrySendError::Disconnected(_)) => Err(self.end().err().unwrap_or_else(|| {
                anyhow!("the thread that writes the recording has ended; start the recorder again")
            })),
        }
    }

    /// Ends the recording: what was handed over is written.
    pub(crate) fn end(&mut self) -> Result<()> {
        drop(self.ticks.take());
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(written)) => Ok(written?),
            Some(Err(_)) => Err(anyhow!("the thread that writes the recording has failed")),
            None => Ok(()),
        }
    }
}

fn write(mut shards: ShardWriter, ticks: &Receiver<Tick>, kept: &Kept) -> Result<(), RecordingError> {
    let mut failures = 0;
    let mut last = None;
    for tick in ticks {
        let host = tick.host.as_deref();
        match write_one(&mut shards, host, &tick) {
            Ok(()) => {
                failures = 0;
                let counter = if shards.lost() == 0 { &kept.samples } else { &kept.lost };
                counter.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => {
                failures += 1;
                if failures >= GIVE_UP_AFTER || !shards.begin_again() {
                    return Err(error);
                }
            }
        }
        kept.bytes.store(shards.bytes(), Ordering::Relaxed);
        *kept.path.lock().unwrap_or_else(PoisonError::into_inner) = shards.path().map(Into::into);
        last = Some(tick.sample);
    }
    if let Some(sample) = last {
        shards.end(&own_event(&sample, "the recorder ended"))?;
    }
    kept.bytes.store(shards.bytes(), Ordering::Relaxed);
    Ok(())
}

fn write_one(shards: &mut ShardWriter, host: Option<&Host>, tick: &Tick) -> Result<(), RecordingError> {
    if let Some(host) = host {
        shards.host(&tick.sample, host)?;
    }
    shards.sample(&tick.sample, &tick.events)
}

/// What a new recording of this host says of itself.
pub(crate) fn begin(interval: Duration) -> Begin {
    let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    Begin {
        interval_ns: u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        zone: zone(),
        boot_id: boot_id.trim().to_owned(),
    }
}

/// The host's zone by its name; without one its distance from UTC.
fn zone() -> String {
    let zone = TimeZone::system();
    match zone.iana_name() {
        Some(name) => name.to_owned(),
        None => Timestamp::now().to_zoned(zone).offset().to_string(),
    }
}
