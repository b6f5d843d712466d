//! Rules of the network layer, one file each.

mod address_duplicate;
mod backlog_small;
mod bond_aggregator_split;
mod bond_balance_rr;
mod bond_churn;
mod bond_hash_one_link;
mod bond_lacp_slow;
mod bond_link_failures;
mod bond_no_monitoring;
mod bond_no_partner;
mod bond_one_slave;
mod bond_one_stream;
mod bond_same_card;
mod bond_slave_down;
mod bond_slaves_differ;
mod bond_wrong_active;
mod bufferbloat;
mod checksum_errors;
mod competing_traffic;
mod congestion_window;
mod conntrack_full;
mod delay_variation;
mod each;
pub(crate) mod ends;
mod ip_reassembly_failures;
mod listen_backlog;
mod listen_queue_full;
mod load;
mod mtu_asymmetric;
mod mtu_black_hole;
mod mtu_not_jumbo;
mod mtu_path_smaller;
mod mtu_peer_differs;
mod mtu_probing;
mod mtu_stack;
mod neighbour_table_full;
mod nic_coalescing_high;
mod nic_crc_errors;
mod nic_driver_errors;
mod nic_half_duplex;
mod nic_irq_remote_node;
mod nic_irqs_one_cpu;
mod nic_link_flaps;
mod nic_lro_forwarding;
mod nic_no_carrier;
mod nic_offload_off;
mod nic_pause_frames;
mod nic_pcie_narrow;
mod nic_ring_drops;
mod nic_rx_dropped;
mod nic_saturated;
mod nic_softirq_one_cpu;
mod nic_speed_low;
mod packet_loss;
mod packet_reordering;
mod path_mtu_discovery;
mod path_shaper;
mod path_shared;
mod peer_cpu_starved;
mod peer_unreachable;
mod qdisc_drops;
mod qdisc_netem;
mod qdisc_shaper;
mod receive_window;
mod receiver_not_draining;
mod redo_exceeds_path;
mod remote_write_slow;
mod route_cwnd;
mod route_window;
mod rp_filter_strict;
mod send_buffer;
mod slow_start_after_idle;
mod socket_buffer_clamped;
mod socket_held;
mod softnet_drops;
mod softnet_squeezed;
mod storage_byte_rate;
mod storage_retransmits;
mod subnet_shared;
mod tcp_autotuning;
mod tcp_buffers_below_bdp;
mod tcp_congestion;
mod tcp_core_buffers;
mod tcp_listen_overflows;
mod tcp_memory_pressure;
mod tcp_mss_small;
mod tcp_pacing_ratio;
mod tcp_port_range;
mod tcp_receive_buffer;
mod tcp_retries;
mod tcp_sack;
mod tcp_send_buffer;
mod tcp_syn_queue;
mod tcp_timeouts;
mod tcp_timestamps;
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
    bond_no_partner::RULE,
    bond_aggregator_split::RULE,
    bond_slave_down::RULE,
    nic_half_duplex::RULE,
    nic_crc_errors::RULE,
    checksum_errors::RULE,
    nic_speed_low::RULE,
    peer_unreachable::RULE,
    peer_cpu_starved::RULE,
    receiver_not_draining::RULE,
    remote_write_slow::RULE,
    qdisc_netem::RULE,
    tcp_window_scaling::RULE,
    qdisc_shaper::RULE,
    receive_window::RULE,
    send_buffer::RULE,
    socket_buffer_clamped::RULE,
    route_window::RULE,
    route_cwnd::RULE,
    tcp_mss_small::RULE,
    tcp_pacing_ratio::RULE,
    qdisc_drops::RULE,
    tcp_memory_pressure::RULE,
    slow_start_after_idle::RULE,
    competing_traffic::RULE,
    congestion_window::RULE,
    bufferbloat::RULE,
    path_shaper::RULE,
    packet_reordering::RULE,
    packet_loss::RULE,
    path_shared::RULE,
    delay_variation::RULE,
    address_duplicate::RULE,
    backlog_small::RULE,
    bond_balance_rr::RULE,
    bond_churn::RULE,
    bond_hash_one_link::RULE,
    bond_lacp_slow::RULE,
    bond_link_failures::RULE,
    bond_no_monitoring::RULE,
    bond_one_slave::RULE,
    bond_one_stream::RULE,
    bond_same_card::RULE,
    bond_slaves_differ::RULE,
    bond_wrong_active::RULE,
    conntrack_full::RULE,
    ip_reassembly_failures::RULE,
    listen_backlog::RULE,
    listen_queue_full::RULE,
    mtu_not_jumbo::RULE,
    mtu_probing::RULE,
    mtu_stack::RULE,
    neighbour_table_full::RULE,
    nic_coalescing_high::RULE,
    nic_driver_errors::RULE,
    nic_irq_remote_node::RULE,
    nic_irqs_one_cpu::RULE,
    nic_link_flaps::RULE,
    nic_lro_forwarding::RULE,
    nic_no_carrier::RULE,
    nic_offload_off::RULE,
    nic_pause_frames::RULE,
    nic_pcie_narrow::RULE,
    nic_ring_drops::RULE,
    nic_rx_dropped::RULE,
    nic_saturated::RULE,
    nic_softirq_one_cpu::RULE,
    path_mtu_discovery::RULE,
    redo_exceeds_path::RULE,
    rp_filter_strict::RULE,
    socket_held::RULE,
    softnet_drops::RULE,
    softnet_squeezed::RULE,
    storage_byte_rate::RULE,
    storage_retransmits::RULE,
    subnet_shared::RULE,
    tcp_autotuning::RULE,
    tcp_buffers_below_bdp::RULE,
    tcp_congestion::RULE,
    tcp_core_buffers::RULE,
    tcp_listen_overflows::RULE,
    tcp_port_range::RULE,
    tcp_receive_buffer::RULE,
    tcp_retries::RULE,
    tcp_sack::RULE,
    tcp_send_buffer::RULE,
    tcp_syn_queue::RULE,
    tcp_timeouts::RULE,
    tcp_timestamps::RULE,
    udp_receive_drops::RULE,
];
