//! Latency as a distribution: recorded in an HDR histogram, kept as buckets and percentiles.

use fullwire_record::record;
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// A latency distribution in nanoseconds. Percentiles of few samples are the nearest of them: `count` says how many there
/// are. Without samples everything is 0.
#[record]
pub struct Latency {
    /// Samples.
    pub count: u64,
    /// Smallest, ns.
    pub min: u64,
    /// Arithmetic mean, ns.
    pub mean: f64,
    /// Median, ns.
    pub p50: u64,
    /// 90th percentile, ns.
    pub p90: u64,
    /// 99th percentile, ns.
    pub p99: u64,
    /// 99.9th percentile, ns.
    pub p999: u64,
    /// 99.99th percentile, ns.
    pub p9999: u64,
    /// Largest, ns.
    pub max: u64,
    /// The distribution itself, ascending, at most a few hundred buckets: enough to draw and to merge.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<Bucket>,
}

impl Latency {
    /// Whether such samples can be: the percentiles ascend, the mean is among them, and the buckets hold as many. Far ends of
    /// earlier versions leave percentiles out.
    pub fn is_consistent(&self) -> bool {
        let told =
            [self.p50, self.p90, self.p99, self.p999, self.p9999].into_iter().filter(|value| *value > 0);
        let rising: Vec<u64> = [self.min].into_iter().chain(told).chain([self.max]).collect();
        let held = self.buckets.iter().map(|bucket| bucket.count).fold(0, u64::saturating_add);
        // The mean is of the samples themselves, what is beside it of the histogram's steps.
        let among = self.min as f64 * 0.99..=self.max as f64 * 1.01;
        rising.is_sorted() && among.contains(&self.mean) && (self.buckets.is_empty() || held == self.count)
    }
}

/// Samples up to a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bucket {
    /// Inclusive upper edge of the bucket, ns.
    pub upto_ns: u64,
    /// Samples in it.
    pub count: u64,
}

/// Records latencies with at most 0.1 % error (three significant digits) up to one hour.
#[derive(Debug, Clone)]
pub struct LatencyRecorder {
    histogram: Histogram<u64>,
    sum_ns: u128,
}

/// One hour in ns: a latency above it is counted as one hour.
const LONGEST_NS: u64 = 3_600_000_000_000;

impl Default for LatencyRecorder {
    fn default() -> Self {
        Self::new()
    }
}

impl LatencyRecorder {
    /// An empty recorder.
    ///
    /// # Panics
    /// Never: the bounds are constants that the histogram accepts.
    pub fn new() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST_NS, 3).expect("constant bounds are valid");
        Self { histogram, sum_ns: 0 }
    }

    /// Adds one sample, in ns.
    pub fn record(&mut self, latency_ns: u64) {
        self.histogram.saturating_record(latency_ns.max(1));
        self.sum_ns += u128::from(latency_ns);
    }

    /// Adds samples, in ns.
    pub fn record_all(&mut self, latencies_ns: &[u64]) {
        for latency_ns in latencies_ns {
            self.record(*latency_ns);
        }
    }

    /// Adds all samples of another recorder: percentiles of several streams are taken over their union.
    pub fn merge(&mut self, other: &Self) {
        self.histogram += &other.histogram;
        self.sum_ns += other.sum_ns;
    }

    /// Samples so far.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Arithmetic mean, ns; 0 when empty.
    pub fn mean_ns(&self) -> f64 {
        self.sum_ns as f64 / self.count().max(1) as f64
    }

    /// The value at a percentile (0 to 100), ns; 0 when empty.
    pub fn percentile(&self, percentile: f64) -> u64 {
        self.histogram.value_at_percentile(percentile)
    }

    /// Forgets all samples, keeps the memory.
    pub fn clear(&mut self) {
        self.histogram.reset();
        self.sum_ns = 0;
    }

    /// The distribution as a value.
    pub fn finish(&self) -> Latency {
        let count = self.histogram.len();
        if count == 0 {
            return Latency::default();
        }
        let at = |percentile| self.histogram.value_at_percentile(percentile);
        Latency {
            count,
            min: self.histogram.min(),
            mean: self.mean_ns(),
            p50: at(50.0),
            p90: at(90.0),
            p99: at(99.0),
            p999: at(99.9),
            p9999: at(99.99),
            max: self.histogram.max(),
            buckets: self.buckets(),
        }
    }

    /// Logarithmic buckets, 2^(1/8) wide (9 %): for drawing, not for percentiles.
    fn buckets(&self) -> Vec<Bucket> {
        self.histogram
            .iter_log(1, 2f64.powf(0.125))
            .filter(|step| step.count_since_last_iteration() > 0)
            .map(|step| Bucket {
                upto_ns: step.value_iterated_to(),
                count: step.count_since_last_iteration(),
            })
            .collect()
    }
}
