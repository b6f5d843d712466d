//! What all tests of a responder may take together: each of them is small, and there may be a thousand.

use super::plan::{LaneSpec, Role};
use fullwire_model::net::NetPlan;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

/// An asker keeps three histograms of 0.18 MiB each.
const ASKER_BYTES: u64 = 600 << 10;
/// Any other lane: its thread's stack and bookkeeping.
const LANE_BYTES: u64 = 64 << 10;
/// A test next to its lanes.
const TEST_BYTES: u64 = 64 << 10;

/// What a test takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) lanes: usize,
    pub(crate) memory_bytes: u64,
}

impl Cost {
    /// Of a test with these lanes at the responder.
    pub(crate) fn of(plan: &NetPlan, lanes: &[LaneSpec]) -> Self {
        let each = |lane: &LaneSpec| if lane.server == Role::Asker { ASKER_BYTES } else { LANE_BYTES };
        let written = if plan.write { plan.length_bytes.saturating_mul(plan.streams.into()) } else { 0 };
        let memory_bytes =
            lanes.iter().map(each).sum::<u64>().saturating_add(TEST_BYTES).saturating_add(written);
        Self { lanes: lanes.len(), memory_bytes }
    }
}

/// The sum of what running tests take, and its limit.
pub(crate) struct Budget {
    most: Cost,
    taken: Mutex<Cost>,
}

impl Budget {
    pub(crate) fn new(most: Cost) -> Arc<Self> {
        Arc::new(Self { most, taken: Mutex::default() })
    }

    /// A share for a test; `None`: the others have too much already.
    pub(crate) fn take(self: &Arc<Self>, cost: Cost) -> Option<Share> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let lanes = taken.lanes.saturating_add(cost.lanes);
        let memory_bytes = taken.memory_bytes.saturating_add(cost.memory_bytes);
        if lanes > self.most.lanes || memory_bytes > self.most.memory_bytes {
            return None;
        }
        *taken = Cost { lanes, memory_bytes };
        Some(Share { budget: Arc::clone(self), cost })
    }
}

/// Given back when dropped: by the last of a test's threads.
pub(crate) struct Share {
    budget: Arc<Budget>,
    cost: Cost,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.budget.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.lanes -= self.cost.lanes;
        taken.memory_bytes -= self.cost.memory_bytes;
    }
}

/// What counts as one address for a limit: of IPv6 the network of 64 bits, as a host gives itself as many addresses in
/// that as it likes.
pub(crate) fn place(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_comes_back_when_its_last_holder_is_gone() {
        let budget = Budget::new(Cost { lanes: 3, memory_bytes: 1000 });
        let first = Arc::new(budget.take(Cost { lanes: 2, memory_bytes: 10 }).expect("room"));
        assert!(budget.take(Cost { lanes: 2, memory_bytes: 0 }).is_none());
        assert!(budget.take(Cost { lanes: 0, memory_bytes: 991 }).is_none());
        assert!(budget.take(Cost { lanes: usize::MAX, memory_bytes: u64::MAX }).is_none());
        let lane = Arc::clone(&first);
        drop(first);
        assert!(budget.take(Cost { lanes: 2, memory_bytes: 0 }).is_none(), "a lane still runs");
        drop(lane);
        assert!(budget.take(Cost { lanes: 3, memory_bytes: 1000 }).is_some());
    }

    #[test]
    fn addresses_of_one_network_of_ipv6_are_one_place() {
        let place = |text: &str| super::place(text.parse().expect("address"));
        assert_eq!(place("2001:db8:1:2::1"), place("2001:db8:1:2:ffff::7"));
        assert_ne!(place("2001:db8:1:2::1"), place("2001:db8:1:3::1"));
        assert_ne!(place("192.0.2.1"), place("192.0.2.2"));
        assert_eq!(place("::ffff:192.0.2.1"), place("192.0.2.1"));
    }
}
