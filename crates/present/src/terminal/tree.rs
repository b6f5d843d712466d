//! The topology as trees.

use super::text::{Line, Role, Text, cut, in_line, width};
use super::{entry, head, severity_mark, severity_role};
use crate::report::{Node, NodeKind, Report};
use fullwire_model::assessment::Severity;
use unicode_width::UnicodeWidthStr;

/// The trees with findings, by their codes on the nodes that they are about; the rest by name.
pub(super) fn topology(report: &Report<'_>) -> Text {
    let mut text = Text::new();
    if report.topology.is_empty() {
        return text;
    }
    let (conspicuous, quiet) = parted(report);
    if !conspicuous.is_empty() {
        text.push(head("Topology"));
        for root in &conspicuous {
            node(&mut text, root, "  ", "  ");
        }
        text.gap();
    }
    let names: Vec<&str> = quiet.iter().map(|root| root.name.as_str()).collect();
    if !names.is_empty() {
        text.push(in_line(entry("Paths"), "no trouble on ", &names, ", "));
    }
    text
}

/// The trees that [`topology`] only names, whole.
pub(super) fn without_trouble(report: &Report<'_>) -> Text {
    let mut text = Text::new();
    let (_, quiet) = parted(report);
    if !quiet.is_empty() {
        text.push(head("Topology without trouble"));
        for root in quiet {
            node(&mut text, root, "  ", "  ");
        }
        text.gap();
    }
    text
}

fn parted<'r>(report: &'r Report<'_>) -> (Vec<&'r Node<'r>>, Vec<&'r Node<'r>>) {
    report.topology.iter().partition(|root| says_something(root))
}

/// Something in it is broken, or a finding that warns hangs on it.
fn says_something(root: &Node<'_>) -> bool {
    let warns = root.findings.iter().any(|finding| finding.severity >= Severity::Warning);
    root.broken || warns || root.children.iter().any(says_something)
}

fn node(text: &mut Text, node_drawn: &Node<'_>, first: &str, rest: &str) {
    let role = match (node_drawn.broken, node_drawn.kind) {
        (true, _) => Role::Bad,
        (_, NodeKind::FileSystem | NodeKind::Peer) => Role::Strong,
        _ => Role::Plain,
    };
    let mark = if node_drawn.broken { "✖ " } else { "" };
    let name = format!("{mark}{}", cut(&node_drawn.name, width().saturating_sub(first.width() + 10).max(16)));
    let line = Line::new().dim(first).add(role, &name);
    let room = width().saturating_sub(line.width() + 2);
    text.push(line.plain("  ").dim(cut(&node_drawn.details.join(" · "), room)));
    for finding in &node_drawn.findings {
        let bar = if node_drawn.children.is_empty() { "  " } else { "│ " };
        let code = format!("{} {}", severity_mark(finding.severity), finding.code);
        text.push(Line::new().dim(format!("{rest}{bar}")).add(severity_role(finding.severity), code));
    }
    let last = node_drawn.children.len().saturating_sub(1);
    for (position, child) in node_drawn.children.iter().enumerate() {
        let (branch, under) = if position == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        node(text, child, &format!("{rest}{branch}"), &format!("{rest}{under}"));
    }
}
