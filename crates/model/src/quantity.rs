//! Quantities as people write them: sizes, rates, durations, and the units that results carry.

use serde::{Deserialize, Serialize};

/// The unit of a number in a ceiling, a finding or a metric.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Bytes per second.
    BytesPerS,
    /// I/O operations per second.
    IoPerS,
    /// Other events per second.
    PerS,
    /// Nanoseconds.
    Ns,
    /// Seconds.
    S,
    /// Bytes.
    Bytes,
    /// A count.
    #[default]
    Count,
    /// A share: 1 is all.
    Ratio,
}

/// Why a quantity was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuantityError {
    /// What was given.
    pub given: String,
    /// What would have been understood.
    pub expected: &'static str,
}

impl std::fmt::Display for QuantityError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot read \"{}\": expected {}", self.given, self.expected)
    }
}

impl std::error::Error for QuantityError {}

const SIZE: &str =
    "a size such as 512, 8k, 1M, 2MiB or 10GB (k, M, G are powers of 1024; kB, MB, GB powers of 1000)";
const RATE: &str =
    "a rate such as 200Mbit, 1Gbit, 25Gbit (bits, powers of ten), 117MB or 112MiB (bytes per second)";
const TIME: &str = "a time such as 500ms, 10s, 2m or 1h";

/// Reads a size in bytes: `8k 1M 2MiB 10GB`. k, M, G alone are 1024-based as in dd, fio and iperf.
pub fn parse_size_bytes(text: &str) -> Result<u64, QuantityError> {
    let error = || QuantityError { given: text.to_owned(), expected: SIZE };
    let (number, suffix) = split_number(text).ok_or_else(error)?;
    let factor: u64 = match suffix.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return Err(error()),
    };
    scale(number, factor as f64).ok_or_else(error)
}

/// Reads a rate in bytes per second: `200Mbit`, `1Gbit` (bits, 10^n), `117MB`, `112MiB` (bytes).
pub fn parse_rate_bytes_per_s(text: &str) -> Result<f64, QuantityError> {
    let error = || QuantityError { given: text.to_owned(), expected: RATE };
    let bare = text.strip_suffix("/s").unwrap_or(text);
    let (number, suffix) = split_number(bare).ok_or_else(error)?;
    let lower = suffix.to_ascii_lowercase();
    let factor = match lower.as_str() {
        "bit" => 0.125,
        "kbit" => 125.0,
        "mbit" => 125e3,
        "gbit" => 125e6,
        "tbit" => 125e9,
        "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "kib" => 1024.0,
        "mib" => 1_048_576.0,
        "gib" => 1_073_741_824.0,
        _ => return Err(error()),
    };
    let rate = number * factor;
    if rate.is_finite() && rate > 0.0 { Ok(rate) } else { Err(error()) }
}

/// Reads a duration in nanoseconds: `500ms 10s 2m 1h`; a bare number is seconds.
pub fn parse_duration_ns(text: &str) -> Result<u64, QuantityError> {
    let error = || QuantityError { given: text.to_owned(), expected: TIME };
    let (number, suffix) = split_number(text).ok_or_else(error)?;
    let factor = match suffix {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "" | "s" => 1e9,
        "m" | "min" => 60e9,
        "h" => 3_600e9,
        "d" => 86_400e9,
        _ => return Err(error()),
    };
    scale(number, factor).ok_or_else(error)
}

/// Nothing: a figure that a document leaves out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// The number in front and what follows it, trimmed.
fn split_number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    Some((number, text[end..].trim()))
}

/// A non-negative product that fits in a u64.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked against the range")]
fn scale(number: f64, factor: f64) -> Option<u64> {
    let value = (number * factor).round();
    (value.is_finite() && (0.0..1.8e19).contains(&value)).then_some(value as u64)
}

/// A block size as fio and dd write it: `8k`, `1M`.
pub(crate) fn block_label(bytes: u64) -> String {
    match bytes {
        bytes if bytes > 0 && bytes.is_multiple_of(1 << 20) => format!("{}M", bytes >> 20),
        bytes if bytes > 0 && bytes.is_multiple_of(1 << 10) => format!("{}k", bytes >> 10),
        bytes => bytes.to_string(),
    }
}
