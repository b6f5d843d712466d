//! Figures with their units, and names of columns and fields in words.

use crate::page::{nanoseconds, power};

/// Words that tell nothing of what a figure is about.
const FILLERS: &[&str] =
    &["laser", "signal", "average", "avg", "optical", "module", "internal", "comp", "the", "of", "value"];
/// Other words for the same.
const SAME: &[(&str, &str)] = &[
    ("receiver", "rx"),
    ("receive", "rx"),
    ("received", "rx"),
    ("rcvr", "rx"),
    ("input", "rx"),
    ("transmitter", "tx"),
    ("transmit", "tx"),
    ("output", "tx"),
    ("pct", "%"),
    ("percent", "%"),
    ("percentage", "%"),
    ("temp", "temperature"),
];

/// The words of a name in lower case: `Rx Power`, `usedPercent` and `PCT_USED` have two each, `%Used` too.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let begins = c == '%' || before == '%' || c.is_uppercase() && before.is_lowercase();
        if begins || !(c.is_alphanumeric() || c == '#') {
            words.push(String::new());
        }
        if c.is_alphanumeric() || matches!(c, '%' | '#') {
            words.last_mut().expect("one").extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty() && !FILLERS.contains(&word.as_str()));
    for word in &mut words {
        if let Some((_, same)) = SAME.iter().find(|(own, _)| own == word) {
            (*same).clone_into(word);
        }
    }
    words
}

/// A figure as it is printed: 98.7 of `98.7 %`, -14.12 of `-14.12 dBm`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    pub(super) value: f64,
    /// In lower case.
    pub(super) unit: String,
}

/// All figures of a cell: `0.0387 mW / -14.12 dBm` has two.
pub(super) fn figures(cell: &str) -> Vec<Figure> {
    const LONGEST_UNIT: usize = 8;
    let mut found: Vec<Figure> = Vec::new();
    let mut words = cell.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let word = word.trim_matches(['(', ')', ',', ';', '|']);
        let end = word.find(|c: char| !(c.is_ascii_digit() || ".,+-'".contains(c))).unwrap_or(word.len());
        let Some(value) = number(&word[..end]) else { continue };
        // `94C/201F` is the same twice.
        let own = &word[end..];
        let own = own.split_once('/').map_or(own, |(own, _)| if own.is_empty() { "/" } else { own });
        let is_unit = |word: &&str| {
            word.len() <= LONGEST_UNIT && word.chars().all(|c| c.is_alphabetic() || c == '%' || c == '\u{b0}')
        };
        let mut unit = if own.is_empty() { words.next_if(is_unit).unwrap_or("") } else { own };
        if ["degrees", "deg"].contains(&unit) {
            unit = words.next_if(is_unit).unwrap_or(unit);
        }
        // `3:0:0:1`, `1/2`, `7a` are none.
        if is_unit(&unit) {
            found.push(Figure { value, unit: unit.trim_start_matches('\u{b0}').to_lowercase() });
        }
    }
    found
}

/// `1,234,567`, `98,7`, `+98.0`; three digits behind a comma are thousands.
fn number(digits: &str) -> Option<f64> {
    let bare = digits.trim_start_matches('+').replace('\'', "");
    let groups: Vec<&str> = bare.split(',').collect();
    let is_grouped = groups.len() > 1
        && groups[1..].iter().all(|group| group.split('.').next().is_some_and(|whole| whole.len() == 3));
    let plain = if is_grouped { groups.concat() } else { bare.replace(',', ".") };
    plain.parse().ok().filter(|value: &f64| value.is_finite() && plain.contains(|c: char| c.is_ascii_digit()))
}

/// The only figure of a cell.
pub(super) fn figure(cell: &str) -> Option<Figure> {
    let mut all = figures(cell).into_iter();
    all.next().filter(|_| all.next().is_none())
}

/// A size in bytes, a count as it is.
pub(super) fn size(figure: &Figure) -> Option<f64> {
    let unit = figure.unit.trim_end_matches('b').trim_end_matches('i');
    Some(figure.value * power(unit, 1024.0)?)
}

/// Seconds of `00:05:12`, `3 days 04:11:09`, `-02:11`, `41 s`, `12 min`; `None`: no time has passed that way.
pub(super) fn seconds(cell: &str) -> Option<f64> {
    let cell = cell.trim().trim_start_matches(['+', '-']);
    let of_unit = |unit: &str| nanoseconds(unit).map(|ns| ns / 1e9);
    let clock = |word: &str| {
        let parts: Vec<f64> = word.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        (2..=3).contains(&parts.len()).then(|| parts.iter().fold(0.0, |sum, part| sum * 60.0 + part))
    };
    let mut sum = None;
    let mut number: Option<f64> = None;
    for word in cell.split_whitespace() {
        let digits = word.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(word.len());
        let passed = if let Some(value) = clock(word) {
            value
        } else if let Some(unit) = of_unit(word) {
            number.take()? * unit
        } else {
            let value = word[..digits].parse::<f64>().ok()?;
            match of_unit(&word[digits..]) {
                Some(unit) => value * unit,
                None if digits == word.len() && number.is_none() => {
                    number = Some(value);
                    continue;
                }
                None => return None,
            }
        };
        sum = Some(sum.unwrap_or(0.0) + passed);
    }
    sum.filter(|_| number.is_none())
}

/// The fields of a line that has several, `STALE PVs: 1   STALE PPs: 7`: two blanks part them, behind a value.
pub(super) fn pairs(line: &str) -> Vec<String> {
    let (mut fields, mut is_over) = (vec![String::new()], false);
    for part in line.split("  ").map(str::trim).filter(|part| !part.is_empty()) {
        if is_over {
            fields.push(String::new());
        }
        let field = fields.last_mut().expect("one");
        is_over = part.contains(": ") || field.ends_with(':');
        if !field.is_empty() {
            field.push(' ');
        }
        field.push_str(part);
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_in_any_spelling() {
        for name in ["PCT_USED", "%Used", "Used %"] {
            let mut words = words_of(name);
            words.sort();
            assert_eq!(words, ["%", "used"], "{name}");
        }
        assert_eq!(words_of("usedPercent"), ["used", "%"]);
        assert_eq!(words_of("Receiver signal average optical power"), words_of("Laser rx power"));
        assert_eq!(words_of("Use%"), ["use", "%"]);
    }

    #[test]
    fn figures_have_their_units() {
        let all = |cell: &str| figures(cell).into_iter().map(|one| (one.value, one.unit)).collect::<Vec<_>>();
        assert_eq!(all("0.0387 mW / -14.12 dBm"), [(0.0387, "mw".to_owned()), (-14.12, "dbm".to_owned())]);
        assert_eq!(all("+98.0\u{b0}C"), [(98.0, "c".to_owned())]);
        assert_eq!(all("98,7 %"), [(98.7, "%".to_owned())]);
        assert_eq!(all("1,234,567"), [(1_234_567.0, String::new())]);
        assert_eq!(
            all("41.05 degrees C / 105.88 degrees F"),
            [(41.05, "c".to_owned()), (105.88, "f".to_owned())]
        );
        assert_eq!(all("94C/201F"), [(94.0, "c".to_owned())]);
        assert_eq!(all("3:0:0:1 1/2 eth7 - 7.1.2"), []);
        assert_eq!(size(&figure("1.5 TiB").expect("one")), Some(1.5 * 1024f64.powi(4)));
        assert_eq!(size(&figure("41 dBm").expect("one")), None);
    }

    #[test]
    fn times_that_passed_are_read_in_any_form() {
        for (cell, passed_s) in [
            ("00:05:12", Some(312.0)),
            ("3 days 04:00:00", Some(3.0 * 86_400.0 + 4.0 * 3600.0)),
            ("41 s", Some(41.0)),
            ("2h 5m", Some(7500.0)),
            ("05:12", Some(312.0)),
            ("1 day", Some(86_400.0)),
            ("412", None),
            ("12 MB", None),
            ("2026-11-05 10:00:00", None),
        ] {
            assert_eq!(seconds(cell), passed_s, "{cell}");
        }
    }
}
