//! Rules of the database layer, one file each.

mod buffer_hit_low;
mod commit_wait_log_write;
mod commit_wait_not_io;
mod direct_path_reads;
mod disk_asynch_io_off;
mod filesystemio_not_setall;
mod interconnect_blocks_lost;
mod interconnect_public;
mod interconnect_slow;
mod latch_hit_low;
mod log_switch_waits;
mod log_switches_frequent;
mod log_writer_amplification;
mod multiblock_read_count_set;
mod multiblock_reads_small;
mod report;
mod single_block_read_slow;

use crate::Rule;

/// Every rule of this layer.
pub const RULES: &[Rule] = &[
    buffer_hit_low::RULE,
    commit_wait_log_write::RULE,
    commit_wait_not_io::RULE,
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
    multiblock_read_count_set::RULE,
    multiblock_reads_small::RULE,
    single_block_read_slow::RULE,
];
