//! The last ten seconds of short steps, looked at as one: a loss of three packets in a hundred is ten packets in ten
//! seconds and shows in no single second of a quiet host.
//!
//! Such a window is bad for some seconds before and after the trouble. Its ends are trimmed with the rule itself: what
//! is left is the shortest part that the rule still calls bad. A rate that is the same in each of them shows in the steps alone.

use super::merge::{Place, Trouble};
use super::{Timed, merge};
use fullwire_model::Span;
use fullwire_model::Window;
use fullwire_model::assessment::Finding;
use std::collections::{BTreeMap, VecDeque};

thresholds! {
    /// So long a stretch is looked at, ns.
    const WIDE_NS: u64 = 10_000_000_000;
    /// Steps as long as this show by themselves what there is, ns.
    const SHORT_NS: u64 = 5_000_000_000;
    /// What is shorter once it is trimmed was a burst; a burst that matters shows in its own seconds, ns.
    const SHORTEST_NS: u64 = 5_000_000_000;
}

/// Says what is wrong in steps in a row.
pub(super) type Findings<'a> = &'a mut dyn FnMut(&[Timed]) -> Vec<Finding>;

/// The last steps, and what is wrong in them.
#[derive(Debug, Default)]
pub(super) struct Sliding {
    steps: VecDeque<Timed>,
    open: BTreeMap<Trouble, Open>,
    ended: Vec<(Span, Finding)>,
}

#[derive(Debug)]
struct Open {
    begin: Timed,
    worst: Finding,
    worst_at: Option<fullwire_model::Moment>,
    windows: u64,
    /// The steps of the last bad window.
    last: Vec<Timed>,
}

impl Sliding {
    /// Takes the next step.
    pub(super) fn add(&mut self, step: &Timed, findings: Findings) {
        if length_ns(&step.window) >= SHORT_NS {
            return;
        }
        self.steps.push_back(step.clone());
        while self.steps.get(1).is_some_and(|second| self.since(second) >= WIDE_NS) {
            self.steps.pop_front();
        }
        if self.steps.front().is_none_or(|first| self.since(first) < WIDE_NS) {
            return;
        }
        let bad = findings(self.steps.make_contiguous());
        let still: Vec<Trouble> = bad.iter().map(Trouble::of).collect();
        let over: Vec<Trouble> =
            self.open.keys().filter(|trouble| !still.contains(trouble)).cloned().collect();
        for trouble in over {
            self.end(&trouble, findings);
        }
        for finding in bad {
            self.take(finding, step, findings);
        }
    }

    fn take(&mut self, finding: Finding, step: &Timed, findings: Findings) {
        let steps: Vec<Timed> = self.steps.iter().cloned().collect();
        if let Some(open) = self.open.get_mut(&Trouble::of(&finding)) {
            open.windows += 1;
            open.last = steps;
            if merge::is_worse(&finding, open.worst.measured) {
                (open.worst, open.worst_at) = (finding, step.to);
            }
            return;
        }
        // The latest beginning from which on it is still bad.
        let first = (0..steps.len()).rev().find(|first| fires(&steps[*first..], &finding, findings));
        let begin = steps[first.unwrap_or(0)].clone();
        let open = Open { begin, worst_at: step.to, worst: finding, windows: 1, last: steps };
        self.open.insert(Trouble::of(&open.worst), open);
    }

    fn end(&mut self, trouble: &Trouble, findings: Findings) {
        let Some(open) = self.open.remove(trouble) else { return };
        // The earliest end up to which it is still bad.
        let steps = &open.last;
        let last = (1..=steps.len()).find(|last| fires(&steps[..*last], &open.worst, findings));
        let end = &steps[last.unwrap_or(steps.len()) - 1];
        let (from_ns, to_ns) = (open.begin.window.from.monotonic_ns, end.window.to.monotonic_ns);
        if to_ns.saturating_sub(from_ns) < SHORTEST_NS {
            return;
        }
        let mut span = Place::of(&open.begin).span(&open.worst);
        span.to = end.to;
        span.last_record = end.record;
        span.windows = open.windows;
        span.bad_s = to_ns.saturating_sub(from_ns) as f64 / 1e9;
        span.worst = open.worst.measured;
        span.worst_at = open.worst_at;
        span.message.clone_from(&open.worst.message);
        span.evidence.clone_from(&open.worst.evidence);
        self.ended.push((span, open.worst));
    }

    /// Nothing goes on across a hole.
    pub(super) fn hole(&mut self, findings: Findings) {
        let all: Vec<Trouble> = self.open.keys().cloned().collect();
        for trouble in all {
            self.end(&trouble, findings);
        }
        self.steps.clear();
    }

    pub(super) fn ended(&mut self) -> Vec<(Span, Finding)> {
        std::mem::take(&mut self.ended)
    }

    /// From the beginning of a step to the end of the last one.
    fn since(&self, step: &Timed) -> u64 {
        let end = self.steps.back().map_or(0, |last| last.window.to.monotonic_ns);
        end.saturating_sub(step.window.from.monotonic_ns)
    }
}

fn length_ns(window: &Window) -> u64 {
    window.to.monotonic_ns.saturating_sub(window.from.monotonic_ns)
}

/// Steps in a row as one window.
pub(super) fn joined(steps: &[Timed]) -> Option<Window> {
    let (first, last) = (steps.first()?, steps.last()?);
    let mut window = first.window.clone();
    window.to.clone_from(&last.window.to);
    window.usual.clone_from(&last.window.usual);
    Some(window)
}

fn fires(steps: &[Timed], wanted: &Finding, findings: Findings) -> bool {
    findings(steps).iter().any(|one| Trouble::of(one) == Trouble::of(wanted))
}
