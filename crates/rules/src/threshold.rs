//! The numbers that rules compare with, as a list for people.

use std::fmt;

/// A number that decides: its name in the source, its value as written there, what it is and where it comes from.
pub struct Threshold {
    /// The constant's name; its unit comes last.
    pub name: &'static str,
    /// The value as the source writes it: `64 << 20`, `10_000.0`, `0.5..=0.9`.
    pub value: &'static str,
    /// The lines of its doc comment.
    pub note: &'static [&'static str],
}

/// Declares numbers to compare with: the constants, and `THRESHOLDS` that lists them. Each has a doc comment that says what it
/// is and where it comes from.
macro_rules! thresholds {
    ($($(#[doc = $note:literal])+ $visibility:vis const $name:ident: $kind:ty = $value:expr;)*) => {
        $($(#[doc = $note])+ $visibility const $name: $kind = $value;)*

        /// The numbers of this file that decide.
        pub(crate) const THRESHOLDS: &[crate::Threshold] = &[$(crate::Threshold {
            name: stringify!($name),
            value: stringify!($value),
            note: &[$($note),+],
        }),*];
    };
}

/// What the end of a name says of its number, and how many of the unit it is shown in.
const UNITS: [(&str, Scale); 13] = [
    ("_MBIT_PER_S", Scale::Plain(" Mbit/s")),
    ("_BYTES_PER_S", Scale::Steps(1.0, &[(1e6, "MB/s"), (1.0, "bytes/s")])),
    ("_IO_PER_S", Scale::Plain(" I/Os per second")),
    ("_PER_S", Scale::Plain(" per second")),
    ("_PER_HOUR", Scale::Plain(" per hour")),
    ("_PERCENT", Scale::Plain(" %")),
    ("_PCT", Scale::Plain(" %")),
    ("_BYTES", Scale::Steps(1.0, BINARY)),
    ("_NS", Scale::Steps(1e-9, TIME)),
    ("_US", Scale::Steps(1e-6, TIME)),
    ("_MS", Scale::Steps(1e-3, TIME)),
    ("_DS", Scale::Steps(1e-1, TIME)),
    ("_S", Scale::Plain(" s")),
];

/// Seconds.
const TIME: &[(f64, &str)] = &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];

const BINARY: &[(f64, &str)] = &[
    (1_099_511_627_776.0, "TiB"),
    (1_073_741_824.0, "GiB"),
    (1_048_576.0, "MiB"),
    (1024.0, "KiB"),
    (1.0, "bytes"),
];

#[derive(Clone, Copy)]
enum Scale {
    Plain(&'static str),
    /// The number is this much of the base unit, and is shown in the largest of these that it fills without a long fraction.
    Steps(f64, &'static [(f64, &'static str)]),
    Share,
}

/// The unit of the source, at the end of a sentence of a note.
const UNSAID: [(&str, &str); 4] = [(", ns.", "."), (", ns:", ":"), (", ns;", ";"), (", ms:", ":")];

/// `SLOW_NS`, `10e6` as `- slow, 10 ms: WHAT IT IS`.
impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = UNITS.iter().find_map(|(ending, unit)| Some((self.name.strip_suffix(ending)?, *unit)));
        let share = if self.name.contains("SHARE") { Scale::Share } else { Scale::Plain("") };
        let (bare, scale) = found.unwrap_or((self.name, share));
        let note = self.note.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        // The value has its unit.
        let note = UNSAID.iter().fold(note, |note, (unit, rest)| note.replace(unit, rest));
        write!(f, "- {}, {}: {note}", bare.to_lowercase().replace('_', " "), readable(self.value, scale))
    }
}

/// `64 << 20` bytes as `64 MiB`, `5e6` ns as `5 ms`, a range with `to`.
fn readable(source: &str, scale: Scale) -> String {
    let ends = source.replace("std::ops::", "").replace("..=", "..");
    let shown = ends.split("..").map(|end| number(end.trim()).map(|value| amount(value, scale)));
    shown.collect::<Option<Vec<_>>>().map_or_else(|| source.to_owned(), |shown| shown.join(" to "))
}

/// What a constant expression of numbers comes to.
fn number(source: &str) -> Option<f64> {
    for (sign, of_two) in [(" << ", 0), (" + ", 1), (" * ", 2), (" / ", 3)] {
        if let Some((left, right)) = source.split_once(sign) {
            let (left, right) = (number(left)?, number(right)?);
            return Some([left * right.exp2(), left + right, left * right, left / right][of_two]);
        }
    }
    let plain = source.replace('_', "");
    if let Some(hex) = plain.strip_prefix("0x") {
        return u32::from_str_radix(hex, 16).ok().map(f64::from);
    }
    plain.parse().ok()
}

fn amount(value: f64, scale: Scale) -> String {
    match scale {
        Scale::Plain(unit) => format!("{}{unit}", grouped(value)),
        Scale::Share if value <= 1.0 => format!("{} %", grouped(value * 100.0)),
        Scale::Share => grouped(value),
        Scale::Steps(factor, units) => {
            let base = value * factor;
            // 1,500 bytes are no 1.46 KiB.
            let even = |size: f64| (base / size * 100.0).round() / 100.0 * size;
            let fills = |&&(size, _): &&(f64, &str)| {
                base >= size * 0.999_999 && (even(size) - base).abs() <= base * 1e-9
            };
            let last = units.last().copied().unwrap_or((1.0, ""));
            let (size, unit) = units.iter().find(fills).copied().unwrap_or(last);
            format!("{} {unit}", grouped(base / size))
        }
    }
}

/// Two decimals, six below 1, and thousands apart.
fn grouped(value: f64) -> String {
    let rounded = if value < 1.0 { format!("{value:.6}") } else { format!("{value:.2}") };
    let plain = rounded.trim_end_matches('0').trim_end_matches('.');
    let (whole, rest) = plain.find('.').map_or((plain, ""), |at| plain.split_at(at));
    let mut text = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_shown_as_people_write_it() {
        let shown = |name, value| Threshold { name, value, note: &[" Why."] }.to_string();
        assert_eq!(shown("SLOW_NS", "0.5e6"), "- slow, 500 µs: Why.");
        assert_eq!(shown("ALONE_NS", "10_000_000_000"), "- alone, 10 s: Why.");
        assert_eq!(shown("USUAL_DS", "600"), "- usual, 60 s: Why.");
        assert_eq!(shown("LEAST_BYTES", "64 << 20"), "- least, 64 MiB: Why.");
        assert_eq!(shown("PACKET_BYTES", "1500"), "- packet, 1,500 bytes: Why.");
        assert_eq!(shown("BUSY_BYTES_PER_S", "1e6"), "- busy, 1 MB/s: Why.");
        assert_eq!(shown("SHARE", "1e-4"), "- share, 0.01 %: Why.");
        assert_eq!(shown("SLOWEST_MS", "4.2 + 9.0 + 1.0"), "- slowest, 14.2 ms: Why.");
        assert_eq!(shown("REACHED", "0.75..=1.25"), "- reached, 0.75 to 1.25: Why.");
        assert_eq!(shown("MANY", "10_000.0"), "- many, 10,000: Why.");
        assert_eq!(shown("NAMES", "&[\"a\"]"), "- names, &[\"a\"]: Why.");
    }
}
