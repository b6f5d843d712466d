//! Which finding of a log brought the others about: a link falls, the session over it breaks, its disk is given up, tasks and
//! the database wait. The first in time of the lowest layer is the cause.

use super::{Known, file, fires, severity};
use crate::prelude::*;
use fullwire_model::LoggedLine;
use std::collections::BTreeSet;

/// What follows within this time may follow from it, s: the longest of the kernel's own waits are iSCSI's
/// `replacement_timeout` (120 s) and a few rounds of SCSI's error handling (own choice).
const SPAN_S: f64 = 900.0;

/// A cause and its effects, by their places among the findings.
pub(super) struct Chain {
    pub(super) cause: usize,
    pub(super) effects: Vec<usize>,
    worst: Severity,
    names: BTreeSet<String>,
}

/// Who stands on whom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Link,
    Session,
    Device,
    Mirror,
    Task,
    Database,
}

fn level(known: &Known) -> Option<Level> {
    let (entry, subject, _) = known;
    match (subject.kind, entry.layer) {
        _ if entry.says.contains("{task}") => Some(Level::Task),
        _ if entry.name == "fc-link" => Some(Level::Link),
        (Kind::Nic | Kind::Bond, _) => Some(Level::Link),
        // What the network's layer says of no interface is of a server or a node.
        (Kind::IscsiSession | Kind::RemotePort, _) | (_, Some(Layer::Network)) => Some(Level::Session),
        (_, Some(Layer::Database)) => Some(Level::Database),
        (_, Some(Layer::Storage)) if holds(known, &MIRRORS) => Some(Level::Mirror),
        (_, Some(Layer::Storage) | None) => Some(Level::Device),
        _ => None,
    }
}

/// The chain of these findings; `None`: each stands for itself.
pub(super) fn chain(found: &[Known], logged: &[LoggedLine]) -> Option<Chain> {
    let place = |known: &Known| logged.iter().position(|line| line == known.2[0]);
    let bad = |known: &Known| severity(known) >= Severity::Warning;
    let lost = |known: &Known| {
        let level = level(known);
        holds(known, &LOSSES) && level.is_some_and(|level| level <= Level::Device)
            || known.0.name == "medium" && level == Some(Level::Device)
    };
    // A link that comes back at once is a note, but for what it brings about.
    let counts = |known: &Known| bad(known) || level(known) == Some(Level::Link);
    let causes = (0..found.len()).filter(|cause| counts(&found[*cause]) && lost(&found[*cause]));
    let cause = causes.min_by_key(|cause| (level(&found[*cause]), place(&found[*cause])))?;
    let first = &found[cause];
    let follows = |other: &Known| {
        level(other) > level(first)
            && level(other).is_some()
            && file(&other.2[0].source) == file(&first.2[0].source)
            && (place(other) > place(first) || holds(first, &LATE))
            && is_soon(&first.2[0].first, &other.2[0].first, if holds(first, &LATE) { LATE_S } else { 0.0 })
            && !holds(other, &OF_THEIR_OWN)
            // What a database says after a slow request may have a cause of its own; a task that hangs waits for the device, and
            // a mirror tells of its member.
            && (level(first) < Some(Level::Device) || level(other) < Some(Level::Database))
    };
    let effects: Vec<usize> =
        (0..found.len()).filter(|other| bad(&found[*other]) && follows(&found[*other])).collect();
    let worst = effects.iter().map(|effect| severity(&found[*effect])).max()?.max(severity(first));
    let named = effects.iter().map(|effect| &found[*effect].1);
    let named = named.filter(|other| other.kind != Kind::File && **other != first.1);
    let names: BTreeSet<String> = named.map(ToString::to_string).collect();
    (!effects.is_empty()).then_some(Chain { cause, effects, worst, names })
}

impl Chain {
    /// The cause, as bad as what it brought about.
    pub(super) fn first(&self, run: &Facts, known: &Known) -> Finding {
        let mut finding = fires(run, known).severity(self.worst);
        let then = if self.names.is_empty() {
            "; what follows in the log comes of it".to_owned()
        } else {
            format!("; {} failed with it", facts::listed(&Vec::from_iter(self.names.clone())))
        };
        finding.message.push_str(&then);
        finding
    }
}

/// A link or what goes over it was lost for a while.
const LOSSES: [&str; 14] = [
    " down", "hang", "hung", "timed out", "timeout", "lost", "not respond", "no carrier",
    "without any active", "conn error", "removing rport", "did not arrive", "networkfailure",
    "not coming back",
];

/// What has copies of the data says so of itself.
const MIRRORS: [&str; 2] = ["drbd", "md/raid"];

/// The kernel sees a queue that hangs only after some seconds (`watchdog_timeo`, 5 s, of `net/sched/sch_generic.c`).
const LATE: [&str; 2] = ["transmit queue", "unit hang"];
const LATE_S: f64 = 15.0;

/// What no lost link brings about: the medium, memory, damage, and disks that hang on no network.
const OF_THEIR_OWN: [&str; 12] = [
    "medium", "sense key", "smart", "uncorrect", "corrupt", "checksum", "memory", "temperature", "ata",
    "mpt2sas", "mpt3sas", "megaraid",
];

fn holds(known: &Known, words: &[&str]) -> bool {
    let line = known.2[0].text.to_lowercase();
    words.iter().any(|word| match word.len() {
        // A name of a driver or of a port begins a word.
        0..=4 => line.split(|c: char| c.is_whitespace() || c == '[').any(|part| part.starts_with(word)),
        _ => line.contains(word),
    })
}

/// The second stamp is at most so much after the first; stamps that cannot be read leave the order of the lines.
fn is_soon(first: &str, then: &str, late_s: f64) -> bool {
    const DAY_S: f64 = 86_400.0;
    let Some((from, to)) = clock_s(first).zip(clock_s(then)) else { return true };
    let is_clock = first.contains(':');
    let passed = to - from + late_s;
    (0.0..=SPAN_S).contains(&if is_clock { passed.rem_euclid(DAY_S) } else { passed })
}

/// The time of day, or since the kernel's start, s.
fn clock_s(stamp: &str) -> Option<f64> {
    let clock = stamp.split([' ', 'T', '+', 'Z', ',']).find(|word| word.matches(':').count() == 2);
    match clock {
        Some(clock) => {
            let parts: Vec<f64> = clock.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
            Some(parts.iter().fold(0.0, |sum, part| sum * 60.0 + part))
        }
        None => stamp.parse().ok(),
    }
}
