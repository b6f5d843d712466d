//! Runs one load, or several at the same time: starts their threads together, watches them, ends them in time.

use crate::disk::DiskError;
use crate::disk::engine::buffer::Buffers;
use crate::disk::engine::io_uring::{self, UringRing};
use crate::disk::engine::plain;
use crate::disk::engine::queue;
use crate::disk::hang::{ANSWER, no_answer};
use crate::disk::load::pace::Arrivals;
use crate::disk::load::tally::Tally;
use crate::disk::load::thread::{Clock, Flush, Job, Shared, Stream};
use crate::disk::load::thread_cpu::ThreadCpu;
use crate::disk::target::{Access, reopen};
use crate::thread_time;
use fullwire_model::disk::{self, DiskInterval, DiskStep, Engine, Operation, Pattern, Sync};
use fullwire_model::latency::LatencyRecorder;
use rustix::fs::OFlags;
use std::io;
use std::ops::{ControlFlow, Range};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// How often a running load is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// Storage that moves less than this does not work, whatever it answers: at a hundredth of a slow disk's rate, 8 MiB on their way
/// take half a minute, and an I/O that waits behind them has not been forgotten.
const LEAST_BYTES_PER_S: f64 = 262_144.0;
/// Threads of one load: more only wait for each other.
pub(crate) const MOST_THREADS: u32 = 1024;

/// A load to be run.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    /// What it does.
    pub(crate) step: DiskStep,
    /// Where in the file.
    pub(crate) region: Range<u64>,
    /// The file, any open descriptor of it.
    pub(crate) fd: Arc<OwnedFd>,
    /// For error texts.
    pub(crate) target: String,
    /// `io_uring` or plain, decided.
    pub(crate) engine: Engine,
    /// Past the page cache.
    pub(crate) direct: bool,
    /// Decides offsets and content.
    pub(crate) seed: u64,
}

/// What a load measured.
#[derive(Debug)]
pub(crate) struct LoadOutcome {
    /// All threads together.
    pub(crate) tally: Tally,
    /// From submission or intended start to completion, the flush included.
    pub(crate) latency: LatencyRecorder,
    /// From the start to the last completion, s.
    pub(crate) duration_s: f64,
    /// The largest share of one CPU that one thread used.
    pub(crate) thread_peak: f64,
    /// In slices.
    pub(crate) intervals: Vec<DiskInterval>,
}

impl LoadOutcome {
    /// Adds a load that ran after this one.
    pub(crate) fn append(&mut self, next: Self) {
        self.intervals.extend(next.intervals.into_iter().map(|mut interval| {
            interval.t_s += self.duration_s;
            interval
        }));
        self.duration_s += next.duration_s;
        self.thread_peak = self.thread_peak.max(next.thread_peak);
        self.latency.merge(&next.latency);
        self.tally.merge(next.tally);
    }
}

/// A running load as it is looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Live {
    /// Since the start.
    pub(crate) elapsed: Duration,
    /// I/Os of all loads.
    pub(crate) ios: u64,
    /// Bytes of all loads.
    pub(crate) bytes: u64,
}

/// Which engine a step gets on this host, and whether that is the one it requested.
pub(crate) fn engine_for(wanted: Engine) -> io::Result<Engine> {
    match (wanted, io_uring::probe()) {
        (Engine::Plain, _) | (Engine::Auto, Err(_)) => Ok(Engine::Plain),
        (_, Ok(())) => Ok(Engine::IoUring),
        (Engine::IoUring, Err(error)) => Err(error),
    }
}

enum Message {
    Ready,
    Done { load: usize, tally: Box<Tally>, busy_share: f64 },
}

/// Runs all loads at the same time. `ready` is called before they begin, when all is prepared; `watch` at every look, and may
/// end them.
pub(crate) fn run(
    loads: &[Load],
    stop: &AtomicBool,
    ready: &dyn Fn(),
    watch: &mut dyn FnMut(&Live) -> ControlFlow<()>,
) -> Result<Vec<LoadOutcome>, DiskError> {
    let (sender, receiver) = mpsc::channel();
    let mut all_shared = Vec::with_capacity(loads.len());
    let mut threads = 0;
    for (number, load) in loads.iter().enumerate() {
        let (shared, started) = start(number, load, &sender)?;
        all_shared.push(shared);
        threads += started;
    }
    drop(sender);
    let supervisor = Supervisor { loads, all_shared, receiver, threads };
    supervisor.run(stop, ready, watch)
}

struct Supervisor<'a> {
    loads: &'a [Load],
    all_shared: Vec<Arc<Shared>>,
    receiver: Receiver<Message>,
    threads: usize,
}

impl Supervisor<'_> {
    fn run(
        self,
        stop: &AtomicBool,
        ready: &dyn Fn(),
        watch: &mut dyn FnMut(&Live) -> ControlFlow<()>,
    ) -> Result<Vec<LoadOutcome>, DiskError> {
        let mut finished: Vec<Option<(Tally, f64)>> = self.loads.iter().map(|_| None).collect();
        let mut done = self.wait_until_ready(&mut finished)?;
        ready();
        let clock = Clock::start();
        for shared in &self.all_shared {
            shared.open(clock);
        }
        let mut last = (0, Instant::now());
        while done < self.threads {
            let asleep = Instant::now();
            match self.receiver.recv_timeout(LOOK) {
                Ok(message) => done += usize::from(take(message, &mut finished)),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    self.overslept(clock, asleep.elapsed().saturating_sub(LOOK));
                }
            }
            let live = self.look(clock);
            if stop.load(Ordering::Relaxed) || watch(&live).is_break() {
                self.end();
            }
            if live.ios > last.0 {
                last = (live.ios, Instant::now());
            } else if last.1.elapsed() > patience(self.loads) {
                self.end();
                return Err(self.no_answer("an I/O", last.1.elapsed()));
            }
        }
        self.outcomes(finished)
    }

    fn wait_until_ready(&self, finished: &mut [Option<(Tally, f64)>]) -> Result<usize, DiskError> {
        let (mut ready, mut done) = (0, 0);
        while ready + done < self.threads {
            match self.receiver.recv_timeout(ANSWER) {
                Ok(Message::Ready) => ready += 1,
                Ok(message) => done += usize::from(take(message, finished)),
                Err(_) => {
                    self.end();
                    self.all_shared.iter().for_each(|shared| shared.abort());
                    return Err(self.no_answer("opening the file", ANSWER));
                }
            }
        }
        if done > 0 {
            self.end();
        }
        Ok(done)
    }

    fn look(&self, clock: Clock) -> Live {
        let mut live = Live { elapsed: Duration::from_nanos(clock.now_ns()), ios: 0, bytes: 0 };
        for (load, shared) in self.loads.iter().zip(&self.all_shared) {
            let ios = shared.completed();
            live.ios += ios;
            live.bytes += ios * load.step.block_bytes;
        }
        live
    }

    /// Who sleeps beside the load and wakes this late was not run, and the threads of the load were not either.
    fn overslept(&self, clock: Clock, late: Duration) {
        if late >= LOOK {
            let late_ns = u64::try_from(late.as_nanos()).unwrap_or(u64::MAX);
            self.all_shared.iter().for_each(|shared| shared.record_late(clock.now_ns(), late_ns));
        }
    }

    fn end(&self) {
        for shared in &self.all_shared {
            shared.stop();
        }
    }

    fn no_answer(&self, action: &str, waited: Duration) -> DiskError {
        let target = self.loads.first().map(|load| load.target.clone()).unwrap_or_default();
        no_answer(&target, action, waited, std::process::id())
    }

    fn outcomes(&self, finished: Vec<Option<(Tally, f64)>>) -> Result<Vec<LoadOutcome>, DiskError> {
        let mut outcomes = Vec::with_capacity(finished.len());
        for ((load, shared), tally) in self.loads.iter().zip(&self.all_shared).zip(finished) {
            let Some((mut tally, thread_peak)) = tally else {
                let lost = io::Error::other("a thread of the load ended without a result");
                return Err(DiskError::io("measure", load.target.as_str(), lost));
            };
            if let Some(error) = tally.error.take() {
                return Err(DiskError::io(verb(load.step.operation), load.target.as_str(), error));
            }
            let duration_s = tally.end_ns as f64 / 1e9;
            let (latency, intervals) = shared.recorded(tally.end_ns);
            outcomes.push(LoadOutcome { tally, latency, duration_s, thread_peak, intervals });
        }
        Ok(outcomes)
    }
}

/// For how long no I/O may come back. An open loop may rightly be silent for a while, and so may storage of which much was asked
/// at once.
fn patience(loads: &[Load]) -> Duration {
    let slowest =
        loads.iter().map(|load| load.step.rate_per_s).filter(|rate| *rate > 0.0).fold(1e9, f64::min);
    let on_their_way = |step: &DiskStep| {
        step.block_bytes as f64 * f64::from(step.queue_depth.max(1)) * f64::from(step.threads.max(1))
    };
    let bytes: f64 = loads.iter().map(|load| on_their_way(&load.step)).sum();
    ANSWER + Duration::from_secs_f64((10.0 / slowest + bytes / LEAST_BYTES_PER_S).min(3600.0))
}

fn verb(operation: Operation) -> &'static str {
    match operation {
        Operation::Read => "read",
        Operation::Write => "write",
        Operation::Mixed => "read and write",
        Operation::Copy => "copy",
    }
}

/// Books a message; true: a thread is done.
fn take(message: Message, finished: &mut [Option<(Tally, f64)>]) -> bool {
    let Message::Done { load, tally, busy_share } = message else { return false };
    match &mut finished[load] {
        Some((whole, peak)) => {
            whole.merge(*tally);
            *peak = peak.max(busy_share);
        }
        empty @ None => *empty = Some((*tally, busy_share)),
    }
    true
}

/// Starts a load's threads; they wait at the gate.
fn start(number: usize, load: &Load, sender: &Sender<Message>) -> Result<(Arc<Shared>, usize), DiskError> {
    let queues = load.step.threads.max(1);
    let depth = load.step.queue_depth.max(1);
    let per_queue = if load.engine == Engine::Plain { depth } else { 1 };
    let threads = queues.saturating_mul(per_queue).min(MOST_THREADS);
    let interval_ns = if load.step.interval_ns == 0 { 1_000_000_000 } else { load.step.interval_ns };
    let shared = Arc::new(Shared::new(threads as usize, interval_ns, load.step.duration_ns));
    let streams: Vec<Arc<Stream>> = (0..queues).map(|queue| Arc::new(stream(load, queue, queues))).collect();
    for thread in 0..threads {
        let job = Job {
            operation: load.step.operation,
            read_share: load.step.read_share,
            block: usize::try_from(load.step.block_bytes).unwrap_or(usize::MAX),
            depth: if load.engine == Engine::Plain { 1 } else { depth },
            stream: Arc::clone(&streams[(thread % queues) as usize]),
            flush: Flush::of(load.step.sync),
            flush_every: u64::from(load.step.flush_every),
            start_writeback: load.step.start_writeback,
            duration_ns: load.step.duration_ns,
            arrivals: arrivals(load, thread, threads),
            seed: load.seed.wrapping_add(u64::from(thread)).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        };
        let tally = Tally::new(thread as usize, interval_ns, job.flush.is_some(), Arc::clone(&shared));
        let worker = Worker { load: number, target: load.clone(), job, tally, shared: Arc::clone(&shared) };
        let sender = sender.clone();
        let spawned = std::thread::Builder::new()
            .name(format!("disk-{number}-{thread}"))
            .stack_size(256 << 10)
            .spawn(move || worker.run(&sender));
        if let Err(error) = spawned {
            shared.abort();
            return Err(DiskError::io("start a thread for", load.target.as_str(), error));
        }
    }
    Ok((shared, threads as usize))
}

/// Sequential queues have their own regions; random ones share all of it.
fn stream(load: &Load, queue: u32, queues: u32) -> Stream {
    let block = load.step.block_bytes.max(1);
    let wanted = load.step.duration_bytes / block / u64::from(queues);
    let limit = if load.step.duration_bytes == 0 { 0 } else { wanted.max(1) };
    let region = match load.step.pattern {
        Pattern::Random => load.region.clone(),
        Pattern::Sequential | Pattern::Unknown => {
            let part = (load.region.end - load.region.start) / u64::from(queues) / block * block;
            let start = load.region.start + u64::from(queue) * part;
            if part == 0 { load.region.clone() } else { start..start + part }
        }
    };
    let stream = Stream::new(&region, block, load.step.pattern, limit);
    if load.step.operation == Operation::Copy { stream.copying() } else { stream }
}

fn arrivals(load: &Load, thread: u32, threads: u32) -> Option<Arrivals> {
    let rate = load.step.rate_per_s;
    (rate > 0.0).then(|| {
        let poisson = load.step.arrivals == disk::Arrivals::Poisson;
        Arrivals::new(rate / f64::from(threads), poisson, load.seed ^ u64::from(thread).rotate_left(32))
    })
}

struct Worker {
    load: usize,
    target: Load,
    job: Job,
    tally: Tally,
    shared: Arc<Shared>,
}

impl Worker {
    fn run(mut self, sender: &Sender<Message>) {
        let outcome = self.measure(sender);
        self.tally.error = outcome.err();
        self.tally.close();
        self.tally.threads_ns = self.tally.end_ns;
        let busy_ns = (self.tally.cpu.user_ns + self.tally.cpu.system_ns) as f64;
        let busy_share = if self.tally.end_ns == 0 { 0.0 } else { busy_ns / self.tally.end_ns as f64 };
        // No one listens any more when the load was given up.
        let _ = sender.send(Message::Done { load: self.load, tally: Box::new(self.tally), busy_share });
    }

    fn measure(&mut self, sender: &Sender<Message>) -> io::Result<()> {
        let fd = reopen(&*self.target.fd, access(&self.target))?;
        let mut buffers = Buffers::new(self.job.depth as usize, self.job.block)?;
        self.tally.huge_pages = buffers.huge();
        if self.target.engine == Engine::Plain {
            let Some(clock) = self.wait(sender) else { return Ok(()) };
            return self.timed(|job, tally| plain::run(fd.as_fd(), &mut buffers, job, clock, tally));
        }
        let mut ring = io_uring::build(self.job.depth)?;
        let mut ring = UringRing::new(&mut ring, fd, buffers, self.job.block)?;
        let Some(clock) = self.wait(sender) else { return Ok(()) };
        self.timed(|job, tally| queue::run(&mut ring, job, clock, tally))
    }

    /// Counts the CPU time of the load, and how long it waited for one.
    fn timed(&mut self, load: impl FnOnce(&mut Job, &mut Tally) -> io::Result<()>) -> io::Result<()> {
        let (before, waited_ns) = (ThreadCpu::now(), thread_time::waited_ns());
        let result = load(&mut self.job, &mut self.tally);
        self.tally.cpu = ThreadCpu::now().since(before);
        let since = |before| Some(thread_time::waited_ns()?.saturating_sub(before));
        self.tally.waited_ns = waited_ns.and_then(since);
        result
    }

    fn wait(&self, sender: &Sender<Message>) -> Option<Clock> {
        let _ = sender.send(Message::Ready);
        self.shared.wait()
    }
}

fn access(load: &Load) -> Access {
    let durable = match load.step.sync {
        Sync::Dsync => OFlags::DSYNC,
        Sync::Osync => OFlags::SYNC,
        Sync::None | Sync::Fdatasync | Sync::Fsync => OFlags::empty(),
    };
    Access {
        read: load.step.operation != Operation::Write,
        write: load.step.operation != Operation::Read,
        direct: load.direct,
        durable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A filer that took 0.5 MB/s of writes had not finished the first of 8 MiB after 15 s, and was called dead.
    #[test]
    fn much_on_its_way_is_waited_for_and_little_is_not() {
        let file = Arc::new(OwnedFd::from(std::fs::File::open("/dev/null").unwrap()));
        let waited = |block_bytes, queue_depth, rate_per_s| {
            let step = DiskStep { block_bytes, queue_depth, rate_per_s, threads: 1, ..DiskStep::default() };
            let (fd, target, engine) = (Arc::clone(&file), String::new(), Engine::Plain);
            patience(&[Load { step, region: 0..0, fd, target, engine, direct: true, seed: 0 }]).as_secs_f64()
        };
        assert!((waited(1 << 20, 8, 0.0) - 47.0).abs() < 0.1);
        assert!((waited(8192, 1, 0.0) - 15.0).abs() < 0.1);
        // Ten intervals of an open loop.
        assert!((waited(8192, 1, 0.5) - 35.0).abs() < 0.1);
    }
}
