//! `estate status`: what is bad first, then the hosts and the rounds.

use super::table::table;
use super::text::{Line, Role, Text};
use crate::report::{bad_paths, estate_hosts, estate_rounds, estate_summary};
use fullwire_model::estate::Estate;

/// The whole answer.
pub fn estate(estate: &Estate) -> Text {
    let mut text = Text::new();
    let when = estate.at.strftime("%Y-%m-%d %H:%M UTC").to_string();
    text.push(Line::new().strong("fullwire estate").dim(format!(" · {when}")));
    text.wrap(Line::new(), Role::Plain, &estate_summary(estate).join(" "));
    for section in [bad_paths(estate), estate_hosts(estate), estate_rounds(estate)] {
        if !section.rows.is_empty() {
            text.gap();
            text.append(table(&section.without_empty_columns()));
        }
    }
    text
}
