//! Which store a run is kept in, or read from: a file of this host's, or the database that many hosts share.

use anyhow::Result;
use fullwire_store::{Kept, StoreError};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// In the state directory.
pub(crate) const FILE: &str = "runs.db";

/// A store, wherever it is.
pub(crate) type Store = dyn Kept;

/// The store for keeping a run: the one requested, or the user's. A file is made when it is not there.
pub(crate) fn open_store(path: Option<&Path>) -> Result<Box<Store>> {
    let path = store_path(path)?;
    match shared(&path) {
        Some(source) => open_shared(source),
        None => Ok(Box::new(fullwire_store::Store::open(path)?)),
    }
}

/// The store for reading: nothing is made.
pub(crate) fn read_store(path: Option<&Path>) -> Result<Box<Store>> {
    let path = store_path(path)?;
    match shared(&path) {
        Some(source) => open_shared(source),
        None => Ok(Box::new(fullwire_store::Store::open_existing(path)?)),
    }
}

/// The same; `None`: there is no file.
pub(crate) fn read_store_if_there(path: Option<&Path>) -> Result<Option<Box<Store>>> {
    match read_store(path) {
        Err(error) if matches!(error.downcast_ref(), Some(StoreError::Missing { .. })) => Ok(None),
        opened => opened.map(Some),
    }
}

/// `--store`, the variable, or the user's own place, which must be the user's alone.
fn store_path(path: Option<&Path>) -> Result<PathBuf> {
    let named = path.map(Path::to_owned);
    let variable = || std::env::var_os("FULLWIRE_STORE").filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = named.or_else(variable) {
        return Ok(path);
    }
    let state = fullwire_probe::state::state_dir();
    fullwire_probe::state::check(&state)?;
    Ok(state.join(FILE))
}

/// Nobody else can have written to the store: it is a file of this user's, and no directory above it is another user's or
/// lets others replace what is in it.
pub(crate) fn is_own(path: Option<&Path>) -> bool {
    let Ok(path) = store_path(path) else { return false };
    let Some(path) = shared(&path).is_none().then(|| path.canonicalize().ok()).flatten() else {
        return false;
    };
    let uid = rustix::process::geteuid().as_raw();
    let is_ours = |path: &Path, sticky_is_safe: bool| {
        std::fs::symlink_metadata(path).is_ok_and(|status| {
            let others_write = status.mode() & 0o022 != 0;
            let is_sticky = status.is_dir() && status.mode() & 0o1000 != 0;
            (status.uid() == uid || status.uid() == 0) && (!others_write || is_sticky && sticky_is_safe)
        })
    };
    // In its own directory nobody else may make a file: SQLite takes whatever log lies beside the database for its own.
    let beside = |end: &str| {
        let mut name = path.clone().into_os_string();
        name.push(end);
        let file = PathBuf::from(name);
        std::fs::symlink_metadata(&file).is_err() || is_ours(&file, false)
    };
    ["-wal", "-shm", "-journal"].into_iter().all(beside)
        && path.ancestors().enumerate().all(|(above, path)| is_ours(path, above > 1))
}

/// A store that is a database and no file.
fn shared(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)).then_some(text)
}

#[cfg(feature = "estate")]
fn open_shared(source: &str) -> Result<Box<Store>> {
    Ok(Box::new(crate::database::shared(source)?))
}

#[cfg(not(feature = "estate"))]
fn open_shared(_source: &str) -> Result<Box<Store>> {
    crate::usage::wrong(
        "a store in PostgreSQL needs a fullwire that was built for an estate: cargo build --features estate"
            .to_owned(),
    )
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
        std::fs::write(&store, "").unwrap();
        let with = |mode: u32| {
            set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
            is_own(Some(&store))
        };
        assert!(with(0o755) && with(0o700));
        assert!(!with(0o1777) && !with(0o777));
        assert!(with(0o755));
        let log = folder.path().join("runs.db-wal");
        std::fs::write(&log, "").unwrap();
        set_permissions(&log, Permissions::from_mode(0o666)).unwrap();
        assert!(!is_own(Some(&store)), "anyone can write to its log");
    }
}
