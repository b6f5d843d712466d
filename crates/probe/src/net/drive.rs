//! The driver: starts the lanes of one end, watches them, ends them in time, and adds up.

use super::account::{self, Sample, TcpSample};
use super::lane::{Gauge, LaneResult, Signal, Task, start};
use super::plan::Role;
use super::socket::tcp_info::TcpInfo;
use fullwire_model::latency::LatencyRecorder;
use fullwire_model::net::NetPlan;
use rustix::fd::OwnedFd;
use rustix::net::{Shutdown, shutdown, sockopt};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// A message of the load beside what is measured: as of a stream alone.
const LOAD_BYTES: u64 = 1 << 20;

/// What a lane does that only makes load: a stream, whatever the messages beside it are like.
fn load(plan: &NetPlan) -> NetPlan {
    NetPlan {
        length_bytes: LOAD_BYTES,
        random_length: false,
        delay_ns: 0,
        random_delay: false,
        ..plan.clone()
    }
}

/// How often the driver looks.
const TICK: Duration = Duration::from_millis(50);

/// The round trip without load is measured for this long before load begins.
pub(crate) const LEAD_IN: Duration = Duration::from_millis(400);

/// How long what is in progress may take to arrive after the end: half of the test's duration, but within these.
const DRAIN_MIN: Duration = Duration::from_secs(2);
const DRAIN_MAX: Duration = Duration::from_secs(30);

/// A lane that has not ended this long after it was cut off is given up.
const OUTLIVED: Duration = Duration::from_secs(5);

/// A lane as the driver sees it.
pub(crate) struct Member {
    pub(crate) role: Role,
    pub(crate) main: bool,
    pub(crate) socket: Arc<OwnedFd>,
    pub(crate) gauge: Arc<Gauge>,
}

/// What the watcher wants.
pub(crate) enum Order {
    /// Go on.
    Continue,
    /// End now; what has been counted counts.
    Cut(String),
}

/// What the watcher is shown at each tick.
pub(crate) struct Beat<'a> {
    /// Since load began; 0 before.
    pub(crate) elapsed: Duration,
    /// Bytes of all main lanes of this end so far.
    pub(crate) bytes: u64,
    /// Bytes of all lanes, whether the test counts them or not.
    pub(crate) traffic_bytes: u64,
    /// A slice that has just ended.
    pub(crate) sample: Option<&'a Sample>,
}

/// All that one end saw.
pub(crate) struct Tally {
    pub(crate) members: Vec<Member>,
    pub(crate) results: Vec<LaneResult>,
    pub(crate) samples: Vec<Sample>,
    /// `TCP_INFO` at the end of the warm-up, and at the end.
    pub(crate) tcp_base: Vec<Option<TcpInfo>>,
    pub(crate) tcp_last: Vec<Option<TcpInfo>>,
    /// The largest windows seen at one time, by the direction: sources first, then sinks.
    pub(crate) peaks: [Peak; 2],
    /// Bytes of each lane at the end of the warm-up.
    pub(crate) bytes_base: Vec<u64>,
    /// Latencies of all askers.
    pub(crate) latency: LatencyRecorder,
    /// When measuring began.
    pub(crate) measured_from: Instant,
    /// When it ended for this end.
    pub(crate) ended: Instant,
    /// Why it ended before its time.
    pub(crate) cut: Option<String>,
    /// Data was still in flight this long after the end, and was not waited for.
    pub(crate) left_over: Option<Duration>,
    /// When anything last moved.
    pub(crate) moved_until: Instant,
}

impl Tally {
    /// Bytes of all lanes, whether the test counts them or not.
    pub(crate) fn traffic_bytes(&self) -> u64 {
        self.members.iter().map(|member| member.gauge.traffic_bytes()).fold(0, u64::saturating_add)
    }
}

/// Largest sums over the lanes of one direction.
#[expect(clippy::struct_field_names, reason = "the unit stands last in every name")]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Peak {
    pub(crate) cwnd_bytes: u64,
    pub(crate) snd_wnd_bytes: u64,
    pub(crate) rcv_wnd_bytes: u64,
}

/// The parts of a test at one end, ready to start.
pub(crate) struct Crew {
    plan: Arc<NetPlan>,
    signal: Arc<Signal>,
    begin: Instant,
    tasks: Vec<Task>,
    members: Vec<Member>,
}

impl Crew {
    /// For a plan whose load begins at an instant.
    pub(crate) fn new(plan: Arc<NetPlan>, begin: Instant) -> Self {
        Self { plan, signal: Arc::default(), begin, tasks: Vec::new(), members: Vec::new() }
    }

    /// Adds a lane; `complete` fills in what the role needs.
    pub(crate) fn add(&mut self, role: Role, main: bool, socket: OwnedFd, complete: impl FnOnce(&mut Task)) {
        let socket = Arc::new(socket);
        let gauge = Arc::new(Gauge::default());
        let plan = match role {
            Role::Source | Role::Sink if !main => Arc::new(load(&self.plan)),
            _ => self.plan.clone(),
        };
        let mut task = Task {
            role,
            socket: socket.clone(),
            gauge: gauge.clone(),
            signal: self.signal.clone(),
            plan,
            block: None,
            share: None,
            file: None,
            begin: self.begin,
            bytes_limit: 0,
            rate_bytes_per_s: 0.0,
        };
        complete(&mut task);
        self.members.push(Member { role, main, socket, gauge });
        self.tasks.push(task);
    }

    /// Runs the test.
    pub(crate) fn run(self, watch: &mut dyn FnMut(&Beat<'_>) -> Order) -> Tally {
        // What went before (the token) is none of the test.
        let origin: Vec<Option<TcpInfo>> =
            self.members.iter().map(|member| TcpInfo::of(&member.socket).ok()).collect();
        let (sender, results) = mpsc::channel();
        let mut cut = None;
        let count = self.tasks.len();
        for (index, task) in self.tasks.into_iter().enumerate() {
            if let Err(error) = start(index, task, sender.clone()) {
                cut = Some(format!("cannot start a thread: {error}"));
            }
        }
        drop(sender);
        let measured_from = self.begin + Duration::from_nanos(self.plan.warmup_ns);
        let mut driver = Driver {
            plan: &self.plan,
            signal: &self.signal,
            begin: self.begin,
            measured_from,
            stopped: None,
            cut: None,
            done: (0..count).map(|_| None).collect(),
            moved: (0, Instant::now()),
            carried: (0, Instant::now()),
            next: Boundary { at: measured_from, base: true },
            last: Totals { at: measured_from, ..Totals::default() },
            spare: Some(Box::new(LatencyRecorder::new())),
            tally: Tally {
                results: Vec::new(),
                samples: Vec::new(),
                tcp_base: origin,
                tcp_last: vec![None; count],
                peaks: [Peak::default(); 2],
                bytes_base: vec![0; count],
                latency: LatencyRecorder::new(),
                measured_from,
                ended: measured_from,
                cut: None,
                left_over: None,
                moved_until: measured_from,
                members: self.members,
            },
        };
        if let Some(reason) = cut {
            driver.cut_all(reason);
        }
        driver.run(&results, watch)
    }
}

/// Counts at the end of a slice.
#[derive(Clone, Copy)]
struct Totals {
    at: Instant,
    in_bytes: u64,
    out_bytes: u64,
    messages: u64,
    retransmits: u64,
}

impl Default for Totals {
    fn default() -> Self {
        Self { at: Instant::now(), in_bytes: 0, out_bytes: 0, messages: 0, retransmits: 0 }
    }
}

/// The next moment at which counters are read.
struct Boundary {
    at: Instant,
    /// It ends the warm-up: nothing is reported, all is remembered.
    base: bool,
}

struct Driver<'a> {
    plan: &'a NetPlan,
    signal: &'a Signal,
    begin: Instant,
    measured_from: Instant,
    stopped: Option<Instant>,
    cut: Option<Instant>,
    done: Vec<Option<LaneResult>>,
    /// What had moved, and when it last changed; lanes that have ended count as well.
    moved: (u64, Instant),
    /// The same of bytes and messages alone.
    carried: (u64, Instant),
    next: Boundary,
    last: Totals,
    spare: Option<Box<LatencyRecorder>>,
    tally: Tally,
}

impl Driver<'_> {
    fn run(
        mut self,
        results: &mpsc::Receiver<(usize, LaneResult)>,
        watch: &mut dyn FnMut(&Beat<'_>) -> Order,
    ) -> Tally {
        loop {
            let now = Instant::now();
            let wait = self.next.at.saturating_duration_since(now).clamp(Duration::from_micros(100), TICK);
            match results.recv_timeout(wait) {
                Ok((index, result)) => {
                    self.done[index] = Some(result);
                    self.end_side_lanes();
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
            self.tick(watch);
            if self.cut.is_some_and(|cut| cut.elapsed() > OUTLIVED) {
                // It hangs in the kernel, in a write to a dead server as a rule: its thread is left to its fate.
                break;
            }
        }
        self.finish(watch)
    }

    fn tick(&mut self, watch: &mut dyn FnMut(&Beat<'_>) -> Order) {
        let now = Instant::now();
        let sampled = now >= self.next.at && self.boundary(now);
        let beat = Beat {
            elapsed: now.saturating_duration_since(self.begin),
            bytes: self.main_bytes(),
            traffic_bytes: self.traffic_bytes(),
            sample: if sampled { self.tally.samples.last() } else { None },
        };
        if let Order::Cut(reason) = watch(&beat) {
            self.cut_all(reason);
        }
        self.end_in_time(now);
        self.end_stalled(now);
    }

    /// When all that was requested is done, what ran next to it ends too.
    fn end_side_lanes(&mut self) {
        let open = self.members().any(|(index, member)| member.main && self.done[index].is_none());
        if !open && self.stopped.is_none() {
            self.stop(Instant::now());
        }
    }

    fn end_in_time(&mut self, now: Instant) {
        let end = self.measured_from + Duration::from_nanos(self.plan.duration_ns);
        if self.plan.duration_ns > 0 && self.stopped.is_none() && now >= end {
            self.stop(now);
        }
        let drain = Duration::from_nanos(self.plan.duration_ns / 2).clamp(DRAIN_MIN, DRAIN_MAX);
        if self.cut.is_none() && self.stopped.is_some_and(|stopped| now > stopped + drain) {
            let still = now.saturating_duration_since(self.carried.1);
            if still >= drain {
                let account = self.account();
                return self.cut_all(format!("no data moved for {:.1} s: {account}", still.as_secs_f64()));
            }
            // What has been received counts. What the kernel still holds was too much for the time.
            self.end_all();
            self.tally.left_over = Some(drain);
        }
    }

    /// No new messages; a blocked send of a stream is ended, what the kernel has taken still goes out.
    fn stop(&mut self, now: Instant) {
        self.signal.stop();
        self.stopped = Some(now);
        for member in &self.tally.members {
            if member.role == Role::Source && !self.plan.mode.is_datagrams() {
                // It may be gone already.
                let _ = shutdown(&member.socket, Shutdown::Write);
            }
        }
    }

    fn end_stalled(&mut self, now: Instant) {
        let carried = self.carried_so_far();
        if carried != self.carried.0 || now < self.begin {
            self.carried = (carried, now);
        }
        let ended = self.done.iter().filter(|done| done.is_some()).count() as u64;
        let moved = carried.wrapping_add(ended);
        if moved != self.moved.0 || now < self.begin {
            self.moved = (moved, now);
            return;
        }
        let patience = Duration::from_nanos(self.plan.timeout_ns.max(self.plan.delay_ns.saturating_mul(3)));
        if now.saturating_duration_since(self.moved.1) > patience {
            let account = self.account();
            self.cut_all(format!("no data moved for {:.0} s: {account}", patience.as_secs_f64()));
        }
    }

    /// What the stalled connections' own counters say.
    fn account(&self) -> String {
        let (mut acked, mut received, mut resent, mut in_flight) = (0, 0, 0, 0);
        for (index, member) in self.members().filter(|(_, member)| member.main) {
            let Ok(now) = TcpInfo::of(&member.socket) else { continue };
            let base = self.tally.tcp_base[index].clone().unwrap_or_default();
            acked += now.bytes_acked.unwrap_or(0).saturating_sub(base.bytes_acked.unwrap_or(0));
            received += now.bytes_received.unwrap_or(0).saturating_sub(base.bytes_received.unwrap_or(0));
            resent += now.total_retrans.saturating_sub(base.total_retrans);
            in_flight += now.unacked_packets;
        }
        let mb = |bytes: u64| format!("{:.2} MB", bytes as f64 / 1e6);
        format!(
            "{} acknowledged, {} received, {resent} segments resent, {in_flight} segments in flight",
            mb(acked),
            mb(received)
        )
    }

    /// Ends the test before its time, for the first reason that comes.
    fn cut_all(&mut self, reason: String) {
        if self.cut.is_some() {
            return;
        }
        self.tally.cut = Some(reason);
        self.end_all();
    }

    /// Ends all lanes now. Queued data is thrown away, or it would disturb whatever is measured next.
    fn end_all(&mut self) {
        self.cut = Some(Instant::now());
        self.signal.cut();
        self.stopped.get_or_insert_with(Instant::now);
        self.read_tcp();
        for member in &self.tally.members {
            let _ = sockopt::set_socket_linger(&member.socket, Some(Duration::ZERO));
            let _ = shutdown(&member.socket, Shutdown::Both);
        }
    }

    fn members(&self) -> impl Iterator<Item = (usize, &Member)> {
        self.tally.members.iter().enumerate()
    }

    fn main_bytes(&self) -> u64 {
        self.members().filter(|(_, member)| member.main).map(|(_, member)| member.gauge.bytes()).sum()
    }

    fn traffic_bytes(&self) -> u64 {
        self.tally.traffic_bytes()
    }

    /// Changes whenever anything that was requested makes progress. A source's own count grows into its
    /// send buffer alone, so the peer's acknowledgements count for it.
    fn carried_so_far(&self) -> u64 {
        self.members()
            .filter(|(_, member)| member.main)
            .map(|(_, member)| match member.role {
                Role::Source => TcpInfo::of(&member.socket)
                    .ok()
                    .and_then(|info| info.bytes_acked)
                    .unwrap_or_else(|| member.gauge.bytes()),
                _ => member.gauge.bytes() + member.gauge.messages(),
            })
            .fold(0, u64::wrapping_add)
    }

    /// Reads counters at the end of a slice; true when a sample was made.
    fn boundary(&mut self, now: Instant) -> bool {
        self.read_tcp();
        let totals = self.totals(now);
        let base = self.next.base;
        if base {
            self.end_warmup(now);
        } else {
            let sample = self.sample(&totals);
            account::keep(&mut self.tally.samples, sample);
        }
        self.last = if base && self.plan.warmup_ns == 0 {
            Totals { at: self.measured_from, ..Totals::default() }
        } else {
            totals
        };
        let interval = Duration::from_nanos(self.plan.interval_ns);
        let mut at = self.next.at + interval;
        while at <= now {
            at += interval;
        }
        self.next = Boundary { at, base: false };
        !base
    }

    /// What has been counted so far is left out. Without a warm-up nothing is, however late this comes.
    fn end_warmup(&mut self, now: Instant) {
        if self.plan.warmup_ns > 0 {
            self.tally.tcp_base.clone_from(&self.tally.tcp_last);
            self.tally.bytes_base = self.tally.members.iter().map(|member| member.gauge.bytes()).collect();
            self.tally.measured_from = now;
            let _ = self.drain_latency();
            self.tally.latency.clear();
        }
    }

    fn totals(&self, at: Instant) -> Totals {
        let mut totals = Totals { at, ..Totals::default() };
        for (index, member) in self.members().filter(|(_, member)| member.main) {
            match member.role {
                Role::Sink => totals.in_bytes += member.gauge.bytes(),
                Role::Source | Role::Asker => totals.out_bytes += member.gauge.bytes(),
                Role::Answerer | Role::Pinger => {}
            }
            totals.messages += member.gauge.messages();
            let info = self.tally.tcp_last[index].as_ref();
            totals.retransmits += info.map_or(0, |info| u64::from(info.total_retrans));
        }
        totals
    }

    fn sample(&mut self, totals: &Totals) -> Sample {
        let latency = self.drain_latency();
        let span = totals.at.saturating_duration_since(self.last.at).as_secs_f64().max(1e-9);
        let percentile = |p| latency.as_ref().map(|recorder: &LatencyRecorder| recorder.percentile(p));
        Sample {
            t_s: totals.at.saturating_duration_since(self.measured_from).as_secs_f64(),
            span_s: span,
            in_bytes: totals.in_bytes.saturating_sub(self.last.in_bytes),
            out_bytes: totals.out_bytes.saturating_sub(self.last.out_bytes),
            messages: totals.messages.saturating_sub(self.last.messages),
            mean_ns: latency.as_ref().map(LatencyRecorder::mean_ns),
            p50_ns: percentile(50.0),
            p99_ns: percentile(99.0),
            tcp: self.tcp_sample(totals),
        }
    }

    fn tcp_sample(&self, totals: &Totals) -> Option<TcpSample> {
        let infos: Vec<&TcpInfo> = self
            .members()
            .filter(|(_, member)| member.main && matches!(member.role, Role::Source | Role::Asker))
            .filter_map(|(index, _)| self.tally.tcp_last[index].as_ref())
            .collect();
        let mean_rtt_us =
            infos.iter().map(|info| u64::from(info.rtt_us)).sum::<u64>().checked_div(infos.len() as u64)?;
        Some(TcpSample {
            retransmits: totals.retransmits.saturating_sub(self.last.retransmits),
            rtt_ns: mean_rtt_us * 1000,
            cwnd_bytes: infos.iter().map(|info| info.cwnd_bytes()).sum(),
            in_flight_bytes: infos.iter().map(|info| info.in_flight_bytes()).sum(),
        })
    }

    /// The latencies of the askers since the last time; they are added to the whole.
    fn drain_latency(&mut self) -> Option<LatencyRecorder> {
        let mut union: Option<LatencyRecorder> = None;
        for member in &self.tally.members {
            if member.role != Role::Asker || !member.main {
                continue;
            }
            let mut spare = self.spare.take().unwrap_or_else(|| Box::new(LatencyRecorder::new()));
            spare.clear();
            let Some(taken) = member.gauge.take_latency(spare) else { continue };
            if taken.count() > 0 {
                self.tally.latency.merge(&taken);
                match &mut union {
                    Some(union) => union.merge(&taken),
                    None => union = Some((*taken).clone()),
                }
            }
            self.spare = Some(taken);
        }
        union
    }

    fn read_tcp(&mut self) {
        let mut sums = [Peak::default(); 2];
        for (index, member) in self.tally.members.iter().enumerate() {
            let Ok(info) = TcpInfo::of(&member.socket) else { continue };
            if member.main {
                let sum = &mut sums[usize::from(matches!(member.role, Role::Sink | Role::Answerer))];
                sum.cwnd_bytes += info.cwnd_bytes();
                sum.snd_wnd_bytes += info.snd_wnd_bytes.map_or(0, u64::from);
                sum.rcv_wnd_bytes += info.rcv_wnd_bytes.map_or(0, u64::from);
            }
            self.tally.tcp_last[index] = Some(info);
        }
        for (peak, sum) in self.tally.peaks.iter_mut().zip(sums) {
            peak.cwnd_bytes = peak.cwnd_bytes.max(sum.cwnd_bytes);
            peak.snd_wnd_bytes = peak.snd_wnd_bytes.max(sum.snd_wnd_bytes);
            peak.rcv_wnd_bytes = peak.rcv_wnd_bytes.max(sum.rcv_wnd_bytes);
        }
    }

    fn finish(mut self, watch: &mut dyn FnMut(&Beat<'_>) -> Order) -> Tally {
        let now = Instant::now();
        if self.cut.is_none() {
            self.read_tcp();
        }
        let interval = Duration::from_nanos(self.plan.interval_ns);
        let rest = now.saturating_duration_since(self.last.at);
        if !self.next.base && (rest > interval / 10 || self.tally.samples.is_empty()) {
            let totals = self.totals(now);
            let sample = self.sample(&totals);
            let beat = Beat {
                elapsed: now.saturating_duration_since(self.begin),
                bytes: self.main_bytes(),
                traffic_bytes: self.traffic_bytes(),
                sample: Some(&sample),
            };
            // It is over: an order changes nothing.
            let _ = watch(&beat);
            account::keep(&mut self.tally.samples, sample);
        }
        let _ = self.drain_latency();
        self.tally.moved_until = self.carried.1;
        self.tally.ended = self.stopped.map_or(now, |stopped| stopped.min(now));
        self.tally.results = self.done.into_iter().map(Option::unwrap_or_default).collect();
        self.tally
    }
}
