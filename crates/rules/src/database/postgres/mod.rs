//! PostgreSQL.

rules! {
    postgres_archiver_failing,
    postgres_autovacuum_off,
    postgres_checkpoint_spread,
    postgres_checkpoints_requested,
    postgres_durability,
    postgres_huge_pages,
    postgres_io_concurrency,
    postgres_io_timing,
    postgres_slots_inactive,
    postgres_sync_standby_absent,
    postgres_sync_standby_slow,
    postgres_temp_files,
    postgres_wal_buffers_full,
    postgres_wal_size,
    postgres_work_memory,
}
