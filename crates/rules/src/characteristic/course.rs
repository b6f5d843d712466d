//! How a measurement went over its time and its repeats: what a mean over all of it hides.

use super::sharp::is_sharp;
use crate::facts::{self, stream};
use fullwire_model::characteristic::{Characteristic, Course, Fall, Stalls};
use fullwire_model::disk::{DiskResult, DiskStepResult, Operation, Pattern};
use fullwire_model::net::{NetInterval, NetResult};
use fullwire_model::{MeasurementId, median};

thresholds! {
    /// Fewest slices of which a fall can be told from scatter.
    const FEWEST: usize = 8;
    /// Of the rate before, below which each slice after a fall stays: a single pause is no fall.
    const STAYS_BELOW: f64 = 0.7;
    /// A stream that varies by less between its slices runs at a set rate.
    const FLAT: f64 = 0.08;
    /// Slices that differ by no more from the rate after a fall are the same.
    const SAME: f64 = 0.04;
    /// Fewest slices after a fall, beside the one in which it ends, that are the same; and more than half of them are.
    const FEWEST_EVEN: usize = 3;
    /// Blocks up to which a device's times scatter from one I/O to the next (own choice).
    const SMALL_BYTES: u64 = 16 << 10;
    /// Blocks from which on a device is held by its medium's rate (own choice).
    pub(crate) const LARGE_BYTES: u64 = 256 << 10;
    /// No medium that databases are kept on delivers less in sequence: half of a 7,200 rpm disk's rate on its inner tracks.
    const SLOWEST_MEDIUM_BYTES_PER_S: f64 = 100e6;
    /// Longer than a device takes that is merely busy: a slice of `cpu.max` or `io.max` is 100 ms.
    pub(crate) const STALL_NS: u64 = 200_000_000;
    /// One that Oracle's log writer warns of.
    pub(crate) const LONG_NS: u64 = 500_000_000;
    /// Multiple of the median: a device that is always slow does not stall.
    const OUT_OF_LINE: u64 = 50;
    /// From so many I/Os for each in flight on, what one in ten takes is what a part of them always takes (own choice).
    const ENOUGH_IOS: u64 = 5;
    /// Times what is usual of a load, from which on an I/O stood still (own choice).
    const BEYOND: f64 = 2.0;
    /// The same where all waited together.
    const TOGETHER: u64 = 10;
    /// An I/O for which all others wait stands out from here on; longer than a slice of `cpu.max` or `io.max`.
    const TOGETHER_NS: u64 = 150_000_000;
    /// Of its time nothing else completed in this share at least: slices are cut where they fall.
    const NONE: f64 = 0.5;
    /// Of a stream's usual rate: a slice with less received nothing.
    const NOTHING: f64 = 0.1;
    /// Of the usual rate: from here on a stream is under way.
    const UNDER_WAY: f64 = 0.5;
    /// Longer than the other round trips, ns: no queue and no lost segment of a slow start explains it.
    pub(crate) const WAITED_NS: u64 = 200_000_000;
    /// Times as long as the slices usually are: then it was this program that paused.
    const LATE: f64 = 1.2;
}

/// There are slices enough to see a fall.
pub(crate) fn is_told(step: &DiskStepResult) -> bool {
    step.intervals.len() >= FEWEST
}

/// There are slices enough to see whether a stream runs at one rate.
pub(crate) fn is_told_of(result: &NetResult) -> bool {
    stream::unevenness(result).is_some()
}

/// The course of a step; `None`: its mean hides nothing.
pub(super) fn of_step(id: MeasurementId, step: &DiskStepResult) -> Option<Course> {
    let course = Course {
        measurement: id,
        fell: fell(step),
        stalls: stalls_of_step(step),
        scatter: step.noise,
        even: None,
        read_again: read_again(step),
        set: is_set(step),
    };
    says_something(course)
}

/// The course of a stream; `None`: its mean hides nothing.
pub(super) fn of_stream(id: MeasurementId, result: &NetResult) -> Option<Course> {
    let even = stream::unevenness(result).filter(|most| *most <= FLAT);
    says_something(Course { measurement: id, stalls: stalls_of_stream(result), even, ..Course::default() })
}

/// Small random I/Os that complete as evenly as by a clock, or large ones in sequence slower than any medium: few devices do
/// that by themselves.
pub(super) fn is_set(step: &DiskStepResult) -> bool {
    match step.pattern {
        Pattern::Random => step.block_bytes <= SMALL_BYTES && is_sharp(step) == Some(true),
        Pattern::Sequential => {
            let bytes_per_s = step.iops * step.block_bytes as f64;
            step.block_bytes >= LARGE_BYTES && step.ios > 0 && bytes_per_s < SLOWEST_MEDIUM_BYTES_PER_S
        }
        Pattern::Unknown => false,
    }
}

/// A large I/O alone is slower than any medium, and so are several of them at a time: what holds these holds it too, at least in
/// the leg that it goes to.
pub(crate) fn is_of_plateau(known: &Characteristic, result: &DiskResult, step: &DiskStepResult) -> bool {
    let set = |other: &DiskStepResult| known.course(&result.name_of(other)).is_some_and(|course| course.set);
    let deeper = |other: &&DiskStepResult| {
        facts::is_alike(other, step) && facts::in_flight(other) > facts::in_flight(step)
    };
    step.pattern == Pattern::Sequential && set(step) && result.steps.iter().filter(deeper).any(set)
}

fn says_something(course: Course) -> Option<Course> {
    let nothing = Course { measurement: course.measurement.clone(), ..Course::default() };
    (course != nothing).then_some(course)
}

/// What a step is left with once nothing is lent any more, I/Os a second: its usual slice.
pub(crate) fn sustained_io_per_s(step: &DiskStepResult) -> f64 {
    let rates: Vec<f64> = step.intervals.iter().map(|slice| slice.iops).collect();
    median(&rates).filter(|_| is_told(step)).unwrap_or(step.iops)
}

/// The slices are cut where the squares of their distances from the means of both parts are least.
fn fell(step: &DiskStepResult) -> Option<Fall> {
    let slices = Some(&step.intervals).filter(|_| is_told(step))?;
    let rate = |slice: &fullwire_model::disk::DiskInterval| {
        if slice.throughput_bytes_per_s > 0.0 {
            slice.throughput_bytes_per_s
        } else {
            slice.iops * step.block_bytes as f64
        }
    };
    let rates: Vec<f64> = slices.iter().map(rate).collect();
    let all: f64 = rates.iter().sum();
    let (mut sum, mut best) = (rates[0], (0.0, 0));
    // At least two before, and a third of all after.
    for at in 2..=2 * rates.len() / 3 {
        sum += rates[at - 1];
        let (before, after) = (at as f64, (rates.len() - at) as f64);
        // What the two means explain of the squares, without what one mean explains: largest where the least is left.
        let explained = sum * sum / before + (all - sum) * (all - sum) / after;
        if explained > best.0 {
            best = (explained, at);
        }
    }
    let (before, after) = rates.split_at(best.1);
    let mut sorted = before.to_vec();
    sorted.sort_by(f64::total_cmp);
    // The lower of the middle ones: one slice with all that was in a cache is no rate.
    let from = *sorted.get((sorted.len().max(1) - 1) / 2)?;
    // Where nothing is left it stands still.
    let to = median(after).filter(|rate| *rate > 0.0)?;
    let settled = &after[1..];
    // What a pause between repeats gave back lifts a slice or two.
    let same = settled.iter().filter(|rate| (*rate - to).abs() <= SAME * to).count();
    let even = same >= FEWEST_EVEN && 2 * same > settled.len();
    let begun_s = slices[best.1 - 1].t_s;
    after.iter().all(|rate| *rate < STAYS_BELOW * from).then(|| Fall {
        from_bytes_per_s: from,
        to_bytes_per_s: to,
        before: before.iter().sum::<f64>() / all,
        lasted_s: slices.last().map_or(0.0, |last| last.t_s) - begun_s,
        even,
    })
}

/// The longest I/O of a step shows whether it stood still: it has slices, or times of I/Os that the page cache did not take.
pub(crate) fn tells_stalls(step: &DiskStepResult) -> bool {
    let timed = step.latency_ns.count > 0 && step.latency_ns.p50 > 0;
    !step.intervals.is_empty() || timed && (step.direct || facts::is_synced(step))
}

/// Slices in which the longest I/O stood out; without slices, the longest of all. A stall that ends in two slices counts once.
fn stalls_of_step(step: &DiskStepResult) -> Option<Stalls> {
    let longest_ns = step.latency_ns.max;
    if step.intervals.is_empty() {
        let stands_out = longest_ns >= LONG_NS.max(step.latency_ns.p50.saturating_mul(OUT_OF_LINE));
        return (tells_stalls(step) && stands_out).then_some(Stalls {
            count: 1,
            longest_ns,
            stood_s: longest_ns as f64 / 1e9,
        });
    }
    // What an I/O waits in a queue by Little's law, and what a part of them always takes (a slow leg, region or tier). What one
    // alone waits above the devices is in no queue.
    let depth = facts::in_flight(step);
    let (times, middle_ns, queued_ns, part_ns) = match in_devices_ns(step) {
        Some(device_ns) => (TOGETHER, device_ns.min(step.latency_ns.p50 as f64), device_ns, 0),
        None => (
            OUT_OF_LINE,
            step.latency_ns.p50 as f64,
            if step.iops > 0.0 { depth as f64 * 1e9 / step.iops } else { 0.0 },
            if step.ios >= ENOUGH_IOS * depth { step.latency_ns.p90 } else { 0 },
        ),
    };
    let least_ns = |least: u64, times: u64, part_ns: u64| {
        let usual_ns = BEYOND * queued_ns.max(part_ns as f64);
        (least as f64).max(middle_ns * times as f64).max(usual_ns)
    };
    let alone_ns = least_ns(STALL_NS, times, part_ns);
    let together_ns = least_ns(TOGETHER_NS, TOGETHER, if depth == 1 { part_ns } else { 0 });
    let mut found = Stalls::default();
    let (mut after_stall, mut since_s, mut completed_s) = (false, 0.0, 0.0);
    for slice in &step.intervals {
        // What this program was late by is no time of the storage.
        let longest_ns = slice.max_ns.saturating_sub(slice.late_ns);
        let together = since_s - completed_s >= NONE * longest_ns as f64 / 1e9;
        let stalled = longest_ns as f64 >= if together { together_ns } else { alone_ns };
        if stalled && !after_stall {
            found.count += 1;
            found.longest_ns = found.longest_ns.max(longest_ns);
            found.stood_s += longest_ns as f64 / 1e9;
        }
        after_stall = stalled;
        since_s = slice.t_s;
        if slice.iops > 0.0 {
            completed_s = slice.t_s;
        }
    }
    (found.count > 0).then_some(found)
}

/// What one I/O alone, without a flush, takes in the topmost device; `None`: that is not counted, or there are more of them.
fn in_devices_ns(step: &DiskStepResult) -> Option<f64> {
    let alone = facts::in_flight(step) == 1 && !facts::is_synced(step);
    let top = step.layers.iter().find(|layer| layer.kind != "file-system" && layer.kind != "nfs")?;
    Some(top.of(step.operation).1).filter(|ns| alone && *ns > 0.0)
}

/// A later pass over the same blocks took so much of the time of the first, at most.
fn read_again(step: &DiskStepResult) -> Option<f64> {
    let reads = step.operation == Operation::Read
        && step.pattern == Pattern::Random
        && step.direct
        && step.rate_per_s == 0.0
        && step.ios > 0;
    let (first, later) = step.repeats_p50_ns.split_first().filter(|_| reads)?;
    Some(*later.iter().max()? as f64 / *first as f64).filter(|share| share.is_finite())
}

/// Slices of a stream without data while a separate connection waited for an answer, too: a segment lost of one connection
/// stops that one alone.
fn stalls_of_stream(result: &NetResult) -> Option<Stalls> {
    let waited =
        result.rtt_loaded_ns.as_ref().filter(|waited| waited.max >= waited.p50.saturating_add(WAITED_NS))?;
    let (count, stood_s) = stood(&result.intervals);
    (count > 0).then_some(Stalls { count, longest_ns: waited.max, stood_s })
}

/// The pauses of a stream, and what they took, s: slices without data, and what is missing in those next to them.
fn stood(slices: &[NetInterval]) -> (u64, f64) {
    let rate = |slice: &NetInterval| slice.throughput_bytes_per_s;
    let mut rates: Vec<f64> = slices.iter().map(rate).collect();
    rates.sort_by(f64::total_cmp);
    let usual = rates.get(rates.len() * 3 / 4).copied().unwrap_or(0.0);
    let starts = std::iter::once(0.0).chain(slices.iter().map(|slice| slice.t_s));
    let lengths_s: Vec<f64> = slices.iter().zip(starts).map(|(slice, start)| slice.t_s - start).collect();
    let late_s = LATE * median(&lengths_s).unwrap_or(0.0);
    let begun = slices.iter().position(|slice| rate(slice) >= UNDER_WAY * usual).unwrap_or(slices.len());
    // Who comes late to one slice and then sees nothing for the next has missed what arrived meanwhile.
    let on_time = |at: usize| lengths_s[at] <= late_s && lengths_s[at - 1] <= late_s;
    let is_empty = |at: usize| rate(&slices[at]) < NOTHING * usual && on_time(at);
    // The last slice is often a short one.
    let paused: Vec<usize> = (begun + 1..slices.len().saturating_sub(1)).filter(|at| is_empty(*at)).collect();
    let beside = |at: usize| paused.iter().any(|pause| pause.abs_diff(at) <= 1);
    let missing = |at: usize| lengths_s[at] * (1.0 - rate(&slices[at]) / usual).max(0.0);
    let first = |at: &&usize| !paused.contains(&(**at).wrapping_sub(1));
    (
        paused.iter().filter(first).count() as u64,
        (0..slices.len()).filter(|at| beside(*at)).map(missing).sum(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::disk::{DiskInterval, LayerStats};

    fn fall_of(mb_per_s: &[f64]) -> Option<Fall> {
        let slice = |(at, rate): (usize, &f64)| DiskInterval {
            t_s: (at + 1) as f64,
            throughput_bytes_per_s: rate * 1e6,
            ..DiskInterval::default()
        };
        let intervals = mb_per_s.iter().enumerate().map(slice).collect();
        fell(&DiskStepResult { intervals, ..DiskStepResult::default() })
    }

    /// Slices of 50 ms of a device that takes no reads for 0.2 of each 0.5 s: the pauses are cut where they fall.
    #[test]
    fn pauses_in_which_all_wait_are_stalls_from_150_ms_on() {
        let of = |slices: &[(f64, f64, u64)]| {
            let slice = |&(t_s, iops, max_ms): &(f64, f64, u64)| DiskInterval {
                t_s,
                iops,
                max_ns: max_ms * 1_000_000,
                ..DiskInterval::default()
            };
            let mut step = DiskStepResult {
                intervals: slices.iter().map(slice).collect(),
                duration_s: 1.0,
                ..DiskStepResult::default()
            };
            step.latency_ns.p50 = 6_000_000;
            stalls_of_step(&step).map_or(0, |stalls| stalls.count)
        };
        let paused = [(0.2, 5300.0, 8), (0.25, 1820.0, 6), (0.3, 0.0, 0), (0.35, 0.0, 0), (0.41, 517.0, 199)];
        assert_eq!(of(&paused), 1);
        let throttled = [(0.2, 5300.0, 8), (0.25, 1820.0, 6), (0.3, 0.0, 0), (0.35, 517.0, 99)];
        assert_eq!(of(&throttled), 0, "a slice of io.max");
        let alone = [(0.2, 5300.0, 8), (0.25, 5100.0, 6), (0.3, 5000.0, 6), (0.35, 5200.0, 180)];
        assert_eq!(of(&alone), 0, "the others went on");
    }

    /// A file system that is frozen half of the time: four writes of 230 ms and more, of which 24 ms are the device's.
    #[test]
    fn what_waits_above_an_idle_device_stands_still_however_often() {
        let of = |await_ns: f64| {
            let slice = |t_s| DiskInterval { t_s, iops: 4.0, max_ns: 300_000_000, ..DiskInterval::default() };
            let layer = LayerStats { kind: "lvm".into(), iops: 4.0, await_ns, ..LayerStats::default() };
            let mut step = DiskStepResult {
                operation: Operation::Write,
                ios: 4,
                iops: 3.7,
                layers: vec![layer],
                intervals: vec![slice(0.3), slice(0.6)],
                ..DiskStepResult::default()
            };
            step.latency_ns.p50 = 232_000_000;
            stalls_of_step(&step).is_some()
        };
        assert_eq!([of(24e6), of(220e6)], [true, false]);
    }

    /// A host that takes the CPU away for 0.7 s, from this program and not from the storage.
    #[test]
    fn what_this_program_was_late_by_is_no_time_of_the_storage() {
        let of = |late_ms: u64| {
            let slice = |t_s, max_ms: u64, late_ms: u64| DiskInterval {
                t_s,
                iops: 5000.0,
                max_ns: max_ms * 1_000_000,
                late_ns: late_ms * 1_000_000,
                ..DiskInterval::default()
            };
            let mut step = DiskStepResult {
                intervals: vec![slice(0.25, 8, 0), slice(1.0, 706, late_ms), slice(1.25, 9, 0)],
                ..DiskStepResult::default()
            };
            step.latency_ns.p50 = 190_000;
            stalls_of_step(&step).map(|stalls| stalls.longest_ns / 1_000_000)
        };
        assert_eq!((of(0), of(690), of(80)), (Some(706), None, Some(626)));
    }

    /// A quarter of a second without data, while this program kept its time or came 90 ms late to the slice before.
    #[test]
    fn a_pause_of_this_program_is_none_of_the_path() {
        let pauses =
            |ends_s: [f64; 6]| {
                let slices = ends_s.iter().zip([8.2, 8.1, 0.0, 7.8, 8.0, 6.2]).map(|(t_s, rate)| {
                    NetInterval { t_s: *t_s, throughput_bytes_per_s: rate * 1e6, ..NetInterval::default() }
                });
                stood(&slices.collect::<Vec<_>>()).0
            };
        assert_eq!(pauses([0.25, 0.5, 0.75, 1.0, 1.25, 1.35]), 1);
        assert_eq!(pauses([0.25, 0.59, 0.85, 1.0, 1.25, 1.35]), 0);
    }

    #[test]
    fn what_was_lent_ends_where_the_rate_falls() {
        let fall =
            fall_of(&[900.0, 900.0, 900.0, 900.0, 900.0, 400.0, 300.0, 300.0, 302.0, 300.0]).expect("a fall");
        assert!((fall.to_bytes_per_s - 300e6).abs() < 1e6 && fall.even, "{fall:?}");
        assert!(
            (fall.before - 4500.0 / 6102.0).abs() < 1e-9 && (fall.lasted_s - 5.0).abs() < 1e-9,
            "{fall:?}"
        );
    }

    #[test]
    fn what_a_pause_between_repeats_gives_back_leaves_a_rate_even() {
        let even = |after: [f64; 6]| {
            let fall = fall_of(&[&[9.0, 9.1, 9.0, 8.9, 3.0][..], &after].concat()).expect("a fall");
            fall.even
        };
        assert!(even([1.5, 1.5, 3.4, 1.5, 1.5, 1.3]));
        assert!(!even([1.5, 1.3, 3.4, 1.7, 1.5, 1.3]), "a busy device scatters");
    }

    #[test]
    fn a_pause_a_single_fast_slice_and_a_slow_middle_are_no_fall() {
        assert_eq!(fall_of(&[900.0, 900.0, 900.0, 900.0, 0.0, 0.0, 900.0, 900.0, 900.0]), None);
        assert_eq!(fall_of(&[9000.0, 900.0, 900.0, 900.0, 900.0, 900.0, 900.0, 900.0, 900.0]), None);
        assert_eq!(fall_of(&[900.0, 400.0, 300.0, 300.0, 300.0, 300.0, 300.0, 800.0, 900.0]), None);
        assert_eq!(fall_of(&[900.0, 900.0, 300.0, 300.0, 300.0]), None, "too few");
        assert_eq!(
            fall_of(&[900.0, 900.0, 900.0, 900.0, 200.0, 0.0, 0.0, 0.0, 0.0]),
            None,
            "it stands still"
        );
    }
}
