//! Drawing: the state and the terminal's size give every cell.

use super::columns::{cut, left, spark};
use super::lines::{self, BodyLine};
use super::{BINDINGS, Face, Screen};
use fullwire_model::assessment::Severity;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// From this width on the body has two columns.
const TWO_COLUMNS: u16 = 132;

/// Below this only the first line is drawn.
const SMALLEST: (u16, u16) = (20, 3);

/// Draws all; returns the lines of the body that are visible, for paging.
pub fn draw(frame: &mut Frame, screen: &mut Screen) -> usize {
    let area = frame.area();
    let width = usize::from(area.width);
    let mut top = vec![headline(screen, width)];
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        frame.render_widget(Paragraph::new(top), area);
        return 1;
    }
    if area.height >= 8 {
        top.push(detail(screen, width));
    }
    top.push(status(screen, width));
    if area.height >= 6 {
        top.extend(host(screen, width));
    }
    let foot = usize::from(area.height > 6);
    let height = usize::from(area.height).saturating_sub(top.len() + foot);
    let body_area = rows(area, top.len(), height);
    frame.render_widget(Paragraph::new(top), area);
    if screen.help {
        frame.render_widget(Paragraph::new(help(screen.face, width, height)), body_area);
    } else {
        draw_body(frame, screen, body_area);
    }
    if foot > 0 {
        let line = rows(area, usize::from(area.height) - 1, 1);
        frame.render_widget(Paragraph::new(foot_line(screen, width)), line);
    }
    height
}

fn rows(area: Rect, from: usize, count: usize) -> Rect {
    let from = u16::try_from(from).unwrap_or(u16::MAX).min(area.height);
    let height = u16::try_from(count).unwrap_or(u16::MAX).min(area.height - from);
    Rect { x: area.x, y: area.y + from, width: area.width, height }
}

fn draw_body(frame: &mut Frame, screen: &mut Screen, area: Rect) {
    let height = usize::from(area.height);
    let whole = lines::body(screen, usize::from(area.width));
    // Half the width shows fewer columns of each row: only where the height does not hold all rows.
    let two = area.width >= TWO_COLUMNS && whole.len() > height;
    let column = if two { (area.width - 2) / 2 } else { area.width };
    let body = if two { lines::body(screen, usize::from(column)) } else { whole };
    let capacity = if two { height * 2 } else { height };
    screen.top = screen.top.min(body.len().saturating_sub(capacity));
    let shown: Vec<Line> =
        body.iter().skip(screen.top).take(capacity).map(|line| body_line(line, screen.face)).collect();
    let (one, other) = shown.split_at(shown.len().min(height));
    frame.render_widget(Paragraph::new(one.to_vec()), Rect { width: column, ..area });
    if two && !other.is_empty() {
        let x = area.x + column + 2;
        frame.render_widget(Paragraph::new(other.to_vec()), Rect { x, width: column, ..area });
    }
}

fn body_line(line: &BodyLine, face: Face) -> Line<'static> {
    let style = if line.head {
        Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    } else if line.alarm {
        coloured(face, Color::Red).add_modifier(Modifier::BOLD)
    } else {
        Style::new()
    };
    Line::styled(line.text.clone(), style)
}

fn coloured(face: Face, colour: Color) -> Style {
    if face.colour { Style::new().fg(colour) } else { Style::new() }
}

/// The bottleneck: a glyph, a word and a colour say the same.
fn headline(screen: &Screen, width: usize) -> Line<'static> {
    let headline = &screen.live.headline;
    let (unicode, ascii, word, style) = match headline.severity {
        Some(Severity::Critical) => (
            "■",
            "!!",
            "CRITICAL ",
            coloured(screen.face, Color::Red).add_modifier(Modifier::REVERSED | Modifier::BOLD),
        ),
        Some(Severity::Warning) => {
            ("▲", "!", "WARNING ", coloured(screen.face, Color::Yellow).add_modifier(Modifier::BOLD))
        }
        Some(Severity::Info) => ("●", "*", "", Style::new().add_modifier(Modifier::BOLD)),
        None => ("●", "-", "", Style::new().add_modifier(Modifier::BOLD)),
    };
    let glyph = if screen.face.unicode { unicode } else { ascii };
    let sentence = if headline.sentence.is_empty() {
        "not known yet: no sample has been read"
    } else {
        headline.sentence.as_str()
    };
    let sentence = crate::harmless(&format!("{glyph} {word}{sentence}")).replace('\n', " ");
    Line::styled(left(&sentence, width, screen.face.unicode), style)
}

/// What the first line is made of: code, share of the ceiling, the newest event.
fn detail(screen: &Screen, width: usize) -> Line<'static> {
    let headline = &screen.live.headline;
    let mut parts = Vec::new();
    if let Some(share) = headline.share {
        let full = 20;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 20")]
        let used = (share.clamp(0.0, 1.0) * 20.0).round() as usize;
        let (on, off) = if screen.face.unicode { ("█", "░") } else { ("#", ".") };
        parts.push(format!(
            "{}{} {:.0} % of its ceiling",
            on.repeat(used),
            off.repeat(full - used),
            share * 100.0
        ));
    }
    if !headline.code.is_empty() {
        parts.push(format!("fullwire explain {}", headline.code));
    }
    if let Some(event) = screen.live.events.last() {
        let subject = if event.subject.is_empty() { event.kind.name() } else { &event.subject };
        parts.push(format!("{} {subject}: {}", event.wall.strftime("%H:%M:%S"), event.detail));
    }
    let between = if screen.face.unicode { " · " } else { " - " };
    let text = crate::harmless(&format!("  {}", parts.join(between))).replace('\n', " ");
    Line::raw(cut(&text, width, screen.face.unicode))
}

fn status(screen: &Screen, width: usize) -> Line<'static> {
    let status = &screen.status;
    let paused = if screen.paused { " PAUSED" } else { "" };
    let recording = if status.recording.is_empty() {
        String::new()
    } else {
        format!("  {} {}", if screen.face.unicode { "●" } else { "*" }, status.recording)
    };
    let filter = if screen.typing || !screen.filter.is_empty() {
        format!("  /{}{}", screen.filter, if screen.typing { "_" } else { "" })
    } else {
        String::new()
    };
    let text = format!(
        "{} {}{paused} {}  {}{filter}{recording}  {}",
        screen.live.host, status.source, status.interval, status.time, status.cost
    );
    let style = Style::new().add_modifier(Modifier::REVERSED);
    Line::styled(left(text.trim_end(), width, screen.face.unicode), style)
}

fn host(screen: &Screen, width: usize) -> Vec<Line<'static>> {
    let points = screen.history.get("cpu").into_iter().flatten().copied();
    let history = if width >= 76 { spark(points, 8, screen.face.unicode) } else { String::new() };
    lines::host(&screen.live, width, screen.face.unicode, &history).into_iter().map(Line::raw).collect()
}

fn help(face: Face, width: usize, height: usize) -> Vec<Line<'static>> {
    let mut lines =
        vec![Line::styled("keys", Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED))];
    let per_column = height.saturating_sub(1).max(1);
    let columns = BINDINGS.len().div_ceil(per_column).max(1);
    let column_width = (width / columns).max(20);
    for row in 0..per_column.min(BINDINGS.len()) {
        let cells = (0..columns).filter_map(|column| BINDINGS.get(column * per_column + row));
        let text: String = cells
            .map(|binding| {
                let shown = if face.unicode {
                    binding.shown.to_owned()
                } else {
                    binding
                        .shown
                        .replace('←', "Left")
                        .replace('→', "Right")
                        .replace('↑', "Up")
                        .replace('↓', "Down")
                };
                left(
                    &format!("{} {}", left(&shown, 8, face.unicode), binding.help),
                    column_width,
                    face.unicode,
                )
            })
            .collect();
        lines.push(Line::from(Span::raw(text)));
    }
    lines
}

fn foot_line(screen: &Screen, width: usize) -> Line<'static> {
    if let Some(text) = &screen.wanted_time {
        return Line::raw(cut(&format!("go to: {text}_"), width, screen.face.unicode));
    }
    if !screen.note.is_empty() {
        return Line::raw(cut(&screen.note, width, screen.face.unicode));
    }
    let text = if screen.face.unicode {
        "? help  ←→ time  <> trouble  space pause  / filter  q quit"
    } else {
        "? help  Left/Right time  <> trouble  space pause  / filter  q quit"
    };
    Line::styled(cut(text, width, screen.face.unicode), Style::new().add_modifier(Modifier::DIM))
}
