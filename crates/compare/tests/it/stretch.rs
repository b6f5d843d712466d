//! Stretches of recordings: the same disk is not called slower, a slower one is, another load is not compared.

use fullwire_compare::{Stretch, stretches};
use fullwire_model::Run;
use fullwire_model::comparison::{Answer, Comparison, Method};
use fullwire_model::counters::{Counters, DiskCounters};
use fullwire_model::recording::Sample;

/// An hour, a sample every ten seconds, of a disk whose latency drifts as real ones do (a first-order autoregression).
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "milliseconds of an hour")]
fn hour(seed: u64, await_ms: f64, reads_per_s: u64) -> Vec<Sample> {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut drift, mut disk) = (0.0_f64, DiskCounters::default());
    (0..360_u64)
        .map(|step| {
            let noise: f64 = (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
            drift = 0.6 * drift + 0.08 * noise;
            let reads = reads_per_s * 10;
            disk.reads += reads;
            disk.read_bytes += reads * 8192;
            disk.read_ms += (reads as f64 * await_ms * drift.exp()).round() as u64;
            let counters = Counters {
                monotonic_ns: step * 10_000_000_000,
                disks: [("sda".to_owned(), disk.clone())].into(),
                ..Counters::default()
            };
            Sample { boottime_ns: step * 10_000_000_000, counters, ..Sample::default() }
        })
        .collect()
}

fn compared(a: &[Sample], b: &[Sample]) -> Comparison {
    let run = Run::default();
    stretches(&Stretch { run: &run, samples: a }, &Stretch { run: &run, samples: b }, 0.10, None)
}

#[test]
fn the_same_disk_in_another_hour_is_not_called_slower() {
    let wrong = (0..60).filter(|seed| {
        let answer = compared(&hour(2 * seed, 5.0, 200), &hour(2 * seed + 1, 5.0, 200)).answer;
        matches!(answer, Answer::Worse | Answer::Better)
    });
    // 5 % of 60 and what chance adds to that (97 % of binomial draws).
    assert!(wrong.count() <= 6);
}

#[test]
fn a_slower_disk_is_found_with_its_size() {
    let comparison = compared(&hour(1, 5.0, 200), &hour(2, 7.5, 200));
    assert_eq!(comparison.answer, Answer::Worse);
    let figure = comparison.primaries().next().unwrap();
    assert_eq!((figure.path.as_str(), figure.method), ("sda", Method::BlockBootstrap));
    let (low, high) = (figure.low.unwrap(), figure.high.unwrap());
    assert!(low < 0.5 && high > 0.5, "{low} {high}");
    assert_eq!(compared(&hour(2, 7.5, 200), &hour(1, 5.0, 200)).answer, Answer::Better);
}

#[test]
fn another_load_is_not_compared() {
    let comparison = compared(&hour(1, 5.0, 200), &hour(2, 7.5, 300));
    let figure = comparison.primaries().next().unwrap();
    assert_eq!(figure.answer, Answer::NotComparable);
    assert!(figure.why.as_ref().unwrap().contains("the load differs"), "{:?}", figure.why);
}

#[test]
fn a_few_minutes_are_too_little() {
    let comparison = compared(&hour(1, 5.0, 200)[..20], &hour(2, 7.5, 200)[..20]);
    assert_eq!((comparison.comparisons.len(), comparison.answer), (0, Answer::CannotTell));
}
