//! File systems, mounts, fstab.

rules! {
    ext4_lazy_init,
    file_system_copy_on_write,
    file_system_errors,
    file_system_frozen,
    file_system_full,
    file_system_read_only,
    fstab_missing,
    fstab_not_mounted,
    fstab_options_differ,
    inodes_exhausted,
    mount_atime,
    mount_data_journal,
    mount_discard,
    mount_no_barrier,
    mount_sync,
    nfs_read_ahead,
    xfs_stripe_unaligned,
}
