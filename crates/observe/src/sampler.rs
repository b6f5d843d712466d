//! A cheap reader of all counters, again and again: files stay open, and what is dear is read less often.
//!
//! Each tick: what rates are made of. Every ten seconds: drivers' own counters (some drivers ask their firmware), interrupts,
//! sockets, threads. Every minute: error counters, of which a host of 1,000 disks has thousands, and idle states of each
//! CPU. What is not read on a tick keeps its last value, so that a difference over a minute of the clock is exact for all of
//! them.

use crate::{CountersAsk, CpuTimes, Root, limit_gaps, monotonic_ns, network, states, storage, system};
use fullwire_model::counters::Counters;
use fullwire_model::recording::{Sample, States};
use jiff::Timestamp;
use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// Clocks that were read within this time show one moment, ns.
const SAME_MOMENT_NS: u64 = 1_000_000;

/// A host that interrupts the reading so often has other troubles.
const CLOCK_TRIES: usize = 10;

/// The clocks of a sample.
struct Clocks {
    boottime_ns: u64,
    wall: Timestamp,
    monotonic_ns: u64,
}

/// What is dear is read at this interval of the wall clock, s.
const DEAR_EVERY_S: i64 = 10;

/// Error counters are read at this interval, s.
const ERRORS_EVERY_S: i64 = 60;

/// Drivers that answer within this are asked on every tick.
const DRIVERS_CHEAP: Duration = Duration::from_millis(1);

/// What a sampler should read beyond the usual.
#[derive(Debug, Clone, Default)]
pub struct SamplerAsk {
    /// This many of the busiest threads; 0: none.
    pub threads: usize,
    /// Threads and sockets on every tick: someone is looking.
    pub watched: bool,
    /// Control groups to read besides our own.
    pub cgroups: Vec<String>,
}

/// Reads counters again and again.
#[derive(Debug)]
pub struct Sampler {
    root: Root,
    ask: SamplerAsk,
    last: Option<Counters>,
    times: Option<CpuTimes>,
    dear_at: i64,
    errors_at: i64,
    /// What asking all drivers took last.
    drivers_took: Duration,
}

impl Sampler {
    /// Over a root whose files it may keep open: [`Root::keeping_files`].
    pub fn new(root: Root, ask: SamplerAsk) -> Self {
        Self {
            root,
            ask,
            last: None,
            times: None,
            dear_at: i64::MIN,
            errors_at: i64::MIN,
            drivers_took: Duration::MAX,
        }
    }

    /// Other control groups from now on: a database was started.
    pub fn watch_cgroups(&mut self, cgroups: Vec<String>) {
        self.ask.cgroups = cgroups;
    }

    /// Reads everything that is due, and never fails: what cannot be read is a gap in the counters.
    pub fn sample(&mut self) -> Sample {
        let begun = Instant::now();
        let Clocks { wall, boottime_ns, monotonic_ns } = self.clocks();
        let due = |at: &mut i64, every: i64| {
            let slot = wall.as_second().div_euclid(every);
            std::mem::replace(at, slot) != slot
        };
        let dear = due(&mut self.dear_at, DEAR_EVERY_S);
        let errors = due(&mut self.errors_at, ERRORS_EVERY_S);
        let mut counters = self.read(dear, errors);
        counters.monotonic_ns = monotonic_ns;
        self.last = Some(counters.clone());
        let took_ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Sample { boottime_ns, wall, took_ns, counters }
    }

    /// Links, paths and mounts as they are now.
    pub fn states(&self) -> States {
        states::read(&self.root)
    }

    /// The three clocks at one moment. A reader that has to wait for a CPU between them would see the wall clock step and the
    /// host asleep.
    fn clocks(&self) -> Clocks {
        let read = || Clocks {
            boottime_ns: self.boottime_ns(),
            wall: Timestamp::now(),
            monotonic_ns: monotonic_ns(&self.root),
        };
        let mut clocks = read();
        for _ in 0..CLOCK_TRIES {
            if self.boottime_ns().saturating_sub(clocks.boottime_ns) < SAME_MOMENT_NS {
                break;
            }
            clocks = read();
        }
        clocks
    }

    fn boottime_ns(&self) -> u64 {
        if !self.root.is_live() {
            return monotonic_ns(&self.root);
        }
        let time = clock_gettime(ClockId::Boottime);
        let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
        seconds * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
    }

    fn read(&mut self, dear: bool, errors: bool) -> Counters {
        let root = &self.root;
        let mut counters = Counters { monotonic_ns: monotonic_ns(root), ..Counters::default() };
        let ask = CountersAsk { cgroups: self.ask.cgroups.clone(), ..CountersAsk::default() };
        storage::read_rates(root, &mut counters);
        network::read_rates(root, &mut counters);
        system::read_rates(root, &ask, &mut counters);
        if errors {
            storage::read_errors(root, &mut counters);
            system::read_errors(root, &mut counters);
            system::read_idle_states(root, &mut counters);
        }
        let drivers = dear || self.drivers_took <= DRIVERS_CHEAP;
        if drivers {
            let begun = Instant::now();
            network::read_drivers(root, &mut counters);
            self.drivers_took = begun.elapsed();
        }
        if dear {
            system::read_interrupts(root, &mut counters);
        }
        if dear || self.ask.watched {
            network::read_sockets(root, &mut counters);
            if self.ask.threads > 0 {
                let busy_since = Some(self.times.take().unwrap_or_default());
                let ask = CountersAsk { threads: self.ask.threads, busy_since, ..CountersAsk::default() };
                counters.threads = system::busiest_threads(root, &ask);
                counters.processes = system::busiest_io(root, &ask);
                self.times = Some(CpuTimes::read(root));
            }
        }
        if let Some(last) = &self.last {
            let read = Read { errors, drivers, dear, sockets: dear || self.ask.watched };
            carry(last, &mut counters, &read);
        }
        limit_gaps(&mut counters.gaps);
        counters
    }
}

/// What was read on a tick beyond the rates.
struct Read {
    errors: bool,
    drivers: bool,
    dear: bool,
    sockets: bool,
}

/// What was not read now keeps its value.
fn carry(last: &Counters, now: &mut Counters, read: &Read) {
    if !read.errors {
        now.errors.clone_from(&last.errors);
        now.idle_states.clone_from(&last.idle_states);
        for (name, disk) in &mut now.disks {
            if let Some(last) = last.disks.get(name) {
                (disk.io_errors, disk.io_timeouts) = (last.io_errors, last.io_timeouts);
            }
        }
    }
    if !read.drivers {
        for (name, nic) in &mut now.nics {
            if let Some(last) = last.nics.get(name) {
                nic.driver.clone_from(&last.driver);
            }
        }
    }
    if !read.dear {
        now.interrupts.clone_from(&last.interrupts);
        now.gaps.clone_from(&last.gaps);
    }
    if !read.sockets {
        now.sockets.clone_from(&last.sockets);
        now.threads.clone_from(&last.threads);
        now.processes.clone_from(&last.processes);
    }
}
