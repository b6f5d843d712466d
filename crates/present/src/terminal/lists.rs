//! Kept runs and rules as lists.

use super::table::table;
use super::text::{Line, Role, Text, cut};
use super::{head, severity};
use crate::bars::bar;
use crate::format;
use crate::json::{HistoryLine, RuleCard};
use crate::report::{Table, outcome, severity_count};
use fullwire_model::assessment::{Reply, Severity, UserQuestion, Verdict};
use fullwire_model::comparison::SettingChange;
use fullwire_model::history::{Change, Point, Series};
use std::cmp::Reverse;

/// `history`: newest first.
pub fn history(entries: &[HistoryLine]) -> Text {
    let columns = ["@run", "#began (UTC)", "command", "result", "#figure", "targets", "host", "tag"];
    let mut listed = Table::new("", &columns);
    listed.rows = entries.iter().map(row).collect();
    // One host's runs need not say whose they are.
    if entries.iter().all(|line| line.entry.host == entries[0].entry.host) {
        listed.rows.iter_mut().for_each(|row| row[6].clear());
    }
    let mut text = table(&listed.without_empty_columns());
    if entries.is_empty() {
        text = Text::new();
        text.push(Line::new().dim("no kept run matches; `fullwire assess` keeps one"));
    }
    text
}

fn row(line: &HistoryLine) -> Vec<String> {
    let entry = &line.entry;
    let mark = if entry.baseline { " *" } else { "" };
    vec![
        format!("{}{mark}", entry.run_id),
        entry.started.strftime("%Y-%m-%d %H:%M").to_string(),
        entry.command.clone(),
        found(line),
        figure(line),
        entry.targets.join(" "),
        entry.host.clone(),
        entry.tag.clone().unwrap_or_default(),
    ]
}

/// `38,800 IO/s`, `58 % CPU`.
fn figure(line: &HistoryLine) -> String {
    let figure = line.measured.zip(line.unit).map(|(value, unit)| format::value(value, unit));
    let mut text = figure.unwrap_or_default();
    if !line.of.is_empty() {
        text = format!("{text} {}", line.of);
    }
    text
}

/// What the run was made for: is it enough, is the promise kept, did it break; else the verdict, and where no path was
/// measured, the findings.
fn found(line: &HistoryLine) -> String {
    if let Some(reply) = outcome(&line.answers) {
        return reply.name().replace('-', " ");
    }
    let mtu = line.answers.iter().find(|answer| answer.question == UserQuestion::PathMtu);
    if let Some(bytes) = mtu.and_then(|answer| answer.figure) {
        return format!("MTU {bytes:.0}");
    }
    let has = |reply| line.answers.iter().any(|answer| answer.answer == reply);
    match (line.verdict, line.critical, line.warning) {
        (None, 0, 0) if has(Reply::Healthy) => Reply::Healthy.name().to_owned(),
        (Some(Verdict::Unknown), ..) if has(Reply::Measured) => Reply::Measured.name().to_owned(),
        (Some(verdict), ..) => verdict.name().to_owned(),
        // Nothing was found, and it is no all-clear.
        (None, 0, 0) if has(Reply::Unknown) => Reply::Unknown.name().to_owned(),
        (None, 0, 0) => String::new(),
        (None, 0, warning) => severity_count(Severity::Warning, warning),
        (None, critical, _) => format!("{critical} critical"),
    }
}

/// `rules`: by layer.
pub fn rules(cards: &[RuleCard]) -> Text {
    let mut text = Text::new();
    if cards.is_empty() {
        text.push(Line::new().dim("no rule matches; `fullwire rules` lists all"));
        return text;
    }
    let mut area = None;
    let mut sorted: Vec<&RuleCard> = cards.iter().collect();
    sorted.sort_by_key(|card| card.area.name());
    for card in sorted {
        if area != Some(card.area) {
            text.gap();
            text.push(head(&format!("{} layer", card.area.name())));
            area = Some(card.area);
        }
        let (role, name) = severity(card.severity);
        text.push(Line::new().plain("  ").add(role, name).to(14).add(Role::Code, cut(card.code, 64)));
        text.wrap(Line::new().to(14), Role::Plain, card.title);
    }
    text.gap();
    let rules = if cards.len() == 1 { "1 rule".to_owned() } else { format!("{} rules", cards.len()) };
    text.push(Line::new().dim(format!("{rules}; `fullwire explain CODE` explains one")));
    text
}

/// So many runs on each side of a change tell it from scatter, whatever its size (the permutation test of
/// `compare::statistics` reaches its level with 6 and 6).
const ENOUGH_RUNS: usize = 12;

/// `history --changes`: each figure over time, its noise and where it changed.
pub fn series(all: &[Series]) -> Text {
    let mut text = Text::new();
    // What changed last is read first.
    let mut ordered: Vec<&Series> = all.iter().collect();
    ordered.sort_by_key(|one| Reverse(last_change(one).map(|(_, point)| point.at)));
    if let Some(newest) = ordered.first() {
        text.wrap(Line::new(), Role::Strong, &changed(newest, all));
        text.gap();
    }
    for one in ordered {
        let values: Vec<f64> = one.points.iter().map(|point| point.value).collect();
        let (Some(first), Some(last)) = (one.points.first(), one.points.last()) else { continue };
        text.push(Line::new().strong(format!("{} of {}", one.label, one.path)));
        text.push(Line::new().plain("  ").plain(sparkline(&values)));
        let floor = one.noise_floor.map_or_else(String::new, |floor| {
            format!("; two runs differ by {} without any change", format::percent(floor))
        });
        let summary = format!(
            "{} runs from {} to {}: last {}, best {} on {}{floor}.",
            one.points.len(),
            first.at.strftime("%Y-%m-%d"),
            last.at.strftime("%Y-%m-%d"),
            format::value(last.value, one.unit),
            format::value(one.points[one.best].value, one.unit),
            one.points[one.best].at.strftime("%Y-%m-%d"),
        );
        text.wrap(Line::new().plain("  "), Role::Plain, &summary);
        for change in &one.changes {
            text.append(change_point(one, change));
        }
        if one.changes.is_empty() {
            text.wrap(Line::new().plain("  "), Role::Dim, &no_change(one));
        }
        text.gap();
    }
    if all.is_empty() {
        text.push(Line::new().dim("no plan was run three times, so there is no series"));
    }
    text
}

/// The answer to "did anything change?".
fn changed(newest: &Series, all: &[Series]) -> String {
    let count = all.iter().filter(|one| !one.changes.is_empty()).count();
    let figures = if all.len() == 1 { "figure" } else { "figures" };
    let Some((change, point)) = last_change(newest) else {
        return match all.iter().find(|one| one.points.len() < ENOUGH_RUNS && one.apart().is_some()) {
            Some(apart) => format!("{} of {}: {}.", apart.label, apart.path, no_change(apart)),
            None if all.iter().any(|one| one.points.len() < ENOUGH_RUNS) => {
                format!("No permanent change is certain in {} {figures}.", all.len())
            }
            None => format!("No permanent change in {} {figures}.", all.len()),
        };
    };
    format!(
        "{count} of {} {figures} changed, the last one on {}: {} of {} is {} by {}.",
        all.len(),
        point.at.strftime("%Y-%m-%d"),
        newest.label,
        newest.path,
        if change.better { "better" } else { "worse" },
        format::percent(change.shift.abs())
    )
}

fn last_change(series: &Series) -> Option<(&Change, &Point)> {
    let change = series.changes.last()?;
    Some((change, series.points.get(change.at)?))
}

/// No change is certain: of few runs, what they look like.
fn no_change(series: &Series) -> String {
    let runs = series.points.len();
    match series.apart() {
        _ if runs >= ENOUGH_RUNS => "no permanent change".to_owned(),
        Some((at, shift)) => format!(
            "the last {} runs are all {} the {at} before ({} in the median): {runs} runs are too few to call it permanent",
            runs - at,
            if shift < 0.0 { "below" } else { "above" },
            shifted(shift)
        ),
        None => format!("no permanent change is certain: {runs} runs are too few to tell a small one"),
    }
}

/// `−29 %`.
fn shifted(shift: f64) -> String {
    let sign = if shift > 0.0 { "+" } else { "−" };
    format!("{sign}{}", format::percent(shift.abs()))
}

fn change_point(series: &Series, change: &Change) -> Text {
    let mut text = Text::new();
    let Some(point) = series.points.get(change.at) else { return text };
    let (role, word) = if change.better { (Role::Good, "better") } else { (Role::Bad, "worse") };
    let begin = Line::new().plain("  ").add(role, word).plain("  ");
    let relevant: Vec<&SettingChange> = change.settings.iter().filter(|one| one.relevant).collect();
    let what = match relevant.as_slice() {
        [] => "no setting that fullwire reads changed then".to_owned(),
        several => {
            let named: Vec<&str> = several.iter().take(4).map(|one| one.field.as_str()).collect();
            format!("changed then: {}", named.join(", "))
        }
    };
    let size = shifted(change.shift);
    let when = point.at.strftime("%Y-%m-%d %H:%M");
    text.wrap(begin, Role::Plain, &format!("{size} since {when} (run {}); {what}", point.run_id));
    text
}

/// Eight levels; at most as many columns as a terminal has.
fn sparkline(values: &[f64]) -> String {
    const COLUMNS: usize = 72;
    let newest = &values[values.len().saturating_sub(COLUMNS)..];
    let highest = newest.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    newest.iter().map(|value| bar(value / highest)).collect()
}
