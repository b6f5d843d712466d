//! Sizes among the settings of databases.

use fullwire_model::host::Database;
use std::collections::BTreeSet;

/// What database servers of these kinds take of the memory, as their administrators size it.
pub(crate) fn taken_by<'a>(servers: impl Iterator<Item = &'a Database>) -> &'static str {
    let kinds: BTreeSet<&str> = servers.map(|database| database.kind.as_str()).collect();
    match kinds.into_iter().collect::<Vec<_>>().as_slice() {
        ["postgresql"] => {
            "shared_buffers, what the sessions take (work_mem) and the page cache that they read"
        }
        ["mysql" | "mariadb"] => "innodb_buffer_pool_size and what the sessions take",
        ["oracle" | "oracle-asm"] | ["oracle", "oracle-asm"] => "SGA and PGA",
        [] => "what the programs take",
        _ => "what the databases and their sessions take",
    }
}

/// A setting that is a size. PostgreSQL counts `shared_buffers` in pages of 8 KiB, `work_mem` in kB and WAL sizes in MB
/// when no unit is given.
pub(crate) fn bytes(database: &Database, name: &str) -> Option<u64> {
    let value = database.settings.get(name)?;
    let bare = value.bytes().all(|byte| byte.is_ascii_digit());
    let unit = match name {
        "shared_buffers" if bare => 8 << 10,
        "work_mem" if bare => 1 << 10,
        "max_wal_size" if bare => 1 << 20,
        _ => 1,
    };
    Some(size(value)?.saturating_mul(unit))
}

/// `16GB`, `512M`, `4k`, `8192`: powers of 1024 in all three databases.
pub(crate) fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let shift = match text[end..].trim().to_ascii_lowercase().trim_end_matches('b') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return None,
    };
    text[..end].parse::<u64>().ok().map(|number| number.saturating_mul(1 << shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_every_spelling() {
        let sizes = ["16GB", "512M", "4k", "8192", " 1 TB ", "x", "5 min"].map(size);
        assert_eq!(
            sizes,
            [Some(16 << 30), Some(512 << 20), Some(4096), Some(8192), Some(1 << 40), None, None]
        );
    }

    #[test]
    fn numbers_without_a_unit_count_in_the_databases_own() {
        let mut database = Database::default();
        database.settings.insert("shared_buffers".into(), "16384".into());
        database.settings.insert("max_wal_size".into(), "1024".into());
        assert_eq!(bytes(&database, "shared_buffers"), Some(128 << 20));
        assert_eq!(bytes(&database, "max_wal_size"), Some(1 << 30));
    }
}
