//! Rules of the storage layer, one file each.

mod alignment_offset;
mod device_inflight_leak;
mod device_io_errors;
mod device_read_only;
mod device_suspended;
mod file_system_copy_on_write;
mod file_system_full;
mod file_system_read_only;
mod foreign_load;
mod inodes_exhausted;
mod lvm_hot_leg;
mod lvm_linear;
mod lvm_pool_full;
mod lvm_snapshot;
mod lvm_stripe_size;
mod md_degraded;
mod md_parity;
mod md_resync;
mod mount_atime;
mod mount_data_journal;
mod mount_discard;
mod mount_no_barrier;
mod mount_sync;
mod multipath_daemon_missing;
mod multipath_ghost_io;
mod multipath_no_retry;
mod multipath_not_configured;
mod multipath_one_adapter;
mod multipath_path_failed;
mod multipath_path_mounted;
mod multipath_queue_forever;
mod multipath_single_path;
mod multipath_slow_path;
mod multipath_unequal_queues;
mod multipath_uneven_load;
mod partition_misaligned;
mod queue_depth_limit;
mod queue_iostats_off;
mod queue_max_request;
mod queue_nomerges;
mod queue_read_ahead;
mod queue_rotational;
mod queue_scheduler;
mod queue_write_throttling;
mod redo_sector_size;
mod request_split;
mod slow_flush;

use crate::Rule;

/// Every rule of this layer.
pub const RULES: &[Rule] = &[
    alignment_offset::RULE,
    device_inflight_leak::RULE,
    device_io_errors::RULE,
    device_read_only::RULE,
    device_suspended::RULE,
    file_system_copy_on_write::RULE,
    file_system_full::RULE,
    file_system_read_only::RULE,
    foreign_load::RULE,
    inodes_exhausted::RULE,
    lvm_hot_leg::RULE,
    lvm_linear::RULE,
    lvm_pool_full::RULE,
    lvm_snapshot::RULE,
    lvm_stripe_size::RULE,
    md_degraded::RULE,
    md_parity::RULE,
    md_resync::RULE,
    mount_atime::RULE,
    mount_data_journal::RULE,
    mount_discard::RULE,
    mount_no_barrier::RULE,
    mount_sync::RULE,
    multipath_daemon_missing::RULE,
    multipath_ghost_io::RULE,
    multipath_no_retry::RULE,
    multipath_not_configured::RULE,
    multipath_one_adapter::RULE,
    multipath_path_failed::RULE,
    multipath_path_mounted::RULE,
    multipath_queue_forever::RULE,
    multipath_single_path::RULE,
    multipath_slow_path::RULE,
    multipath_unequal_queues::RULE,
    multipath_uneven_load::RULE,
    partition_misaligned::RULE,
    queue_depth_limit::RULE,
    queue_iostats_off::RULE,
    queue_max_request::RULE,
    queue_nomerges::RULE,
    queue_read_ahead::RULE,
    queue_rotational::RULE,
    queue_scheduler::RULE,
    queue_write_throttling::RULE,
    redo_sector_size::RULE,
    request_split::RULE,
    slow_flush::RULE,
];
