//! What is concluded from a run: ceilings, findings, the bottleneck and the verdict. Recomputed, never stored.

use crate::quantity::Unit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that the rules say of one run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Assessment {
    /// The worst verdict of all paths.
    pub verdict: Verdict,
    /// What limits the path that falls furthest short of its demand or, without one, of its ceiling.
    pub bottleneck: Bottleneck,
    /// One entry for each peer and each storage target that was measured.
    pub paths: Vec<PathAssessment>,
    /// The most that each layer can carry.
    pub ceilings: Vec<Ceiling>,
    /// What is wrong or worth knowing, worst first.
    pub findings: Vec<Finding>,
    /// Rules that could not be decided, and why.
    pub unknowns: Vec<Unknown>,
    /// Codes of the rules that were applicable and found nothing.
    pub passed: Vec<String>,
}

/// How near a path comes to its ceiling.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// At least 90 % of the ceiling.
    FullWire,
    /// No ceiling can be known, and none was given.
    #[default]
    Unknown,
    /// 70 to 90 %.
    Good,
    /// Less than 70 %.
    Poor,
}

/// A floor of the stack of an I/O path, as broad as the person who must act on it.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
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

/// A measured path beside its ceiling.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PathAssessment {
    /// Network or storage.
    pub kind: PathKind,
    /// The peer or the target.
    pub subject: String,
    /// Which of its measurements stands here: the one that falls furthest short (`async`, `reverse`,
    /// `ora-lgwr sequential write 8k`).
    pub measurement: String,
    /// How near it comes to its ceiling.
    pub verdict: Verdict,
    /// What was measured; `None` when the probe failed (a gap says why).
    pub measured: Option<f64>,
    /// What the database needs here.
    pub demand: Option<f64>,
    /// The lowest ceiling that the verdict rests on: neither soft nor set by something removable.
    pub ceiling: Option<f64>,
    /// The unit of both.
    pub unit: Unit,
    /// What limits it.
    pub bottleneck: Bottleneck,
}

/// The two kinds of I/O path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathKind {
    /// To a peer.
    #[default]
    Network,
    /// To a directory, file or device.
    Storage,
}

/// The most that one layer can carry, with the arithmetic that says so.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Ceiling {
    /// Whose floor it is.
    pub layer: Layer,
    /// What it bounds: the subject of a path in [`Assessment::paths`].
    pub path: String,
    /// The one measurement of that path that it bounds (as in [`PathAssessment::measurement`]); empty: all.
    pub measurement: String,
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
    /// True when a setting or a program sets it, not the wire or the medium (a buffer, a shaper, a queue
    /// depth): reaching it makes it the bottleneck, and never makes a path full wire.
    pub removable: bool,
    /// The arithmetic.
    pub derivation: Derivation,
}

/// A formula and where each of its inputs was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Derivation {
    /// In words of the inputs: `speed × (mtu − 52) ÷ (mtu + 38)`.
    pub formula: String,
    /// Each input.
    pub inputs: Vec<Input>,
}

/// One input of a formula.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// As the formula names it, unit last.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// The file, counter or option that it was read from.
    pub source: String,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Costs performance or safety.
    Warning,
    /// Broken, or about to break the database.
    Critical,
}

/// One thing that is wrong or worth knowing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The rule's stable code.
    pub code: String,
    /// How bad.
    pub severity: Severity,
    /// Whose floor.
    pub layer: Layer,
    /// What it is about: a device, a setting, a peer. A path's subject when it explains that path.
    pub subject: String,
    /// One sentence: what is so, with the number and its limit.
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
    /// True when this explains why a path stays below its ceiling, not merely that something is untidy.
    #[serde(default)]
    pub limits: bool,
    /// What kind of explanation it is: decides between several.
    #[serde(default)]
    pub cause: Cause,
    /// The subject of the one path that it is about; `None`: all paths of its layer, and for the host layer
    /// all paths.
    #[serde(default)]
    pub path: Option<String>,
    /// The one measurement of the path that it is about, as in [`Ceiling::measurement`]; `None`: all.
    #[serde(default)]
    pub measurement: Option<String>,
}

/// What kind of explanation a limiting finding is. Causes come first, what they bring about last: of several
/// findings about one path the first kind names the bottleneck.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// An end lacks CPU or memory, and so drains or fills the path too slowly: every wire symptom follows.
    Starvation,
    /// Something is broken or wired wrong: errors, a black hole, a lost link, a wrong route.
    Fault,
    /// A setting caps it: a shaper, a buffer, a queue depth, an `io.max`.
    #[default]
    Setting,
    /// Something is full: a queue, a link shared with others.
    Saturation,
    /// What the path shows without saying why: loss, reordering, a window that stays shut.
    Symptom,
}

/// A raw value and where it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// As read, with its name.
    pub text: String,
    /// File, counter, probe.
    pub source: String,
}

/// What to do about a finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Advice {
    /// Why it matters.
    pub why: String,
    /// Commands or steps that take effect now.
    pub now: Vec<String>,
    /// What keeps it after a reboot, for this host's distribution.
    pub persist: Vec<String>,
    /// How to take it back.
    pub undo: Vec<String>,
    /// What gain to expect, and how to prove it.
    pub expect: String,
}

/// A rule that could not be decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unknown {
    /// The rule's code.
    pub code: String,
    /// What is missing.
    pub reason: String,
}
