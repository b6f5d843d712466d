//! Opening: the right file, the right schema, and a way in when the directory is read-only.

use crate::StoreError;
use crate::error::explain;
use crate::own::{Place, odd};
use crate::sealed;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::fs::{DirBuilder, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Schema changes in order; a store's `user_version` counts those that it has.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/001_runs.sql"),
    include_str!("schema/002_baselines.sql"),
    include_str!("schema/003_outbox.sql"),
];

/// `application_id` of a store: "fwrn" in ASCII, so that `file` and we can tell it from another SQLite file.
const APPLICATION_ID: i64 = 0x6677_726e;

/// Waits this long for another process that writes: a run is written in milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Between two tries at what `SQLite` itself does not wait for.
const AGAIN: Duration = Duration::from_millis(5);

/// Opens the store for writing, or, when its place is read-only, for reading. Makes it when it is not there. Refused where
/// others can put a file beside it.
pub(crate) fn open(path: &Path) -> Result<(Connection, Place), StoreError> {
    if path.is_dir() {
        return Err(directory(path));
    }
    make_directory(path)?;
    let place = place(path)?;
    if !place.is_own {
        let detail = "another user can write to it or to its directory, and what lies beside it is obeyed";
        return Err(StoreError::Open { path: path.to_path_buf(), detail: detail.to_owned() });
    }
    make_file(&place.path)?;
    not_odd(&place.path)?;
    Ok((open_any(&place)?, place))
}

/// Opens a store that is there. Nothing is made: anyone who mistypes a path learns it. One that others can write to is only
/// read, so that no journal beside it is played back.
pub(crate) fn open_existing(path: &Path) -> Result<(Connection, Place), StoreError> {
    // An empty file is a store that was never finished, or no store.
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() > 0 => {
            let place = place(path)?;
            not_odd(&place.path)?;
            if place.is_own {
                return Ok((open_any(&place)?, place));
            }
            let connection = open_readable(&place)?;
            sealed::bound(&connection).map_err(explain(path, "open"))?;
            Ok((connection, place))
        }
        Ok(meta) if meta.is_dir() => Err(directory(path)),
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(StoreError::Open { path: path.to_path_buf(), detail: error.to_string() })
        }
        _ => Err(StoreError::Missing { path: path.to_path_buf() }),
    }
}

fn place(path: &Path) -> Result<Place, StoreError> {
    Place::of(path).map_err(|error| StoreError::Open { path: path.to_path_buf(), detail: error.to_string() })
}

fn not_odd(path: &Path) -> Result<(), StoreError> {
    let refused = |detail| StoreError::Open { path: path.to_path_buf(), detail };
    odd(path).map_or(Ok(()), |detail| Err(refused(detail)))
}

fn directory(path: &Path) -> StoreError {
    StoreError::NotAStore { path: path.to_path_buf(), detail: "it is a directory".into() }
}

fn open_any(place: &Place) -> Result<Connection, StoreError> {
    match open_writable(&place.path) {
        Err(StoreError::ReadOnly { .. } | StoreError::Open { .. }) if place.path.is_file() => {
            open_readable(place)
        }
        outcome => outcome,
    }
}

/// What a host says of itself is not for everyone: the directory that is made here is the user's alone.
fn make_directory(path: &Path) -> Result<(), StoreError> {
    let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) else { return Ok(()) };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(parent)
        .map_err(|source| StoreError::Directory { path: parent.to_path_buf(), source })
}

/// As the directory. `SQLite` gives the file's mode to the journal and the shared memory next to it.
fn make_file(path: &Path) -> Result<(), StoreError> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match made {
        Ok(_) => Ok(()),
        // It is there, or the place is read-only and may have one to read: opening it says what is wrong.
        Err(_) if path.exists() => Ok(()),
        Err(error) => Err(StoreError::Open { path: path.to_path_buf(), detail: error.to_string() }),
    }
}

fn open_writable(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(explain(path, "open"))?;
    prepare(&connection).map_err(explain(path, "open"))?;
    let version = version(&connection, path)?;
    if version < MIGRATIONS.len() {
        migrate(&mut connection, path)?;
    }
    // Only now: the file is known to be a store, and changing the journal of a stranger's database would be rude.
    set_journal(&connection, journal(path)).map_err(explain(path, "set the journal"))?;
    Ok(connection)
}

/// The way into WAL takes the file for itself for a moment, and asks no one to wait: two that open a new store at the same time
/// meet here.
fn set_journal(connection: &Connection, journal: &str) -> rusqlite::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let current: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
        if current == journal {
            return Ok(());
        }
        match connection.pragma_update(None, "journal_mode", journal) {
            Err(error) if is_busy(&error) && Instant::now() < deadline => std::thread::sleep(AGAIN),
            outcome => return outcome,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked))
}

/// A write-ahead log needs memory that all its users share (sqlite.org/wal.html: "WAL does not work over a network file
/// system"): two hosts with one home would ruin it. The rollback journal needs locks alone.
fn journal(path: &Path) -> &'static str {
    if is_on_shared_file_system(path) { "truncate" } else { "wal" }
}

/// Whether several hosts may have mounted the file system of a path.
pub(crate) fn is_on_shared_file_system(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|file_system| is_shared(file_system.f_type.cast_unsigned()))
}

/// File systems that several hosts may have mounted, by `f_type` of statfs(2) and the kernel's `magic.h`: NFS, SMB
/// (three numbers), AFS, Ceph, Lustre, GFS2, OCFS2, 9P, and FUSE, behind which anything may be.
fn is_shared(magic: u64) -> bool {
    const SHARED: [u32; 11] = [
        0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x5346_414f, 0x00c3_6400, 0x0bd0_0bd0, 0x0116_1970,
        0x7461_636f, 0x0102_1997, 0x6573_5546,
    ];
    // On 32-bit hosts and some others the kernel extends the sign.
    SHARED.iter().any(|&shared| u64::from(shared) == magic & 0xffff_ffff)
}

/// Without write access SQLite cannot make the shared memory of the write-ahead log; when there is no log, nothing
/// is lost by telling it that the file does not change.
fn open_readable(place: &Place) -> Result<Connection, StoreError> {
    let path = &place.path;
    let immutable = if log_of(path).exists() { "" } else { "&immutable=1" };
    let open = |how: &str| {
        let connection = read_only(path, &format!("{how}{immutable}"))?;
        prepare(&connection)?;
        Ok(connection)
    };
    let connection = place.read(open).map_err(explain(path, "open"))?;
    match version(&connection, path)? {
        version if version < MIGRATIONS.len() => Err(StoreError::ReadOnly { path: path.clone() }),
        _ => Ok(connection),
    }
}

/// A connection that only reads, by a path without links; `how`: what else its URI says.
pub(crate) fn read_only(path: &Path, how: &str) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Connection::open_with_flags(format!("file:{}?mode=ro{how}", escape(path)), flags)
}

/// What each connection needs: it is not kept in the file.
fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    sealed::distrust(connection)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // In WAL mode only FULL survives a power cut with the last run; one sync a run costs nothing.
    connection.pragma_update(None, "synchronous", "full")
}

/// How many migrations the file has; an error when it is not ours or too new.
fn version(connection: &Connection, path: &Path) -> Result<usize, StoreError> {
    let number = |pragma| {
        connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)).map_err(explain(path, "read"))
    };
    loop {
        let found = number("user_version")?;
        let tables: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(explain(path, "read"))?;
        // Last: another process that makes the store at this moment gives it tables and its mark at once.
        let application = number("application_id")?;
        let not = |detail: String| StoreError::NotAStore { path: path.to_path_buf(), detail };
        if application != APPLICATION_ID && (tables > 0 || found != 0) {
            return Err(not("it is another program's SQLite database".to_owned()));
        }
        let version = match usize::try_from(found) {
            Ok(version) if version <= MIGRATIONS.len() => version,
            _ => return Err(StoreError::Newer { path: path.to_path_buf(), found, known: MIGRATIONS.len() }),
        };
        let own = sealed::has_schema(connection, &MIGRATIONS[..version]).map_err(explain(path, "read"))?;
        match own {
            Ok(()) => return Ok(version),
            // The other process was between the two.
            Err(_) if number("user_version")? != found => {}
            Err(detail) => return Err(not(detail)),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_in_shared_memory_is_not_for_file_systems_of_several_hosts() {
        for shared in [0x6969, 0xff53_4d42, 0xffff_ffff_ff53_4d42, 0x6573_5546, 0x0102_1997] {
            assert!(is_shared(shared), "{shared:x}");
        }
        // ext4, XFS, Btrfs, tmpfs, overlay.
        for own in [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630] {
            assert!(!is_shared(own), "{own:x}");
        }
    }

    #[test]
    fn both_journals_keep_a_store_and_one_becomes_the_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("runs.db");
        let (connection, _) = open(&path).unwrap();
        for journal in ["truncate", "wal", "truncate"] {
            set_journal(&connection, journal).unwrap();
            let now: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
            assert_eq!(now, journal);
        }
        connection.execute("DELETE FROM run", []).unwrap();
        assert!(!log_of(&path).exists(), "no log is left where it must not be");
    }
}
