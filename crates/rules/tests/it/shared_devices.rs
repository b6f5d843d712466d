//! Simulated devices that serve others, too: who is named follows from how much more in flight gives.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "times and counts of a simulation, far below 2^53"
)]

use crate::simulation::Dice;
use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, Cause, Role};
use fullwire_rules::assess;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A device that serves whoever waits longest.
struct Device {
    servers: usize,
    each_s: f64,
    jitter: f64,
    /// Requests that other programs keep in flight.
    others: usize,
    /// Their writes a second, which a cache takes in a millisecond.
    cached_per_s: f64,
}

impl Device {
    /// Random reads of 8 KiB for a second and a half.
    fn step(&self, depth: usize, dice: &mut Dice) -> Value {
        const LENGTH_S: f64 = 1.5;
        let mut servers = vec![0.0_f64; self.servers];
        let mut issue = |now: f64| {
            let server =
                (0..servers.len()).min_by(|a, b| servers[*a].total_cmp(&servers[*b])).expect("a server");
            let served_s = self.each_s * (1.0 + self.jitter * (2.0 * dice.next() - 1.0));
            servers[server] = now.max(servers[server]) + served_s;
            servers[server]
        };
        let mut waiting = BinaryHeap::new();
        let ns = |seconds: f64| (seconds * 1e9).round();
        // The others were there before.
        for own in std::iter::repeat_n(false, self.others).chain(std::iter::repeat_n(true, depth)) {
            waiting.push(Reverse((ns(issue(0.0)) as u64, own)));
        }
        let (mut done_s, mut all) = (Vec::new(), 0.0);
        while let Some(Reverse((at_ns, own))) =
            waiting.pop().filter(|Reverse((at, _))| *at as f64 / 1e9 < LENGTH_S)
        {
            let now = at_ns as f64 / 1e9;
            all += 1.0;
            if own {
                done_s.push(now);
            }
            waiting.push(Reverse((ns(issue(now)) as u64, own)));
        }
        let slices = (0..20).map(|slice| {
            let (from, to) = (f64::from(slice) * 0.075, f64::from(slice + 1) * 0.075);
            let count = done_s.iter().filter(|at| **at > from && **at <= to).count() as f64;
            json!({ "t_s": to, "iops": count / 0.075, "throughput_bytes_per_s": count / 0.075 * 8192.0 })
        });
        let (iops, rate) = (done_s.len() as f64 / LENGTH_S, all / LENGTH_S + self.cached_per_s);
        let took_ns = ns(depth as f64 / iops) as u64;
        let in_flight = (depth + self.others) as f64 + 0.001 * self.cached_per_s;
        json!({
            "profile": "quick", "operation": "read", "pattern": "random", "block_bytes": 8192, "queue_depth": depth,
            "threads": 1, "direct": true, "ios": done_s.len(), "duration_s": LENGTH_S, "iops": iops,
            "throughput_bytes_per_s": iops * 8192.0, "requests_per_io": 1.0, "intervals": slices.collect::<Vec<_>>(),
            "latency_ns": { "count": done_s.len(), "mean": took_ns, "p50": took_ns, "p90": took_ns, "p99": took_ns, "max": took_ns },
            "layers": [{ "name": "sda", "iops": rate, "await_ns": in_flight / rate * 1e9, "queue_mean": in_flight }]
        })
    }

    /// The answer to a plan of three depths, with what the others did before it.
    fn judged(&self) -> Assessment {
        let mut dice = Dice(11);
        let steps: Vec<Value> = [1, 8, 32].map(|depth| self.step(depth, &mut dice)).into();
        let before = Self { servers: self.servers, ..*self }.step(0, &mut dice)["layers"][0]["iops"].as_f64();
        let before = before.expect("a rate").round() as u64;
        let disk = |reads: u64| json!({ "sda": { "reads": reads, "read_bytes": reads * 65_536, "read_ms": reads * 5 } });
        let run: Run = serde_json::from_value(json!({
            "host": { "disks": [{ "name": "sda", "kind": "disk" }] },
            "disk": [{ "target": "/data", "device": "sda", "steps": steps }],
            "windows": [{ "kind": "idle", "from": { "monotonic_ns": 0, "disks": disk(0) },
                "to": { "monotonic_ns": 1_000_000_000_u64, "disks": disk(before) } }]
        }))
        .expect("a run");
        assess(&run)
    }
}

fn primary(assessment: &Assessment) -> Option<&Cause> {
    assessment.paths[0].causes.iter().find(|cause| cause.role == Role::Primary)
}

/// 500 writes of others a second that a cache takes make the disk's mean time short: ours wait inside all the same.
#[test]
fn quick_writes_of_others_hide_no_queue_of_reads() {
    let judged = Device { servers: 1, each_s: 0.005, jitter: 0.02, others: 0, cached_per_s: 500.0 }.judged();
    assert_eq!(primary(&judged).expect("a cause").code, "rate-plateau", "{:?}", judged.paths[0].causes);
}

/// 64 of others before each of ours, sixteen served at a time: more in flight gives more.
#[test]
fn a_neighbour_that_fills_the_device_is_named() {
    let judged = Device { servers: 16, each_s: 0.005, jitter: 0.3, others: 64, cached_per_s: 0.0 }.judged();
    assert_eq!(primary(&judged).expect("a cause").code, "foreign-load", "{:?}", judged.paths[0].causes);
}

/// Room for all: nobody waits for the others, and nothing is said of a limit.
#[test]
fn a_device_with_room_has_no_plateau_beside_a_neighbour() {
    let judged = Device { servers: 64, each_s: 0.005, jitter: 0.3, others: 4, cached_per_s: 0.0 }.judged();
    assert!(
        primary(&judged).is_none_or(|cause| cause.code != "rate-plateau"),
        "{:?}",
        judged.paths[0].causes
    );
}
