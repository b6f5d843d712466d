//! MTU: black holes, mismatches, jumbo frames.

rules! {
    mtu_asymmetric,
    mtu_black_hole,
    mtu_not_jumbo,
    mtu_not_kept,
    mtu_path_smaller,
    mtu_paths_differ,
    mtu_peer_differs,
    mtu_probing,
    mtu_stack,
    path_mtu_discovery,
}
