//! One invocation as a run in the making: observe, windows around each probe, judge, keep.

pub(crate) mod alike;
pub(crate) mod disk;
pub(crate) mod disk_target;
pub(crate) mod experiment;
pub(crate) mod last;
mod neighbours;
pub(crate) mod net;
pub(crate) mod outcome;
pub(crate) mod store;

use crate::ask;
use crate::cli::{JudgeArgs, KeepArgs, value};
use crate::output::read_limited;
use crate::signals;
use anyhow::{Context, Result};
use experiment::Budget;
use fullwire_model::assessment::Layer;
use fullwire_model::counters::Counters;
use fullwire_model::host::{Host, Route};
use fullwire_model::{Command, Gap, GapReason, PathName, ProbeId, RUN_SCHEMA, Run, Window, WindowKind};
use fullwire_observe::{CountersAsk, CpuTimes, Root};
use jiff::Timestamp;
use jiff::civil::DateTime;
use outcome::FinishedRun;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Threads of the busiest processes that a window keeps.
const THREADS_KEPT: usize = 16;

/// Anyone who waits looks for a signal this often.
const TICK: Duration = Duration::from_millis(100);

/// A run in the making, and the host that it observes.
pub(crate) struct Session {
    /// What will be judged and kept.
    pub(crate) run: Run,
    root: Root,
    /// The last probe that was planned.
    probe: ProbeId,
    /// Where runs are kept, if not at the user's own place.
    store: Option<PathBuf>,
    /// Earlier runs may be looked at.
    remembers: bool,
    /// What is left for experiments.
    pub(crate) budget: Budget,
    began: Instant,
}

impl Session {
    /// Begins a run on the live host.
    pub(crate) fn live(command: &str, keep: &KeepArgs) -> Result<Self> {
        let root = Root::live().context("open this host's /proc and /sys")?;
        Ok(Self::on(root, command, keep))
    }

    /// Begins a run on another root.
    pub(crate) fn on(root: Root, command: &str, keep: &KeepArgs) -> Self {
        let (store, remembers) = (keep.store.clone(), !keep.no_store);
        let run = new_run(command, keep);
        let (budget, began) = (Budget::default(), Instant::now());
        Self { run, root, probe: ProbeId::NONE, store, remembers, budget, began }
    }

    /// Since the run began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Reads the host's settings and topology.
    pub(crate) fn observe(&mut self, peers: &[IpAddr]) {
        self.run.host = self.host(peers);
    }

    /// The host's settings and topology as they are now.
    pub(crate) fn host(&self, peers: &[IpAddr]) -> Host {
        fullwire_observe::host(&self.root, &ask::of_host(peers.to_vec()))
    }

    /// Takes over what happened to the host since it was observed.
    pub(crate) fn look_again(&mut self) {
        let now = self.host(&[]);
        self.run.host.take_events(now);
    }

    /// The counters as they are now.
    pub(crate) fn counters(&self) -> Counters {
        fullwire_observe::counters(&self.root, &self.counters_ask())
    }

    /// The databases' control groups are watched next to our own, and who answers for the next hop to each peer.
    fn counters_ask(&self) -> CountersAsk {
        let host = &self.run.host;
        let databases = host.databases.iter().map(|database| database.cgroup.clone());
        let next_hops = host.routes.iter().filter(|route| route.looked_up).map(Route::next_hop);
        CountersAsk {
            cgroups: databases.filter(|path| !path.is_empty()).collect(),
            neighbours: next_hops.filter_map(|hop| hop.parse().ok()).collect(),
            ..CountersAsk::default()
        }
    }

    /// Watches the host without load from fullwire.
    pub(crate) fn idle(&mut self, length: Duration) {
        let busy_since = Some(CpuTimes::read(&self.root));
        let from = self.counters();
        let until = Instant::now() + length;
        while Instant::now() < until && !signals::raised() {
            std::thread::sleep(until.saturating_duration_since(Instant::now()).min(TICK));
        }
        let ask = CountersAsk { threads: THREADS_KEPT, busy_since, ..self.counters_ask() };
        let to = fullwire_observe::counters(&self.root, &ask);
        self.keep_window(Window { kind: WindowKind::Idle, from, to, ..Window::default() });
    }

    /// Looks once: a window of no length, which tells levels (what is in use now) and no rates.
    pub(crate) fn glance(&mut self) {
        let now = self.counters();
        self.keep_window(Window { kind: WindowKind::Idle, from: now.clone(), to: now, ..Window::default() });
    }

    /// A number for a probe to be made, which its result and its windows carry.
    pub(crate) fn new_probe(&mut self) -> ProbeId {
        self.probe = self.probe.next();
        self.probe
    }

    /// Does this with the host's counters read before and after, and who answers for the next hops in between.
    pub(crate) fn watched<T>(
        &mut self,
        probe: ProbeId,
        kind: WindowKind,
        target: &PathName,
        work: impl FnOnce() -> T,
    ) -> T {
        let from = self.counters();
        let (outcome, neighbour_macs) = neighbours::during(&self.root, &self.counters_ask().neighbours, work);
        let to = self.counters();
        self.keep_window(Window {
            kind,
            target: target.clone(),
            probe,
            from,
            to,
            neighbour_macs,
            ..Window::default()
        });
        outcome
    }

    /// Keeps a window; what either reading could not read is said once, of the host.
    pub(crate) fn keep_window(&mut self, mut window: Window) {
        for gap in window.take_gaps() {
            if !self.run.host.gaps.contains(&gap) {
                self.run.host.gaps.push(gap);
            }
        }
        self.run.windows.push(window);
    }

    /// Keeps the window that a capture contains; false if there is none.
    pub(crate) fn captured_window(&mut self) -> bool {
        let window = self.root.window();
        let found = window.is_some();
        if let Some(window) = window {
            self.keep_window(window);
        }
        found
    }

    /// When a sosreport was made, by its own clock (`date --utc`, or `date` of a host in UTC).
    pub(crate) fn captured_at(&self) -> Option<DateTime> {
        let texts = ["date_--utc", "date"].map(|name| format!("/sos_commands/date/{name}"));
        texts.iter().find_map(|path| utc(&self.root.attribute(path)?))
    }

    /// Records what could not be measured.
    pub(crate) fn gap(&mut self, subject: impl Into<String>, reason: GapReason, detail: impl Into<String>) {
        self.run.gaps.push(Gap::new(subject, reason, detail));
    }

    /// Notes that a peer's path MTU is not known. Why it cannot be reached at all tells more.
    pub(crate) fn no_path_mtu(&mut self, peer: &PathName, reason: GapReason, detail: impl Into<String>) {
        self.run.gaps.push(Gap::new(peer, reason, detail).following());
    }

    /// Sets what the judgement leaves out.
    pub(crate) fn judge_by(&mut self, judge: &JudgeArgs, only: &[Layer]) -> Result<()> {
        self.run.command.ignored = ignored(judge)?;
        self.run.command.only = only.to_vec();
        Ok(())
    }

    /// Ends the run without a judgement: anyone who requested it judges.
    pub(crate) fn end(mut self) -> Run {
        self.run.finished = Timestamp::now();
        self.run
    }

    /// Notes what earlier runs reached. Without a store there are none; what cannot be read there is no reason to end.
    fn remember(&mut self) {
        let measured = !self.run.net.is_empty() || !self.run.disk.is_empty();
        if !self.remembers || !measured {
            return;
        }
        let earlier =
            store::read_store(self.store.as_deref()).and_then(|store| alike::alike(&*store, &self.run, &[]));
        let earlier = earlier.unwrap_or_default();
        self.run.best = fullwire_compare::best(&self.run, &earlier.iter().collect::<Vec<_>>());
    }

    /// Ends the run and judges it. Anyone who is shown a part of what was requested is to know it.
    pub(crate) fn finish(mut self) -> FinishedRun {
        self.run.finished = Timestamp::now();
        let interrupted = signals::raised();
        if interrupted {
            self.gap("this run", GapReason::Skipped, Run::INTERRUPTED);
        }
        self.remember();
        let assessment = fullwire_rules::assess(&self.run);
        FinishedRun::new(self.run, assessment, interrupted)
    }
}

/// `Thu Feb 10 16:19:17 UTC 2022`, as date(1) prints it; of another zone nothing is known here.
fn utc(text: &str) -> Option<DateTime> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [_, month, day, time, "UTC", year] = words[..] else { return None };
    DateTime::strptime("%Y %b %d %H:%M:%S", format!("{year} {month} {day} {time}")).ok()
}

/// An id like that of a run, for several runs together.
pub(crate) fn new_id() -> String {
    run_id(Timestamp::now(), random_digits())
}

fn new_run(command: &str, keep: &KeepArgs) -> Run {
    let started = Timestamp::now();
    Run {
        schema: RUN_SCHEMA.to_owned(),
        run_id: run_id(started, random_digits()),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        started,
        command: Command { name: command.to_owned(), arguments: public_arguments(), ..Command::default() },
        tag: keep.tag.clone(),
        ..Run::default()
    }
}

/// Digits in base 32 that are easily read aloud.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Digits of chance in an id, 65 bits: an estate keeps the first run of an id, so that nobody may guess another's.
const CHANCE: usize = 13;

/// Sortable by time: milliseconds since 1970 in base 32, nine characters until 2084, and digits of chance. Ids of earlier
/// versions have four of these.
fn run_id(started: Timestamp, chance: [u8; CHANCE]) -> String {
    let milliseconds = started.as_millisecond().max(0);
    let digit = |place: u32| usize::try_from(milliseconds >> (place * 5) & 31).unwrap_or(0);
    let time = (0..9).rev().map(digit);
    let chance = chance.iter().map(|byte| usize::from(byte & 31));
    time.chain(chance).map(|digit| char::from(DIGITS[digit])).collect()
}

/// From the kernel; where it gives none, the process and the clock differ.
fn random_digits() -> [u8; CHANCE] {
    let mut digits = [0; CHANCE];
    if getrandom::fill(&mut digits).is_ok() {
        return digits;
    }
    let nanoseconds = Timestamp::now().subsec_nanosecond().unsigned_abs();
    let mixed = nanoseconds ^ std::process::id().rotate_left(10);
    std::array::from_fn(|digit| mixed.rotate_right(5 * u32::try_from(digit).unwrap_or(0)).to_le_bytes()[0])
}

/// The arguments as given, keys and passwords left out.
fn public_arguments() -> Vec<String> {
    let mut public = Vec::new();
    let mut hide_next = false;
    for argument in std::env::args_os().skip(1) {
        // It is kept to be read: what is no UTF-8 is marked, and no reason to fail.
        let argument = argument.to_string_lossy().into_owned();
        let hidden = if hide_next { Some("…".to_owned()) } else { hide_secret(&argument) };
        hide_next = !hide_next && argument == "--key";
        public.push(hidden.unwrap_or(argument));
    }
    public
}

/// `--key=…`, and the password in `scheme://user:password@host`.
fn hide_secret(argument: &str) -> Option<String> {
    if argument.starts_with("--key=") {
        return Some("--key=…".to_owned());
    }
    let (scheme, rest) = argument.split_once("://")?;
    let (user, host) = rest.rsplit_once('@')?;
    let (user, _) = user.split_once(':')?;
    Some(format!("{scheme}://{user}:…@{host}"))
}

/// There are some hundreds of codes.
const WAIVERS_BYTES: u64 = 1 << 20;

/// Codes of `--ignore` and of the waiver file, each a rule that there is.
fn ignored(judge: &JudgeArgs) -> Result<Vec<String>> {
    let mut codes = judge.ignore.clone();
    if let Some(path) = &judge.waivers {
        let text = read_limited(path, WAIVERS_BYTES).context("the waivers")?;
        let text = String::from_utf8_lossy(&text);
        for (index, line) in text.lines().enumerate() {
            let code = line.split('#').next().unwrap_or("").trim();
            if !code.is_empty() {
                let known = value::code(code).map_err(anyhow::Error::msg);
                codes.push(known.with_context(|| format!("{}:{}", path.display(), index + 1))?);
            }
        }
    }
    Ok(codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_kept() {
        assert_eq!(hide_secret("--key=abc").as_deref(), Some("--key=…"));
        assert_eq!(hide_secret("postgres://app:geheim@db1/x").as_deref(), Some("postgres://app:…@db1/x"));
        assert_eq!(hide_secret("postgres://app@db1/x"), None);
        assert_eq!(hide_secret("standby:5555"), None);
    }

    #[test]
    fn a_capture_has_the_date_of_its_host() {
        let at = utc("Thu Feb 10 16:19:17 UTC 2022\n").unwrap();
        assert_eq!(at, jiff::civil::date(2022, 2, 10).at(16, 19, 17, 0));
        assert_eq!(utc("Thu Feb 10 16:19:17 CET 2022"), None);
        assert_eq!(utc("2022-02-10 16:19:16.999455+00:00"), None);
    }

    #[test]
    fn run_ids_sort_by_time() {
        let ids: Vec<String> = [0, 1, 31, 32, 1_763_650_000_000]
            .map(|ms| {
                run_id(Timestamp::from_millisecond(ms).unwrap(), [0, 31, 32, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1])
            })
            .into();
        assert!(ids.is_sorted());
        assert_eq!(ids[3], "0000000100z07000000001");
        assert_ne!(random_digits(), random_digits());
    }
}
