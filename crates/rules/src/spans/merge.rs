//! Windows of one trouble merged into spans, with hysteresis: short windows must agree before trouble is shown, and
//! a few good seconds do not end it.

use super::Timed;
use fullwire_model::assessment::{Finding, Severity};
use fullwire_model::subject::Subject;
use fullwire_model::{Moment, Span};
use std::collections::{BTreeMap, VecDeque};

thresholds! {
    /// Good time that does not end a trouble, ns.
    const BRIDGE_NS: u64 = 10_000_000_000;
    /// A window of this length proves a trouble alone; of shorter ones several must.
    const ALONE_NS: u64 = 10_000_000_000;
    /// At most this many of the last windows must agree.
    const AGREE: u64 = 3;
    /// Number of windows considered.
    const OF_LAST: usize = 5;
}

/// Codes of errors that are counted or of things that are broken: one window of any length shows them.
const AT_ONCE: [&str; 17] = [
    "bond-link-failures", "bond-slave-down", "device-io-errors", "device-read-only", "device-suspended",
    "device-timeouts", "fc-port-down", "file-system-frozen", "file-system-read-only", "iscsi-session-lost",
    "md-degraded", "multipath-path-failed", "multipath-path-lost", "nic-link-flaps", "nic-no-carrier",
    "nvme-path-lost", "out-of-memory",
];

/// Where a window lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    from_ns: u64,
    to_ns: u64,
    from: Option<Moment>,
    to: Option<Moment>,
    record: Option<u64>,
}

impl Place {
    pub(super) fn of(timed: &Timed) -> Self {
        let (from_ns, to_ns) = (timed.window.from.monotonic_ns, timed.window.to.monotonic_ns);
        Self { from_ns, to_ns, from: timed.from, to: timed.to, record: timed.record }
    }

    fn length_ns(&self) -> u64 {
        self.to_ns.saturating_sub(self.from_ns)
    }

    /// A span that begins here, with nothing in it yet.
    pub(super) fn span(&self, finding: &Finding) -> Span {
        Span {
            code: finding.code.clone(),
            subject: finding.subject.clone(),
            subject_ref: finding.subject_ref.clone(),
            layer: finding.layer,
            severity: finding.severity,
            from: self.from,
            to: self.to,
            windows: 0,
            bad_s: 0.0,
            worst: None,
            worst_at: None,
            limit: finding.limit,
            unit: finding.unit,
            message: String::new(),
            evidence: Vec::new(),
            host: None,
            source: None,
            first_record: self.record,
            last_record: self.record,
        }
    }
}

/// What is wrong with what: windows that say the same are of one span.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Trouble {
    code: String,
    subject: Subject,
}

impl Trouble {
    pub(super) fn of(finding: &Finding) -> Self {
        Self { code: finding.code.clone(), subject: finding.subject_ref.clone() }
    }
}

#[derive(Debug, Default)]
pub(super) struct Merger {
    /// All windows that there are, where they are fewer than would have to agree: all of them must.
    pub(super) only: Option<u64>,
    open: BTreeMap<Trouble, Open>,
    ended: Vec<(Span, Finding)>,
    /// Ends of the last windows, newest last.
    last: VecDeque<u64>,
}

/// A trouble that may go on.
#[derive(Debug)]
struct Open {
    span: Span,
    /// Of the worst window.
    finding: Finding,
    /// End of the last bad window.
    until_ns: u64,
    /// Ends of the bad windows among the last ones.
    bad: VecDeque<u64>,
    /// It has been bad for long enough to be shown.
    raised: bool,
}

impl Merger {
    pub(super) fn add(&mut self, place: Place, findings: Vec<Finding>) {
        self.last.push_back(place.to_ns);
        if self.last.len() > OF_LAST {
            self.last.pop_front();
        }
        for finding in findings {
            self.take(place, finding);
        }
        self.clear(place);
    }

    fn take(&mut self, place: Place, finding: Finding) {
        let oldest = self.last.front().copied().unwrap_or(0);
        let trouble = Trouble::of(&finding);
        let severity = finding.severity;
        let wait_ns = wait_ns(&finding);
        let at_once = AT_ONCE.contains(&finding.code.as_str());
        let open = self.open.entry(trouble).or_insert_with(|| Open::begin(place, &finding));
        if open.bad.back() != Some(&place.to_ns) {
            open.extend(place);
        }
        open.worsen(place, finding);
        while open.bad.front().is_some_and(|end| *end < oldest) {
            open.bad.pop_front();
        }
        let needed = needed(place.length_ns().max(wait_ns), severity);
        let bad = open.bad.len() as u64;
        if at_once || bad >= needed {
            open.raised = true;
        } else if self.only == Some(bad) {
            // Too little to call it critical.
            open.raised = true;
            open.finding.severity = open.finding.severity.min(Severity::Warning);
            open.span.severity = open.finding.severity;
        }
    }

    /// Ends what has been good for long enough.
    fn clear(&mut self, place: Place) {
        let over: Vec<Trouble> = self
            .open
            .iter()
            .filter(|(_, open)| place.to_ns.saturating_sub(open.until_ns) > bridge(place))
            .map(|(trouble, _)| trouble.clone())
            .collect();
        for trouble in over {
            self.end(&trouble);
        }
    }

    fn end(&mut self, trouble: &Trouble) {
        if let Some(open) = self.open.remove(trouble).filter(|open| open.raised) {
            self.ended.push((open.span, open.finding));
        }
    }

    pub(super) fn hole(&mut self) {
        let all: Vec<Trouble> = self.open.keys().cloned().collect();
        for trouble in all {
            self.end(&trouble);
        }
        self.last.clear();
    }

    pub(super) fn going_on(&self) -> Vec<Span> {
        self.open.values().filter(|open| open.raised).map(|open| open.span.clone()).collect()
    }

    pub(super) fn ended(&mut self) -> Vec<(Span, Finding)> {
        std::mem::take(&mut self.ended)
    }
}

/// Requests that waited for longer than their window are trouble that is as old as they are, ns.
fn wait_ns(finding: &Finding) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a wait")]
    finding.measured.filter(|_| finding.code == "device-wait-long").map_or(0, |ns| ns.max(0.0) as u64)
}

/// Bad windows of this length that must be among the last ones.
fn needed(length_ns: u64, severity: Severity) -> u64 {
    let most = if severity == Severity::Critical { AGREE - 1 } else { AGREE };
    ALONE_NS.div_ceil(length_ns.max(1)).clamp(1, most)
}

/// Windows that are longer than the bridge end a trouble when a single one is good.
fn bridge(place: Place) -> u64 {
    if place.length_ns() >= BRIDGE_NS { place.length_ns() / 2 } else { BRIDGE_NS }
}

impl Open {
    fn begin(place: Place, finding: &Finding) -> Self {
        let span = place.span(finding);
        Self { span, finding: finding.clone(), until_ns: place.from_ns, bad: VecDeque::new(), raised: false }
    }

    fn extend(&mut self, place: Place) {
        // Windows may overlap: only what is new counts.
        let new = place.to_ns.saturating_sub(place.from_ns.max(self.until_ns));
        self.span.bad_s += new as f64 / 1e9;
        self.span.windows += 1;
        self.span.to = place.to.or(self.span.to);
        self.span.last_record = place.record.or(self.span.last_record);
        self.until_ns = self.until_ns.max(place.to_ns);
        self.bad.push_back(place.to_ns);
    }

    /// Keeps what the worst window says.
    fn worsen(&mut self, place: Place, finding: Finding) {
        let first = self.span.message.is_empty();
        self.span.severity = self.span.severity.max(finding.severity);
        if first || is_worse(&finding, self.span.worst) {
            self.span.worst = finding.measured;
            self.span.worst_at = place.to;
            self.span.limit = finding.limit;
            self.span.unit = finding.unit;
            self.span.message.clone_from(&finding.message);
            self.span.evidence.clone_from(&finding.evidence);
            self.finding = finding;
        }
    }
}

/// Spans of one trouble that touch, or that less than the bridge parts, as one: seconds and stretches of seconds may both
/// have found it.
pub(super) fn united(mut spans: Vec<(Span, Finding)>) -> Vec<(Span, Finding)> {
    let at = |moment: Option<Moment>| moment.map(|moment| moment.to_string());
    spans.sort_by(|(one, _), (other, _)| {
        (&one.code, &one.subject_ref, at(one.from)).cmp(&(&other.code, &other.subject_ref, at(other.from)))
    });
    let mut all: Vec<(Span, Finding)> = Vec::new();
    for (span, finding) in spans {
        match all.last_mut() {
            Some((last, worst)) if touches(last, &span) => {
                last.to = later(last.to, span.to);
                last.last_record = last.last_record.max(span.last_record);
                last.windows = last.windows.max(span.windows);
                last.bad_s = last.bad_s.max(span.bad_s);
                if finding.severity >= last.severity && is_worse(&finding, last.worst) {
                    last.worst = span.worst;
                    last.worst_at = span.worst_at;
                    last.limit = span.limit;
                    last.message = span.message;
                    last.evidence = span.evidence;
                    *worst = finding;
                }
                last.severity = last.severity.max(span.severity);
            }
            _ => all.push((span, finding)),
        }
    }
    all
}

fn touches(one: &Span, next: &Span) -> bool {
    let apart = next.from.zip(one.to).and_then(|(from, to)| from.seconds_since(to));
    (&one.code, &one.subject_ref) == (&next.code, &next.subject_ref)
        && apart.is_some_and(|seconds| seconds <= BRIDGE_NS as f64 / 1e9)
}

fn later(one: Option<Moment>, other: Option<Moment>) -> Option<Moment> {
    let other_is_later = other.zip(one).and_then(|(other, one)| other.seconds_since(one));
    if other_is_later.is_some_and(|seconds| seconds > 0.0) { other } else { one }
}

/// Further beyond its limit, on the side on which it is bad.
pub(super) fn is_worse(finding: &Finding, worst: Option<f64>) -> bool {
    let (Some(now), Some(worst)) = (finding.measured, worst) else { return finding.measured.is_some() };
    let low_is_bad = finding.limit.is_some_and(|limit| now < limit);
    if low_is_bad { now < worst } else { now > worst }
}

#[cfg(test)]
mod tests;
