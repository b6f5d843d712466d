//! Simulated storage, request by request, that shares no code with the fit: what is said of it must be true.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "times and counts of a simulation, far below 2^53"
)]

use fullwire_model::Run;
use fullwire_model::characteristic::{Estimate, Quantity};
use fullwire_model::disk::{DiskInterval, DiskResult, DiskStep, DiskStepResult, Operation, Pattern, Sync};
use fullwire_rules::characteristics;
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
    /// Outside the models: nothing is served in the rest of each 100 ms.
    pub(crate) open_s: Option<f64>,
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

    fn step(&self, at: usize, dice: &mut Dice) -> DiskStepResult {
        self.load(QUICK[at], self.drift * at as f64, STEP_S, 0.0, dice)
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
        let mut servers = vec![0.0_f64; self.servers.unwrap_or(depth).min(depth)];
        let (mut next_io_s, mut next_byte_s) = (0.0_f64, 0.0_f64);
        let mut waiting: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
        let ns = |seconds: f64| (seconds * 1e9) as u64;
        let mut issue = |now: f64, dice: &mut Dice| {
            let server =
                (0..servers.len()).min_by(|a, b| servers[*a].total_cmp(&servers[*b])).expect("a server");
            let service_s = alone_s * (1.0 + self.jitter * (2.0 * dice.next() - 1.0));
            let mut done = now.max(servers[server]) + service_s;
            if let Some(open_s) = self.open_s {
                let into = done % 0.1;
                if into > open_s {
                    done += 0.1 - into;
                }
            }
            servers[server] = done;
            let limited = self.write_io_per_s.filter(|_| operation == Operation::Write);
            if let Some(rate) = self.io_per_s.or(limited) {
                let turn = next_io_s.max(now);
                next_io_s = turn + 1.0 / rate;
                done = done.max(turn);
            }
            if let Some(rate) = self.bytes_per_s {
                next_byte_s = next_byte_s.max(now) + block / rate;
                done = done.max(next_byte_s);
            }
            done
        };
        for _ in 0..depth {
            waiting.push(Reverse(ns(issue(0.0, dice))));
        }
        let (mut done_s, mut times_s, mut begun) = (Vec::new(), Vec::new(), 0.0_f64);
        while let Some(Reverse(at_ns)) = waiting.pop() {
            let now = at_ns as f64 / 1e9;
            if now > length_s {
                break;
            }
            done_s.push(now);
            times_s.push(now - begun);
            begun = if gap_s > 0.0 { (now / gap_s).ceil() * gap_s } else { now };
            waiting.push(Reverse(ns(issue(begun, dice))));
        }
        times_s.sort_by(f64::total_cmp);
        let middle = times_s.get(times_s.len() / 2).copied().unwrap_or(0.0);
        let mut found = result((operation, block, depth, durable), length_s, &done_s);
        found.latency_ns.count = found.ios;
        found.latency_ns.p50 = ns(middle);
        found.latency_ns.p90 = ns(times_s.get(times_s.len() * 9 / 10).copied().unwrap_or(0.0));
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
        let steps = (0..QUICK.len()).map(|at| self.step(at, dice)).collect();
        let disk = DiskResult { target: "/data".into(), steps, ..DiskResult::default() };
        Run { disk: vec![disk], ..Run::default() }
    }
}

fn result(
    (operation, block, depth, durable): (Operation, f64, usize, bool),
    length_s: f64,
    done_s: &[f64],
) -> DiskStepResult {
    let slices = (length_s / SLICE_S).round() as usize;
    let interval = |slice: usize| {
        let (from, to) = (slice as f64 * SLICE_S, (slice + 1) as f64 * SLICE_S);
        let count = done_s.iter().filter(|at| **at > from && **at <= to).count() as f64;
        DiskInterval { t_s: to, iops: count / SLICE_S, ..DiskInterval::default() }
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
            device.open_s = Some(0.1 * dice.between(0.1, 0.7));
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
        Estimate::Determined { low, high } => (low..=high).contains(&truth),
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
        let found = &characteristics(&run)["/data"];
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
        let found = &characteristics(&device.run(&mut dice))["/data"];
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
        let found = characteristics(&device.run(&mut Dice(7))).remove("/data").expect("the target");
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
