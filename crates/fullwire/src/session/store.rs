//! Which store a run is kept in, or read from.

use anyhow::Result;
use fullwire_store::Store;
use std::path::{Path, PathBuf};

/// The store for keeping a run: the one requested, or the user's. It is made when it is not there.
pub(crate) fn open_store(path: Option<&Path>) -> Result<Store> {
    Ok(Store::open(store_path(path))?)
}

/// The store for reading: nothing is made.
pub(crate) fn read_store(path: Option<&Path>) -> Result<Store> {
    Ok(Store::open_existing(store_path(path))?)
}

/// `--store`, the variable, or the user's own place.
pub(crate) fn store_path(path: Option<&Path>) -> PathBuf {
    let named = path.map(Path::to_owned);
    let variable = || std::env::var_os("FULLWIRE_STORE").filter(|value| !value.is_empty()).map(PathBuf::from);
    named.or_else(variable).unwrap_or_else(fullwire_store::default_path)
}
