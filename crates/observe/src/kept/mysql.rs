//! Settings of MySQL and MariaDB that are kept.

/// Settings besides `innodb_…` that affect I/O, memory and durability.
const SETTINGS: [&str; 27] = [
    "aria_pagecache_buffer_size",
    "basedir",
    "binlog_format",
    "binlog_group_commit_sync_delay",
    "binlog_row_image",
    "datadir",
    "group_replication_group_name",
    "key_buffer_size",
    "large_pages",
    "log_bin",
    "max_allowed_packet",
    "max_connections",
    "open_files_limit",
    "port",
    "read_only",
    "relay_log",
    "rpl_semi_sync_master_enabled",
    "rpl_semi_sync_source_enabled",
    "skip_log_bin",
    "super_read_only",
    "sync_binlog",
    "table_open_cache",
    "thread_handling",
    "tmpdir",
    "transaction_isolation",
    "wsrep_cluster_name",
    "wsrep_on",
];

/// Option files and command lines write `-` or `_`, and may prefix what the server may not know.
pub(crate) fn normal(name: &str) -> String {
    let name = name.replace('-', "_").to_ascii_lowercase();
    let name = name.strip_prefix("loose_").unwrap_or(&name);
    switched(name).map_or(name, |(rest, _)| rest).to_owned()
}

/// The value of an option: `skip-`, `disable-` and `enable-` before the name of a switch turn it off and on (MySQL
/// Reference Manual, "Program Option Modifiers").
pub(crate) fn value_of<'a>(name: &str, value: &'a str) -> &'a str {
    let name = name.replace('-', "_").to_ascii_lowercase();
    let Some((_, on)) = switched(name.strip_prefix("loose_").unwrap_or(&name)) else { return value };
    let negated = matches!(value.to_ascii_lowercase().as_str(), "0" | "off" | "false");
    if on == negated { "OFF" } else { "ON" }
}

/// The switch that is meant, and whether it is turned on. Of the others such names are options of their own
/// (`skip_log_bin`).
fn switched(name: &str) -> Option<(&str, bool)> {
    let prefixes = [("skip_", false), ("disable_", false), ("enable_", true)];
    let found = prefixes.into_iter().find_map(|(prefix, on)| Some((name.strip_prefix(prefix)?, on)));
    found.filter(|(rest, _)| rest.starts_with("innodb_"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_turns_a_switch_off_or_on() {
        for (name, value, expected) in [
            ("skip-innodb-doublewrite", "", "OFF"),
            ("skip_innodb_doublewrite", "0", "ON"),
            ("loose-disable-innodb_doublewrite", "", "OFF"),
            ("enable_innodb_doublewrite", "", "ON"),
            ("innodb_doublewrite", "DETECT_ONLY", "DETECT_ONLY"),
        ] {
            assert_eq!(
                (normal(name).as_str(), value_of(name, value)),
                ("innodb_doublewrite", expected),
                "{name}"
            );
        }
        assert_eq!((normal("skip-log-bin").as_str(), value_of("skip-log-bin", "")), ("skip_log_bin", ""));
        assert!(wanted(&normal("skip-innodb-doublewrite")));
    }
}
