//! UDP and IP fragments.

rules! {
    ip_reassembly_failures,
    oracle_udp_buffers,
    udp_fragments_lost,
    udp_receive_drops,
}
