//! LVM, md, DRBD and ZFS.

use crate::prelude::*;
use fullwire_model::host::{Resync, ZfsPool};

rules! {
    cache_metadata,
    drbd_degraded,
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

/// What a [`Resync`] of DRBD says that it is of.
const DRBD: &str = "DRBD device";

/// A copy is being made or compared; of DRBD it may be lacking instead.
fn is_under_way(copy: &Resync) -> bool {
    copy.of != DRBD || ["Sync", "Verify"].iter().any(|begin| copy.action.starts_with(begin))
}
