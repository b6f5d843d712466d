//! What a host lets others do to it. The host itself keeps to it: anyone who gives orders may be wrong or old.

use crate::conduct::Ticket;
use serde::{Deserialize, Serialize};

/// A plan may ask for this much more than the host allows: what rates lose when they are written as text.
const RATE_ROUNDING: f64 = 1.001;
/// A stream that keeps to its rate may be this much ahead of it on average: pacing is coarse.
const RATE_SLACK: f64 = 1.25;
/// And by this much for as long as it has hardly begun: messages are whole, bytes.
const RATE_BURST_BYTES: f64 = 2_097_152.0;
/// Round trips and the search of a path MTU move no more, bytes.
const LIGHT_BYTES: u64 = 1_000_000;
/// Tickets that are let in at once.
const LEASES_LIMIT: usize = 1024;
/// Minutes of a day.
const DAY_MIN: u32 = 24 * 60;

/// Limits of one host.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostLimits {
    /// Highest rate of all tests together, those that the host drives and those that it serves each, bytes per second; 0: none.
    pub rate_bytes_per_s: f64,
    /// Bytes that all tests of this mesh may move through the host; 0: no limit.
    pub budget_bytes: u64,
    /// Only in this part of the host's day.
    pub between: Option<Between>,
}

impl HostLimits {
    /// What both allow; where only one part of the day can be kept to, it is this host's own.
    #[must_use]
    pub fn tightest(&self, other: &Self) -> Self {
        let lower = |one: f64, two: f64| if one > 0.0 && two > 0.0 { one.min(two) } else { one.max(two) };
        let fewer = |one: u64, two: u64| if one > 0 && two > 0 { one.min(two) } else { one.max(two) };
        Self {
            rate_bytes_per_s: lower(self.rate_bytes_per_s, other.rate_bytes_per_s),
            budget_bytes: fewer(self.budget_bytes, other.budget_bytes),
            between: self.between.or(other.between),
        }
    }
}

/// A part of the day, by the host's own clock: `22:00-05:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Between {
    from_min: u32,
    to_min: u32,
}

impl Between {
    /// `HH:MM-HH:MM`; over midnight where the second is earlier.
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        let (from_min, to_min) = (minute_of_day(from)?, minute_of_day(to)?);
        (from_min != to_min).then_some(Self { from_min, to_min })
    }

    /// Whether a minute of the day is in it.
    pub fn holds(self, minute: u32) -> bool {
        let minute = minute % DAY_MIN;
        if self.from_min < self.to_min {
            (self.from_min..self.to_min).contains(&minute)
        } else {
            minute >= self.from_min || minute < self.to_min
        }
    }
}

impl std::fmt::Display for Between {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (from, to) = (self.from_min, self.to_min);
        write!(f, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    }
}

fn minute_of_day(text: &str) -> Option<u32> {
    let (hour, minute) = text.trim().split_once(':')?;
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

/// The door of one host's responder: open for the tickets that were announced and not over, never for an old one.
#[derive(Debug, Clone, Default)]
pub struct Door {
    limits: HostLimits,
    leases: Vec<Lease>,
    highest: Ticket,
    moved_bytes: u64,
    /// What tests that run may still move.
    held_bytes: u64,
    /// The rates of streams that the host drives, and of those that it serves, bytes per second.
    held_rates: [f64; 2],
}

/// Which end of a test this host is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It drives the test.
    Driver,
    /// Its responder serves the test.
    Responder,
}

/// What is kept free for a test while it runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// Of the budget; 0: no limit.
    pub bytes: u64,
    end: End,
    rate_bytes_per_s: f64,
}

impl Held {
    /// Most bytes that the test may have moved after this time; `None`: no limit.
    pub fn most_bytes(&self, elapsed_ns: u64) -> Option<f64> {
        most_bytes(self.rate_bytes_per_s, elapsed_ns)
    }
}

/// A ticket that is let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lease {
    ticket: Ticket,
    until_ns: u64,
}

/// What a test that is let in must keep to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pass {
    /// By the host's clock.
    pub until_ns: u64,
    /// What is kept free for it.
    pub held: Held,
}

/// What a test is going to put on the network, as its plan says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Load {
    /// Small messages with pauses.
    RoundTrips,
    /// A stream.
    Stream {
        /// Bytes per second; 0: as fast as it can.
        rate_bytes_per_s: f64,
        /// How long it lasts, ns; 0: not known.
        duration_ns: u64,
    },
}

impl Load {
    /// Most bytes that it moves if it keeps to its plan; `None`: as many as go.
    fn most_bytes(self) -> Option<u64> {
        match self {
            Self::RoundTrips => Some(LIGHT_BYTES),
            Self::Stream { rate_bytes_per_s, duration_ns } => {
                let most = most_bytes(rate_bytes_per_s, duration_ns);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "bytes of a bounded test"
                )]
                most.filter(|_| duration_ns > 0).map(|bytes| bytes as u64)
            }
        }
    }
}

/// Most bytes that a stream of this rate may have moved after this time; `None`: no limit.
fn most_bytes(rate_bytes_per_s: f64, elapsed_ns: u64) -> Option<f64> {
    let seconds = elapsed_ns as f64 / 1e9;
    (rate_bytes_per_s > 0.0).then_some(rate_bytes_per_s * (RATE_SLACK * seconds + 1.0) + RATE_BURST_BYTES)
}

impl Door {
    /// With these limits.
    pub fn new(limits: HostLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Opens for a ticket, or says why not. A ticket that is not higher than all before it was given by someone who
    /// has been replaced since, or came twice.
    pub fn prepare(&mut self, ticket: Ticket, now_ns: u64, lease_ns: u64, minute: u32) -> Result<(), String> {
        self.leases.retain(|lease| lease.until_ns > now_ns);
        if ticket <= self.highest {
            return Err(format!("ticket {ticket} is out of date: {} was already seen", self.highest));
        }
        self.allows(minute)?;
        if self.leases.len() >= LEASES_LIMIT {
            return Err(format!("{LEASES_LIMIT} tests are announced already"));
        }
        self.highest = ticket;
        self.leases.push(Lease { ticket, until_ns: now_ns.saturating_add(lease_ns) });
        Ok(())
    }

    /// Whether the host takes part in tests at all now, as responder or as client.
    pub fn allows(&self, minute: u32) -> Result<(), String> {
        if let Some(why) = self.outside(minute) {
            return Err(why);
        }
        if self.limits.budget_bytes > 0 && self.moved_bytes >= self.limits.budget_bytes {
            return Err(format!("the budget of {} bytes is used up", self.limits.budget_bytes));
        }
        Ok(())
    }

    /// Why nothing may run now, by the part of the day: a test that runs is ended then.
    pub fn outside(&self, minute: u32) -> Option<String> {
        let between = self.limits.between.filter(|between| !between.holds(minute))?;
        Some(format!("by this host's clock it is outside {between}"))
    }

    /// Closes again.
    pub fn release(&mut self, ticket: Ticket) {
        self.leases.retain(|lease| lease.ticket != ticket);
    }

    /// A test wants in: how long it may stay and how much it may move. [`Door::settle`] when it is over.
    pub fn enter(&mut self, now_ns: u64, load: Load) -> Result<Pass, String> {
        self.leases.retain(|lease| lease.until_ns > now_ns);
        let until_ns = self.leases.iter().map(|lease| lease.until_ns).max();
        let until_ns = until_ns
            .ok_or("no test is due here: the coordinator did not announce one, or its time is over")?;
        Ok(Pass { until_ns, held: self.hold(End::Responder, load)? })
    }

    /// Keeps as much of the rate and of the budget as a test can need, so that tests at the same time do not spend them twice.
    /// [`Door::settle`] when it is over.
    pub fn hold(&mut self, end: End, load: Load) -> Result<Held, String> {
        let rate_bytes_per_s = self.rate_of(end, load)?;
        let bytes = self.bytes_of(load)?;
        self.held_bytes = self.held_bytes.saturating_add(bytes);
        self.held_rates[end as usize] += rate_bytes_per_s;
        Ok(Held { bytes, end, rate_bytes_per_s })
    }

    /// A test is over for which this was held, and which moved this much, by this host's own count.
    pub fn settle(&mut self, held: Held, moved_bytes: u64) {
        self.held_bytes = self.held_bytes.saturating_sub(held.bytes);
        let rate = &mut self.held_rates[held.end as usize];
        *rate = (*rate - held.rate_bytes_per_s).max(0.0);
        self.moved_bytes = self.moved_bytes.saturating_add(moved_bytes);
    }

    /// What a test takes of the host's rate; round trips pause and take none.
    fn rate_of(&self, end: End, load: Load) -> Result<f64, String> {
        let most = self.limits.rate_bytes_per_s;
        let Load::Stream { rate_bytes_per_s: rate, .. } = load else { return Ok(0.0) };
        if most <= 0.0 {
            return Ok(0.0);
        }
        let unlimited = rate <= 0.0 || rate.is_nan();
        if unlimited || rate > most * RATE_ROUNDING {
            return Err(format!("this host allows {most:.0} bytes/s, and the plan is for more"));
        }
        let others = self.held_rates[end as usize];
        if others + rate > most * RATE_ROUNDING {
            return Err(format!(
                "this host allows {most:.0} bytes/s, and tests that run have {others:.0} of them"
            ));
        }
        Ok(rate)
    }

    /// What a test takes of the budget; 0: no limit.
    fn bytes_of(&self, load: Load) -> Result<u64, String> {
        let budget = self.limits.budget_bytes;
        if budget == 0 {
            return Ok(0);
        }
        if self.moved_bytes >= budget {
            return Err(format!("the budget of {budget} bytes is used up"));
        }
        let left = budget.saturating_sub(self.moved_bytes.saturating_add(self.held_bytes));
        if left == 0 {
            return Err(format!("the rest of the budget of {budget} bytes is held for tests that run"));
        }
        Ok(load.most_bytes().map_or(left, |most| most.min(left)))
    }

    /// What all tests that are over moved, bytes.
    pub fn moved_bytes(&self) -> u64 {
        self.moved_bytes
    }

    /// No test may be inside: all leases were given back or are over. Who still is, is put out.
    pub fn is_closed(&self, now_ns: u64) -> bool {
        self.leases.iter().all(|lease| lease.until_ns <= now_ns)
    }

    /// What the host allows.
    pub fn limits(&self) -> &HostLimits {
        &self.limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_limits_the_tighter_one_holds() {
        let limits = |rate, budget, between| HostLimits {
            rate_bytes_per_s: rate,
            budget_bytes: budget,
            between: Between::parse(between),
        };
        let own = limits(100.0, 0, "22:00-05:00");
        assert_eq!(own.tightest(&HostLimits::default()), own);
        assert_eq!(HostLimits::default().tightest(&own), own);
        assert_eq!(own.tightest(&limits(50.0, 7, "01:00-02:00")), limits(50.0, 7, "22:00-05:00"));
        assert_eq!(own.tightest(&limits(500.0, 7, "")), limits(100.0, 7, "22:00-05:00"));
    }

    #[test]
    fn a_window_may_cross_midnight() {
        let night = Between::parse("22:00-05:00").unwrap();
        assert_eq!(
            [21 * 60 + 59, 22 * 60, 0, 299, 300].map(|minute| night.holds(minute)),
            [false, true, true, true, false]
        );
        let day = Between::parse("08:30-17:00").unwrap();
        assert_eq!([509, 510, 1019, 1020].map(|minute| day.holds(minute)), [false, true, true, false]);
        assert_eq!(night.to_string(), "22:00-05:00");
        for wrong in ["", "22-5", "24:00-05:00", "05:00-05:00", "05:60-06:00"] {
            assert_eq!(Between::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_door_keeps_old_tickets_and_late_tests_out() {
        let limits = HostLimits { budget_bytes: 100, ..HostLimits::default() };
        let mut door = Door::new(limits);
        let stream = |rate_bytes_per_s| Load::Stream { rate_bytes_per_s, duration_ns: 0 };
        assert!(door.enter(0, stream(0.0)).is_err(), "nothing was announced");
        door.prepare(5, 0, 10, 0).unwrap();
        assert!(door.prepare(5, 0, 10, 0).is_err() && door.prepare(4, 0, 10, 0).is_err());
        let pass = door.enter(9, stream(0.0)).unwrap();
        assert_eq!((pass.until_ns, pass.held.bytes), (10, 100));
        door.settle(pass.held, 0);
        assert!(door.enter(10, stream(0.0)).is_err(), "the lease is over by the host's clock");
        door.prepare(6, 11, 10, 0).unwrap();
        door.settle(Held { bytes: 0, ..pass.held }, 100);
        assert!(door.enter(12, stream(0.0)).unwrap_err().contains("budget"));
        assert!(door.prepare(7, 12, 10, 0).unwrap_err().contains("budget"));
        assert!(!door.is_closed(12));
        door.release(6);
        assert!(door.is_closed(12));
        let mut closed =
            Door::new(HostLimits { between: Between::parse("01:00-02:00"), ..HostLimits::default() });
        assert!(closed.prepare(1, 0, 1, 0).unwrap_err().contains("01:00-02:00"));
        assert!(closed.prepare(2, 0, 1, 61).is_ok());
    }

    #[test]
    fn tests_at_the_same_time_do_not_spend_the_budget_twice() {
        let mut door = Door::new(HostLimits { budget_bytes: 10_000_000, ..HostLimits::default() });
        let stream = |rate_bytes_per_s, duration_ns| Load::Stream { rate_bytes_per_s, duration_ns };
        let hold = |door: &mut Door, load| door.hold(End::Driver, load);
        assert_eq!(hold(&mut door, Load::RoundTrips).unwrap().bytes, LIGHT_BYTES);
        // 1 MB/s for one second, and what pacing may be ahead by.
        let paced = hold(&mut door, stream(1e6, 1_000_000_000)).unwrap();
        assert!((2_000_000..5_000_000).contains(&paced.bytes), "{paced:?}");
        let rest = hold(&mut door, stream(0.0, 1_000_000_000)).unwrap();
        assert_eq!(rest.bytes, 9_000_000 - paced.bytes, "all that is left");
        assert!(hold(&mut door, Load::RoundTrips).unwrap_err().contains("held for tests that run"));
        door.settle(paced, 1_000_000);
        assert_eq!(hold(&mut door, stream(0.0, 0)).unwrap().bytes, paced.bytes - 1_000_000);
        assert_eq!(door.moved_bytes(), 1_000_000);
        let unlimited = Door::new(HostLimits::default()).hold(End::Driver, stream(0.0, 0)).unwrap();
        assert_eq!((unlimited.bytes, unlimited.most_bytes(1)), (0, None), "no budget, no limit");
    }

    #[test]
    fn tests_at_the_same_time_share_the_rate_of_each_direction() {
        let mut door = Door::new(HostLimits { rate_bytes_per_s: 1e6, ..HostLimits::default() });
        door.prepare(1, 0, 100, 0).unwrap();
        let stream = |rate_bytes_per_s| Load::Stream { rate_bytes_per_s, duration_ns: 0 };
        let most = door.enter(1, stream(0.6e6)).unwrap().held;
        assert!(door.enter(1, stream(0.5e6)).unwrap_err().contains("have 600000 of them"));
        let rest = door.enter(1, stream(0.4e6)).unwrap().held;
        assert!(door.enter(1, Load::RoundTrips).is_ok() && door.enter(1, stream(0.1e6)).is_err());
        // What the host sends is the other direction of its line.
        let driven = door.hold(End::Driver, stream(1e6)).unwrap();
        assert!(door.hold(End::Driver, stream(0.1e6)).is_err());
        door.settle(driven, 0);
        assert!(door.hold(End::Driver, stream(1e6)).is_ok() && door.enter(1, stream(0.1e6)).is_err());
        door.settle(most, 0);
        door.settle(rest, 0);
        assert!(door.enter(1, stream(1e6)).is_ok());
        // One that says so and is faster all the same is ahead of its rate within seconds.
        let bytes = |seconds: u64| driven.most_bytes(seconds * 1_000_000_000).unwrap();
        assert!(bytes(0) < 4e6 && bytes(10) > 10e6 && bytes(10) < 17e6);
    }

    #[test]
    fn a_plan_that_is_faster_than_the_host_allows_stays_outside() {
        let limits = HostLimits { rate_bytes_per_s: 1e6, ..HostLimits::default() };
        let stream = |rate_bytes_per_s| Load::Stream { rate_bytes_per_s, duration_ns: 0 };
        let mut door = Door::new(limits);
        door.prepare(1, 0, 100, 0).unwrap();
        for rate in [0.0, -1.0, f64::NAN, 1.1e6, 1e12] {
            assert!(door.enter(1, stream(rate)).unwrap_err().contains("1000000 bytes/s"), "{rate}");
        }
    }
}
