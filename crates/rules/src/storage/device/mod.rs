//! Disks and what is laid out on them.

rules! {
    alignment_offset,
    device_bytes_missing,
    device_inflight_leak,
    device_io_errors,
    device_read_only,
    device_slow,
    device_stalled,
    device_suspended,
    device_timeouts,
    device_wait_long,
    disk_emulated,
    ebs_limit_exceeded,
    encryption_slow,
    nvme_health,
    one_virtual_controller,
    partition_misaligned,
    redo_sector_size,
    slow_flush,
    target_io_error,
}
