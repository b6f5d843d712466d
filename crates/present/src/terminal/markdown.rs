//! Markdown, as far as rules use it: headings, paragraphs, lists, code.

use super::text::{Line, Role, Text, wrapped};

/// `explain`: a rule's own text.
pub fn explain(code: &str, title: &str, markdown: &str) -> Text {
    let mut text = Text::new();
    text.push(Line::new().add(Role::Code, code).dim(" · ").strong(title));
    let mut paragraph = String::new();
    let mut fenced = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            flush(&mut text, &mut paragraph);
            fenced = !fenced;
        } else if fenced || line.starts_with("    ") {
            flush(&mut text, &mut paragraph);
            text.push(Line::new().plain("    ").add(Role::Code, line.trim_end()));
        } else if let Some(heading) = line.strip_prefix('#') {
            flush(&mut text, &mut paragraph);
            text.gap();
            text.push(Line::new().strong(heading.trim_start_matches('#').trim()));
        } else if line.trim().is_empty() {
            flush(&mut text, &mut paragraph);
        } else {
            if is_item(line) || line.starts_with('|') {
                flush(&mut text, &mut paragraph);
            }
            paragraph.push_str(line.trim());
            paragraph.push(' ');
        }
    }
    flush(&mut text, &mut paragraph);
    text
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("- ") || line.starts_with("* ")
}

fn flush(text: &mut Text, paragraph: &mut String) {
    let (indent, body) = match paragraph.strip_prefix("- ").or_else(|| paragraph.strip_prefix("* ")) {
        Some(item) => ("  • ", item),
        None => ("  ", paragraph.as_str()),
    };
    if !body.trim().is_empty() {
        let mut begin = indent;
        let mut is_code = false;
        for line in wrapped(body, 76) {
            let (drawn, open) = inline(Line::new().plain(begin), &line, is_code);
            text.push(drawn);
            is_code = open;
            begin = if indent == "  " { "  " } else { "    " };
        }
    }
    paragraph.clear();
}

/// Backticks change to code and back; says whether code goes on in the next line.
fn inline(mut line: Line, text: &str, mut is_code: bool) -> (Line, bool) {
    for (position, part) in text.split('`').enumerate() {
        if position > 0 {
            is_code = !is_code;
        }
        if !part.is_empty() {
            line = line.add(if is_code { Role::Code } else { Role::Plain }, part);
        }
    }
    (line, is_code)
}
