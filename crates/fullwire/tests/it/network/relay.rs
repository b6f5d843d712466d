//! A line with set properties, in user space: what enters one TUN device leaves the other one later, at a rate, or
//! not at all.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What the line does with packets, the same in both directions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// One way.
    pub(crate) delay: Duration,
    /// IP bytes per second; 0: as they come.
    pub(crate) rate_bytes_per_s: f64,
    /// One in this many is lost, in pseudo-random order; 0: none.
    pub(crate) loses_one_in: u64,
    /// What is longer vanishes without a word.
    pub(crate) largest_bytes: usize,
}

impl Default for Line {
    fn default() -> Self {
        Self { delay: Duration::ZERO, rate_bytes_per_s: 0.0, loses_one_in: 0, largest_bytes: usize::MAX }
    }
}

/// Packets wait for the rate this long at most; then the queue is full.
const QUEUE: Duration = Duration::from_millis(40);
/// A moment in which a thread of the relay did not run is no time of the line's: the rate makes it good.
const CATCHES_UP: Duration = Duration::from_millis(20);
/// A sleeping thread wakes late by about this much: for a packet on its own the rest is waited for awake. While the line is busy
/// packets come as late as a thread wakes, some of them together: waiting for each awake would take a CPU.
const WAKES_LATE: Duration = Duration::from_micros(150);
/// How often a waiting thread looks whether it is over.
const NAP: Duration = Duration::from_millis(50);

/// Carries packets until it is dropped.
pub(crate) struct Relay {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Relay {
    /// Between two devices.
    pub(crate) fn start(ends: [File; 2], line: Line) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        let [a, b] = ends;
        for (from, to) in [(&a, &b), (&b, &a)] {
            let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            let queue = Arc::new(Queue::default());
            let (taking, giving, flags) = (Arc::clone(&queue), queue, [Arc::clone(&over), Arc::clone(&over)]);
            let [over_taking, over_giving] = flags;
            threads.push(std::thread::spawn(move || take(from, line, &taking, &over_taking)));
            threads.push(std::thread::spawn(move || give(to, &giving, &over_giving)));
        }
        Self { over, threads }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Packets in progress in one direction, each with the moment at which it arrives: in order, as the delay is one.
#[derive(Default)]
struct Queue {
    packets: Mutex<VecDeque<(Instant, Vec<u8>)>>,
    came: Condvar,
}

/// Takes what the near end sends.
fn take(mut device: File, line: Line, queue: &Queue, over: &AtomicBool) {
    hurry();
    let mut packet = vec![0; 65_536];
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut free_at = Instant::now();
    let nap = Timespec { tv_sec: 0, tv_nsec: NAP.subsec_nanos().into() };
    while !over.load(Ordering::Relaxed) {
        if !matches!(poll(&mut [PollFd::new(&device, PollFlags::IN)], Some(&nap)), Ok(1)) {
            continue;
        }
        let Ok(length) = device.read(&mut packet) else { continue };
        let now = Instant::now();
        // Marsaglia's xorshift: the same losses in every run.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let lost = line.loses_one_in > 0 && random.is_multiple_of(line.loses_one_in);
        free_at = free_at.max(now.checked_sub(CATCHES_UP).unwrap_or(now));
        if lost || length > line.largest_bytes || free_at.saturating_duration_since(now) > QUEUE {
            continue;
        }
        if line.rate_bytes_per_s > 0.0 {
            free_at += Duration::from_secs_f64(length as f64 / line.rate_bytes_per_s);
        }
        queue.packets.lock().unwrap().push_back((free_at.max(now) + line.delay, packet[..length].to_vec()));
        queue.came.notify_one();
    }
}

/// Hands packets to the far end, each at its moment.
fn give(mut device: File, queue: &Queue, over: &AtomicBool) {
    hurry();
    while !over.load(Ordering::Relaxed) {
        let mut packets = queue.packets.lock().unwrap();
        if packets.is_empty() {
            packets = queue.came.wait_timeout(packets, NAP).unwrap().0;
        }
        let Some((due, packet)) = packets.pop_front() else { continue };
        let wakes_late = if packets.is_empty() { WAKES_LATE } else { Duration::ZERO };
        drop(packets);
        let early = due.saturating_duration_since(Instant::now());
        std::thread::sleep(early.saturating_sub(wakes_late));
        while Instant::now() < due && !wakes_late.is_zero() {
            std::hint::spin_loop();
        }
        // A device that is not up yet refuses: as a line that is not plugged in.
        let _ = device.write(&packet);
    }
}

/// Wakes when it is time, and before what else runs here.
fn hurry() {
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), -15);
}
