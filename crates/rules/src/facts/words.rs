//! Figures in words.

/// `12.3 MB/s (98 Mbit/s)`.
pub(crate) fn rate(bytes_per_s: f64) -> String {
    let bits = bytes_per_s * 8.0;
    let bits =
        if bits >= 1e9 { format!("{:.2} Gbit/s", bits / 1e9) } else { format!("{:.1} Mbit/s", bits / 1e6) };
    format!("{:.1} MB/s ({bits})", bytes_per_s / 1e6)
}

/// `10.2 ms`, `85 µs`.
pub(crate) fn time(ns: f64) -> String {
    match ns {
        ns if ns >= 1e9 => format!("{:.2} s", ns / 1e9),
        ns if ns >= 1e6 => format!("{:.1} ms", ns / 1e6),
        ns => format!("{:.0} µs", ns / 1e3),
    }
}

/// `sda, sdb and 3 more`: a list that stays one line on a host with a thousand disks.
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    const SHOWN: usize = 6;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A size as it is set and read: `512`, `8 KiB`, `1.5 GiB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    for (unit, shift) in UNITS {
        let one = 1u64 << shift;
        if bytes >= one {
            let value = bytes as f64 / one as f64;
            return if bytes.is_multiple_of(one) {
                format!("{value:.0} {unit}")
            } else {
                format!("{value:.1} {unit}")
            };
        }
    }
    format!("{bytes} bytes")
}

/// A share as per cent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A number, or that it is not known.
pub(crate) fn known<T: std::fmt::Display>(value: Option<T>) -> String {
    value.map_or_else(|| "unknown".into(), |value| value.to_string())
}
