//! A measurement in slices of time, each with its own small histogram; bounded however long it runs.

use fullwire_model::disk::DiskInterval;

/// Below this, every value has its own bucket.
const EXACT: usize = 64;
/// Buckets of each power of two above: 3 % wide, enough for a line on a chart.
const PER_OCTAVE: usize = 32;
/// Values up to 2^42 ns, 73 minutes.
const OCTAVES: usize = 36;
const BUCKETS: usize = EXACT + OCTAVES * PER_OCTAVE;

/// More slices than that no chart shows: neighbours are joined.
const MOST_SLICES: usize = 1200;

/// After a pause of the whole program its threads run again within this time of each other, ns (own choice).
const AROUND_NS: u64 = 20_000_000;

/// What happened within one slice.
#[derive(Debug, Clone)]
struct Slice {
    ios: u64,
    bytes: u64,
    max_ns: u64,
    late_ns: u64,
    buckets: Box<[u32; BUCKETS]>,
}

impl Default for Slice {
    fn default() -> Self {
        Self { ios: 0, bytes: 0, max_ns: 0, late_ns: 0, buckets: Box::new([0; BUCKETS]) }
    }
}

fn bucket_of(value: u64) -> usize {
    if value < EXACT as u64 {
        return usize::try_from(value).unwrap_or(0);
    }
    let octave = value.ilog2().min(41);
    let step = (value.min((1 << 42) - 1) >> (octave - 5)) & 31;
    EXACT + (octave as usize - 6) * PER_OCTAVE + usize::try_from(step).unwrap_or(0)
}

/// The largest value of a bucket.
fn upper_edge(bucket: usize) -> u64 {
    if bucket < EXACT {
        return bucket as u64;
    }
    let above = bucket - EXACT;
    let (octave, step) = (above / PER_OCTAVE + 6, above % PER_OCTAVE);
    let width = 1u64 << (octave - 5);
    (1u64 << octave) + (step as u64 + 1) * width - 1
}

impl Slice {
    fn add(&mut self, latencies_ns: &[u64], bytes: u64) {
        self.ios += latencies_ns.len() as u64;
        self.bytes += bytes;
        for latency_ns in latencies_ns {
            self.max_ns = self.max_ns.max(*latency_ns);
            let count = &mut self.buckets[bucket_of(*latency_ns)];
            *count = count.saturating_add(1);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.max_ns = self.max_ns.max(other.max_ns);
        self.late_ns = self.late_ns.max(other.late_ns);
        for (mine, theirs) in self.buckets.iter_mut().zip(other.buckets.iter()) {
            *mine = mine.saturating_add(*theirs);
        }
    }

    fn percentile(&self, share: f64) -> u64 {
        let total: u64 = self.buckets.iter().map(|count| u64::from(*count)).sum();
        let wanted = (total as f64 * share).ceil().max(1.0);
        let mut seen = 0u64;
        for (bucket, count) in self.buckets.iter().enumerate() {
            seen += u64::from(*count);
            if seen as f64 >= wanted {
                return upper_edge(bucket).min(self.max_ns);
            }
        }
        self.max_ns
    }

    fn finish(&self, end_s: f64, length_s: f64) -> DiskInterval {
        DiskInterval {
            t_s: end_s,
            iops: self.ios as f64 / length_s,
            throughput_bytes_per_s: self.bytes as f64 / length_s,
            p50_ns: self.percentile(0.5),
            p99_ns: self.percentile(0.99),
            max_ns: self.max_ns,
            late_ns: self.late_ns,
        }
    }
}

/// All slices of a measurement, filled by several threads.
#[derive(Debug)]
pub(crate) struct Series {
    slices: Vec<Slice>,
    interval_ns: u64,
}

impl Series {
    /// Slices of `interval_ns`, or longer ones when the measurement turns out long. Those of the expected duration
    /// are made beforehand, so that no measuring thread asks for memory.
    pub(crate) fn new(interval_ns: u64, duration_ns: u64) -> Self {
        let mut series = Self { slices: Vec::new(), interval_ns: interval_ns.max(1) };
        while duration_ns / series.interval_ns >= MOST_SLICES as u64 {
            series.interval_ns *= 2;
        }
        let expected = usize::try_from(duration_ns / series.interval_ns).unwrap_or(MOST_SLICES);
        series.slices.resize_with(expected + 1, Slice::default);
        series
    }

    /// Adds I/Os of the slice that contains `at_ns`: how long each took, and their bytes together.
    pub(crate) fn add(&mut self, at_ns: u64, latencies_ns: &[u64], bytes: u64) {
        if latencies_ns.is_empty() {
            return;
        }
        self.slice(at_ns).add(latencies_ns, bytes);
    }

    /// This program came late by `late_ns` to what it wanted to do at about `at_ns`: I/Os that end there took no less.
    pub(crate) fn add_late(&mut self, at_ns: u64, late_ns: u64) {
        for end_ns in [at_ns.saturating_sub(AROUND_NS), at_ns, at_ns + AROUND_NS] {
            let slice = self.slice(end_ns);
            slice.late_ns = slice.late_ns.max(late_ns);
        }
    }

    /// The slice that contains a moment.
    fn slice(&mut self, at_ns: u64) -> &mut Slice {
        while at_ns / self.interval_ns >= MOST_SLICES as u64 {
            self.halve();
        }
        let index = usize::try_from(at_ns / self.interval_ns).unwrap_or(MOST_SLICES - 1);
        while self.slices.len() <= index {
            self.slices.push(Slice::default());
        }
        &mut self.slices[index]
    }

    fn halve(&mut self) {
        self.interval_ns *= 2;
        let joined = self.slices.chunks(2).map(|pair| {
            let mut first = pair[0].clone();
            if let Some(second) = pair.get(1) {
                first.merge(second);
            }
            first
        });
        self.slices = joined.collect();
    }

    /// The slices as values; the last one ends where the measurement ended.
    pub(crate) fn finish(&self, end_ns: u64) -> Vec<DiskInterval> {
        let used =
            usize::try_from(end_ns.div_ceil(self.interval_ns)).unwrap_or(MOST_SLICES).min(self.slices.len());
        let mut intervals = Vec::with_capacity(used);
        for (index, slice) in self.slices[..used].iter().enumerate() {
            let from = index as u64 * self.interval_ns;
            let until = (from + self.interval_ns).min(end_ns.max(from + 1));
            let length_s = (until - from) as f64 / 1e9;
            // A stub of a slice at the end would show a rate that nothing had: it belongs to the one before, with the slow I/O for
            // which the measurement waited.
            let stub = index > 0 && index + 1 == used && (until - from) < self.interval_ns / 2;
            if stub {
                intervals.pop();
                let mut whole = self.slices[index - 1].clone();
                whole.merge(slice);
                intervals
                    .push(whole.finish(until as f64 / 1e9, (until + self.interval_ns - from) as f64 / 1e9));
            } else {
                intervals.push(slice.finish(until as f64 / 1e9, length_s));
            }
        }
        intervals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn slices_carry_their_own_rate_and_percentiles() {
        let mut series = Series::new(1_000_000_000, 3_000_000_000);
        let latencies_ns: Vec<u64> = (1..=100).map(|us| us * 1000).collect();
        series.add(500_000_000, &latencies_ns[..40], 40 * 8192);
        series.add(999_999_999, &latencies_ns[40..], 60 * 8192);
        series.add(1_200_000_000, &[7_000_000], 8192);
        let intervals = series.finish(2_000_000_000);
        assert_eq!(intervals.len(), 2);
        assert!((intervals[0].iops - 100.0).abs() < 1e-9);
        assert!((intervals[0].throughput_bytes_per_s - 819_200.0).abs() < 1e-6);
        assert!((50_000..=52_000).contains(&intervals[0].p50_ns), "{}", intervals[0].p50_ns);
        assert!((99_000..=100_000).contains(&intervals[0].p99_ns), "{}", intervals[0].p99_ns);
        assert_eq!(intervals[1].max_ns, 7_000_000);
    }

    #[test]
    fn a_pause_of_this_program_lies_in_the_slices_around_its_end() {
        let mut series = Series::new(1_000_000_000, 4_000_000_000);
        series.add_late(1_990_000_000, 400_000_000);
        series.add_late(1_500_000_000, 80_000_000);
        let late = series.finish(4_000_000_000).into_iter().map(|slice| slice.late_ns / 1_000_000);
        assert_eq!(late.collect::<Vec<_>>(), [0, 400, 400, 0]);
    }

    #[test]
    fn the_io_for_which_a_measurement_waited_is_kept() {
        let mut series = Series::new(50_000_000, 400_000_000);
        series.add(20_000_000, &[5_000_000; 10], 10 * 8192);
        series.add(70_000_000, &[5_000_000; 5], 5 * 8192);
        series.add(105_000_000, &[30_000_000], 8192);
        let intervals = series.finish(110_000_000);
        assert_eq!(intervals.len(), 2);
        assert_eq!(intervals[1].max_ns, 30_000_000);
        assert!((intervals[1].t_s - 0.11).abs() < 1e-9);
        assert!((intervals[1].iops - 100.0).abs() < 1e-6, "{}", intervals[1].iops);
    }

    #[test]
    fn a_long_measurement_stays_bounded_and_loses_nothing() {
        let mut series = Series::new(1_000_000, 0);
        for ms in 0..10_000u64 {
            series.add(ms * 1_000_000, &[1000], 0);
        }
        let intervals = series.finish(10_000_000_000);
        assert!(intervals.len() <= MOST_SLICES);
        let width = intervals[0].t_s;
        let ios: f64 = intervals.iter().map(|interval| interval.iops * width).sum();
        assert!((ios - 10_000.0).abs() / 10_000.0 < 0.01, "{ios}");
    }

    proptest! {
        #[test]
        fn a_bucket_holds_its_value_within_one_thirtysecond(value in 0u64..(1 << 42)) {
            let bucket = bucket_of(value);
            prop_assert!(bucket < BUCKETS);
            let edge = upper_edge(bucket);
            prop_assert!(edge >= value);
            prop_assert!((edge - value) as f64 <= value as f64 / 32.0 + 1.0);
        }

        #[test]
        fn no_value_is_out_of_range(value: u64) {
            prop_assert!(bucket_of(value) < BUCKETS);
        }
    }
}
