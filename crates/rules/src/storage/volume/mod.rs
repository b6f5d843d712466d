//! LVM and md.

rules! {
    leg_slow,
    lvm_hot_leg,
    lvm_linear,
    lvm_pool_full,
    lvm_raid_degraded,
    lvm_snapshot,
    lvm_stripe_size,
    md_degraded,
    md_parity,
    md_resync,
    zfs_pool_degraded,
}
