//! PostgreSQL.

rules! {
    postgres_archiver_failing,
    postgres_checkpoints_requested,
    postgres_durability,
    postgres_huge_pages,
    postgres_io_timing,
    postgres_wal_buffers_full,
    postgres_wal_size,
}
