//! How old a line of the kernel's log is: its ring may reach back months.

use fullwire_model::Run;
use fullwire_model::host::LogLine;

thresholds! {
    /// A day: older log lines say little about the host as it is now.
    const RECENT_S: f64 = 86_400.0;
}

/// Seconds between a line and the reading of the host; `None`: the line carries no time since boot.
pub(crate) fn age_s(run: &Run, line: &LogLine) -> Option<f64> {
    let (uptime_s, seconds) = run.host.os.uptime_s.zip(line.seconds)?;
    Some(uptime_s - seconds)
}

/// It was logged within the last day. A line without a time is history: nothing shows that it is not.
pub(crate) fn is_recent(run: &Run, line: &LogLine) -> bool {
    age_s(run, line).is_some_and(|age_s| age_s <= RECENT_S)
}

/// It was logged after the host had been read: while it was measured.
pub(crate) fn is_of_the_run(run: &Run, line: &LogLine) -> bool {
    age_s(run, line).is_some_and(|age_s| age_s <= 0.0)
}

/// ` (3 hours ago)`, if the age is known.
pub(crate) fn ago(run: &Run, line: &LogLine) -> String {
    let Some(age_s) = age_s(run, line) else { return String::new() };
    match age_s.max(0.0) / 3600.0 {
        hours if hours < 1.0 => " (within the last hour)".to_owned(),
        hours if hours < 1.5 => " (1 hour ago)".to_owned(),
        hours if hours < 48.0 => format!(" ({hours:.0} hours ago)"),
        hours => format!(" ({:.0} days ago)", hours / 24.0),
    }
}

/// ` (8 times, last 3 hours ago)`: when it was logged last, and how often lines like it were.
pub(crate) fn when(run: &Run, line: &LogLine, times: u64) -> String {
    let ago = ago(run, line);
    match (times, ago.strip_prefix(" (")) {
        (0 | 1, _) => ago,
        (times, Some(ago)) => format!(" ({times} times, last {ago}"),
        (times, None) => format!(" ({times} times)"),
    }
}

/// The line as evidence, with how often it was logged.
pub(crate) fn quoted(line: &LogLine) -> String {
    if line.count > 1 { format!("{} ({} times)", line.text, line.count) } else { line.text.clone() }
}

/// One of the words, without punctuation around them, is the name of a device.
pub(crate) fn names_one_of<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> bool {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')' | ':' | ','))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .collect();
    names.into_iter().any(|name| words.contains(&name))
}

/// A line names a remote port of Fibre Channel: `rport-1:0-1`, and not `rport-1:0-12`.
pub(crate) fn names_port(text: &str, name: &str) -> bool {
    let mut words = text.split(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')' | ','));
    words.any(|word| word.trim_end_matches([':', '.']) == name)
}
