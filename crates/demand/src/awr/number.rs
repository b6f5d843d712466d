//! Numbers as Oracle's reports print them in every era.

use crate::page::{self, capital_power, nanoseconds};

/// A number with thousands separators, exponent, and perhaps one suffix letter or unit behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Printed<'a> {
    pub(super) value: f64,
    /// Half a unit of the last printed place: how far the value may be off by rounding.
    pub(super) half_unit: f64,
    /// What follows the number: `K`, `G`, `ms`, empty.
    pub(super) suffix: &'a str,
}

/// Splits a cell into number and suffix. `N/A`, `####` and text are `None`.
pub(super) fn printed(cell: &str) -> Option<Printed<'_>> {
    let cell = cell.trim();
    let end = number_end(cell);
    let digits: String = cell[..end].chars().filter(|&c| c != ',').collect();
    let value: f64 = digits.parse().ok().filter(|value: &f64| value.is_finite())?;
    Some(Printed { value, half_unit: half_unit(&digits), suffix: cell[end..].trim() })
}

/// Where the number ends: digits, separators, and an exponent when digits follow it.
fn number_end(cell: &str) -> usize {
    let bytes = cell.as_bytes();
    let mut end = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    while end < bytes.len() && (bytes[end].is_ascii_digit() || matches!(bytes[end], b'.' | b',')) {
        end += 1;
    }
    if matches!(bytes.get(end), Some(b'E' | b'e')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let digits = bytes[end + 1 + sign..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 {
            end += 1 + sign + digits;
        }
    }
    end
}

fn half_unit(digits: &str) -> f64 {
    let (mantissa, exponent) = digits.split_once(['E', 'e']).unwrap_or((digits, "0"));
    let places = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let power = exponent.parse::<i32>().unwrap_or(0).saturating_sub(i32::try_from(places).unwrap_or(0));
    0.5 * 10f64.powi(power)
}

/// A plain number or a count with a suffix: `1,234.5`, `.89`, `1.E+03`, `176.5K` (K, M, G, T are powers of 1000).
pub(super) fn number(cell: &str) -> Option<f64> {
    let printed = printed(cell)?;
    Some(printed.value * decimal(printed.suffix)?)
}

/// A count as a whole number.
pub(super) fn count(cell: &str) -> Option<u64> {
    page::whole(number(cell)?.round())
}

/// A count that the column may have cut: `521.6` of `521.6K` has lost its suffix and is not a count.
pub(super) fn whole_count(cell: &str) -> Option<u64> {
    let printed = printed(cell)?;
    if printed.suffix.is_empty() && printed.value.fract() != 0.0 {
        return None;
    }
    count(cell)
}

fn decimal(suffix: &str) -> Option<f64> {
    capital_power(suffix.trim_end_matches('%'), 1e3)
}

/// A volume of data: suffixes are powers of 1024; without one the column's default (`1` or `1 << 20`) is the unit.
pub(super) fn bytes(cell: &str, default: f64) -> Option<f64> {
    let printed = printed(cell)?;
    let factor = match printed.suffix.trim_end_matches(['B', 'b']) {
        "" => default,
        letter => capital_power(letter, 1024.0)?,
    };
    Some(printed.value * factor)
}

/// A time and how far off rounding may have put it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Time {
    value: f64,
    half_unit: f64,
    /// Of one unit as printed; whole, so that conversions add no noise.
    unit_ns: f64,
}

impl Time {
    pub(super) fn seconds(self) -> f64 {
        self.value * self.unit_ns / 1e9
    }

    pub(super) fn millis(self) -> f64 {
        self.value * self.unit_ns / 1e6
    }

    /// The share of the value that rounding may have added or taken.
    pub(super) fn rounding(self) -> f64 {
        if self.value > 0.0 { self.half_unit / self.value } else { f64::INFINITY }
    }
}

/// A time. The suffix of the cell counts (`7244.32ms`, `18.73 s`, `316.77us`), otherwise the unit of the column; `K`
/// stands for a thousand of the column's unit.
pub(super) fn time(cell: &str, unit: &str) -> Option<Time> {
    let printed = printed(cell)?;
    // Without a unit of the column, seconds.
    let of_column = || Some(nanoseconds(unit).unwrap_or(1e9) * decimal(printed.suffix)?);
    let unit_ns = nanoseconds(printed.suffix).or_else(of_column)?;
    Some(Time { value: printed.value, half_unit: printed.half_unit, unit_ns })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_numbers_of_every_era() {
        assert_eq!(number("1,580,737.0"), Some(1_580_737.0));
        assert_eq!(number(".899561"), Some(0.899_561));
        assert_eq!(number("1.E+03"), Some(1000.0));
        assert_eq!(number("1.0E+02"), Some(100.0));
        assert_eq!(number("176.5K"), Some(176_500.0));
        assert_eq!(number("6.5E+08"), Some(6.5e8));
        for text in ["N/A", "####", "", "-", ".", "E+08", "12x"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(bytes("57.7T", 1.0), Some(57.7 * 1_099_511_627_776.0));
        assert_eq!(bytes("4.53108", 1_048_576.0), Some(4.53108 * 1_048_576.0));
        assert_eq!(whole_count("521.6"), None);
        assert_eq!(whole_count("521.6K"), Some(521_600));
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "conversions by whole factors are exact")]
    fn a_suffix_beats_the_unit_of_the_column() {
        let seconds = |cell, unit| time(cell, unit).unwrap().seconds();
        assert_eq!(seconds("7244.32ms", ""), 7.244_32);
        assert_eq!(seconds("18.73 s", "ms"), 18.73);
        assert_eq!(seconds("9", "ms"), 0.009);
        assert_eq!(seconds("50", "cs"), 0.5);
        assert_eq!(seconds("176.5K", "s"), 176_500.0);
        assert_eq!(time("9", "ms").unwrap().millis(), 9.0);
        assert!(time("3.82ms", "").unwrap().rounding() < time("4", "ms").unwrap().rounding());
    }
}
