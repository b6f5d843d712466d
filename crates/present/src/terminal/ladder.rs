//! Paths as ladders: each ceiling with its bar, the measured figure among them.

use super::text::{Line, Role, Text, cut, width};
use super::{head, table, verdict_role};
use crate::format;
use crate::report::{Ladder, PathSection, Report, Rung, path_word};
use fullwire_model::assessment::PathKind;
use fullwire_model::quantity::Unit;

/// Where the columns of a ladder begin or end.
struct Columns {
    subject: usize,
    value_end: usize,
    /// Bits next to bytes; `None`: there is no room.
    bits_end: Option<usize>,
    /// Columns of a full bar.
    bar: usize,
}

impl Columns {
    /// Names take a part of what a wide terminal has more; a narrow one has no bits, and a short bar.
    fn now() -> Self {
        let width = width();
        let (subject, value_end, bits_end) = match width {
            80.. => {
                let more = (width - 80) * 2 / 3;
                (22 + more.min(12), 46 + more.min(50), Some(59 + more.min(50)))
            }
            62.. => (22, 46, None),
            _ => (16, 34, None),
        };
        let begin = bits_end.unwrap_or(value_end);
        Self { subject, value_end, bits_end, bar: width.saturating_sub(begin + 3).max(1) }
    }
}

/// Every path: its ladder, then its results; layers only where nothing else says what happened.
pub(super) fn paths(report: &Report<'_>) -> Text {
    draw(report, false)
}

/// From here on a share of a ceiling is said in times (own choice).
const MANY: f64 = 10.0;

/// Every path with the layers under each step.
pub(super) fn paths_with_layers(report: &Report<'_>) -> Text {
    draw(report, true)
}

fn draw(report: &Report<'_>, layers: bool) -> Text {
    let mut text = Text::new();
    let real = report.paths.iter().any(|path| !path.loopback);
    for path in &report.paths {
        if !path.ladders.is_empty() {
            text.push(path_head(path));
        }
        // Next to a real path loopback is a few numbers: nobody asked what limits it.
        let beside = path.loopback && real;
        // What limits two paths is said once.
        let said = |sentence: &&String| report.headline.contains(sentence);
        let first = path.explanation.first().is_some_and(|sentence| report.is_brief() && said(&sentence));
        for sentence in path.explanation.iter().filter(|one| !(beside || first && said(one))) {
            text.wrap(Line::new().plain("  "), Role::Plain, sentence);
        }
        let drawn = path.ladders.iter().filter(|ladder| ladder.judged || path.ladders.len() == 1);
        for ladder in drawn.filter(|_| !beside) {
            text.append(draw_ladder(ladder, report.is_brief()));
            text.append(notes(ladder, report.is_brief()));
        }
        if !report.is_brief() {
            text.append(characteristic(path));
        }
        let tables = path.tables.iter().filter(|table| layers || !table.title.starts_with("Layers"));
        // Where several questions were asked the answers have the figures.
        for (position, drawn) in tables.filter(|_| !report.is_brief()).enumerate() {
            if position > 0 || !path.ladders.is_empty() {
                text.gap();
            }
            text.append(table::table(drawn));
        }
        for line in path.bonnie.iter().flat_map(|table| table.lines()) {
            text.push(Line::new().plain(line));
        }
        let is_told = |caveat: &&&str| report.answer.iter().any(|answer| answer.contains(**caveat));
        for caveat in path.caveats.iter().filter(|caveat| !is_told(caveat)) {
            text.wrap(Line::new().add(Role::Warn, "  note  "), Role::Plain, caveat);
        }
        text.gap();
    }
    text
}

fn characteristic(path: &PathSection<'_>) -> Text {
    let mut text = Text::new();
    for line in &path.characteristic {
        text.wrap(Line::new().plain("  "), Role::Dim, line);
    }
    text
}

/// What a short report leaves out of its paths.
pub(super) fn left_out(report: &Report<'_>) -> Text {
    let mut text = Text::new();
    for path in report.paths.iter().filter(|_| report.is_brief()) {
        text.push(path_head(path));
        text.append(characteristic(path));
        path.tables.iter().for_each(|drawn| text.append(table::table(drawn)));
        text.gap();
    }
    text
}

fn path_head(path: &PathSection<'_>) -> Line {
    let kind = match path.kind {
        PathKind::Network => "Network",
        PathKind::Storage => "Storage",
    };
    let verdict = path_word(path);
    let own = if path.loopback { "  this host's own ceiling, no network" } else { "" };
    let own = if width() < 80 { "" } else { own };
    let room = width().saturating_sub(kind.len() + own.len() + verdict.len() + 4);
    let line = head(kind).plain("  ").strong(cut(path.target.as_str(), room)).dim(own);
    line.right(width(), verdict_role(path.verdict), verdict)
}

/// The ceilings that are drawn; `brief`: without those beyond the ladder's width that limit nothing.
fn shown<'l, 'a>(ladder: &'l Ladder<'a>, brief: bool) -> impl Iterator<Item = &'l Rung<'a>> {
    ladder.rungs.iter().filter(move |rung| !brief || !rung.beyond || rung.limits || rung.decides)
}

fn draw_ladder(ladder: &Ladder<'_>, brief: bool) -> Text {
    let mut text = Text::new();
    if !ladder.measurement.is_empty() {
        text.push(Line::new().plain("  ").dim(&ladder.measurement));
    }
    let demand_beside = ladder.demand.zip(ladder.measured);
    if let Some((demand, measured)) = demand_beside {
        let role = if measured >= demand { Role::Good } else { Role::Bad };
        let line = label("  ", "demand", "of database", Role::Plain);
        text.push(bar_line(numbers(line, demand, ladder.unit, Role::Plain), ladder.demand_bar, false, role));
    }
    shown(ladder, brief).for_each(|rung| text.push(rung_line(rung)));
    match ladder.measured {
        Some(measured) => {
            let line = Line::new()
                .plain("▸ ")
                .strong("measured")
                .dim(format::noise(ladder.noise))
                .dim(if ladder.passes.is_empty() { String::new() } else { format!(" {}", ladder.passes) })
                .to(Columns::now().subject);
            let of_it = |share: f64| match share {
                // The ceiling's own line says how many times.
                many if many >= MANY => String::new(),
                share => format!("{} of it", format::percent(share)),
            };
            let share = ladder.share.map(of_it);
            let line = line.dim(share.unwrap_or_default());
            text.push(bar_line(
                numbers(line, measured, ladder.unit, Role::Strong),
                ladder.bar,
                false,
                Role::Good,
            ));
        }
        None => text.push(
            Line::new().plain("▸ ").strong("measured").to(Columns::now().subject).add(Role::Warn, "nothing"),
        ),
    }
    text
}

/// How the ceilings that matter follow, and what the marks mean.
fn notes(ladder: &Ladder<'_>, brief: bool) -> Text {
    let mut text = Text::new();
    for rung in ladder.rungs.iter().filter(|rung| !brief && (rung.decides || rung.limits)) {
        let derivation = format::derivation(&rung.ceiling.derivation);
        if !derivation.is_empty() {
            let whole = format!("{} = {derivation}", rung.ceiling.kind);
            text.wrap(Line::new().plain("  "), Role::Dim, &whole);
        }
    }
    if shown(ladder, brief).any(|rung| rung.ceiling.soft && rung.refuted.is_none()) {
        text.push(Line::new().plain("  ").dim("~ estimate; not used for the verdict"));
    }
    let far = match ladder.far {
        1.. if brief => return text,
        0 if ladder.rungs.is_empty() => "no ceiling is known".to_owned(),
        0 => return text,
        1 => "1 ceiling above 1,000 times the figure is not shown (--json has it)".to_owned(),
        far => format!("{far} ceilings above 1,000 times the figure are not shown (--json has them)"),
    };
    text.push(Line::new().plain("  ").dim(far));
    text
}

fn rung_line(rung: &Rung<'_>) -> Line {
    let ceiling = rung.ceiling;
    let role = if rung.limits { Role::Bad } else { Role::Plain };
    let mut line = label(if rung.limits { "! " } else { "  " }, &ceiling.kind, &ceiling.subject, role);
    let value = format::value(rung.value, rung.unit);
    let value = if ceiling.soft { format!("~{value}") } else { value };
    if let Some(times) = rung.refuted {
        let said = format!("{}: measured {} this", rung.exceeded(), format::times(times));
        return line.right(Columns::now().value_end, Role::Dim, &value).right(width(), Role::Warn, &said);
    }
    line = bits(line.right(Columns::now().value_end, role, &value), rung.value, rung.unit);
    let bar_role = if rung.decides { Role::Plain } else { Role::Dim };
    bar_line(line, rung.bar, rung.beyond, if rung.limits { Role::Bad } else { bar_role })
}

fn label(mark: &str, kind: &str, subject: &str, role: Role) -> Line {
    let Columns { subject: begin, value_end, .. } = Columns::now();
    let room = value_end - begin - 12;
    Line::new().add(role, mark).add(role, cut(kind, begin - 3)).to(begin).dim(cut(subject, room))
}

/// The value, and next to a rate of a network its bits.
fn numbers(line: Line, value: f64, unit: Unit, role: Role) -> Line {
    bits(line.right(Columns::now().value_end, role, &format::value(value, unit)), value, unit)
}

fn bits(line: Line, value: f64, unit: Unit) -> Line {
    match (unit, Columns::now().bits_end) {
        (Unit::BytesPerS, Some(end)) => line.right(end, Role::Dim, &format::bit_rate(value)),
        _ => line,
    }
}

fn bar_line(line: Line, share: f64, beyond: bool, role: Role) -> Line {
    let columns = Columns::now().bar;
    let bar = bar(share, columns);
    let line = line.to(width() - columns - 1).add(role, &bar);
    if beyond { line.add(role, "▸") } else { line }
}

/// A bar of eighths of a column.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1,600")]
fn bar(share: f64, columns: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * (columns * 8) as f64).round() as usize;
    let eighths = eighths.max(usize::from(share > 0.0));
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}
