//! PostgreSQL 13 to 18: what to ask, and what the answers mean.

use super::window::{Counters, Reading, reckon};
use fullwire_model::demand::{Demand, RedoHistory};

/// `server_version_num`, to choose the queries.
pub const VERSION: &str = "select current_setting('server_version_num')::int";

/// WAL made so far, bytes: the insert position, or on a standby what was received.
const LSN: &str = "select pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_receive_lsn() \
                   else pg_current_wal_insert_lsn() end, '0/0')::float8 as wal_lsn_bytes";
/// `pg_stat_wal` of 14 to 17; the times are 0 unless `track_wal_io_timing` is on.
const STAT_WAL: &str = "select wal_records::float8, wal_fpi::float8, wal_bytes::float8, \
                        wal_buffers_full::float8, wal_write::float8, wal_sync::float8, \
                        wal_write_time::float8, wal_sync_time::float8 from pg_stat_wal";
/// Since 18 the writes are counted in `pg_stat_io` (commit 2421e9a51d2).
const STAT_WAL_18: &str = "select wal_records::float8, wal_fpi::float8, wal_bytes::float8, wal_buffers_full::float8 from pg_stat_wal";
const STAT_IO_WAL: &str = "select sum(writes)::float8 as wal_write, sum(write_bytes)::float8 as wal_write_bytes, \
                           sum(write_time)::float8 as wal_write_time, sum(fsyncs)::float8 as wal_sync, \
                           sum(fsync_time)::float8 as wal_sync_time from pg_stat_io where object = 'wal'";
const ARCHIVER: &str = "select archived_count::float8 as archived, failed_count::float8 as archive_failed \
                        from pg_stat_archiver";
/// Until 16 they are the background writer's.
const CHECKPOINTS: &str = "select checkpoints_timed::float8, checkpoints_req::float8 as checkpoints_requested \
                           from pg_stat_bgwriter";
const CHECKPOINTS_17: &str = "select num_timed::float8 as checkpoints_timed, \
                              num_requested::float8 as checkpoints_requested from pg_stat_checkpointer";
const DATABASES: &str = "select sum(xact_commit)::float8 as commits, sum(blks_read)::float8 as blocks_read, \
                         sum(blks_read)::float8 * current_setting('block_size')::float8 as block_bytes_read \
                         from pg_stat_database";

/// The queries for a server: each gives one row of numbers, named as the counters are.
pub fn queries(version_num: u32) -> Vec<&'static str> {
    let mut queries = vec![LSN];
    match version_num {
        180_000.. => queries.extend([STAT_WAL_18, STAT_IO_WAL]),
        140_000.. => queries.push(STAT_WAL),
        _ => {}
    }
    queries.push(if version_num >= 170_000 { CHECKPOINTS_17 } else { CHECKPOINTS });
    queries.extend([ARCHIVER, DATABASES]);
    queries
}

/// A history and a demand from readings of [`queries`].
pub fn reckon_window(source: &str, readings: &[Reading], headroom: f64) -> (RedoHistory, Demand) {
    let counters = Counters {
        database: "postgresql",
        redo_bytes: &["wal_lsn_bytes", "wal_bytes"],
        log_writes: &[["wal_write_bytes", "wal_write"], ["wal_bytes", "wal_write"]],
        log_write_ms: &["wal_write_time"],
        reads: Some("blocks_read"),
        read_bytes: Some("block_bytes_read"),
        writes: None,
        write_bytes: None,
        commits: &["commits"],
    };
    reckon(source, readings, &counters, headroom)
}
