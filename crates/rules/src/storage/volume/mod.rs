//! LVM and md.

rules! {
    leg_slow,
    lvm_hot_leg,
    lvm_linear,
    lvm_pool_full,
    lvm_raid_degraded,
    lvm_snapshot,
    lvm_stripe_size,
    lvm_thin_zeroing,
    md_degraded,
    md_parity,
    md_resync,
    md_stripe_cache,
    zfs_pool_degraded,
}
