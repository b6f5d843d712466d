//! A lane: one connection, one thread, one role. A lane counts; when to stop is the driver's business.

mod bulk;
mod datagram;
mod exchange;
mod message;
mod pace;
mod pinger;
mod pipeline;
mod waking;
mod zerocopy;

use super::account::DatagramCount;
use super::budget::Share;
use super::payload::Block;
use super::plan::Role;
use super::remote_file::RemoteFile;
use crate::thread_time;
use fullwire_model::latency::LatencyRecorder;
use fullwire_model::net::NetPlan;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// Stack of a lane's thread: its buffers are mapped, not on the stack.
const STACK_BYTES: usize = 256 * 1024;

/// What the driver reads while a lane runs. Its own cache line pair: the lane writes it all the time.
#[repr(align(128))]
#[derive(Default)]
pub(crate) struct Gauge {
    bytes: AtomicU64,
    messages: AtomicU64,
    beside: AtomicU64,
    latency: Mutex<Option<Box<LatencyRecorder>>>,
}

impl Gauge {
    /// Payload bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// All that crossed the wire for this lane, whether the test counts it or not.
    pub(crate) fn traffic_bytes(&self) -> u64 {
        self.bytes().saturating_add(self.beside.load(Relaxed))
    }

    /// Bytes that are no payload of the test: small and foreign datagrams, questions.
    fn count_beside(&self, bytes: u64) {
        self.beside.fetch_add(bytes, Relaxed);
    }

    /// Messages so far.
    pub(crate) fn messages(&self) -> u64 {
        self.messages.load(Relaxed)
    }

    /// The latencies since the last call; `spare` is used for the next ones.
    pub(crate) fn take_latency(&self, spare: Box<LatencyRecorder>) -> Option<Box<LatencyRecorder>> {
        let mut latency = self.latency.lock().unwrap_or_else(PoisonError::into_inner);
        latency.as_mut().map(|current| std::mem::replace(current, spare))
    }

    fn count(&self, bytes: u64, messages: u64) {
        self.bytes.store(bytes, Relaxed);
        self.messages.store(messages, Relaxed);
    }

    fn keep_latency(&self) {
        *self.latency.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(LatencyRecorder::new()));
    }

    fn record(&self, latency_ns: u64) {
        if let Some(recorder) = self.latency.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            recorder.record(latency_ns);
        }
    }
}

/// What the driver tells all lanes.
#[derive(Default)]
pub(crate) struct Signal {
    stop: AtomicBool,
    cut: AtomicBool,
}

impl Signal {
    /// Begin no new message.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// End now: nothing more is waited for.
    pub(crate) fn cut(&self) {
        self.cut.store(true, Relaxed);
        self.stop();
    }

    fn is_cut(&self) -> bool {
        self.cut.load(Relaxed)
    }

    fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }
}

/// What a lane needs.
pub(crate) struct Task {
    /// What it does.
    pub(crate) role: Role,
    /// Its connection, blocking.
    pub(crate) socket: Arc<OwnedFd>,
    /// Where it counts.
    pub(crate) gauge: Arc<Gauge>,
    /// Where it is told to stop.
    pub(crate) signal: Arc<Signal>,
    /// The plan, completed.
    pub(crate) plan: Arc<NetPlan>,
    /// What it sends.
    pub(crate) block: Option<Arc<Block>>,
    /// What it takes of the responder's budget, as long as its thread lives.
    pub(crate) share: Option<Arc<Share>>,
    /// Where it writes what it receives.
    pub(crate) file: Option<RemoteFile>,
    /// When load begins: the time before belongs to the idle round trip.
    pub(crate) begin: Instant,
    /// Bytes that this lane sends; 0: by time.
    pub(crate) bytes_limit: u64,
    /// Its share of the rate, bytes per second; 0: unlimited.
    pub(crate) rate_bytes_per_s: f64,
}

impl Task {
    /// Whether a lane that has sent this many bytes goes on.
    fn goes_on(&self, bytes: u64) -> bool {
        !self.signal.stopped() && (self.bytes_limit == 0 || bytes < self.bytes_limit)
    }

    /// Samples before this are warm-up.
    fn measured_from(&self) -> Instant {
        self.begin + Duration::from_nanos(self.plan.warmup_ns)
    }
}

/// What a lane leaves.
#[derive(Default)]
pub(crate) struct LaneResult {
    /// Payload bytes.
    pub(crate) bytes: u64,
    /// Messages.
    pub(crate) messages: u64,
    /// When the first bytes came (sink).
    pub(crate) first: Option<Instant>,
    /// When the last bytes came.
    pub(crate) last: Option<Instant>,
    /// Of an asker: the wire and both stacks.
    pub(crate) network: Option<LatencyRecorder>,
    /// Of an asker: the peer's write.
    pub(crate) remote_write: Option<LatencyRecorder>,
    /// Of a pinger, before the load.
    pub(crate) idle: Option<LatencyRecorder>,
    /// Of a pinger, under the load.
    pub(crate) loaded: Option<LatencyRecorder>,
    /// Open loop: messages that began more than a period late.
    pub(crate) late: u64,
    /// Of a datagram test.
    pub(crate) datagrams: Option<DatagramCount>,
    /// Zero copy: sends that the kernel finished without a copy, and those that it copied after all.
    pub(crate) zerocopy: Option<[u64; 2]>,
    /// CPU of the lane's thread, ns.
    pub(crate) cpu_ns: u64,
    /// For how long it was ready and had no CPU, ns.
    pub(crate) waited_ns: Option<u64>,
    /// Life of the lane's thread, ns.
    pub(crate) wall_ns: u64,
    /// Why it ended before its time.
    pub(crate) failure: Option<String>,
}

/// Starts a lane; its result comes over the channel, whatever happens.
pub(crate) fn start(
    index: usize,
    task: Task,
    results: mpsc::Sender<(usize, LaneResult)>,
) -> std::io::Result<()> {
    if matches!(task.role, Role::Asker) {
        task.gauge.keep_latency();
    }
    std::thread::Builder::new().name(format!("lane-{index}")).stack_size(STACK_BYTES).spawn(move || {
        let begun = Instant::now();
        let mut result = catch_unwind(AssertUnwindSafe(|| run(task))).unwrap_or_else(|_| LaneResult {
            failure: Some("a connection ended because of a bug in fullwire".into()),
            ..LaneResult::default()
        });
        result.wall_ns = nanos(begun.elapsed());
        result.cpu_ns = thread_time::cpu_ns();
        result.waited_ns = thread_time::waited_ns();
        // The driver may be gone already: then no one wants it.
        let _ = results.send((index, result));
    })?;
    Ok(())
}

fn run(task: Task) -> LaneResult {
    if task.plan.mode.is_datagrams() {
        return match task.role {
            Role::Source => datagram::source(&task),
            Role::Sink => datagram::sink(&task),
            Role::Asker | Role::Pinger => exchange::ask(&task),
            Role::Answerer => exchange::answer(&task),
        };
    }
    match task.role {
        Role::Source => bulk::source(&task),
        Role::Sink => bulk::sink(&task),
        Role::Asker if pipeline::wanted(&task.plan) => pipeline::ask(&task),
        Role::Asker => message::ask(&task),
        Role::Answerer => message::answer(task),
        Role::Pinger => pinger::ping(&task),
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// What an error on a lane's socket means: `None` when the lane was told to end, or the peer ended it.
fn failure(task: &Task, errno: Errno) -> Option<String> {
    let told = task.signal.stopped() && matches!(errno, Errno::PIPE | Errno::CONNRESET | Errno::NOTCONN);
    (!told).then(|| std::io::Error::from(errno).to_string())
}
