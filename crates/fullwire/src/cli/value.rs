//! Values as people write them, for clap.

use fullwire_model::array::{DiskArray, parse_array};
use fullwire_model::assessment::Layer;
use fullwire_model::quantity::{self, QuantityError};
use fullwire_model::{DiskExpectation, PathName};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::convert::Infallible;
use std::time::Duration;

/// `8k 1M 2MiB 10GB`, in bytes.
pub(super) fn size(text: &str) -> Result<u64, QuantityError> {
    quantity::parse_size_bytes(text)
}

/// The size of an SGA: no one has one of 24 bytes.
pub(super) fn sga(text: &str) -> Result<u64, QuantityError> {
    let bytes = size(text)?;
    if bytes < 64 << 20 {
        return Err(QuantityError { given: text.to_owned(), expected: "the size of an SGA, such as 24G" });
    }
    Ok(bytes)
}

/// `200Mbit 1Gbit 117MB`, in bytes per second.
pub(super) fn rate(text: &str) -> Result<f64, QuantityError> {
    quantity::parse_rate_bytes_per_s(text)
}

/// `3` or `3%`: a share of more than nothing.
pub(super) fn percent(text: &str) -> Result<f64, QuantityError> {
    let number = text.trim().trim_end_matches('%').trim_end();
    let share = number.parse::<f64>().ok().map(|percent| percent / 100.0);
    let error = || QuantityError { given: text.to_owned(), expected: "a percentage such as 3 or 0.5" };
    share.filter(|share| (0.0001..=10.0).contains(share)).ok_or_else(error)
}

/// `500ms 10s 2m 1h 7d`.
pub(super) fn time(text: &str) -> Result<Duration, QuantityError> {
    quantity::parse_duration_ns(text).map(Duration::from_nanos)
}

/// As [`time`]; a bare number may mean seconds or hours.
pub(super) fn time_with_unit(text: &str) -> Result<Duration, QuantityError> {
    if text.trim().parse::<f64>().is_ok() {
        return Err(QuantityError {
            given: text.to_owned(),
            expected: "a time with its unit, such as 26h or 90m",
        });
    }
    time(text)
}

/// `7d` ago, a day or a moment in UTC, or RFC 3339.
pub(super) fn since(text: &str) -> Result<Timestamp, QuantityError> {
    let error =
        || QuantityError { given: text.to_owned(), expected: "7d, 2026-11-22, 2026-11-22T14:02 or RFC 3339" };
    if let Ok(ago) = time_with_unit(text) {
        return Timestamp::now().checked_sub(ago).map_err(|_| error());
    }
    let civil = || text.replace(' ', "T").parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
    text.parse().ok().or_else(|| Some(civil()?.timestamp())).ok_or_else(error)
}

/// Time between samples: below 100 ms the reading itself would be the load.
pub(super) fn interval(text: &str) -> Result<Duration, QuantityError> {
    let interval = time(text)?;
    if interval < Duration::from_millis(100) || interval > Duration::from_secs(3600) {
        return Err(QuantityError { given: text.to_owned(), expected: "a time between 100ms and 1h" });
    }
    Ok(interval)
}

/// A length of a test: by time or by bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// This long.
    Time(Duration),
    /// This many bytes.
    Bytes(u64),
}

/// `10s` or `1GB`: a bare number is seconds. `m` alone is minutes, as in oratcptest; `M` is MiB.
pub(super) fn extent(text: &str) -> Result<Extent, QuantityError> {
    match time(text) {
        Ok(duration) => Ok(Extent::Time(duration)),
        Err(error) => size(text).map(Extent::Bytes).map_err(|_| QuantityError {
            expected: "a time such as 10s or 2m, or an amount such as 1GB or 500M",
            ..error
        }),
    }
}

/// `ADDR:PORT` or `[ADDR]:PORT`, as typed; whether it is an address of this host is the kernel's word.
pub(super) fn listen(text: &str) -> Result<String, String> {
    let parts = text.rsplit_once(':');
    let fits = parts.is_some_and(|(host, port)| {
        let plain = !host.is_empty() && !host.contains(':');
        let bracketed = host.strip_prefix('[').is_some_and(|host| host.ends_with(']'));
        (plain || bracketed) && port.parse::<u16>().is_ok()
    });
    if fits {
        Ok(text.to_owned())
    } else {
        Err("expected ADDR:PORT, such as [::]:5555 or 10.0.0.2:5555".into())
    }
}

/// A peer as its path is called: with the default port it is the same one as without.
#[expect(clippy::unnecessary_wraps, reason = "clap's parsers may fail")]
pub(super) fn peer(text: &str) -> Result<PathName, Infallible> {
    Ok(PathName::peer(text))
}

/// `RATE`, or `HOST=RATE` with several peers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expectation {
    /// The peer; `None`: all.
    pub(crate) host: Option<PathName>,
    /// What its path should carry, bytes per second.
    pub(crate) bytes_per_s: f64,
}

pub(super) fn expectation(text: &str) -> Result<Expectation, QuantityError> {
    let (host, value) = match text.split_once('=') {
        Some((host, value)) => (Some(PathName::peer(host)), value),
        None => (None, text),
    };
    Ok(Expectation { host, bytes_per_s: rate(value)? })
}

const DISK_EXPECTATION: &str =
    "iops=NUMBER, rate=RATE or an array, or several of them, such as iops=3000,rate=125MB or raid5:8x10k";

/// `raid5:8x10k`.
pub(super) fn array(text: &str) -> Result<DiskArray, QuantityError> {
    parse_array(text)
}

/// `70` or `70%`: a share of all, which may be none.
pub(super) fn share(text: &str) -> Result<f64, QuantityError> {
    let number = text.trim().trim_end_matches('%').trim_end();
    let share = number.parse::<f64>().ok().map(|percent| percent / 100.0);
    let error = || QuantityError { given: text.to_owned(), expected: "a percentage from 0 to 100" };
    share.filter(|share| (0.0..=1.0).contains(share)).ok_or_else(error)
}

/// `iops=3000,rate=125MB`, `raid5:8x10k`.
pub(super) fn disk_expectation(text: &str) -> Result<DiskExpectation, QuantityError> {
    let error = || QuantityError { given: text.to_owned(), expected: DISK_EXPECTATION };
    let mut expected = DiskExpectation::default();
    for part in text.split(',') {
        if part.contains(':') {
            let array = array(part)?;
            if array.disks.is_none() || expected.array.replace(array).is_some() {
                return Err(error());
            }
            continue;
        }
        let (slot, value) = match part.split_once('=').ok_or_else(error)? {
            ("iops", number) => (&mut expected.io_per_s, number.parse().map_err(|_| error())?),
            ("rate", value) => (&mut expected.bytes_per_s, rate(value)?),
            _ => return Err(error()),
        };
        let possible = value > 0.0 && f64::is_finite(value);
        if !possible || slot.replace(value).is_some() {
            return Err(error());
        }
    }
    Ok(expected)
}

/// Again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frequency {
    /// Once in this time.
    pub(crate) every: Duration,
    /// For this long.
    pub(crate) whole: Duration,
}

/// `1h/24h`: every hour for a day.
pub(crate) fn frequency(text: &str) -> Result<Frequency, QuantityError> {
    let error = || QuantityError { given: text.to_owned(), expected: "EVERY/FOR, such as 1h/24h" };
    let (every, whole) = text.split_once('/').ok_or_else(error)?;
    let (every, whole) = (time(every)?, time(whole)?);
    if every.is_zero() { Err(error()) } else { Ok(Frequency { every, whole }) }
}

/// A rule's code.
pub(crate) fn code(text: &str) -> Result<String, String> {
    match fullwire_rules::rule(text) {
        Some(rule) => Ok(rule.code.to_owned()),
        None => Err(format!("there is no rule {text}; `fullwire rules` lists all")),
    }
}

/// `network storage host database`.
pub(super) fn layer(text: &str) -> Result<Layer, QuantityError> {
    match text {
        "network" => Ok(Layer::Network),
        "storage" => Ok(Layer::Storage),
        "host" => Ok(Layer::Host),
        "database" => Ok(Layer::Database),
        _ => Err(QuantityError {
            given: text.to_owned(),
            expected: "network, storage, host (CPU, memory, kernel) or database",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_when() {
        let read = |text: &str| since(text).map(|at| at.to_string());
        assert_eq!(read("2026-11-22").unwrap(), "2026-11-22T00:00:00Z");
        assert_eq!(read("2026-11-22 14:02").unwrap(), "2026-11-22T14:02:00Z");
        assert_eq!(read("2026-11-22T14:02:00+01:00").unwrap(), "2026-11-22T13:02:00Z");
        let then = since("7d").unwrap();
        let ago = Timestamp::now().duration_since(then);
        assert!((604_800..604_860).contains(&ago.as_secs()), "{ago:?}");
        for wrong in ["", "7", "yesterday", "2026-13-01", "99999999999999999999d"] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_peer_is_called_the_same_with_its_port_or_without() {
        assert_eq!(peer("db2:5555"), peer("db2"));
        let rate = |text| expectation(text).map(|one| one.host);
        assert_eq!(rate("db2:5555=1Gbit"), rate("db2=1Gbit"));
    }

    #[test]
    fn what_a_volume_is_to_do() {
        let both = DiskExpectation { io_per_s: Some(3000.0), bytes_per_s: Some(125e6), array: None };
        assert_eq!(disk_expectation("iops=3000,rate=125MB"), Ok(both));
        assert_eq!(
            disk_expectation("rate=1Gbit").map(|one| (one.io_per_s, one.bytes_per_s)),
            Ok((None, Some(125e6)))
        );
        let array = disk_expectation("raid5:8x10k,rate=800MB").unwrap();
        assert_eq!((array.array.unwrap().disks, array.bytes_per_s), (Some(8), Some(800e6)));
        for wrong in [
            "", "3000", "iops", "iops=", "iops=0", "iops=-1", "iops=nan", "iops=1,iops=2", "mbps=125",
            "raid5:10k", "raid5:8x10k,raid6:8x10k", "rate=fast",
        ] {
            assert!(disk_expectation(wrong).is_err(), "{wrong}");
        }
    }
}
