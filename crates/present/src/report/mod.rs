//! A run and its assessment, folded once into what every drawing needs: sections, tables, charts as data.

mod chart;
mod demand;
mod facts;
mod imported;
mod ladder;
mod results;
mod threads;
mod topology;
mod trend;

pub use chart::{Axis, Chart, Scale, Series, SeriesKind};
pub use facts::{Fact, FactGroup};
pub use ladder::{Ladder, PathSection, Rung};
pub use results::{Cell, Table};
pub use topology::{Node, NodeKind};

use crate::format;
use fullwire_model::assessment::{
    Assessment, Bottleneck, Finding, Layer, PathAssessment, PathKind, Severity, Unknown, Verdict,
};
use fullwire_model::demand::Demand;
use fullwire_model::quantity::Unit;
use fullwire_model::{Gap, Run};
use jiff::Timestamp;

/// All that is shown of a run.
#[derive(Debug, Clone)]
pub struct Report<'a> {
    /// What was run, where and when.
    pub title: Title<'a>,
    /// The worst verdict of the paths.
    pub verdict: Verdict,
    /// The verdict and its reason in one or two sentences.
    pub headline: Vec<String>,
    /// What limits the path that falls furthest short.
    pub bottleneck: &'a Bottleneck,
    /// Each path with its ladder and results.
    pub paths: Vec<PathSection<'a>>,
    /// Path-MTU results.
    pub mtu: Vec<Table>,
    /// What the database needs.
    pub demand: Vec<Table>,
    /// Worst first.
    pub findings: &'a [Finding],
    /// From mounts and peers down to the links, findings hung on their nodes.
    pub topology: Vec<Node<'a>>,
    /// The threads that used most CPU or wait for a device, where a span was watched.
    pub threads: Option<Table>,
    /// What the host is.
    pub facts: Vec<FactGroup>,
    /// Rules that could not be decided.
    pub unknowns: &'a [Unknown],
    /// Rules that applied and found nothing.
    pub passed: &'a [String],
    /// What could not be read or measured.
    pub gaps: Vec<Gap>,
    /// Curves of all paths.
    pub charts: Vec<Chart>,
}

/// What was run, where and when.
#[derive(Debug, Clone)]
pub struct Title<'a> {
    /// `assess`, `net`, ...
    pub command: &'a str,
    /// The host.
    pub host: &'a str,
    /// When it began.
    pub started: Timestamp,
    /// How long it took, s.
    pub duration_s: f64,
    /// The run's name in the store.
    pub run_id: &'a str,
    /// The user's label.
    pub tag: Option<&'a str>,
    /// The version that made it.
    pub tool_version: &'a str,
}

impl<'a> Report<'a> {
    /// Folds.
    pub fn new(run: &'a Run, assessment: &'a Assessment) -> Self {
        Self {
            title: title(run),
            verdict: assessment.verdict,
            headline: headline(run, assessment),
            bottleneck: &assessment.bottleneck,
            paths: ladder::sections(run, assessment),
            mtu: run.mtu.iter().map(results::mtu).collect(),
            demand: demand::tables(run).into_iter().chain(imported::tables(run)).collect(),
            findings: &assessment.findings,
            topology: topology::topology(run, &assessment.findings),
            threads: threads::threads(run),
            facts: facts::facts(&run.host),
            unknowns: &assessment.unknowns,
            passed: &assessment.passed,
            gaps: crate::gaps(run),
            charts: chart::charts(run, assessment),
        }
    }

    /// How many findings there are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

fn title(run: &Run) -> Title<'_> {
    Title {
        command: &run.command.name,
        host: &run.host.hostname,
        started: run.started,
        duration_s: run.finished.duration_since(run.started).as_secs_f64().max(0.0),
        run_id: &run.run_id,
        tag: run.tag.as_deref(),
        tool_version: &run.tool_version,
    }
}

/// What falls furthest short, by how much, and what holds it.
fn headline(run: &Run, assessment: &Assessment) -> Vec<String> {
    let bottleneck = &assessment.bottleneck;
    let worst = assessment
        .paths
        .iter()
        .find(|path| path.bottleneck == *bottleneck && path.verdict == assessment.verdict)
        .or_else(|| assessment.paths.iter().find(|path| path.verdict == assessment.verdict));
    let mut sentences = Vec::new();
    if let Some(path) = worst {
        sentences.push(reach(path, ladder::is_loopback(run, &path.subject)));
    }
    sentences.extend(held_by(assessment));
    if assessment.paths.is_empty() {
        sentences.extend(run.demand.as_ref().and_then(needed));
    }
    sentences
}

fn reach(path: &PathAssessment, loopback: bool) -> String {
    let name = if path.measurement.is_empty() {
        path.subject.clone()
    } else {
        format!("{} ({})", path.subject, path.measurement)
    };
    let own = if loopback { ", this host's own ceiling and no wire" } else { "" };
    let told = |number: f64| match (path.kind, path.unit) {
        (PathKind::Network, Unit::BytesPerS) => {
            format!("{} ({})", format::rate(number), format::bit_rate(number))
        }
        _ => format::value(number, path.unit),
    };
    match (path.measured, path.ceiling) {
        (Some(measured), Some(ceiling)) if ceiling > 0.0 => format!(
            "{name} reaches {} of {}, {} of its ceiling{own}.",
            told(measured),
            told(ceiling),
            format::percent(measured / ceiling)
        ),
        (Some(measured), _) => {
            format!(
                "{name} reaches {}{own}; no ceiling is known that it could be held against.",
                told(measured)
            )
        }
        (None, _) => format!("{name} could not be measured; the gaps say why."),
    }
}

/// What a path to be must carry.
fn needed(demand: &Demand) -> Option<String> {
    let both = |rate: f64| format!("{} ({})", format::rate(rate), format::bit_rate(rate));
    let required = both(demand.redo_required_bytes_per_s?);
    let peak = demand.redo_peak_bytes_per_s.map(|peak| format!("; redo peaks at {}", both(peak)));
    Some(format!("A path for the redo must carry {required}{}.", peak.unwrap_or_default()))
}

fn held_by(assessment: &Assessment) -> Option<String> {
    let Bottleneck { layer, code, subject, explained } = &assessment.bottleneck;
    if code.is_empty() {
        return None;
    }
    let subject = if subject.is_empty() { String::new() } else { format!(" at {subject}") };
    Some(match (layer, explained) {
        (_, false) if *layer == Layer::None => {
            "Nothing that was looked at explains the rest; the findings list what was excluded.".to_owned()
        }
        (_, true) => format!("Held back in the {} layer: {code}{subject}.", layer_name(*layer)),
        (_, false) => format!("Nearest limit in the {} layer: {code}{subject}.", layer_name(*layer)),
    })
}

/// A layer as it is called in a sentence.
pub fn layer_name(layer: Layer) -> &'static str {
    match layer {
        Layer::Network => "network",
        Layer::Storage => "storage",
        Layer::Host => "host",
        Layer::Database => "database",
        Layer::None => "no",
    }
}

/// A verdict as the documents write it.
pub fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::FullWire => "full-wire",
        Verdict::Good => "good",
        Verdict::Poor => "poor",
        Verdict::Unknown => "unknown",
    }
}

/// A severity as the documents write it.
pub fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "critical",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}
