//! Rules of the network layer, one file each.

mod bond_slave_down;
mod bufferbloat;
mod competing_traffic;
mod each;
pub(crate) mod ends;
mod load;
mod mtu_asymmetric;
mod mtu_black_hole;
mod mtu_path_smaller;
mod mtu_peer_differs;
mod packet_loss;
mod packet_reordering;
mod path_shaper;
mod peer_cpu_starved;
mod peer_unreachable;
mod qdisc_netem;
mod qdisc_shaper;
mod receive_window;
mod receiver_not_draining;
mod remote_write_slow;
mod route_window;
mod send_buffer;
mod slow_start_after_idle;
mod tcp_window_scaling;
mod udp_fragments_lost;
mod udp_receive_drops;
mod wrong_route;

use crate::Rule;

/// Every rule of this layer. Of several that explain a path equally well the first one names it.
pub const RULES: &[Rule] = &[
    mtu_black_hole::RULE,
    mtu_peer_differs::RULE,
    mtu_asymmetric::RULE,
    mtu_path_smaller::RULE,
    udp_fragments_lost::RULE,
    wrong_route::RULE,
    bond_slave_down::RULE,
    peer_unreachable::RULE,
    peer_cpu_starved::RULE,
    receiver_not_draining::RULE,
    remote_write_slow::RULE,
    qdisc_netem::RULE,
    tcp_window_scaling::RULE,
    qdisc_shaper::RULE,
    receive_window::RULE,
    send_buffer::RULE,
    route_window::RULE,
    slow_start_after_idle::RULE,
    competing_traffic::RULE,
    bufferbloat::RULE,
    path_shaper::RULE,
    packet_reordering::RULE,
    packet_loss::RULE,
    udp_receive_drops::RULE,
];
