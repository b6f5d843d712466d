//! Figures as the answers write them: as the tables below them do.

pub(super) use crate::facts::words::duration;
use fullwire_model::quantity::Unit;

/// `47.9 MB/s`, `0.005 MB/s`.
pub(super) fn bytes(bytes_per_s: f64) -> String {
    let rate = bytes_per_s / 1e6;
    match rate {
        rate if rate >= 999.95 => format!("{} MB/s", count(rate)),
        rate if rate >= 9.995 => format!("{rate:.1} MB/s"),
        rate if rate >= 0.9995 => format!("{rate:.2} MB/s"),
        rate => format!("{rate:.3} MB/s"),
    }
}

/// `383 Mbit/s`: as networks are sold.
pub(super) fn bits(bytes_per_s: f64) -> String {
    match bytes_per_s * 8.0 {
        bits if bits >= 1e9 => format!("{:.2} Gbit/s", bits / 1e9),
        bits if bits >= 1e6 => format!("{:.0} Mbit/s", bits / 1e6),
        bits => format!("{:.0} kbit/s", bits / 1e3),
    }
}

/// `47.9 MB/s (383 Mbit/s)`: what crosses a network.
pub(super) fn both(bytes_per_s: f64) -> String {
    if bytes_per_s < 125_000.0 {
        return bytes(bytes_per_s);
    }
    format!("{} ({})", bytes(bytes_per_s), bits(bytes_per_s))
}

/// `12 %`, `0.25 %`: also where it is little.
pub(super) fn share(share: f64) -> String {
    match share * 100.0 {
        percent if percent >= 10.0 || percent == 0.0 => format!("{percent:.0} %"),
        percent if percent >= 0.1 => format!("{percent:.1} %"),
        percent if percent >= 0.01 => format!("{percent:.2} %"),
        _ => "below 0.01 %".to_owned(),
    }
}

/// `134 µs`, `1.24 ms`.
pub(super) fn time(ns: f64) -> String {
    match ns {
        ns if ns >= 1e9 => format!("{:.2} s", ns / 1e9),
        ns if ns >= 99.5e6 => format!("{:.0} ms", ns / 1e6),
        ns if ns >= 9.95e6 => format!("{:.1} ms", ns / 1e6),
        ns if ns >= 999.5e3 => format!("{:.2} ms", ns / 1e6),
        ns if ns >= 99.5e3 => format!("{:.0} µs", ns / 1e3),
        ns if ns >= 50.0 => format!("{:.1} µs", ns / 1e3),
        ns => format!("{ns:.0} ns"),
    }
}

/// `12,345`.
pub(super) fn count(number: f64) -> String {
    let digits = format!("{number:.0}");
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    groups.join(",")
}

/// A figure in its unit.
pub(super) fn value(number: f64, unit: Unit) -> String {
    match unit {
        Unit::BytesPerS => bytes(number),
        Unit::IoPerS => format!("{} IO/s", count(number)),
        _ => count(number),
    }
}

/// `11 times`, `1.4 times`.
pub(super) fn times(factor: f64) -> String {
    if factor >= 9.95 { format!("{} times", count(factor)) } else { format!("{factor:.1} times") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_thousands_apart() {
        assert_eq!(
            [bytes(47.9e6), bytes(4.26e6), bytes(5e3), bytes(3_146e6)],
            ["47.9 MB/s", "4.26 MB/s", "0.005 MB/s", "3,146 MB/s"]
        );
        assert_eq!(
            [time(134_000.0), time(40_600.0), time(1.24e6), time(12.3e6)],
            ["134 µs", "40.6 µs", "1.24 ms", "12.3 ms"]
        );
        assert_eq!([count(7002.4), count(56_994.0), count(12.0)], ["7,002", "56,994", "12"]);
        assert_eq!([duration(518_400.0), duration(3_600.0), duration(5_400.0)], ["6 d", "1 h", "1.5 h"]);
        assert_eq!(both(48.0e6), "48.0 MB/s (384 Mbit/s)");
    }
}
