//! Opening: the right file, the right schema, and a way in when the directory is read-only.

use crate::StoreError;
use crate::error::explain;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Schema changes in order; a store's `user_version` counts those that it has.
const MIGRATIONS: &[&str] = &[include_str!("schema/001_runs.sql")];

/// `application_id` of a store: "fwrn" in ASCII, so that `file` and we can tell it from another SQLite file.
const APPLICATION_ID: i64 = 0x6677_726e;

/// Waits so long for another process that writes: a run is written in milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens the store for writing, or, when its place is read-only, for reading. Makes it when it is not there.
pub(crate) fn open(path: &Path) -> Result<Connection, StoreError> {
    make_directory(path)?;
    match open_writable(path) {
        Err(StoreError::ReadOnly { .. } | StoreError::Open { .. }) if path.is_file() => open_readable(path),
        outcome => outcome,
    }
}

fn make_directory(path: &Path) -> Result<(), StoreError> {
    let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) else { return Ok(()) };
    std::fs::create_dir_all(parent)
        .map_err(|source| StoreError::Directory { path: parent.to_path_buf(), source })
}

fn open_writable(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(explain(path, "open"))?;
    prepare(&connection).map_err(explain(path, "open"))?;
    let version = version(&connection, path)?;
    if version < MIGRATIONS.len() {
        migrate(&mut connection, path)?;
    }
    // Only now: the file is known to be a store, and changing the journal of a stranger's database would be rude.
    connection.pragma_update(None, "journal_mode", "wal").map_err(explain(path, "set the journal"))?;
    Ok(connection)
}

/// Without write access SQLite cannot make the shared memory of the write-ahead log; when there is no log, nothing
/// is lost by telling it that the file does not change.
fn open_readable(path: &Path) -> Result<Connection, StoreError> {
    let immutable = if log_of(path).exists() { "" } else { "&immutable=1" };
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let uri = format!("file:{}?mode=ro{immutable}", escape(path));
    let connection = Connection::open_with_flags(uri, flags).map_err(explain(path, "open"))?;
    prepare(&connection).map_err(explain(path, "open"))?;
    match version(&connection, path)? {
        version if version < MIGRATIONS.len() => Err(StoreError::ReadOnly { path: path.to_path_buf() }),
        _ => Ok(connection),
    }
}

/// What each connection needs: it is not kept in the file.
fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // In WAL mode only FULL survives a power cut with the last run; one sync a run costs nothing.
    connection.pragma_update(None, "synchronous", "full")
}

/// How many migrations the file has; an error when it is not ours or too new.
fn version(connection: &Connection, path: &Path) -> Result<usize, StoreError> {
    let number = |pragma| {
        connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)).map_err(explain(path, "read"))
    };
    let (application, found) = (number("application_id")?, number("user_version")?);
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(explain(path, "read"))?;
    if application != APPLICATION_ID && (tables > 0 || found != 0) {
        let detail = "it is another program's SQLite database".to_owned();
        return Err(StoreError::NotAStore { path: path.to_path_buf(), detail });
    }
    match usize::try_from(found) {
        Ok(version) if version <= MIGRATIONS.len() => Ok(version),
        _ => Err(StoreError::Newer { path: path.to_path_buf(), found, known: MIGRATIONS.len() }),
    }
}

/// Brings the schema up to date in one transaction; of two processes that try, the second finds it done.
fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(explain(path, "change the schema"))?;
    let have = version(&transaction, path)?;
    let apply = || {
        for migration in &MIGRATIONS[have..] {
            transaction.execute_batch(migration)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", MIGRATIONS.len())
    };
    apply().map_err(explain(path, "change the schema"))?;
    transaction.commit().map_err(explain(path, "change the schema"))
}

fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// A path in an SQLite URI (sqlite.org/uri.html): `%`, `?` and `#` would end it.
fn escape(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}
