//! Rules of the storage layer, one file each.

mod alignment_offset;
mod cache_suspected;
mod device_bytes_missing;
mod device_inflight_leak;
mod device_io_errors;
mod device_read_only;
mod device_slow;
mod device_suspended;
mod direct_nfs_off;
mod encryption_slow;
mod fc_port_down;
mod fc_speed_low;
mod file_system_copy_on_write;
mod file_system_errors;
mod file_system_frozen;
mod file_system_full;
mod file_system_read_only;
mod foreign_load;
mod fstab_missing;
mod fstab_not_mounted;
mod fstab_options_differ;
mod inodes_exhausted;
mod iscsi_replacement_timeout;
mod iscsi_session_lost;
mod iscsi_single_session;
mod leg_slow;
mod link_errors;
mod lvm_hot_leg;
mod lvm_linear;
mod lvm_pool_full;
mod lvm_raid_degraded;
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
mod multipath_initramfs;
mod multipath_no_retry;
mod multipath_not_configured;
mod multipath_one_active;
mod multipath_one_adapter;
mod multipath_one_group;
mod multipath_path_failed;
mod multipath_path_mounted;
mod multipath_queue_forever;
mod multipath_single_path;
mod multipath_slow_path;
mod multipath_unequal_queues;
mod multipath_uneven_load;
mod nfs_attribute_cache_off;
mod nfs_backlog;
mod nfs_encrypted;
mod nfs_mixed_options;
mod nfs_one_connection;
mod nfs_queue_time;
mod nfs_rac_attributes;
mod nfs_reconnects;
mod nfs_retransmits;
mod nfs_round_trip;
mod nfs_server_slow;
mod nfs_share_cache;
mod nfs_slot_table;
mod nfs_soft;
mod nfs_sync;
mod nfs_timeout;
mod nfs_transfer_size;
mod nfs_udp;
mod nfs_version;
mod nvme_io_policy;
mod nvme_path_lost;
mod oranfstab;
mod oranfstab_faulty;
mod oranfstab_one_subnet;
mod partition_misaligned;
mod pcie_downgrade;
mod queue_completion_cpu;
mod queue_depth_limit;
mod queue_depth_small;
mod queue_iostats_off;
mod queue_max_request;
mod queue_nomerges;
mod queue_read_ahead;
mod queue_rotational;
mod queue_scheduler;
mod queue_write_throttling;
mod rate_plateau;
mod read_again_faster;
mod redo_sector_size;
mod request_split;
mod result_unsteady;
mod sas_link_slow;
mod single_stream_bound;
mod slow_flush;
mod storage_stalls;
mod target_cached;
mod target_in_memory;
mod target_io_error;
mod target_no_answer;
mod write_cliff;

use crate::Rule;

/// Every rule of this layer.
pub const RULES: &[Rule] = &[
    alignment_offset::RULE,
    cache_suspected::RULE,
    device_bytes_missing::RULE,
    device_inflight_leak::RULE,
    device_io_errors::RULE,
    device_read_only::RULE,
    device_slow::RULE,
    device_suspended::RULE,
    direct_nfs_off::RULE,
    encryption_slow::RULE,
    fc_port_down::RULE,
    fc_speed_low::RULE,
    file_system_copy_on_write::RULE,
    file_system_errors::RULE,
    file_system_frozen::RULE,
    file_system_full::RULE,
    file_system_read_only::RULE,
    foreign_load::RULE,
    fstab_missing::RULE,
    fstab_not_mounted::RULE,
    fstab_options_differ::RULE,
    inodes_exhausted::RULE,
    iscsi_replacement_timeout::RULE,
    iscsi_session_lost::RULE,
    iscsi_single_session::RULE,
    leg_slow::RULE,
    link_errors::RULE,
    lvm_hot_leg::RULE,
    lvm_linear::RULE,
    lvm_pool_full::RULE,
    lvm_raid_degraded::RULE,
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
    multipath_initramfs::RULE,
    multipath_no_retry::RULE,
    multipath_not_configured::RULE,
    multipath_one_active::RULE,
    multipath_one_adapter::RULE,
    multipath_one_group::RULE,
    multipath_path_failed::RULE,
    multipath_path_mounted::RULE,
    multipath_queue_forever::RULE,
    multipath_single_path::RULE,
    multipath_slow_path::RULE,
    multipath_unequal_queues::RULE,
    multipath_uneven_load::RULE,
    nfs_attribute_cache_off::RULE,
    nfs_backlog::RULE,
    nfs_encrypted::RULE,
    nfs_mixed_options::RULE,
    nfs_one_connection::RULE,
    nfs_queue_time::RULE,
    nfs_rac_attributes::RULE,
    nfs_reconnects::RULE,
    nfs_retransmits::RULE,
    nfs_round_trip::RULE,
    nfs_server_slow::RULE,
    nfs_share_cache::RULE,
    nfs_slot_table::RULE,
    nfs_soft::RULE,
    nfs_sync::RULE,
    nfs_timeout::RULE,
    nfs_transfer_size::RULE,
    nfs_udp::RULE,
    nfs_version::RULE,
    nvme_io_policy::RULE,
    nvme_path_lost::RULE,
    oranfstab_faulty::RULE,
    oranfstab_one_subnet::RULE,
    partition_misaligned::RULE,
    pcie_downgrade::RULE,
    queue_completion_cpu::RULE,
    queue_depth_limit::RULE,
    queue_depth_small::RULE,
    queue_iostats_off::RULE,
    queue_max_request::RULE,
    queue_nomerges::RULE,
    queue_read_ahead::RULE,
    queue_rotational::RULE,
    queue_scheduler::RULE,
    queue_write_throttling::RULE,
    rate_plateau::RULE,
    read_again_faster::RULE,
    redo_sector_size::RULE,
    request_split::RULE,
    result_unsteady::RULE,
    sas_link_slow::RULE,
    single_stream_bound::RULE,
    slow_flush::RULE,
    storage_stalls::RULE,
    target_cached::RULE,
    target_in_memory::RULE,
    target_io_error::RULE,
    target_no_answer::RULE,
    write_cliff::RULE,
];
