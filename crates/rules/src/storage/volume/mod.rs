//! LVM and md.

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
