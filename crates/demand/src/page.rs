//! A page of text as columns: what the readers of listings and reports share.

use std::borrow::Cow;

/// More columns than any table or listing has; what is beyond is left out.
pub(crate) const MOST_COLUMNS: usize = 256;
/// More words than any line of a report has.
const MOST_WORDS: usize = 4096;
/// Names of tables, columns and devices are copied wherever they apply: longer ones are cut.
pub(crate) const LONGEST_NAME_BYTES: usize = 256;

/// The first bytes of a text, cut at a character.
pub(crate) fn prefix(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A name, cut to the longest that is kept.
pub(crate) fn name(text: &str) -> &str {
    prefix(text, LONGEST_NAME_BYTES)
}

/// A run of characters, as columns of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Run {
    pub(crate) fn overlap(self, other: Self) -> usize {
        self.end.min(other.end).saturating_sub(self.start.max(other.start))
    }

    fn distance(self, other: Self) -> usize {
        if self.end <= other.start { other.start - self.end } else { self.start.saturating_sub(other.end) }
    }
}

/// Bytes as text: UTF-8, or UTF-16 when it begins with that mark (Windows' shell redirects so). What is neither becomes
/// U+FFFD.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let wide = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        Cow::Owned(String::from_utf16_lossy(&units))
    };
    match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes),
    }
}

/// A line without form feeds and trailing space, tabs as eight columns.
pub(crate) fn plain(line: &str) -> String {
    let line = line.trim_end();
    if !line.contains(['\t', '\u{c}', '\u{feff}']) {
        return line.to_owned();
    }
    let mut out = String::new();
    let mut column = 0;
    for c in line.chars() {
        match c {
            '\u{c}' | '\u{feff}' => {}
            '\t' => {
                let width = 8 - column % 8;
                out.extend(std::iter::repeat_n(' ', width));
                column += width;
            }
            other => {
                out.push(other);
                column += 1;
            }
        }
    }
    out
}

/// A text without the line that a cut has left at its end, and what is to be said of it. Every tool ends its last line;
/// one that does not is kept when it is no shorter than the line above, for columns are padded.
pub(crate) fn whole_lines(text: &str) -> (&str, Option<String>) {
    if text.ends_with('\n') || text.is_empty() {
        return (text, None);
    }
    let start = text.rfind('\n').map_or(0, |end| end + 1);
    let number = text[..start].matches('\n').count() + 1;
    let above = text[..start].trim_end().lines().next_back().map_or(0, str::len);
    if text[start..].trim_end().len() < above {
        let detail = format!("line {number} breaks off: the file is truncated, and the line was left out");
        return (&text[..start], Some(detail));
    }
    (text, Some(format!("line {number} has no line end: the file may be truncated there")))
}

/// The words of a list of which each line has several.
pub(crate) fn each(lines: &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    lines.iter().flat_map(|line| line.split('¦'))
}

/// What the letter in front of a unit stands for, in either case: K, M, G, T and P are powers of `base`; none is 1.
pub(crate) fn power(letter: &str, base: f64) -> Option<f64> {
    let place = ["", "k", "m", "g", "t", "p"].iter().position(|own| own.eq_ignore_ascii_case(letter))?;
    i32::try_from(place).ok().map(|place| base.powi(place))
}

/// The same of capitals, and of `k`: `m` is of minutes.
pub(crate) fn capital_power(letter: &str, base: f64) -> Option<f64> {
    let is_own = letter == "k" || letter.bytes().all(|byte| byte.is_ascii_uppercase());
    if is_own { power(letter, base) } else { None }
}

/// A number as a count; `None`: it is none, or too large for one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
pub(crate) fn whole(value: f64) -> Option<u64> {
    (0.0..1.8e19).contains(&value).then(|| value.round() as u64)
}

/// A number as tools print it: a comma may be the decimal sign, for none of them groups thousands.
pub(crate) fn number(text: &str) -> Option<f64> {
    let value = if text.contains(',') { text.replace(',', ".").parse() } else { text.parse() };
    value.ok().filter(|value: &f64| value.is_finite())
}

/// Nanoseconds of a unit of time, by any of its names: whole numbers, so that conversions add no noise.
pub(crate) fn nanoseconds(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" | "nsec" | "nsecs" => 1.0,
        "us" | "\u{b5}s" | "usec" | "usecs" => 1e3,
        "ms" | "msec" | "msecs" | "milliseconds" => 1e6,
        "cs" => 1e7,
        "s" | "sec" | "secs" | "second" | "seconds" => 1e9,
        "m" | "min" | "mins" | "minute" | "minutes" => 60e9,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600e9,
        "d" | "day" | "days" => 86_400e9,
        "mon" | "mons" | "month" | "months" => 30.0 * 86_400e9,
        _ => return None,
    })
}

/// A figure with its unit: `41ms`, `133ns` in milliseconds, `13.2K`, `1.32GiB`, `8B/s` in bytes, `98%`. gstat draws a line behind it.
pub(crate) fn quantity(word: &str) -> Option<f64> {
    let word = word.trim_end_matches(['|', '%']);
    let (digits, unit) = word.split_at(word.find(|c: char| c.is_alphabetic()).unwrap_or(word.len()));
    let in_ms = nanoseconds(unit).filter(|_| unit.ends_with('s')).map(|ns| ns / 1e6);
    let factor =
        in_ms.or_else(|| capital_power(unit.trim_end_matches("/s").trim_end_matches(['i', 'B']), 1024.0))?;
    Some(number(digits)? * factor)
}

/// A disk and its counters from the reads on, a row of `/proc/diskstats` (Linux Documentation/admin-guide/iostats.rst), or of
/// `vmstat -d`, which has no numbers of the device in front.
pub(crate) fn disk_counters(line: &str) -> Option<(&str, Vec<u64>)> {
    /// vmstat has so many, the kernel one more at least.
    const FEWEST: usize = 10;
    /// The kernel has so many since 5.5.
    const MOST: usize = 17;
    let mut words = line.split_whitespace().peekable();
    let is_number = |word: &&str| word.parse::<u64>().is_ok();
    if words.next_if(is_number).is_some() {
        words.next_if(is_number)?;
    }
    let name = words.next().filter(|name| name.starts_with(char::is_alphabetic))?;
    let counts: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
    (FEWEST..=MOST).contains(&counts.len()).then_some((name, counts))
}

/// The number that follows these words in a line, after blanks.
pub(crate) fn number_behind(line: &str, words: &str) -> Option<f64> {
    let rest = line.split_once(words)?.1.trim_start();
    rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()?.parse().ok()
}

/// The words of a line with their places.
pub(crate) fn words(line: &str) -> impl Iterator<Item = (&str, Run)> {
    let mut rest = line;
    let mut column = 0;
    let all = std::iter::from_fn(move || {
        let trimmed = rest.trim_start();
        column += rest[..rest.len() - trimmed.len()].chars().count();
        let word = trimmed.split_whitespace().next()?;
        let run = Run { start: column, end: column + word.chars().count() };
        rest = &trimmed[word.len()..];
        column = run.end;
        Some((word, run))
    });
    all.take(MOST_WORDS)
}

/// The column that shares most with a word; at a tie the right one, for numbers grow to the left; without any, the
/// nearest. The runs are in order and apart, so only those around the word are compared.
pub(crate) fn nearest(word: Run, runs: &[Run]) -> Option<usize> {
    let first = runs.partition_point(|run| run.end <= word.start).saturating_sub(1);
    let after = runs.partition_point(|run| run.start < word.end);
    let around = runs.iter().enumerate().take((after + 1).min(runs.len())).skip(first);
    let best = around.max_by_key(|(_, run)| {
        let overlap = run.overlap(word);
        (overlap, std::cmp::Reverse(if overlap > 0 { 0 } else { run.distance(word) }))
    });
    best.map(|(position, _)| position)
}

/// The fields of a comma-separated line, as many as a table may have columns; quotes may hold the delimiter, a doubled
/// quote is one.
pub(crate) fn fields(line: &str, delimiter: char) -> Vec<String> {
    let mut fields = Vec::new();
    let mut field = String::new();
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            c if c == delimiter && !quoted => {
                fields.push(std::mem::take(&mut field).trim().to_owned());
                if fields.len() == MOST_COLUMNS {
                    return fields;
                }
            }
            c => field.push(c),
        }
    }
    fields.push(field.trim().to_owned());
    fields
}

/// Puts each word of a line into the column that it shares most with, or that is nearest.
pub(crate) fn spread(line: &str, runs: &[Run], into: &mut [String]) {
    for (word, at) in words(line) {
        if let Some(position) = nearest(at, runs) {
            append(&mut into[position], word);
        }
    }
}

/// Another word of a cell.
pub(crate) fn append(cell: &mut String, text: &str) {
    if !cell.is_empty() && !text.is_empty() {
        cell.push(' ');
    }
    cell.push_str(text);
}
