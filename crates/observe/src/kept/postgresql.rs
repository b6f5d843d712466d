//! Settings of PostgreSQL that are kept.

/// Settings that affect I/O, memory and durability.
const SETTINGS: [&str; 51] = [
    "autovacuum",
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
    "max_files_per_process",
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
    "track_counts",
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
    matches!(name.strip_prefix("edb-").unwrap_or(name), "postgres" | "postmaster" | "postgresql")
}

/// Background processes whose titles tell the server's state, as versions since 10 call them, and before.
const BACKGROUND: [(&str, &str); 8] = [
    ("archiver", "archiver"),
    ("checkpointer", "checkpointer"),
    ("startup", "startup"),
    ("wal receiver", "walreceiver"),
    ("wal sender", "walsender"),
    ("walreceiver", "walreceiver"),
    ("walsender", "walsender"),
    ("walwriter", "walwriter"),
];

/// Of the words behind `postgres:` those that tell which background process it is, and of the archiver how it fares
/// (`src/backend/postmaster/pgarch.c`). Clients' titles name users and databases: nothing of them is kept.
pub(crate) fn background(words: &[&str]) -> Vec<String> {
    // cluster_name stands before, with a colon.
    let words = if words.first().is_some_and(|word| word.ends_with(':')) { &words[1..] } else { words };
    let title = words.join(" ");
    let begins =
        |name: &str| title.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let Some((written, name)) = BACKGROUND.iter().find(|(written, _)| begins(written)) else {
        return Vec::new();
    };
    let mut kept = vec![(*name).to_owned()];
    if *name == "archiver" {
        let rest = title[written.len()..].split_whitespace().filter(|word| *word != "process");
        kept.extend(
            rest.take_while(|word| ["failed", "on", "last", "was"].contains(word) || is_segment(word))
                .map(str::to_owned),
        );
        if !kept.last().is_some_and(|word| is_segment(word)) {
            kept.truncate(2);
        }
    }
    kept
}

/// The name of a WAL segment: 24 hexadecimal digits, and of a history or backup file an end.
fn is_segment(word: &str) -> bool {
    let digits = word.split('.').next().unwrap_or_default();
    (8..=24).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
