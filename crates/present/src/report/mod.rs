//! A run and its assessment, folded once into what every drawing needs: sections, tables, charts as data.

mod answer;
mod balance;
mod beside;
mod causes;
pub(crate) mod characteristic;
pub(crate) mod chart;
mod comparison;
mod demand;
mod estate;
mod facts;
pub(crate) mod figures;
mod files;
mod headline;
mod heat;
mod imported;
mod ladder;
mod names;
mod overlay;
mod plan;
mod recorded;
mod results;
mod spans;
mod threads;
mod topology;

pub(crate) use answer::{asked, outcome, with_figure};
pub use balance::{Balance, DatabaseBeside};
pub(crate) use beside::name as beside_name;
pub use beside::{Beside, BesideClock, BesideFigure, BesideLine};
pub use chart::{Axis, Chart, Scale, Series, SeriesKind};
pub(crate) use comparison::answers;
pub use comparison::{ComparisonReport, change as change_of, sentence as comparison_sentence};
pub use estate::{bad_paths, estate_hosts, estate_rounds, estate_summary};
pub use facts::{Fact, FactGroup, description};
pub(crate) use files::Files;
pub(crate) use heat::frame;
pub use heat::{Heat, HeatKind, Shade, heats, mesh_answer, mesh_changes_answer, mesh_summary};
pub use ladder::{Ladder, PathSection, Rung};
pub use names::ceiling as ceiling_name;
pub use overlay::overlays;
pub(crate) use plan::{PhaseSteps, cost, phase_name, plans, sentence};
pub use recorded::{Recorded, trouble};
pub use results::{Cell, Table};
pub use topology::{Node, NodeKind};

use fullwire_model::assessment::{Assessment, Finding, Layer, PathKind, Reply, Severity, Unknown, Verdict};
use fullwire_model::mtu::MtuResult;
use fullwire_model::{Gap, Run};
use jiff::Timestamp;

/// All that is shown of a run.
#[derive(Debug, Clone)]
pub struct Report<'a> {
    /// What was run, where and when.
    pub title: Title<'a>,
    /// The worst verdict of the paths.
    pub verdict: Verdict,
    /// What the user asked, answered; empty where the headline is the answer.
    pub answer: Vec<String>,
    /// The result in a word, and the verdict whose colour it has; `None`: the answer says it.
    pub word: Option<(&'static str, Verdict)>,
    /// What the database needs was compared with a path, and is met.
    pub enough: bool,
    /// What was asked of the host has no answer: what could not be read is why.
    pub(crate) is_open: bool,
    /// The verdict and its reason in a few sentences.
    pub headline: Vec<String>,
    /// Each path with its ladder and results.
    pub paths: Vec<PathSection<'a>>,
    /// Path-MTU results.
    pub mtu: Vec<Table>,
    /// Trouble in what was recorded over time.
    pub spans: Option<Table>,
    /// What the database needs.
    pub demand: Vec<Table>,
    /// Worst first.
    pub findings: &'a [Finding],
    /// From mounts and peers down to the links, findings hung on their nodes.
    pub topology: Vec<Node<'a>>,
    /// The threads that used most CPU or wait for a device, where a span was watched.
    pub threads: Option<Table>,
    /// The processes that read and wrote storage in that span.
    pub processes: Option<Table>,
    /// What the host is.
    pub facts: Vec<FactGroup>,
    /// Rules that could not be decided because facts are missing.
    pub unknowns: &'a [Unknown],
    /// Checks passed: rules that applied and found nothing.
    pub passed: &'a [String],
    /// What could not be read or measured.
    pub gaps: Vec<Gap>,
    /// The host was looked at; what was read is no file alone.
    pub(crate) of_host: bool,
    /// What other tools recorded over time is all that there is.
    pub(crate) of_records: bool,
    /// How many of these are of the host alone, after those of what was measured or named.
    pub host_gaps: usize,
    /// Curves of all paths.
    pub charts: Vec<Chart>,
    /// Findings that are the primary cause of a path's figure, as indices.
    limiting: Vec<usize>,
    /// Findings whose figures are those of an answer, as indices.
    answered: Vec<usize>,
    /// Short names of the files that the user named.
    pub(crate) files: Files,
}

/// How much of a finding a terminal draws; `--verbose` draws all of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Evidence and remedy.
    Whole,
    /// Its sentence, the first thing that was seen, and what to do now.
    Brief,
    /// Its sentence.
    Line,
    /// Only that there is one more.
    Counted,
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
        let only = run.command.only.as_slice();
        let is_about = |layers: &[Layer]| only.is_empty() || layers.iter().any(|one| only.contains(one));
        let answer = answer::answer(assessment);
        let mut headline = headline::headline(run, assessment);
        let other = run.mtu.len() + run.reports.len() + run.imported.len();
        if answer.is_empty() && headline.is_empty() && other == 0 {
            headline.push("No path was measured.".to_owned());
        }
        Self {
            title: title(run),
            verdict: assessment.verdict,
            answer,
            word: answer::word(assessment),
            enough: answer::is_enough(assessment),
            is_open: answer::is_open(assessment),
            headline,
            paths: ladder::sections(run, assessment),
            mtu: run.mtu.iter().flat_map(|one| mtu_tables(run, one)).collect(),
            spans: spans::table(&assessment.spans),
            demand: demand::tables(run, &Files::of(run)).into_iter().chain(imported::tables(run)).collect(),
            findings: &assessment.findings,
            topology: topology::topology(run, &assessment.findings),
            threads: threads::threads(run).filter(|_| is_about(&[Layer::Host])),
            processes: threads::processes(run).filter(|_| is_about(&[Layer::Host, Layer::Storage])),
            facts: facts::facts(&run.host, only),
            unknowns: &assessment.unknowns,
            passed: &assessment.passed,
            host_gaps: crate::gaps(run).len() - crate::gaps::asked(run).len(),
            gaps: crate::gaps(run).into_iter().filter(|gap| !answer::tells(assessment, gap)).collect(),
            of_records: !run.imported.is_empty() && assessment.paths.is_empty(),
            of_host: !run.host.hostname.is_empty(),
            charts: chart::charts(run, assessment),
            limiting: causes::limiting(assessment),
            answered: answer::findings(assessment),
            files: Files::of(run),
        }
    }

    /// What a link to a finding points at: a code may be found several times.
    pub fn anchor(&self, finding: &Finding) -> String {
        let before = &self.findings[..self.place(finding)];
        let number = before.iter().filter(|one| one.code == finding.code).count() + 1;
        format!("finding-{}-{number}", finding.code)
    }

    /// Where a finding of this report stands in its list.
    fn place(&self, finding: &Finding) -> usize {
        self.findings.iter().take_while(|one| !std::ptr::eq(*one, finding)).count()
    }

    /// How much of a finding a terminal draws. An audit is read for its warnings, a measurement for what bears on its figures;
    /// what the measured layer warns of is never folded.
    pub fn form(&self, finding: &Finding) -> Form {
        let warns = finding.severity >= Severity::Warning;
        let about = |path: &PathSection<'_>| finding.subject.contains(path.target.as_str());
        let bears = finding.path.is_some()
            || !finding.explains.is_empty()
            || finding.db_time_share.is_some()
            || self.paths.iter().any(about);
        let (network, storage) = match self.title.command {
            "assess" | "redo" => (!self.nets_only_here(), self.has(PathKind::Storage)),
            "net" | "mtu" => (true, false),
            "disk" => (false, true),
            // An audit, a report, a file: it is read for what is wrong.
            _ => return if warns || self.title.command != "check" { Form::Whole } else { Form::Line },
        };
        let measured = match finding.layer {
            Layer::Network => network,
            Layer::Storage => storage,
            _ => false,
        };
        // Enough is enough: what limits the rest is a line.
        let met = self.is_brief() && self.enough;
        match (finding.severity, bears) {
            // No lack of CPU or memory changes the size that passes.
            (_, _) if self.title.command == "mtu" && !measured => {
                if finding.severity == Severity::Critical {
                    Form::Line
                } else {
                    Form::Counted
                }
            }
            // Not about what was measured: said, and not in front of it.
            (Severity::Critical, false) if !measured && self.title.command != "assess" => Form::Line,
            (Severity::Critical, _) => self.at_length(finding),
            (_, true) if warns && !met => self.at_length(finding),
            (_, true) => Form::Line,
            _ if warns && measured => Form::Line,
            _ => Form::Counted,
        }
    }

    /// Where one command answers several questions, what limits a path has its remedy; the rest of what bears on them has a
    /// sentence, and so has the same of another thing.
    fn at_length(&self, finding: &Finding) -> Form {
        let place = self.place(finding);
        let again = self.findings[..place].iter().any(|one| one.code == finding.code);
        let critical = finding.severity == Severity::Critical && !self.is_answered(finding);
        match self.is_brief() {
            false if self.title.command == "mtu" => Form::Brief,
            false => Form::Whole,
            true if !again && (critical || self.limiting.contains(&place)) => Form::Brief,
            true => Form::Line,
        }
    }

    /// An answer has its figures.
    pub(crate) fn is_answered(&self, finding: &Finding) -> bool {
        self.answered.contains(&self.place(finding))
    }

    /// A sentence above the findings is its message.
    pub(crate) fn is_told(&self, finding: &Finding) -> bool {
        let message = finding.message.trim_end_matches('.');
        let of_paths = self.paths.iter().flat_map(|path| &path.explanation);
        self.answer.iter().chain(&self.headline).chain(of_paths).any(|said| said.contains(message))
    }

    /// Several questions were asked at once: what answers them is short, and `--verbose` has the rest.
    pub(crate) fn is_brief(&self) -> bool {
        is_several(self.title.command)
    }

    /// Every network that was measured is this host's own loopback.
    fn nets_only_here(&self) -> bool {
        self.paths.iter().all(|path| path.kind != PathKind::Network || path.loopback)
    }

    fn has(&self, kind: PathKind) -> bool {
        self.paths.iter().any(|path| path.kind == kind)
    }

    /// How many findings there are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// What is known in words, and nothing of what is not.
fn told<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map(show).unwrap_or_default()
}

/// Where several questions were asked at once, a path's MTU is a detail.
fn mtu_tables(run: &Run, result: &MtuResult) -> impl Iterator<Item = Table> {
    let several = is_several(&run.command.name);
    let tables = results::mtu(result).into_iter().filter(|table| !table.rows.is_empty());
    tables.map(move |table| Table { detail: several || table.detail, ..table })
}

/// A command that answers several questions at once.
fn is_several(command: &str) -> bool {
    matches!(command, "assess" | "redo")
}

/// The host; of a report read elsewhere, the one that it is of, or its database.
fn named(run: &Run) -> &str {
    let of_report =
        || run.reports.first().and_then(|report| report.host.as_deref().or(report.db_name.as_deref()));
    let own = Some(run.host.hostname.as_str()).filter(|name| !name.is_empty());
    own.or_else(of_report).unwrap_or_default()
}

fn title(run: &Run) -> Title<'_> {
    Title {
        command: &run.command.name,
        host: named(run),
        started: run.started,
        duration_s: run.finished.duration_since(run.started).as_secs_f64().max(0.0),
        run_id: &run.run_id,
        tag: run.tag.as_deref(),
        tool_version: &run.tool_version,
    }
}

/// The verdict of a path in a word: of one without a figure, or whose test broke, there is none.
pub(crate) fn path_word(path: &PathSection<'_>) -> &'static str {
    let failed = !path.ladders.is_empty() && path.ladders.iter().all(|ladder| ladder.measured.is_none());
    match path.broke {
        _ if failed => "not measured",
        true => Reply::Broken.name(),
        false => path.verdict.name(),
    }
}

/// `1 warning`, `2 warnings`, `2 critical`.
pub(crate) fn severity_count(severity: Severity, count: usize) -> String {
    let plural = if severity == Severity::Warning && count != 1 { "s" } else { "" };
    format!("{count} {}{plural}", severity.name())
}
