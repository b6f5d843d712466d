//! Findings worst first, then what passed, what is unknown, and the gaps.

use super::text::{Line, Role, Text, cut, in_line, width};
use super::{INDENT, entry, head, severity};
use crate::format;
use crate::report::{Files, Form, PhaseSteps, Report, plans, sentence};
use fullwire_model::assessment::{Finding, Severity, Step, StepKind, Unknown};
use fullwire_model::{Gap, GapReason, Run};
use std::collections::{BTreeMap, BTreeSet};

/// Names no more subjects of one reason than this on a terminal; the JSON has all.
const MOST_SUBJECTS: usize = 12;

const SEVERITIES: [Severity; 3] = [Severity::Critical, Severity::Warning, Severity::Info];

/// What bears on the question with its evidence and remedy, what is worth a line as one, the rest as a count.
pub(super) fn findings(report: &Report<'_>) -> Text {
    let mut text = Text::new();
    let of = |form: Form| -> Vec<&Finding> {
        report.findings.iter().filter(|finding| report.form(finding) == form).collect()
    };
    let (whole, brief) = (of(Form::Whole), of(Form::Brief));
    let (lines, counted_only) = (of(Form::Line), of(Form::Counted));
    let own: Vec<&Finding> = whole.iter().chain(&brief).chain(&lines).copied().collect();
    if own.is_empty() {
        text.push(head("Findings").add(Role::Good, "  none"));
    } else {
        let counts = head("Findings").dim(format!("  {}", counted(&own)));
        let is_short = lines.len() + brief.len() > 0 && counts.width() + MORE.len() <= width();
        text.push(if is_short { counts.dim(MORE) } else { counts });
    }
    let folded = folded(&whole);
    for finding in whole.iter().filter(|finding| !is_among(&folded, finding)) {
        text.gap();
        text.append(drawn(finding, &report.files, Length::Short));
        text.append(also(finding, &folded));
    }
    for finding in &brief {
        text.gap();
        let length = if report.is_told(finding) { Length::Remedy } else { Length::Brief };
        text.append(drawn(finding, &report.files, length));
    }
    text.append(as_lines(report, &lines));
    if !counted_only.is_empty() {
        if !whole.is_empty() {
            text.gap();
        }
        let whose = if report.of_host { "about this host: fullwire check" } else { "of the reports: -v" };
        let rest = format!("{} {whose}", more(&counted_only));
        text.push(Line::new().dim(rest));
    }
    text.gap();
    text
}

/// Where the rest of a finding is. With `--verbose` it stands below, and the hint goes.
pub const MORE: &str = "; -v shows evidence and remedy";

/// An audit of a host that is in order fits on a screen: so many notes have a line there, and the rest are names.
const MOST_NOTES: usize = 5;

/// One sentence for each code, and the other subjects of which it is true.
fn as_lines(report: &Report<'_>, findings: &[&Finding]) -> Text {
    let mut text = Text::new();
    let mut seen = BTreeSet::new();
    // Beside what limits it, a note is a name, and so is what was said above in short.
    let limits = findings.iter().any(|finding| finding.severity > Severity::Info);
    let is_name = |finding: &Finding| match finding.severity {
        Severity::Info => limits,
        _ => report.is_brief() && report.is_told(finding) && !report.is_answered(finding),
    };
    let (mut named, told): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().partition(|finding| is_name(finding));
    let mut first: Vec<&Finding> =
        told.into_iter().filter(|finding| seen.insert(finding.code.as_str())).collect();
    let of_audit = report.title.command == "check";
    if of_audit {
        named.extend(first.split_off(first.len().min(MOST_NOTES)));
    }
    for finding in first {
        let (role, name) = severity(finding.severity);
        let more = findings.iter().filter(|other| other.code == finding.code).count() - 1;
        let more = if more == 0 { String::new() } else { format!(" (and {more} more)") };
        let begin = Line::new().add(role, name).to(INDENT);
        if of_audit {
            let said = format!("{}: {}", finding.code, first_sentence(&finding.message));
            let room = width().saturating_sub(INDENT + more.len());
            text.push(begin.plain(cut(&said, room)).plain(more));
        } else {
            text.wrap(begin, Role::Plain, &format!("{}: {}{more}", finding.code, in_a_line(report, finding)));
        }
    }
    for of in SEVERITIES {
        let own = named.iter().filter(|finding| finding.severity == of);
        let mut codes: Vec<&str> = own.map(|finding| finding.code.as_str()).collect();
        codes.dedup();
        if !codes.is_empty() {
            let (role, name) = severity(of);
            text.wrap(Line::new().add(role, name).to(INDENT), Role::Plain, &codes.join(", "));
        }
    }
    text
}

/// Its sentence; where an answer is that already, what to do.
fn in_a_line<'a>(report: &Report<'_>, finding: &'a Finding) -> &'a str {
    let last = finding.advice.steps.iter().rfind(|step| step.kind != StepKind::Look && step.run.is_none());
    let text = last.filter(|_| report.is_answered(finding)).map_or(&finding.message, |step| &step.text);
    text.trim_end_matches('.')
}

/// Notes that say of one more subject what a note before them says. A terminal names their subjects below that note:
/// the same advice for each of twenty disks hides what else is there. `--verbose` draws them.
fn folded<'a>(findings: &[&'a Finding]) -> Vec<&'a Finding> {
    let mut seen = BTreeSet::new();
    let notes = findings.iter().copied().filter(|finding| finding.severity == Severity::Info);
    notes.filter(|note| !seen.insert(note.code.as_str())).collect()
}

fn is_among(list: &[&Finding], finding: &Finding) -> bool {
    list.iter().any(|other| std::ptr::eq(*other, finding))
}

/// What [`findings`] does not draw whole.
pub fn shortened<'a>(report: &Report<'a>) -> Vec<&'a Finding> {
    let whole: Vec<&Finding> =
        report.findings.iter().filter(|finding| report.form(finding) == Form::Whole).collect();
    let folded = folded(&whole);
    report.findings.iter().filter(|one| report.form(one) != Form::Whole || is_among(&folded, one)).collect()
}

/// The subjects of which the same is true as of a note.
fn also(note: &Finding, folded: &[&Finding]) -> Text {
    let mut text = Text::new();
    let alike = |other: &&&Finding| note.severity == Severity::Info && other.code == note.code;
    let subjects: Vec<&str> = folded.iter().filter(alike).map(|other| other.subject.as_str()).collect();
    if !subjects.is_empty() {
        text.wrap(field("also"), Role::Plain, &format!("{} (-v shows each)", listed(&subjects)));
    }
    text
}

/// `2 warnings, 5 info`.
fn counted(findings: &[&Finding]) -> String {
    let of = |severity: Severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let named = |severity: Severity| crate::report::severity_count(severity, of(severity));
    SEVERITIES.into_iter().filter(|severity| of(*severity) > 0).map(named).collect::<Vec<_>>().join(", ")
}

/// `6 more findings, 1 of them a warning`.
fn more(findings: &[&Finding]) -> String {
    let warns = findings.iter().filter(|finding| finding.severity > Severity::Info).count();
    match (findings.len(), warns) {
        (1, 0) => "1 more finding".to_owned(),
        (1, _) => "1 more warning".to_owned(),
        (all, 0) => format!("{all} more findings"),
        (all, 1) => format!("{all} more findings, 1 of them a warning,"),
        (all, warns) => format!("{all} more findings, {warns} of them warnings,"),
    }
}

/// One finding: severity and code, the sentence, the evidence, why it matters, the steps and the expected result.
pub fn finding(finding: &Finding) -> Text {
    drawn(finding, &Files::default(), Length::Long)
}

/// How much of a finding is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Length {
    /// All of it.
    Long,
    /// What keeps and takes back a change in a line each: `script` has their commands.
    Short,
    /// The sentence, the first thing that was seen, what to do now, and what keeps it in a line.
    Brief,
    /// The same without the sentence, which stands above already.
    Remedy,
}

fn drawn(finding: &Finding, files: &Files, length: Length) -> Text {
    let (brief, told) = (length >= Length::Brief, length == Length::Remedy);
    let mut text = Text::new();
    let (role, name) = severity(finding.severity);
    let whose = format!("{} · {}", finding.layer.name(), cut(&finding.subject, 32));
    let begin = Line::new().add(role, name).to(INDENT).strong(&finding.code);
    text.push(if begin.width() + whose.len() + 2 > width() {
        begin
    } else {
        begin.right(width(), Role::Dim, &whose)
    });
    if !told {
        text.wrap(Line::new().plain("  "), Role::Plain, &finding.message);
    }
    let shown = match length {
        Length::Remedy => 0,
        // What the sentence says already is not shown again.
        Length::Brief => {
            usize::from(finding.evidence.first().is_some_and(|seen| !finding.message.contains(&seen.text)))
        }
        Length::Long | Length::Short => finding.evidence.len(),
    };
    for (position, evidence) in finding.evidence.iter().take(shown).enumerate() {
        let begin = field(if position == 0 { "seen" } else { "" });
        let source = if evidence.source.is_empty() {
            String::new()
        } else {
            format!("  ({})", files.shorten(&evidence.source))
        };
        text.wrap(begin, Role::Dim, &format!("{}{source}", evidence.text));
    }
    let advice = &finding.advice;
    if !advice.why.is_empty() && !brief {
        text.wrap(field("why"), Role::Plain, &advice.why);
    }
    for plan in plans(advice).iter().filter(|plan| !brief || plan.name != "undo") {
        let short = brief || (length != Length::Long && plan.name != "now");
        text.append(if short { steps_in_line(plan) } else { draw_steps(plan) });
    }
    if !advice.expect.is_empty() && !brief {
        text.wrap(field("expect"), Role::Plain, &advice.expect);
    }
    text
}

/// One group of steps in a line: what they come to, and that their commands are elsewhere.
fn steps_in_line(plan: &PhaseSteps<'_>) -> Text {
    let mut text = Text::new();
    let does: Vec<&&Step> =
        plan.steps.iter().filter(|step| !matches!(step.kind, StepKind::Look | StepKind::Save)).collect();
    let Some(first) = does.first() else { return text };
    // What is done by hand stands nowhere else.
    if does.iter().all(|step| step.run.is_none()) {
        return draw_steps(plan);
    }
    let more = if does.len() > 1 { format!(" and {} more", does.len() - 1) } else { String::new() };
    let on = if first.is_here() { String::new() } else { format!("On {}: ", first.on) };
    let window = if plan.in_window { ", in a maintenance window" } else { "" };
    // `apply` changes this host alone.
    let where_from = if first.is_here() { " (-v, fullwire apply)" } else { " (-v)" };
    let line = field(plan.name);
    // Where there is no ellipsis, three points stand for it.
    let room = width().saturating_sub(line.width() + more.len() + window.len() + where_from.len() + 2);
    let said = format!("{on}{}", first_sentence(&first.text));
    let sentence = cut(&said, room.max(20));
    text.push(line.plain(sentence).plain(more).add(Role::Warn, window).dim(where_from));
    text
}

/// Up to the first full stop, colon or semicolon that ends a part of a sentence.
fn first_sentence(text: &str) -> &str {
    let ends = [". ", ": ", "; "].into_iter().filter_map(|end| text.find(end)).min();
    text[..ends.unwrap_or(text.len())].trim_end_matches('.')
}

/// One group of steps: what it needs before, then what is done, with the command below.
fn draw_steps(plan: &PhaseSteps<'_>) -> Text {
    let mut text = Text::new();
    for (position, step) in plan.steps.iter().enumerate() {
        if position == 0 && plan.in_window {
            text.push(
                Line::new().plain("  ").add(Role::Warn, format!("{}, in a maintenance window", plan.name)),
            );
        }
        let name = if position == 0 && !plan.in_window { plan.name } else { "" };
        text.wrap(field(name), Role::Plain, &sentence(step));
        for condition in step.checks.iter().map(|check| &check.text).chain(&step.needs) {
            text.wrap(Line::new().to(INDENT).dim("if "), Role::Dim, condition);
        }
        if let Some(run) = &step.run {
            // Not wrapped: it is to be copied.
            text.push(Line::new().to(INDENT).add(Role::Code, run));
        }
    }
    text
}

fn field(name: &str) -> Line {
    Line::new().plain("  ").dim(name).to(INDENT)
}

/// More things that one rule could not see than this are counted, not named: a host has hundreds of interfaces.
const MOST_ALIKE: usize = 2;

/// What is missing, and the rules that need it.
pub fn reasons(run: &Run, unknowns: &[Unknown]) -> Text {
    reasons_of(unknowns, &Files::of(run))
}

fn reasons_of(unknowns: &[Unknown], files: &Files) -> Text {
    let mut by_code: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for unknown in unknowns {
        let reasons = by_code.entry(&unknown.code).or_default();
        if !reasons.contains(&unknown.reason.as_str()) {
            reasons.push(&unknown.reason);
        }
    }
    let mut by_reason: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (code, reasons) in by_code {
        let alike = reasons.len().saturating_sub(1);
        let named = if alike > MOST_ALIKE { &reasons[..1] } else { &reasons[..] };
        for reason in named {
            let more = if alike > MOST_ALIKE { format!(", and {alike} similar") } else { String::new() };
            by_reason.entry(format!("{reason}{more}")).or_default().push(code);
        }
    }
    let mut text = Text::new();
    for (reason, codes) in by_reason {
        text.wrap(Line::new().plain("  "), Role::Plain, &files.shorten(&reason));
        text.wrap(Line::new().plain("    "), Role::Dim, &listed(&codes));
    }
    text
}

/// What passed, what is unknown, and every gap.
pub(super) fn rest(report: &Report<'_>) -> Text {
    let mut text = Text::new();
    let (passed, unknown) = (report.passed.len(), report.unknowns.len());
    if passed + unknown > 0 && report.title.command != "check" {
        let unknown = match unknown {
            0 => String::new(),
            1 => "; 1 could not be decided (-v lists it)".to_owned(),
            _ => format!("; {unknown} could not be decided (-v lists them)"),
        };
        text.wrap(head("Checks").plain("  "), Role::Dim, &format!("{passed} passed{unknown}"));
    }
    text.append(gaps(report));
    text.gap();
    text.push(foot(report));
    text
}

fn gaps(report: &Report<'_>) -> Text {
    let mut text = Text::new();
    let of_audit = report.title.command == "check";
    // What could not be read of a host's settings is counted where the question was another one.
    let hidden = if of_audit { 0 } else { report.host_gaps };
    let own = &report.gaps[..report.gaps.len() - hidden];
    let (beside, shown): (Vec<&Gap>, Vec<&Gap>) = own.iter().partition(|gap| is_beside(report, gap));
    if of_audit {
        if !beside.is_empty() {
            let names: Vec<&str> = beside.iter().map(|gap| gap.subject.as_str()).collect();
            text.push(in_line(entry("Gaps"), "not read (-v: why): ", &names, ", "));
        }
        if !shown.is_empty() {
            text.append(gaps_by_reason(report, &shown));
        }
        return text;
    }
    let counted = |count: usize, what: &str| format!("{}{what}", format::counted(count, "thing"));
    if shown.is_empty() {
        let said = match (beside.len(), hidden) {
            (0, 0) => return text,
            (0, _) => counted(hidden, " could not be read of this host: fullwire check"),
            _ => counted(report.gaps.len(), " could not be read (--json lists all)"),
        };
        text.push(head("Gaps").dim(format!("  {said}")));
        text.gap();
        return text;
    }
    text.append(gaps_by_reason(report, &shown));
    for (count, whose) in
        [(beside.len(), " of the reports (--json)"), (hidden, " of this host: fullwire check")]
    {
        if count > 0 {
            text.push(Line::new().to(GAP_INDENT).dim(format!("and {}", counted(count, whose))));
        }
    }
    text.gap();
    text
}

/// What an audit finds missing on this host is named, and what a report does not hold is counted where an answer rests on it.
fn is_beside(report: &Report<'_>, gap: &Gap) -> bool {
    let unsupported = gap.reason == GapReason::Unsupported;
    let absent = gap.reason == GapReason::Absent;
    match report.title.command {
        "check" => !report.is_open && (unsupported || absent),
        "redo" => !report.answer.is_empty() && (unsupported || absent),
        _ => report.is_brief() && !report.answer.is_empty() && unsupported,
    }
}

/// Where the subjects of a gap begin.
const GAP_INDENT: usize = 14;

/// What could not be read or measured, by its reason.
fn gaps_by_reason(report: &Report<'_>, gaps: &[&Gap]) -> Text {
    let mut text = Text::new();
    let count = format::counted(report.gaps.len(), "thing");
    text.push(head("Gaps").dim(format!("  {count} could not be read or measured")));
    let mut groups: BTreeMap<(String, &str), Vec<&str>> = BTreeMap::new();
    for gap in gaps {
        groups.entry((gap.reason.to_string(), gap.obstacle())).or_default().push(&gap.subject);
    }
    for ((reason, detail), subjects) in groups {
        let begin = Line::new().plain("  ").add(Role::Warn, reason).to(GAP_INDENT);
        text.wrap(begin, Role::Plain, &report.files.shorten(&listed(&subjects)));
        if !detail.is_empty() {
            text.wrap(Line::new().to(GAP_INDENT), Role::Dim, &report.files.shorten(detail));
        }
    }
    text
}

/// Those that an audit names only, each with why.
pub(super) fn gaps_in_full(report: &Report<'_>) -> Text {
    let beside: Vec<&Gap> = report.gaps.iter().filter(|gap| is_beside(report, gap)).collect();
    let mut text = if beside.is_empty() { Text::new() } else { gaps_by_reason(report, &beside) };
    text.gap();
    text
}

fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(MOST_SUBJECTS).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_SUBJECTS) {
        0 => shown,
        more => format!("{shown} and {more} more (--json has all)"),
    }
}

fn foot(report: &Report<'_>) -> Line {
    let took = format!("took {}", format::duration(report.title.duration_s));
    let line = Line::new().dim(took);
    match report.title.run_id {
        "" => line,
        run_id => line.dim(format!(" · as a page: fullwire report {run_id} -o report.html")),
    }
}
