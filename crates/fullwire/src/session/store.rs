//! Which store a run is kept in, or read from: a file of this host's, or the database that many hosts share.

use anyhow::{Context as _, Result};
use fullwire_store::{Kept, StoreError};
use std::path::{Path, PathBuf};

/// In the state directory.
pub(crate) const FILE: &str = "runs.db";

/// A store, wherever it is.
pub(crate) type Store = dyn Kept;

/// The store for keeping a run: the one requested, or the user's. A file is made when it is not there.
pub(crate) fn open_store(path: Option<&Path>) -> Result<Box<Store>> {
    let path = store_path(path)?;
    if let Some(source) = shared(&path) {
        return open_shared(source);
    }
    Ok(Box::new(fullwire_store::Store::open(real(&path)?)?))
}

/// Root follows no link of another user, also to what is read: runs are deleted there too.
pub(crate) fn real(path: &Path) -> Result<PathBuf> {
    fullwire_way::real(path).with_context(|| format!("use the store {}", path.display()))
}

/// The store for reading: nothing is made.
pub(crate) fn read_store(path: Option<&Path>) -> Result<Box<Store>> {
    let path = store_path(path)?;
    match shared(&path) {
        Some(source) => open_shared(source),
        None => Ok(Box::new(fullwire_store::Store::open_existing(real(&path)?)?)),
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
