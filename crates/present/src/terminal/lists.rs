//! Kept runs and rules as lists.

use super::table::table;
use super::text::{Line, Role, Text, cut};
use super::{head, severity};
use crate::format;
use crate::json::RuleCard;
use crate::report::{Table, layer_name};
use fullwire_model::history::Entry;

/// `history`: newest first.
pub fn history(entries: &[Entry]) -> Text {
    let columns = ["run", "began (UTC)", "#took", "command", "targets", "tag"];
    let mut listed = Table::new("", &columns);
    listed.rows = entries.iter().map(row).collect();
    let mut text = table(&listed);
    if entries.is_empty() {
        text = Text::new();
        text.push(Line::new().dim("no kept run fits; `fullwire assess` keeps one"));
    }
    text
}

fn row(entry: &Entry) -> Vec<String> {
    let took = entry.finished.duration_since(entry.started).as_secs_f64().max(0.0);
    let mark = if entry.baseline { " *" } else { "" };
    vec![
        format!("{}{mark}", entry.run_id),
        entry.started.strftime("%Y-%m-%d %H:%M").to_string(),
        format::duration(took.round()),
        entry.command.clone(),
        entry.targets.join(" "),
        entry.tag.clone().unwrap_or_default(),
    ]
}

/// `rules`: by layer.
pub fn rules(cards: &[RuleCard]) -> Text {
    let mut text = Text::new();
    let mut area = None;
    for card in cards {
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
    text.push(Line::new().dim(format!("{} rules; `fullwire explain CODE` tells all about one", cards.len())));
    text
}
