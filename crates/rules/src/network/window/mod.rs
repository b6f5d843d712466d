//! What TCP may have in flight: receive windows, socket buffers, congestion windows.

rules! {
    congestion_window,
    receive_window,
    receiver_not_draining,
    route_cwnd,
    route_window,
    send_buffer,
    socket_buffer_clamped,
    socket_held,
    tcp_autotuning,
    tcp_buffers_below_bdp,
    tcp_core_buffers,
    tcp_receive_buffer,
    tcp_send_buffer,
    tcp_window_scaling,
}
