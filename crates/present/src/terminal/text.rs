//! Lines of styled spans. The caller decides whether colours are shown.

use super::ascii::ascii;
use anstyle::{AnsiColor, Style};
use fullwire_model::assessment::{harmless, harmless_lines};
use std::cell::Cell;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns of a drawing for no terminal: a file, a pipe.
pub const WIDTH: usize = 80;

/// Narrower than this no table can be read; wider lines are not read either.
const NARROWEST: usize = 40;
const WIDEST: usize = 200;

thread_local! {
    static COLUMNS: Cell<usize> = const { Cell::new(WIDTH) };
}

/// Columns that every drawing of this thread keeps to, except for commands that must stay on one line to be copied.
pub fn width() -> usize {
    COLUMNS.get()
}

/// Has the drawings of this thread fit a terminal of this many columns; 40 to 200 are kept to.
pub fn fit(columns: usize) {
    COLUMNS.set(columns.clamp(NARROWEST, WIDEST));
}

/// What a span means; how it looks is decided in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Running text.
    Plain,
    /// Less important.
    Dim,
    /// A head, a name.
    Strong,
    /// As it should be.
    Good,
    /// Worth a look.
    Warn,
    /// Not as it should be.
    Bad,
    /// A command, a code.
    Code,
}

impl Role {
    fn style(self) -> Style {
        let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
        match self {
            Self::Plain => Style::new(),
            Self::Dim => Style::new().dimmed(),
            Self::Strong => Style::new().bold(),
            Self::Good => colour(AnsiColor::Green),
            Self::Warn => colour(AnsiColor::Yellow),
            Self::Bad => colour(AnsiColor::Red).bold(),
            Self::Code => colour(AnsiColor::Cyan),
        }
    }
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Span {
    text: String,
    role: Role,
}

impl Span {
    fn render(&self, colours: bool) -> String {
        let style = self.role.style();
        if colours && self.role != Role::Plain && !self.text.trim().is_empty() {
            format!("{style}{}{style:#}", self.text)
        } else {
            self.text.clone()
        }
    }
}

/// One line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line(Vec<Span>);

impl Line {
    /// An empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds text. Control characters of host names and error texts cannot reach the terminal.
    #[must_use]
    pub fn add(mut self, role: Role, text: impl AsRef<str>) -> Self {
        self.0.push(Span { text: harmless(text.as_ref()), role });
        self
    }

    /// Adds running text.
    #[must_use]
    pub fn plain(self, text: impl AsRef<str>) -> Self {
        self.add(Role::Plain, text)
    }

    /// Adds less important text.
    #[must_use]
    pub fn dim(self, text: impl AsRef<str>) -> Self {
        self.add(Role::Dim, text)
    }

    /// Adds a head or name.
    #[must_use]
    pub fn strong(self, text: impl AsRef<str>) -> Self {
        self.add(Role::Strong, text)
    }

    /// Fills up with spaces to a column; at least one when there is text.
    #[must_use]
    pub fn to(self, column: usize) -> Self {
        let least = usize::from(!self.0.is_empty());
        let missing = column.saturating_sub(self.width()).max(least);
        self.plain(" ".repeat(missing))
    }

    /// Adds text that ends at a column.
    #[must_use]
    pub fn right(self, column: usize, role: Role, text: &str) -> Self {
        let start = column.saturating_sub(harmless(text).width());
        self.to(start).add(role, text)
    }

    /// Columns that it takes.
    pub fn width(&self) -> usize {
        self.0.iter().map(|span| span.text.width()).sum()
    }
}

/// Lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(Vec<Line>);

impl Text {
    /// No lines.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a line.
    pub fn push(&mut self, line: Line) {
        self.0.push(line);
    }

    /// Adds an empty line, unless there is one or nothing yet.
    pub fn gap(&mut self) {
        if self.0.last().is_some_and(|line| !line.0.is_empty()) {
            self.0.push(Line::new());
        }
    }

    /// Adds lines of another text.
    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Adds running text after a first line's beginning, continued in the column where it began.
    pub fn wrap(&mut self, begin: Line, role: Role, text: &str) {
        let indent = begin.width();
        let mut line = begin;
        for part in wrapped(text, width().saturating_sub(indent).max(20)) {
            self.push(line.add(role, part));
            line = if indent > 0 { Line::new().to(indent) } else { Line::new() };
        }
    }

    /// As text, with or without colours.
    pub fn render(&self, colours: bool) -> String {
        let mut out = String::new();
        for line in &self.0 {
            let rendered: String = line.0.iter().map(|span| span.render(colours)).collect();
            out.push_str(rendered.trim_end());
            out.push('\n');
        }
        out
    }
}

/// Words in lines of at most this many columns, also where they are drawn in ASCII; a longer word is alone.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("one line at least");
        if last.is_empty() {
            last.push_str(word);
            continue;
        }
        let longer = format!("{last} {word}");
        if longer.width().max(ascii(&longer).width()) <= width {
            *last = longer;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// As many of the names as fit behind a line's beginning, and how many more there are.
pub(super) fn in_line(begin: Line, said: &str, names: &[&str], separator: &str) -> Line {
    let room = width().saturating_sub(begin.width());
    let with = |shown: usize| {
        let more = names.len() - shown;
        let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{said}{}{rest}", names[..shown].join(separator))
    };
    let shown = (1..=names.len()).rev().find(|shown| with(*shown).width() <= room);
    begin.plain(cut(&with(shown.unwrap_or(names.len().min(1))), room))
}

/// At most this many columns, the last one an ellipsis when something was cut.
pub(super) fn cut(text: &str, width: usize) -> String {
    let text = harmless(text);
    if text.width() <= width {
        return text;
    }
    let mut kept = String::new();
    for letter in text.chars() {
        if kept.width() + letter.width().unwrap_or(0) + 1 > width {
            break;
        }
        kept.push(letter);
    }
    kept.push('…');
    kept
}

/// A text that is styled already, for a terminal: of the control sequences in it only those that choose a style stay
/// (ECMA-48, SGR).
pub fn harmless_styled(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\x1b') {
        shown += &harmless_lines(&rest[..at]);
        let end = style_end(&rest[at..]);
        shown += if end > 0 { &rest[at..at + end] } else { "\u{fffd}" };
        rest = &rest[at + end.max(1)..];
    }
    shown + &harmless_lines(rest)
}

/// The length of the style that a text begins with, in bytes; 0: it begins with none.
fn style_end(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\x1b[") else { return 0 };
    let after = parameters.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
    if after.starts_with('m') { text.len() - after.len() + 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_in_ascii_too() {
        let text = "a stream reaches 7,187 IO/s ±6.1 % and";
        for width in 20..40 {
            for line in wrapped(text, width) {
                assert!(ascii(&line).width() <= width, "{width}: {line}");
            }
        }
    }

    #[test]
    fn an_escape_sequence_in_a_name_does_not_reach_the_terminal() {
        let mut text = Text::new();
        text.push(Line::new().plain("db\x1b[2J\u{202e}1\ttab"));
        assert_eq!(text.render(false), "db\u{fffd}[2J\u{fffd}1 tab\n");
    }

    #[test]
    fn of_control_sequences_only_styles_stay() {
        let shown = harmless_styled("\x1b[1;31mred\x1b[0m \x1b[2J\x1b]0;title\x07 \u{202e}\ta\n");
        assert_eq!(shown, "\x1b[1;31mred\x1b[0m \u{fffd}[2J\u{fffd}]0;title\u{fffd} \u{fffd}\ta\n");
    }

    #[test]
    fn text_wraps_in_the_column_where_it_began() {
        let mut text = Text::new();
        text.wrap(Line::new().dim("  why").to(8), Role::Plain, &"word ".repeat(20));
        let lines: Vec<String> = text.render(false).lines().map(str::to_owned).collect();
        assert!(lines.iter().all(|line| line.width() <= WIDTH), "{lines:#?}");
        assert_eq!((&lines[0][..12], &lines[1][..12]), ("  why   word", "        word"));
    }

    #[test]
    fn colours_are_shown_only_when_asked_for() {
        let mut text = Text::new();
        text.push(Line::new().add(Role::Bad, "poor").plain(" "));
        assert_eq!(text.render(false), "poor\n");
        assert!(text.render(true).starts_with("\u{1b}[1m\u{1b}[31mpoor\u{1b}[0m"));
    }
}
