//! Kept runs and rules as lists.

use super::table::table;
use super::text::{Line, Role, Text, cut};
use super::{head, severity};
use crate::format;
use crate::json::{HistoryLine, RuleCard};
use crate::report::{Table, layer_name, verdict_name};

/// `history`: newest first.
pub fn history(entries: &[HistoryLine]) -> Text {
    let columns = ["run", "#began (UTC)", "command", "verdict", "#figure", "targets", "host", "tag"];
    let mut listed = Table::new("", &columns);
    listed.rows = entries.iter().map(row).collect();
    // One host's runs need not say whose they are.
    if entries.iter().all(|line| line.entry.host == entries[0].entry.host) {
        listed.rows.iter_mut().for_each(|row| row[6].clear());
    }
    let mut text = table(&listed.without_empty_columns());
    if entries.is_empty() {
        text = Text::new();
        text.push(Line::new().dim("no kept run fits; `fullwire assess` keeps one"));
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
        line.measured.zip(line.unit).map(|(value, unit)| format::value(value, unit)).unwrap_or_default(),
        entry.targets.join(" "),
        entry.host.clone(),
        entry.tag.clone().unwrap_or_default(),
    ]
}

/// The verdict; where no path was measured, the findings.
fn found(line: &HistoryLine) -> String {
    match (line.verdict, line.critical, line.warning) {
        (Some(verdict), ..) => verdict_name(verdict).to_owned(),
        (None, 0, 0) => String::new(),
        (None, 0, warning) => format!("{warning} warning"),
        (None, critical, _) => format!("{critical} critical"),
    }
}

/// `rules`: by layer.
pub fn rules(cards: &[RuleCard]) -> Text {
    let mut text = Text::new();
    let mut area = None;
    let mut sorted: Vec<&RuleCard> = cards.iter().collect();
    sorted.sort_by_key(|card| layer_name(card.area));
    for card in sorted {
        if area != Some(card.area) {
            text.gap();
            text.push(head(&format!("{} layer", layer_name(card.area))));
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
