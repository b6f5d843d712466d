//! TCP: losses, timers, options, congestion control.

rules! {
    slow_start_after_idle,
    tcp_congestion,
    tcp_memory_pressure,
    tcp_mss_small,
    tcp_pacing_ratio,
    tcp_port_range,
    tcp_retransmissions,
    tcp_retries,
    tcp_sack,
    tcp_timeouts,
    tcp_timestamps,
}
