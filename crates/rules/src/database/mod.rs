//! Rules of the database layer, one file each.

mod buffer_hit_low;
mod commit_wait_log_write;
mod commit_wait_not_io;
mod dataguard_sync_far;
mod direct_path_reads;
mod disk_asynch_io_off;
mod filesystemio_not_setall;
mod interconnect_blocks_lost;
mod interconnect_public;
mod interconnect_slow;
mod latch_hit_low;
mod live;
mod log_switch_waits;
mod log_switches_frequent;
mod log_writer_amplification;
mod memory_target_huge_pages;
mod multiblock_read_count_set;
mod multiblock_reads_small;
mod mysql_commit_unsafe;
mod mysql_flush_method;
mod mysql_log_waits;
mod mysql_native_aio;
mod mysql_redo_small;
mod postgres_archiver_failing;
mod postgres_checkpoints_requested;
mod postgres_durability;
mod postgres_huge_pages;
mod postgres_io_timing;
mod postgres_wal_buffers_full;
mod postgres_wal_size;
mod report;
mod setting;
mod single_block_read_slow;
mod sqlnet_buffer_clamped;
mod sqlnet_nagle;
mod sqlnet_sdu_small;
mod use_large_pages_off;

use crate::Rule;
use fullwire_model::Run;
use fullwire_model::assessment::Finding;

/// Every rule of this layer.
pub const RULES: &[Rule] = &[
    buffer_hit_low::RULE,
    commit_wait_log_write::RULE,
    commit_wait_not_io::RULE,
    dataguard_sync_far::RULE,
    direct_path_reads::RULE,
    disk_asynch_io_off::RULE,
    filesystemio_not_setall::RULE,
    interconnect_blocks_lost::RULE,
    interconnect_public::RULE,
    interconnect_slow::RULE,
    latch_hit_low::RULE,
    log_switch_waits::RULE,
    log_switches_frequent::RULE,
    log_writer_amplification::RULE,
    memory_target_huge_pages::RULE,
    multiblock_read_count_set::RULE,
    multiblock_reads_small::RULE,
    mysql_commit_unsafe::RULE,
    mysql_flush_method::RULE,
    mysql_log_waits::RULE,
    mysql_native_aio::RULE,
    mysql_redo_small::RULE,
    postgres_archiver_failing::RULE,
    postgres_checkpoints_requested::RULE,
    postgres_durability::RULE,
    postgres_huge_pages::RULE,
    postgres_io_timing::RULE,
    postgres_wal_buffers_full::RULE,
    postgres_wal_size::RULE,
    single_block_read_slow::RULE,
    sqlnet_buffer_clamped::RULE,
    sqlnet_nagle::RULE,
    sqlnet_sdu_small::RULE,
    use_large_pages_off::RULE,
];

/// The share of DB time that a finding of this layer is about, 1 is all; 0 for everything else.
pub(crate) fn share_of_db_time(run: &Run, finding: &Finding) -> f64 {
    let events: &[&str] = match finding.code.as_str() {
        "commit-wait-log-write" | "commit-wait-not-io" => &["log file sync"],
        "single-block-read-slow" => &["db file sequential read", "cell single block physical read"],
        "log-switch-waits" => &log_switch_waits::EVENTS,
        _ => return 0.0,
    };
    let reports =
        run.reports.iter().flat_map(|report| std::iter::once(report).chain(report.second.as_deref()));
    let Some(report) = reports.into_iter().find(|report| report::subject(report) == finding.subject) else {
        return 0.0;
    };
    let waits = events.iter().filter_map(|event| report::wait(report, event));
    waits.filter_map(|wait| report::share(report, wait)).sum()
}
