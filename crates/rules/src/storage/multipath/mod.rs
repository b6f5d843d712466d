//! Multipath maps and NVMe paths.

rules! {
    multipath_daemon_missing,
    multipath_ghost_io,
    multipath_initramfs,
    multipath_no_retry,
    multipath_not_configured,
    multipath_one_active,
    multipath_one_adapter,
    multipath_one_group,
    multipath_path_failed,
    multipath_path_in_asm,
    multipath_path_lost,
    multipath_path_mounted,
    multipath_queue_forever,
    multipath_single_path,
    multipath_slow_path,
    multipath_unequal_queues,
    multipath_uneven_load,
    nvme_io_policy,
    nvme_path_lost,
    powerpath_unlicensed,
}
