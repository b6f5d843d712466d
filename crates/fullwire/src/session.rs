//! One invocation as a run in the making: observe, windows around each probe, judge, keep.

use crate::cli::{JudgeArgs, KeepArgs, value};
use anyhow::{Context, Result};
use fullwire_model::assessment::{Assessment, Layer};
use fullwire_model::counters::Counters;
use fullwire_model::host::Host;
use fullwire_model::{Command, Gap, GapReason, RUN_SCHEMA, Run, Window, WindowKind};
use fullwire_observe::{Ask, CountersAsk, CpuTimes, Root};
use fullwire_store::Store;
use jiff::Timestamp;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

/// Threads of the busiest processes that a window keeps.
const THREADS_KEPT: usize = 16;

/// A run in the making, and the host that it observes.
pub(crate) struct Session {
    /// What will be judged and kept.
    pub(crate) run: Run,
    root: Root,
}

impl Session {
    /// Begins a run on the live host.
    pub(crate) fn live(command: &str, keep: &KeepArgs) -> Result<Self> {
        let root = Root::live().context("open this host's /proc and /sys")?;
        Ok(Self { run: new_run(command, keep), root })
    }

    /// Begins a run on another root.
    pub(crate) fn on(root: Root, command: &str, keep: &KeepArgs) -> Self {
        Self { run: new_run(command, keep), root }
    }

    /// Reads the host's settings and topology.
    pub(crate) fn observe(&mut self, peers: &[IpAddr]) {
        self.run.host = self.host(peers);
        self.run.gaps.append(&mut self.run.host.gaps);
    }

    /// The host's settings and topology as they are now.
    pub(crate) fn host(&self, peers: &[IpAddr]) -> Host {
        fullwire_observe::host(&self.root, &Ask { peers: peers.to_vec() })
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

    /// The databases' control groups are watched beside our own.
    fn counters_ask(&self) -> CountersAsk {
        let databases = self.run.host.databases.iter().map(|database| database.cgroup.clone());
        CountersAsk { cgroups: databases.filter(|path| !path.is_empty()).collect(), ..CountersAsk::default() }
    }

    /// Watches the host without load of ours.
    pub(crate) fn idle(&mut self, length: Duration) {
        let busy_since = Some(CpuTimes::read(&self.root));
        let from = self.counters();
        std::thread::sleep(length);
        let ask = CountersAsk { threads: THREADS_KEPT, busy_since, ..self.counters_ask() };
        let to = fullwire_observe::counters(&self.root, &ask);
        self.keep_window(Window { kind: WindowKind::Idle, from, to, ..Window::default() });
    }

    /// Looks once: a window of no length, which tells levels (what is in use now) and no rates.
    pub(crate) fn glance(&mut self) {
        let now = self.counters();
        self.keep_window(Window { kind: WindowKind::Idle, from: now.clone(), to: now, ..Window::default() });
    }

    /// Does this with the host's counters read before and after.
    pub(crate) fn watched<T>(&mut self, kind: WindowKind, subject: &str, work: impl FnOnce() -> T) -> T {
        let from = self.counters();
        let outcome = work();
        self.add_window(kind, subject, from);
        outcome
    }

    /// Ends a window that began with these counters.
    pub(crate) fn add_window(&mut self, kind: WindowKind, subject: &str, from: Counters) {
        let to = self.counters();
        self.keep_window(Window { kind, subject: subject.to_owned(), from, to });
    }

    /// Keeps a window; what a reading could not read is said once, for the run.
    pub(crate) fn keep_window(&mut self, mut window: Window) {
        window.to.gaps.clear();
        for gap in std::mem::take(&mut window.from.gaps) {
            if !self.run.gaps.contains(&gap) {
                self.run.gaps.push(gap);
            }
        }
        self.run.windows.push(window);
    }

    /// The window that a capture holds, where it does.
    pub(crate) fn captured_window(&mut self) {
        if let Some(window) = self.root.window() {
            self.keep_window(window);
        }
    }

    /// Records what could not be measured.
    pub(crate) fn gap(&mut self, subject: &str, reason: GapReason, detail: impl Into<String>) {
        self.run.gaps.push(Gap::new(subject, reason, detail));
    }

    /// Sets what the judgement leaves out.
    pub(crate) fn judge_by(&mut self, judge: &JudgeArgs, only: &[Layer]) -> Result<()> {
        self.run.command.ignored = ignored(judge)?;
        self.run.command.only = only.to_vec();
        Ok(())
    }

    /// Ends the run: judged, and kept unless told otherwise.
    pub(crate) fn finish(mut self, keep: &KeepArgs) -> Result<(Run, Assessment)> {
        self.run.finished = Timestamp::now();
        let assessment = fullwire_rules::assess(&self.run);
        if !keep.no_store {
            open_store(keep.store.as_deref())?
                .keep(&self.run)
                .context("keep the run (--no-store keeps nothing)")?;
        }
        Ok((self.run, assessment))
    }
}

/// The store that was asked for, or the user's.
pub(crate) fn open_store(path: Option<&Path>) -> Result<Store> {
    let path = match path {
        Some(path) => path.to_owned(),
        None => fullwire_store::default_path(),
    };
    Store::open(&path).with_context(|| format!("open the store {}", path.display()))
}

fn new_run(command: &str, keep: &KeepArgs) -> Run {
    let started = Timestamp::now();
    Run {
        schema: RUN_SCHEMA.to_owned(),
        run_id: run_id(started),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        started,
        command: Command { name: command.to_owned(), arguments: public_arguments(), ..Command::default() },
        tag: keep.tag.clone(),
        ..Run::default()
    }
}

/// Sortable by time and short enough to type: milliseconds since 1970 in base 32, nine characters until 2084.
fn run_id(started: Timestamp) -> String {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let milliseconds = started.as_millisecond().max(0);
    let digit = |place: u32| usize::try_from(milliseconds >> (place * 5) & 31).unwrap_or(0);
    (0..9).rev().map(|place| char::from(DIGITS[digit(place)])).collect()
}

/// The arguments as given, keys and passwords left out.
fn public_arguments() -> Vec<String> {
    let mut public = Vec::new();
    let mut hide_next = false;
    for argument in std::env::args().skip(1) {
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

/// Codes of `--ignore` and of the waiver file, each a rule that there is.
fn ignored(judge: &JudgeArgs) -> Result<Vec<String>> {
    let mut codes = judge.ignore.clone();
    if let Some(path) = &judge.waivers {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("read the waivers {}", path.display()))?;
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
    fn run_ids_sort_by_time() {
        let ids: Vec<String> = [0, 1, 31, 32, 1_763_650_000_000]
            .map(|ms| run_id(Timestamp::from_millisecond(ms).unwrap()))
            .into();
        assert!(ids.is_sorted());
        assert_eq!(ids[3], "000000010");
    }
}
