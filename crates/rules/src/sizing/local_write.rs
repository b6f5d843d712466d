//! The local log write, as far as a report shows it.

use fullwire_model::demand::{Demand, WaitHistogram};

/// How long a local log write takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LocalWrite<'a> {
    /// Shares of the writes by their time.
    Histogram(&'a WaitHistogram),
    /// The mean alone, ns: it stands for every write.
    Mean(f64),
    /// Not known.
    Unknown,
}

impl<'a> LocalWrite<'a> {
    /// The best that a demand has.
    pub fn of(demand: &'a Demand) -> Self {
        let usable = |histogram: &&WaitHistogram| histogram.buckets.iter().any(|bucket| bucket.pct > 0.0);
        match (demand.log_write_histogram.as_ref().filter(usable), demand.log_write_mean_ns) {
            (Some(histogram), _) => Self::Histogram(histogram),
            (None, Some(mean)) => Self::Mean(mean),
            (None, None) => Self::Unknown,
        }
    }

    /// What it is known by.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Histogram(_) => "histogram",
            Self::Mean(_) => "mean",
            Self::Unknown => "unknown",
        }
    }

    /// The time that this share of the writes does not exceed, ns.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "times of writes, never negative"
    )]
    pub fn at(&self, share: f64) -> u64 {
        match self {
            Self::Histogram(histogram) => (quantile_us(histogram, share) * 1e3) as u64,
            Self::Mean(ns) => *ns as u64,
            Self::Unknown => 0,
        }
    }
}

/// Straight between the edges of a bucket; of the last, which is open, its lower edge: the local write is then taken as
/// too fast rather than too slow, and what SYNC adds as too much.
fn quantile_us(histogram: &WaitHistogram, share: f64) -> f64 {
    let all: f64 = histogram.buckets.iter().map(|bucket| bucket.pct).sum();
    let wanted = share * all;
    let (mut below, mut lower) = (0.0, 0.0);
    for bucket in &histogram.buckets {
        let Some(upper) = bucket.upto_us else { break };
        if bucket.pct > 0.0 && below + bucket.pct >= wanted {
            return lower + (upper - lower) * ((wanted - below) / bucket.pct).clamp(0.0, 1.0);
        }
        below += bucket.pct;
        lower = upper;
    }
    lower
}
