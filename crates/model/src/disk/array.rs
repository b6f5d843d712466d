//! An array of disks as its administrator describes it: `raid5:8x10k`.

use crate::quantity::QuantityError;
use fullwire_record::record;
use serde::{Deserialize, Serialize};

/// How an array spreads and protects its data.
#[record]
pub enum RaidLevel {
    /// Striped, without protection.
    Raid0,
    /// Mirrored.
    Raid1,
    /// Striped, with one parity for each stripe.
    Raid5,
    /// Striped, with two parities for each stripe.
    Raid6,
    /// Striped over mirrors.
    Raid10,
}

impl RaidLevel {
    /// All of them, the cheapest write first.
    pub const ALL: [Self; 5] = [Self::Raid0, Self::Raid1, Self::Raid10, Self::Raid5, Self::Raid6];

    /// Fewest disks that make one.
    pub fn least_disks(self) -> u64 {
        match self {
            Self::Raid0 => 1,
            Self::Raid1 => 2,
            Self::Raid5 => 3,
            Self::Raid6 | Self::Raid10 => 4,
        }
    }

    /// The same, for who gave fewer.
    fn fewest(self) -> &'static str {
        match self {
            Self::Raid0 => "at least 1 disk for raid0",
            Self::Raid1 => "at least 2 disks for raid1",
            Self::Raid5 => "at least 3 disks for raid5",
            Self::Raid6 => "at least 4 disks for raid6",
            Self::Raid10 => "at least 4 disks for raid10",
        }
    }

    /// A mirror takes disks in pairs.
    pub fn in_pairs(self) -> bool {
        matches!(self, Self::Raid1 | Self::Raid10)
    }
}

/// What one disk of an array does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DiskKind {
    /// A rotating disk of this speed, turns per minute: 15000, 10000 or 7200.
    Rpm(u32),
    /// A disk of which this is known, I/Os per second: an SSD's data sheet, or a measurement.
    IoPerS(f64),
}

/// An array of equal disks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiskArray {
    /// How it protects its data.
    pub level: RaidLevel,
    /// Number of disks; `None`: that is the question.
    pub disks: Option<u64>,
    /// What each is.
    pub disk: DiskKind,
}

/// What [`parse_array`] understands.
pub const ARRAY: &str = "an array such as raid5:8x10k, raid10:12x15k, raid6:10x7.2k or raid5:8x20000iops (level, number of \
                         disks, speed in thousand turns per minute or I/Os per second of one disk)";

/// Most disks of one array: the largest frames hold a few thousand.
const DISKS_LIMIT: u64 = 100_000;

/// Reads `raid5:8x10k`; the number of disks may be left out.
pub fn parse_array(text: &str) -> Result<DiskArray, QuantityError> {
    let error = || QuantityError { given: text.to_owned(), expected: ARRAY };
    let lower = text.trim().to_ascii_lowercase();
    let (level, disks) = lower.split_once(':').ok_or_else(error)?;
    let level = RaidLevel::ALL.into_iter().find(|known| known.name() == level).ok_or_else(error)?;
    let (count, kind) = match disks.split_once('x') {
        Some((count, kind)) => (Some(disks_of(count).ok_or_else(error)?), kind),
        None => (None, disks),
    };
    let disk = match (kind, kind.strip_suffix("iops")) {
        ("15k" | "15000", _) => DiskKind::Rpm(15_000),
        ("10k" | "10000", _) => DiskKind::Rpm(10_000),
        ("7.2k" | "7200", _) => DiskKind::Rpm(7_200),
        (_, Some(number)) => DiskKind::IoPerS(number.parse().map_err(|_| error())?),
        _ => return Err(error()),
    };
    let possible = match disk {
        DiskKind::IoPerS(per_s) => per_s.is_finite() && per_s > 0.0,
        DiskKind::Rpm(_) => true,
    };
    let fewest = |expected| Err(QuantityError { given: text.to_owned(), expected });
    match count {
        _ if !possible => Err(error()),
        Some(count) if count > DISKS_LIMIT => Err(error()),
        Some(count) if count < level.least_disks() => fewest(level.fewest()),
        count => Ok(DiskArray { level, disks: count, disk }),
    }
}

/// `8`, or `7+1` as frames have it: disks of data and of parity or copies.
fn disks_of(text: &str) -> Option<u64> {
    let plain = |part: &str| part.trim_end_matches(['d', 'p']).parse::<u64>().ok();
    match text.split_once('+') {
        Some((data, parity)) => plain(data)?.checked_add(plain(parity)?),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_as_an_administrator_writes_it() {
        let array = |level, disks, disk| Ok(DiskArray { level, disks, disk });
        assert_eq!(parse_array("raid5:8x10k"), array(RaidLevel::Raid5, Some(8), DiskKind::Rpm(10_000)));
        assert_eq!(parse_array("RAID10:15K"), array(RaidLevel::Raid10, None, DiskKind::Rpm(15_000)));
        assert_eq!(
            parse_array("raid6:10x20000iops"),
            array(RaidLevel::Raid6, Some(10), DiskKind::IoPerS(20_000.0))
        );
        assert_eq!(parse_array("raid5:7d+1px10k"), parse_array("raid5:8x10k"));
        assert_eq!(parse_array("raid5:7+1x10k"), parse_array("raid5:8x10k"));
        let refused = |text: &str| parse_array(text).unwrap_err().to_string();
        assert!(refused("raid5:2x10k").ends_with("at least 3 disks for raid5"));
        for wrong in [
            "", "raid5", "raid5:2x10k", "raid7:8x10k", "raid5:8x", "raid5:8xssd", "raid5:8x0iops",
            "raid0:0x10k",
        ] {
            assert!(parse_array(wrong).is_err(), "{wrong}");
        }
    }
}
