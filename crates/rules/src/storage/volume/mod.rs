//! LVM, md and ZFS.

use crate::prelude::*;
use fullwire_model::host::ZfsPool;

rules! {
    cache_metadata,
    leg_slow,
    lvm_hot_leg,
    lvm_linear,
    lvm_pool_full,
    lvm_raid_degraded,
    lvm_snapshot,
    lvm_stripe_size,
    lvm_thin_zeroing,
    md_degraded,
    md_no_bitmap,
    md_parity,
    md_resync,
    md_stripe_cache,
    vdo_full,
    zfs_data_damaged,
    zfs_pool_degraded,
    zfs_pool_full,
    zfs_record_size,
    zfs_sync_disabled,
}

/// Judges every pool of ZFS; a host with file systems of it has some, and where none was read this is not known.
fn each_pool(run: &Run, what: &str, judge: impl Fn(&ZfsPool) -> Option<Outcome>) -> Vec<Outcome> {
    let host = &run.host;
    if host.zfs_pools.is_empty() && host.mounts.iter().any(|mount| mount.fs_type == "zfs") {
        return vec![facts::unread(what)];
    }
    host.zfs_pools.iter().filter_map(judge).collect()
}
