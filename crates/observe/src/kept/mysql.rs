//! Settings of MySQL and MariaDB that are kept.

/// Settings besides `innodb_…` that affect I/O, memory and durability.
const SETTINGS: [&str; 22] = [
    "aria_pagecache_buffer_size",
    "basedir",
    "binlog_format",
    "binlog_group_commit_sync_delay",
    "binlog_row_image",
    "datadir",
    "key_buffer_size",
    "large_pages",
    "log_bin",
    "max_allowed_packet",
    "max_connections",
    "open_files_limit",
    "port",
    "relay_log",
    "rpl_semi_sync_master_enabled",
    "rpl_semi_sync_source_enabled",
    "skip_log_bin",
    "sync_binlog",
    "table_open_cache",
    "thread_handling",
    "tmpdir",
    "transaction_isolation",
];

/// Option files and command lines write `-` or `_`, and may prefix what the server may not know.
pub(crate) fn normal(name: &str) -> String {
    let name = name.replace('-', "_").to_ascii_lowercase();
    name.strip_prefix("loose_").map(str::to_owned).unwrap_or(name)
}

/// A setting that is kept; every other, and above all a secret, is not.
pub(crate) fn wanted(name: &str) -> bool {
    let secret = ["password", "secret", "key_id", "keyring", "token"].iter().any(|mark| name.contains(mark));
    !secret && (name.starts_with("innodb_") || SETTINGS.contains(&name))
}

/// An option of the command line that is kept.
pub(crate) fn is_known_option(name: &str) -> bool {
    ["-h", "defaults_file", "defaults_extra_file", "no_defaults"].contains(&name) || wanted(&normal(name))
}
