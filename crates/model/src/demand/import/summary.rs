//! What a series comes to: one figure for headline, table, document and chart.

use super::{ImportedSeries, Sample, Series, lengths_s};
use crate::Moment;
use jiff::civil::DateTime;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::OnceLock;

/// Of one series.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Summary {
    /// Samples that count: a mean time of no request is none.
    pub count: usize,
    /// Over the time: rates by the length of their intervals, times and sizes of requests by the requests.
    pub mean: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// The end of the interval of the largest.
    pub max_at: Option<DateTime>,
    /// 95 % of the intervals are no larger.
    pub p95: f64,
}

/// Metrics that are means over requests, and the rates of these requests, the first that is there.
const OF_REQUESTS: [(&str, &[&str]); 12] = [
    ("read_await_ns", &["read_io_per_s"]),
    ("write_await_ns", &["write_io_per_s"]),
    ("discard_await_ns", &["discard_io_per_s"]),
    ("flush_await_ns", &["flush_io_per_s"]),
    ("await_ns", &["io_per_s", "read_io_per_s+write_io_per_s"]),
    ("request_mean_bytes", &["io_per_s", "read_io_per_s+write_io_per_s"]),
    ("read_request_mean_bytes", &["read_io_per_s"]),
    ("write_request_mean_bytes", &["write_io_per_s"]),
    ("discard_request_mean_bytes", &["discard_io_per_s"]),
    ("rtt_ns", &["io_per_s"]),
    ("queue_ns", &["io_per_s"]),
    ("service_ns", &["io_per_s"]),
];

/// Where the series of a file lie, by what they are of, as they were when one was looked for first: a list of thousands of devices
/// is not gone through for each of them.
#[derive(Debug, Default)]
pub struct Places(OnceLock<HashMap<u64, usize>>);

impl Clone for Places {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl ImportedSeries {
    /// The first and the last time of the file.
    pub fn times(&self) -> Option<(DateTime, DateTime)> {
        let times = || self.series.iter().flat_map(|series| &series.samples).filter_map(|sample| sample.at);
        Some((times().min()?, times().max()?))
    }

    /// The end and the length, s, of every record of a file with times, ascending.
    pub fn records(&self) -> Vec<(Moment, f64)> {
        let samples = self.series.iter().flat_map(|series| &series.samples);
        let times: BTreeSet<DateTime> = samples.filter_map(|sample| sample.at).collect();
        let times: Vec<DateTime> = times.into_iter().collect();
        let lengths = lengths_s(&times, &self.starts);
        times.into_iter().map(Moment::Local).zip(lengths).collect()
    }

    /// What one of its series comes to; `None`: no sample counts.
    pub fn summary(&self, series: &Series) -> Option<Summary> {
        let counts = self.weights(series);
        let of_requests = OF_REQUESTS.iter().any(|(metric, _)| *metric == series.metric);
        let times: Vec<DateTime> = series.samples.iter().filter_map(|sample| sample.at).collect();
        let lengths = lengths_s(&times, &self.starts);
        let mut values: Vec<f64> = Vec::new();
        let (mut sum, mut weights) = (0.0, 0.0);
        let mut summary = Summary { min: f64::MAX, max: f64::MIN, ..Summary::default() };
        for (index, sample) in series.samples.iter().enumerate() {
            let told = f64::from(!of_requests || sample.value > 0.0);
            let requests = counts.as_ref().map_or(Some(told), |counts| counts.of(index, sample));
            // Nothing was requested: a time or a size of 0 is none.
            let Some(requests) = requests.filter(|requests| *requests > 0.0) else { continue };
            let weight = requests * lengths.get(index).copied().unwrap_or(1.0);
            sum += sample.value * weight;
            weights += weight;
            if sample.value > summary.max {
                (summary.max, summary.max_at) = (sample.value, sample.at);
            }
            summary.min = summary.min.min(sample.value);
            values.push(sample.value);
        }
        summary.count = values.len();
        summary.mean = if weights > 0.0 { sum / weights } else { 0.0 };
        values.sort_by(f64::total_cmp);
        summary.p95 = *values.get((values.len() * 95).div_ceil(100).checked_sub(1)?)?;
        Some(summary)
    }

    /// What the file has of one metric of one thing.
    pub fn series_of(&self, area: &str, subject: &str, metric: &str) -> Option<&Series> {
        let key = |area: &str, subject: &str, metric: &str| {
            BuildHasherDefault::<DefaultHasher>::new().hash_one((area, subject, metric))
        };
        let places = self.places.0.get_or_init(|| {
            let all = self.series.iter().enumerate().rev();
            all.map(|(place, one)| (key(&one.area, &one.subject, &one.metric), place)).collect()
        });
        let same = |one: &&Series| one.metric == metric && one.subject == subject && one.area == area;
        let there = places.get(&key(area, subject, metric)).and_then(|place| self.series.get(*place));
        match there.filter(same) {
            // All are where they were, and this one is not among them.
            None if there.is_none() && places.len() == self.series.len() => None,
            // The file has grown since, or two keys are the same.
            None => self.series.iter().find(same),
            found => found,
        }
    }

    /// The requests behind each sample of a series that is a mean over them; `None`: it is none, or they are not reported.
    fn weights(&self, series: &Series) -> Option<Requests<'_>> {
        let (_, names) = OF_REQUESTS.iter().find(|(metric, _)| *metric == series.metric)?;
        let of = |metric: &str| self.series_of(&series.area, &series.subject, metric);
        let rates = names.iter().find_map(|name| {
            let parts: Vec<&Series> = name.split('+').filter_map(of).collect();
            (parts.len() == name.split('+').count()).then_some(parts)
        })?;
        Some(Requests::of_rates(&rates))
    }
}

/// Requests per second at each time; without times at each place.
struct Requests<'a> {
    by_time: HashMap<DateTime, f64>,
    by_place: Vec<&'a [Sample]>,
}

impl<'a> Requests<'a> {
    fn of_rates(rates: &[&'a Series]) -> Self {
        let mut by_time = HashMap::new();
        for sample in rates.iter().flat_map(|series| &series.samples) {
            if let Some(at) = sample.at {
                *by_time.entry(at).or_insert(0.0) += sample.value;
            }
        }
        Self { by_time, by_place: rates.iter().map(|series| series.samples.as_slice()).collect() }
    }

    fn of(&self, index: usize, sample: &Sample) -> Option<f64> {
        match sample.at {
            Some(at) => self.by_time.get(&at).copied(),
            None => self.by_place.iter().map(|samples| samples.get(index).map(|one| one.value)).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(metric: &str, values: &[(i8, f64)]) -> Series {
        let samples = values.iter().map(|(minute, value)| Sample {
            at: Some(jiff::civil::date(2026, 11, 22).at(2, *minute, 0, 0)),
            value: *value,
        });
        Series {
            area: "disk".into(),
            subject: "sda".into(),
            metric: metric.into(),
            samples: samples.collect(),
            ..Series::default()
        }
    }

    #[test]
    fn times_of_requests_are_weighted_by_requests() {
        // 900 requests of 1 ms, then 100 of 11 ms, then none.
        let await_ns = series("read_await_ns", &[(1, 1e6), (2, 11e6), (3, 0.0)]);
        let rate = series("read_io_per_s", &[(1, 900.0), (2, 100.0), (3, 0.0)]);
        let file = ImportedSeries { series: vec![await_ns, rate], ..ImportedSeries::default() };
        let summary = file.summary(&file.series[0]).unwrap();
        assert_eq!((summary.mean, summary.min, summary.max, summary.count), (2e6, 1e6, 11e6, 2));
        assert_eq!(summary.max_at, file.series[0].samples[1].at);
        assert!(file.summary(&file.series[1]).unwrap().min.abs() < 1e-9, "an idle minute counts for a rate");
    }

    #[test]
    fn rates_are_weighted_by_the_time() {
        // One minute at 60, nine at 0.
        let rate = series("read_bytes_per_s", &[(1, 0.0), (2, 60.0), (11, 0.0)]);
        let file = ImportedSeries { series: vec![rate], ..ImportedSeries::default() };
        let summary = file.summary(&file.series[0]).unwrap();
        assert!((summary.mean - 60.0 / 11.0).abs() < 1e-9, "{summary:?}");
    }

    #[test]
    fn a_series_is_found_where_it_lies_also_in_a_file_that_grew() {
        let mut file = ImportedSeries {
            series: vec![series("io_per_s", &[(0, 1.0)]), series("await_ns", &[(0, 2.0)])],
            ..ImportedSeries::default()
        };
        let value = |file: &ImportedSeries, metric: &str| {
            Some(file.series_of("disk", "sda", metric)?.samples[0].value)
        };
        assert_eq!(
            (value(&file, "io_per_s"), value(&file, "await_ns"), value(&file, "rtt_ns")),
            (Some(1.0), Some(2.0), None)
        );
        file.series.insert(0, series("rtt_ns", &[(0, 3.0)]));
        assert_eq!(
            (value(&file, "io_per_s"), value(&file, "await_ns"), value(&file, "rtt_ns")),
            (Some(1.0), Some(2.0), Some(3.0))
        );
    }

    #[test]
    fn a_disk_that_did_nothing_has_no_wait() {
        let await_ns = series("write_await_ns", &[(1, 0.0), (2, 0.0)]);
        let rate = series("write_io_per_s", &[(1, 0.0), (2, 0.0)]);
        let file = ImportedSeries { series: vec![await_ns, rate], ..ImportedSeries::default() };
        assert_eq!(file.summary(&file.series[0]), None);
    }
}
