//! Whose a store is. `SQLite` obeys what lies beside a database: it plays a journal back, takes a log for its own, and removes
//! the file that a journal names. So nothing is written to a store where somebody else can put a file beside it.

use fullwire_way::{Step, Sticky, Way};
use rusqlite::Connection;
use rustix::fs::{Gid, Uid};
use rustix::io::Errno;
use rustix::process::geteuid;
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::thread;

/// The group of nobody.
const NOBODY: u32 = 65_534;

/// What `SQLite` looks for beside a database.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// A store's file without links: what was looked at is what is opened.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) is_own: bool,
    /// Who else may lay another file in its place; `None`: nobody, by what is known.
    stranger: Option<u32>,
    /// Nobody else can exchange a directory on the way to it, or comes to it: what root unpacked below a directory of its own.
    is_sheltered: bool,
    /// Nobody else can exchange the directory in which it lies.
    is_reached: bool,
}

impl Place {
    /// Of a path as it was given. A place that is our own stays what it is: nobody else can exchange a part of it.
    pub(crate) fn of(path: &Path) -> std::io::Result<Self> {
        let (way, uid) = (Way::to(path)?, geteuid());
        // In a directory such as /tmp a file is taken away by its owner alone; but for root, files would be given to the
        // owner of one.
        let sheltered = if uid.is_root() { Sticky::CountsAbove } else { Sticky::Counts };
        let above = Way::to(way.path.ancestors().nth(2).unwrap_or(Path::new("/")))?;
        Ok(Self {
            is_reached: way.stranger().is_none() && above.is_of(uid.as_raw(), Sticky::Counts),
            is_own: is_own(&way, Sticky::CountsAbove),
            stranger: way.stranger(),
            is_sheltered: way.is_of(uid.as_raw(), sheltered) || way.is_closed(),
            path: way.path,
        })
    }

    /// Opens a database for reading; `open` gets what is to be said in its URI. `SQLite` looks for a log or a journal by the
    /// file's name whenever a query begins, makes the memory beside a log and, for root, gives each to the database's owner
    /// (`unixOpenSharedMemory`, `unixOpen` in `os_unix.c`): whoever exchanges a directory meanwhile would choose where. So
    /// there nothing is made; root takes the rights of whoever could do it, and what was opened once stays what is read.
    pub(crate) fn read(
        &self,
        open: impl Fn(&str) -> rusqlite::Result<Connection> + Sync,
    ) -> rusqlite::Result<Connection> {
        let is_root = geteuid().is_root();
        let uid = match self.stranger.filter(|_| is_root) {
            _ if self.is_sheltered => return open(""),
            // Members of a group, or anyone: SQLite opens a log for writing, makes it, and gives it away.
            None if is_root => NOBODY,
            None => return open("&readonly_shm=1"),
            Some(uid) => uid,
        };
        let opened = || {
            take_rights_of(uid).map_err(|error| refused(&error))?;
            let connection = open("")?;
            connection.execute_batch("BEGIN")?;
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
            // An error (no memory, a bad disk) ends the transaction, and the next query, with root's rights, would look for a
            // log by its name: without this. It gives the lock back only when the connection is closed.
            connection.query_row("PRAGMA locking_mode=exclusive", [], |_| Ok(()))?;
            Ok(connection)
        };
        let read = thread::scope(|scope| match thread::Builder::new().spawn_scoped(scope, opened) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(refused(&error)),
        });
        // Where others can lay a file beside it nobody may be who may read it. Without a log it can be taken as it lies, and a
        // link in its place is not followed.
        read.or_else(|error| match Step::at(&beside(&self.path, "-wal")) {
            Err(_) if self.is_reached => open("&immutable=1"),
            _ => Err(error),
        })
    }
}

fn refused(why: &dyn Display) -> rusqlite::Error {
    let problem = format!("take the rights of its owner: {why}");
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_PERM), Some(problem))
}

/// This thread has the rights of a user without groups from here on. It is the thread's effective user alone: that user may
/// neither trace nor end it.
fn take_rights_of(uid: u32) -> rustix::io::Result<()> {
    set_thread_groups(&[])?;
    set_thread_res_gid(None, Gid::from_raw(NOBODY), None)?;
    set_thread_res_uid(None, Uid::from_raw(uid), None)
}

/// What keeps `SQLite` from opening a database that is there; `None`: nothing. It opens what lies beside one too, and would
/// wait for a pipe without end, or write to a device. A look neither reads nor waits.
pub(crate) fn odd(path: &Path) -> Option<String> {
    let is_root = geteuid().is_root();
    let mut allowed = vec![0];
    for end in [""].into_iter().chain(BESIDE) {
        let file = beside(path, end);
        let step = match Step::at(&file) {
            Err(Errno::NOENT) if !end.is_empty() => continue,
            Err(error) => return Some(format!("{}: {error}", file.display())),
            Ok(step) => step,
        };
        // Whose the store is was the caller's choice, and a user's whom that user shares a directory with. For root nobody
        // else may have put a file beside it.
        if end.is_empty() {
            allowed.push(step.stat.st_uid);
        }
        if !step.is_file() {
            return Some(format!("{} is no file", file.display()));
        }
        if is_root && !allowed.contains(&step.stat.st_uid) {
            return Some(format!("{} is another user's than the store", file.display()));
        }
    }
    None
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Nobody else can have written to the store, or can put a file beside it: it and all of that is this user's or root's, and no
/// directory or link on the way is another user's or lets others replace what is in it.
fn is_own(way: &Way, sticky: Sticky) -> bool {
    let uid = geteuid().as_raw();
    let files = [""].into_iter().chain(BESIDE);
    files.flat_map(|end| Step::at(&beside(&way.path, end))).all(|file| file.is_of(uid, false))
        && way.is_of(uid, sticky)
}

/// For root: another user can put another file in the place of one that is made there, or lay one beside it that `SQLite` takes
/// for its own: as it does in a directory such as /tmp, where anyone can make it first. A directory that is made there is root's.
pub(crate) fn is_exchangeable(path: &Path) -> bool {
    let own = |way: Way| is_own(&way, if way.missing > 1 { Sticky::Counts } else { Sticky::CountsAbove });
    geteuid().is_root() && !Way::to(path).is_ok_and(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    /// SQLite takes whatever log lies beside a database for its own.
    #[test]
    fn a_store_where_others_can_put_a_file_beside_it_is_not_our_own() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("runs.db");
        let with = |mode: u32| {
            set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
            Place::of(&store).unwrap().is_own
        };
        for made in [false, true] {
            assert!(with(0o755) && with(0o700), "{made}");
            assert!(!with(0o1777) && !with(0o777), "{made}");
            std::fs::write(&store, "").unwrap();
        }
        assert!(with(0o755));
        let log = folder.path().join("runs.db-wal");
        std::fs::write(&log, "").unwrap();
        set_permissions(&log, Permissions::from_mode(0o666)).unwrap();
        assert!(!Place::of(&store).unwrap().is_own, "anyone can write to its log");
    }

    /// Whoever owns the directory may lay another in its place when SQLite has opened the file, and not yet what is beside it.
    #[test]
    fn nothing_is_made_with_roots_rights_where_another_user_leads() {
        use std::os::unix::fs::{chown, symlink};
        if !geteuid().is_root() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let (home, roots) = (folder.path().join("home"), folder.path().join("roots"));
        let made = tempfile::tempdir().unwrap();
        let writer = Connection::open(made.path().join("x")).unwrap();
        writer.execute_batch("PRAGMA journal_mode=wal; CREATE TABLE a (b)").unwrap();
        for place in [&home, &roots] {
            std::fs::create_dir(place).unwrap();
            for name in ["x", "x-wal"] {
                std::fs::copy(made.path().join(name), place.join(name)).unwrap();
            }
        }
        set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        for path in [folder.path(), &home, &home.join("x"), &home.join("x-wal")] {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let file = home.join("x");
        let place = Place::of(&file).unwrap();
        let query = |connection: Connection| {
            connection.query_row("SELECT count(*) FROM a", [], |_| Ok(()))?;
            Ok(connection)
        };
        let open = |how: &str| crate::open::read_only(&file, how);
        let read = place.read(|how| open(how).and_then(query)).expect("with its log");
        assert!(!read.is_autocommit(), "another query would look for a journal anew");
        let mode: String = read.query_row("PRAGMA locking_mode", [], |row| row.get(0)).unwrap();
        assert_eq!(mode, "exclusive", "nor does one after an error, which ends the transaction");
        std::fs::remove_file(home.join("x-shm")).expect("the owner made it");
        let _ = place.read(|how| {
            let connection = open(how)?;
            std::fs::rename(&home, folder.path().join("away")).expect("as its owner");
            symlink(&roots, &home).expect("as its owner");
            query(connection)
        });
        assert!(!roots.join("x-shm").exists());
        let closed = folder.path().join("closed");
        std::fs::create_dir(&closed).unwrap();
        set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
        std::fs::rename(folder.path().join("away"), closed.join("away")).unwrap();
        let unpacked = closed.join("away/x");
        let open = |how: &str| crate::open::read_only(&unpacked, how).and_then(query);
        let read = || Place::of(&unpacked).unwrap().read(open);
        assert!(
            read().is_err(),
            "its owner can put a link in the place of the directory that keeps others out"
        );
        chown(folder.path(), Some(0), Some(0)).unwrap();
        read().expect("root unpacked it, and it is read with its log");
        assert_eq!(Step::at(&roots.join("x-wal")).unwrap().stat.st_uid, 0);
    }

    #[test]
    fn in_a_directory_of_all_a_store_is_read_and_no_link_in_its_place() {
        use std::os::unix::fs::symlink;
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let (shared, roots) = (folder.path().join("shared"), folder.path().join("roots"));
        std::fs::create_dir(&shared).unwrap();
        set_permissions(&shared, Permissions::from_mode(0o777)).unwrap();
        Connection::open(&roots).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
        set_permissions(&roots, Permissions::from_mode(0o600)).unwrap();
        let file = shared.join("x");
        std::fs::copy(&roots, &file).unwrap();
        let place = Place::of(&file).unwrap();
        let rows = |connection: Connection| {
            connection.query_row("SELECT count(*) FROM a", [], |row| row.get::<_, i64>(0))
        };
        let read = || {
            place.read(|how| {
                let connection = crate::open::read_only(&place.path, how)?;
                connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
                Ok(connection)
            })
        };
        assert_eq!(read().and_then(rows), Ok(0));
        std::fs::remove_file(&file).unwrap();
        symlink(&roots, &file).unwrap();
        assert!(read().is_err(), "root alone may read what it leads to");
    }

    /// `SQLite` ends the transaction by itself where a query that writes is interrupted, or memory or the disk fails.
    #[test]
    fn an_error_midway_has_nothing_looked_for_by_its_name() {
        use std::os::unix::fs::{chown, symlink};
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let (home, away) = (folder.path().join("home"), folder.path().join("away"));
        set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        std::fs::create_dir(&home).unwrap();
        let file = home.join("x");
        Connection::open(&file).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
        for path in [&home, &file] {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let read = Place::of(&file).unwrap().read(|how| crate::open::read_only(&file, how)).unwrap();
        read.progress_handler(1_000, Some(|| true)).unwrap();
        let endless = "CREATE TEMP TABLE t AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";
        read.execute_batch(endless).unwrap_err();
        read.progress_handler(0, None::<fn() -> bool>).unwrap();
        assert!(read.is_autocommit(), "the error has ended the transaction");
        // What its owner can do now: a journal of that name would be played back, or refuse whoever may not write.
        std::fs::rename(&home, &away).unwrap();
        symlink(folder.path(), &home).unwrap();
        std::fs::write(folder.path().join("x-journal"), [0xd9; 512]).unwrap();
        let rows = read.query_row("SELECT count(*) FROM a", [], |row| row.get::<_, i64>(0));
        assert_eq!(rows, Ok(0), "it is read as it was opened");
    }

    #[test]
    fn root_makes_no_database_where_another_user_can_exchange_it() {
        use std::os::unix::fs::chown;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new.fwr");
        assert!(!is_exchangeable(&file));
        if !geteuid().is_root() {
            return;
        }
        set_permissions(folder.path(), Permissions::from_mode(0o1777)).unwrap();
        assert!(is_exchangeable(&file), "as in /tmp: whoever makes its log first can write to it for ever");
        assert!(
            !is_exchangeable(&folder.path().join("made/new.fwr")),
            "a directory that is made there is root's"
        );
        set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        std::fs::write(folder.path().join("new.fwr-wal"), "").unwrap();
        chown(folder.path().join("new.fwr-wal"), Some(65_534), None).unwrap();
        assert!(is_exchangeable(&file), "another user's log lies beside it");
        std::fs::remove_file(folder.path().join("new.fwr-wal")).unwrap();
        set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
        assert!(is_exchangeable(&file));
        set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        chown(folder.path(), Some(65_534), None).unwrap();
        assert!(is_exchangeable(&file) && is_exchangeable(&folder.path().join("not/there/new.fwr")));
    }
}
