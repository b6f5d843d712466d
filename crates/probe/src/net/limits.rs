//! What a responder allows.

use fullwire_model::net::{NetPlan, UNTIL_STOPPED_NS};

/// A responder's limits. Zero means no limit where the field says so.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Connections of any kind at the same time. When they are used up, the oldest that has not proved itself goes.
    pub connections: usize,
    /// Maximum number of concurrent clients.
    pub tests: usize,
    /// Maximum number of concurrent clients from one address; 0: no limit.
    pub tests_per_address: usize,
    /// Lanes of one test.
    pub streams: u32,
    /// Lanes of all tests together.
    pub lanes: usize,
    /// Memory of all tests together, bytes.
    pub memory_bytes: u64,
    /// Files of all tests together, bytes; less where little space is free.
    pub write_bytes: u64,
    /// Longest test, ns; [`UNTIL_STOPPED_NS`]: no limit.
    pub duration_ns: u64,
    /// Bytes that one test moves, on all its connections; 0: no limit.
    pub bytes: u64,
    /// Rate of one test, on all its connections, bytes per second; 0: no limit. A client has to plan for it.
    pub rate_bytes_per_s: f64,
}

/// Longest that a client may have the kernel poll for it, µs.
pub(crate) const BUSY_POLL_MOST_US: u32 = 1000;

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4096,
            tests: 64,
            tests_per_address: 0,
            streams: 128,
            lanes: 2048,
            memory_bytes: 320 << 20,
            write_bytes: 16 << 30,
            duration_ns: 3_600_000_000_000,
            bytes: 0,
            rate_bytes_per_s: 0.0,
        }
    }
}

impl Limits {
    /// Why a plan is more than is allowed.
    pub(crate) fn objection(&self, plan: &NetPlan) -> Option<String> {
        if plan.streams > self.streams {
            return Some(format!(
                "{} streams requested, but at most {} are allowed here",
                plan.streams, self.streams
            ));
        }
        if plan.duration_ns == UNTIL_STOPPED_NS && self.duration_ns != UNTIL_STOPPED_NS {
            return Some(format!(
                "a test without an end requested, but at most {} s are allowed here: give a duration",
                secs(self.duration_ns)
            ));
        }
        let whole_ns = plan.duration_ns.saturating_add(plan.warmup_ns);
        if whole_ns > self.duration_ns {
            return Some(format!(
                "{} s requested, but at most {} s are allowed here",
                secs(whole_ns),
                secs(self.duration_ns)
            ));
        }
        let least = plan.length_bytes.saturating_mul(plan.streams.into()).max(plan.duration_bytes);
        if self.bytes > 0 && least > self.bytes {
            return Some(format!("{least} bytes requested, but at most {} are allowed here", self.bytes));
        }
        let limit = self.rate_bytes_per_s;
        let planned = plan.rate_bytes_per_s;
        if limit > 0.0 && (planned <= 0.0 || planned > limit) {
            return Some(format!(
                "this responder allows only {}: add --rate {}",
                in_bits(limit),
                in_bits(limit)
            ));
        }
        if limit > 0.0 && plan.under_load {
            return Some(format!(
                "this responder allows only {}: not enough for --under-load",
                in_bits(limit)
            ));
        }
        None
    }
}

fn secs(ns: u64) -> u64 {
    ns / 1_000_000_000
}

/// A rate as `--rate` reads it: `100Mbit`.
fn in_bits(bytes_per_s: f64) -> String {
    let bits = bytes_per_s * 8.0;
    let (value, unit) = if bits >= 1e9 { (bits / 1e9, "Gbit") } else { (bits / 1e6, "Mbit") };
    // Rounded down, so that what is requested is allowed.
    format!("{}{unit}", (value * 1000.0).floor() / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_beyond_a_limit_is_refused_with_the_limit_named() {
        let limits = Limits { streams: 4, rate_bytes_per_s: 1e6, ..Limits::default() };
        let plan = |streams, rate_bytes_per_s| NetPlan { streams, rate_bytes_per_s, ..NetPlan::default() };
        assert!(limits.objection(&plan(5, 1e6)).unwrap().contains("at most 4 are allowed"));
        assert!(limits.objection(&plan(1, 0.0)).unwrap().contains("--rate"));
        assert_eq!(limits.objection(&plan(4, 1e6)), None);
    }

    #[test]
    fn a_duration_that_overflows_is_too_long() {
        let plan = NetPlan { duration_ns: u64::MAX - 1, warmup_ns: 2, ..NetPlan::default() };
        assert!(Limits::default().objection(&plan).is_some());
        let endless = NetPlan { duration_ns: UNTIL_STOPPED_NS, warmup_ns: 1, ..NetPlan::default() };
        assert!(Limits::default().objection(&endless).unwrap().contains("give a duration"));
        let patient = Limits { duration_ns: UNTIL_STOPPED_NS, ..Limits::default() };
        assert_eq!(patient.objection(&endless), None);
    }
}
