//! Bytes of one stream and of all streams of a test. The kernel's buffer is each stream's own, its windows are added up:
//! two types, so that neither is mistaken for the other.

use serde::{Deserialize, Serialize};
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// What each stream has for itself, bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct PerStream(pub u64);

/// What all streams of a test have together, bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct AllStreams(pub u64);

impl PerStream {
    /// Together, of this many streams; a test that names no number has one.
    pub fn times(self, streams: u32) -> AllStreams {
        AllStreams(self.0.saturating_mul(u64::from(streams.max(1))))
    }
}

impl AllStreams {
    /// The mean of this many streams.
    pub fn each(self, streams: u32) -> PerStream {
        PerStream(self.0 / u64::from(streams.max(1)))
    }
}

impl Add for AllStreams {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for AllStreams {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for AllStreams {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Self::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_of_each_stream_is_no_sum() {
        assert_eq!(PerStream(65_536).times(4), AllStreams(262_144));
        assert_eq!(PerStream(65_536).times(0), AllStreams(65_536));
        assert_eq!(AllStreams(262_144).each(4), PerStream(65_536));
        assert_eq!([AllStreams(1), AllStreams(2)].into_iter().sum::<AllStreams>(), AllStreams(3));
    }

    #[test]
    fn both_are_plain_numbers_in_a_run() {
        assert_eq!(serde_json::to_string(&(PerStream(7), AllStreams(8))).unwrap(), "[7,8]");
    }
}
