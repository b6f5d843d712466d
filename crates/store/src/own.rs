//! Whose a store is. `SQLite` obeys what lies beside a database: it plays a journal back, takes a log for its own, and removes
//! the file that a journal names. So nothing is written to a store where somebody else can put a file beside it.

use rusqlite::Connection;
use rustix::fs::{FileType, Gid, Mode, OFlags, Uid, fstat, open};
use rustix::io::Errno;
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use std::os::unix::fs::MetadataExt as _;
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
    /// Nobody else can exchange a directory on the way to it.
    is_sheltered: bool,
}

impl Place {
    /// Of a path as it was given. A place that is our own stays what it is: nobody else can exchange a part of it.
    pub(crate) fn of(path: &Path) -> Self {
        let [given, path] = both_names(path);
        let both = |is: fn(&Path) -> bool| is(&given) && is(&path);
        let own = [0, rustix::process::geteuid().as_raw()];
        let stranger =
            path.ancestors().chain(given.ancestors()).filter_map(owner).find(|uid| !own.contains(uid));
        let (is_own, is_sheltered) = (both(is_own), both(is_sheltered));
        Self { path, is_own, stranger, is_sheltered }
    }

    /// Opens a database for reading; `open` gets what is to be said in its URI. `SQLite` looks for a log or a journal by the
    /// file's name whenever a query begins, makes the memory beside a log and, for root, gives each to the database's owner
    /// (`unixOpenSharedMemory`, `unixOpen` in `os_unix.c`): whoever exchanges a directory meanwhile would choose where. So
    /// there nothing is made; root takes the rights of whoever could do it, and what was opened once stays what is read.
    pub(crate) fn read(
        &self,
        open: impl Fn(&str) -> rusqlite::Result<Connection> + Sync,
    ) -> rusqlite::Result<Connection> {
        let is_root = rustix::process::geteuid().is_root();
        let uid = match self.stranger.filter(|_| is_root) {
            _ if self.is_sheltered => return open(""),
            // Members of a group, or anyone: SQLite opens a log for writing, makes it, and gives it away.
            None if is_root => NOBODY,
            None => return open("&readonly_shm=1"),
            Some(uid) => uid,
        };
        let opened = || {
            if take_rights_of(uid).is_err() {
                return open("&immutable=1");
            }
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
            Err(_) => open("&immutable=1"),
        });
        // Unpacked below a directory of root's its owner cannot come to it. Without a log it can be taken as it lies.
        read.or_else(
            |error| if is_absent(&beside(&self.path, "-wal")) { open("&immutable=1") } else { Err(error) },
        )
    }
}

/// This thread has the rights of a user without groups from here on. It is the thread's effective user alone: that user may
/// neither trace nor end it.
fn take_rights_of(uid: u32) -> rustix::io::Result<()> {
    set_thread_groups(&[])?;
    set_thread_res_gid(None, Gid::from_raw(NOBODY), None)?;
    set_thread_res_uid(None, Uid::from_raw(uid), None)
}

fn owner(path: &Path) -> Option<u32> {
    std::fs::symlink_metadata(path).ok().map(|status| status.uid())
}

/// What keeps `SQLite` from opening a database that is there; `None`: nothing. It opens what lies beside one too, and would
/// wait for a pipe without end, or write to a device. Each is looked at by a descriptor that neither reads nor waits.
pub(crate) fn odd(path: &Path) -> Option<String> {
    let is_root = rustix::process::geteuid().is_root();
    let mut allowed = vec![0];
    for end in [""].into_iter().chain(BESIDE) {
        let file = beside(path, end);
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let status = match open(&file, flags, Mode::empty()).and_then(fstat) {
            Err(Errno::NOENT) if !end.is_empty() => continue,
            Err(error) => return Some(format!("{}: {error}", file.display())),
            Ok(status) => status,
        };
        // Whose the store is was the caller's choice, and a user's whom that user shares a directory with. For root nobody
        // else may have put a file beside it.
        if end.is_empty() {
            allowed.push(status.st_uid);
        }
        if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
            return Some(format!("{} is no file", file.display()));
        }
        if is_root && !allowed.contains(&status.st_uid) {
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
/// directory above is another user's or lets others replace what is in it. For root the members of a group are others too;
/// a user has chosen who shares a group with them.
fn is_own(path: &Path) -> bool {
    let absent_or_ours = |path: &Path| is_absent(path) || is_ours(path, false);
    absent_or_ours(path)
        && BESIDE.iter().all(|end| absent_or_ours(&beside(path, end)))
        && is_ours_above(path, false)
}

/// In a directory such as /tmp a file is taken away by its owner alone; but for root, files would be given to the owner of one.
fn is_sheltered(path: &Path) -> bool {
    is_ours_above(path, !rustix::process::geteuid().is_root())
}

/// No directory above is another user's or lets others replace what is in it; `sticky_is_safe`: also of the nearest.
fn is_ours_above(path: &Path, sticky_is_safe: bool) -> bool {
    path.ancestors().enumerate().skip(1).all(|(above, path)| is_ours(path, sticky_is_safe || above > 1))
}

/// For root: another user can put another file in the place of one that is made there, or lay one beside it that `SQLite` takes
/// for its own: as it does in a directory such as /tmp, where anyone can make it first.
pub(crate) fn is_exchangeable(path: &Path) -> bool {
    let [given, real] = both_names(path);
    let ours_above = |path: &Path| {
        let mut there = path.ancestors().enumerate().skip_while(|(_, path)| is_absent(path));
        there.all(|(above, path)| is_ours(path, above > 1))
    };
    let ours_beside = |end: &&str| {
        let path = beside(&real, end);
        is_absent(&path) || is_ours(&path, false)
    };
    rustix::process::geteuid().is_root()
        && !(ours_above(&given) && ours_above(&real) && BESIDE.iter().all(ours_beside))
}

fn is_absent(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_err()
}

fn is_ours(path: &Path, sticky_is_safe: bool) -> bool {
    let uid = rustix::process::geteuid().as_raw();
    let others = if uid == 0 { 0o022 } else { 0o002 };
    std::fs::symlink_metadata(path).is_ok_and(|status| {
        // What a link leads to is looked at by itself; its own mode says nothing.
        let others_write = !status.is_symlink() && status.mode() & others != 0;
        let is_sticky = status.is_dir() && status.mode() & 0o1000 != 0;
        (status.uid() == uid || status.uid() == 0) && (!others_write || is_sticky && sticky_is_safe)
    })
}

/// A path as it was given, and without links: one on the way may be another user's, or lie there the next moment.
fn both_names(path: &Path) -> [PathBuf; 2] {
    let given = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let real = resolved(path).unwrap_or_else(|| given.clone());
    [given, real]
}

/// Without links, also of a store that is not there yet.
fn resolved(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        Some(directory.unwrap_or(Path::new(".")).canonicalize().ok()?.join(path.file_name()?))
    })
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
            Place::of(&store).is_own
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
        assert!(!Place::of(&store).is_own, "anyone can write to its log");
    }

    /// Whoever owns the directory may lay another in its place when SQLite has opened the file, and not yet what is beside it.
    #[test]
    fn nothing_is_made_with_roots_rights_where_another_user_leads() {
        use std::os::unix::fs::{chown, symlink};
        if !rustix::process::geteuid().is_root() {
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
        let place = Place::of(&file);
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
        let unpacked = Place::of(&closed.join("away/x"));
        let open = |how: &str| crate::open::read_only(&unpacked.path, how).and_then(query);
        assert!(unpacked.read(open).is_err(), "what is in its log would be missing");
        std::fs::remove_file(closed.join("away/x-wal")).unwrap();
        let error = unpacked.read(open).unwrap_err();
        assert!(error.to_string().contains("no such table"), "it is read as it lies: {error}");
        assert_eq!(owner(&roots.join("x-wal")), Some(0));
    }

    #[test]
    fn root_makes_no_database_where_another_user_can_exchange_it() {
        use std::os::unix::fs::chown;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new.fwr");
        assert!(!is_exchangeable(&file));
        if !rustix::process::geteuid().is_root() {
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
