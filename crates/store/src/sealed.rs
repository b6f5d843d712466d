//! Files that may be anyone's. `SQLite` computes whatever a schema says: a view in place of a table never ends, an index
//! over an expression runs a function. So a file is ours when its schema is ours, word for word, and what a query may take
//! is counted.

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::ops::Deref;
use std::os::raw::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Instructions of `SQLite`'s machine between two looks at the flag: a tenth of a millisecond.
const STEPS: c_int = 10_000;
/// Looks that one query may take: a thousand million instructions, some ten for each of the samples of three years.
const MOST_LOOKS: u64 = if cfg!(test) { 1_000 } else { 100_000 };

/// Memory of all queries together: what they sort stays in it, so that a page which a damaged file names a thousand times fills
/// neither a disk nor the memory, bytes.
const HEAP_BYTES: i64 = 256 << 20;
/// Rows of one list, as they lie in our memory, bytes: hundreds of thousands of runs or events.
const LIST_BYTES: usize = 64 << 20;

/// Nothing that the file says is believed, and nothing in it runs: [sqlite.org/security.html](https://sqlite.org/security.html).
pub(crate) fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    // The pragma answers with the limit, which holds for the process.
    connection.query_row(&format!("PRAGMA hard_heap_limit={HEAP_BYTES}"), [], |_| Ok(()))
}

/// Adds rows to a list as long as it is no larger than any of ours can be; what was read before an error stays.
pub(crate) fn gather<T>(
    rows: impl Iterator<Item = rusqlite::Result<T>>,
    list: &mut Vec<T>,
    text_bytes: impl Fn(&T) -> usize,
) -> rusqlite::Result<()> {
    let mut left = LIST_BYTES;
    for row in rows {
        let row = row?;
        left = left.checked_sub(size_of::<T>() + text_bytes(&row)).ok_or_else(|| {
            damaged(format!("damaged: a list in it is larger than {} MiB", LIST_BYTES >> 20))
        })?;
        list.push(row);
    }
    Ok(())
}

/// An error of the file's content.
pub(crate) fn damaged(detail: String) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT), Some(detail))
}

/// Whether the file has exactly the tables and indexes that these statements make; what is else there.
pub(crate) fn has_schema(
    connection: &Connection,
    statements: &[&str],
) -> rusqlite::Result<Result<(), String>> {
    let own = Connection::open_in_memory()?;
    for batch in statements {
        own.execute_batch(batch)?;
    }
    let (own, found) = (schema(&own)?, schema(connection)?);
    let strange = found.iter().find(|one| !own.contains(one));
    let missing = own.iter().find(|one| !found.contains(one));
    Ok(match strange.or(missing) {
        // SQLite bears a row that is there twice, and more rows than were read.
        None if found.len() != own.len() => {
            Err("it has more tables or indexes than fullwire makes".to_owned())
        }
        None => Ok(()),
        Some(one) => Err(format!("its {} {} is not as fullwire makes it", one.kind, one.name)),
    })
}

/// A row of `sqlite_schema`.
#[derive(PartialEq, Eq)]
struct Entry {
    kind: String,
    name: String,
    table: String,
    sql: Option<String>,
}

/// So many that more than our own are seen to be more.
fn schema(connection: &Connection) -> rusqlite::Result<Vec<Entry>> {
    let query = "SELECT type, name, tbl_name, sql FROM sqlite_schema LIMIT 100";
    let mut statement = connection.prepare(query)?;
    let rows = statement.query_map([], |row| {
        Ok(Entry { kind: row.get(0)?, name: row.get(1)?, table: row.get(2)?, sql: row.get(3)? })
    })?;
    rows.collect()
}

/// Ends what a stranger's file makes endless: the tree of a small one may lead to the same page as often as it likes. All
/// queries of the connection together may take ten times as much as one.
pub(crate) fn bound(connection: &Connection) -> rusqlite::Result<()> {
    let mut looks = 0;
    let look = move || {
        looks += 1;
        looks > 10 * MOST_LOOKS
    };
    connection.progress_handler(STEPS, Some(look))
}

/// A connection whose queries end: each may take so much, and none outlives the flag.
#[derive(Debug)]
pub(crate) struct Bounded {
    connection: Connection,
    looks: Arc<AtomicU64>,
}

impl Bounded {
    pub(crate) fn new(connection: Connection, stopped: fn() -> bool) -> rusqlite::Result<Self> {
        let looks = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&looks);
        let look = move || counted.fetch_add(1, Relaxed) >= MOST_LOOKS || stopped();
        connection.progress_handler(STEPS, Some(look))?;
        Ok(Self { connection, looks })
    }
}

impl Deref for Bounded {
    type Target = Connection;

    /// Whoever takes the connection begins a query: what it may take is counted from here.
    fn deref(&self) -> &Connection {
        self.looks.store(0, Relaxed);
        &self.connection
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = "CREATE TABLE a (b INTEGER PRIMARY KEY) STRICT; CREATE INDEX c ON a (b);";

    fn with(more: &str) -> Result<(), String> {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(&format!("{OURS}{more}")).unwrap();
        distrust(&connection).unwrap();
        has_schema(&connection, &[OURS]).unwrap()
    }

    #[test]
    fn a_schema_is_ours_or_it_is_not() {
        assert_eq!(with(""), Ok(()));
        for (more, name) in [
            ("CREATE VIEW v AS SELECT 1", "view v"),
            ("CREATE TABLE t (a)", "table t"),
            ("CREATE TRIGGER x AFTER INSERT ON a BEGIN SELECT 1; END", "trigger x"),
            ("CREATE INDEX i ON a (abs(b))", "index i"),
            ("DROP INDEX c", "index c"),
            ("ALTER TABLE a ADD COLUMN d TEXT", "table a"),
            ("ALTER TABLE a RENAME TO z; CREATE VIEW a AS SELECT * FROM z", "table z"),
        ] {
            let refusal = with(more).unwrap_err();
            assert!(refusal.contains(name), "{more}: {refusal}");
        }
        let twice = "PRAGMA writable_schema=ON; INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = 'c'";
        assert!(
            with(twice).unwrap_err().contains("more tables"),
            "SQLite bears it where the index is automatic"
        );
    }

    #[test]
    fn what_is_sorted_fills_neither_a_disk_nor_the_memory() {
        let connection = Connection::open_in_memory().unwrap();
        distrust(&connection).unwrap();
        // 1,000 rows of 800 kB, as of one page that is named again and again.
        let many = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1000)
                    SELECT x, zeroblob(800000) AS b FROM c ORDER BY -x, b";
        let error = connection.prepare(many).unwrap().query([]).unwrap().next().map(drop).unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::OutOfMemory));
        let mut list = Vec::new();
        let error = gather((0..100).map(Ok), &mut list, |_| 1 << 20).unwrap_err();
        assert!(error.to_string().contains("64 MiB") && list.len() == 63, "{error}: {}", list.len());
    }

    #[test]
    fn a_query_without_end_ends_by_its_steps_or_by_the_flag() {
        let endless =
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
        let run = |stopped: fn() -> bool| {
            let bounded = Bounded::new(Connection::open_in_memory().unwrap(), stopped).unwrap();
            let error = bounded.query_row(endless, [], |_| Ok(())).unwrap_err();
            assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::OperationInterrupted));
            let looks = bounded.looks.load(Relaxed);
            // The next query has its own count.
            bounded.query_row("SELECT 1", [], |_| Ok(())).unwrap_or_default();
            looks
        };
        assert_eq!(run(|| true), 1);
        assert_eq!(run(|| false), MOST_LOOKS + 1);
    }
}
