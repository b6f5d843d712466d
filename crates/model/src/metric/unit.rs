//! The unit of a field, from its name: the unit comes last.

use crate::quantity::Unit;

/// Fields whose suffix would mislead, or that have none: shares and factors.
const RATIOS: &[&str] = &[
    "read_share",
    "goodput_fraction",
    "jumbo_gain",
    "noise",
    "utilisation",
    "thread_peak",
    "client_thread_peak",
    "server_thread_peak",
    "thread_wait",
    "client_thread_wait",
    "server_thread_wait",
    "requests_per_io",
    "device_bytes_over_program_bytes",
    "data_used",
    "metadata_used",
    "loss",
    "memory_some_300s_ratio",
    "small_loss",
    "little_error",
    "sync_done",
    "headroom",
];

/// Suffixes, the longer ones first; the unit of the sample, and the factor to it.
const SUFFIXES: &[(&str, Unit, f64)] = &[
    ("_gbit_per_s", Unit::BytesPerS, 125e6),
    ("_mbit_per_s", Unit::BytesPerS, 125e3),
    ("_bytes_per_s", Unit::BytesPerS, 1.0),
    ("_io_per_s", Unit::IoPerS, 1.0),
    ("_gt_per_s", Unit::PerS, 1e9),
    ("_per_s", Unit::PerS, 1.0),
    ("_ns_per_io", Unit::Ns, 1.0),
    ("_s_per_gb", Unit::S, 1.0),
    ("_ns", Unit::Ns, 1.0),
    ("_us", Unit::Ns, 1e3),
    ("_usecs", Unit::Ns, 1e3),
    ("_ms", Unit::Ns, 1e6),
    ("_ds", Unit::S, 0.1),
    ("_min", Unit::S, 60.0),
    ("_s", Unit::S, 1.0),
    ("_bytes", Unit::Bytes, 1.0),
    ("_sectors", Unit::Bytes, 512.0),
    ("_pct", Unit::Ratio, 0.01),
];

/// The unit of a field and the factor that brings its number into it. A part of a distribution
/// (`latency_ns.p50`) has its distribution's.
pub(super) fn unit(selector: &str) -> (Unit, f64) {
    let mut names = selector.split('.').rev().map(|segment| segment.trim_end_matches(['[', ']', '{', '}']));
    let field = names.next().unwrap_or("");
    if RATIOS.contains(&field) {
        return (Unit::Ratio, 1.0);
    }
    if field == "iops" {
        return (Unit::IoPerS, 1.0);
    }
    if field == "bytes" || field.starts_with("bytes_") {
        return by_suffix(field).unwrap_or((Unit::Bytes, 1.0));
    }
    if let Some(of_field) = by_suffix(field) {
        return of_field;
    }
    let is_part = matches!(field, "min" | "mean" | "p50" | "p90" | "p99" | "p999" | "p9999" | "max");
    // `parts_ns.network.p50`: the unit may stand two names above.
    let of_whole = names.filter(|_| is_part).take(2).find_map(by_suffix);
    of_whole.unwrap_or((Unit::Count, 1.0))
}

fn by_suffix(name: &str) -> Option<(Unit, f64)> {
    let (_, unit, factor) = SUFFIXES.iter().find(|(suffix, _, _)| name.ends_with(suffix))?;
    Some((*unit, *factor))
}
