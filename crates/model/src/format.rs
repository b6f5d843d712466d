//! Numbers as people read them: four digits at most, the unit scaled, throughput in MB/s (10^6 bytes).

use crate::assessment::{Derivation, Input};
use crate::quantity::Unit;

/// `117.6 MB/s`.
pub fn rate(bytes_per_s: f64) -> String {
    if bytes_per_s.abs() < 1e3 && bytes_per_s != 0.0 {
        return format!("{} B/s", trimmed(bytes_per_s));
    }
    format!("{} MB/s", significant(bytes_per_s / 1e6))
}

/// `941 Mbit/s`: the same rate as networks are sold.
pub fn bit_rate(bytes_per_s: f64) -> String {
    scaled(bytes_per_s * 8.0, &[(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")])
}

/// `85 ns`, `12.3 µs`, `4.56 ms`, `1.2 s`, `4 min`, `2.1 h`, `3 d`. Two minutes are the first that are told in minutes.
pub fn time(ns: f64) -> String {
    if ns.is_finite() && ns.abs() >= 1.2e11 {
        return scaled(ns, &[(8.64e13, "d"), (3.6e12, "h"), (6e10, "min")]);
    }
    scaled(ns, &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")])
}

/// The same of seconds.
pub fn duration(seconds: f64) -> String {
    time(seconds * 1e9)
}

/// `64 GiB`: memory, blocks, buffers.
pub fn size(bytes: f64) -> String {
    let units = [(1_f64, "B"), (1024.0, "KiB"), (1_048_576.0, "MiB"), (1_073_741_824.0, "GiB")];
    let largest = (1_099_511_627_776.0, "TiB");
    let chosen = [largest].into_iter().chain(units.into_iter().rev()).find(|(factor, _)| bytes >= *factor);
    let (factor, unit) = chosen.unwrap_or((1.0, "B"));
    format!("{} {unit}", trimmed(bytes / factor))
}

/// `1.92 TB`: devices, as their makers count.
pub fn capacity(bytes: f64) -> String {
    scaled(bytes, &[(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")])
}

/// `12,345`.
pub fn count(number: f64) -> String {
    if number.fract() == 0.0 || number.abs() >= 1000.0 { grouped(number) } else { significant(number) }
}

/// `42 %`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent.abs() {
        p if p >= 10.0 || p == 0.0 => format!("{percent:.0} %"),
        p if p >= 0.1 => format!("{percent:.1} %"),
        p if p >= 0.01 => format!("{percent:.2} %"),
        _ => "below 0.01 %".into(),
    }
}

/// ` ±2 %`; nothing where it is not known.
pub fn noise(share: Option<f64>) -> String {
    share.map(|share| format!(" ±{}", percent(share))).unwrap_or_default()
}

/// `1.6 times`.
pub fn times(factor: f64) -> String {
    format!("{} times", trimmed(factor))
}

/// `1 segment`, `2 segments`: a count and its noun.
pub fn counted(count: impl std::fmt::Display, noun: &str) -> String {
    let count = count.to_string();
    let plural = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// With a capital at its begin: a sentence.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A value in its unit.
pub fn value(number: f64, unit: Unit) -> String {
    match unit {
        Unit::BytesPerS => rate(number),
        Unit::IoPerS => format!("{} IO/s", count(number.round())),
        Unit::PerS => format!("{} /s", count(number)),
        Unit::Ns => time(number),
        Unit::S => duration(number),
        Unit::Bytes => size(number),
        Unit::Count => count(number),
        Unit::Ratio => percent(number),
    }
}

/// A formula and what was put in, with where each input was read.
pub fn derivation(derivation: &Derivation) -> String {
    let input =
        |input: &Input| format!("{} {} ({})", input.name, named(&input.name, input.value), input.source);
    let inputs = derivation.inputs.iter().map(input).collect::<Vec<_>>().join(", ");
    match (derivation.formula.as_str(), inputs.as_str()) {
        (formula, "") => formula.to_owned(),
        ("", inputs) => inputs.to_owned(),
        (formula, inputs) => format!("{formula}; {inputs}"),
    }
}

/// A value whose name says its unit.
fn named(name: &str, value: f64) -> String {
    type Show = fn(f64) -> String;
    let suffixes: [(&str, Show); 6] = [
        ("_bytes_per_s", rate),
        ("_bit_per_s", |bits| bit_rate(bits / 8.0)),
        ("_bytes", |bytes| if bytes < 10_000.0 { count(bytes) } else { size(bytes) }),
        ("_ns", time),
        ("_us", |us| time(us * 1e3)),
        ("_ms", |ms| time(ms * 1e6)),
    ];
    let show = suffixes.iter().find(|(suffix, _)| name.ends_with(suffix)).map(|(_, show)| show);
    show.map_or_else(|| count(value), |show| show(value))
}

/// The first unit that leaves at least 1 before the point.
fn scaled(number: f64, units: &[(f64, &str)]) -> String {
    // 999.96 would be printed as 1000: it belongs to the next unit.
    let fits = |factor: f64| number.abs() >= factor * 0.9995;
    let chosen = units.iter().find(|(factor, _)| fits(*factor)).or(units.last());
    chosen.map_or_else(String::new, |(factor, unit)| format!("{} {unit}", trimmed(number / factor)))
}

/// Three or four digits: `0.123`, `1.23`, `12.3`, `117.6`, `1,176`.
fn significant(number: f64) -> String {
    match number.abs() {
        n if !n.is_finite() => "?".into(),
        n if n >= 999.95 => grouped(number),
        n if n >= 9.995 => format!("{number:.1}"),
        n if n >= 0.9995 => format!("{number:.2}"),
        0.0 => "0".into(),
        n if n >= 0.0005 => format!("{number:.3}"),
        _ => "below 0.001".into(),
    }
}

/// Three digits, without zeros that say nothing: `941`, `12.3`, `8`.
fn trimmed(number: f64) -> String {
    let text = match number.abs() {
        n if !n.is_finite() => return "?".into(),
        n if n >= 99.95 => return grouped(number),
        n if n >= 9.995 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Thousands apart.
fn grouped(number: f64) -> String {
    if !number.is_finite() {
        return "?".into();
    }
    let digits = format!("{:.0}", number.abs());
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if number < -0.5 { format!("-{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_decimal_and_networks_also_in_bits() {
        assert_eq!(rate(117_646_559.0), "117.6 MB/s");
        assert_eq!(bit_rate(117_646_559.0), "941 Mbit/s");
        assert_eq!(rate(3_126_000_000.0), "3,126 MB/s");
        assert_eq!(bit_rate(3_125_000_000.0), "25 Gbit/s");
        assert_eq!(rate(0.0), "0 MB/s");
        assert_eq!(rate(8192.0), "0.008 MB/s");
        assert_eq!(rate(29.0), "29 B/s");
    }

    #[test]
    fn times_scale() {
        let shown: Vec<String> = [0.0, 85.0, 12_345.0, 999_960.0, 4_560_000.0, 1.2e9].map(time).into();
        assert_eq!(shown, ["0 ns", "85 ns", "12.3 µs", "1 ms", "4.56 ms", "1.2 s"]);
        assert_eq!([duration(75.0), duration(240.0), duration(7_560.0)], ["75 s", "4 min", "2.1 h"]);
    }

    #[test]
    fn sizes_counts_and_shares() {
        assert_eq!([size(512.0), size(8192.0), size(68_719_476_736.0)], ["512 B", "8 KiB", "64 GiB"]);
        assert_eq!(capacity(1_920_383_410_176.0), "1.92 TB");
        assert_eq!([count(0.0), count(12_345.0), count(0.25)], ["0", "12,345", "0.250"]);
        assert_eq!([percent(0.5), percent(0.0), percent(0.0123)], ["50 %", "0 %", "1.2 %"]);
        assert_eq!([percent(0.000_77), percent(0.000_04)], ["0.08 %", "below 0.01 %"]);
    }

    #[test]
    fn what_is_no_number_is_not_dressed_up_as_one() {
        assert_eq!(rate(f64::NAN), "? MB/s");
        assert_eq!(time(f64::INFINITY), "? s");
    }
}
