//! A recording judged: each window by the same rules as a live run, neighbouring windows of one trouble merged.
//!
//! A [`Judge`] takes windows in the order of their time. For each it runs the rules of [`shown`] on a run made of
//! that window alone and keeps what is at least a warning. [`Usual`] learns what each device takes for a request
//! when nothing is wrong; feed it first where the whole recording is there, or as time goes by.

mod flat;
mod hidden;
pub(crate) mod imported;
mod merge;
mod shown;
mod sliding;
mod usual;

pub use hidden::may_hide_trouble;
pub use shown::{codes, is_shown};
pub use usual::Usual;

use crate::attribution::effects;
use crate::{Facts, Outcome, Rule};
use fullwire_model::assessment::{Finding, Severity};
use fullwire_model::host::{Host, LogLine};
use fullwire_model::{Command, Moment, Run, Span, Window, WindowKind};
use merge::{Merger, Place};
use sliding::Sliding;
use std::collections::{BTreeMap, BTreeSet};

/// The numbers that decide here.
pub(crate) const SHARED: &[&[crate::Threshold]] = &[
    flat::THRESHOLDS,
    hidden::THRESHOLDS,
    imported::THRESHOLDS,
    imported::alike::THRESHOLDS,
    imported::conspicuous::THRESHOLDS,
    imported::nfs::THRESHOLDS,
    imported::figures::THRESHOLDS,
    imported::places::THRESHOLDS,
    imported::stalls::THRESHOLDS,
    merge::THRESHOLDS,
    sliding::THRESHOLDS,
    usual::THRESHOLDS,
];

/// A window with what its ends are called.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timed {
    /// Counters at both ends; `monotonic_ns` of both is the axis.
    pub window: Window,
    /// Its beginning by the recording's clock; `None`: the recording has no times.
    pub from: Option<Moment>,
    /// Its end.
    pub to: Option<Moment>,
    /// Its number in the recording, from 1, where that has no times.
    pub record: Option<u64>,
}

/// Judges windows as they come.
pub struct Judge {
    run: Run,
    rules: Vec<&'static Rule>,
    merger: Merger,
    /// Of steps: what shows over ten seconds alone.
    sliding: Sliding,
    /// Lines of the kernel's log that were there before.
    old_lines: Option<Vec<LogLine>>,
    /// Codes that had what they need in some window.
    decided: BTreeSet<&'static str>,
    /// Of the others, what was missing.
    undecided: BTreeMap<&'static str, String>,
}

impl Judge {
    /// A judge of this host's windows.
    pub fn new(mut host: Host) -> Self {
        let lines = std::mem::take(&mut host.kernel_log);
        let command = Command { name: "record".into(), ..Command::default() };
        let run = Run { host, command, windows: vec![Window::default()], ..Run::default() };
        Self {
            run,
            rules: shown::rules().collect(),
            merger: Merger::default(),
            sliding: Sliding::default(),
            old_lines: (!lines.is_empty()).then_some(lines),
            decided: BTreeSet::new(),
            undecided: BTreeMap::new(),
        }
    }

    /// The host as it is from here on: links, paths, mounts. A line of its kernel's log is news in the next window alone, and
    /// those that were there from the beginning are none: when a path comes back, the line that it failed stays in the log.
    pub fn host(&mut self, mut host: Host) {
        let lines = std::mem::take(&mut host.kernel_log);
        let old = self.old_lines.replace(lines.clone()).unwrap_or_else(|| lines.clone());
        host.kernel_log = lines.into_iter().filter(|line| !old.contains(line)).collect();
        self.run.host = host;
    }

    /// Leaves out what the user does not want to hear of.
    pub fn ignore(&mut self, codes: &[String]) {
        self.rules.retain(|rule| !codes.iter().any(|code| code == rule.code));
    }

    /// Keeps the rules that other tools' files can decide.
    pub(crate) fn of_other_tools(&mut self) {
        self.rules.retain(|rule| shown::recorded_by_others().any(|code| code == rule.code));
    }

    /// There are no more windows than these: too few to agree, they all must.
    pub(crate) fn only(&mut self, windows: usize) {
        self.merger.only = Some(windows as u64);
    }

    /// Judges the next window. Windows may overlap (the last 10 s each second) and must not go back.
    pub fn window(&mut self, timed: &Timed) {
        let findings = self.findings(&timed.window);
        self.merger.add(Place::of(timed), findings);
        self.run.host.kernel_log.clear();
    }

    /// Judges the next step of a recording: where the last one ended this one begins. Of short steps the last ten seconds are
    /// judged as well, for what is too rare to show in one of them.
    pub fn step(&mut self, timed: &Timed) {
        self.window(timed);
        let mut sliding = std::mem::take(&mut self.sliding);
        sliding.add(timed, &mut |steps| self.findings_of_steps(steps));
        self.sliding = sliding;
    }

    /// What the rules say of one window, at least a warning, worst first.
    pub fn findings(&mut self, window: &Window) -> Vec<Finding> {
        let mut window = window.continuous().into_owned();
        window.kind = WindowKind::Recorded;
        self.run.windows[0] = window;
        let facts = Facts::of_recording(&self.run);
        let mut findings: Vec<Finding> = Vec::new();
        for rule in &self.rules {
            for outcome in (rule.check)(&facts) {
                match &outcome {
                    Outcome::Unknown(reason) if !self.undecided.contains_key(rule.code) => {
                        self.undecided.insert(rule.code, reason.clone());
                    }
                    Outcome::Unknown(_) => {}
                    _ => {
                        self.decided.insert(rule.code);
                    }
                }
                if let Outcome::Fires(finding) = outcome {
                    findings.push(*finding);
                }
            }
        }
        effects::of_links(&mut findings);
        findings.retain(|finding| finding.severity > Severity::Info);
        findings.sort_by(|one, other| {
            other
                .severity
                .cmp(&one.severity)
                .then_with(|| one.code.cmp(&other.code))
                .then_with(|| one.subject.cmp(&other.subject))
        });
        findings
    }

    /// What is wrong in steps taken as one window, and what shows in their series alone.
    fn findings_of_steps(&mut self, steps: &[Timed]) -> Vec<Finding> {
        let Some(window) = sliding::joined(steps) else { return Vec::new() };
        let mut findings = self.findings(&window);
        if self.rules.iter().any(|rule| rule.code == flat::CODE) {
            findings.extend(flat::findings(&self.run.host, steps));
        }
        findings
    }

    /// The recording has a hole here (reboot, suspend, the recorder was off): no trouble goes on across it.
    pub fn hole(&mut self) {
        self.merger.hole();
        let mut sliding = std::mem::take(&mut self.sliding);
        sliding.hole(&mut |steps| self.findings_of_steps(steps));
        self.sliding = sliding;
    }

    /// Codes of the rules that had what they need in at least one window so far.
    pub fn decided(&self) -> impl Iterator<Item = &'static str> {
        self.decided.iter().copied()
    }

    /// Codes of the rules that lacked something in every window so far, and what.
    pub(crate) fn undecided(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let never = self.undecided.iter().filter(|(code, _)| !self.decided.contains(*code));
        never.map(|(code, reason)| (*code, reason.as_str()))
    }

    /// Spans that are going on, worst first: what a live screen shows.
    pub fn going_on(&self) -> Vec<Span> {
        sorted_by_severity(self.merger.going_on())
    }

    /// Spans that have ended since the last call, in the order of their ends: a long recording need not keep them.
    pub fn ended(&mut self) -> Vec<Span> {
        self.merger.ended().into_iter().map(|(span, _)| span).collect()
    }

    /// All spans that were not taken yet, in the order of their beginnings.
    pub fn finish(self) -> Vec<Span> {
        let mut spans: Vec<Span> = self.finish_with_findings().into_iter().map(|(span, _)| span).collect();
        sort_by_time(&mut spans);
        spans
    }

    /// All spans that were not taken yet, each with the finding of its worst window and so its advice.
    pub fn finish_with_findings(mut self) -> Vec<(Span, Finding)> {
        self.hole();
        let wide = self.sliding.ended();
        let mut spans = self.merger.ended();
        if wide.is_empty() {
            return spans;
        }
        spans.extend(wide);
        merge::united(spans)
    }
}

/// Judges a recording that is there whole: learns what is usual, then judges.
pub fn spans(host: &Host, windows: &[Timed]) -> Vec<Span> {
    let mut usual = Usual::default();
    for timed in windows {
        usual.learn(&timed.window.continuous());
    }
    let usual = usual.disks();
    let mut judge = Judge::new(host.clone());
    for timed in windows {
        let mut timed = timed.clone();
        timed.window.usual.clone_from(&usual);
        judge.step(&timed);
    }
    judge.finish()
}

/// In the order of their beginnings; of those that begin together the worst first.
pub fn sort_by_time(spans: &mut [Span]) {
    let begin = |span: &Span| (span.from.map(|from| from.to_string()), span.first_record);
    spans.sort_by(|one, other| {
        begin(one)
            .cmp(&begin(other))
            .then_with(|| other.severity.cmp(&one.severity))
            .then_with(|| (&one.code, &one.subject).cmp(&(&other.code, &other.subject)))
    });
}

fn sorted_by_severity(mut spans: Vec<Span>) -> Vec<Span> {
    sort_by_time(&mut spans);
    spans.sort_by_key(|span| std::cmp::Reverse(span.severity));
    spans
}
