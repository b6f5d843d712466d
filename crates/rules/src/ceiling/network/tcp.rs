//! What buffers and windows let travel in one round trip.

use super::window;
use crate::ceiling::made::Made;
use crate::facts::{self, stream};
use fullwire_model::assessment::Layer;
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::{AllStreams, PerStream, Run};

/// The ceilings of a stream's buffers and windows; of other results nothing.
pub(super) fn ceilings(run: &Run, result: &NetResult) -> Vec<Option<Made>> {
    if result.mode != NetMode::Async {
        return Vec::new();
    }
    let Some(rtt) = stream::rtt_ns(run, result) else { return Vec::new() };
    let trip = Trip { rtt, streams: result.streams.max(1) };
    vec![
        receive_window(run, result, &trip),
        send_buffer(run, result, &trip),
        unscaled_window(run, result, &trip),
        locked_window(run, result, &trip),
        clamped_window(run, result, &trip),
    ]
}

/// What a bound of one stream over a round trip needs.
struct Trip {
    rtt: f64,
    streams: u32,
}

impl Trip {
    /// Of this many bytes of each stream, at least of those of all streams together that were seen.
    fn made(&self, kind: &str, subject: String, bytes: PerStream, seen: Option<AllStreams>) -> Made {
        let planned = bytes.times(self.streams);
        let all = planned.max(seen.unwrap_or_default());
        let made = Made::network(kind, subject, window::window_bytes_per_s(all.0 as f64, self.rtt))
            .input("rtt_ns", self.rtt, "smallest round trip, TCP_INFO")
            .input("streams", f64::from(self.streams), "plan");
        match seen.filter(|seen| *seen > planned) {
            Some(seen) => {
                made.input("seen_bytes", seen.0 as f64, "largest that TCP_INFO showed of all streams")
            }
            None => made,
        }
    }
}

/// The receiver's largest buffer as a window over the round trip. How much of it is window depends on the segments.
fn receive_window(run: &Run, result: &NetResult, trip: &Trip) -> Option<Made> {
    let receiver = stream::receiver(run, result).filter(|_| result.plan.sockbuf_bytes == 0)?;
    let largest = facts::largest_receive_buffer(receiver)?;
    let offered = facts::offered_window(receiver, largest);
    let seen = result.tcp.as_ref().and_then(|tcp| tcp.snd_wnd_bytes);
    let told = result.peer_tcp.as_ref().and_then(|tcp| tcp.rcv_wnd_bytes);
    let made = trip
        .made("tcp-window", "net.ipv4.tcp_rmem of the receiver".into(), PerStream(offered), seen.max(told))
        .formula("streams × window of the largest receive buffer ÷ round trip")
        .input("buffer_bytes", largest as f64, "net.ipv4.tcp_rmem, largest value in use")
        .input("window_bytes", offered as f64, "the buffer less net.ipv4.tcp_adv_win_scale's part");
    Some(made.layer(Layer::Host).soft(true).removable())
}

/// The sender's largest buffer over the round trip: data stays in it until it is acknowledged.
fn send_buffer(run: &Run, result: &NetResult, trip: &Trip) -> Option<Made> {
    let sender = stream::sender(run, result).filter(|_| result.plan.sockbuf_bytes == 0)?;
    let largest = *sender.sysctl_numbers("net.ipv4.tcp_wmem")?.get(2)?;
    let flight = window::flight_of_send_buffer_bytes(largest);
    let seen = result.intervals.iter().filter_map(|slice| slice.in_flight_bytes).max().map(AllStreams);
    let made = trip
        .made("tcp-send-window", "net.ipv4.tcp_wmem of the sender".into(), PerStream(flight), seen)
        .formula("streams × half of the largest send buffer ÷ round trip")
        .input("buffer_bytes", largest as f64, "net.ipv4.tcp_wmem, third value")
        .input("flight_bytes", flight as f64, "the buffer less the kernel's bookkeeping, about half");
    Some(made.layer(Layer::Host).soft(true).removable())
}

/// Without window scaling no window exceeds 65,535 bytes.
fn unscaled_window(run: &Run, result: &NetResult, trip: &Trip) -> Option<Made> {
    if !facts::is_unscaled(run, result) {
        return None;
    }
    let bytes = PerStream(window::UNSCALED_WINDOW_BYTES);
    let made = trip.made("unscaled-window", "net.ipv4.tcp_window_scaling".into(), bytes, None);
    Some(made.formula("streams × 65,535 bytes ÷ round trip").removable())
}

/// The congestion window that the sender's route locks.
fn locked_window(run: &Run, result: &NetResult, trip: &Trip) -> Option<Made> {
    let route = stream::sending_route(run, result)?;
    let segments = stream::locked_segments(route, result)?;
    let mss = result.tcp.as_ref().map(|tcp| tcp.mss_bytes).filter(|bytes| *bytes > 0)?;
    let subject = format!("route to {}", route.destination);
    Some(
        trip.made("route-cwnd-lock", subject, PerStream(u64::from(segments) * mss), None)
            .formula("streams × locked segments × segment ÷ round trip")
            .input("segments", f64::from(segments), format!("ip route get {}", route.destination))
            .input("segment_bytes", mss as f64, "TCP_INFO")
            .soft(true)
            .removable(),
    )
}

/// The window that the receiver's route clamps. The kernel offers a few times what a small clamp says.
fn clamped_window(run: &Run, result: &NetResult, trip: &Trip) -> Option<Made> {
    let (clamp, route) = stream::window_clamp(run, result)?;
    let seen = result.tcp.as_ref().and_then(|tcp| tcp.snd_wnd_bytes);
    Some(
        trip.made("route-window-clamp", format!("route to {}", route.destination), PerStream(clamp), seen)
            .formula("streams × clamped window ÷ round trip")
            .input("window_bytes", clamp as f64, "routes of the receiver")
            .soft(true)
            .removable(),
    )
}
