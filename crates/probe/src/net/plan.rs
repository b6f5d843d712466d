//! A plan made whole: defaults filled in, impossible wishes refused, and the lanes that follow from it.

use super::NetError;
use fullwire_model::net::{NetMode, NetPlan};

/// The longest message, bytes: a peer that writes keeps one message of each lane in memory.
pub(crate) const LENGTH_LIMIT_BYTES: u64 = 64 * 1024 * 1024;

/// Shortest interval, ns.
const INTERVAL_MIN_NS: u64 = 10_000_000;

/// Gives up when nothing moves for this long, unless told otherwise, ns.
const TIMEOUT_NS: u64 = 10_000_000_000;

/// Most messages in flight per lane.
pub(crate) const DEPTH_LIMIT: u32 = 4096;

/// A datagram holds at least its own header.
pub(crate) const DATAGRAM_MIN_BYTES: u64 = 64;

/// What one end of a lane does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Sends a stream.
    Source,
    /// Takes a stream.
    Sink,
    /// Sends messages and waits for their acknowledgements.
    Asker,
    /// Acknowledges messages.
    Answerer,
    /// Sends a small message at a time next to the load, for the round trip.
    Pinger,
}

impl Role {
    /// The other end's role.
    pub(crate) fn opposite(self) -> Self {
        match self {
            Self::Source => Self::Sink,
            Self::Sink => Self::Source,
            Self::Asker | Self::Pinger => Self::Answerer,
            Self::Answerer => Self::Asker,
        }
    }
}

/// A lane of a test: one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LaneSpec {
    /// What the client does.
    pub(crate) client: Role,
    /// What the responder does.
    pub(crate) server: Role,
    /// It is part of what was requested; otherwise it only measures as well, or makes load.
    pub(crate) main: bool,
}

/// The plan with nothing left open.
pub(crate) fn complete(plan: &NetPlan) -> Result<NetPlan, NetError> {
    let mut plan = plan.clone();
    plan.streams = plan.streams.max(1);
    plan.depth = plan.depth.clamp(1, DEPTH_LIMIT);
    if plan.length_bytes == 0 {
        plan.length_bytes = match plan.mode {
            NetMode::Async => 1024 * 1024,
            NetMode::Udp | NetMode::Interconnect => 8192,
            NetMode::Sync | NetMode::Rtt => 0,
        };
    }
    if plan.mode == NetMode::Rtt {
        plan.length_bytes = 0;
    }
    if plan.mode.is_datagrams() {
        plan.length_bytes = plan.length_bytes.max(DATAGRAM_MIN_BYTES);
    }
    if plan.duration_ns == 0 && plan.duration_bytes == 0 {
        plan.duration_ns = 10_000_000_000;
    }
    if plan.timeout_ns == 0 {
        plan.timeout_ns = TIMEOUT_NS;
    }
    if plan.interval_ns == 0 {
        plan.interval_ns = 1_000_000_000;
    }
    plan.interval_ns = plan.interval_ns.max(INTERVAL_MIN_NS);
    match objection(&plan) {
        Some(text) => Err(NetError::Plan(text)),
        None => Ok(plan),
    }
}

fn objection(plan: &NetPlan) -> Option<String> {
    let finite = plan.rate_bytes_per_s.is_finite() && plan.open_loop_per_s.is_finite();
    if !finite || plan.rate_bytes_per_s < 0.0 || plan.open_loop_per_s < 0.0 {
        return Some("the rate must be a finite number, 0 or more".into());
    }
    if plan.length_bytes > LENGTH_LIMIT_BYTES {
        return Some(format!(
            "a message of {} bytes is longer than the maximum of {LENGTH_LIMIT_BYTES}",
            plan.length_bytes
        ));
    }
    if plan.mode.is_datagrams() && plan.length_bytes > 65_507 {
        return Some("a datagram carries at most 65507 bytes over IPv4".into());
    }
    if plan.write && plan.mode != NetMode::Sync {
        return Some(
            "--write needs --mode sync, because the peer writes only messages that it acknowledges".into(),
        );
    }
    if plan.write && plan.reverse {
        return Some("--write cannot be used with --reverse, because the responder does the writing".into());
    }
    if plan.bidir && !matches!(plan.mode, NetMode::Async | NetMode::Udp) {
        return Some("--bidir needs --mode async or udp; interconnect goes both ways by itself".into());
    }
    if plan.rate_bytes_per_s > 0.0 && plan.mode == NetMode::Interconnect {
        return Some(
            "--rate cannot be used with --mode interconnect, in which each request waits for its answer"
                .into(),
        );
    }
    if plan.bidir && plan.reverse {
        return Some("--bidir and --reverse cannot be used together".into());
    }
    if plan.open_loop_per_s > 0.0 && plan.mode != NetMode::Sync && plan.mode != NetMode::Rtt {
        return Some("--open-loop needs --mode sync or rtt".into());
    }
    if plan.dscp.is_some_and(|dscp| dscp > 63) {
        return Some("the DSCP code point must be 0 to 63".into());
    }
    None
}

/// The lanes of a plan, the same list at both ends.
pub(crate) fn lanes(plan: &NetPlan) -> Vec<LaneSpec> {
    let lane = |client: Role, main| LaneSpec { client, server: client.opposite(), main };
    let many = |role, main| std::iter::repeat_n(lane(role, main), plan.streams as usize);
    let mut lanes = Vec::new();
    match plan.mode {
        NetMode::Async => {
            lanes.extend(many(if plan.reverse { Role::Sink } else { Role::Source }, true));
            if plan.bidir {
                lanes.extend(many(Role::Sink, true));
            }
            lanes.push(lane(Role::Pinger, false));
        }
        NetMode::Sync | NetMode::Rtt => {
            lanes.extend(many(if plan.reverse { Role::Answerer } else { Role::Asker }, true));
            if plan.under_load {
                lanes.push(lane(if plan.reverse { Role::Sink } else { Role::Source }, false));
                lanes.push(lane(Role::Pinger, false));
            }
        }
        NetMode::Udp => {
            lanes.extend(many(if plan.reverse { Role::Sink } else { Role::Source }, true));
            if plan.bidir {
                lanes.extend(many(Role::Sink, true));
            }
        }
        NetMode::Interconnect => {
            lanes.extend(many(if plan.reverse { Role::Answerer } else { Role::Asker }, true));
        }
    }
    lanes
}

/// Bytes that one message of a lane takes, as far as memory goes.
pub(crate) fn share(total: u64, streams: u32) -> u64 {
    total.div_ceil(u64::from(streams.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_plan_becomes_ten_seconds_of_one_stream() {
        let plan = complete(&NetPlan::default()).unwrap();
        assert_eq!((plan.streams, plan.length_bytes, plan.duration_ns), (1, 1 << 20, 10_000_000_000));
        assert_eq!(lanes(&plan).len(), 2, "the stream and the concurrent round trips");
    }

    #[test]
    fn impossible_wishes_are_named() {
        let refuse = |plan: NetPlan| complete(&plan).unwrap_err().to_string();
        assert!(refuse(NetPlan { rate_bytes_per_s: f64::NAN, ..NetPlan::default() }).contains("finite"));
        assert!(refuse(NetPlan { write: true, ..NetPlan::default() }).contains("--mode sync"));
        assert!(refuse(NetPlan { length_bytes: u64::MAX, ..NetPlan::default() }).contains("longer"));
        assert!(refuse(NetPlan { dscp: Some(64), ..NetPlan::default() }).contains("DSCP"));
    }

    #[test]
    fn both_ways_means_twice_the_lanes_and_the_responder_does_the_opposite() {
        let plan = complete(&NetPlan { streams: 3, bidir: true, ..NetPlan::default() }).unwrap();
        let lanes = lanes(&plan);
        assert_eq!(lanes.len(), 7);
        assert_eq!((lanes[0].client, lanes[0].server), (Role::Source, Role::Sink));
        assert_eq!((lanes[3].client, lanes[3].server), (Role::Sink, Role::Source));
        assert_eq!((lanes[6].client, lanes[6].server), (Role::Pinger, Role::Answerer));
    }

    #[test]
    fn datagrams_go_one_way_unless_both_are_asked_for_and_an_interconnect_asks() {
        let roles = |plan: NetPlan| {
            let plan = complete(&plan).unwrap();
            lanes(&plan).iter().map(|lane| lane.client).collect::<Vec<_>>()
        };
        let udp = NetPlan { mode: NetMode::Udp, ..NetPlan::default() };
        assert_eq!(roles(udp.clone()), [Role::Source]);
        assert_eq!(roles(NetPlan { reverse: true, ..udp.clone() }), [Role::Sink]);
        assert_eq!(roles(NetPlan { bidir: true, ..udp }), [Role::Source, Role::Sink]);
        let interconnect = NetPlan { mode: NetMode::Interconnect, ..NetPlan::default() };
        assert_eq!(roles(interconnect.clone()), [Role::Asker]);
        let paced = NetPlan { rate_bytes_per_s: 1e6, ..interconnect };
        assert!(complete(&paced).unwrap_err().to_string().contains("--rate cannot"));
    }
}
