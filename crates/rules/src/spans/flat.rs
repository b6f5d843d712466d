//! A rate that is the same second after second while requests wait: someone set it. What a device gets to varies.

use super::Timed;
use crate::advice::{AdviceExt, limit_of_others};
use crate::facts::{self, Activity};
use crate::outcome::FindingExt;
use fullwire_model::assessment::Finding;
use fullwire_model::host::Host;
use fullwire_model::quantity::Unit;
use fullwire_model::subject::Kind;

thresholds! {
    /// So long it must last, s: nine seconds and a bit of a window of ten.
    const LASTS_S: f64 = 9.5;
    /// Fewer seconds are no series.
    const FEWEST_STEPS: usize = 8;
    /// How far a second's count may lie from the mean: one request in the wrong second, and what the clock of the samples is off by.
    const APART_IOS: f64 = 1.0;
    /// And this share of it (own choice: samples are a millisecond or two off).
    const APART_SHARE: f64 = 0.003;
    /// Requests a second of one kind from which on they are a series.
    const FEWEST_IOS: f64 = 4.0;
    /// Requests that wait or are in work on average: one session alone goes at the pace of its device, however even.
    const WAITING: f64 = 2.0;
    /// Shorter waits are felt by nobody, ms.
    const FELT_MS: f64 = 10.0;
    /// More than this of large requests is what a medium delivers in sequence, bytes per second.
    const MEDIUM_BYTES_PER_S: f64 = 100e6;
    /// The most that wait in a second over the fewest: where as many wait all the time, a device that takes the same time for
    /// each is as even.
    const VARIES: f64 = 1.3;
}

/// The rule that says so of what fullwire measures itself.
pub(super) const CODE: &str = "rate-plateau";

/// Reads or writes of a device in one step.
struct Direction {
    name: &'static str,
    ios: fn(&Activity) -> u64,
    await_ms: fn(&Activity) -> Option<f64>,
}

const DIRECTIONS: [Direction; 2] = [
    Direction { name: "read", ios: |a| a.reads, await_ms: |a| a.read_await_ms },
    Direction { name: "write", ios: |a| a.writes, await_ms: |a| a.write_await_ms },
];

/// The devices whose rate was flat in all these steps while requests waited, the lowest of a stack.
pub(super) fn findings<'a>(host: &Host, steps: &'a [Timed]) -> Vec<Finding> {
    let length_s: f64 = steps.iter().map(|step| step.window.seconds()).sum();
    let Some(last) = steps.last().filter(|_| steps.len() >= FEWEST_STEPS && length_s >= LASTS_S) else {
        return Vec::new();
    };
    let of =
        |name: &'a String| DIRECTIONS.iter().find_map(|way| Some((name.as_str(), flat(steps, name, way)?)));
    let found: Vec<(&str, Flat)> = last.window.to.disks.keys().filter_map(of).collect();
    let is_below = |name: &str, other: &str| {
        host.disks.iter().any(|disk| disk.name == name && disk.slaves.iter().any(|slave| slave == other))
    };
    let is_part = |name: &str| host.disks.iter().any(|disk| disk.name == name && disk.kind == "partition");
    let lowest = found
        .iter()
        .filter(|(name, _)| !is_part(name) && !found.iter().any(|(other, _)| is_below(name, other)));
    lowest.filter_map(|(name, flat)| fires(name, flat)).collect()
}

/// What is flat, and who waits.
struct Flat {
    what: &'static str,
    per_s: f64,
    seconds: usize,
    fewest_waiting: f64,
    most_waiting: f64,
}

fn flat(steps: &[Timed], name: &str, way: &Direction) -> Option<Flat> {
    // Most devices are told by their last second.
    waiting(steps.last()?, name, way)?;
    let waiting: Option<Vec<f64>> = steps.iter().map(|step| waiting(step, name, way)).collect();
    let waiting = waiting?;
    let fewest_waiting = waiting.iter().copied().fold(f64::INFINITY, f64::min);
    let most_waiting = waiting.iter().copied().fold(0.0, f64::max);
    let counted = steps.iter().filter_map(|step| {
        Some(((way.ios)(&facts::disk_activity(&step.window, name)?) as f64, step.window.seconds()))
    });
    let (ios, seconds) = counted.clone().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let per_s = ios / seconds;
    let mut off = counted.map(|(ios, seconds)| ((ios - per_s * seconds).abs(), per_s * seconds));
    let even = off.all(|(apart, due)| apart <= APART_IOS + APART_SHARE * due);
    let found = even && per_s >= FEWEST_IOS && most_waiting >= VARIES * fewest_waiting;
    found.then_some(Flat { what: way.name, per_s, seconds: steps.len(), fewest_waiting, most_waiting })
}

/// Requests of this kind that wait or are in work in a step (Little's law); `None`: too few, or as many as a medium delivers.
fn waiting(step: &Timed, name: &str, way: &Direction) -> Option<f64> {
    let activity = facts::disk_activity(&step.window, name)?;
    let await_ms = (way.await_ms)(&activity)?;
    let waiting = (way.ios)(&activity) as f64 / step.window.seconds() * await_ms / 1e3;
    let told = waiting >= WAITING && await_ms >= FELT_MS && activity.bytes_per_s < MEDIUM_BYTES_PER_S;
    told.then_some(waiting)
}

fn fires(name: &str, flat: &Flat) -> Option<Finding> {
    let Flat { what, per_s, seconds, fewest_waiting, most_waiting } = flat;
    let message = format!(
        "{name} completes {per_s:.0} {what}s a second, in each of {seconds} seconds alike, whether {fewest_waiting:.0} or \
         {most_waiting:.0} wait: a limit that someone set (throttle, QoS, credits that are spent) makes the rate"
    );
    let finding = crate::rule(CODE)?
        .finding(Kind::Disk.named(name), message)
        .measured(*per_s, *per_s, Unit::IoPerS)
        .evidence(
            format!("{per_s:.1} {what}s a second, {seconds} seconds in a row"),
            "disk counters of the recording",
        )
        .advice(
            limit_of_others()
                .now("look for io.max of the control groups below /sys/fs/cgroup: a limit may be set on this host too")
                .expecting("the rate follows the load again"),
        );
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::Window;
    use fullwire_model::counters::{Counters, DiskCounters};

    /// Seconds in which a disk completed so many writes, each after a wait of so many ms.
    fn seconds(writes: &[(u64, u64)]) -> Vec<Timed> {
        let (mut done, mut now) = (DiskCounters::default(), Counters::default());
        now.disks.insert("sda".to_owned(), done.clone());
        let step = |(writes, await_ms): &(u64, u64)| {
            let from = now.clone();
            done.writes += writes;
            done.write_ms += writes * await_ms;
            done.write_bytes += writes * 8192;
            now.monotonic_ns += 1_000_000_000;
            now.disks.insert("sda".to_owned(), done.clone());
            Timed { window: Window { from, to: now.clone(), ..Window::default() }, ..Timed::default() }
        };
        writes.iter().map(step).collect()
    }

    #[test]
    fn a_limit_is_even_while_the_queue_is_not() {
        let said = |writes: [u64; 10], waits: [u64; 10]| {
            let both: Vec<(u64, u64)> = writes.into_iter().zip(waits).collect();
            findings(&Host::default(), &seconds(&both))
        };
        let grows = [900, 1200, 1500, 1700, 2000, 2300, 2600, 2300, 2000, 1800];
        let limited = said([12, 12, 12, 13, 12, 12, 11, 12, 12, 12], grows);
        assert_eq!(limited.len(), 1);
        assert!(limited[0].message.contains("completes 12 writes a second"), "{}", limited[0].message);
        assert_eq!(limited[0].subject, "sda");
        assert!(said([12, 9, 15, 13, 10, 12, 11, 14, 12, 12], grows).is_empty(), "a disk with heads");
        assert!(said([12; 10], [80; 10]).is_empty(), "one session that waits for each write");
        assert!(said([12; 10], [2000; 10]).is_empty(), "as many wait all the time: a slow device is as even");
        assert!(findings(&Host::default(), &seconds(&[(12, 900), (12, 2000), (12, 3000)])).is_empty());
    }
}
