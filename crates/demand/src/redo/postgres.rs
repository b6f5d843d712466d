//! PostgreSQL 13 to 18: what to ask, and what the answers mean.

use super::window::{Counters, Reading, Window, reckon};
use fullwire_model::demand::{Demand, RedoHistory};
use fullwire_model::{Gap, GapReason};

/// `server_version_num`, to choose the queries.
pub const VERSION: &str = "select current_setting('server_version_num')::int";

/// WAL made so far, bytes: the insert position, or on a standby what was received.
const LSN: &str = "select pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_receive_lsn() \
                   else pg_current_wal_insert_lsn() end, '0/0')::float8 as wal_lsn_bytes";
/// `pg_stat_wal` of 14 to 17; the times are 0 unless `track_wal_io_timing` is on.
const STAT_WAL: &str = "select wal_records::float8, wal_fpi::float8, wal_bytes::float8, \
                        wal_buffers_full::float8, wal_write::float8, wal_sync::float8, \
                        wal_write_time::float8, wal_sync_time::float8 from pg_stat_wal";
/// Since 18 the writes are counted in `pg_stat_io` (commit 2421e9a51d2); its context `init` is the filling of new segments
/// with zeros, for which no commit waits (commit a051e71e28a).
const STAT_WAL_18: &str = "select wal_records::float8, wal_fpi::float8, wal_bytes::float8, wal_buffers_full::float8 from pg_stat_wal";
const STAT_IO_WAL: &str = "select sum(writes)::float8 as wal_write, sum(write_bytes)::float8 as wal_write_bytes, \
                           sum(write_time)::float8 as wal_write_time, sum(fsyncs)::float8 as wal_sync, \
                           sum(fsync_time)::float8 as wal_sync_time from pg_stat_io \
                           where object = 'wal' and context = 'normal'";
/// Tables and indexes since 16; before, the background writer counts buffers. Reads are not requested: what the server
/// reads comes from the page cache as well, and only the device knows what it had to read.
const STAT_IO_DATA_16: &str = "select sum(coalesce(writes, 0) + coalesce(extends, 0))::float8 as data_write, \
                               sum((coalesce(writes, 0) + coalesce(extends, 0)) * op_bytes)::float8 as data_write_bytes \
                               from pg_stat_io where object like '%relation'";
const STAT_IO_DATA_18: &str = "select sum(coalesce(writes, 0) + coalesce(extends, 0))::float8 as data_write, \
                               sum(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0))::float8 as data_write_bytes \
                               from pg_stat_io where object like '%relation'";
const BUFFERS_WRITTEN: &str = "select (buffers_checkpoint + buffers_clean + buffers_backend)::float8 as data_write, \
                               (buffers_checkpoint + buffers_clean + buffers_backend)::float8 \
                               * current_setting('block_size')::float8 as data_write_bytes from pg_stat_bgwriter";
/// 1 when a write of the log is safe by itself (`open_datasync`, `open_sync`): no call to sync follows.
const SYNC_METHOD: &str =
    "select (current_setting('wal_sync_method') like 'open%')::int::float8 as setting_wal_open_sync";
const ARCHIVER: &str = "select archived_count::float8 as archived, failed_count::float8 as archive_failed \
                        from pg_stat_archiver";
/// Until 16 they are the background writer's.
const CHECKPOINTS: &str = "select checkpoints_timed::float8, checkpoints_req::float8 as checkpoints_requested \
                           from pg_stat_bgwriter";
const CHECKPOINTS_17: &str = "select num_timed::float8 as checkpoints_timed, \
                              num_requested::float8 as checkpoints_requested from pg_stat_checkpointer";
const DATABASES: &str = "select sum(xact_commit)::float8 as commits, sum(xact_rollback)::float8 as rollbacks, \
                         sum(blks_read)::float8 as blocks_read, sum(temp_bytes)::float8 as temp_bytes from pg_stat_database";
/// WAL that slots without a consumer hold back; `max_slot_wal_keep_size` is in MB, -1 is no limit.
const SLOTS: &str = "select count(*)::float8 as gauge_slots_inactive, \
                     coalesce(max(pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_receive_lsn() \
                     else pg_current_wal_lsn() end, restart_lsn)), 0)::float8 as gauge_slots_inactive_bytes, \
                     (select setting::float8 from pg_settings where name = 'max_slot_wal_keep_size') \
                     as gauge_slot_keep_mb from pg_replication_slots where not active";
/// How late the synchronous standbys flush: what a commit waits for. Without the role `pg_read_all_stats` the state of
/// a standby is null: it may be synchronous, so it counts, and its lag is unknown.
const SYNC_STANDBYS: &str = "select count(*)::float8 as gauge_sync_standbys, \
                             (max(extract(epoch from flush_lag)) * 1000)::float8 as gauge_sync_flush_lag_ms \
                             from pg_stat_replication \
                             where state is null or sync_state in ('sync', 'quorum')";

/// The queries for a server: each gives one row of numbers, named as the counters are.
pub fn queries(version_num: u32) -> Vec<&'static str> {
    let mut queries = vec![LSN];
    match version_num {
        180_000.. => queries.extend([STAT_WAL_18, STAT_IO_WAL]),
        140_000.. => queries.push(STAT_WAL),
        _ => {}
    }
    queries.push(if version_num >= 170_000 { CHECKPOINTS_17 } else { CHECKPOINTS });
    queries.push(match version_num {
        180_000.. => STAT_IO_DATA_18,
        160_000.. => STAT_IO_DATA_16,
        _ => BUFFERS_WRITTEN,
    });
    queries.extend([SYNC_METHOD, ARCHIVER, DATABASES, SLOTS, SYNC_STANDBYS]);
    queries
}

/// A history and a demand from readings of [`queries`].
pub fn reckon_window(source: &str, readings: &[Reading], headroom: f64) -> (RedoHistory, Demand) {
    let counters = Counters {
        database: "postgresql",
        redo_bytes: &["wal_lsn_bytes", "wal_bytes"],
        shipped_bytes: None,
        log_writes: &[["wal_write_bytes", "wal_write"], ["wal_bytes", "wal_write"]],
        log_write,
        reads: None,
        read_bytes: None,
        writes: &["data_write", "wal_write"],
        write_bytes: &["data_write_bytes", "wal_write_bytes"],
        commits: &["commits"],
    };
    let (history, mut demand) = reckon(source, readings, &counters, headroom);
    demand.gaps.extend(gaps(&demand));
    (history, demand)
}

/// What a commit waits for: the write into the page cache and the sync after it. With `open_datasync` the write is the
/// sync. Both times are 0 unless `track_wal_io_timing` is on.
fn log_write(window: &Window<'_>) -> Option<(f64, f64)> {
    let (write_ms, writes) = (window.delta("wal_write_time")?, window.delta("wal_write")?);
    let (sync_ms, syncs) = (window.delta("wal_sync_time")?, window.delta("wal_sync")?);
    let open = window.setting("setting_wal_open_sync").is_some_and(|open| open > 0.0);
    let (ms, count) = if open { (write_ms, writes) } else { (write_ms + sync_ms, syncs) };
    (ms > 0.0 && count > 0.0).then(|| (ms * 1e6 / count, count))
}

/// What the server's own counters do not tell.
fn gaps(demand: &Demand) -> Vec<Gap> {
    let mut gaps = vec![
        Gap::new(
            "device reads",
            GapReason::Unsupported,
            "PostgreSQL also counts reads answered by the page cache: take the reads from iostat",
        ),
        Gap::new(
            "commits",
            GapReason::Unsupported,
            "PostgreSQL counts read-only transactions as commits: fewer commits wait for the log",
        ),
    ];
    if demand.log_write_mean_ns.is_none() {
        let detail = "log writes were not timed: enable track_wal_io_timing";
        gaps.push(Gap::new("log write time", GapReason::Absent, detail));
    }
    gaps
}
