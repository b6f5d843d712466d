//! NFS mounts.

mod counted;

use crate::advice::{AdviceExt, because, keep_module_options};
use fullwire_model::assessment::Advice;
use fullwire_model::host::{Host, NfsMount};

/// Slots and connections of TCP are none of such a mount: it has `sunrpc.rdma_slot_table_entries`, and one queue pair
/// (Linux net/sunrpc/xprtrdma/transport.c).
fn is_rdma(nfs: &NfsMount) -> bool {
    nfs.protocol.starts_with("rdma")
}

/// A connection gets its slots when it is made, and the module its limit when it is loaded.
fn keep_slots(host: &Host) -> Advice {
    let slots = ["tcp_slot_table_entries", "tcp_max_slot_table_entries"].map(|name| (name, "128".to_owned()));
    because("")
        .now("Unmount and mount the file system again: a connection keeps the slots that it was created with")
        .unmounts("the file system")
        .needs("the database is stopped")
        .and(keep_module_options(host, "sunrpc", &slots, false))
}

rules! {
    nfs_attribute_cache_off,
    nfs_backlog,
    nfs_encrypted,
    nfs_mixed_options,
    nfs_not_responding,
    nfs_one_connection,
    nfs_queue_time,
    nfs_rac_attributes,
    nfs_reconnects,
    nfs_retransmits,
    nfs_round_trip,
    nfs_server_slow,
    nfs_share_cache,
    nfs_slot_table,
    nfs_soft,
    nfs_stalled,
    nfs_sync,
    nfs_timeout,
    nfs_transfer_size,
    nfs_udp,
    nfs_version,
    nfs_wait_long,
}
