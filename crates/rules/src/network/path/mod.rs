//! The path between two hosts: loss, reordering, shapers, routes, the peer.

rules! {
    address_duplicate,
    competing_traffic,
    delay_variation,
    flow_limit,
    neighbour_table_full,
    packet_duplication,
    packet_loss,
    packet_reordering,
    path_shaper,
    path_shared,
    peer_cpu_starved,
    peer_unreachable,
    redo_exceeds_path,
    remote_write_slow,
    reverse_path_drops,
    rp_filter_strict,
    storage_byte_rate,
    storage_retransmits,
    subnet_shared,
    wrong_route,
}
