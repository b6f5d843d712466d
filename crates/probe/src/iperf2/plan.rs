//! What iperf 2 can do of a plan.

use super::Iperf2Error;
use super::header::{Amount, Direction, Header, PLAIN_START};
use crate::iperf::payload;
use fullwire_model::net::{NetMode, NetPlan, Payload};
use std::time::Duration;

/// Nothing moves for this long: the test is given up, unless the plan names another time.
const IDLE: Duration = Duration::from_secs(10);
/// iperf's own length of a test and of a block.
const DEFAULT_DURATION_NS: u64 = 10_000_000_000;
const DEFAULT_BLOCK_BYTES: u64 = 128 << 10;
const LARGEST_BLOCK_BYTES: u64 = 1 << 20;

/// A test as it will be run.
pub(super) struct Test<'a> {
    pub(super) plan: &'a NetPlan,
    pub(super) sends: bool,
    pub(super) receives: bool,
    pub(super) streams: u32,
    pub(super) block_bytes: u64,
    /// Of all connections, the warm-up included; `None`: it ends by bytes.
    pub(super) limit: Option<Duration>,
    pub(super) warmup: Duration,
    pub(super) idle: Duration,
}

impl<'a> Test<'a> {
    pub(super) fn of(plan: &'a NetPlan) -> Result<Self, Iperf2Error> {
        if let Some(what) = unsupported(plan) {
            return Err(Iperf2Error::Unsupported(what));
        }
        let (asked, warmup) = (plan.duration_ns, Duration::from_nanos(plan.warmup_ns));
        let time_ns = if asked == 0 && plan.duration_bytes == 0 { DEFAULT_DURATION_NS } else { asked };
        let block = if plan.length_bytes == 0 { DEFAULT_BLOCK_BYTES } else { plan.length_bytes };
        Ok(Self {
            plan,
            sends: plan.bidir || !plan.reverse,
            receives: plan.bidir || plan.reverse,
            streams: plan.streams.max(1),
            // A block begins with the four bytes that say that no header follows.
            block_bytes: block.clamp(PLAIN_START.len() as u64, LARGEST_BLOCK_BYTES),
            limit: (time_ns > 0).then(|| warmup + Duration::from_nanos(time_ns)),
            warmup,
            idle: if plan.timeout_ns == 0 { IDLE } else { Duration::from_nanos(plan.timeout_ns) },
        })
    }

    pub(super) fn rate_bytes_per_s(&self) -> f64 {
        self.plan.rate_bytes_per_s.max(0.0) / f64::from(self.streams)
    }

    /// What a server that sends is asked for, of each connection.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate is not negative and a float saturates"
    )]
    pub(super) fn header(&self) -> Result<Header, Iperf2Error> {
        let rate_bits_per_s = u32::try_from((self.rate_bytes_per_s() * 8.0) as u64)
            .map_err(|_| Iperf2Error::Unsupported("a rate above 4.29 Gbit/s per stream when it sends"))?;
        let amount = if let Some(limit) = self.limit {
            Amount::Centiseconds(u32::try_from(limit.as_millis().div_ceil(10)).unwrap_or(u32::MAX))
        } else {
            let each = self.plan.duration_bytes.div_ceil(self.streams.into());
            let each = u32::try_from(each).ok().filter(|&bytes| i32::try_from(bytes).is_ok());
            Amount::Bytes(each.ok_or(Iperf2Error::Unsupported(
                "more than 2 GiB per stream when it sends; use a duration or more streams",
            ))?)
        };
        let direction = if self.sends { Direction::Duplex } else { Direction::Reverse };
        Ok(Header {
            direction,
            amount,
            threads: self.streams,
            rate_bits_per_s,
            wants_ack: false,
            call_back: None,
        })
    }

    pub(super) fn block(&self) -> Vec<u8> {
        let length = usize::try_from(self.block_bytes).unwrap_or(1 << 17);
        let mut block = match self.plan.payload {
            Payload::Zero => vec![0; length],
            _ => payload(length),
        };
        block[..PLAIN_START.len()].copy_from_slice(PLAIN_START);
        block
    }
}

fn unsupported(plan: &NetPlan) -> Option<&'static str> {
    match plan.mode {
        NetMode::Async | NetMode::Udp => {}
        NetMode::Sync | NetMode::Rtt | NetMode::Interconnect => {
            return Some("synchronous messages; use --mode async or udp");
        }
    }
    if plan.write {
        return Some("writing to disk at the peer; use `fullwire serve` there");
    }
    if matches!(plan.payload, Payload::File(_)) {
        return Some("a payload from a file; use `fullwire serve` there");
    }
    if plan.delay_ns > 0 || plan.random_length || plan.zerocopy {
        return Some("pauses, random lengths or zero copy; use `fullwire serve` there");
    }
    None
}
