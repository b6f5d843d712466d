//! Routers on the way, and how large a packet each of them still saw.

use super::PathProbe;
use super::echo::Answer;
use fullwire_model::mtu::Hop;
use std::net::IpAddr;
use std::sync::atomic::Ordering;

/// No path of a database's network is longer; silent hops end the trace before.
const MOST_HOPS: u8 = 20;
const MOST_SILENT_HOPS: usize = 3;
const SMALL_PACKET_BYTES: u64 = 64;

/// Raises the time to live until the target itself answers.
pub(super) fn trace(path: &mut PathProbe, top: u64) -> Vec<Hop> {
    let mut hops: Vec<Hop> = Vec::new();
    for ttl in 1..=MOST_HOPS {
        if path.stop.load(Ordering::Relaxed) {
            break;
        }
        let Some(answer) = path.ask(SMALL_PACKET_BYTES, Some(ttl)) else { break };
        match answer {
            Answer::TimeExceeded { from, rtt } => {
                let mtu_bytes = seen_by(path, top, ttl, from);
                let rtt_ns = u64::try_from(rtt.as_nanos()).ok();
                hops.push(Hop { ttl, address: from.to_string(), mtu_bytes, rtt_ns });
            }
            Answer::Reply { rtt } => {
                let rtt_ns = u64::try_from(rtt.as_nanos()).ok();
                hops.push(Hop { ttl, address: path.address.to_string(), mtu_bytes: None, rtt_ns });
                break;
            }
            Answer::Unreachable { .. } => break,
            Answer::TooBig { .. } | Answer::TooLongHere | Answer::Nothing => {
                hops.push(Hop { ttl, ..Hop::default() });
                if hops.iter().rev().take_while(|hop| hop.address.is_empty()).count() >= MOST_SILENT_HOPS {
                    break;
                }
            }
        }
    }
    while hops.last().is_some_and(|hop| hop.address.is_empty()) {
        hops.pop();
    }
    hops
}

/// The size that reached this router: the full one, or what someone before it said would fit.
fn seen_by(path: &mut PathProbe, top: u64, ttl: u8, router: IpAddr) -> Option<u64> {
    match path.ask(top, Some(ttl))? {
        Answer::TimeExceeded { from, .. } if from == router => Some(top),
        Answer::TooBig { mtu_bytes, .. } => Some(mtu_bytes),
        _ => None,
    }
}
