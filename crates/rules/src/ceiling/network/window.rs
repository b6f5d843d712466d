//! What a window carries over a round trip, and how big buffers must be.

/// Bandwidth-delay product, bytes: what is in flight on a full path. RFC 6349, 3.3.1.
pub fn bdp_bytes(bytes_per_s: f64, rtt_ns: f64) -> f64 {
    bytes_per_s * rtt_ns / 1e9
}

/// What a window allows, bytes per second: one window for each round trip. RFC 6349, 3.3.1.
pub fn window_bytes_per_s(window_bytes: f64, rtt_ns: f64) -> f64 {
    if rtt_ns > 0.0 { window_bytes * 1e9 / rtt_ns } else { f64::INFINITY }
}

/// The largest window without window scaling: 16 bits. RFC 7323, 2.1.
pub const UNSCALED_WINDOW_BYTES: u64 = 65_535;

/// What a buffer should be: three times the product. Oracle's Data Guard practice (MOS 2064368.1): room for
/// retransmission and for the kernel's own share of a buffer.
pub fn buffer_for_bytes(bdp_bytes: f64) -> u64 {
    round_up(3.0 * bdp_bytes)
}

/// Up to the next 64 KiB: a value that a person types.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to what f64 holds exactly"
)]
fn round_up(bytes: f64) -> u64 {
    (bytes.clamp(0.0, 9e15) as u64).div_ceil(65_536).max(1) * 65_536
}

/// The window that Linux offers from a receive buffer: its half with `tcp_adv_win_scale` 1, the default.
/// `ip-sysctl.rst`: overhead is bytes/2^scale if scale > 0, bytes - bytes/2^-scale if scale <= 0.
pub fn window_of_buffer_bytes(buffer_bytes: u64, adv_win_scale: i64) -> u64 {
    let shift = u32::try_from(adv_win_scale.unsigned_abs()).unwrap_or(31).min(31);
    let part = buffer_bytes >> shift;
    if adv_win_scale > 0 { buffer_bytes - part } else { part }
}

/// The data that a send buffer keeps in flight: half of it. The kernel counts its bookkeeping in the buffer and plans
/// twice the window for it (`tcp_sndbuf_expand`; socket(7), `SO_SNDBUF`).
pub fn flight_of_send_buffer_bytes(buffer_bytes: u64) -> u64 {
    buffer_bytes / 2
}

/// Time of slow start until a window is reached, ns: it doubles each round trip from ten segments. RFC 6928.
pub fn slow_start_ns(window_bytes: f64, mss_bytes: u64, rtt_ns: f64) -> f64 {
    let first = 10.0 * mss_bytes.max(1) as f64;
    rtt_ns * (window_bytes / first).log2().ceil().max(0.0)
}

/// Round trips that a message takes from a cold window of ten segments, the last ACK included. RFC 6928.
pub fn cold_round_trips(message_bytes: u64, mss_bytes: u64) -> u32 {
    let mut window = 10 * mss_bytes.max(1);
    let mut left = message_bytes;
    let mut rounds = 1;
    while left > window && rounds < 64 {
        left -= window;
        window = window.saturating_mul(2);
        rounds += 1;
    }
    rounds
}
