//! What excluded which explanation of a path's figures.

use super::text::{Line, Role, Text};
use crate::format;
use crate::report::characteristic::trail;
use fullwire_model::assessment::why::{Excluded, Why};

/// The trail of each path.
pub fn why(paths: &[Why]) -> Text {
    let mut text = Text::new();
    for path in paths {
        text.push(Line::new().strong("Why").plain("  ").strong(path.path.as_str()));
        let excluded = path.excluded.iter().map(sentence).collect();
        let sections = trail(&path.characteristic).into_iter();
        for (head, lines) in sections.chain([("Excluded by a figure", excluded)]) {
            if lines.is_empty() {
                continue;
            }
            text.push(Line::new().plain("  ").strong(head));
            for line in &lines {
                text.wrap(Line::new().plain("    "), Role::Plain, line);
            }
        }
        text.gap();
    }
    text
}

fn sentence(one: &Excluded) -> String {
    let Excluded { code, subject, allows, measurement, reached } = one;
    format!(
        "{measurement} at {}: {code} of {subject} allows {}",
        format::value(*reached, allows.unit),
        format::value(allows.value, allows.unit)
    )
}
