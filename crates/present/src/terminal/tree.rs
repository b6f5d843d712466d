//! The topology as trees.

use super::text::{Line, Role, Text, cut, width};
use super::{head, severity_mark, severity_role};
use crate::report::{Node, NodeKind, Report};
use unicode_width::UnicodeWidthStr;

/// Every tree, findings by their codes on the nodes that they are about.
pub(super) fn topology(report: &Report<'_>) -> Text {
    let mut text = Text::new();
    if report.topology.is_empty() {
        return text;
    }
    text.push(head("Topology"));
    for root in &report.topology {
        node(&mut text, root, "  ", "  ");
    }
    text.gap();
    text
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
