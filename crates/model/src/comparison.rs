//! Before and after: what a comparison of runs says (`fullwire.diff/1`, `fullwire.prove/1`).

use crate::assessment::HERE;
use crate::quantity::Unit;
use crate::{MeasurementId, PathName};
use fullwire_record::record;

/// Two sets of runs side by side: the numbers, and what differs in the configuration.
#[record]
pub struct Comparison {
    /// Ids of the runs on the first side (before).
    pub a: Vec<String>,
    /// Ids of the runs on the second side (after).
    pub b: Vec<String>,
    /// What the user called the first side.
    pub a_name: String,
    /// What the user called the second side.
    pub b_name: String,
    /// How the runs were made.
    pub design: Design,
    /// A path that the change cannot touch: what it did meanwhile is taken off the others.
    pub control: Option<PathName>,
    /// The answer of all primary figures: `worse` if one is worse, else `better` if one is better, else the weakest.
    pub answer: Answer,
    /// Why nothing is compared: the first thing in which the two sides ask different questions.
    pub refused: Option<String>,
    /// Targets that are not the same on both sides, and in what they differ.
    pub targets: Vec<TargetPair>,
    /// Every figure that both sides have; the primary ones first.
    pub comparisons: Vec<Compared>,
    /// Runs and figures that are not compared, and why.
    pub left_out: Vec<LeftOut>,
    /// What differs in the configuration, what affects the figures first.
    pub settings: Vec<SettingChange>,
    /// What differs in the state of the host: time since boot, free memory, other load.
    pub conditions: Vec<SettingChange>,
    /// What can be said of the cause.
    pub cause: Option<ComparisonCause>,
    /// What a reader must know before believing the answer.
    pub caveats: Vec<String>,
}

/// Two targets that were asked the same question: two addresses, a LUN and a volume, two file systems.
#[record]
pub struct TargetPair {
    /// The target of the first side.
    pub a: PathName,
    /// The target of the second side.
    pub b: PathName,
    /// In what they differ, as far as it was read: interface, MTU, speed, stack, file system, options.
    pub differences: Vec<TargetDifference>,
}

/// A property in which two targets differ.
#[record(Eq)]
pub struct TargetDifference {
    /// Its name.
    pub name: String,
    /// Of the first target; empty: none, or not read.
    pub a: String,
    /// Of the second target; empty: none, or not read.
    pub b: String,
}

/// How the runs of a comparison were made: it decides how strong a claim may be.
#[record(Default)]
pub enum Design {
    /// All runs of one side, then all of the other: drift and the hour act as well.
    #[default]
    Blocks,
    /// Alternating, A B B A: what drifts cancels out, and each pair is one observation.
    Abba,
}

/// What is said of one figure.
#[record(Default, PartialOrd, Ord)]
pub enum Answer {
    /// The interval excludes no change, in the good direction.
    Better,
    /// No difference larger than delta.
    Same,
    /// The interval holds both no change and a change that matters.
    #[default]
    CannotTell,
    /// The two sides did not measure the same thing.
    NotComparable,
    /// The interval excludes no change, in the bad direction.
    Worse,
}

/// Which direction is good.
#[record(Default)]
pub enum Direction {
    /// Throughput.
    #[default]
    Higher,
    /// Latency, CPU time.
    Lower,
}

/// How an interval was made.
#[record(Default)]
pub enum Method {
    /// Too few observations for any interval.
    #[default]
    None,
    /// Exact distribution of the signed ranks of pairs.
    SignedRank,
    /// Exact distribution of the rank sum of two groups.
    RankSum,
    /// As `rank-sum` on repeats within one run, widened by what differs between runs.
    Repeats,
    /// A few runs against the scatter that is known of runs.
    Prediction,
    /// Resampled blocks of two stretches of a recording.
    BlockBootstrap,
}

/// One figure on both sides.
#[record]
pub struct Compared {
    /// The peer or the storage target.
    pub path: PathName,
    /// The target of the second side, where it is another one.
    pub path_b: Option<PathName>,
    /// What was measured there: `async`, `ora-lgwr sequential write 8k depth 1 O_DSYNC`.
    pub measurement: MeasurementId,
    /// Which figure of it: `throughput`, `p50`, `p99`, `smallest round trip`, `CPU per GB`.
    pub figure: String,
    /// Both, as a reader calls it.
    pub label: String,
    /// The unit of the medians.
    pub unit: Unit,
    /// Which direction is good.
    pub better: Direction,
    /// Before.
    pub a: SideFigure,
    /// After.
    pub b: SideFigure,
    /// True: `change`, `low`, `high` and `delta` are shares of the first side; false: they are in `unit`.
    pub relative: bool,
    /// The estimate (Hodges-Lehmann): 0.05 is 5 % more; `None`: one side has none.
    pub change: Option<f64>,
    /// What the same figure of the control path did; `change` is without it.
    pub control: Option<f64>,
    /// Lower end of the 95 % interval.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub high: Option<f64>,
    /// What is concluded.
    pub answer: Answer,
    /// Better or worse, but by less than `delta`.
    pub less_than_delta: bool,
    /// The smallest difference that matters.
    pub delta: f64,
    /// About this many more pairs (or runs on each side) would settle `delta`; `None`: none are needed, or too many.
    pub pairs_needed: Option<u32>,
    /// The smallest difference that this many observations with this scatter see in 80 % of cases.
    pub detectable: Option<f64>,
    /// How the interval was made.
    pub method: Method,
    /// Two-sided probability of such a difference by chance alone, not yet corrected for the number of figures.
    pub p: Option<f64>,
    /// The one figure of its path that the answer rests on. The others are corrected for their number and explain.
    pub primary: bool,
    /// Why it is undecided or cannot be compared.
    pub why: Option<String>,
}

/// One side of a figure.
#[record]
pub struct SideFigure {
    /// Median of the observations.
    pub median: Option<f64>,
    /// Observations.
    pub n: u32,
    /// Scatter of the observations: their coefficient of variation; `None`: fewer than two.
    pub scatter: Option<f64>,
    /// Lower end of the 95 % interval of the median; `None`: fewer than six observations.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// The observations, in the order in which they were made.
    pub values: Vec<f64>,
}

/// Something that is not compared.
#[record(Eq)]
pub struct LeftOut {
    /// The run's id.
    pub run_id: String,
    /// The path and the measurement.
    pub what: String,
    /// Why.
    pub why: String,
}

/// A field of the configuration that differs.
#[record]
pub struct SettingChange {
    /// What it belongs to: `here`, or the peer's target.
    pub subject: String,
    /// Its name: `net.ipv4.tcp_rmem`, `nics eth0 mtu_bytes`.
    pub field: String,
    /// Before; `None`: it was not there.
    pub a: Option<String>,
    /// After; `None`: it is not there.
    pub b: Option<String>,
    /// Codes of the rules and kinds of the ceilings that come out differently because of it.
    pub codes: Vec<String>,
    /// A rule or a ceiling reads it.
    pub relevant: bool,
    /// It names the host or a part of it (an address, a serial number).
    pub identity: bool,
}

impl SettingChange {
    /// The target of the peer that it belongs to; `None`: this host.
    pub fn peer(&self) -> Option<&str> {
        Some(self.subject.as_str()).filter(|subject| *subject != HERE)
    }

    /// Its name, with the host that it belongs to unless that is this one.
    pub fn name(&self) -> String {
        self.peer().map_or_else(|| self.field.clone(), |peer| format!("{} on {peer}", self.field))
    }
}

/// What can be said of the cause of a change.
#[record(Eq)]
pub struct ComparisonCause {
    /// How strong the claim is.
    pub kind: CauseKind,
    /// One sentence.
    pub text: String,
    /// The fields that it names.
    pub fields: Vec<String>,
}

/// How strong a claim about a cause is.
#[record(Default)]
pub enum CauseKind {
    /// One relevant difference, and an experiment that alternated, or a control path and more than one hour on each side.
    CausedBy,
    /// One relevant difference between two blocks of runs: it changed at the same time.
    GoesWith,
    /// Several relevant differences.
    CannotBeToldApart,
    /// Nothing that is read differs.
    #[default]
    NothingChanged,
}

impl Comparison {
    /// The figures that the answer rests on.
    pub fn primaries(&self) -> impl Iterator<Item = &Compared> {
        self.comparisons.iter().filter(|compared| compared.primary)
    }

    /// A primary figure is worse, and by no less than what matters.
    pub fn is_worse(&self) -> bool {
        self.primaries().any(|compared| compared.answer == Answer::Worse && !compared.less_than_delta)
    }

    /// The two sides were not compared at all.
    pub fn is_refused(&self) -> bool {
        self.refused.is_some() && self.comparisons.is_empty()
    }

    /// Something could not be answered: no primary figure, or one that is undecided or cannot be compared.
    pub fn is_open(&self) -> bool {
        let open =
            |compared: &Compared| matches!(compared.answer, Answer::CannotTell | Answer::NotComparable);
        self.refused.is_some() || self.primaries().next().is_none() || self.primaries().any(open)
    }

    /// Open, and not only because few runs exclude little: what was measured is worse by as much as matters, or there is no figure.
    pub fn may_be_worse(&self) -> bool {
        let leans = |compared: &Compared| match (compared.answer, compared.change) {
            (Answer::CannotTell, Some(change)) => match compared.better {
                Direction::Higher => change <= -compared.delta,
                Direction::Lower => change >= compared.delta,
            },
            (answer, _) => matches!(answer, Answer::CannotTell | Answer::NotComparable),
        };
        self.refused.is_some() || self.primaries().next().is_none() || self.primaries().any(leans)
    }
}

/// A designed experiment: the same measurement with and without one change, in turn.
#[record]
pub struct Proof {
    /// What came of it; the first side is the state without the change.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// The finding whose remedy was tried.
    pub finding: Option<String>,
    /// The command that sets the state without the change.
    pub a_command: String,
    /// What makes the change.
    pub b_command: String,
    /// What the assessment promised of the change; `None`: nothing.
    pub promised: Option<Promise>,
    /// The order of the runs: `ABBAABBA…`.
    pub order: String,
    /// The host is in its original state; `false`: `unrestored` says what is not.
    pub restored: bool,
    /// Settings that differ from what they were before the experiment.
    pub unrestored: Vec<SettingChange>,
    /// Pairs that were not counted because other load differed between their two runs.
    pub disturbed_pairs: u32,
    /// The sentence for the change ticket.
    pub ticket: String,
}

/// What an assessment promised of a change.
#[record(Copy)]
pub struct Promise {
    /// The figure that was to be reached.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
    /// It was reached, as far as the noise allows a conclusion; `None`: not measured in this unit.
    pub kept: Option<bool>,
}
