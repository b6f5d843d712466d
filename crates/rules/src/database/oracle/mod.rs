//! Oracle: reports, parameters, SQL*Net.

mod parameter_file;
mod sqlnet;

rules! {
    buffer_hit_low,
    commit_wait_log_write,
    commit_wait_not_io,
    dataguard_sync_far,
    direct_path_reads,
    disk_asynch_io_off,
    filesystemio_not_setall,
    latch_hit_low,
    log_buffer_waits,
    log_switch_waits,
    log_switches_frequent,
    log_writer_amplification,
    log_writer_saturated,
    memory_target_huge_pages,
    multiblock_read_count_set,
    multiblock_reads_small,
    single_block_read_slow,
    sqlnet_buffer_clamped,
    sqlnet_nagle,
    sqlnet_sdu_small,
    use_large_pages_off,
}
