//! Whose a store is. `SQLite` obeys what lies beside a database: it plays a journal back, takes a log for its own, and removes
//! the file that a journal names. So nothing is written to a store where somebody else can put a file beside it.

use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::io::Errno;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// What `SQLite` looks for beside a database.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// A store's file without links: what was looked at is what is opened.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) is_own: bool,
}

impl Place {
    /// Of a path as it was given. A place that is our own stays what it is: nobody else can exchange a part of it.
    pub(crate) fn of(path: &Path) -> Self {
        let [given, path] = both_names(path);
        Self { is_own: is_own(&given) && is_own(&path), path }
    }
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
        && path.ancestors().enumerate().skip(1).all(|(above, path)| is_ours(path, above > 1))
}

/// For root: another user can put another file in the place of one that is made there, and `SQLite` would obey what that user lays
/// beside it. In a directory such as /tmp, where a file can be taken away by its owner alone, nobody can.
pub(crate) fn is_exchangeable(path: &Path) -> bool {
    let [given, real] = both_names(path);
    let ours_above = |path: &Path| {
        let there: Vec<&Path> = path.ancestors().skip_while(|path| is_absent(path)).collect();
        there.iter().all(|path| is_ours(path, true))
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
        assert!(!is_exchangeable(&file), "as in /tmp");
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
