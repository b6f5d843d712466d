//! Who may run a test on this responder, and when: beyond its own limits, a plan that its owner has agreed to.

use fullwire_model::net::NetPlan;
use std::time::{Duration, Instant};

/// Decides about each test, where limits alone do not: a schedule, a budget of several tests.
pub trait Gate: Send + Sync {
    /// Lets a test in, with what it must keep to; or says why not.
    fn enter(&self, plan: &NetPlan) -> Result<Pass, String>;
    /// Whether a test that was let in this long ago and has moved this much has to go immediately, and why.
    fn revoked(&self, pass: &Pass, elapsed: Duration, moved_bytes: u64) -> Option<String>;
    /// A test that was let in is over.
    fn leave(&self, pass: &Pass, moved_bytes: u64);
}

/// What a test that was let in must keep to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// The gate's own number for it.
    pub id: u64,
    /// It is cut then, whatever it is doing.
    pub deadline: Instant,
    /// Most bytes that it moves, on all its connections; 0: no limit.
    pub bytes: u64,
}
