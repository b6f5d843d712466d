//! Figures in words.

pub(crate) use fullwire_model::format::{counted, duration, time};

/// `12.3 MB/s (98 Mbit/s)`.
pub(crate) fn rate(bytes_per_s: f64) -> String {
    let bits = bytes_per_s * 8.0;
    let bits =
        if bits >= 1e9 { format!("{:.2} Gbit/s", bits / 1e9) } else { format!("{:.1} Mbit/s", bits / 1e6) };
    format!("{:.1} MB/s ({bits})", bytes_per_s / 1e6)
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

/// `on`, `off`, `unknown`: what can be switched.
pub(crate) fn switch(value: Option<bool>) -> &'static str {
    match value {
        Some(true) => "on",
        Some(false) => "off",
        None => "unknown",
    }
}

/// Numbers as sysctl prints them: `250 32000 100 128`.
pub(crate) fn numbers<T: std::fmt::Display>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// `101.5, 98.2, 97.0 MB/s`.
pub(crate) fn rates(bytes_per_s: &[f64]) -> String {
    let each: Vec<String> = bytes_per_s.iter().map(|rate| format!("{:.1}", rate / 1e6)).collect();
    format!("{} MB/s", each.join(", "))
}

/// `once`, `twice`, `5 times`.
pub(crate) fn times(count: u64) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        count => format!("{count} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_in_the_right_number() {
        assert_eq!([times(1), times(2), times(3)], ["once", "twice", "3 times"]);
        assert_eq!(
            [counted(0, "path"), counted(1, "path"), counted(2, "path")],
            ["0 paths", "1 path", "2 paths"]
        );
        assert_eq!(rates(&[101.5e6, 98.2e6]), "101.5, 98.2 MB/s");
        assert_eq!(numbers(&[250, 32000]), "250 32000");
    }
}
