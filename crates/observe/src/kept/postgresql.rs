//! Settings of PostgreSQL that are kept.

/// Settings that affect I/O, memory and durability.
const SETTINGS: [&str; 48] = [
    "autovacuum_max_workers",
    "backend_flush_after",
    "bgwriter_flush_after",
    "bgwriter_lru_maxpages",
    "checkpoint_completion_target",
    "checkpoint_flush_after",
    "checkpoint_timeout",
    "commit_delay",
    "commit_siblings",
    "data_checksums",
    "data_directory",
    "data_sync_retry",
    "dynamic_shared_memory_type",
    "effective_cache_size",
    "effective_io_concurrency",
    "fsync",
    "full_page_writes",
    "huge_page_size",
    "huge_pages",
    "io_method",
    "io_workers",
    "maintenance_io_concurrency",
    "maintenance_work_mem",
    "max_connections",
    "max_wal_senders",
    "max_wal_size",
    "max_worker_processes",
    "min_wal_size",
    "port",
    "shared_buffers",
    "shared_memory_type",
    "synchronous_commit",
    "synchronous_standby_names",
    "tcp_keepalives_idle",
    "temp_buffers",
    "temp_tablespaces",
    "track_io_timing",
    "track_wal_io_timing",
    "wal_buffers",
    "wal_compression",
    "wal_init_zero",
    "wal_level",
    "wal_recycle",
    "wal_sync_method",
    "wal_writer_delay",
    "wal_writer_flush_after",
    "work_mem",
    "archive_mode",
];

/// A setting that is kept.
pub(crate) fn wanted(name: &str) -> bool {
    SETTINGS.contains(&name)
}

/// An option of the command line that is kept.
pub(crate) fn is_known_option(name: &str) -> bool {
    ["-D", "-p", "config_file"].contains(&name) || wanted(name)
}

pub(crate) fn is_postmaster(name: &str) -> bool {
    matches!(name, "postgres" | "postmaster" | "postgresql")
}
