//! Simulated storage, request by request, that shares no code with the fit: what is said of it must be true.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "times and counts of a simulation, far below 2^53"
)]

use fullwire_model::characteristic::{Estimate, Quantity};
use fullwire_model::disk::{DiskInterval, DiskResult, DiskStep, DiskStepResult, Operation, Pattern, Sync};
use fullwire_model::{PathName, Run};
use fullwire_rules::{assess, characteristics};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// `SplitMix64` (Steele, Lea, Flood 2014).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.next())
    }
}

/// A device, in seconds, I/Os and bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Device {
    pub(crate) read_s: f64,
    pub(crate) write_s: f64,
    pub(crate) flush_s: f64,
    pub(crate) byte_s: f64,
    pub(crate) jitter: f64,
    pub(crate) servers: Option<usize>,
    pub(crate) io_per_s: Option<f64>,
    pub(crate) bytes_per_s: Option<f64>,
    /// Writes alone.
    pub(crate) write_io_per_s: Option<f64>,
    /// Outside the models: requests are answered in the first part alone of each period.
    pub(crate) open_s: Option<(f64, f64)>,
    /// Each second I/O goes to a leg of so many bytes a second.
    pub(crate) leg_bytes_per_s: Option<f64>,
    /// One I/O in so many takes so much longer.
    pub(crate) some_slow: Option<(u64, f64)>,
    /// Outside the models: answers come at each multiple of this alone.
    pub(crate) tick_s: Option<f64>,
    /// Outside the models: requests of so many bytes are inside at once, and at least one.
    pub(crate) room_bytes: Option<f64>,
    /// Outside the models: so many requests of 64 KiB and more a second.
    pub(crate) large_io_per_s: Option<f64>,
    /// Outside the models: each second request takes so much longer.
    pub(crate) two_speeds_s: f64,
    /// Outside the models: it becomes slower from step to step.
    pub(crate) drift: f64,
}

const QUICK: [(Operation, f64, usize, bool); 8] = [
    (Operation::Read, 8192.0, 1, false),
    (Operation::Read, 8192.0, 8, false),
    (Operation::Read, 8192.0, 32, false),
    (Operation::Read, 1_048_576.0, 1, false),
    (Operation::Read, 1_048_576.0, 8, false),
    (Operation::Read, 1_048_576.0, 32, false),
    (Operation::Write, 8192.0, 1, false),
    (Operation::Write, 8192.0, 1, true),
];
const STEP_S: f64 = 0.75;
const SLICE_S: f64 = 0.075;

impl Device {
    fn alone_s(&self, operation: Operation, block: f64, durable: bool) -> f64 {
        let each = if operation == Operation::Read { self.read_s } else { self.write_s };
        each + self.byte_s * block + if durable { self.flush_s } else { 0.0 }
    }

    fn step(&self, at: usize, length_s: f64, dice: &mut Dice) -> DiskStepResult {
        self.load(QUICK[at], self.drift * at as f64, length_s, 0.0, dice)
    }

    /// A closed loop of `depth` requests, or one every `gap_s`.
    fn load(
        &self,
        (operation, block, depth, durable): (Operation, f64, usize, bool),
        slower: f64,
        length_s: f64,
        gap_s: f64,
        dice: &mut Dice,
    ) -> DiskStepResult {
        let alone_s = self.alone_s(operation, block, durable) * (1.0 + slower);
        let room = self.room_bytes.map(|room| ((room / block) as usize).max(1));
        let mut servers = vec![0.0_f64; self.servers.or(room).unwrap_or(depth).min(depth)];
        let (mut next_io_s, mut next_byte_s, mut next_leg_s, mut turn) = (0.0_f64, 0.0_f64, 0.0_f64, 0_u64);
        let mut next_large_s = 0.0_f64;
        let mut waiting: BinaryHeap<Reverse<(u64, u64)>> = BinaryHeap::new();
        let ns = |seconds: f64| (seconds * 1e9) as u64;
        let mut issue = |now: f64, dice: &mut Dice| {
            let server =
                (0..servers.len()).min_by(|a, b| servers[*a].total_cmp(&servers[*b])).expect("a server");
            let service_s = alone_s * (1.0 + self.jitter * (2.0 * dice.next() - 1.0));
            let mut done = now.max(servers[server]) + service_s;
            turn += 1;
            if let Some((_, slower_s)) = self.some_slow.filter(|(each, _)| turn.is_multiple_of(*each)) {
                done += slower_s;
            }
            if let Some(rate) = self.leg_bytes_per_s.filter(|_| turn.is_multiple_of(2)) {
                next_leg_s = next_leg_s.max(now) + block / rate;
                done = done.max(next_leg_s);
            }
            if let Some((open_s, period_s)) = self.open_s {
                let into = done % period_s;
                if into > open_s {
                    done += period_s - into;
                }
            }
            if turn.is_multiple_of(2) {
                done += self.two_speeds_s;
            }
            if let Some(tick_s) = self.tick_s {
                done = (done / tick_s).ceil() * tick_s;
            }
            if let Some(rate) = self.large_io_per_s.filter(|_| block >= 65_536.0) {
                next_large_s = next_large_s.max(now) + 1.0 / rate;
                done = done.max(next_large_s);
            }
            servers[server] = done;
            let limited = self.write_io_per_s.filter(|_| operation == Operation::Write);
            if let Some(rate) = self.io_per_s.or(limited) {
                let free_s = next_io_s.max(now);
                next_io_s = free_s + 1.0 / rate;
                done = done.max(free_s);
            }
            if let Some(rate) = self.bytes_per_s {
                next_byte_s = next_byte_s.max(now) + block / rate;
                done = done.max(next_byte_s);
            }
            done
        };
        for _ in 0..depth {
            waiting.push(Reverse((ns(issue(0.0, dice)), 0)));
        }
        let mut done_s = Vec::new();
        while let Some(Reverse((at_ns, begun_ns))) = waiting.pop() {
            let now = at_ns as f64 / 1e9;
            if now > length_s {
                break;
            }
            done_s.push((now, (at_ns - begun_ns) as f64 / 1e9));
            let begun = if gap_s > 0.0 { (now / gap_s).ceil() * gap_s } else { now };
            waiting.push(Reverse((ns(issue(begun, dice)), ns(begun))));
        }
        let mut found = result((operation, block, depth, durable), length_s, &done_s);
        let mut times_s: Vec<f64> = done_s.into_iter().map(|(_, took_s)| took_s).collect();
        times_s.sort_by(f64::total_cmp);
        let at =
            |share: f64| ns(times_s.get((times_s.len() as f64 * share) as usize).copied().unwrap_or(0.0));
        found.latency_ns.count = found.ios;
        [found.latency_ns.p50, found.latency_ns.p90] = [0.5, 0.9].map(at);
        found.latency_ns.max = ns(times_s.last().copied().unwrap_or(0.0));
        found
    }

    /// A step that was proposed.
    pub(crate) fn tried(&self, step: &DiskStep, dice: &mut Dice) -> DiskStepResult {
        let kind =
            (step.operation, step.block_bytes as f64, step.queue_depth as usize, step.sync != Sync::None);
        let gap_s = if step.rate_per_s > 0.0 { 1.0 / step.rate_per_s } else { 0.0 };
        DiskStepResult {
            rate_per_s: step.rate_per_s,
            ..self.load(kind, 0.0, step.duration_ns as f64 / 1e9, gap_s, dice)
        }
    }

    pub(crate) fn run(&self, dice: &mut Dice) -> Run {
        self.run_for(STEP_S, dice)
    }

    fn run_for(&self, length_s: f64, dice: &mut Dice) -> Run {
        let steps = (0..QUICK.len()).map(|at| self.step(at, length_s, dice)).collect();
        let disk = DiskResult { target: "/data".into(), steps, ..DiskResult::default() };
        Run { disk: vec![disk], ..Run::default() }
    }
}

fn result(
    (operation, block, depth, durable): (Operation, f64, usize, bool),
    length_s: f64,
    done_s: &[(f64, f64)],
) -> DiskStepResult {
    let slices = (length_s / SLICE_S).round() as usize;
    let interval = |slice: usize| {
        let (from, to) = (slice as f64 * SLICE_S, (slice + 1) as f64 * SLICE_S);
        let inside = || done_s.iter().filter(|(at, _)| *at > from && *at <= to);
        let longest_s = inside().map(|(_, took_s)| *took_s).fold(0.0, f64::max);
        let max_ns = (longest_s * 1e9) as u64;
        DiskInterval { t_s: to, iops: inside().count() as f64 / SLICE_S, max_ns, ..DiskInterval::default() }
    };
    let iops = done_s.len() as f64 / length_s;
    DiskStepResult {
        profile: "quick".into(),
        operation,
        pattern: if block < 1e5 && !durable { Pattern::Random } else { Pattern::Sequential },
        block_bytes: block as u64,
        queue_depth: depth as u32,
        threads: 1,
        direct: true,
        sync: if durable { Sync::Fdatasync } else { Sync::None },
        ios: done_s.len() as u64,
        iops,
        throughput_bytes_per_s: iops * block,
        duration_s: length_s,
        requests_per_io: Some(1.0),
        intervals: (0..slices).map(interval).collect(),
        ..DiskStepResult::default()
    }
}

fn drawn(seed: u64) -> (Device, Dice) {
    let mut dice = Dice(seed);
    let mut device = Device {
        read_s: dice.between(2e-3, 2e-2),
        write_s: dice.between(1e-3, 1e-2),
        flush_s: dice.between(1e-4, 5e-2),
        byte_s: dice.between(1e-10, 1e-8),
        jitter: dice.next() * 0.5,
        ..Device::default()
    };
    match (dice.next() * 5.0) as u32 {
        0 => device.servers = Some(2 + (dice.next() * 14.0) as usize),
        1 => device.io_per_s = Some(dice.between(40.0, 4e3)),
        2 => device.bytes_per_s = Some(dice.between(1e7, 5e8)),
        3 => {
            device.io_per_s = Some(dice.between(40.0, 4e3));
            device.bytes_per_s = Some(dice.between(1e7, 5e8));
        }
        _ => {}
    }
    if seed.is_multiple_of(3) {
        if dice.next() < 0.5 {
            device.open_s = Some((0.1 * dice.between(0.1, 0.7), 0.1));
        } else {
            device.drift = dice.between(0.1, 1.0);
        }
    }
    (device, dice)
}

/// The truth of a parameter; infinite: nothing limits it.
fn truth(device: &Device, quantity: Quantity, of: &str) -> Option<f64> {
    let durable = of.contains("sync");
    let operation = if of.contains("read") { Operation::Read } else { Operation::Write };
    let block = if of.contains("1M") { 1_048_576.0 } else { 8192.0 };
    match quantity {
        Quantity::Latency => Some(device.alone_s(operation, block, durable) * 1e9),
        Quantity::ServedAtOnce => Some(device.servers.map_or(f64::INFINITY, |servers| servers as f64)),
        Quantity::RequestRate => Some(device.io_per_s.unwrap_or(f64::INFINITY)),
        Quantity::ByteRate => Some(device.bytes_per_s.unwrap_or(f64::INFINITY)),
        _ => None,
    }
}

fn holds(estimate: Estimate, truth: f64) -> bool {
    match estimate {
        Estimate::Determined { low, high } | Estimate::Between { low, high, .. } => {
            (low..=high).contains(&truth)
        }
        Estimate::AtLeast { low } => truth >= low,
        Estimate::AtMost { high } => truth <= high,
        Estimate::Undetermined { .. } => true,
    }
}

#[test]
fn what_is_said_of_500_simulated_devices_is_true() {
    let (mut said, mut wrong, mut alone, mut determined) = (0, Vec::new(), 0, 0);
    for seed in (0..750).filter(|seed| seed % 3 != 0) {
        let (device, mut dice) = drawn(seed);
        let run = device.run(&mut dice);
        let found = &characteristics(&run)[&PathName::from("/data")];
        for parameter in &found.parameters {
            let Some(truth) = truth(&device, parameter.quantity, &parameter.of) else { continue };
            said += usize::from(!matches!(parameter.estimate, Estimate::Undetermined { .. }));
            if !holds(parameter.estimate, truth) {
                wrong.push(format!("{seed}: {parameter:?} is {truth}: {device:?}"));
            }
            // With one in flight and no limit below it the latency is there to be read.
            let free = device.io_per_s.is_none() && device.bytes_per_s.is_none();
            if parameter.quantity == Quantity::Latency && free && parameter.of.contains("read") {
                alone += 1;
                determined += usize::from(parameter.estimate.value().is_some());
            }
        }
    }
    assert!(wrong.len() * 20 <= said, "{} of {said} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(determined * 10 >= alone * 9, "{determined} of {alone} latencies are determined");
}

/// A device that stops in each tenth of a second, or becomes slower all the time, is none of the models: then no limit may
/// be read where there is none, and none that is off by more than a quarter.
#[test]
fn of_devices_outside_the_models_no_limit_is_made_up() {
    let (mut said, mut wrong) = (0, Vec::new());
    for seed in (0..750).filter(|seed| seed % 3 == 0) {
        let (device, mut dice) = drawn(seed);
        let found = &characteristics(&device.run(&mut dice))[&PathName::from("/data")];
        for parameter in found.parameters.iter().filter(|one| one.quantity != Quantity::Latency) {
            let Some(truth) = truth(&device, parameter.quantity, &parameter.of) else { continue };
            let Some(value) = parameter.estimate.value() else { continue };
            said += 1;
            if (value / truth).ln().abs() > 1.25_f64.ln() {
                wrong.push(format!("{seed}: {parameter:?} is {truth}: {device:?}"));
            }
        }
    }
    assert!(said > 20, "only {said} were determined");
    assert!(wrong.len() * 20 <= said, "{} of {said} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// The table of what the quick plan can tell: a set of requests and a set of servers give the same curve.
#[test]
fn a_limit_and_a_number_of_servers_give_the_same_curve_of_one_block_size() {
    let steady = Device { read_s: 0.005, write_s: 0.002, flush_s: 0.001, byte_s: 1e-9, ..Device::default() };
    let find = |device: &Device, quantity: Quantity, of: &str| {
        let found =
            characteristics(&device.run(&mut Dice(7))).remove(&PathName::from("/data")).expect("the target");
        let mut all = found.parameters.into_iter();
        all.find(|one| one.quantity == quantity && one.of == of).expect("the parameter").estimate
    };
    let four = Device { servers: Some(4), ..steady.clone() };
    // 4 ÷ 5 ms = 800 a second.
    let limited = Device { io_per_s: Some(800.0), ..steady.clone() };
    for device in [&four, &limited] {
        assert!(find(device, Quantity::Latency, "random read 8k").value().is_some());
        let rate = find(device, Quantity::RequestRate, "read");
        assert!(matches!(rate, Estimate::AtLeast { .. } | Estimate::Determined { .. }), "{rate:?}");
    }
    assert!(!matches!(find(&four, Quantity::RequestRate, "read"), Estimate::Determined { .. }));
    // The rate is reached with both block sizes: it is one of requests.
    let slow = Device { io_per_s: Some(150.0), ..steady.clone() };
    let rate = find(&slow, Quantity::RequestRate, "read");
    assert!(rate.value().is_some_and(|rate| (rate / 150.0 - 1.0).abs() < 0.05), "{rate:?}");
    assert!(matches!(find(&slow, Quantity::Latency, "random read 8k"), Estimate::AtMost { .. }));
    // No limit was reached: there is at least what was seen.
    let free = find(&steady, Quantity::RequestRate, "read");
    assert!(matches!(free, Estimate::AtLeast { low } if low > 4000.0), "{free:?}");
}

/// What stood still in the steps of a device, each with the longest time, ms. A probe goes on for 3 s where it has few I/Os.
fn stalls(device: &Device) -> Vec<(String, u64)> {
    let run = device.run_for(3.0, &mut Dice(11));
    let found = characteristics(&run).remove(&PathName::from("/data")).expect("the target");
    let stalled = found.courses.into_iter().filter_map(|course| {
        let stalls = course.stalls?;
        Some((course.measurement.to_string(), stalls.longest_ns / 1_000_000))
    });
    stalled.collect()
}

/// A disk that answers nothing for 0.3 of each 0.5 s: with one small read in flight a few of many wait for all of that.
#[test]
fn a_device_that_pauses_is_seen_to_stand_still() {
    let pauses = Device { read_s: 0.005, write_s: 0.002, open_s: Some((0.2, 0.5)), ..Device::default() };
    let seen = stalls(&pauses);
    let small = seen.iter().find(|(id, _)| id == "quick random read 8k depth 1");
    assert!(small.is_some_and(|(_, ms)| (300..=310).contains(ms)), "{seen:?}");
}

/// Each second large read takes 180 ms, for it goes to a leg of 5.8 MB/s, and one I/O in eight of another device 250 ms: that
/// is what a part of them always takes. In the figures of both directions together no limit is made up.
#[test]
fn what_a_part_of_the_ios_always_takes_is_no_stall() {
    let steady = Device { read_s: 0.005, write_s: 0.002, byte_s: 1e-9, ..Device::default() };
    let leg = Device { leg_bytes_per_s: Some(5.8e6), ..steady.clone() };
    let some = Device { some_slow: Some((8, 0.25)), ..steady };
    for device in [&leg, &some] {
        assert_eq!(stalls(device), [], "{device:?}");
    }
    let found = &characteristics(&leg.run_for(3.0, &mut Dice(11)))[&PathName::from("/data")];
    // Half of the bytes pass the leg.
    let bytes = found.estimate(Quantity::ByteRate, "read").expect("the reads");
    assert!(holds(bytes, 2.0 * 5.8e6), "{bytes:?}");
}

/// Answers at each 10 ms alone, 64 KiB inside at once, 30 large requests a second, every other request 35 ms longer: none of them
/// limits small reads to a rate, and the time of one is what a session waits for.
#[test]
fn of_four_devices_that_no_model_knows_no_limit_of_small_reads_is_made_up() {
    let steady = Device { read_s: 0.005, write_s: 0.002, flush_s: 0.0005, byte_s: 1e-9, ..Device::default() };
    let devices = [
        (Device { tick_s: Some(0.01), ..steady.clone() }, 10e6),
        (Device { room_bytes: Some(65_536.0), ..steady.clone() }, 5e6),
        (Device { large_io_per_s: Some(30.0), ..steady.clone() }, 5e6),
        (Device { two_speeds_s: 0.035, ..steady }, 22.5e6),
    ];
    for (device, alone_ns) in &devices {
        let run = device.run_for(3.0, &mut Dice(5));
        let found = &characteristics(&run)[&PathName::from("/data")];
        let of = |quantity: Quantity, of: &str| found.estimate(quantity, of).expect("the parameter");
        let latency = of(Quantity::Latency, "random read 8k");
        assert!(latency.value().is_some() && holds(latency, *alone_ns), "{latency:?} of {device:?}");
        let rate = of(Quantity::RequestRate, "read");
        assert!(matches!(rate, Estimate::AtLeast { .. }), "{rate:?} of {device:?}");
        let served = of(Quantity::ServedAtOnce, "random read 8k");
        let truth = device.room_bytes.map_or(32.0, |room| room / 8192.0);
        assert!(holds(served, truth), "{served:?} of {device:?}");
        // Of these only the third holds any reads at a rate.
        let small = run.disk[0].name_of(&run.disk[0].steps[2]);
        let large = run.disk[0].name_of(&run.disk[0].steps[5]);
        let plateau = assess(&run).findings.into_iter().find(|one| one.code == "rate-plateau");
        let holds_step = |id| {
            plateau.as_ref().is_some_and(|one| one.explains.iter().any(|e| e.covers(&"/data".into(), id)))
        };
        assert_eq!(
            [holds_step(&small), holds_step(&large)],
            [false, device.large_io_per_s.is_some()],
            "{device:?}"
        );
    }
}
