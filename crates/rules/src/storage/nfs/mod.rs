//! NFS mounts.

mod counted;

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
