//! What is concluded from a run: ceilings, findings, the bottleneck and the verdict. Recomputed, never stored.

mod advice;
mod answer;
mod cause;
pub mod characteristic;
mod command;
pub mod experiment;
mod explanation;
mod mechanism;
mod name;
mod span;
pub mod why;

pub use advice::{Advice, Check, HERE, OfDrive, Phase, Risk, Step, StepKind};
pub use answer::{Answer, Reply, UserQuestion};
pub use cause::{After, Amount, Cause, Role};
pub use command::{Argument, Filling, ShellCommand, check_template, quote};
pub use explanation::{Bound, Explanation};
pub use mechanism::Mechanism;
pub use name::{harmless, harmless_lines, is_harmful, is_plain_word, replaced};
pub use span::{Moment, SPANS_SCHEMA, Span};

use crate::characteristic::Characteristic;
use crate::quantity::Unit;
use crate::subject::{Kind, Subject};
use crate::{MeasurementId, PathName};
use fullwire_record::record;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Everything that the rules say of one run.
#[record]
pub struct Assessment {
    /// The worst verdict of all paths.
    pub verdict: Verdict,
    /// What limits the path that falls furthest short of its demand or, without one, of its ceiling.
    pub bottleneck: Bottleneck,
    /// The path that falls furthest short, whose bottleneck this is: an index into `paths`.
    pub shortest: Option<usize>,
    /// The paths that the headline explains, as indices into `paths`: the shortest one, and before it the one that the
    /// verdict is of. They differ where the first is short of a demand and the second of its ceiling.
    pub explained: Vec<usize>,
    /// One entry for each peer and each storage target that was measured.
    pub paths: Vec<PathAssessment>,
    /// The most that each layer can carry.
    pub ceilings: Vec<Ceiling>,
    /// What the user asked, answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// What is wrong or worth knowing, worst first.
    pub findings: Vec<Finding>,
    /// Rules that could not be decided, and why.
    pub unknowns: Vec<Unknown>,
    /// Codes of the rules that were applicable and found nothing.
    pub passed: Vec<String>,
    /// Trouble in what was recorded over time, in the order of its beginnings.
    pub spans: Vec<Span>,
    /// The most conspicuous figures of what other tools recorded, against a bound for that kind of device: sentences, the
    /// worst first. They are no findings: one record, or a mean since boot, is too little for a rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conspicuous: Vec<String>,
    /// The area and metric of the recorded series that these figures are of, the worst first: charts begin with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conspicuous_series: Vec<(String, String)>,
    /// What the databases spent their time on, by their reports: the one with the most load first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub database_time: Vec<DatabaseTime>,
}

/// What a database spent its time on, by one AWR or Statspack report.
#[record]
pub struct DatabaseTime {
    /// The report.
    pub source: String,
    /// The database and the beginning of the interval.
    pub subject: String,
    /// What it waited for most.
    pub class: TimeClass,
    /// Every class with its share, the largest first.
    pub parts: Vec<TimePart>,
    /// What that means, in sentences.
    pub sentences: Vec<String>,
}

/// A class of DB time.
#[record]
pub struct TimePart {
    /// The class.
    pub class: TimeClass,
    /// Its share of DB time, 1 is all.
    pub share: f64,
    /// Its largest event.
    pub event: String,
    /// That event's share of DB time, 1 is all.
    pub event_share: f64,
}

/// What a database's sessions do with their time.
#[record(Default, PartialOrd, Ord, Hash)]
pub enum TimeClass {
    /// Reads and writes of data, temporary and redo files, commits that wait for the log device among them.
    Io,
    /// They compute, or wait in the run queue.
    Cpu,
    /// They wait for locks of other sessions.
    Locks,
    /// They wait for latches, mutexes and blocks in memory.
    Contention,
    /// The resource manager holds them back.
    ResourceManager,
    /// They commit and wait for something other than the log device.
    Commits,
    /// They wait for blocks and locks of other instances.
    Interconnect,
    /// They wait for clients, or for other databases over links.
    Network,
    /// They wait for what the application requests.
    Application,
    /// Any other wait.
    Other,
    /// No class takes 40 %.
    Mixed,
    /// The report does not tell.
    #[default]
    Unknown,
}

/// How near a path comes to its ceiling.
#[record(Default, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// At least 90 % of the ceiling.
    FullWire,
    /// No ceiling can be known, and none was given.
    #[default]
    Unknown,
    /// The load never reached a limit, so the figure says nothing about the path.
    NotDriven,
    /// 70 to 90 %.
    Good,
    /// Less than 70 %.
    Poor,
}

/// A floor of the stack of an I/O path, as broad as the person who must act on it.
#[record(Default, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// NIC, bond, MTU, route, TCP, the wire, the peer's network.
    Network,
    /// File system, LVM, multipath, block queue, link, medium, NFS.
    Storage,
    /// CPU, memory, limits, cgroups, kernel settings of this or the peer's host.
    Host,
    /// The database's own settings.
    Database,
    /// Nothing limits.
    #[default]
    None,
}

/// What limits a path.
#[record]
pub struct Bottleneck {
    /// Whose floor it is.
    pub layer: Layer,
    /// The code of the finding or the kind of the ceiling that names it; empty when there is none.
    pub code: String,
    /// What exactly: a device, a setting, a peer.
    pub subject: String,
    /// True when a ceiling or a counter explains the measurement; false: excluded causes are in the findings.
    pub explained: bool,
}

/// A measured path with its ceiling.
#[record]
pub struct PathAssessment {
    /// Network or storage.
    pub kind: PathKind,
    /// The peer or the target.
    #[serde(rename = "subject")]
    pub target: PathName,
    /// Which of its measurements is here: the one that falls furthest short (`async`, `reverse`,
    /// `ora-lgwr sequential write 8k`).
    pub measurement: MeasurementId,
    /// How near it comes to its ceiling.
    pub verdict: Verdict,
    /// What was measured; `None` when the probe failed (a gap says why).
    pub measured: Option<f64>,
    /// What the database needs here.
    pub demand: Option<f64>,
    /// What the database can have of it, as a share of `demand`: below 1 the path is short. Redo transport has one
    /// connection for each thread, and load that ran next to the probe was served as well.
    pub demand_share: Option<f64>,
    /// The lowest ceiling that the verdict rests on: neither soft nor set by something removable.
    pub ceiling: Option<f64>,
    /// The unit of all three.
    pub unit: Unit,
    /// What earlier runs on this host reached in the same measurement: no ceiling, and no verdict rests on it.
    pub earlier: Option<Earlier>,
    /// What limits it: its primary cause.
    pub bottleneck: Bottleneck,
    /// Every figure of the path, in the order of the run's results and steps.
    pub measurements: Vec<MeasurementAssessment>,
    /// What explains the judged measurement, in order: the primary cause, what contributes, what comes next, and
    /// the effects of these.
    pub causes: Vec<Cause>,
    /// What the path is like by all its figures together.
    pub characteristic: Characteristic,
}

impl PathAssessment {
    /// What is said of one of its measurements.
    pub fn measurement_of(&self, id: &MeasurementId) -> Option<&MeasurementAssessment> {
        self.measurements.iter().find(|one| one.id == *id)
    }

    /// The path of this target, as a ceiling or an answer names it.
    pub fn is_called(&self, target: &PathName) -> bool {
        self.target == *target
    }

    /// What is said of the measurement that is judged.
    pub fn judged(&self) -> Option<&MeasurementAssessment> {
        self.measurement_of(&self.measurement)
    }
}

impl Assessment {
    /// What is said of a target.
    pub fn path_of(&self, kind: PathKind, target: &PathName) -> Option<&PathAssessment> {
        self.paths.iter().find(|path| path.kind == kind && path.is_called(target))
    }

    /// A path is called so, of whatever kind.
    pub fn has_path(&self, target: &PathName) -> bool {
        self.paths.iter().any(|path| path.is_called(target))
    }

    /// The ceilings of a path, each with its index.
    pub fn ceilings_of(&self, path: &PathAssessment) -> impl Iterator<Item = (usize, &Ceiling)> + Clone {
        self.ceilings.iter().enumerate().filter(move |(_, one)| path.is_called(&one.path))
    }
}

/// An earlier figure of the same measurement, reached by two runs at least.
#[record]
pub struct Earlier {
    /// The figure, in the unit of the path.
    pub value: f64,
    /// The run that reached it.
    pub run_id: String,
    /// When that began.
    pub at: Timestamp,
    /// How many earlier runs there are.
    pub runs: u32,
}

/// One figure with its ceiling.
#[record]
pub struct MeasurementAssessment {
    /// Unique within the path, and the same in two runs of one plan.
    pub id: MeasurementId,
    /// What it is called.
    pub label: String,
    /// The figure; of a stream the rate once slow start is over.
    pub value: Option<f64>,
    /// The lower end of its noise; `None`: not known.
    pub low: Option<f64>,
    /// The upper end of its noise; `None`: not known.
    pub high: Option<f64>,
    /// The unit of the figures.
    pub unit: Unit,
    /// The same figure in the other unit that ceilings come in: I/Os next to bytes per second.
    pub also: Option<Amount>,
    /// The lowest ceiling of wire or medium that it can be compared with: an index into [`Assessment::ceilings`].
    pub ceiling: Option<usize>,
    /// The share of that ceiling.
    pub share: Option<f64>,
    /// What the database needs of it.
    pub demand: Option<f64>,
    /// As in [`PathAssessment::demand_share`].
    pub demand_share: Option<f64>,
    /// The load went to its limit: the figure may be compared with the wire.
    pub driven: bool,
    /// Codes of the causes that explain it, the primary one first; without those that come next.
    pub causes: Vec<String>,
    /// The ceiling that its primary cause is or, where that is a finding, the lowest one that acts the same way: an index
    /// into [`Assessment::ceilings`].
    pub limited_by: Option<usize>,
}

impl MeasurementAssessment {
    /// The figure in this unit; `None`: it was not measured in it.
    pub fn value_in(&self, unit: Unit) -> Option<f64> {
        if unit == self.unit {
            return self.value;
        }
        self.also.filter(|amount| amount.unit == unit).map(|amount| amount.value)
    }

    /// How far the figure scatters either way, as a share of it.
    pub fn noise(&self) -> Option<f64> {
        let (value, low, high) = (self.value?, self.low?, self.high?);
        (value > 0.0 && high >= low).then(|| (high - low) / (2.0 * value))
    }
}

/// The two kinds of I/O path.
#[record(Default)]
pub enum PathKind {
    /// To a peer.
    #[default]
    Network,
    /// To a directory, file or device.
    Storage,
}

impl PathKind {
    /// The path of this kind to a peer or target.
    pub fn of(self, target: &PathName) -> Subject {
        match self {
            Self::Network => Kind::Path.named(target),
            Self::Storage => Kind::Target.named(target),
        }
    }
}

/// The most that one layer can carry, with the arithmetic that says so.
#[record]
pub struct Ceiling {
    /// Whose floor it is.
    pub layer: Layer,
    /// What it bounds: a path in [`Assessment::paths`].
    pub path: PathName,
    /// The one measurement of that path that it bounds (as in [`PathAssessment::measurement`]); empty: all.
    pub measurement: MeasurementId,
    /// What sets it: `eth0`, `net.core.rmem_max`, `sda`.
    pub subject: String,
    /// A stable word for the formula: `nic-goodput`, `tcp-window`, `one-cpu`, `declared`, `queue-depth`.
    pub kind: String,
    /// The bound.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
    /// True when the bound is a measured or claimed figure that may be exceeded or may be fiction
    /// (a virtual NIC's speed): it is shown, but no verdict rests on it.
    pub soft: bool,
    /// A measurement exceeds it by more than a tenth, so an input is wrong: it is shown as such and carries no verdict.
    pub refuted: bool,
    /// True when a setting or a program sets it, not the wire or the medium (a buffer, a shaper, a queue
    /// depth): reaching it makes it the bottleneck, and never makes a path full wire.
    pub removable: bool,
    /// True when it bounds what passes and promises nothing (the slot above a medium): a figure below it falls short of
    /// nothing. Once nine tenths of it are reached it is the wire.
    pub bound_only: bool,
    /// How it acts.
    pub mechanism: Mechanism,
    /// The arithmetic.
    pub derivation: Derivation,
}

/// A formula and where each of its inputs was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Derivation {
    /// In words of the inputs: `speed × (mtu − 52) ÷ (mtu + 38)`.
    pub formula: String,
    /// Each input.
    pub inputs: Vec<Input>,
}

/// One input of a formula.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Input {
    /// As the formula names it, unit last.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// The file, counter or option that it was read from.
    pub source: String,
}

/// How bad a finding is.
#[record(PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Costs performance or safety.
    Warning,
    /// Broken, or about to break the database.
    Critical,
}

/// One thing that is wrong or worth knowing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The rule's stable code.
    pub code: String,
    /// How bad.
    pub severity: Severity,
    /// Whose floor.
    pub layer: Layer,
    /// What it is about: a device, a setting, a peer. A path's subject when it explains that path.
    pub subject: String,
    /// The same, to be joined by.
    #[serde(default)]
    pub subject_ref: Subject,
    /// The other devices of the same cause that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// One sentence: what was found, with the number and its limit.
    pub message: String,
    /// The number that fired the rule.
    pub measured: Option<f64>,
    /// What it should have kept to.
    pub limit: Option<f64>,
    /// The unit of both.
    pub unit: Option<Unit>,
    /// Raw values and where they were read.
    pub evidence: Vec<Evidence>,
    /// What to do.
    pub advice: Advice,
    /// The path or the report that it is about; `None`: the host.
    #[serde(default)]
    pub path: Option<PathName>,
    /// The share of DB time that it is about, 1 is all; findings of one severity are ranked by it. `None`: it is not about
    /// a database's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub db_time_share: Option<f64>,
    /// The measurements that it explains, and how; empty: it explains no figure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explains: Vec<Explanation>,
    /// Places of the findings that bring it about, in the list of all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consequence_of: Vec<usize>,
    /// What took its subject away, as its rule sees it; `consequence_of` is found by it.
    #[serde(skip)]
    pub follows: Option<Follows>,
}

/// A finding follows from the loss of something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Follows {
    /// What was lost.
    pub from: Subject,
    /// Where the loss and what it took away were read.
    pub source: String,
    /// It does harm of its own, so that it stays as bad as its rule says.
    pub harms: bool,
}

impl Finding {
    /// What was found, without figures, evidence and advice.
    pub fn new(
        code: &str,
        severity: Severity,
        layer: Layer,
        subject: Subject,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code: code.to_owned(),
            severity,
            layer,
            subject: subject.to_string(),
            subject_ref: subject,
            also: Vec::new(),
            message: message.into(),
            measured: None,
            limit: None,
            unit: None,
            evidence: Vec::new(),
            advice: Advice::default(),
            path: None,
            db_time_share: None,
            explains: Vec::new(),
            consequence_of: Vec::new(),
            follows: None,
        }
    }

    /// All that it is about.
    pub fn subjects(&self) -> impl Iterator<Item = Subject> {
        let also = self.also.iter().map(|name| self.subject_ref.sibling(name));
        std::iter::once(self.subject_ref.clone()).chain(also)
    }
}

/// A raw value and where it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// As read, with its name.
    pub text: String,
    /// File, counter, probe.
    pub source: String,
}

/// A rule that could not be decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unknown {
    /// The rule's code.
    pub code: String,
    /// What is missing.
    pub reason: String,
}
