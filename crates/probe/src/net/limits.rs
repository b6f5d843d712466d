//! What a responder allows.

use fullwire_model::net::NetPlan;

/// A responder's limits. Zero means no limit where the field says so.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Connections of any kind at once. When they are used up, the oldest that has not proved itself goes.
    pub connections: usize,
    /// Clients at once.
    pub tests: usize,
    /// Clients at once from one address; 0: no limit of its own.
    pub tests_per_address: usize,
    /// Lanes of one test.
    pub streams: u32,
    /// Longest test, ns.
    pub duration_ns: u64,
    /// Bytes of one test in each direction; 0: no limit.
    pub bytes: u64,
    /// Rate of one test in each direction, bytes a second; 0: no limit. A client has to plan for it.
    pub rate_bytes_per_s: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4096,
            tests: 64,
            tests_per_address: 0,
            streams: 128,
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
            return Some(format!("{} streams are more than the {} allowed here", plan.streams, self.streams));
        }
        let whole_ns = plan.duration_ns.saturating_add(plan.warmup_ns);
        if whole_ns > self.duration_ns {
            return Some(format!(
                "{} s are more than the {} s allowed here",
                secs(whole_ns),
                secs(self.duration_ns)
            ));
        }
        if self.bytes > 0 && plan.duration_bytes > self.bytes {
            return Some(format!(
                "{} bytes are more than the {} allowed here",
                plan.duration_bytes, self.bytes
            ));
        }
        let limit = self.rate_bytes_per_s;
        let planned = plan.rate_bytes_per_s;
        if limit > 0.0 && (planned <= 0.0 || planned > limit) {
            return Some(format!("the rate is limited to {limit:.0} bytes/s here: ask for it with --rate"));
        }
        None
    }
}

fn secs(ns: u64) -> u64 {
    ns / 1_000_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_beyond_a_limit_is_refused_with_the_limit_named() {
        let limits = Limits { streams: 4, rate_bytes_per_s: 1e6, ..Limits::default() };
        let plan = |streams, rate_bytes_per_s| NetPlan { streams, rate_bytes_per_s, ..NetPlan::default() };
        assert!(limits.objection(&plan(5, 1e6)).unwrap().contains("4 allowed"));
        assert!(limits.objection(&plan(1, 0.0)).unwrap().contains("--rate"));
        assert_eq!(limits.objection(&plan(4, 1e6)), None);
    }

    #[test]
    fn a_duration_that_overflows_is_too_long() {
        let plan = NetPlan { duration_ns: u64::MAX, warmup_ns: 1, ..NetPlan::default() };
        assert!(Limits::default().objection(&plan).is_some());
    }
}
