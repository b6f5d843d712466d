//! UDP and IP fragments.

rules! {
    ip_reassembly_failures,
    udp_fragments_lost,
    udp_receive_drops,
}
