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

/// What the end of a name says of its number.
const UNITS: [(&str, &str); 13] = [
    ("_MBIT_PER_S", " Mbit/s"),
    ("_BYTES_PER_S", " bytes/s"),
    ("_IO_PER_S", " I/O a second"),
    ("_PER_S", " a second"),
    ("_PER_HOUR", " an hour"),
    ("_PERCENT", " %"),
    ("_PCT", " %"),
    ("_BYTES", " bytes"),
    ("_NS", " ns"),
    ("_US", " µs"),
    ("_MS", " ms"),
    ("_DS", " tenths of a second"),
    ("_S", " s"),
];

/// `SLOW_MS`, `10.0` as `- slow, 10 ms: WHAT IT IS`.
impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = UNITS.iter().find_map(|(ending, unit)| Some((self.name.strip_suffix(ending)?, *unit)));
        let (bare, unit) = found.unwrap_or((self.name, ""));
        let value = readable(self.value);
        let of_two = value.ends_with('i');
        let unit = if of_two && unit == " bytes" { "B" } else { unit };
        let note = self.note.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        write!(f, "- {}, {value}{unit}: {note}", bare.to_lowercase().replace('_', " "))
    }
}

/// `64 << 20` as `64 Mi`, `10_000.0` as `10,000`, a range with `to`.
fn readable(value: &str) -> String {
    let plain =
        value.replace("std::ops::", "").replace("..=", " to ").replace("..", " to ").replace('_', ",");
    let shifted = ["10", "20", "30", "40"].iter().zip(["Ki", "Mi", "Gi", "Ti"]).find_map(|(bits, unit)| {
        plain.strip_suffix(&format!(" << {bits}")).map(|number| format!("{number} {unit}"))
    });
    shifted.unwrap_or_else(|| plain.strip_suffix(".0").map_or(plain.clone(), str::to_owned))
}
